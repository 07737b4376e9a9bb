/** How the code looks in the editor: in the page's own colours, which reach it as custom properties. */

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const surface = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "transparent", fontSize: "14px" },
  "&.cm-focused": { outline: "2px solid var(--link)", outlineOffset: "2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { padding: "12px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 8px 0 4px" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--muted)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "36px", padding: "0 8px 0 4px" },
  "&.cm-focused .cm-matchingBracket, .cm-matchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--edge)",
  },
  "&.cm-focused .cm-nonmatchingBracket, .cm-nonmatchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--alarm)",
  },
});

const { comment, keyword, string, number, bool, special, operatorKeyword, typeName } = tags;

const highlighting = HighlightStyle.define([
  { tag: comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: [keyword, operatorKeyword], color: "var(--code-keyword)" },
  { tag: [string, special(string), number, bool], color: "var(--code-literal)" },
  { tag: typeName, color: "var(--muted)" },
]);

export const theme = [surface, syntaxHighlighting(highlighting)];
