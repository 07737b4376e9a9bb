/**
 * The questions of "Check yourself": an answer, a few mistakes that people make, and a reason behind each. Every number that
 * the formulas give comes from them.
 */

import { bytesReadOf, flopsOf } from "../flops.js";
import { costOfReply, flopsPerByte, GPT2, SHOWN } from "./replies.js";
import { rounded, whole } from "./wording.js";

/**
 * @typedef {object} Option
 * @property {string} id
 * @property {string} text
 * @property {string} reason why it is right, or why not
 * @property {boolean} [right]
 */

/**
 * @typedef {object} Question
 * @property {string} id
 * @property {string} ask
 * @property {readonly Option[]} options
 */

/** Tokens of a prompt that is called long here, and of one that is called short. */
const [LONG, SHORT] = [500, 50];

/** The prompt that stands in the widget, in tokens. */
const PROMPT = 11;

const billions = (/** @type {number} */ value) => `${rounded(value / 1e9)} billion`;

const prefill = (/** @type {number} */ length) => /** @type {const} */ ({ phase: "prefill", length });
const decode = (/** @type {number} */ length) => /** @type {const} */ ({ phase: "decode", length });

const longReply = costOfReply(GPT2, SHORT, LONG);
const longPrompt = costOfReply(GPT2, LONG, SHORT);
const longPrefill = flopsOf(GPT2, prefill(LONG));
const nextDecode = flopsOf(GPT2, decode(LONG + 1));
const shownPrefill = whole(flopsOf(SHOWN, prefill(PROMPT)));

/** A reply in the middle of which somebody stands. */
const REPLY = 200;
const replyPasses = whole(costOfReply(SHOWN, 1, REPLY).passes);

/** @type {readonly Question[]} */
export const QUESTIONS = [
  {
    id: "distribution",
    ask: "What comes out of one forward pass?",
    options: [
      {
        id: "rest",
        text: "The rest of the reply, of which only the first token is shown",
        reason:
          "A pass knows nothing of the rest. What can come second depends on which token is taken first, and that is settled after the pass.",
      },
      {
        id: "decided",
        text: "The next token, the one that the model has decided on",
        reason:
          "The model decides nothing. Which token is taken is settled after the pass, by a rule: the likeliest one, or a draw.",
      },
      {
        id: "distribution",
        text: "A probability for each token of the vocabulary, to come next",
        reason: `In the model on this page that is ${whole(SHOWN.vocab_size)} probabilities, which sum to 1. From this distribution one token is taken, and goes into the next pass.`,
        right: true,
      },
      {
        id: "sentence",
        text: "A piece of text, which is then cut up into tokens",
        reason:
          "It is the other way round: tokens are all that the model knows, and the text is put together from them.",
      },
    ],
  },
  {
    id: "shape",
    ask: "Which of these changes how many floating-point operations a pass takes?",
    options: [
      {
        id: "shape",
        text: "The number of tokens that go in",
        reason: `The formula has two kinds of numbers in it: the shape of the model (its layers, widths and vocabulary), and how many tokens go in and are in the context. A prefill of ${whole(PROMPT)} tokens takes ${shownPrefill} operations in the model on this page, whichever tokens they are.`,
        right: true,
      },
      {
        id: "training",
        text: "How well the model has been trained",
        reason: `Training changes the values of the weights, and not how many there are. The trained and the untrained model of this page have one shape: ${shownPrefill} operations for ${whole(PROMPT)} tokens, both.`,
      },
      {
        id: "content",
        text: "How hard the question is that the prompt asks",
        reason:
          "A pass goes through the same matrices for a riddle and for a row of the letter a. A hard question costs more only if the reply to it gets longer.",
      },
      {
        id: "sampling",
        text: "Whether the next token is taken greedily or drawn",
        reason:
          "The token is taken after the pass, from the distribution that it has brought. The pass is the same either way.",
      },
    ],
  },
  {
    id: "first-token",
    ask: `You send a prompt of ${whole(LONG)} tokens. The first token of the reply takes longer to come than any later one. Why?`,
    options: [
      {
        id: "plan",
        text: "The model plans the whole reply before it begins to write",
        reason:
          "There is no pass for a plan. Where a model does write down thoughts before it answers, those are tokens too, and each takes a pass.",
      },
      {
        id: "prefill",
        text: "The first pass takes in the whole prompt, and each later one a single token",
        reason: `In the shape of GPT-2 small, a prefill of ${whole(LONG)} tokens is about ${whole(longPrefill / nextDecode)} times the arithmetic of the decode after it; and all of it lies before the first token.`,
        right: true,
      },
      {
        id: "guess",
        text: "The first token is the hardest one to guess",
        reason:
          "A pass works out the same distribution over the whole vocabulary, by the same operations, be the next token easy to guess or hard.",
      },
      {
        id: "load",
        text: "The weights have to be loaded for each new question",
        reason:
          "They are loaded once, when the model starts, and serve one question after another. A prefill reads the same weights as a decode.",
      },
    ],
  },
  {
    id: "lengths",
    ask: `Ann sends ${whole(SHORT)} tokens and gets a reply of ${whole(LONG)}. Ben sends ${whole(LONG)} tokens and gets a reply of ${whole(SHORT)}. On the same machine, whose reply takes longer to be complete?`,
    options: [
      {
        id: "question",
        text: `Ben’s, because the model has to read ${whole(LONG)} tokens before it can begin`,
        reason: `Ben does wait longer for his first token. But his ${whole(LONG)} tokens go in together, in one pass, and Ann’s reply of ${whole(LONG)} takes a pass for each.`,
      },
      {
        id: "same",
        text: `Neither, because it is ${whole(LONG + SHORT)} tokens for both`,
        reason: `The arithmetic is indeed nearly the same: about ${billions(longReply.flops)} operations for Ann and ${billions(longPrompt.flops)} for Ben, in the shape of GPT-2 small. But Ann’s come in ${whole(longReply.passes)} passes, and each of these reads all the weights.`,
      },
      {
        id: "content",
        text: "It depends on what the two of them ask",
        reason:
          "What they ask can change how long a reply gets, and that is given here. It does not change what a pass costs.",
      },
      {
        id: "reply",
        text: "Ann’s, because her reply is longer",
        reason: `It takes ${whole(longReply.passes)} passes one after another, end-of-text included, and Ben’s takes ${whole(longPrompt.passes)}. In the shape of GPT-2 small, Ann’s passes read about ${billions(longReply.bytes)} bytes of weights and cache, and Ben’s ${billions(longPrompt.bytes)}.`,
        right: true,
      },
    ],
  },
  {
    id: "gpus",
    ask: `A reply of ${whole(REPLY)} tokens: could ${whole(REPLY)} GPUs make one token each, all at the same time?`,
    options: [
      {
        id: "copies",
        text: "Yes, if each of them has a copy of the model",
        reason:
          "A copy of the model is not what is missing. The GPU that is to make the third token needs the second as its input, and nobody has that one yet.",
      },
      {
        id: "order",
        text: "No, because each token needs the one before it",
        reason: `A pass takes in the token that the pass before it brought, so that the ${replyPasses} passes can only come one after another. More GPUs can make each pass shorter, or serve ${whole(REPLY)} readers at once.`,
        right: true,
      },
      {
        id: "prefill",
        text: "Yes, in the way in which a prefill takes in many tokens at once",
        reason:
          "A prefill can do that because all tokens of the prompt are known before it begins. Those of the reply are what is to be found out.",
      },
      {
        id: "cables",
        text: "No, because it takes too long to send tokens from one GPU to another",
        reason:
          "No is right, but not for this. A token is one number, and soon sent; if sending took no time at all, the third token would still have to wait for the second.",
      },
    ],
  },
  {
    id: "streaming",
    ask: "A chat shows its reply token by token. What would change if it showed the reply only once it is complete?",
    options: [
      {
        id: "sooner",
        text: "It would be complete sooner, because showing each token takes time",
        reason:
          "To show a token is next to nothing beside a pass. All passes have to be made, seen or unseen.",
      },
      {
        id: "typed",
        text: "Nothing, because the text is complete from the start and only typed out slowly",
        reason:
          "There is no complete text to type out. When a token appears, the pass for the one after it has yet to be made.",
      },
      {
        id: "once",
        text: "One pass could bring the whole reply",
        reason: "How a reply is shown does not change how it is made. A pass brings one token.",
      },
      {
        id: "wait",
        text: "You would see nothing until the last token, which comes as late as before",
        reason:
          "Streaming hands each token on as soon as its pass has brought it. Without it the wait for the first token is as long as for the last; the total stays the same.",
        right: true,
      },
    ],
  },
  {
    id: "cache",
    ask: "What does the KV cache do?",
    options: [
      {
        id: "arithmetic",
        text: "It saves arithmetic in each decode, and takes memory",
        reason: `Keys and values of the tokens before are kept, and not computed again. That takes room: ${whole(bytesReadOf(GPT2, 1).cache)} bytes for each token in the context, in the shape of GPT-2 small. The tokens of the reply stay the same.`,
        right: true,
      },
      {
        id: "passes",
        text: "It lets a reply get by with fewer passes",
        reason: `The passes are as many as without it. Each decode costs less: with ${whole(PROMPT + 1)} tokens in the context ${whole(flopsOf(SHOWN, decode(PROMPT + 1)))} operations in the model on this page, and ${whole(flopsOf(SHOWN, prefill(PROMPT + 1)))} without the cache.`,
      },
      {
        id: "replies",
        text: "It keeps replies, so that a question that was asked before is answered at once",
        reason:
          "It keeps no replies and no text, only keys and values of the tokens in this context. Each new token takes its pass.",
      },
      {
        id: "tokens",
        text: "It gains time, at the price of slightly different tokens",
        reason:
          "What it keeps are the very numbers that would be computed again. The tokens are the same: switch the cache off in the widget, and compare.",
      },
    ],
  },
  {
    id: "workloads",
    ask: "Prefill and decode use the same weights. Why does arithmetic hold up a long prefill, and memory a decode?",
    options: [
      {
        id: "context",
        text: "A decode does more arithmetic, because it looks at all tokens before it",
        reason: `It does far less. In the shape of GPT-2 small, a decode with ${whole(LONG + 1)} tokens in its context takes about ${billions(nextDecode)} operations, and a prefill of ${whole(LONG)} about ${billions(longPrefill)}.`,
      },
      {
        id: "draw",
        text: "A decode draws a token, which a prefill does not",
        reason:
          "A prefill brings a token as well, drawn in the same way. And a draw is small work beside a pass.",
      },
      {
        id: "bytes",
        text: "A prefill uses each weight that it reads for many tokens, a decode for one",
        reason: `Both read all the weights. In the shape of GPT-2 small, a prefill of ${whole(LONG)} tokens does about ${rounded(flopsPerByte(GPT2, prefill(LONG)))} operations for each byte that it reads, and the decode after it about ${rounded(flopsPerByte(GPT2, decode(LONG + 1)))}: it spends its time waiting for bytes.`,
        right: true,
      },
      {
        id: "attention",
        text: "A prefill needs no attention, because the cache is still empty",
        reason:
          "Each token of the prompt attends to those before it, in the same pass. It is the prefill that fills the cache.",
      },
    ],
  },
  {
    id: "seed",
    ask: "A run is sampled with temperature. What does its seed fix?",
    options: [
      {
        id: "reply",
        text: "The reply, whatever the prompt is",
        reason: "After another prompt the distributions are others, and the same draws fall on other tokens.",
      },
      {
        id: "draws",
        text: "The draws that pick a token from each distribution",
        reason:
          "Each pass has one draw, a number between 0 and 1. With the same model, prompt and settings the same draws pick the same tokens, and the run repeats.",
        right: true,
      },
      {
        id: "probabilities",
        text: "The probabilities that the draws are made from",
        reason:
          "Those come from the weights and from the tokens so far. They are there before anything is drawn.",
      },
      {
        id: "weights",
        text: "The weights, for as long as the run goes on",
        reason: "No run changes a weight. They are what training has left, and every run uses the same ones.",
      },
    ],
  },
];
