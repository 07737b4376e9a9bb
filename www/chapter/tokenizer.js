/** A look at how a sub-word tokenizer would cut the reader's own prompt. */

import { html, nothing, render } from "lit";
import { live } from "lit/directives/live.js";
import { Cutter } from "./cutter.js";
import { counted, heard } from "./tokens.js";

/** How long a reader who types is waited for, in milliseconds. */
const PAUSE = 150;

/**
 * @typedef {object} State
 * @property {string} text
 * @property {boolean} own whether it is the reader's, and no longer the widget's prompt
 * @property {boolean} open whether the cut is wanted
 * @property {{ cut: import("./tokens.js").Cut, text: string } | null} last what was cut last
 * @property {string | null} error
 */

/** @param {HTMLElement} place */
export function tokenizer(place) {
  const widget = /** @type {(HTMLElement & { prompt?: string }) | null} */ (
    document.querySelector("generation-loop")
  );
  /** @type {State} */
  const state = { text: "", own: false, open: false, last: null, error: null };
  const cutter = new Cutter({
    cut: (cut, text) => set({ last: { cut, text } }),
    failed: (error) => set({ error, open: false }),
  });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let pause;

  /** @param {Partial<State>} change */
  function set(change) {
    Object.assign(state, change);
    render(figure(state, actions), place);
  }

  function ask() {
    clearTimeout(pause);
    if (state.open && state.text !== "") cutter.ask(state.text);
  }

  /** @param {Partial<State>} change of the text */
  function change(change) {
    set(change);
    clearTimeout(pause);
    pause = setTimeout(ask, PAUSE);
  }

  const actions = {
    write: (/** @type {string} */ text) => change({ text, own: true }),
    follow: () => change({ text: widget?.prompt ?? "", own: false }),
    toggle() {
      set({ open: !state.open, error: null });
      ask();
    },
  };

  widget?.addEventListener("generation-moment", () => {
    const text = widget.prompt ?? "";
    if (!state.own && text !== state.text) change({ text });
  });
  place.replaceChildren();
  // The element may not have been made yet.
  set({ text: widget?.prompt ?? widget?.getAttribute("prompt") ?? "" });
}

/**
 * @param {State} state
 * @param {{ write: (text: string) => void, follow: () => void, toggle: () => void }} actions
 */
function figure(state, { write, follow, toggle }) {
  const { text, own, open, error } = state;
  return html`
    <div class="row">
      <label for="tokenizer-text">${own ? "Your text" : "The prompt of the widget"}</label>
      <textarea
        id="tokenizer-text"
        rows="2"
        spellcheck="false"
        autocapitalize="off"
        .value=${live(text)}
        @input=${(/** @type {Event} */ event) => write(/** @type {HTMLTextAreaElement} */ (event.target).value)}
      ></textarea>
    </div>
    <p class="buttons">
      <button type="button" class="primary" aria-expanded=${open} aria-controls="tokenizer-cut" @click=${toggle}>
        ${open ? "Hide how GPT-2 would cut it" : "Show how GPT-2 would cut it"}
      </button>
      ${own ? html`<button type="button" @click=${follow}>Take the widget’s prompt</button>` : nothing}
      ${open ? nothing : html`<span class="note">loads GPT-2’s vocabulary, half a megabyte, from this site</span>`}
    </p>
    <div id="tokenizer-cut">
      <p class="count" role="status">${error === null ? said(state) : nothing}</p>
      ${
        error === null
          ? nothing
          : html`<p class="error" role="alert">
              The tokenizer could not be loaded (${error}). Check the connection, then press the button again.
            </p>`
      }
      ${open && text !== "" ? drawn(state) : nothing}
    </div>
  `;
}

/** @param {State} state */
function said({ text, open, last }) {
  if (!open) return nothing;
  if (text === "") return "There is no text, so there are no tokens. Write something above.";
  if (last?.text === text) return counted(last.cut);
  return last === null ? "Loading the tokenizer…" : "Cutting…";
}

/** @param {State} state */
function drawn({ text, last }) {
  if (last === null) return nothing;
  const { pieces, tokens } = last.cut;
  const more = tokens - pieces.length;
  return html`<div class="pieces-pane" tabindex="0" role="group" aria-label="How GPT-2 would cut it">
    <ol class=${`pieces${last.text === text ? "" : " old"}`} role="list" aria-label="Tokens with their ids">
      ${pieces.map(
        (piece) => html`<li>
          <span class=${`piece${piece.text === null ? " bytes" : ""}`} aria-hidden="true">${piece.symbol}</span
          ><span class="heard">${heard(piece)},</span><span class="id">${piece.id}</span>
        </li>`,
      )}
      ${more > 0 ? html`<li class="more">and ${more.toLocaleString("en")} more</li>` : nothing}
    </ol></div>
    ${
      pieces.some((piece) => piece.text === null)
        ? html`<p class="note">Digits and letters like F0 are bytes: GPT-2 cuts a character that it has no token for into its bytes.</p>`
        : nothing
    }`;
}
