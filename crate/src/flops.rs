//! What a pass costs, by closed formula: matrix multiplies only, 2 FLOPs per multiply-add.
//!
//! Dense, as the kernels do it: the causal mask is applied after the product, and the head reads every position.
//!
//! prefill(S) = L(8SD² + 4S²D + 4SDF) + 2SDV and decode(T) = L(8D² + 4TD + 4DF) + 2DV, where T counts the tokens in the
//! cache once this one is in it. Two identities follow: prefill(1) = decode(1) and prefill(S) = S · decode(S).

use crate::config::Config;

/// The matrix products of a pass, in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Queries, keys and values: 6·S·D² per block.
    Qkv,
    /// Query · key for every pair: 2·S·T·D per block.
    Scores,
    /// Attention weights · values: 2·S·T·D per block.
    Mix,
    /// The attention's output projection: 2·S·D² per block.
    AttentionOutput,
    /// The MLP's first layer: 2·S·D·F per block.
    MlpUp,
    /// The MLP's second layer: 2·S·D·F per block.
    MlpDown,
    /// Logits over the vocabulary: 2·S·D·V, once.
    Head,
}

impl Operation {
    /// All of them, in order; [`Flops::by_operation`] and [`crate::model::Activations::multiply_adds`] use the same order.
    pub const ALL: [Self; 7] =
        [Self::Qkv, Self::Scores, Self::Mix, Self::AttentionOutput, Self::MlpUp, Self::MlpDown, Self::Head];

    /// Name in logs and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Qkv => "qkv",
            Self::Scores => "scores",
            Self::Mix => "mix",
            Self::AttentionOutput => "attention output",
            Self::MlpUp => "mlp up",
            Self::MlpDown => "mlp down",
            Self::Head => "head",
        }
    }
}

/// FLOPs of one pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flops {
    /// One figure per [`Operation`], in the order of [`Operation::ALL`], summed over blocks.
    pub by_operation: [u64; 7],
}

impl Flops {
    /// A pass that takes `rows` tokens in and attends over `columns` of them.
    fn of_pass(config: &Config, rows: usize, columns: usize) -> Self {
        let [l, d, f, v] = [config.n_layer, config.n_embd, config.n_inner, config.vocab_size].map(|n| n as u64);
        let (s, t) = (rows as u64, columns as u64);
        Self {
            by_operation: Operation::ALL.map(|operation| match operation {
                Operation::Qkv => l * 6 * s * d * d,
                Operation::Scores | Operation::Mix => l * 2 * s * t * d,
                Operation::AttentionOutput => l * 2 * s * d * d,
                Operation::MlpUp | Operation::MlpDown => l * 2 * s * d * f,
                Operation::Head => 2 * s * d * v,
            }),
        }
    }

    /// A prefill of `length` tokens; also a decode step without a cache, which recomputes all of them.
    #[must_use]
    pub fn prefill(config: &Config, length: usize) -> Self {
        Self::of_pass(config, length, length)
    }

    /// A decode step after which the cache holds `length` tokens.
    #[must_use]
    pub fn decode(config: &Config, length: usize) -> Self {
        Self::of_pass(config, 1, length)
    }

    /// The sum over operations.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.by_operation.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_model_costs_what_the_table_says() {
        let config = Config::default();
        let prefill = |n| Flops::prefill(&config, n).total();
        let decode = |n| Flops::decode(&config, n).total();
        assert_eq!(prefill(11), 173_184);
        assert_eq!(prefill(31), 567_424);
        assert_eq!(decode(12), 15_872);
        assert_eq!(decode(32), 18_432);
        assert_eq!((prefill(1), decode(1)), (14_464, 14_464));
        // "the cat sat" to 32 tokens: one prefill of 11, decode steps with T = 12 … 31.
        assert_eq!((12..=31).count() + 1, 21);
        assert_eq!(prefill(11) + (12..=31).map(decode).sum::<u64>(), 514_944);
        assert_eq!((11..=31).map(prefill).sum::<u64>(), 7_606_144);
    }

    #[test]
    fn both_identities_and_the_formulas_of_the_module_hold() {
        for config in [
            Config::default(),
            Config { n_layer: 3, n_head: 4, n_embd: 32, n_inner: 48, vocab_size: 1000, ..Config::default() },
            Config { n_layer: 1, n_head: 5, n_embd: 20, n_inner: 33, vocab_size: 61, ..Config::default() },
        ] {
            let [l, d, f, v] = [config.n_layer, config.n_embd, config.n_inner, config.vocab_size].map(|n| n as u64);
            assert_eq!(Flops::prefill(&config, 1), Flops::decode(&config, 1));
            for n in 1..100 {
                let s = n as u64;
                assert_eq!(Flops::prefill(&config, n).total(), s * Flops::decode(&config, n).total());
                assert_eq!(
                    Flops::prefill(&config, n).total(),
                    l * (8 * s * d * d + 4 * s * s * d + 4 * s * d * f) + 2 * s * d * v
                );
                assert_eq!(Flops::decode(&config, n).total(), l * (8 * d * d + 4 * s * d + 4 * d * f) + 2 * d * v);
            }
        }
    }
}
