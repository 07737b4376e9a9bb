/** What a frame's address says, what a page says of itself for others (oEmbed), and the page that stands in frames. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parse, parseFragment } from "parse5";
import { oembed, siteFrom, withLink } from "../../scripts/oembed.js";
import { root } from "../../scripts/run.js";
import { LANGUAGES, PARAMETERS, parametersFrom } from "../../www/parameters.js";
import { ELEMENT_SETTINGS } from "../../www/settings.js";

const PAGE = "https://example.org/loop/embed.html";
const SITE = "https://example.org/loop/";

/** @param {string} search */
const from = (search) => parametersFrom(search, PAGE + search);

const ATTRIBUTES = Object.values(ELEMENT_SETTINGS).map(({ attribute }) => attribute);

describe("parameters", () => {
  test("are the attributes of the element, and two of the page", () => {
    assert.deepEqual(PARAMETERS, [...ATTRIBUTES, "lang", "color-scheme"]);
  });

  test("are read as a form would have written them", () => {
    assert.deepEqual(from(""), { attributes: [], lang: null, colorScheme: null, problems: [] });
    assert.deepEqual(from("?"), from(""));
    assert.deepEqual(
      from("?prompt=a+dog%0A&top-k=5&hide=cost%20share&autoplay&stop=&lang=de-AT&color-scheme=dark"),
      {
        attributes: [
          ["prompt", "a dog\n"],
          ["top-k", "5"],
          ["hide", "cost share"],
          ["autoplay", ""],
          ["stop", ""],
        ],
        lang: "de-AT",
        colorScheme: "dark",
        problems: [],
      },
    );
  });

  test("one that is unknown is named, with what is allowed, and the others count", () => {
    for (const name of ["topK", "Prompt", "", "constructor", "__proto__", "<b>", "onload"]) {
      const { attributes, problems } = from(`?${encodeURIComponent(name)}=x&seed=7`);
      assert.deepEqual(attributes, [["seed", "7"]]);
      assert.deepEqual(problems, [
        `There is no parameter ${JSON.stringify(name)}; allowed: ${PARAMETERS.join(", ")}.`,
      ]);
    }
  });

  test("one that is given twice counts for nothing, also where both are the same", () => {
    for (const search of ["?seed=1&top-k=3&seed=2", "?seed=1&top-k=3&seed=1"]) {
      const { attributes, problems } = from(search);
      assert.deepEqual(attributes, [["top-k", "3"]]);
      assert.deepEqual(problems, ["seed is given 2 times; allowed: once. Its default is used."]);
    }
    const { colorScheme, problems } = from("?color-scheme=dark&color-scheme=light&color-scheme=dark");
    assert.equal(colorScheme, null);
    assert.match(problems[0], /^color-scheme is given 3 times;/);
  });

  test("a value without meaning is said, and left to the element, which warns of it too", () => {
    for (const [search, problem] of [
      ["seed=-1", 'seed is "-1"; allowed: a whole number from 0 to 9007199254740991.'],
      ["sampling=best", 'sampling is "best"; allowed: greedy, temperature, top-k, top-p.'],
      ["temperature=", 'temperature is ""; allowed: a finite number, at least 0.'],
      ["max-tokens=1", 'max-tokens is "1"; allowed: a whole number from 2 to the model\'s context, or none.'],
      ["hide=log+logo", /^hide is "log logo"; allowed: model, settings, .*share\.$/],
      ["model=gpt2", /^model is "gpt2"; allowed: trained, untrained, /],
      ["autoplay=1", 'autoplay is "1"; allowed: true, false, on, off.'],
    ]) {
      const { attributes, problems } = from(`?${search}`);
      const [name, text] = String(search).replaceAll("+", " ").split("=");
      assert.deepEqual(attributes, [[name, text]]);
      assert.equal(problems.length, 1);
      const said = problems[0].replace(/ The default is used\.$/, "");
      assert.notEqual(said, problems[0]);
      if (typeof problem === "string") assert.equal(said, problem);
      else assert.match(said, problem);
    }
  });

  test("of the page's own, one without meaning changes nothing", () => {
    for (const [search, problem] of [
      ["lang=fr", 'lang is "fr"; allowed: en, de. The default is used.'],
      ["lang=de_x!", 'lang is "de_x!"; allowed: en, de. The default is used.'],
      ["lang=de-!", 'lang is "de-!"; allowed: en, de. The default is used.'],
      ["color-scheme=Dark", 'color-scheme is "Dark"; allowed: light, dark. The default is used.'],
    ]) {
      const { attributes, lang, colorScheme, problems } = from(`?${search}`);
      assert.deepEqual([attributes, lang, colorScheme, problems], [[], null, null, [problem]]);
    }
  });

  test("a model may be of the same site, and of no other", () => {
    for (const model of [
      "./gpt2/",
      "/models/gpt2/",
      "https://example.org/gpt2/",
      "HTTPS://EXAMPLE.ORG/gpt2/",
    ]) {
      const { attributes, problems } = from(`?model=${encodeURIComponent(model)}`);
      assert.deepEqual([attributes, problems], [[["model", model]], []]);
    }
    for (const model of [
      ...["https://example.com/gpt2/", "http://example.org/gpt2/", "//example.com/", "/\\example.com/"],
      ...["/\t/example.com/", "https://example.org@example.com/", "https://", "https://example.org:8443/"],
    ]) {
      const { attributes, problems } = from(`?model=${encodeURIComponent(model)}`);
      assert.deepEqual(attributes, []);
      assert.equal(
        problems[0],
        `model is ${JSON.stringify(model)}; allowed: trained, untrained, or the address of a folder on the site of the frame. The default is used.`,
      );
    }
  });

  test("what is broken is said, and no nonsense fills a screen", () => {
    assert.deepEqual(from("?prompt=%E4&seed=7"), {
      attributes: [["seed", "7"]],
      lang: null,
      colorScheme: null,
      problems: ['"prompt=%E4" cannot be read; allowed: UTF-8 after percent signs.'],
    });
    const { problems } = from(`?${Array.from({ length: 1000 }, (_, index) => `x${index}=1`).join("&")}`);
    assert.equal(problems.length, 5);
    const [long] = from(`?seed=${"9".repeat(100_000)}`).problems;
    assert.ok(long.length < 200, long);
  });

  test("any address is read, and says what it was given", () => {
    const pair = fc.tuple(fc.constantFrom(...PARAMETERS), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.uniqueArray(pair, { selector: ([name]) => name }), (pairs) => {
        const { attributes } = from(`?${new URLSearchParams(pairs)}`);
        for (const [name, text] of attributes) assert.ok(pairs.some(([n, t]) => n === name && t === text));
      }),
      { seed: 20_250_311, numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (search) => void from(search)),
      { seed: 3 },
    );
  });

  test("every language that there are words for can be chosen", () => {
    const files = readdirSync(join(root, "www/words")).map((file) => file.replace(".js", ""));
    assert.deepEqual(files.filter((file) => file !== "plural").sort(), [...LANGUAGES].sort());
  });
});

describe("the page for frames", () => {
  const html = readFileSync(join(root, "embed.html"), "utf8");

  test("has a policy, and nothing that it would forbid", () => {
    const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
    assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https?:|\*/);
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]* src=)/);
  });

  test("has its settings before its element begins, whatever the order of the scripts", () => {
    assert.match(html, /<template><generation-loop>/);
  });
});

describe("oEmbed", () => {
  test("is what version 1.0 wants of a rich page, with a frame that has the query", () => {
    const { html, ...rest } = oembed(SITE, "prompt=a%20dog&hide=cost+share");
    assert.deepEqual(rest, {
      version: "1.0",
      type: "rich",
      provider_name: "generation-loop",
      provider_url: SITE,
      title: "One token per forward pass",
      cache_age: 86_400,
      width: 720,
      height: 900,
    });
    const [frame, ...others] = /** @type {any} */ (parseFragment(html)).childNodes;
    assert.deepEqual(others, []);
    assert.equal(frame.tagName, "iframe");
    const attributes = Object.fromEntries(
      frame.attrs.map((/** @type {any} */ { name, value }) => [name, value]),
    );
    assert.deepEqual([attributes.width, attributes.height], ["720", "900"]);
    const address = new URL(attributes.src);
    assert.equal(address.origin + address.pathname, PAGE);
    assert.deepEqual(parametersFrom(address.search, address.href).attributes, [
      ["prompt", "a dog"],
      ["hide", "cost share"],
    ]);
    assert.equal(oembed(SITE).html.includes(`src="${PAGE}"`), true);
    assert.deepEqual(oembed(SITE, "?seed=7"), oembed(SITE, "seed=7"));
  });

  test("an address that others could not follow is refused, by its name", () => {
    for (const address of [
      ...["", "example.org/loop/", "/loop/", "https://example.org/loop", "https://example.org/loop/?a=1"],
      ...["https://example.org/loop/#a", "https://a:b@example.org/", "file:///loop/", "javascript:/"],
    ]) {
      assert.throws(() => siteFrom(address), {
        message: `The address is ${JSON.stringify(address)}; allowed: that of the folder with embed.html in it, from https:// or http:// to the slash at its end, as https://example.org/loop/`,
      });
    }
    assert.equal(siteFrom("http://localhost:8080/"), "http://localhost:8080/");
  });

  test("a query that the page would complain of is refused", () => {
    assert.throws(
      () => oembed(SITE, "sead=7"),
      /The query is "sead=7"; There is no parameter "sead"; allowed: prompt,/,
    );
    assert.throws(() => oembed(SITE, "seed=x"), /seed is "x"; allowed: a whole number/);
  });

  test("the page has one link to it, however often it is written", () => {
    const page = readFileSync(join(root, "embed.html"), "utf8");
    const once = withLink(page, SITE);
    assert.equal(withLink(once, SITE), once);
    const moved = withLink(once, "https://example.org/other/");
    const links = [...moved.matchAll(/<link rel="alternate"[^>]*>/g)].map(String);
    assert.deepEqual(links, [
      '<link rel="alternate" type="application/json+oembed" title="One token per forward pass" href="https://example.org/other/oembed.json">',
    ]);
    const [, html] = /** @type {any} */ (parse(moved)).childNodes;
    const types = html.childNodes[0].childNodes.map(
      (/** @type {any} */ { attrs }) => attrs?.find((/** @type {any} */ { name }) => name === "type")?.value,
    );
    assert.ok(types.includes("application/json+oembed"), "it is in the head");
    assert.throws(() => withLink("<p>", SITE), /has no <\/head>/);
  });

  test("the command prints it, or writes it and the link into a folder", () => {
    const run = (/** @type {string[]} */ ...args) =>
      spawnSync(process.execPath, [join(root, "scripts/oembed.js"), ...args], { encoding: "utf8" });
    assert.deepEqual(JSON.parse(run(SITE, "seed=7").stdout), oembed(SITE, "seed=7"));
    const folder = mkdtempSync(join(tmpdir(), "oembed-"));
    try {
      const without = run(SITE, "--write", folder);
      assert.equal(without.status, 1);
      assert.match(without.stderr, /allowed: one with embed\.html in it/);
      writeFileSync(join(folder, "embed.html"), "<html><head></head></html>");
      assert.equal(run(SITE, "seed=7", "--write", folder).status, 0);
      assert.deepEqual(JSON.parse(readFileSync(join(folder, "oembed.json"), "utf8")), oembed(SITE, "seed=7"));
      assert.match(
        readFileSync(join(folder, "embed.html"), "utf8"),
        /href="https:\/\/example\.org\/loop\/oembed\.json"/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
    for (const args of [[], [SITE, "a=1", "b"], [SITE, "--write"]]) {
      const { status, stderr } = run(...args);
      assert.equal(status, 1);
      assert.match(stderr, /usage: node scripts\/oembed\.js/);
    }
    const { status, stderr } = run("nowhere");
    assert.equal(status, 1);
    assert.match(stderr, /^\nThe address is "nowhere"; allowed: /);
  });
});
