//! Seeds, draws and methods over whole runs: what must agree, and what must not.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a session that cannot be made is a failed test")]

mod common {
    pub(crate) mod record;
}

use common::record::Record;
use generation_loop::draws::{Draws, MAX_SEED};
use generation_loop::sampling::{Distribution, Filter};
use generation_loop::weights::Weights;
use generation_loop::{Config, Model, Sampling, Session, Settings, UNTRAINED_SEED};

const TEMPERATURE_1: Sampling = Sampling::Temperature { temperature: 1.0 };

/// The default model without an end: every run has the same length.
fn session(sampling: Sampling, seed: Option<u64>) -> Session {
    let config = Config { eos_token_id: None, ..Config::default() };
    let weights = Weights::untrained(&config, UNTRAINED_SEED).unwrap();
    let settings = Settings { sampling, seed, ..Settings::default_for(&config) };
    Session::new(Model::new(config, weights).unwrap(), settings).unwrap()
}

fn finish(session: &mut Session) {
    while session.stop().is_none() {
        session.decode_step().unwrap();
    }
}

fn run(sampling: Sampling, seed: Option<u64>) -> Session {
    let mut session = session(sampling, seed);
    session.prefill_text("the cat sat").unwrap();
    finish(&mut session);
    session
}

fn draws(session: &Session) -> Vec<Option<f64>> {
    session.log().iter().map(|pass| pass.draw).collect()
}

#[test]
fn temperature_zero_is_greedy_in_every_method() {
    let greedy = run(Sampling::Greedy, Some(7));
    assert!(draws(&greedy).iter().all(Option::is_none));
    for sampling in [
        Sampling::Temperature { temperature: 0.0 },
        Sampling::TopK { temperature: 0.0, top_k: 0 },
        Sampling::TopK { temperature: 0.0, top_k: 8 },
        Sampling::TopP { temperature: 0.0, top_p: 0.0 },
        Sampling::TopP { temperature: 0.0, top_p: 0.9 },
    ] {
        assert_eq!(Record::of(&run(sampling, Some(7))), Record::of(&greedy), "{sampling:?}");
    }
    for sampling in [Sampling::TopK { temperature: 1.0, top_k: 1 }, Sampling::TopP { temperature: 1.0, top_p: 0.0 }] {
        // One token left, yet it was drawn.
        let run = run(sampling, Some(7));
        assert_eq!(run.tokens(), greedy.tokens(), "{sampling:?}");
        assert!(draws(&run).iter().all(Option::is_some));
    }
}

/// Softmax in double precision, in the plainest form.
fn softmax(logits: &[f32], temperature: f64) -> Vec<f64> {
    let powers: Vec<f64> = logits.iter().map(|logit| (f64::from(*logit) / temperature).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

#[test]
fn the_log_tells_both_probabilities_of_each_token() {
    for (sampling, temperature) in [
        (Sampling::Greedy, 0.0),
        (Sampling::Temperature { temperature: 0.6 }, 0.6),
        (Sampling::TopK { temperature: 1.7, top_k: 5 }, 1.7),
    ] {
        let mut session = session(sampling, Some(2));
        session.prefill_text("the cat sat").unwrap();
        loop {
            let token = session.log().last().unwrap().token;
            let (id, logits) = (token.id as usize, session.logits());
            let plain = softmax(logits, 1.0)[id];
            assert!((token.probability - plain).abs() < 1e-6, "{sampling:?}: {} for {plain}", token.probability);
            let mut ids: Vec<usize> = (0..logits.len()).collect();
            ids.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
            let after = match sampling {
                Sampling::Greedy => 1.0,
                Sampling::TopK { top_k, .. } => {
                    let kept: Vec<f32> = ids.iter().take(top_k as usize).map(|&id| logits[id]).collect();
                    softmax(&kept, temperature)[ids.iter().position(|&kept| kept == id).unwrap()]
                }
                _ => softmax(logits, temperature)[id],
            };
            assert!((token.sampling_probability - after).abs() < 1e-6, "{sampling:?}: {token:?} for {after}");
            if session.stop().is_some() {
                break;
            }
            session.decode_step().unwrap();
        }
    }
}

#[test]
fn every_pass_advances_the_generator_by_one() {
    let all = draws(&run(TEMPERATURE_1, Some(9)));
    let mut list = Draws::new(Some(9)).unwrap();
    assert_eq!(all, (0..21).map(|index| Some(list.at(index))).collect::<Vec<_>>());

    for greedy_passes in 1..21 {
        let mut session = session(Sampling::Greedy, Some(9));
        session.prefill_text("the cat sat").unwrap();
        for _ in 1..greedy_passes {
            session.decode_step().unwrap();
        }
        session.set_sampling(TEMPERATURE_1).unwrap();
        finish(&mut session);
        let drawn = draws(&session);
        assert!(drawn[..greedy_passes].iter().all(Option::is_none));
        assert_eq!(drawn[greedy_passes..], all[greedy_passes..]);
    }
}

#[test]
fn a_filter_that_cuts_nothing_changes_nothing() {
    let plain = run(TEMPERATURE_1, Some(7));
    for sampling in [
        Sampling::TopK { temperature: 1.0, top_k: 0 },
        Sampling::TopK { temperature: 1.0, top_k: 64 },
        Sampling::TopK { temperature: 1.0, top_k: 65 },
        Sampling::TopK { temperature: 1.0, top_k: 1_000_000_000 },
        Sampling::TopK { temperature: 1.0, top_k: u64::MAX },
        Sampling::TopP { temperature: 1.0, top_p: 1.0 },
    ] {
        assert_eq!(Record::of(&run(sampling, Some(7))), Record::of(&plain), "{sampling:?}");
    }
    // And filters that cut do.
    assert_ne!(run(Sampling::TopK { temperature: 1.0, top_k: 2 }, Some(7)).tokens(), plain.tokens());
    assert_ne!(run(Sampling::TopP { temperature: 1.0, top_p: 0.2 }, Some(7)).tokens(), plain.tokens());
}

#[test]
fn a_seed_is_a_run() {
    let zero = run(TEMPERATURE_1, Some(0));
    assert_eq!(Record::of(&run(TEMPERATURE_1, Some(0))), Record::of(&zero));
    for other in [1, 2, 42, 1 << 32, (1 << 32) + 7, MAX_SEED] {
        assert_ne!(draws(&run(TEMPERATURE_1, Some(other))), draws(&zero), "{other}");
    }
    assert_ne!(run(TEMPERATURE_1, Some(1)).tokens(), zero.tokens());
    // Seeds that agree in their lower half are two seeds.
    assert_ne!(draws(&run(TEMPERATURE_1, Some(7))), draws(&run(TEMPERATURE_1, Some((1 << 32) + 7))));

    // Again on the same session: the generator starts at the seed.
    let mut again = run(TEMPERATURE_1, Some(0));
    again.prefill_text("the cat sat").unwrap();
    finish(&mut again);
    assert_eq!(Record::of(&again), Record::of(&zero));
}

#[test]
fn a_session_is_not_disturbed_by_another() {
    let alone = run(TEMPERATURE_1, Some(3));
    let (mut seeded, mut unseeded) = (session(TEMPERATURE_1, Some(3)), session(TEMPERATURE_1, None));
    unseeded.prefill_text("a").unwrap();
    seeded.prefill_text("the cat sat").unwrap();
    while seeded.stop().is_none() {
        unseeded.decode_step().unwrap();
        seeded.decode_step().unwrap();
    }
    assert_eq!(Record::of(&seeded), Record::of(&alone));
}

#[test]
fn unseeded_sessions_differ_and_tell_the_seed_that_replays_them() {
    let (one, other) = (run(TEMPERATURE_1, None), run(TEMPERATURE_1, None));
    assert_ne!(one.seed(), other.seed());
    assert_ne!(draws(&one), draws(&other));
    for unseeded in [one, other] {
        assert!(unseeded.seed() <= MAX_SEED);
        assert_eq!(unseeded.settings().seed, None);
        assert_eq!(Record::of(&run(TEMPERATURE_1, Some(unseeded.seed()))), Record::of(&unseeded));
    }
}

#[test]
fn a_seed_belongs_to_a_whole_run() {
    let mut session = session(TEMPERATURE_1, Some(0));
    session.set_seed(Some(1)).unwrap();
    session.prefill_text("the cat sat").unwrap();
    assert_eq!(session.set_seed(Some(2)).unwrap_err().code(), "run-in-progress");
    finish(&mut session);
    assert_eq!(Record::of(&session), Record::of(&run(TEMPERATURE_1, Some(1))));
    session.reset();
    assert_eq!(session.set_seed(Some(MAX_SEED + 1)).unwrap_err().code(), "invalid-setting");
    assert_eq!(session.seed(), 1);
}

/// At the borders: these probabilities and their sums are exact, so that no rounding can hide which side is meant.
#[test]
fn borders_belong_to_the_next_token_and_reaching_is_enough() {
    let quarters = Distribution::new(&[0.0; 4], Filter::NONE).unwrap();
    let below = |border: f64| f64::from_bits(border.to_bits() - 1);
    for (draw, id) in [(0.0, 0), (below(0.25), 0), (0.25, 1), (below(0.5), 1), (0.5, 2), (0.75, 3), (below(1.0), 3)] {
        assert_eq!(quarters.pick(draw).id, id, "draw {draw}");
    }
    for (top_p, kept) in [(0.0, 1), (0.25, 1), (0.26, 2), (0.5, 2), (0.75, 3), (0.76, 4), (1.0, 4)] {
        assert_eq!(Distribution::new(&[0.0; 4], Filter { top_p, ..Filter::NONE }).unwrap().kept(), kept, "p = {top_p}");
    }
}

/// With the right probabilities one count in 1.7 million lies outside five standard deviations; the seed is fixed.
#[test]
fn draws_follow_the_distribution() {
    let logits: Vec<f32> = (0..16).map(|i| (i as f32 * 1.3).sin() * 2.5).collect();
    let n = 100_000;
    for filter in [
        Filter::NONE,
        Filter { temperature: 0.7, top_k: 6, top_p: 1.0 },
        Filter { temperature: 1.5, top_k: 0, top_p: 0.8 },
    ] {
        let distribution = Distribution::new(&logits, filter).unwrap();
        let mut list = Draws::new(Some(11)).unwrap();
        let mut counts = [0_u32; 16];
        for index in 0..n {
            counts[distribution.pick(list.at(index)).id as usize] += 1;
        }
        for candidate in distribution.candidates() {
            let p = candidate.sampling_probability;
            let (expected, sigma) = (n as f64 * p, (n as f64 * p * (1.0 - p)).sqrt());
            let count = f64::from(counts[candidate.id as usize]);
            assert!((count - expected).abs() <= 5.0 * sigma, "token {}: {count} for {expected}", candidate.id);
        }
    }
}
