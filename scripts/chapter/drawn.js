/** The chapter's drawings as they are before a run, for readers without JavaScript and until the scripts are there. */

import { render } from "@lit-labs/ssr";
import { collectResult } from "@lit-labs/ssr/lib/render-result.js";
import { still as dependencies } from "../../www/chapter/dependencies.js";
import { still as loop } from "../../www/chapter/loop.js";
import { still as roofline } from "../../www/chapter/roofline.js";
import { still as saving } from "../../www/chapter/saving.js";
import { ELEMENT_SETTINGS } from "../../www/settings.js";
import { Problem } from "../run.js";
import { refuseOthers } from "./elements.js";
import { shippedShape } from "./numbers.js";
import { defaultPrompt, runOf } from "./still.js";

/** By the names that the page calls them. */
const DRAWINGS = { dependencies, loop, roofline, saving };

/** What the templates' renderer leaves for one that goes on in the browser; the drawings begin anew there. */
const MARKS = /<!--\/?lit-(?:part|node)[^>]*-->/g;

/** `<drawn-part name="loop">`. @type {import("./elements.js").Maker} */
export async function drawnPart(written) {
  refuseOthers(written, ["name"]);
  const { name } = written.attributes;
  const still = Object.entries(DRAWINGS).find(([known]) => known === name)?.[1];
  if (still === undefined) throw new Problem(`name is ${name}; allowed: ${Object.keys(DRAWINGS).join(", ")}`);
  const { prompt } = await runOf(defaultPrompt());
  const html = await collectResult(
    render(
      still({
        config: shippedShape(),
        prompt: prompt.map((text) => ({ text, supported: true })),
        log: [],
        stop: null,
        next: "prefill",
        most: /** @type {number} */ (ELEMENT_SETTINGS.maxTokens.fallback) - prompt.length,
        running: false,
      }),
    ),
  );
  return html.replace(MARKS, "");
}
