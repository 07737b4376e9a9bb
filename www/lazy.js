/**
 * Loads the library when the first `<generation-loop>` of the page comes near the screen: a page whose widget stands far down, or is
 * never reached, has nothing to fetch but this. Elements in shadow roots are not looked for.
 */

const TAG = "generation-loop";

/** A link to a run is followed by the library: the reader is taken to the widget, wherever it stands. */
const isLinked = () => location.hash.startsWith(`#${TAG}?`);

function watch() {
  const near = new IntersectionObserver(
    (entries) => {
      if (isLinked() || entries.some(({ isIntersecting }) => isIntersecting)) load();
    },
    // As far from the screen as an element begins to load that is defined already.
    { rootMargin: "100%" },
  );
  const load = () => {
    near.disconnect();
    later.disconnect();
    removeEventListener("hashchange", follow);
    import("./index.js");
  };
  const follow = () => {
    if (isLinked() && document.querySelector(TAG) !== null) load();
  };
  const look = () => {
    for (const element of document.getElementsByTagName(TAG)) near.observe(element);
  };
  // Pages that are made by a program have their elements later.
  const later = new MutationObserver(look);
  look();
  addEventListener("hashchange", follow);
  later.observe(document, { childList: true, subtree: true });
}

// A server that renders the page has nothing to watch.
if (typeof document !== "undefined" && customElements.get(TAG) === undefined) watch();
