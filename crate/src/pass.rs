//! The record of one forward pass: a row of the log.

use crate::flops::Flops;
use crate::stopping::Stop;

/// Prefill or decode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The first pass: the whole prompt at once.
    Prefill,
    /// Every later pass: one new token.
    Decode,
}

impl Phase {
    /// Name in logs and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Prefill => "prefill",
            Self::Decode => "decode",
        }
    }
}

/// The token that a pass yielded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampledToken {
    /// Token id.
    pub id: u32,
    /// Its probability at temperature 1.
    pub probability: f64,
    /// Its probability after the method.
    pub sampling_probability: f64,
}

/// One row of the log: one forward pass and the token sampled from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    /// 1 for the prefill.
    pub index: usize,
    /// Prefill or decode.
    pub phase: Phase,
    /// Tokens that went through the matrices: the prompt, then one; all of them where nothing is cached.
    pub tokens_in: usize,
    /// Tokens that the newest one could see, itself included: T.
    pub context_length: usize,
    /// Cost of this pass.
    pub flops: Flops,
    /// Multiply-adds of this pass, counted inside the kernels, in the order of [`crate::flops::Operation::ALL`].
    pub multiply_adds: [u64; 7],
    /// Cost of the same pass when nothing is cached.
    pub flops_without_cache: Flops,
    /// Bytes in the KV cache after this pass; 0 where nothing is cached.
    pub cache_bytes: u64,
    /// The random number in [0, 1); none when the method is greedy.
    pub draw: Option<f64>,
    /// What was sampled.
    pub token: SampledToken,
    /// The end of the run, if this pass brought it.
    pub stop: Option<Stop>,
}
