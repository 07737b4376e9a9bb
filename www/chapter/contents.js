/** The table of contents: which section the reader is in. Without this it is a list of links, and works. */

/** The band of the screen in which a section counts as the one that is read: a line at a fifth of its height. */
const BAND = "-20% 0px -79% 0px";

/** @param {HTMLElement} place the list of links to sections */
export function contents(place) {
  const links = new Map(
    Array.from(place.querySelectorAll("a"), (link) => [link.getAttribute("href")?.slice(1) ?? "", link]),
  );
  /** @type {HTMLAnchorElement | undefined} */
  let current;
  const observer = new IntersectionObserver(
    (entries) => {
      const entered = entries.filter(({ isIntersecting }) => isIntersecting).at(-1);
      const link = entered && links.get(entered.target.id);
      if (link === undefined || link === current) return;
      current?.removeAttribute("aria-current");
      link.setAttribute("aria-current", "true");
      current = link;
      reveal(place, link);
    },
    { rootMargin: BAND },
  );
  for (const id of links.keys()) {
    const section = document.getElementById(id);
    if (section !== null) observer.observe(section);
  }
}

/**
 * Where the list is wider than the screen, it goes along. Not by `scrollIntoView`, which would move the page as well.
 * @param {HTMLElement} list
 * @param {HTMLElement} link
 */
function reveal(list, link) {
  const [of, at] = [list.getBoundingClientRect(), link.getBoundingClientRect()];
  list.scrollLeft += at.left + at.width / 2 - of.left - of.width / 2;
}
