//! The shape of a model: everything that is fixed before the first weight is read.

use crate::error::{Error, Value, filled};
use crate::kernels::{PANEL, WIDEST};

/// Shape of a GPT-2-architecture decoder, under Hugging Face's names; valid by construction of [`Config::validated`].
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Number of blocks, L.
    pub n_layer: usize,
    /// Attention heads in a block; divides `n_embd`.
    pub n_head: usize,
    /// Width of the residual stream, D.
    pub n_embd: usize,
    /// Width of the MLP's inner layer, F; Hugging Face's default is 4·D.
    pub n_inner: usize,
    /// Number of tokens, V.
    pub vocab_size: usize,
    /// Length of the context: the most tokens that one run can hold.
    pub n_positions: usize,
    /// Added to the variance in every LayerNorm.
    pub layer_norm_epsilon: f32,
    /// Whether the head is the token embedding, transposed.
    pub tie_word_embeddings: bool,
    /// The end-of-text token, when the vocabulary has one.
    pub eos_token_id: Option<u32>,
}

impl Default for Config {
    /// The default model: two blocks of width 16 over 64 characters.
    fn default() -> Self {
        Self {
            n_layer: 2,
            n_head: 2,
            n_embd: 16,
            n_inner: 64,
            vocab_size: 64,
            n_positions: 128,
            layer_norm_epsilon: 1e-5,
            tie_word_embeddings: false,
            eos_token_id: Some(0),
        }
    }
}

/// Largest dimension accepted, and the most blocks: beyond every model there is.
const LARGEST: usize = 1 << 20;
const MOST_LAYERS: usize = 1 << 10;

/// The most numbers in all weights, and in the cache: 64 GiB each. With it, no count of this crate overflows.
const MOST_NUMBERS: u64 = 1 << 34;

impl Config {
    /// The configuration itself, if it is one that a model can have.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] with the key, its value and what is allowed; [`Error::OutOfMemory`] when the
    /// weights could not be addressed on this machine.
    pub fn validated(self) -> Result<Self, Error> {
        let smallest_context = 2; // one prompt token and one new token
        for (key, value, least, most) in [
            ("n_layer", self.n_layer, 1, MOST_LAYERS),
            ("n_head", self.n_head, 1, LARGEST),
            ("n_embd", self.n_embd, 1, LARGEST),
            ("n_inner", self.n_inner, 1, LARGEST),
            ("vocab_size", self.vocab_size, 1, LARGEST),
            ("n_positions", self.n_positions, smallest_context, LARGEST),
        ] {
            if !(least..=most).contains(&value) {
                let allowed = filled("a whole number from % to %", &[Value::Count(least), Value::Count(most)]);
                return Err(Error::InvalidConfig { key, value: value as f64, allowed });
            }
        }
        if !self.n_embd.is_multiple_of(self.n_head) {
            let allowed = filled("a divisor of n_embd, which is %", &[Value::Count(self.n_embd)]);
            return Err(Error::InvalidConfig { key: "n_head", value: self.n_head as f64, allowed });
        }
        if !(self.layer_norm_epsilon.is_finite() && self.layer_norm_epsilon >= 0.0) {
            let value = self.layer_norm_epsilon.into();
            return Err(Error::InvalidConfig {
                key: "layer_norm_epsilon",
                value,
                allowed: "a finite number, at least 0".into(),
            });
        }
        if let Some(id) = self.eos_token_id
            && id as usize >= self.vocab_size
        {
            let allowed = filled("0 to %, below vocab_size", &[Value::Count(self.vocab_size - 1)]);
            return Err(Error::InvalidConfig { key: "eos_token_id", value: id.into(), allowed });
        }
        let cache = 2 * self.n_layer as u64 * self.n_positions as u64 * self.n_embd as u64;
        let most = self.parameters().max(cache);
        let bytes = most.max(self.largest_buffer()).saturating_mul(size_of::<f32>() as u64);
        if most > MOST_NUMBERS || bytes > isize::MAX as u64 {
            return Err(Error::OutOfMemory { bytes });
        }
        Ok(self)
    }

    /// Width of one head, d_head = D / n_head.
    #[must_use]
    pub fn d_head(&self) -> usize {
        self.n_embd / self.n_head
    }

    /// Number of weights; a tied head counts once.
    #[must_use]
    pub fn parameters(&self) -> u64 {
        let [l, d, f, v, p] =
            [self.n_layer, self.n_embd, self.n_inner, self.vocab_size, self.n_positions].map(|n| n as u64);
        let block = 4 * d * d + 4 * d + 2 * d * f + f + d + 4 * d;
        let head = if self.tie_word_embeddings { 0 } else { v * d };
        l * block + 2 * d + (v + p) * d + head
    }

    /// Bytes of weights, cache and attention weights, which a model of this shape holds while it lives. A pass adds what grows
    /// with its tokens.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let [l, d, v, p] = [self.n_layer, self.n_embd, self.vocab_size, self.n_positions].map(|n| n as u64);
        // The head is packed for its product, apart from the embeddings, which are read row by row.
        let head = if self.tie_word_embeddings { v * d } else { 0 };
        (self.parameters() + head + 2 * l * p * d + l * self.n_head as u64 * p) * size_of::<f32>() as u64
    }

    /// Length of the longest buffer that a model of this shape needs at once, with every dimension rounded up for packing.
    fn largest_buffer(&self) -> u64 {
        let [d, f, v, p] =
            [self.n_embd, self.n_inner, self.vocab_size, self.n_positions].map(|n| n.next_multiple_of(WIDEST) as u64);
        let cache = [self.n_layer as u64, self.n_head as u64, self.d_head().next_multiple_of(PANEL) as u64, p];
        let cache = cache.into_iter().fold(1, u64::saturating_mul);
        // Buffers that grow with a pass are refused when a pass asks for them.
        [d * f, 3 * d * d, (v + p) * d, cache].into_iter().fold(0, u64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_model_has_10_688_parameters() {
        let config = Config::default().validated().unwrap();
        assert_eq!(config.parameters(), 10_688);
        assert_eq!(config.memory(), 4 * (10_688 + 2 * 2 * 128 * 16 + 2 * 2 * 128));
        let tied = Config { tie_word_embeddings: true, ..config.clone() };
        assert_eq!(tied.parameters(), 10_688 - 64 * 16);
        assert_eq!(tied.memory(), config.memory());
        assert_eq!(config.d_head(), 8);
    }

    #[test]
    fn refusals_name_key_value_and_range() {
        let base = Config::default;
        let cases = [
            (Config { n_layer: 0, ..base() }, "n_layer is 0; allowed: a whole number from 1 to 1024"),
            (Config { n_head: 3, ..base() }, "n_head is 3; allowed: a divisor of n_embd, which is 16"),
            (Config { n_positions: 1, ..base() }, "n_positions is 1; allowed: a whole number from 2 to 1048576"),
            (
                Config { vocab_size: 1 << 25, ..base() },
                "vocab_size is 33554432; allowed: a whole number from 1 to 1048576",
            ),
            (Config { eos_token_id: Some(64), ..base() }, "eos_token_id is 64; allowed: 0 to 63, below vocab_size"),
            (
                Config { layer_norm_epsilon: f32::NAN, ..base() },
                "layer_norm_epsilon is NaN; allowed: a finite number, at least 0",
            ),
        ];
        for (config, message) in cases {
            let error = config.validated().unwrap_err();
            assert_eq!(error.code(), "invalid-config");
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn shapes_beyond_the_address_space_are_refused_before_anything_is_allocated() {
        let huge = Config {
            n_embd: LARGEST,
            n_head: 1,
            n_inner: LARGEST,
            n_layer: MOST_LAYERS,
            n_positions: LARGEST,
            ..Config::default()
        };
        assert_eq!(huge.validated().unwrap_err().code(), "out-of-memory");
    }
}
