//! Random models and methods for property tests.

use generation_loop::weights::Weights;
use generation_loop::{Config, Model, Sampling};
use proptest::prelude::*;
use proptest::test_runner::Config as Cases;

/// This many cases, and no file beside the sources: the message of a failure has the smallest failing input.
pub(crate) fn cases(cases: u32) -> Cases {
    Cases { cases, failure_persistence: None, ..Cases::default() }
}

/// A model with random weights.
pub(crate) fn model(config: &Config, seed: u64) -> Model {
    Model::new(config.clone(), Weights::untrained(config, seed).unwrap()).unwrap()
}

/// All four methods, with numbers that cut much, little and nothing.
pub(crate) fn sampling() -> impl Strategy<Value = Sampling> {
    let temperature = || prop_oneof![Just(0.0), Just(1.0), 0.1..3.0];
    prop_oneof![
        Just(Sampling::Greedy),
        temperature().prop_map(|temperature| Sampling::Temperature { temperature }),
        (temperature(), 0..70_u64).prop_map(|(temperature, top_k)| Sampling::TopK { temperature, top_k }),
        (temperature(), 0.0..=1.0).prop_map(|(temperature, top_p)| Sampling::TopP { temperature, top_p }),
    ]
}
