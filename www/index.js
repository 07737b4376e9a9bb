/** Importing this file defines `<generation-loop>`; loading it twice, from wherever, changes nothing. */
import { GenerationLoopElement } from "./element.js";

export { GenerationLoopElement };

if (typeof customElements !== "undefined" && customElements.get("generation-loop") === undefined) {
  customElements.define("generation-loop", GenerationLoopElement);
}
