//! Going back: what comes after a rewind or a reset is what would have come without it.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a session that cannot be made is a failed test")]

mod common {
    pub(crate) mod record;
    pub(crate) mod shapes;
}

use common::record::Record;
use common::shapes;
use generation_loop::draws::MAX_SEED;
use generation_loop::stopping::StopStrings;
use generation_loop::{Config, Sampling, Session, Settings, UNTRAINED_SEED};
use proptest::prelude::*;

const N_POSITIONS: usize = 24;

/// The built-in vocabulary, so that texts and stop strings take part; a width that is no multiple of the kernel's.
fn config() -> Config {
    Config { n_embd: 12, n_inner: 20, n_positions: N_POSITIONS, ..Config::default() }
}

/// One run: all that decides it, and for each pass whether the cache is on.
#[derive(Debug, Clone)]
struct Plan {
    weights: u64,
    seed: u64,
    sampling: Sampling,
    stop: StopStrings,
    max_tokens: Option<usize>,
    prompt: Vec<u32>,
    cache: Vec<bool>,
}

/// None, one or two stop strings that random text of 64 characters completes now and then.
fn stop_strings() -> impl Strategy<Value = StopStrings> {
    let string = prop_oneof!["[a-z0-9 ]", "[a-z][a-z]"];
    prop::collection::vec(string, 0..=2).prop_map(|strings| StopStrings::new(strings).unwrap())
}

fn plan() -> impl Strategy<Value = Plan> {
    let cache = prop_oneof![
        Just(vec![true; N_POSITIONS]),
        Just(vec![false; N_POSITIONS]),
        prop::collection::vec(any::<bool>(), N_POSITIONS),
    ];
    let limit = prop_oneof![Just(None), (12..=N_POSITIONS).prop_map(Some)];
    let prompt = prop::collection::vec(0..64_u32, 1..=11);
    (any::<u64>(), 0..=MAX_SEED, shapes::sampling(), stop_strings(), limit, prompt, cache).prop_map(
        |(weights, seed, sampling, stop, max_tokens, prompt, cache)| Plan {
            weights,
            seed,
            sampling,
            stop,
            max_tokens,
            prompt,
            cache,
        },
    )
}

impl Plan {
    fn session(&self) -> Session {
        let (stop, cache) = (self.stop.clone(), self.cache[0]);
        let Self { seed, sampling, max_tokens, .. } = *self;
        let settings = Settings { sampling, seed: Some(seed), stop, max_tokens, cache };
        Session::new(shapes::model(&config(), self.weights), settings).unwrap()
    }

    /// One more pass, with or without the cache as planned.
    fn pass(&self, session: &mut Session) {
        let done = session.log().len();
        session.set_cache(self.cache[done]);
        let made = if done == 0 { session.prefill(&self.prompt) } else { session.decode_step() };
        assert_eq!(made.unwrap().index, done + 1);
    }

    /// Passes until the end; a record before the first and after each of them.
    fn finish(&self, session: &mut Session) -> Vec<Record> {
        let mut records = vec![Record::of(session)];
        while session.stop().is_none() {
            self.pass(session);
            records.push(Record::of(session));
        }
        records
    }
}

proptest! {
    #![proptest_config(shapes::cases(128))]

    #[test]
    fn a_rewound_run_continues_as_if_it_had_never_gone_on(plan in plan()) {
        let straight = plan.finish(&mut plan.session());
        let passes = straight.len() - 1;

        // One session throughout, back to every pass in an order that jumps: each time nothing of the last may be left.
        let mut session = plan.session();
        plan.finish(&mut session);
        for step in 0..=passes {
            let keep = (step * 7) % (passes + 1);
            session.rewind(keep).unwrap();
            prop_assert_eq!(&Record::of(&session), &straight[keep], "right after a rewind to {}", keep);
            prop_assert_eq!(&plan.finish(&mut session)[..], &straight[keep..], "after a rewind to {}", keep);
        }
        // A step back at a time, to the very beginning.
        for keep in (0..=passes).rev() {
            session.rewind(keep).unwrap();
            prop_assert_eq!(&Record::of(&session), &straight[keep]);
        }
        prop_assert!(session.tokens().is_empty() && session.logits().is_empty());
    }

    #[test]
    fn the_cache_may_be_turned_on_and_off_around_a_rewind(plan in plan(), other in plan()) {
        let straight = plan.finish(&mut plan.session());
        let passes = straight.len() - 1;
        let toggled = Plan { cache: other.cache, ..plan.clone() };
        let mut session = plan.session();
        for keep in 0..=passes {
            plan.finish(&mut session);
            session.rewind(keep).unwrap();
            for (record, straight) in toggled.finish(&mut session).into_iter().zip(&straight[keep..]) {
                prop_assert_eq!(record.without_costs(), straight.clone().without_costs());
            }
            session.reset();
        }
    }

    #[test]
    fn a_method_changed_after_a_rewind_is_a_method_changed_at_that_pass(plan in plan(), sampling in shapes::sampling()) {
        let mut rewound = plan.session();
        let passes = plan.finish(&mut rewound).len() - 1;
        for keep in 0..passes {
            let mut fresh = plan.session();
            for _ in 0..keep {
                plan.pass(&mut fresh);
            }
            fresh.set_sampling(sampling).unwrap();

            rewound.rewind(keep).unwrap();
            rewound.set_sampling(sampling).unwrap();
            prop_assert_eq!(plan.finish(&mut rewound), plan.finish(&mut fresh));

            // Back to before the change, and through the same passes as at first.
            rewound.reset();
            rewound.set_sampling(plan.sampling).unwrap();
            plan.finish(&mut rewound);
        }
    }
}

/// The records of a whole run from a text.
fn run(session: &mut Session, prompt: &str) -> Vec<Record> {
    session.prefill_text(prompt).unwrap();
    let mut records = vec![Record::of(session)];
    while session.stop().is_none() {
        session.decode_step().unwrap();
        records.push(Record::of(session));
    }
    records
}

#[test]
fn a_session_that_ran_before_is_like_a_fresh_one() {
    for sampling in [Sampling::Greedy, Sampling::TopP { temperature: 1.1, top_p: 0.95 }] {
        for cache in [true, false] {
            let config = Config::default();
            let settings = Settings { sampling, seed: Some(5), cache, ..Settings::default_for(&config) };
            let fresh = || Session::new(shapes::model(&config, UNTRAINED_SEED), settings.clone()).unwrap();
            let mut session = fresh();
            // The same list twice around a reset; a shorter prompt after a longer one finds nothing of it.
            for _ in 0..2 {
                for prompt in ["abcdef", "abc", "abc", "abcdefghijklmnop", "a"] {
                    assert_eq!(run(&mut session, prompt), run(&mut fresh(), prompt), "{prompt}");
                }
                session.reset();
                assert_eq!(Record::of(&session), Record::of(&fresh()));
            }
            // A run that was left in the middle.
            session.prefill_text("hello").unwrap();
            session.decode_step().unwrap();
            assert_eq!(run(&mut session, "abc"), run(&mut fresh(), "abc"));
        }
    }
}

#[test]
fn a_rewind_to_no_pass_is_a_reset() {
    let config = Config::default();
    let settings = Settings { seed: Some(5), ..Settings::default_for(&config) };
    let fresh = || Session::new(shapes::model(&config, UNTRAINED_SEED), settings.clone()).unwrap();
    let mut session = fresh();
    session.rewind(0).unwrap();
    assert_eq!(Record::of(&session), Record::of(&fresh()));
    run(&mut session, "abc");
    session.rewind(0).unwrap();
    assert_eq!(Record::of(&session), Record::of(&fresh()));
    assert!(session.logits().is_empty());
    // Settings that belong to a whole run may change again.
    session.set_max_tokens(Some(8)).unwrap();
    session.set_seed(Some(6)).unwrap();
    assert_eq!(run(&mut session, "abc").len(), 5);
}
