/** What the editor begins with, the hints, and a solution. */

export const SKELETON = `const END_OF_TEXT = 0;

async function* generate(prompt, maxNew) {
  const tokens = [...prompt];
  let passes = 0;

  // TODO: make passes with await forward(tokens), count them,
  // and yield each token as it comes.

  return passes;
}
`;

export const HINTS = Object.freeze([
  "A while loop that goes on while fewer than maxNew tokens are out. Each time round: one pass, one more on the count, one token.",
  "Look at the token before you yield it. If it is END_OF_TEXT, leave the loop with break; the pass that gave it counts all the same.",
  "Yield the token right after its pass, and then append it with tokens.push(token): the next pass needs it, and tokens is a copy, so the prompt stays as it was.",
]);

export const SOLUTION = `const END_OF_TEXT = 0;

async function* generate(prompt, maxNew) {
  const tokens = [...prompt];
  let passes = 0;

  while (tokens.length < prompt.length + maxNew) {
    const token = await forward(tokens);
    passes += 1;
    if (token === END_OF_TEXT) break;
    yield token;
    tokens.push(token);
  }

  return passes;
}
`;
