/** Every link of README.md and docs/ leads to something: a file of the repository, and a heading of it. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, test } from "node:test";
import { root, textOf, withoutBlocks } from "./docs.js";

const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];

/**
 * What a heading is called in addresses, by the rules of those who show such pages: small letters, no punctuation, hyphens for spaces, and
 * a number where there are several of a name.
 * @param {string} text of a page
 */
function anchorsOf(text) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return [...withoutBlocks(text).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");
    const name = plain
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return times === 0 ? name : `${name}-${times}`;
  });
}

/** Addresses of links and pictures. @param {string} text */
const linksOf = (text) =>
  [
    ...withoutBlocks(text)
      .replace(/`[^`\n]*`/g, "")
      .matchAll(/\]\(([^()\s]*)\)/g),
  ].map(([, address]) => address);

for (const page of pages) {
  describe(page, () => {
    const text = textOf(page);
    const links = linksOf(text);

    test("links into the repository lead somewhere", () => {
      const lost = links.filter((address) => {
        if (/^https?:/.test(address)) return false;
        const [path, anchor] = address.split("#");
        const target = path === "" ? page : normalize(join(dirname(page), path));
        const place = join(root, target);
        if (relative(root, place).startsWith("..") || !existsSync(place)) return true;
        if (anchor === undefined) return false;
        return statSync(place).isDirectory() || !anchorsOf(textOf(target)).includes(anchor);
      });
      assert.deepEqual(lost, []);
    });

    test("links to elsewhere are of known places", () => {
      // Nothing in a page is a place that somebody could take.
      const known = ["rustup.rs", "semver.org", "keepachangelog.com", "example.org", "huggingface.co"];
      const hosts = links
        .filter((address) => /^https?:/.test(address))
        .map((address) => new URL(address).host);
      assert.deepEqual(
        hosts.filter((host) => !known.includes(host)),
        [],
      );
    });

    if (page.startsWith("docs/") && page !== "docs/README.md") {
      test("the index has it", () => {
        assert.ok(linksOf(textOf("docs/README.md")).includes(page.replace("docs/", "")));
      });
    }
  });
}
