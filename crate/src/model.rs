//! The decoder: token ids in, logits out, the cache extended on the way. It knows nothing of sampling.

use crate::cache::KvCache;
use crate::config::Config;
use crate::error::Error;
use crate::flops::Operation;
use crate::kernels::{self, Rows, Then, matmul};
use crate::math;
use crate::weights::{Linear, Norm, Weights};

/// A GPT-2-architecture decoder: shape and constants. Nothing in it changes during a run.
#[derive(Debug, Clone)]
pub struct Model {
    config: Config,
    weights: Weights,
}

/// The buffers of a pass, reused from pass to pass, and the multiply-adds that the last pass made.
#[derive(Debug, Clone)]
pub struct Activations {
    /// Residual stream, (S, D).
    x: Vec<f32>,
    /// LayerNorm output, then attention mix, (S, D).
    hidden: Vec<f32>,
    /// Queries, keys and values side by side, (S, 3D).
    qkv: Vec<f32>,
    /// Attention scores, then weights, of one head, (S, T) in rows of whole lanes; of a single row they are in `seen`.
    attention: Vec<f32>,
    /// Attention weights of the last position in each layer and head, (L, H, T) in rows of whole lanes.
    seen: Vec<f32>,
    /// Tokens that the last position could see, T.
    columns: usize,
    /// The MLP's inner layer, (S, F).
    inner: Vec<f32>,
    /// Logits of every position of the last pass, (S, V).
    logits: Vec<f32>,
    /// Positions in the last pass, S.
    rows: usize,
    multiply_adds: [u64; 7],
}

impl Activations {
    /// Buffers for passes of one token; they grow with the first longer pass.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn new(config: &Config) -> Result<Self, Error> {
        let mut activations = Self {
            x: Vec::new(),
            hidden: Vec::new(),
            qkv: Vec::new(),
            attention: Vec::new(),
            seen: Vec::new(),
            columns: 0,
            inner: Vec::new(),
            logits: Vec::new(),
            rows: 0,
            multiply_adds: [0; 7],
        };
        activations.reserve(config, 1, config.n_positions)?;
        let heads = config.n_layer * config.n_head;
        kernels::grow(&mut activations.seen, heads.saturating_mul(stride_of(config.n_positions)))?;
        Ok(activations)
    }

    /// Multiply-adds of the last pass, counted inside the kernels, in the order of [`Operation::ALL`].
    #[must_use]
    pub fn multiply_adds(&self) -> [u64; 7] {
        self.multiply_adds
    }

    /// Makes room for a pass of `rows` tokens over `columns` positions.
    fn reserve(&mut self, config: &Config, rows: usize, columns: usize) -> Result<(), Error> {
        for (buffer, width) in [
            (&mut self.x, config.n_embd),
            (&mut self.hidden, config.n_embd),
            (&mut self.qkv, 3 * config.n_embd),
            (&mut self.attention, stride_of(columns)),
            (&mut self.inner, config.n_inner),
            (&mut self.logits, config.vocab_size),
        ] {
            // Beyond the address space, the memory cannot be had either.
            kernels::grow(buffer, rows.saturating_mul(width))?;
        }
        Ok(())
    }

    /// Logits of the last position of the last pass, (V,); empty before the first pass.
    #[must_use]
    pub fn last_logits(&self, config: &Config) -> &[f32] {
        let v = config.vocab_size;
        &self.logits[self.rows.saturating_sub(1) * v..self.rows * v]
    }

    /// How much the last position of the last pass attended to each token that it could see, (T,), in one layer and head:
    /// weights that sum to 1; empty before the first pass.
    ///
    /// # Panics
    /// If there is no such layer or head.
    #[must_use]
    pub fn attention(&self, config: &Config, layer: usize, head: usize) -> &[f32] {
        assert!(layer < config.n_layer && head < config.n_head);
        &self.seen[(layer * config.n_head + head) * stride_of(self.columns)..][..self.columns]
    }

    /// Forgets the last pass.
    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        self.columns = 0;
        self.multiply_adds = [0; 7];
    }

    fn count(&mut self, operation: Operation, multiply_adds: u64) {
        self.multiply_adds[operation as usize] += multiply_adds;
    }
}

impl Model {
    /// A model of this shape with these weights.
    ///
    /// # Errors
    /// Those of [`Config::validated`]; [`Error::ShapeMismatch`] when the weights were made for another shape.
    pub fn new(config: Config, weights: Weights) -> Result<Self, Error> {
        let config = config.validated()?;
        if weights.fits(&config) { Ok(Self { config, weights }) } else { Err(Error::ShapeMismatch) }
    }

    /// Its shape.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// One pass over a whole prompt, from an empty cache: `tokens` (S,) → logits of every position, (S, V).
    ///
    /// Whatever the cache held is forgotten. Cost: [`crate::flops::Flops::prefill`].
    ///
    /// # Errors
    /// [`Error::EmptyPrompt`], [`Error::TokenOutOfRange`], [`Error::CacheFull`], [`Error::ShapeMismatch`] or
    /// [`Error::OutOfMemory`]; the cache is unchanged then.
    pub fn prefill<'a>(&self, tokens: &[u32], cache: &mut KvCache, a: &'a mut Activations) -> Result<&'a [f32], Error> {
        if tokens.is_empty() {
            return Err(Error::EmptyPrompt);
        }
        self.check(tokens, 0, cache)?;
        a.reserve(&self.config, tokens.len(), tokens.len())?;
        cache.truncate(0);
        Ok(self.forward(tokens, cache, a))
    }

    /// One pass over one token, after those in the cache: → logits of its position, (V,).
    ///
    /// Cost: [`crate::flops::Flops::decode`].
    ///
    /// # Errors
    /// As [`Model::prefill`].
    pub fn decode_step<'a>(&self, token: u32, cache: &mut KvCache, a: &'a mut Activations) -> Result<&'a [f32], Error> {
        self.check(&[token], cache.len(), cache)?;
        a.reserve(&self.config, 1, cache.len() + 1)?;
        Ok(self.forward(&[token], cache, a))
    }

    fn check(&self, tokens: &[u32], length: usize, cache: &KvCache) -> Result<(), Error> {
        if !cache.fits(&self.config) {
            return Err(Error::ShapeMismatch);
        }
        let vocab_size = self.config.vocab_size;
        if let Some(&id) = tokens.iter().find(|&&id| id as usize >= vocab_size) {
            return Err(Error::TokenOutOfRange { id: f64::from(id), vocab_size });
        }
        if length + tokens.len() > cache.capacity() {
            return Err(Error::CacheFull { length, adding: tokens.len(), capacity: cache.capacity() });
        }
        Ok(())
    }

    /// The forward pass: `tokens` (S,) after the T − S in the cache → logits (S, V). Prefill and decode differ in S only.
    fn forward<'a>(&self, tokens: &[u32], cache: &mut KvCache, a: &'a mut Activations) -> &'a [f32] {
        let Config { n_embd: d, n_inner: f, vocab_size: v, layer_norm_epsilon: epsilon, .. } = self.config;
        let rows = tokens.len();
        a.multiply_adds = [0; 7];
        a.rows = rows;
        a.columns = cache.len() + rows;
        self.embed(tokens, cache.len(), &mut a.x);
        for (layer, block) in self.weights.blocks.iter().enumerate() {
            normalise(&a.x, rows, &block.ln_1, epsilon, &mut a.hidden);
            let counted = linear(&a.hidden, rows, &block.c_attn, Then::Bias(&block.c_attn.bias), &mut a.qkv);
            a.count(Operation::Qkv, counted);
            cache.write(layer, rows, &a.qkv);
            self.attend(layer, rows, cache, a);
            let counted = linear(&a.hidden, rows, &block.c_proj, Then::BiasAdd(&block.c_proj.bias), &mut a.x);
            a.count(Operation::AttentionOutput, counted);
            normalise(&a.x, rows, &block.ln_2, epsilon, &mut a.hidden);
            let counted = linear(&a.hidden, rows, &block.c_fc, Then::Bias(&block.c_fc.bias), &mut a.inner);
            a.count(Operation::MlpUp, counted);
            math::gelu(&mut a.inner[..rows * f]);
            let counted = linear(&a.inner, rows, &block.mlp_c_proj, Then::BiasAdd(&block.mlp_c_proj.bias), &mut a.x);
            a.count(Operation::MlpDown, counted);
        }
        cache.advance(rows);
        normalise(&a.x, rows, &self.weights.ln_f, epsilon, &mut a.hidden);
        let hidden = Rows { data: &a.hidden, stride: d };
        let counted = matmul(hidden, rows, self.weights.head.panels(), Then::Store, &mut a.logits, v);
        a.count(Operation::Head, counted);
        &a.logits[..rows * v]
    }

    /// Token embedding plus position embedding, (S, D).
    fn embed(&self, tokens: &[u32], first_position: usize, x: &mut [f32]) {
        let d = self.config.n_embd;
        for (row, &token) in tokens.iter().enumerate() {
            let token = &self.weights.wte[token as usize * d..][..d];
            let position = &self.weights.wpe[(first_position + row) * d..][..d];
            for ((x, t), p) in x[row * d..][..d].iter_mut().zip(token).zip(position) {
                *x = t + p;
            }
        }
    }

    /// Causal attention of one layer over all heads: reads `qkv`, leaves the mix of values in `hidden`, (S, D).
    ///
    /// softmax(q·kᵀ / √d_head)·v, masked after the product. Source: Vaswani et al. 2017, eq. 1.
    fn attend(&self, layer: usize, rows: usize, cache: &KvCache, a: &mut Activations) {
        let (d, d_head) = (self.config.n_embd, self.config.d_head());
        let before = cache.len();
        let columns = before + rows;
        let stride = stride_of(columns);
        let scale = 1.0 / (d_head as f32).sqrt();
        for head in 0..self.config.n_head {
            let queries = Rows { data: &a.qkv[head * d_head..], stride: 3 * d };
            let seen = &mut a.seen[(layer * self.config.n_head + head) * stride..][..stride];
            // A single row is the last one.
            let attention = if rows == 1 { &mut *seen } else { &mut a.attention[..rows * stride] };
            let keys = cache.keys(layer, head, columns);
            let scores = matmul(queries, rows, keys, Then::Store, attention, stride);
            for (row, scores) in attention.chunks_exact_mut(stride).enumerate() {
                math::masked_softmax(scores, before + row + 1, scale);
            }
            let weights = Rows { data: attention, stride };
            let mix = &mut a.hidden[head * d_head..];
            let mixed = matmul(weights, rows, cache.values(layer, head, columns), Then::Store, mix, d);
            if rows > 1 {
                seen.copy_from_slice(&a.attention[(rows - 1) * stride..][..stride]);
            }
            a.count(Operation::Scores, scores);
            a.count(Operation::Mix, mixed);
        }
    }
}

/// From one row of attention to the next.
fn stride_of(columns: usize) -> usize {
    columns.next_multiple_of(math::LANES)
}

/// `x` (rows, k) · weight (k, n), and what comes `then` → `out` (rows, n); returns the multiply-adds of the product.
fn linear(x: &[f32], rows: usize, layer: &Linear, then: Then<'_>, out: &mut [f32]) -> u64 {
    let (k, n) = layer.weight.shape();
    matmul(Rows { data: x, stride: k }, rows, layer.weight.panels(), then, out, n)
}

/// LayerNorm of each row, (rows, D) → (rows, D).
fn normalise(x: &[f32], rows: usize, norm: &Norm, epsilon: f32, out: &mut [f32]) {
    let d = norm.gain.len();
    for (x, out) in x.chunks_exact(d).zip(out.chunks_exact_mut(d)).take(rows) {
        math::layer_norm(x, &norm.gain, &norm.bias, epsilon, out);
    }
}
