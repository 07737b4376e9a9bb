/** GPT-2's tokenizer, in a worker: a text comes, and how it is cut goes back. */

import { encode, vocabulary } from "./gpt2.js";
import { cutOf } from "./tokens.js";

addEventListener("message", (/** @type {MessageEvent<string>} */ { data }) => {
  try {
    postMessage({ cut: cutOf(data, encode, vocabulary) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
});
