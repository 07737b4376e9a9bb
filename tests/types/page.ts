/** A page's program: importing the package registers the tag, and TypeScript knows it everywhere. */

import {
  type Checkpoint,
  GenerationLoopElement,
  type Moment,
  type Panel,
  type Pass,
  type Stop,
} from "generation-loop";
import { GenerationLoopElement as Whole } from "generation-loop/generation-loop.js";
import { GenerationLoopElement as Split } from "generation-loop/split";
import { de } from "generation-loop/words/de.js";
import "generation-loop/generation-loop.css";

const element: GenerationLoopElement = document.createElement("generation-loop");
const found: GenerationLoopElement | null = document.querySelector("generation-loop");
const same: (typeof GenerationLoopElement)[] = [Whole, Split];
void [found, same];

// What is set, and what is read.
element.prompt = "the cat sat";
element.prompt = undefined;
element.model = "untrained";
element.model = "./my-model/";
const own: Checkpoint = {
  config: new Blob(),
  weights: { "wte.weight": { shape: [64, 32], data: new Float32Array(2048) } },
};
element.model = own;
element.sampling = "top-p";
element.temperature = 0.5;
element.temperature = "0.5";
element.topK = 3;
element.topP = 0.9;
element.seed = 7n;
element.seed = "7";
element.seed = null;
element.stop = ["a", "b"];
element.stop = "a|b";
element.stop = null;
element.maxTokens = null;
element.maxTokens = "none";
element.cache = false;
element.cache = "off";
const panels: Panel[] = ["model", "log"];
element.hide = panels;
element.hide = "model log";
element.autoplay = true;
element.predict = true;
element.lang = "de";
const seed: number | null = element.seed;
const stop: readonly string[] = element.stop;
const cache: boolean = element.cache;
const hidden: readonly Panel[] = element.hide;
const length: number | null = element.maxTokens;
const temperature: number = element.temperature;
void [seed, stop, cache, hidden, length, temperature];

// @ts-expect-error: there is no such method
element.sampling = "beam";
// @ts-expect-error: a prompt is text
element.prompt = ["the", "cat"];
// @ts-expect-error: a number, or one as text
element.temperature = true;
// @ts-expect-error: there is no such panel
element.hide = ["weights"];
// @ts-expect-error: the attribute is top-k, the property is not
element["top-k"] = 3;
// @ts-expect-error: it can only be read
element.moment = null;
// @ts-expect-error: it can only be read
element.ready = Promise.resolve(element);
// @ts-expect-error: the list is the element's own
element.stop.push("c");
// @ts-expect-error: a model is both
element.model = { config: {} };
// @ts-expect-error: what the element is made with is inside
element.requestUpdate();

const ready: Promise<GenerationLoopElement> = element.ready;
const updated: Promise<boolean> = element.updateComplete;
const nothing: undefined[] = [];
void [ready, updated, nothing];
element.prefill();
element.step();
element.run();
element.pause();
element.back();
element.reset();
GenerationLoopElement.addWords("de", de);
// @ts-expect-error: those are not all words
GenerationLoopElement.addWords("de", { phase: { prefill: "Prefill", decode: "Decode" } });
// @ts-expect-error: it takes nothing
element.step(2);

// Events, where they come from and where they arrive.
element.addEventListener("generation-pass", function ({ detail }) {
  const pass: Pass = detail;
  const probability: number = pass.token.probability;
  void [probability, this, pass.under({ method: "top-k" })?.kept];
});
element.addEventListener("click", ({ clientX }) => void clientX);
document.addEventListener("generation-stop", ({ detail }) => {
  const stop: Stop = detail;
  if (stop.reason === "stop-string") void stop.match?.length;
});
window.addEventListener("generation-error", ({ detail: { code, message } }) => {
  const texts: string[] = [code, message];
  void texts;
});
const listener = ({ detail }: CustomEvent<Moment>) => {
  const next: "prefill" | "decode" | "restart" = detail.next;
  const layers: number = detail.config.n_layer;
  void [next, layers, detail.log.at(-1)?.index, detail.prompt[0]?.supported];
};
element.addEventListener("generation-moment", listener);
element.removeEventListener("generation-moment", listener);
// @ts-expect-error: this event tells of a pass
element.addEventListener("generation-pass", listener);
// @ts-expect-error: a pass has no such field
element.addEventListener("generation-pass", ({ detail }) => detail.tokens);

// A class of one's own.
class Mine extends GenerationLoopElement {
  again(): unknown {
    return this.ready.then((mine) => mine.again);
  }
}
customElements.define("my-loop", Mine);
