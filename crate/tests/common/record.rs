//! What a session shows of its run at one moment, to compare two moments with.

#![allow(dead_code, reason = "each file of tests uses its part")]

use generation_loop::Session;
use generation_loop::pass::Pass;
use generation_loop::stopping::Stop;

/// Everything about a run that anybody can see. Two runs are the same when this is equal after each pass.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    tokens: Vec<u32>,
    generated: Vec<u32>,
    log: Vec<Pass>,
    stop: Option<Stop>,
    text: String,
    released_text: String,
    seed: u64,
    /// Bit patterns: equality of floats would let 0 and −0 pass for the same.
    logits: Vec<u32>,
}

impl Record {
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            tokens: session.tokens().to_vec(),
            generated: session.generated().to_vec(),
            log: session.log().to_vec(),
            stop: session.stop().cloned(),
            text: session.text(),
            released_text: session.released_text(),
            seed: session.seed(),
            logits: bits(session.logits()),
        }
    }

    /// The same without what the cache changes: costs.
    pub(crate) fn without_costs(mut self) -> Self {
        for pass in &mut self.log {
            pass.tokens_in = 0;
            pass.multiply_adds = [0; 7];
            pass.flops = pass.flops_without_cache;
            pass.cache_bytes = 0;
        }
        self
    }
}

pub(crate) fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}
