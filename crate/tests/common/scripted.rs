//! A real model whose weights force what it writes, so that stops and limits can be tested through whole passes.

#![allow(dead_code, reason = "each file of tests uses its part")]

use generation_loop::stopping::StopStrings;
use generation_loop::tokenizer::{END_OF_TEXT, Tokenizer};
use generation_loop::weights::TensorMap;
use generation_loop::{Config, Model, Sampling, Session, Settings};

/// What comes out where the script says nothing.
const FILLER: u32 = 27;

pub(crate) fn ids(text: &str) -> Vec<u32> {
    if text.is_empty() { Vec::new() } else { Tokenizer::Characters.encode(text).unwrap() }
}

/// A text and the end-of-text token after it.
pub(crate) fn ids_then_end(text: &str) -> Vec<u32> {
    let mut all = ids(text);
    all.push(END_OF_TEXT);
    all
}

/// A model to be, in the two tensors that matter: after a token at position p comes `by_position[p]`.
///
/// Its block adds nothing to the residual stream. Token embeddings are zero, so what is left is the position, one-hot, and
/// the head reads the forced id from it.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) config: Config,
    /// (V, D), all zero at first.
    pub(crate) wte: Vec<f32>,
    /// (V, D).
    pub(crate) head: Vec<f32>,
}

impl Script {
    /// A model that answers a prompt of `prompt` tokens with `output`.
    pub(crate) fn new(n_positions: usize, prompt: usize, output: &[u32]) -> Self {
        // One dimension more than positions: the final LayerNorm takes the mean away, so that one id forced at *all*
        // dimensions would get logit 0 like every other.
        let d = n_positions + 1;
        let config = Config { n_layer: 1, n_head: 1, n_embd: d, n_inner: 1, n_positions, ..Config::default() };
        let mut by_position = vec![FILLER; n_positions];
        by_position[prompt - 1..].iter_mut().zip(output).for_each(|(forced, id)| *forced = *id);
        let mut head = vec![0.0; config.vocab_size * d];
        for (position, id) in by_position.iter().enumerate() {
            head[*id as usize * d + position] = 1.0;
        }
        Self { wte: vec![0.0; config.vocab_size * d], head, config }
    }

    pub(crate) fn model(&self) -> Model {
        let Config { n_embd: d, n_inner: f, vocab_size: v, n_positions: p, .. } = self.config;
        let mut map = TensorMap::new(&self.config).unwrap();
        let one_hot: Vec<f32> = (0..p * d).map(|i| if i / d == i % d { 1.0 } else { 0.0 }).collect();
        map.insert("wpe.weight", &[p, d], &one_hot).unwrap();
        map.insert("wte.weight", &[v, d], &self.wte).unwrap();
        map.insert("lm_head.weight", &[v, d], &self.head).unwrap();
        for norm in ["h.0.ln_1", "h.0.ln_2", "ln_f"] {
            map.insert(&format!("{norm}.weight"), &[d], &vec![1.0; d]).unwrap();
            map.insert(&format!("{norm}.bias"), &[d], &vec![0.0; d]).unwrap();
        }
        for (linear, k, n) in
            [("attn.c_attn", d, 3 * d), ("attn.c_proj", d, d), ("mlp.c_fc", d, f), ("mlp.c_proj", f, d)]
        {
            map.insert(&format!("h.0.{linear}.weight"), &[k, n], &vec![0.0; k * n]).unwrap();
            map.insert(&format!("h.0.{linear}.bias"), &[n], &vec![0.0; n]).unwrap();
        }
        Model::new(self.config.clone(), map.into_weights().unwrap()).unwrap()
    }

    /// A greedy session with these stop strings and no limit but the context.
    pub(crate) fn session(&self, stop: &[&str]) -> Session {
        let stop = StopStrings::new(stop.iter().map(ToString::to_string).collect()).unwrap();
        let settings = Settings { sampling: Sampling::Greedy, seed: Some(0), stop, max_tokens: None, cache: true };
        Session::new(self.model(), settings).unwrap()
    }
}
