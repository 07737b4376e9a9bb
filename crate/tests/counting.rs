//! The closed formulas against the multiply-adds that the kernels counted while real passes ran.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a session that cannot be made is a failed test")]

mod common {
    pub(crate) mod record;
}

use common::record::{Record, bits};
use generation_loop::flops::{Flops, Operation};
use generation_loop::pass::{Pass, Phase};
use generation_loop::{Config, Model, Session, Settings, UNTRAINED_SEED, Weights};

/// Shapes in which no two dimensions can be taken for each other.
fn shapes() -> Vec<Config> {
    let base = Config { n_positions: 26, eos_token_id: None, ..Config::default() };
    vec![
        base.clone(),
        // An MLP that is not four times as wide, an odd vocabulary, heads of width 5.
        Config { n_layer: 3, n_head: 3, n_embd: 15, n_inner: 7, vocab_size: 61, ..base.clone() },
        // One wide head, a vocabulary smaller than a panel of the kernel.
        Config { n_layer: 1, n_head: 1, n_embd: 24, n_inner: 100, vocab_size: 5, ..base.clone() },
        // Heads of width 1; a tied head costs the same as one of its own.
        Config { n_head: 11, n_embd: 11, n_inner: 44, vocab_size: 129, tie_word_embeddings: true, ..base.clone() },
        // Everything odd and more layers than heads.
        Config { n_layer: 5, n_head: 2, n_embd: 18, n_inner: 33, vocab_size: 97, ..base.clone() },
        // The least of everything.
        Config { n_layer: 1, n_head: 1, n_embd: 1, n_inner: 1, vocab_size: 1, ..base },
    ]
}

fn session(config: &Config, settings: Settings) -> Session {
    let weights = Weights::untrained(config, UNTRAINED_SEED).unwrap();
    Session::new(Model::new(config.clone(), weights).unwrap(), settings).unwrap()
}

/// The same formulas once more, written by hand and by name: S tokens in, T visible to the last of them.
fn by_hand(config: &Config, s: usize, t: usize) -> Vec<(&'static str, u64)> {
    let [l, d, f, v] = [config.n_layer, config.n_embd, config.n_inner, config.vocab_size].map(|n| n as u64);
    let (s, t) = (s as u64, t as u64);
    vec![
        ("qkv", l * 6 * s * d * d),
        ("scores", l * 2 * s * t * d),
        ("mix", l * 2 * s * t * d),
        ("attention output", l * 2 * s * d * d),
        ("mlp up", l * 2 * s * d * f),
        ("mlp down", l * 2 * s * d * f),
        ("head", 2 * s * d * v),
    ]
}

fn prefill_total(config: &Config, s: u64) -> u64 {
    let [l, d, f, v] = [config.n_layer, config.n_embd, config.n_inner, config.vocab_size].map(|n| n as u64);
    l * (8 * s * d * d + 4 * s * s * d + 4 * s * d * f) + 2 * s * d * v
}

fn decode_total(config: &Config, t: u64) -> u64 {
    let [l, d, f, v] = [config.n_layer, config.n_embd, config.n_inner, config.vocab_size].map(|n| n as u64);
    l * (8 * d * d + 4 * t * d + 4 * d * f) + 2 * d * v
}

fn named(flops: &Flops) -> Vec<(&'static str, u64)> {
    Operation::ALL.iter().zip(flops.by_operation).map(|(operation, flops)| (operation.name(), flops)).collect()
}

/// One row of the log against what the kernels counted and against the formulas.
fn check(config: &Config, pass: &Pass, counted: [u64; 7], prompt: usize, cache: bool) {
    let label = format!("{config:?}, prompt of {prompt}, cache {cache}, pass {}", pass.index);
    assert_eq!(pass.flops.by_operation, counted.map(|multiply_adds| 2 * multiply_adds), "{label}");

    let t = prompt + pass.index - 1;
    let s = if cache && pass.index > 1 { 1 } else { t };
    assert_eq!((pass.context_length, pass.tokens_in), (t, s), "{label}");
    assert_eq!(pass.phase, if pass.index == 1 { Phase::Prefill } else { Phase::Decode }, "{label}");
    assert_eq!(named(&pass.flops), by_hand(config, s, t), "{label}");
    assert_eq!(named(&pass.flops_without_cache), by_hand(config, t, t), "{label}");
    let total = if s == 1 { decode_total(config, t as u64) } else { prefill_total(config, t as u64) };
    assert_eq!(pass.flops.total(), total, "{label}");
    assert_eq!(pass.flops_without_cache.total(), prefill_total(config, t as u64), "{label}");

    // Keys and values of D numbers of 4 bytes, in every layer, for every token so far.
    let bytes = 2 * config.n_layer * t * config.n_embd * 4;
    assert_eq!(pass.cache_bytes, if cache { bytes as u64 } else { 0 }, "{label}");
}

#[test]
fn every_pass_costs_what_the_kernels_counted() {
    for config in shapes() {
        for cache in [true, false] {
            let settings = Settings { max_tokens: None, cache, ..Settings::default_for(&config) };
            let mut session = session(&config, settings);
            for length in 1..=20 {
                let prompt: Vec<u32> = (0..length).map(|i| (i * 7 % config.vocab_size) as u32).collect();
                session.prefill(&prompt).unwrap();
                loop {
                    let pass = session.log().last().unwrap();
                    check(&config, pass, pass.multiply_adds, length, cache);
                    if session.stop().is_some() {
                        break;
                    }
                    session.decode_step().unwrap();
                }
                assert_eq!(session.log().len(), config.n_positions - length);
            }
        }
    }
}

fn the_cat_sat(cache: bool) -> Session {
    let config = Config::default();
    session(&config, Settings { seed: Some(0), cache, ..Settings::default_for(&config) })
}

fn total(session: &Session, flops: fn(&Pass) -> &Flops) -> u64 {
    session.log().iter().map(|pass| flops(pass).total()).sum()
}

#[test]
fn the_cat_sat_costs_what_the_tables_say() {
    let mut session = the_cat_sat(true);
    session.prefill_text("the cat sat").unwrap();
    while session.stop().is_none() {
        session.decode_step().unwrap();
    }
    let log = session.log();
    assert_eq!(log.len(), 21);
    assert_eq!((log[0].tokens_in, log[0].context_length, log[0].flops.total()), (11, 11, 173_184));
    assert_eq!((log[1].tokens_in, log[1].context_length, log[1].flops.total()), (1, 12, 15_872));
    assert_eq!(log[20].context_length, 31);
    assert_eq!(log[20].flops_without_cache.total(), 567_424);
    assert_eq!(total(&session, |pass| &pass.flops), 514_944);
    assert_eq!(total(&session, |pass| &pass.flops_without_cache), 7_606_144);
    // 2 · 2 layers · 16 wide · 4 bytes: 256 bytes a token.
    assert_eq!((log[0].cache_bytes, log[20].cache_bytes), (11 * 256, 31 * 256));
}

#[test]
fn without_the_cache_only_the_cost_differs() {
    let (mut with, mut without) = (the_cat_sat(true), the_cat_sat(false));
    with.prefill_text("the cat sat").unwrap();
    without.prefill_text("the cat sat").unwrap();
    while with.stop().is_none() {
        with.decode_step().unwrap();
        without.decode_step().unwrap();
        assert_eq!(bits(with.logits()), bits(without.logits()));
        assert_eq!(Record::of(&with).without_costs(), Record::of(&without).without_costs());
    }
    assert!(without.stop().is_some());
    assert_eq!(total(&without, |pass| &pass.flops), 7_606_144);
    assert_eq!(total(&without, |pass| &pass.flops_without_cache), 7_606_144);
}
