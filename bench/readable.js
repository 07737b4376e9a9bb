/**
 * GPT-2 as a teaching repository would write it: a matrix is an array of rows, and every function is the formula that it is
 * named after. Nothing is done for speed but the cache of keys and values.
 */

export const name = "readable JavaScript";

/** @typedef {number[]} Vector */
/** @typedef {Vector[]} Matrix */
/** @typedef {{ n_layer: number, n_head: number, n_embd: number, n_inner: number, vocab_size: number, n_positions: number, layer_norm_epsilon: number }} Config */
/** @typedef {Record<string, { shape: readonly number[], data: Float32Array }>} Weights Hugging Face's names without `transformer.` */
/** @typedef {{ gain: Vector, bias: Vector }} Norm */
/** @typedef {{ rows: Matrix, bias: Vector | null }} Linear one row per output */
/** @typedef {{ norm1: Norm, qkv: Linear, out: Linear, norm2: Norm, up: Linear, down: Linear }} Block */
/** @typedef {{ keys: Matrix, values: Matrix }} Cache one row per token */

/** @param {Vector} a @param {Vector} b */
function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** @param {Vector} a @param {Vector} b @returns {Vector} */
const add = (a, b) => a.map((value, i) => value + b[i]);

/** @param {Linear} layer @param {Vector} x @returns {Vector} */
function linear({ rows, bias }, x) {
  const product = rows.map((row) => dot(row, x));
  return bias === null ? product : add(product, bias);
}

/** @param {Norm} norm @param {Vector} x @param {number} epsilon @returns {Vector} */
function layerNorm({ gain, bias }, x, epsilon) {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  const scale = 1 / Math.sqrt(variance + epsilon);
  return x.map((value, i) => (value - mean) * scale * gain[i] + bias[i]);
}

/** @param {number} x */
function gelu(x) {
  return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
}

/** @param {Vector} scores @returns {Vector} */
function softmax(scores) {
  const max = scores.reduce((a, b) => Math.max(a, b));
  const exps = scores.map((score) => Math.exp(score - max));
  const sum = exps.reduce((a, b) => a + b);
  return exps.map((value) => value / sum);
}

/**
 * One head of one token over all tokens up to it. Their keys and values are in columns `begin` to `end` of the cache.
 * @param {Vector} query
 * @param {Cache} cache
 * @param {number} begin
 * @param {number} end
 * @returns {Vector}
 */
function attendHead(query, { keys, values }, begin, end) {
  const q = query.slice(begin, end);
  const scores = keys.map((key) => dot(q, key.slice(begin, end)) / Math.sqrt(q.length));
  const mixed = new Array(q.length).fill(0);
  softmax(scores).forEach((weight, token) => {
    for (let i = 0; i < mixed.length; i++) mixed[i] += weight * values[token][begin + i];
  });
  return mixed;
}

/**
 * Self-attention of new tokens, one after another: a token is causal because later ones are not in the cache yet.
 * @param {Block} block
 * @param {Matrix} x
 * @param {Cache} cache
 * @param {number} heads
 * @returns {Matrix}
 */
function attention(block, x, cache, heads) {
  const width = x[0].length;
  const size = width / heads;
  return x.map((row) => {
    const qkv = linear(block.qkv, row);
    const query = qkv.slice(0, width);
    cache.keys.push(qkv.slice(width, 2 * width));
    cache.values.push(qkv.slice(2 * width));
    const mixed = [];
    for (let head = 0; head < heads; head++) {
      mixed.push(...attendHead(query, cache, head * size, (head + 1) * size));
    }
    return linear(block.out, mixed);
  });
}

/** @param {Block} block @param {Vector} x @returns {Vector} */
const mlp = (block, x) => linear(block.down, linear(block.up, x).map(gelu));

/** @param {Block} block @param {Matrix} x @param {Cache} cache @param {Config} config @returns {Matrix} */
function forwardBlock(block, x, cache, { n_head, layer_norm_epsilon: epsilon }) {
  const normed = x.map((row) => layerNorm(block.norm1, row, epsilon));
  const attended = attention(block, normed, cache, n_head);
  const middle = x.map((row, i) => add(row, attended[i]));
  return middle.map((row) => add(row, mlp(block, layerNorm(block.norm2, row, epsilon))));
}

/**
 * @param {Config} config
 * @param {Weights} weights
 */
export async function load(config, weights) {
  const vector = (/** @type {string} */ name) => Array.from(weights[name].data);
  /** @returns {Matrix} */
  const matrix = (/** @type {string} */ name) => {
    const { shape, data } = weights[name];
    return Array.from({ length: shape[0] }, (_, row) =>
      Array.from(data.subarray(row * shape[1], (row + 1) * shape[1])),
    );
  };
  const norm = (/** @type {string} */ name) => ({
    gain: vector(`${name}.weight`),
    bias: vector(`${name}.bias`),
  });
  /** GPT-2's files store a linear layer as (in, out). */
  const linearLayer = (/** @type {string} */ name) => {
    const stored = matrix(`${name}.weight`);
    return {
      rows: stored[0].map((_, column) => stored.map((row) => row[column])),
      bias: vector(`${name}.bias`),
    };
  };

  const tokens = matrix("wte.weight");
  const positions = matrix("wpe.weight");
  const blocks = Array.from({ length: config.n_layer }, (_, layer) => ({
    norm1: norm(`h.${layer}.ln_1`),
    qkv: linearLayer(`h.${layer}.attn.c_attn`),
    out: linearLayer(`h.${layer}.attn.c_proj`),
    norm2: norm(`h.${layer}.ln_2`),
    up: linearLayer(`h.${layer}.mlp.c_fc`),
    down: linearLayer(`h.${layer}.mlp.c_proj`),
  }));
  const lastNorm = norm("ln_f");
  const head = { rows: weights["lm_head.weight"] ? matrix("lm_head.weight") : tokens, bias: null };
  /** @type {Cache[]} */
  const caches = blocks.map(() => ({ keys: [], values: [] }));

  /** Logits of every new position. @param {number[]} ids @returns {Matrix} */
  function forward(ids) {
    const past = caches[0].keys.length;
    let x = ids.map((id, i) => add(tokens[id], positions[past + i]));
    blocks.forEach((block, layer) => {
      x = forwardBlock(block, x, caches[layer], config);
    });
    return x.map((row) => linear(head, layerNorm(lastNorm, row, config.layer_norm_epsilon)));
  }

  /** @param {number} length */
  function rewind(length) {
    for (const { keys, values } of caches) {
      keys.length = Math.min(keys.length, length);
      values.length = Math.min(values.length, length);
    }
  }

  return {
    /** Starts anew with these tokens; logits of the last. @param {number[]} ids */
    prefill(ids) {
      rewind(0);
      return forward(ids)[ids.length - 1];
    },
    /** One more token; its logits. @param {number} id */
    decode: (id) => forward([id])[0],
    rewind,
    dispose() {
      rewind(0);
      blocks.length = 0;
    },
  };
}
