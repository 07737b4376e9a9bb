//! What is chosen for a run, and the ranges that hold for it.

use crate::config::Config;
use crate::error::{Error, Value, filled};
use crate::sampling::Sampling;
use crate::stopping::StopStrings;

/// The default for [`Settings::max_tokens`] where the context is at least as long.
pub const DEFAULT_MAX_TOKENS: usize = 32;

/// What was chosen for a run. [`Settings::default_for`] is valid for every model.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How the next token is chosen.
    pub sampling: Sampling,
    /// 0 to 2⁵³ − 1; none: one is picked by the system, and [`crate::Session::seed`] tells which.
    pub seed: Option<u64>,
    /// Strings that end the run.
    pub stop: StopStrings,
    /// Prompt and generated tokens together, 2 to `n_positions`; none: until the context is full.
    pub max_tokens: Option<usize>,
    /// Whether keys and values are kept; without it each pass recomputes everything, for the same tokens.
    pub cache: bool,
}

impl Settings {
    /// Greedy, a seed from the system, no stop strings, 32 tokens (or the context, if shorter), with the cache.
    #[must_use]
    pub fn default_for(config: &Config) -> Self {
        Self {
            sampling: Sampling::Greedy,
            seed: None,
            stop: StopStrings::default(),
            max_tokens: Some(DEFAULT_MAX_TOKENS.min(config.n_positions)),
            cache: true,
        }
    }
}

pub(crate) fn check_max_tokens(max_tokens: Option<usize>, config: &Config) -> Result<(), Error> {
    match max_tokens {
        Some(limit) if !(2..=config.n_positions).contains(&limit) => Err(Error::InvalidSetting {
            name: "max-tokens",
            value: limit as f64,
            allowed: filled("2 to %, the model's context, or none", &[Value::Count(config.n_positions)]),
        }),
        _ => Ok(()),
    }
}
