//! Lengths: what fits, where a run ends that nothing else stops, and what is refused with both numbers.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a session that cannot be made is a failed test")]

mod common {
    pub(crate) mod scripted;
}

use common::scripted::{Script, ids};
use generation_loop::settings::DEFAULT_MAX_TOKENS;
use generation_loop::stopping::StopReason;
use generation_loop::weights::Weights;
use generation_loop::{Config, Model, Session, Settings};

/// A session that writes the filler for ever; only its length can stop it.
fn endless(n_positions: usize, max_tokens: Option<usize>) -> Session {
    let mut session = Script::new(n_positions, 1, &[]).session(&[]);
    session.set_max_tokens(max_tokens).unwrap();
    session
}

fn run(session: &mut Session, prompt: &[u32]) -> StopReason {
    session.prefill(prompt).unwrap();
    while session.stop().is_none() {
        session.decode_step().unwrap();
    }
    session.stop().unwrap().reason
}

#[test]
fn max_tokens_counts_prompt_and_reply_exactly() {
    let prompt = ids("the cat sat");
    for max_tokens in [12, 16, 32] {
        let mut session = endless(128, Some(max_tokens));
        assert_eq!(run(&mut session, &prompt), StopReason::MaxTokens);
        assert_eq!(session.tokens().len(), max_tokens);
        assert_eq!(session.generated().len(), max_tokens - 11);
        assert_eq!(session.log().len(), max_tokens - 11);
        assert_eq!(session.text(), "z".repeat(max_tokens - 11));
    }
    for max_tokens in [2, 10, 11] {
        let mut session = endless(128, Some(max_tokens));
        let error = session.prefill(&prompt).unwrap_err();
        assert_eq!(error.code(), "prompt-too-long");
        let message = error.to_string();
        let allowed = max_tokens - 1;
        assert!(message.starts_with(&format!("the prompt has 11 tokens; at most {allowed} leave room")), "{message}");
        assert!(message.contains(&max_tokens.to_string()), "{message}");
    }
}

#[test]
fn a_run_without_a_limit_ends_when_the_context_is_full() {
    for n_positions in [2, 16, 40] {
        for length in [1, n_positions / 2, n_positions - 1] {
            let mut session = endless(n_positions, None);
            assert_eq!(run(&mut session, &vec![5; length]), StopReason::ContextFull);
            assert_eq!(session.tokens().len(), n_positions);
            assert_eq!(session.log().len(), n_positions - length);
            // The last token is never fed back: the cache has room for it and needs none.
            assert_eq!(session.log().last().unwrap().context_length, n_positions - 1);
        }
    }
}

#[test]
fn prompts_that_leave_no_room_are_refused_with_both_numbers() {
    let n_positions = 16;
    for length in [n_positions, n_positions + 1, 10 * n_positions] {
        let mut session = endless(n_positions, None);
        let error = session.prefill(&vec![5; length]).unwrap_err();
        assert_eq!(error.code(), "prompt-too-long");
        assert_eq!(
            error.to_string(),
            format!("the prompt has {length} tokens; at most 15 leave room for a new one (n_positions is 16)")
        );
        assert!(session.tokens().is_empty() && session.log().is_empty());
        // Nothing was cut to fit, and the session is as good as new.
        assert_eq!(run(&mut session, &[5; 15]), StopReason::ContextFull);
    }
}

#[test]
fn limits_beyond_the_context_are_refused_with_both_numbers() {
    let mut session = endless(16, Some(8));
    for limit in [0, 1, 17, 1_000_000_000] {
        let error = session.set_max_tokens(Some(limit)).unwrap_err();
        assert_eq!(error.code(), "invalid-setting");
        let message = error.to_string();
        assert!(message.contains(&format!("is {limit}; allowed: 2 to 16")), "{message}");
        assert_eq!(session.settings().max_tokens, Some(8));

        let script = Script::new(16, 1, &[]);
        let settings = Settings { max_tokens: Some(limit), ..Settings::default_for(&script.config) };
        assert_eq!(Session::new(script.model(), settings).unwrap_err(), error);
    }
    session.set_max_tokens(Some(2)).unwrap();
    session.set_max_tokens(Some(16)).unwrap();
    assert_eq!(run(&mut session, &[5; 15]), StopReason::MaxTokens);
    assert_eq!(session.tokens().len(), 16);
}

#[test]
fn default_settings_are_valid_for_every_model() {
    for (vocab_size, n_positions) in [(5, 128), (64, 2), (64, 31), (64, 32), (64, 33), (1, 2), (1000, 128)] {
        let config = Config { vocab_size, n_positions, eos_token_id: None, ..Config::default() };
        let model = Model::new(config.clone(), Weights::untrained(&config, 3).unwrap()).unwrap();
        let mut session = Session::new(model, Settings::default_for(&config)).unwrap();
        assert_eq!(run(&mut session, &[0]), StopReason::MaxTokens);
        assert_eq!(session.tokens().len(), DEFAULT_MAX_TOKENS.min(n_positions));
        assert!(session.tokens().iter().all(|id| (*id as usize) < vocab_size));
    }
}
