/**
 * GPT-2 in plain JavaScript, as fast as it reasonably gets: typed arrays that are allocated before a pass, weights packed in
 * the order in which they are read, and sums that stay in registers. Which variants were tried is in README.md.
 */

export const name = "careful JavaScript";

/** @typedef {import("./readable.js").Config} Config */
/** @typedef {import("./readable.js").Weights} Weights */
/** @typedef {{ gain: Float32Array, bias: Float32Array }} Norm */

/**
 * A linear layer: 8 outputs side by side for the first input, then for the second, and so on; then the next 8 outputs.
 * @typedef {object} Linear
 * @property {Float32Array} packed
 * @property {Float32Array} bias
 * @property {number} inputs
 * @property {number} outputs rounded up to 8; the weights of those that are not there are 0
 */

/** Rows of a buffer begin at multiples of this, so that a matrix product needs no remainder. */
const padded = (/** @type {number} */ width) => (width + 7) & ~7;

/**
 * @param {Float32Array} weight (in, out), or (out, in) if `transposed`
 * @param {Float32Array | null} bias
 * @param {number} inputs
 * @param {number} outputs
 * @param {boolean} [transposed]
 * @returns {Linear}
 */
function pack(weight, bias, inputs, outputs, transposed = false) {
  const packed = new Float32Array(inputs * padded(outputs));
  const [down, across] = transposed ? [1, inputs] : [outputs, 1];
  let to = 0;
  for (let block = 0; block < outputs; block += 8) {
    for (let input = 0; input < inputs; input++, to += 8) {
      for (let i = 0; i < 8 && block + i < outputs; i++) {
        packed[to + i] = weight[input * down + (block + i) * across];
      }
    }
  }
  const biases = new Float32Array(padded(outputs));
  if (bias !== null) biases.set(bias);
  return { packed, bias: biases, inputs, outputs: padded(outputs) };
}

/**
 * `y = x · weights + bias` for `rows` rows; with `add`, on top of what is in y. The sums stay in registers: of 4 outputs for
 * three rows that share the loads of the weights, then of 8 outputs for a row that is left over, or alone.
 * @param {Float32Array} y
 * @param {number} yStart
 * @param {Float32Array} x
 * @param {number} rows
 * @param {Linear} layer
 * @param {boolean} add
 */
function linear(y, yStart, x, rows, { packed, bias, inputs, outputs }, add) {
  const stride = padded(inputs);
  const threes = rows - (rows % 3);
  for (let o = 0; o < outputs; o += 8) {
    for (let row = 0; row < threes; row += 3) {
      for (let half = o; half < o + 8; half += 4) {
        let a0 = bias[half];
        let a1 = bias[half + 1];
        let a2 = bias[half + 2];
        let a3 = bias[half + 3];
        let b0 = a0;
        let b1 = a1;
        let b2 = a2;
        let b3 = a3;
        let c0 = a0;
        let c1 = a1;
        let c2 = a2;
        let c3 = a3;
        const end = row * stride + inputs;
        for (let i = row * stride, p = o * inputs + half - o; i < end; i++, p += 8) {
          const a = x[i];
          const b = x[i + stride];
          const c = x[i + 2 * stride];
          const w0 = packed[p];
          a0 += a * w0;
          b0 += b * w0;
          c0 += c * w0;
          const w1 = packed[p + 1];
          a1 += a * w1;
          b1 += b * w1;
          c1 += c * w1;
          const w2 = packed[p + 2];
          a2 += a * w2;
          b2 += b * w2;
          c2 += c * w2;
          const w3 = packed[p + 3];
          a3 += a * w3;
          b3 += b * w3;
          c3 += c * w3;
        }
        const to = yStart + row * outputs + half;
        store(y, to, a0, a1, a2, a3, add);
        store(y, to + outputs, b0, b1, b2, b3, add);
        store(y, to + 2 * outputs, c0, c1, c2, c3, add);
      }
    }
    for (let row = threes; row < rows; row++) {
      let a0 = bias[o];
      let a1 = bias[o + 1];
      let a2 = bias[o + 2];
      let a3 = bias[o + 3];
      let a4 = bias[o + 4];
      let a5 = bias[o + 5];
      let a6 = bias[o + 6];
      let a7 = bias[o + 7];
      const end = row * stride + inputs;
      for (let i = row * stride, p = o * inputs; i < end; i++, p += 8) {
        const a = x[i];
        a0 += a * packed[p];
        a1 += a * packed[p + 1];
        a2 += a * packed[p + 2];
        a3 += a * packed[p + 3];
        a4 += a * packed[p + 4];
        a5 += a * packed[p + 5];
        a6 += a * packed[p + 6];
        a7 += a * packed[p + 7];
      }
      const to = yStart + row * outputs + o;
      store(y, to, a0, a1, a2, a3, add);
      store(y, to + 4, a4, a5, a6, a7, add);
    }
  }
}

/**
 * @param {Float32Array} y
 * @param {number} to
 * @param {number} s0
 * @param {number} s1
 * @param {number} s2
 * @param {number} s3
 * @param {boolean} add
 */
function store(y, to, s0, s1, s2, s3, add) {
  if (add) {
    y[to] += s0;
    y[to + 1] += s1;
    y[to + 2] += s2;
    y[to + 3] += s3;
  } else {
    y[to] = s0;
    y[to + 1] = s1;
    y[to + 2] = s2;
    y[to + 3] = s3;
  }
}

/**
 * @param {Float32Array} y
 * @param {Float32Array} x
 * @param {number} rows
 * @param {Norm} norm
 * @param {number} width
 * @param {number} epsilon
 */
function layerNorm(y, x, rows, { gain, bias }, width, epsilon) {
  const stride = padded(width);
  for (let row = 0; row < rows; row++) {
    const start = row * stride;
    let sum = 0;
    for (let i = 0; i < width; i++) sum += x[start + i];
    const mean = sum / width;
    let squares = 0;
    for (let i = 0; i < width; i++) {
      const difference = x[start + i] - mean;
      squares += difference * difference;
    }
    const scale = 1 / Math.sqrt(squares / width + epsilon);
    for (let i = 0; i < width; i++) y[start + i] = (x[start + i] - mean) * scale * gain[i] + bias[i];
  }
}

/**
 * The tanh form: `0.5 (1 + tanh u)` is `1 / (1 + exp(−2u))`, with one exponential.
 * @param {Float32Array} x
 * @param {number} length
 */
function gelu(x, length) {
  const factor = -2 * Math.sqrt(2 / Math.PI);
  for (let i = 0; i < length; i++) {
    const value = x[i];
    x[i] = value / (1 + Math.exp(factor * (value + 0.044715 * value * value * value)));
  }
}

/**
 * One head of one query over the first `tokens` tokens. Queries come scaled.
 * @param {Float32Array} y
 * @param {number} to
 * @param {Float32Array} qkv a row per token
 * @param {number} stride
 * @param {number} query where the query begins; keys and values begin `width` and twice that after it, in their tokens' rows
 * @param {number} key where the first token's key begins
 * @param {number} width
 * @param {number} size of a head
 * @param {number} tokens
 * @param {Float32Array} scores
 */
function attend(y, to, qkv, stride, query, key, width, size, tokens, scores) {
  let max = Number.NEGATIVE_INFINITY;
  let token = 0;
  // Four keys share the loads of the query.
  for (; token + 3 < tokens; token += 4) {
    let k0 = key + token * stride;
    let k1 = k0 + stride;
    let k2 = k1 + stride;
    let k3 = k2 + stride;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let q = query; q < query + size; q++) {
      const value = qkv[q];
      s0 += value * qkv[k0++];
      s1 += value * qkv[k1++];
      s2 += value * qkv[k2++];
      s3 += value * qkv[k3++];
    }
    scores[token] = s0;
    scores[token + 1] = s1;
    scores[token + 2] = s2;
    scores[token + 3] = s3;
    max = Math.max(max, s0, s1, s2, s3);
  }
  for (; token < tokens; token++) {
    const from = key + token * stride;
    let sum = 0;
    for (let i = 0; i < size; i++) sum += qkv[query + i] * qkv[from + i];
    scores[token] = sum;
    max = Math.max(max, sum);
  }
  let total = 0;
  for (let i = 0; i < tokens; i++) {
    const weight = Math.exp(scores[i] - max);
    scores[i] = weight;
    total += weight;
  }
  const share = 1 / total;
  const value = key + width;
  let column = 0;
  for (; column + 3 < size; column += 4) {
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let i = 0, from = value + column; i < tokens; i++, from += stride) {
      const weight = scores[i];
      s0 += weight * qkv[from];
      s1 += weight * qkv[from + 1];
      s2 += weight * qkv[from + 2];
      s3 += weight * qkv[from + 3];
    }
    y[to + column] = s0 * share;
    y[to + column + 1] = s1 * share;
    y[to + column + 2] = s2 * share;
    y[to + column + 3] = s3 * share;
  }
  for (; column < size; column++) {
    let sum = 0;
    for (let i = 0, from = value + column; i < tokens; i++, from += stride) sum += scores[i] * qkv[from];
    y[to + column] = sum * share;
  }
}

/**
 * @param {Config} config
 * @param {Weights} weights
 */
export async function load(config, weights) {
  const { n_layer, n_head, n_embd: width, n_inner, vocab_size, n_positions, layer_norm_epsilon } = config;
  const size = width / n_head;
  const at = (/** @type {string} */ name) => weights[name].data;
  const norm = (/** @type {string} */ name) => ({ gain: at(`${name}.weight`), bias: at(`${name}.bias`) });
  const layer = (/** @type {string} */ name, /** @type {number} */ inputs, /** @type {number} */ outputs) =>
    pack(at(`${name}.weight`), at(`${name}.bias`), inputs, outputs);
  const blocks = Array.from({ length: n_layer }, (_, index) => {
    const h = `h.${index}`;
    const scale = 1 / Math.sqrt(size);
    // Scaled weights make scaled queries.
    const isQuery = (/** @type {number} */ i) => i % (3 * width) < width;
    const scaled = (/** @type {string} */ name) => at(name).map((w, i) => (isQuery(i) ? w * scale : w));
    return {
      norm1: norm(`${h}.ln_1`),
      qkv: pack(scaled(`${h}.attn.c_attn.weight`), scaled(`${h}.attn.c_attn.bias`), width, 3 * width),
      out: layer(`${h}.attn.c_proj`, width, width),
      norm2: norm(`${h}.ln_2`),
      up: layer(`${h}.mlp.c_fc`, width, n_inner),
      down: layer(`${h}.mlp.c_proj`, n_inner, width),
      /** What the first product makes is the cache: keys and values are never moved. */
      cache: new Float32Array(n_positions * padded(3 * width)),
    };
  });
  const lastNorm = norm("ln_f");
  const [wte, wpe] = [at("wte.weight"), at("wpe.weight")];
  const head = pack(weights["lm_head.weight"]?.data ?? wte, null, width, vocab_size, true);

  const stride = padded(width);
  const cacheStride = padded(3 * width);
  const scores = new Float32Array(n_positions);
  let x = new Float32Array();
  let normed = new Float32Array();
  let mixed = new Float32Array();
  let inner = new Float32Array();
  let logits = new Float32Array();
  let firstLogits = logits;
  let rowsThere = 0;
  /** Makes room for so many rows; a pass allocates only if there has been none as long. @param {number} rows */
  function reserve(rows) {
    if (rows <= rowsThere) return;
    rowsThere = rows;
    x = new Float32Array(rows * stride);
    normed = new Float32Array(rows * stride);
    mixed = new Float32Array(rows * stride);
    inner = new Float32Array(rows * padded(n_inner));
    logits = new Float32Array(rows * head.outputs);
    firstLogits = logits.subarray(0, vocab_size);
  }
  reserve(1);

  let length = 0;

  /** Embeds a token that stands at the end of what is there. @param {number} id @param {number} row */
  function embed(id, row) {
    const to = row * stride;
    const token = id * width;
    const position = (length + row) * width;
    for (let i = 0; i < width; i++) x[to + i] = wte[token + i] + wpe[position + i];
  }

  /** Takes embedded rows through the model, to logits of every one. @param {number} rows */
  function forward(rows) {
    for (let index = 0; index < n_layer; index++) {
      const { norm1, qkv, out, norm2, up, down, cache } = blocks[index];
      layerNorm(normed, x, rows, norm1, width, layer_norm_epsilon);
      linear(cache, length * cacheStride, normed, rows, qkv, false);
      for (let row = 0; row < rows; row++) {
        const query = (length + row) * cacheStride;
        for (let column = 0; column < width; column += size) {
          const to = row * stride + column;
          attend(
            mixed,
            to,
            cache,
            cacheStride,
            query + column,
            width + column,
            width,
            size,
            length + row + 1,
            scores,
          );
        }
      }
      linear(x, 0, mixed, rows, out, true);
      layerNorm(normed, x, rows, norm2, width, layer_norm_epsilon);
      linear(inner, 0, normed, rows, up, false);
      gelu(inner, rows * up.outputs);
      linear(x, 0, inner, rows, down, true);
    }
    layerNorm(normed, x, rows, lastNorm, width, layer_norm_epsilon);
    linear(logits, 0, normed, rows, head, false);
    length += rows;
  }

  return {
    /** Starts anew with these tokens; logits of the last, overwritten by the next pass. @param {number[]} ids */
    prefill(ids) {
      length = 0;
      reserve(ids.length);
      for (let row = 0; row < ids.length; row++) embed(ids[row], row);
      forward(ids.length);
      const last = (ids.length - 1) * head.outputs;
      return logits.subarray(last, last + vocab_size);
    },
    /** One more token; its logits, overwritten by the next pass. @param {number} id */
    decode(id) {
      embed(id, 0);
      forward(1);
      return firstLogits;
    },
    /** @param {number} keep */
    rewind(keep) {
      length = Math.min(length, keep);
    },
    dispose() {
      blocks.length = 0;
    },
  };
}
