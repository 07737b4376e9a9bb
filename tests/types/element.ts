/** The class alone: nothing is registered, and TypeScript knows no tag. */

import { GenerationLoopElement, type GenerationLoopEvents } from "generation-loop/element.js";
import { GenerationLoopElement as Split } from "generation-loop/split/element.js";

customElements.define("my-generation-loop", GenerationLoopElement);
const element = new Split();
element.addEventListener("generation-pass", ({ detail }) => detail.flops.toFixed());
const last = (event: GenerationLoopEvents["generation-stop"]) => event.detail.reason;
void last;

// @ts-expect-error: it may be any element
const known: GenerationLoopElement = document.createElement("generation-loop");
void known;
// @ts-expect-error: a document tells of events that somebody has declared
document.addEventListener("generation-pass", ({ detail }) => detail);
