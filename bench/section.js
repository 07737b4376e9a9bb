/** What a section of the benchmark is, and how its results are kept beside those of the others. */

/**
 * What the command line asks of it.
 * @typedef {object} Options
 * @property {boolean} smoke as little as shows that it runs: of code that has hardly run, times say nothing
 * @property {string[]} [shapes] names of `passes.js`
 */

/**
 * @typedef {object} Section
 * @property {string} name
 * @property {(host: import("./host.js").Host, options: Options) => Promise<any>} measure its results, with the host's stamp
 * @property {(results: any) => string} report them as they are printed
 */

/**
 * The sections that the command line asks for, and the rest of what it says.
 * @param {readonly string[]} args
 * @param {readonly string[]} sections names of all that there are
 * @param {readonly string[]} shapes likewise
 * @returns {{ only: string[] } & Options}
 * @throws {Error} where it asks for something that there is not
 */
export function asked(args, sections, shapes) {
  /** @type {{ only: string[] } & Options} */
  const found = { only: [...sections], smoke: false };
  const names = (/** @type {string | undefined} */ list, /** @type {readonly string[]} */ all) => {
    const given = list?.split(",") ?? [];
    const unknown = given.find((name) => !all.includes(name));
    if (given.length === 0 || unknown !== undefined)
      throw new Error(`no ${unknown ?? "name after the last word"}; there are ${all.join(", ")}`);
    return given;
  };
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--smoke") found.smoke = true;
    else if (word === "--only") found.only = names(rest.shift(), sections);
    else if (word === "--shapes") found.shapes = names(rest.shift(), shapes);
    else
      throw new Error(
        `no ${word}; there are --only ${sections.join(",")}, --shapes ${shapes.join(",")}, --smoke`,
      );
  }
  return found;
}

/**
 * Results with one section's new ones; those of the others stay.
 * @param {string | null} text of the file as it was, if there was one
 * @param {string} section
 * @param {any} results
 */
export function merged(text, section, results) {
  const before = text === null ? {} : JSON.parse(text);
  return `${JSON.stringify({ ...before, [section]: results }, null, 1)}\n`;
}
