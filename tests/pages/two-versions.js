/** Registers the class of the version that came second by another name. */

const { GenerationLoopElement: First } = await import("../../dist/generation-loop.js");
const { GenerationLoopElement: Second } = await import("../../other/generation-loop.js");
const winner = customElements.get("generation-loop");
document.body.dataset.winner = [First, Second].map((Class) => Class === winner).join();
customElements.define("another-loop", Second);
