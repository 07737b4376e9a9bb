/** One line below the strip: how the run stands, and how it ended. */

import { css, html, nothing } from "lit";
import { passesInWords, stopInWords } from "../format.js";

/**
 * @param {object} state
 * @param {import("../words.js").Words} state.words
 * @param {import("../pass.js").Stop | null} state.stop
 * @param {number} state.passes
 * @param {number} state.tokens prompt and generated tokens together
 * @param {string | null} state.error what went wrong last
 */
export function outcome({ words, stop, passes, tokens, error }) {
  return html`<p class="outcome" part="outcome">
    ${error === null ? nothing : html`<span class="error" lang=${words.errors ?? nothing}>${error}.</span><br />`}
    ${
      stop === null
        ? nothing
        : html`<strong>${words.outcome.stopped}</strong> ${stopInWords(stop, tokens, words)}. ${passesInWords(passes, words)}`
    }
  </p>`;
}

export const outcomeStyles = css`
  .outcome {
    min-height: 1.5em;
    margin: 0;
    line-height: 1.5;
  }
  /* How a run ended takes two lines there, or three: what is below stays where it is. */
  @container widget (max-width: 700px) {
    .outcome {
      min-height: 3em;
    }
  }
  @container widget (max-width: 360px) {
    .outcome {
      min-height: 4.5em;
    }
  }
`;
