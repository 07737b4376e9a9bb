/** Registers the class of the version that came second, whose module registers nothing, by another name. */

const { GenerationLoopElement: First } = await import("../../dist/generation-loop.js");
const { GenerationLoopElement: Second } = await import("../../other/generation-loop.js");
const winner = customElements.get("generation-loop");
document.body.dataset.winner = [First, Second].map((Class) => Class === winner).join();

const { GenerationLoopElement } = await import("../../other/modules/element.js");
customElements.define("another-loop", GenerationLoopElement);
