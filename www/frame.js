/**
 * The script of the page that stands in frames: gives its element the settings that the page's address says, and tells the page
 * around it how high it is.
 */

import { PADDING, parametersFrom } from "./parameters.js";
import { complaint } from "./query.js";
import { ELEMENT_SETTINGS } from "./settings.js";

/** What a frame tells the page around it, and what that page asks; `embed-host.js` is the other half. */
const TOLD = "generation-loop-height";
const ASKED = "generation-loop-height-wanted";

const template = document.querySelector("template");
const element = /** @type {HTMLElement} */ ((template?.content ?? document).querySelector("generation-loop"));
const root = document.documentElement;

const sheet = new CSSStyleSheet();
// By the object model, which no policy forbids: one file less to be put beside the page. What the widget has for screen readers
// hangs out of it, and must not have the frame scroll.
sheet.replaceSync(`
  .frame { margin: 0; font: 15px/1.4 system-ui, sans-serif; }
  .frame main { position: relative; overflow: clip; padding: ${PADDING}px; }
  .problems { padding: 4px 8px; background: #fcfbf8; background: light-dark(#fcfbf8, #17181b); color: #a3261b; color: light-dark(#a3261b, #ff9d90); font: 14px/1.4 system-ui, sans-serif; overflow-wrap: anywhere; }
  .problems p { margin: 8px 0 0; }
  .followed { scrollbar-width: none; }
`);
document.adoptedStyleSheets.push(sheet);

const { attributes, lang, colorScheme, problems } = parametersFrom(location.search, location.href);
if (lang !== null) root.lang = lang;
if (colorScheme !== null) root.style.colorScheme = colorScheme;
for (const [name, text] of attributes) element.setAttribute(name, text);
// What a link says goes before what the address says.
if (!location.hash.startsWith("#generation-loop?")) {
  element.addEventListener("generation-moment", checkWithModel, { once: true });
}
document.querySelector(".fallback")?.remove();
template?.replaceWith(element);
for (const problem of problems) say(problem);
if (window.parent !== window) tellHeight();

/** A line under the widget's place. @param {string} text */
function say(text) {
  let place = document.querySelector(".problems");
  if (place === null) {
    place = document.createElement("div");
    // Errors are in English everywhere.
    Object.assign(place, { className: "problems", lang: "en" });
    element.after(place);
  }
  const line = document.createElement("p");
  line.textContent = text;
  place.append(line);
}

/**
 * Settings that depend on the model: how much it sees, and which characters it has, is known once it is there.
 * @param {Event} event
 */
function checkWithModel(event) {
  const { config } = /** @type {CustomEvent<import("./run.js").Moment>} */ (event).detail;
  const allowed = {
    "max-tokens": `a whole number from 2 to ${config.n_positions}, or none`,
    stop: "characters that the model has",
  };
  for (const [name, range] of Object.entries(allowed)) {
    const text = attributes.find(([attribute]) => attribute === name)?.[1];
    if (text === undefined || problems.some((problem) => problem.startsWith(`${name} `))) continue;
    const [property, { read }] = /** @type {[string, { read: (text: string) => unknown }]} */ (
      Object.entries(ELEMENT_SETTINGS).find(([, { attribute }]) => attribute === name)
    );
    if (String(read(text)) === String(Reflect.get(element, property))) continue;
    say(`${complaint(name, text, new Error(`allowed: ${range}`))}. The default is used.`);
  }
}

/** Tells the page around this one how high all of it is, whenever that is another height, or when it asks. */
function tellHeight() {
  let told = 0;
  /** @param {boolean} [again] though it is the same */
  const tell = (again = false) => {
    // The root is as high as its content, whatever the height of the frame: no answer can come back as a question.
    const height = Math.ceil(root.getBoundingClientRect().height);
    // A frame that is not shown has no height.
    if (height === 0 || (height === told && !again)) return;
    told = height;
    // Whoever is around may know: it is a number, and nothing of the reader's.
    parent.postMessage({ type: TOLD, height }, "*");
  };
  new ResizeObserver(() => tell()).observe(root);
  addEventListener("message", ({ data, source }) => {
    if (source === parent && data?.type === ASKED) tell(true);
  });
  // Where the page has just followed, no scrollbar takes room: with one the content would have another width, and maybe height.
  let high = innerHeight;
  addEventListener("resize", () => {
    if (innerHeight !== high) root.classList.toggle("followed", innerHeight === told);
    high = innerHeight;
  });
}
