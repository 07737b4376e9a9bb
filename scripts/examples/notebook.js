/** The pages on which a notebook's cell ends up, made without Jupyter: its output, put there as Jupyter's programs do. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "../run.js";

/**
 * The HTML that the cell of a notebook has put out.
 * @param {string} path of the notebook
 */
function outputOf(path) {
  const { cells } = JSON.parse(readFileSync(path, "utf8"));
  const cell = cells.find((/** @type {any} */ { cell_type }) => cell_type === "code");
  const html = cell.outputs[0].data["text/html"].join("");
  // What is saved with the notebook is what its code says, or a reader would see something else than they can run.
  if (!cell.source.join("").includes(html))
    throw new Problem(`${path}: the output is not what the cell makes`);
  return html;
}

/** @param {string} head @param {string} content */
const page = (head, content) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A notebook</title>
<link rel="icon" href="data:,">
${head}
<div class="jp-RenderedHTMLCommon jp-RenderedHTML jp-OutputArea-output" data-mime-type="text/html">${content}</div>
</html>
`;

/**
 * Writes `export.html`, which holds the output as `jupyter nbconvert --to html` writes it, and `live.html`, which shows it as
 * JupyterLab does when the cell is run: HTML that is assigned runs no script, so each is replaced by one that does.
 * @param {string} folder of the example
 * @param {(html: string) => string} edit
 */
export function writePages(folder, edit) {
  const html = edit(outputOf(join(folder, "widget.ipynb")));
  writeFileSync(join(folder, "export.html"), page("", html));
  writeFileSync(join(folder, "live.html"), page('<script defer src="live.js"></script>', ""));
  const live = (/** @type {string} */ source) => {
    const host = /** @type {Element} */ (document.querySelector(".jp-RenderedHTML"));
    host.innerHTML = source;
    for (const still of [...host.querySelectorAll("script")]) {
      const script = document.createElement("script");
      for (const { name, value } of still.attributes) script.setAttribute(name, value);
      script.textContent = still.textContent;
      still.replaceWith(script);
    }
  };
  writeFileSync(join(folder, "live.js"), `(${live})(${JSON.stringify(html)});\n`);
}
