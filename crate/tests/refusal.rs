//! A call that returns an error changes nothing: what was there is there, and goes on as it would have.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a session that cannot be made is a failed test")]

mod common {
    pub(crate) mod record;
    pub(crate) mod scripted;
}

use common::record::Record;
use common::scripted::{Script, ids};
use generation_loop::stopping::StopStrings;
use generation_loop::{Config, Model, Sampling, Session, Settings, UNTRAINED_SEED, Weights};

fn everything(session: &Session) -> (Record, Settings) {
    (Record::of(session), session.settings().clone())
}

/// A session of the default model in the middle of a run, after `passes` passes.
fn after(passes: usize, cache: bool) -> Session {
    let config = Config { eos_token_id: None, ..Config::default() };
    let settings = Settings {
        sampling: Sampling::TopK { temperature: 0.9, top_k: 20 },
        seed: Some(4),
        stop: StopStrings::new(vec!["no such text".into()]).unwrap(),
        max_tokens: Some(20),
        cache,
    };
    let weights = Weights::untrained(&config, UNTRAINED_SEED).unwrap();
    let mut session = Session::new(Model::new(config, weights).unwrap(), settings).unwrap();
    for pass in 0..passes {
        if pass == 0 { session.prefill_text("the cat sat") } else { session.decode_step() }.unwrap();
    }
    session
}

type Call = fn(&mut Session) -> Result<(), generation_loop::Error>;

/// Calls that every moment of a run refuses, with the code of the refusal.
const ALWAYS_REFUSED: [(&str, Call); 15] = [
    ("empty-prompt", |session| session.prefill(&[]).map(drop)),
    ("empty-prompt", |session| session.prefill_text("").map(drop)),
    ("unsupported-characters", |session| session.prefill_text("caf\u{e9}").map(drop)),
    ("token-out-of-range", |session| session.prefill(&[1, 64]).map(drop)),
    ("token-out-of-range", |session| session.prefill(&[u32::MAX]).map(drop)),
    ("prompt-too-long", |session| session.prefill(&[1; 20]).map(drop)),
    ("prompt-too-long", |session| session.prefill(&[1; 10_000]).map(drop)),
    ("rewind-too-far", |session| session.rewind(session.log().len() + 1)),
    ("rewind-too-far", |session| session.rewind(usize::MAX)),
    ("invalid-setting", |session| session.set_sampling(Sampling::Temperature { temperature: -0.1 })),
    ("invalid-setting", |session| session.set_sampling(Sampling::Temperature { temperature: f64::NAN })),
    ("invalid-setting", |session| session.set_sampling(Sampling::TopK { temperature: f64::INFINITY, top_k: 1 })),
    ("invalid-setting", |session| session.set_sampling(Sampling::TopP { temperature: -1.0, top_p: 0.5 })),
    ("invalid-setting", |session| session.set_sampling(Sampling::TopP { temperature: 1.0, top_p: 1.1 })),
    ("invalid-setting", |session| session.set_sampling(Sampling::TopP { temperature: 1.0, top_p: f64::NAN })),
];

/// Calls that only a run in progress refuses.
const REFUSED_IN_A_RUN: [Call; 5] = [
    |session| session.set_seed(Some(5)),
    |session| session.set_seed(None),
    |session| session.set_stop(StopStrings::default()),
    |session| session.set_max_tokens(Some(30)),
    |session| session.set_max_tokens(None),
];

fn assert_refused(session: &mut Session, code: &str, call: Call) {
    let before = everything(session);
    assert_eq!(call(session).unwrap_err().code(), code);
    assert_eq!(everything(session), before, "{code}");
}

#[test]
fn refused_calls_change_nothing_at_any_moment_of_a_run() {
    for cache in [true, false] {
        let last = after(9, cache).log().len();
        assert!(after(last, cache).stop().is_some());
        for passes in 0..=last {
            let mut disturbed = after(passes, cache);
            let mut twin = after(passes, cache);
            for (code, call) in ALWAYS_REFUSED {
                assert_refused(&mut disturbed, code, call);
            }
            if passes > 0 {
                REFUSED_IN_A_RUN.iter().for_each(|call| assert_refused(&mut disturbed, "run-in-progress", *call));
            }
            match passes {
                0 => assert_refused(&mut disturbed, "not-started", |session| session.decode_step().map(drop)),
                _ if passes == last => {
                    assert_refused(&mut disturbed, "stopped", |session| session.decode_step().map(drop));
                }
                _ => {}
            }
            // What comes next is what would have come: to the end, and back.
            if passes > 0 {
                while twin.stop().is_none() {
                    twin.decode_step().unwrap();
                    disturbed.decode_step().unwrap();
                    assert_eq!(everything(&disturbed), everything(&twin));
                }
                twin.rewind(1).unwrap();
                disturbed.rewind(1).unwrap();
            } else {
                twin.prefill_text("hello").unwrap();
                disturbed.prefill_text("hello").unwrap();
            }
            assert_eq!(everything(&disturbed), everything(&twin));
        }
    }
}

#[test]
fn settings_of_a_whole_run_are_refused_by_range_before_it_starts() {
    let mut session = after(0, true);
    assert_refused(&mut session, "invalid-setting", |session| session.set_seed(Some(1 << 53)));
    assert_refused(&mut session, "invalid-setting", |session| session.set_max_tokens(Some(1)));
    assert_refused(&mut session, "invalid-setting", |session| session.set_max_tokens(Some(129)));
}

#[test]
fn a_session_is_not_made_with_settings_out_of_range() {
    let config = Config::default();
    let good = Settings::default_for(&config);
    let model = || Model::new(config.clone(), Weights::untrained(&config, UNTRAINED_SEED).unwrap()).unwrap();
    for bad in [
        Settings { sampling: Sampling::Temperature { temperature: -1.0 }, ..good.clone() },
        Settings { sampling: Sampling::TopP { temperature: 1.0, top_p: 2.0 }, ..good.clone() },
        Settings { seed: Some(u64::MAX), ..good.clone() },
        Settings { max_tokens: Some(1), ..good.clone() },
        Settings { max_tokens: Some(129), ..good.clone() },
    ] {
        assert_eq!(Session::new(model(), bad).unwrap_err().code(), "invalid-setting");
    }
    Session::new(model(), good).unwrap();
}

const N_POSITIONS: usize = 16;

/// Writes "abcdefgh…" after a prompt of two tokens, and breaks where `damage` has it break.
fn broken(damage: impl Fn(&mut Script), sampling: Sampling, cache: bool) -> Session {
    let mut script = Script::new(N_POSITIONS, 2, &ids("abcdefghijklmn"));
    damage(&mut script);
    let mut session = script.session(&[]);
    session.set_sampling(sampling).unwrap();
    session.set_cache(cache);
    session
}

/// A way to break, and what comes of it.
struct Damage {
    apply: fn(&mut Script),
    /// Passes that go well after the prompt "go".
    passes: usize,
    message: &'static str,
    /// Prompts that break in their own pass.
    prompts: [&'static str; 2],
}

const DAMAGES: [Damage; 2] = [
    // The embedding of "d" overflows: once it is fed, all is NaN.
    Damage {
        apply: |script| {
            let d = script.config.n_embd;
            let row = ids("d")[0] as usize * d;
            script.wte[row..row + d].fill(f32::MAX);
        },
        passes: 4,
        message: "the logit of token 0 is NaN; only finite numbers can be sampled from",
        prompts: ["god", "doggodog"],
    },
    // One logit overflows, after whatever token stands at position 4.
    Damage {
        apply: |script| {
            let d = script.config.n_embd;
            script.head[7 * d + 4] = f32::MAX;
        },
        passes: 3,
        message: "the logit of token 7 is inf; only finite numbers can be sampled from",
        prompts: ["hello", "dodod"],
    },
];

#[test]
fn logits_that_are_no_numbers_are_an_error_and_the_session_lives_on() {
    let methods = [Sampling::Greedy, Sampling::TopP { temperature: 0.01, top_p: 0.9 }];
    for damage in DAMAGES {
        for (sampling, cache) in methods.into_iter().flat_map(|method| [(method, true), (method, false)]) {
            let mut session = broken(damage.apply, sampling, cache);
            session.prefill_text("go").unwrap();
            let mut moments = vec![everything(&session)];
            for _ in 1..damage.passes {
                session.decode_step().unwrap();
                moments.push(everything(&session));
            }
            let last = &moments[damage.passes - 1];
            let assert_broken = |session: &mut Session| {
                let error = session.decode_step().unwrap_err();
                assert_eq!((error.code(), error.to_string()), ("non-finite-logit", damage.message.into()));
                assert_eq!(&everything(session), last);
            };
            assert_broken(&mut session);
            assert_eq!(session.text(), "abcd"[..damage.passes]);
            assert_broken(&mut session);

            // And again from every earlier pass.
            for keep in (1..=damage.passes).rev() {
                session.rewind(keep).unwrap();
                assert_eq!(everything(&session), moments[keep - 1]);
                for moment in &moments[keep..] {
                    session.decode_step().unwrap();
                    assert_eq!(&everything(&session), moment);
                }
                assert_broken(&mut session);
            }

            // A prompt that breaks at once leaves the run that was there, or none.
            for prompt in damage.prompts {
                for session in [&mut session, &mut broken(damage.apply, sampling, cache)] {
                    let before = everything(session);
                    assert_eq!(session.prefill_text(prompt).unwrap_err().code(), "non-finite-logit");
                    assert_eq!(everything(session), before);
                }
            }

            // And a prompt that does not break runs as if nothing bad had been.
            session.prefill_text("go").unwrap();
            assert_eq!(everything(&session), moments[0]);
        }
    }
}

/// With more than one block a column depends on the columns before it, and what is no number spreads backwards too: masked
/// weights are zero, and zero times no number is none.
#[test]
fn a_pass_that_breaks_leaves_no_trace_in_deeper_columns() {
    let config = Config::default();
    let session = |poison: Option<u32>, cache: bool| {
        let mut weights = Weights::untrained(&config, UNTRAINED_SEED).unwrap();
        if let Some(id) = poison {
            weights.wte[id as usize * config.n_embd..][..config.n_embd].fill(f32::MAX);
        }
        let settings = Settings { seed: Some(1), cache, ..Settings::default_for(&config) };
        let mut session = Session::new(Model::new(config.clone(), weights).unwrap(), settings).unwrap();
        session.prefill_text("the cat sat").unwrap();
        session
    };
    let mut whole = session(None, true);
    for _ in 0..3 {
        whole.decode_step().unwrap();
    }
    // The token that pass 4 yields breaks pass 5.
    let poison = *whole.generated().last().unwrap();
    assert_eq!(whole.tokens().iter().filter(|&&id| id == poison).count(), 1);
    for cache in [true, false] {
        let mut session = session(Some(poison), cache);
        for _ in 0..3 {
            session.decode_step().unwrap();
        }
        let before = everything(&session);
        for _ in 0..2 {
            assert_eq!(session.decode_step().unwrap_err().code(), "non-finite-logit");
            assert_eq!(everything(&session), before, "cache {cache}");
        }
        // Back before it and on, with what the cache holds now.
        session.set_cache(true);
        session.rewind(2).unwrap();
        for _ in 0..2 {
            session.decode_step().unwrap();
        }
        assert_eq!(session.tokens(), whole.tokens(), "cache {cache}");
        assert_eq!(session.logits(), whole.logits(), "cache {cache}");
    }
}
