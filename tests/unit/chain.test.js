/** What hangs on what in a run, and which of it is drawn. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { needOf, passPlacesOf, placesOf } from "../../www/chapter/chain.js";
import { momentAfter } from "./readings.js";

/** @param {import("../../www/chapter/phrases.js").Phrase} phrase */
const text = (phrase) => phrase.map((part) => (typeof part === "string" ? part : `<${part.token}>`)).join("");

describe("places", () => {
  test("each item has one, while there is room", () => {
    for (const items of [0, 1, 11, 24]) {
      assert.deepEqual(
        placesOf(items),
        Array.from({ length: items }, (_, item) => ({ item })),
      );
    }
  });

  test("of more, first and last ones are there, and the gap has exactly the others", () => {
    for (const items of [25, 26, 117, 1013]) {
      const places = placesOf(items);
      assert.equal(places.length, 24);
      const all = places.flatMap((place) =>
        "item" in place
          ? [place.item]
          : Array.from({ length: place.to - place.from }, (_, more) => place.from + more),
      );
      assert.deepEqual(
        all,
        Array.from({ length: items }, (_, item) => item),
      );
      assert.equal(places.filter((place) => "from" in place).length, 1);
    }
  });

  test("there are as many from the first pass to the last, so that nothing moves", () => {
    for (const most of [1, 21, 24, 25, 117]) {
      const counts = Array.from({ length: most + 1 }, (_, made) => passPlacesOf(made, most).length);
      assert.deepEqual(new Set(counts), new Set([Math.min(most, 24)]));
    }
  });
});

describe("the sentence", () => {
  test("names the token that a pass needed, and the pass that brought it", async () => {
    const moment = await momentAfter(5);
    const [before, token] = moment.log.slice(3).map((pass) => pass.token.text);
    assert.equal(
      text(needOf(moment)),
      `Pass 5 needed <${before}>, which pass 4 brought. Pass 6 cannot begin without <${token}>, which this one brought.`,
    );
  });

  test("of pass 1 the prompt alone, and of the last one no other after it", async () => {
    assert.match(
      text(needOf(await momentAfter(0))),
      /^Pass 1 needs the prompt and nothing else: all 11 tokens can go in at once\./,
    );
    assert.match(
      text(needOf(await momentAfter(1))),
      /^Pass 1 needed the prompt and nothing else: 11 tokens, at once\./,
    );
    const end = await momentAfter(99);
    assert.equal(end.stop?.reason, "stop-string");
    assert.match(
      text(needOf(end)),
      /^Pass \d+ needed <.>, which pass \d+ brought\. It brought <\.>, the last\.$/,
    );
  });
});
