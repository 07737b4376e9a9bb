/** The models that a reader can choose, and how they are told apart. */

import { GenerationError } from "./errors.js";

/**
 * What a model is called, in any language: an address, the name of its file, or that of one without either.
 * @param {unknown} model a value of the `model` setting
 */
export function nameOfModel(model) {
  if (typeof model === "string") return model;
  const { weights } = /** @type {{ weights?: unknown }} */ (model ?? {});
  if (typeof weights === "string") return weights;
  return weights instanceof File ? weights.name : "own";
}

/**
 * A checkpoint from the files that a reader chose or dropped.
 * @param {readonly File[]} files
 * @throws {GenerationError} `wrong-files`
 */
export function checkpointFrom(files) {
  const ending = (/** @type {string} */ end) => files.filter(({ name }) => name.toLowerCase().endsWith(end));
  const [configs, weights] = [ending(".json"), ending(".safetensors")];
  if (files.length === 2 && configs.length === 1 && weights.length === 1) {
    return { config: configs[0], weights: weights[0] };
  }
  const found = files.map(({ name }) => name).join(", ") || "none";
  throw new GenerationError(
    "wrong-files",
    `a model is two files, chosen together: config.json and model.safetensors; these are ${found}`,
  );
}
