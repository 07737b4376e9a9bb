/** A page whose library comes later: the tag is known from the beginning. */

import "generation-loop/embed-host.js";
import "generation-loop/lazy.js";
import "generation-loop/words/de.js";

document.querySelector("generation-loop")?.addEventListener("generation-pass", ({ detail }) => detail.index);
document.createElement("generation-loop").seed = 7;

// @ts-expect-error: it exports nothing
import { GenerationLoopElement } from "generation-loop/lazy.js";
// @ts-expect-error: English is inside, and no file
import "generation-loop/words/en.js";

void GenerationLoopElement;
