/** Where an element is, seen from the screen: near it, or on it. */

/** How far from the screen something is near: a screen away. */
const NEAR = "100%";

export class Sight {
  #element;
  #near;
  #seen;
  /** Whether any of it is on the screen; until the browser has looked, it is. */
  #onScreen = true;
  #told;

  /**
   * @param {Element} element
   * @param {object} listener
   * @param {() => void} listener.near is called when the element comes near the screen
   * @param {(visible: boolean) => void} listener.seen is called when somebody may have begun or ceased to see it
   */
  constructor(element, { near, seen }) {
    this.#element = element;
    this.#near = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && near(), {
      rootMargin: NEAR,
    });
    this.#told = () => seen(this.#onScreen && document.visibilityState === "visible");
    this.#seen = new IntersectionObserver((entries) => {
      this.#onScreen = entries[entries.length - 1].isIntersecting;
      this.#told();
    });
  }

  watch() {
    this.#near.observe(this.#element);
    this.#seen.observe(this.#element);
    document.addEventListener("visibilitychange", this.#told);
  }

  leave() {
    this.#near.disconnect();
    this.#seen.disconnect();
    document.removeEventListener("visibilitychange", this.#told);
  }
}
