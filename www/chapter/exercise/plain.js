/** A plain field for the code, where the editor does not load. */

/**
 * @param {HTMLElement} place
 * @param {import("./editor.js").Wishes} wishes
 * @returns {import("./editor.js").Editor}
 */
export function openPlain(place, { text, label, onChange, onRun }) {
  const field = document.createElement("textarea");
  field.value = text;
  field.rows = 18;
  field.spellcheck = false;
  field.autocapitalize = "off";
  field.setAttribute("aria-label", label);
  field.addEventListener("input", onChange);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onRun();
  });
  place.append(field);
  return {
    read: () => field.value,
    write: (next) => {
      field.value = next;
      onChange();
    },
    focus: () => field.focus(),
  };
}
