/**
 * Loads the library when the first `<generation-loop>` of the page comes near the screen: a page whose widget stands far down, or is
 * never reached, has nothing to fetch but this. Elements in shadow roots are not looked for.
 */

const TAG = "generation-loop";

function watch() {
  const near = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      near.disconnect();
      later.disconnect();
      import("./index.js");
    },
    // As far from the screen as an element begins to load that is defined already.
    { rootMargin: "100%" },
  );
  const look = () => {
    for (const element of document.getElementsByTagName(TAG)) near.observe(element);
  };
  // Pages that are made by a program have their elements later.
  const later = new MutationObserver(look);
  look();
  later.observe(document, { childList: true, subtree: true });
}

// A server that renders the page has nothing to watch.
if (typeof document !== "undefined" && customElements.get(TAG) === undefined) watch();
