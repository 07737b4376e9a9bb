/** Real models on real chips: shapes against what is published, bounds against counting and against numbers made by hand. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { boundsOf, hasRoom, replyOf } from "../../www/chapter/bounds.js";
import { CHIPS, ridgeOf } from "../../www/chapter/chips.js";
import { boundInWords, readChoices, roomInWords } from "../../www/chapter/scale.js";
import { parametersOf, SHAPES } from "../../www/chapter/shapes.js";
import { flopsOf } from "../../www/flops.js";
import { blank, SHAPES as SMALL } from "./checkpoints.js";

/** @typedef {import("../../www/flops.js").Config} Config */

/** @param {string} id */
const config = (id) => /** @type {Config} */ (SHAPES.find((shape) => shape.id === id)?.config);
/** @param {string} id */
const chipOf = (id) =>
  /** @type {import("../../www/chapter/chips.js").Chip} */ (CHIPS.find((chip) => chip.id === id));

/** Round figures, to be checked by hand. */
const CHIP = { id: "x", name: "X", flops: 1e12, bandwidth: 8e9, memory: 1e9, source: "", how: "" };

/** @param {number} actual @param {number} expected */
function near(actual, expected, share = 1e-12) {
  assert.ok(Math.abs(actual / expected - 1) <= share, `${actual}, not ${expected}`);
}

describe("parameters", () => {
  test("the formula counts every number of every tensor", () => {
    for (const [name, shape] of Object.entries(SMALL)) {
      const { weights } = blank(shape);
      const numbers = Object.values(weights).reduce((sum, { data }) => sum + data.length, 0);
      assert.equal(parametersOf(shape), numbers, name);
    }
  });

  test("the shapes have as many as their files, and as is published", () => {
    assert.equal(parametersOf(config("gpt2")), 124_439_808);
    assert.equal(parametersOf(config("gpt2-medium")), 354_823_168);
    assert.equal(parametersOf(config("gpt2-large")), 774_030_080);
    assert.equal(parametersOf(config("gpt2-xl")), 1_557_611_200);
    // "1.5B" is cut off, not rounded.
    const units = { M: 1e6, B: 1e9 };
    for (const { published, config: shape } of SHAPES) {
      const unit = units[/** @type {"M" | "B"} */ (published.slice(-1))];
      near(parametersOf(shape), Number(published.slice(0, -1)) * unit, 0.04);
    }
    assert.equal(Math.round(parametersOf(config("gpt3")) / 1e9), 175);
  });

  test("every shape is one: heads divide the width, and each has its place", () => {
    assert.equal(new Set(SHAPES.map(({ id }) => id)).size, SHAPES.length);
    for (const { config: shape, source } of SHAPES) {
      assert.equal(shape.n_embd % shape.n_head, 0);
      assert.equal(shape.n_inner, 4 * shape.n_embd);
      assert.match(source, /^https:\/\/(huggingface\.co|arxiv\.org)\//);
    }
  });
});

describe("chips", () => {
  test("each has its figures, and says where they are from", () => {
    assert.equal(new Set(CHIPS.map(({ id }) => id)).size, CHIPS.length);
    for (const chip of CHIPS) {
      for (const value of [chip.flops, chip.bandwidth, chip.memory]) assert.ok(value >= 1e9, chip.name);
      assert.match(chip.source, /^https:\/\/(www|images)\.(nvidia|amd|qualcomm)\.com\//);
      assert.match(chip.how, /^(Specification|Estimated from the specification)[:.]/);
      // A chip that reads a byte sooner than it multiplies would be none that is known.
      assert.ok(ridgeOf(chip) > 1);
    }
  });

  test("the figures by hand", () => {
    near(chipOf("ryzen-7-7840u").flops, 844.8e9);
    near(chipOf("ryzen-7-7840u").bandwidth, 120e9);
    near(chipOf("snapdragon-8-gen-3").flops, 355.2e9);
    near(chipOf("snapdragon-8-gen-3").bandwidth, 76.8e9);
    near(ridgeOf(chipOf("a100-80gb")), 153.016, 1e-5);
    near(ridgeOf(chipOf("h100-sxm")), 295.343, 1e-5);
  });
});

/**
 * FLOPs and bytes of a pass, counted: each product of a row and a column, number by number, and each number of each matrix that
 * a product needs.
 * @param {Config} shape
 * @param {number} tokensIn
 * @param {number} contextLength
 */
function countedPass(shape, tokensIn, contextLength) {
  let multiplyAdds = 0;
  let weights = 0;
  let cached = 0;
  const product = (
    /** @type {number} */ rows,
    /** @type {number} */ inner,
    /** @type {number} */ columns,
  ) => {
    for (let row = 0; row < rows; row += 1)
      for (let column = 0; column < columns; column += 1) multiplyAdds += inner;
  };
  const withWeights = (/** @type {number} */ inner, /** @type {number} */ columns) => {
    product(tokensIn, inner, columns);
    for (let row = 0; row < inner; row += 1) weights += columns;
  };
  const { n_embd: d, n_head: heads, n_inner: f } = shape;
  for (let layer = 0; layer < shape.n_layer; layer += 1) {
    withWeights(d, 3 * d);
    for (let head = 0; head < heads; head += 1) {
      product(tokensIn, d / heads, contextLength);
      product(tokensIn, contextLength, d / heads);
      for (let token = 0; token < contextLength; token += 1) cached += 2 * (d / heads);
    }
    withWeights(d, d);
    withWeights(d, f);
    withWeights(f, d);
  }
  withWeights(d, shape.vocab_size);
  return { flops: 2 * multiplyAdds, weights, cached };
}

describe("bounds of a pass", () => {
  test("are those of what is counted, product by product", () => {
    for (const shape of Object.values(SMALL)) {
      for (const [tokensIn, contextLength] of [
        [1, 1],
        [7, 7],
        [1, 8],
        [3, 9],
      ]) {
        for (const bytesPerWeight of [4, 2, 1]) {
          const bounds = boundsOf(shape, CHIP, bytesPerWeight, { tokensIn, contextLength });
          const { flops, weights, cached } = countedPass(shape, tokensIn, contextLength);
          assert.equal(bounds.flops, flops);
          assert.equal(bounds.weightBytes, weights * bytesPerWeight);
          assert.equal(bounds.cacheBytes, cached * bytesPerWeight);
          assert.equal(bounds.bytes, bounds.weightBytes + bounds.cacheBytes);
        }
      }
    }
  });

  test("GPT-2 small by hand: a prefill of 100 tokens, and a decode after it", () => {
    const { prefill, decode } = replyOf({
      config: config("gpt2"),
      chip: CHIP,
      promptTokens: 100,
      replyTokens: 10,
      bytesPerWeight: 2,
    });
    // 12 (8·100·768² + 4·100²·768 + 4·100·768·3072) + 2·100·768·50257
    assert.equal(prefill.flops, 12 * (471_859_200 + 30_720_000 + 943_718_400) + 7_719_475_200);
    // 12 (4·768² + 2·768·3072) + 50257·768 weights
    assert.equal(prefill.weightBytes, 2 * (12 * 7_077_888 + 38_597_376));
    assert.equal(prefill.cacheBytes, 2 * 12 * 100 * 768 * 2);
    near(prefill.arithmetic, 25_075_046_400 / 1e12);
    near(prefill.memory, (247_064_064 + 3_686_400) / 8e9);
    assert.equal(prefill.boundBy, "memory");
    assert.equal(prefill.seconds, prefill.memory);
    assert.equal(decode.flops, flopsOf(config("gpt2"), { phase: "decode", length: 101 }));
    assert.equal(decode.cacheBytes, 2 * 12 * 101 * 768 * 2);
  });

  test("a multiply-add for each token and each number that is read: FLOPs per byte know no model", () => {
    for (const { config: shape } of SHAPES) {
      for (const bytesPerWeight of [4, 2, 1]) {
        for (const [tokensIn, contextLength] of [
          [800, 800],
          [1, 801],
          [1, 1],
        ]) {
          const { intensity } = boundsOf(shape, CHIP, bytesPerWeight, { tokensIn, contextLength });
          near(intensity, (tokensIn * 2) / bytesPerWeight);
        }
      }
    }
  });

  test("the longer time bounds it, and says so; a chip at its ridge is held up by arithmetic", () => {
    const shape = SMALL.default;
    const pass = { tokensIn: 7, contextLength: 7 };
    const { flops, bytes } = boundsOf(shape, CHIP, 4, pass);
    for (const [bandwidth, boundBy, seconds] of /** @type {const} */ ([
      [bytes * 2, "arithmetic", 1],
      [bytes, "arithmetic", 1],
      [bytes / 2, "memory", 2],
    ])) {
      const bounds = boundsOf(shape, { ...CHIP, flops, bandwidth }, 4, pass);
      assert.equal(bounds.boundBy, boundBy);
      assert.equal(bounds.seconds, seconds);
      assert.equal(bounds.boundBy === "arithmetic", bounds.intensity >= ridgeOf({ flops, bandwidth }));
    }
  });
});

describe("a whole reply", () => {
  const question = {
    config: SMALL.default,
    chip: CHIP,
    promptTokens: 11,
    replyTokens: 21,
    bytesPerWeight: 4,
  };

  test("costs what the widget's log adds up to", () => {
    const reply = replyOf(question);
    assert.equal(reply.decodes, 20);
    assert.equal(reply.prefill.flops, 173_184);
    assert.equal(reply.decode.flops, 15_872);
    assert.equal(reply.flops, 514_944);
    assert.equal(reply.flops, reply.prefill.flops + reply.decodeFlops);
    let seconds = reply.prefill.seconds;
    for (let length = 12; length <= 31; length += 1)
      seconds += boundsOf(SMALL.default, CHIP, 4, { tokensIn: 1, contextLength: length }).seconds;
    near(reply.seconds, seconds);
  });

  test("of one token has no decode", () => {
    const reply = replyOf({ ...question, replyTokens: 1 });
    assert.equal(reply.decodes, 0);
    assert.equal(reply.decodeFlops, 0);
    assert.equal(reply.seconds, reply.prefill.seconds);
    assert.equal(reply.cacheBytes, 4 * 2 * 2 * 11 * 16);
  });

  test("fits where all its weights and its cache do, to the byte", () => {
    const { neededBytes, weightBytes, cacheBytes } = replyOf(question);
    assert.equal(weightBytes, 4 * parametersOf(SMALL.default));
    // The last token is never put in.
    assert.equal(cacheBytes, 4 * 2 * 2 * 31 * 16);
    assert.equal(neededBytes, weightBytes + cacheBytes);
    for (const [memory, fits, chips] of /** @type {const} */ ([
      [neededBytes, true, 1],
      [neededBytes - 1, false, 2],
      [neededBytes / 3, false, 3],
    ])) {
      const reply = replyOf({ ...question, chip: { ...CHIP, memory } });
      assert.equal(reply.fits, fits);
      assert.equal(reply.chips, chips);
    }
  });

  test("GPT-3 fits no chip in two bytes, GPT-2 XL all of them", () => {
    for (const chip of CHIPS) {
      const [xl, gpt3] = ["gpt2-xl", "gpt3"].map((id) =>
        replyOf({ config: config(id), chip, promptTokens: 800, replyTokens: 200, bytesPerWeight: 2 }),
      );
      assert.equal(xl.fits, true, chip.name);
      assert.equal(gpt3.fits, false, chip.name);
      assert.equal(xl.decode.boundBy, "memory");
      assert.equal(xl.prefill.boundBy, "arithmetic");
      assert.match(roomInWords(gpt3, chip), / do not fit into the .* at least \d+ of these\./);
      assert.match(roomInWords(xl, chip), /, and fit into the /);
    }
  });

  test("the sentence says what binds", () => {
    const reply = replyOf({
      config: config("gpt2-xl"),
      chip: chipOf("a100-80gb"),
      promptTokens: 800,
      replyTokens: 200,
      bytesPerWeight: 2,
    });
    assert.equal(
      boundInWords(reply),
      "This chip can do 153 FLOPs in the time in which it reads one byte. " +
        "The prefill does 800 FLOPs for each byte it reads: arithmetic holds it up. " +
        "The decode does 1 FLOP for each byte it reads: reading from memory holds it up. " +
        "In a decode the chip does no arithmetic for 99.3% of the time.",
    );
  });
});

describe("what is asked", () => {
  const choices = { model: "gpt2", chip: "h100-sxm", bytes: "2", prompt: "1000", reply: "24" };

  test("fills the context, and not a token more", () => {
    assert.equal(readChoices(choices).asked?.reply, 24);
    assert.equal(hasRoom(config("gpt2"), 1000, 24), true);
    const { asked, errors } = readChoices({ ...choices, reply: "25" });
    assert.equal(asked, null);
    assert.deepEqual(errors, {
      room: "Prompt and reply are 1,025 tokens together; allowed: at most 1,024, the context of GPT-2 small",
    });
    assert.equal(readChoices({ ...choices, model: "gpt3", reply: "25" }).asked?.shape.id, "gpt3");
  });

  test("is refused field by field", () => {
    const { asked, errors } = readChoices({ ...choices, prompt: "0", reply: "" });
    assert.equal(asked, null);
    assert.deepEqual(errors, {
      prompt: "Prompt tokens is “0”; allowed: a whole number from 1 to 2,048",
      reply: "Reply tokens is empty; allowed: a whole number from 1 to 2,048",
    });
  });
});
