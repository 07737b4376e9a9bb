/** Every word of the widget, in English. What another language has to say is what stands here, key by key. */

/**
 * @param {string} one
 * @param {string} many
 */
const plural = (one, many) => (/** @type {string} */ shown, /** @type {number} */ value) =>
  `${shown} ${value === 1 ? one : many}`;

/** What the tables of other languages are held to. @typedef {typeof table} Table */

const table = {
  /** Counted things: the number as it is shown, and as it is. */
  unit: {
    token: plural("token", "tokens"),
    candidate: plural("candidate", "candidates"),
    block: plural("block", "blocks"),
    head: plural("head", "heads"),
    parameter: plural("parameter", "parameters"),
    pass: plural("pass", "passes"),
    forward: plural("forward pass", "forward passes"),
    decode: plural("decode", "decodes"),
  },
  /** Tokens that cannot be seen, and punctuation that most screen readers pass over. */
  spoken: {
    "": "end of text",
    " ": "space",
    "\n": "newline",
    ".": "full stop",
    ",": "comma",
    "!": "exclamation mark",
    "?": "question mark",
    "'": "apostrophe",
    '"': "quotation mark",
    "-": "hyphen",
    ":": "colon",
    ";": "semicolon",
    "(": "opening parenthesis",
    ")": "closing parenthesis",
    "[": "opening bracket",
    "]": "closing bracket",
    _: "underscore",
  },
  phase: { prefill: "prefill", decode: "decode" },
  method: { greedy: "greedy", temperature: "temperature", "top-k": "top-k", "top-p": "top-p" },
  speed: { slow: "slow", steady: "steady", fast: "fast", instant: "instant" },
  /** What models are called that have no address and no file name. */
  weights: { trained: "trained", untrained: "untrained", own: "your own" },
  origin: {
    trained: "Trained on short sentences from a small grammar of plain English.",
    untrained: "Random numbers: it has never seen a text.",
    own: "Your own weights: they stay on this device, nothing is uploaded.",
  },
  prompt: {
    label: "Prompt",
    count: (/** @type {string} */ tokens, /** @type {string} */ most) =>
      `${tokens} of at most ${most} tokens`,
    plain: "Capitals, curly quotes and the like are read as their plain forms.",
  },
  model: {
    label: "Model",
    shape: (
      /** @type {string} */ blocks,
      /** @type {string} */ heads,
      /** @type {number} */ width,
      /** @type {string} */ tokens,
      /** @type {string} */ parameters,
    ) => `GPT-2 architecture: ${blocks}, ${heads}, width ${width}, ${tokens}; ${parameters}.`,
    still: "No worker can be started here: the page stands still while a pass is made.",
    open: "Open your own…",
    files: "config.json and model.safetensors; they stay on this device",
    loading: (/** @type {string} */ name) => `Loading ${name}`,
    dots: "…",
    part: (/** @type {string} */ loaded, /** @type {string} */ total) => `: ${loaded} of ${total} MB`,
    cancel: "Cancel",
  },
  settings: {
    sampling: "Sampling",
    temperature: "Temperature",
    topK: "Top k",
    topP: "Top p",
    slider: (/** @type {string} */ label) => `${label}, slider`,
    seed: "Seed",
    newSeed: "New seed",
    limit: "Length limit",
    limits: (/** @type {number} */ context) => `tokens with the prompt, 2 to ${context}, or none`,
    stop: "Stop string",
    none: "none",
    cache: "KV cache",
    on: "on",
    off: "off: all again",
  },
  strip: {
    label: "Tokens",
    prompt: (/** @type {string} */ tokens) => `Prompt: ${tokens}, not processed yet`,
    processed: (/** @type {string} */ tokens) => `Prompt: ${tokens}, processed`,
    more: (/** @type {string} */ cells) => `and ${cells} more`,
    generated: (/** @type {string} */ tokens) => `Generated: ${tokens}`,
    legend: "Legend",
    green: "green is prompt (prefill)",
    blue: "blue is generated (decode)",
    newest: "the newest",
    ended: "ended the run",
  },
  transport: {
    making: (/** @type {number} */ pass) => `Making pass ${pass}…`,
    prefill: (/** @type {string} */ tokens) => `Prefill ${tokens}`,
    decode: "Decode 1 token",
    restart: "Start over",
    run: "Run",
    pause: "Pause",
    speed: "Speed",
    back: "Back",
    reset: "Reset",
    most: (/** @type {string} */ passes) => `at most ${passes}`,
    progress: (/** @type {number} */ pass, /** @type {number} */ most) => `pass ${pass} of at most ${most}`,
  },
  outcome: {
    stopped: "Stopped:",
    total: (/** @type {string} */ passes, /** @type {string} */ decodes) => `${passes}: 1 prefill${decodes}.`,
  },
  /** Why a run ended: with the tokens of the text, or the string that was completed. */
  stop: {
    "end-of-text": () => "the model sampled the end-of-text token",
    "stop-string": (/** @type {string} */ text) => `the stop string “${text}” was completed`,
    "max-tokens": (/** @type {string} */ tokens) => `the length limit of ${tokens} was reached`,
    "context-full": (/** @type {string} */ tokens) => `the model’s context of ${tokens} is full`,
  },
  log: {
    open: (/** @type {number} */ pass) => `Pass ${pass}: what it cost, operation by operation`,
    label: "Step log",
    about: "one row per forward pass; cost in FLOPs",
    pass: "pass",
    phase: "phase",
    tokensIn: "tokens in",
    context: "context",
    flops: "FLOPs",
    total: "total so far",
    uncached: "without cache",
    token: "token",
    empty: "Nothing has been processed yet.",
    shape: "The cost follows from the shape alone: what the weights are does not change it.",
    same: (/** @type {string} */ name, /** @type {number} */ passes) =>
      `The ${name} weights cost the same in ${passes === 1 ? "pass 1" : `passes 1 to ${passes}`}: FLOPs follow from the shape alone.`,
  },
  cost: {
    label: "Cost",
    about: "what the KV cache saves",
    each: "FLOPs of each pass",
    total: "FLOPs so far",
    cached: "with cache",
    asTable: "Show as a table",
    asChart: "Show as a chart",
    empty: "Each pass adds a column; grey is its cost without cache.",
    read: "Bytes read",
    bytes: (/** @type {string} */ weights, /** @type {string} */ cache, /** @type {string} */ sum) =>
      `${weights} weights + ${cache} KV cache = ${sum}`,
    perByte: "FLOPs per byte",
    time: "Time",
    short: "shorter than one step of this browser’s clock",
    worked: (/** @type {string} */ tokens) =>
      `Each weight that was read worked for ${tokens}. With few, as in a decode, a large model is memory-bound; with many, as in a prefill, arithmetic-bound.`,
  },
  /** Lists, with | between two: of the products of a pass, and of what the letters in their formulas stand for. */
  operations: {
    names: "queries, keys, values|scores|mix of values|attention output|MLP up|MLP down|head",
    sizes: "Blocks|tokens in|context|width|inner width|vocabulary",
    sum: (/** @type {string} */ flops) => `Sum: ${flops} FLOPs, the cost of this pass`,
  },
  distribution: {
    label: "Why this token",
    about: "the distribution that a pass ends with",
    greedy: (/** @type {number} */ pass) => `pass ${pass}: most likely taken`,
    random: (/** @type {number} */ pass, /** @type {string} */ candidates) =>
      `pass ${pass}: ${candidates} left`,
    empty: (/** @type {string} */ tokens) => `Each pass ends with one probability for each of ${tokens}.`,
    noDraw: (/** @type {string} */ token) => `The most likely token is taken: ${token}. Nothing is drawn.`,
    falls: (
      /** @type {string} */ draw,
      /** @type {string} */ from,
      /** @type {string} */ to,
      /** @type {string} */ token,
    ) => `u = ${draw} falls between ${from} and ${to}: ${token}`,
    preview:
      "The same pass under the new setting, which applies from the next token on. The token drawn stays.",
    token: "token",
    model: "model",
    warm: "after temperature",
    left: "drawn from",
    first: (/** @type {number} */ candidates) => `Show the first ${candidates}`,
    all: (/** @type {string} */ candidates) => `Show all ${candidates}`,
    likely: (/** @type {string} */ candidates) => `Show the ${candidates} most likely`,
    cut: "cut",
    taken: "taken",
  },
  cache: {
    label: "KV cache",
    about: (/** @type {string} */ tokens, /** @type {string} */ columns, /** @type {string} */ written) =>
      `${tokens} of ${columns} columns, ${written} new`,
    bytes: (
      /** @type {number} */ layers,
      /** @type {string} */ tokens,
      /** @type {number} */ width,
      /** @type {string} */ bytes,
    ) =>
      `2\u00a0·\u00a0L\u00a0·\u00a0T\u00a0·\u00a0D\u00a0·\u00a04\u00a0bytes = 2\u00a0·\u00a0${layers}\u00a0·\u00a0${tokens}\u00a0·\u00a0${width}\u00a0·\u00a04 = ${bytes}\u00a0bytes`,
    letters: "Each cell: the key and value of one of T tokens in one of L blocks, 2\u00a0·\u00a0D numbers.",
    off: "The cache is off: nothing is kept from pass to pass, and every column was computed anew in this one.",
    block: (/** @type {number} */ block) => `block ${block}`,
    head: (/** @type {number} */ head) => `head ${head}`,
    attention: "Attention of the newest token",
    of: (/** @type {string} */ place, /** @type {string} */ token) => `Attention of token ${place}: ${token}`,
    sum: (/** @type {string} */ tallest) =>
      `to each column; a row sums to 100%, the tallest bar is ${tallest}`,
    none: "to each column; no weights are at hand at this moment",
    which: "Block",
    column: "Column",
    largest: "largest per row",
  },
  timeline: {
    label: "Moment",
    at: (/** @type {number} */ pass, /** @type {number} */ passes) =>
      pass === 0 ? "the prompt" : `pass ${pass} of ${passes}`,
    newest: "To the newest",
    previous: "Previous run:",
    recall: "Recall it",
  },
  both: {
    run: "Run both: with the cache and without",
    result: (
      /** @type {string} */ cached,
      /** @type {string} */ uncached,
      /** @type {string} */ ratio,
      /** @type {string} */ passes,
    ) =>
      `${passes}, made both ways: ${cached} FLOPs with the cache, ${uncached} without, ${ratio} times as many.`,
    same: "Every token and every logit is the same, bit for bit.",
    differs: "The tokens or logits differ: this should not be.",
  },
  waiting: {
    loading: "Loading the model…",
    again: "Load the model again",
    trained: "Use the trained model",
  },
  announce: {
    loaded: (/** @type {string} */ name) => `Loaded: ${name}.`,
    cancelled: "Loading was cancelled.",
    possible: "The prompt can be processed.",
    running: "Running.",
    paused: "Paused.",
    start: "Back to the prompt.",
    back: (/** @type {number} */ pass) => `Back to pass ${pass}.`,
    pass: (
      /** @type {number} */ pass,
      /** @type {string} */ phase,
      /** @type {string} */ token,
      /** @type {string} */ probability,
    ) => `Pass ${pass}, ${phase}: ${token}, ${probability}.`,
  },
};

export const en = Object.freeze(table);
