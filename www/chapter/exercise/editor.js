/** The editor: CodeMirror, loaded when somebody opens it. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { typescriptLanguage } from "@codemirror/lang-javascript";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { theme } from "./theme.js";

/**
 * Where code is written; the plain field has the same face.
 * @typedef {object} Editor
 * @property {() => string} read
 * @property {(text: string) => void} write
 * @property {() => void} focus
 */

/**
 * @typedef {object} Wishes
 * @property {string} text to begin with
 * @property {string} label
 * @property {() => void} onChange
 * @property {() => void} onRun by the keyboard
 */

/**
 * Text that is typed over a selection is put in by the editor. Left to itself, Chromium joins the lines and writes styles into
 * them, which a content policy reports.
 */
const typingOver = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data }, view) => {
    const isOver = inputType === "insertText" && data !== null && !view.state.selection.main.empty;
    if (!isOver || view.composing) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/**
 * Makes the editor in an empty element. It stands in a shadow root: there its styles are adopted, where in the page they
 * would be an element of their own, which the page's content policy forbids.
 * @param {HTMLElement} place
 * @param {Wishes} wishes
 * @returns {Editor}
 */
export function openEditor(place, { text, label, onChange, onRun }) {
  const root = place.attachShadow({ mode: "open" });
  const run = () => {
    onRun();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        indentOnInput(),
        EditorView.lineWrapping,
        // The language alone, without its completions.
        typescriptLanguage,
        theme,
        typingOver,
        // Tab is left to the browser: it goes on to the next control.
        keymap.of([{ key: "Mod-Enter", run }, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged) onChange();
        }),
      ],
    }),
  });
  return {
    read: () => view.state.doc.toString(),
    write: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    focus: () => view.focus(),
  };
}
