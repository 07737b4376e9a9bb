/** Where the keyboard's focus goes when what had it is gone: a Tab would begin at the top of the page otherwise. */

export class Focus {
  #onCard = false;
  #inside = false;

  /** Before an update. @param {ShadowRoot} root */
  note({ activeElement }) {
    this.#onCard = Boolean(activeElement?.closest(".card"));
    this.#inside = activeElement !== null;
  }

  /** After it. @param {ShadowRoot} root */
  mend(root) {
    const { activeElement } = root;
    // A button that can do nothing more keeps the focus from what can, and so does one that went away with its row of the log,
    // with the run to recall, or with a load that has begun or ended: what came in that one's place has it.
    const isIdle = activeElement instanceof HTMLButtonElement && activeElement.disabled;
    const isGone = activeElement === null && this.#inside;
    if (!isIdle && !isGone) return;
    const place = this.#onCard && isGone ? ".card button, .card input" : ".transport button:enabled";
    /** @type {HTMLElement | null} */ (root.querySelector(place))?.focus();
  }
}
