//! How a run ends and what its text is, with a real model that is made to write a given text.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a session that cannot be made is a failed test")]

mod common {
    pub(crate) mod scripted;
}

use common::scripted::{Script, ids, ids_then_end};
use generation_loop::stopping::{Stop, StopReason, StopStrings};
use generation_loop::tokenizer::{END_OF_TEXT, Tokenizer};
use generation_loop::weights::Weights;
use generation_loop::{Config, Error, Model, Sampling, Session, Settings};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

const PROMPT: &str = "go";
const N_POSITIONS: usize = 40;

/// A run to its end.
struct Run {
    session: Session,
    /// What a stream shows after each pass: the text released since the pass before.
    pieces: Vec<String>,
}

impl Run {
    fn new(mut session: Session, prompt: &str) -> Self {
        let (mut shown, mut pieces) = (String::new(), Vec::new());
        session.prefill_text(prompt).unwrap();
        loop {
            let released = session.released_text();
            // What was shown can never be taken back.
            pieces.push(released.strip_prefix(&shown).unwrap().to_string());
            shown = released;
            if session.stop().is_some() {
                break;
            }
            // At any moment the run may be left: `text` is what was generated, nothing of it lost.
            assert_eq!(session.text(), session.tokenizer().decode(session.generated()));
            session.decode_step().unwrap();
        }
        let stops: Vec<&Stop> = session.log().iter().filter_map(|pass| pass.stop.as_ref()).collect();
        assert_eq!(stops, [session.stop().unwrap()], "one stop, on the last pass");
        assert!(session.log().last().unwrap().stop.is_some());
        let before = session.tokens().to_vec();
        let error = session.decode_step().unwrap_err();
        assert_eq!(error.code(), "stopped");
        assert_eq!(session.tokens(), before);
        Self { session, pieces }
    }

    fn forced(output: &[u32], stop: &[&str], max_tokens: Option<usize>) -> Self {
        let mut session = Script::new(N_POSITIONS, PROMPT.len(), output).session(stop);
        session.set_max_tokens(max_tokens).unwrap();
        Self::new(session, PROMPT)
    }

    fn reason(&self) -> StopReason {
        self.session.stop().unwrap().reason
    }

    fn matched(&self) -> Option<&str> {
        self.session.stop().unwrap().matched.as_deref()
    }

    fn assert_text(&self, text: &str) {
        assert_eq!(self.session.text(), text);
        assert_eq!(self.pieces.concat(), text);
    }
}

#[test]
fn text_that_was_held_back_is_released_when_the_run_ends() {
    let by_end = Run::forced(&ids_then_end("uno tre"), &["tre!!"], None);
    by_end.assert_text("uno tre");
    assert_eq!((by_end.reason(), by_end.matched()), (StopReason::EndOfText, None));
    assert_eq!(by_end.pieces.last().unwrap(), "tre");

    let by_length = Run::forced(&ids("uno tre"), &["tre!!"], Some(PROMPT.len() + 7));
    by_length.assert_text("uno tre");
    assert_eq!((by_length.reason(), by_length.matched()), (StopReason::MaxTokens, None));
    assert_eq!(by_length.pieces, ["u", "n", "o", " ", "", "", "tre"]);
}

#[test]
fn text_that_cannot_become_a_stop_string_any_more_is_released_at_once() {
    let run = Run::forced(&ids_then_end("uno tre, due"), &["tre!!"], None);
    run.assert_text("uno tre, due");
    assert_eq!(run.pieces[4..9], ["", "", "", "tre,", " "]);
}

#[test]
fn nothing_of_a_stop_string_is_shown() {
    let run = Run::forced(&ids("abcdefghij"), &["defghij"], None);
    run.assert_text("abc");
    assert_eq!(run.pieces, ["a", "b", "c", "", "", "", "", "", "", ""]);
    assert_eq!((run.reason(), run.matched()), (StopReason::StopString, Some("defghij")));
    // The tokens are the record of what was sampled; the last of them completed the string.
    assert_eq!(run.session.generated(), ids("abcdefghij"));
}

#[test]
fn a_near_miss_of_a_stop_string_is_text() {
    let run = Run::forced(&ids_then_end("alice!x"), &["\n", "alice:"], None);
    run.assert_text("alice!x");
    assert_eq!(run.pieces, ["", "", "", "", "", "alice!", "x", ""]);
    assert_eq!(run.reason(), StopReason::EndOfText);
}

#[test]
fn the_end_of_text_token_is_no_text() {
    // At once; after three; on the last token that the limit allows, where both reasons hold.
    for (text, max_tokens) in [("", None), ("abc", None), ("abc", Some(PROMPT.len() + 4)), ("", Some(PROMPT.len() + 1))]
    {
        let run = Run::forced(&ids_then_end(text), &["zz"], max_tokens);
        run.assert_text(text);
        assert_eq!((run.reason(), run.matched()), (StopReason::EndOfText, None));
        assert_eq!(run.session.generated(), ids_then_end(text));
        assert_eq!(run.session.log().len(), text.len() + 1);
    }
}

/// Ids of other vocabularies, and models that end with another id than the built-in one.
#[test]
fn the_end_of_text_token_is_no_text_in_any_vocabulary() {
    let newline = 63;
    let mut script = Script::new(N_POSITIONS, PROMPT.len(), &[ids("ab"), vec![newline]].concat());
    script.config.eos_token_id = Some(newline);
    for stop in [[].as_slice(), &["\n"], &["b\n"]] {
        let run = Run::new(script.session(stop), PROMPT);
        run.assert_text("ab");
        assert_eq!((run.reason(), run.matched()), (StopReason::EndOfText, None));
    }

    let config = Config { vocab_size: 5, eos_token_id: Some(4), ..Config::default() };
    let model = Model::new(config.clone(), Weights::untrained(&config, 1).unwrap()).unwrap();
    let sampling = Sampling::Temperature { temperature: 2.0 };
    let settings = Settings { sampling, seed: Some(1), max_tokens: None, ..Settings::default_for(&config) };
    let mut session = Session::new(model, settings).unwrap();
    session.prefill(&[1, 2]).unwrap();
    while session.stop().is_none() {
        session.decode_step().unwrap();
    }
    assert_eq!(session.stop().unwrap().reason, StopReason::EndOfText);
    let shown: String = session.generated()[..session.log().len() - 1].iter().map(|id| format!("#{id}")).collect();
    assert!(!shown.is_empty());
    assert_eq!((session.text(), session.released_text()), (shown.clone(), shown));
}

#[test]
fn end_of_text_comes_before_a_stop_string_and_that_before_the_limit() {
    let limit = PROMPT.len() + 3;
    let run = Run::forced(&ids("abc"), &["bc"], Some(limit));
    run.assert_text("a");
    assert_eq!((run.reason(), run.matched()), (StopReason::StopString, Some("bc")));
    let run = Run::forced(&ids("abc"), &["bd"], Some(limit));
    run.assert_text("abc");
    assert_eq!(run.reason(), StopReason::MaxTokens);
    // A limit as long as the context is a limit.
    let run = Run::forced(&ids("abc"), &[], Some(N_POSITIONS));
    assert_eq!(run.reason(), StopReason::MaxTokens);
}

#[test]
fn the_prompt_is_never_searched() {
    // In the prompt as a whole; half in the prompt; and once more in the output, where it counts.
    for (prompt, output, stop, text) in [
        ("stop here", "abc", "stop", "abc"),
        ("say sto", "p now", "stop", "p now"),
        ("x", "xx", "xxx", "xx"),
        ("stop", "a stop", "stop", "a "),
    ] {
        let run = Run::new(Script::new(N_POSITIONS, prompt.len(), &ids_then_end(output)).session(&[stop]), prompt);
        run.assert_text(text);
        let reason = if text == output { StopReason::EndOfText } else { StopReason::StopString };
        assert_eq!(run.reason(), reason, "{prompt:?} {output:?}");
    }
}

#[test]
fn empty_stop_strings_are_refused_by_place() {
    for (strings, place) in [(vec![""], 1), (vec!["", "x"], 1), (vec!["x", "y", ""], 3)] {
        let error = StopStrings::new(strings.iter().map(ToString::to_string).collect()).unwrap_err();
        assert_eq!(error, Error::EmptyStopString { place });
        assert_eq!(error.code(), "empty-stop-string");
        assert_eq!(error.to_string(), format!("stop string {place} is empty; at least one character is needed"));
    }
    Run::forced(&ids_then_end("abc"), &[], None).assert_text("abc");
}

#[test]
fn a_reply_of_k_tokens_and_an_end_takes_k_plus_one_passes() {
    for (k, n_positions, prompt) in [(0, 16, "a"), (1, 16, "ab"), (20, 64, "the cat sat"), (200, 256, "hello")] {
        let reply = "abcdefghij".repeat(20);
        let script = Script::new(n_positions, prompt.len(), &ids_then_end(&reply[..k]));
        let run = Run::new(script.session(&[]), prompt);
        run.assert_text(&reply[..k]);
        assert_eq!(run.session.log().len(), k + 1);
        assert_eq!(run.reason(), StopReason::EndOfText);
    }
}

/// What a run should come to, character after character, with nothing remembered between them.
#[derive(Debug, PartialEq)]
struct Outcome {
    text: String,
    passes: usize,
    reason: StopReason,
    matched: Option<String>,
    pieces: Vec<String>,
}

/// The whole of stopping once more, without a thought of speed.
fn naive(output: &[u32], stop: &[String], max_tokens: usize) -> Outcome {
    let (mut all, mut shown, mut pieces) = (String::new(), String::new(), Vec::new());
    for passes in 1.. {
        let id = output.get(passes - 1).copied().unwrap_or(27);
        all.push_str(&Tokenizer::Characters.piece(id));
        let complete = stop.iter().filter(|string| all.ends_with(string.as_str())).max_by_key(|string| string.len());
        let (text, end) = if id == END_OF_TEXT {
            (all.clone(), Some((StopReason::EndOfText, None)))
        } else if let Some(string) = complete {
            (all[..all.len() - string.len()].to_string(), Some((StopReason::StopString, Some(string.clone()))))
        } else {
            (all.clone(), (PROMPT.len() + passes == max_tokens).then_some((StopReason::MaxTokens, None)))
        };
        let may_wait = |length: &usize| stop.iter().any(|string| string.starts_with(&text[text.len() - length..]));
        let waits = if end.is_some() { 0 } else { (0..=text.len()).rev().find(may_wait).unwrap_or(0) };
        let released = text[..text.len() - waits].to_string();
        pieces.push(released[shown.len()..].to_string());
        shown = released;
        if let Some((reason, matched)) = end {
            return Outcome { text, passes, reason, matched, pieces };
        }
    }
    unreachable!("every run ends")
}

/// Two letters and short strings: nearly every text has near misses, overlaps and strings inside strings.
#[test]
fn random_outputs_and_stop_strings_come_to_what_a_naive_search_says() {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let mut below = |n: u32| generator.random::<u32>() % n;
    let mut reasons = [0; 3];
    for case in 0..300 {
        let letters = 2 + case % 2;
        let mut output: Vec<u32> = (0..30).map(|_| 2 + below(letters)).collect();
        if below(3) == 0 {
            output[below(30) as usize] = END_OF_TEXT;
        }
        let stop: Vec<String> = (0..below(4))
            .map(|_| (0..2 + below(6)).map(|_| Tokenizer::Characters.piece(2 + below(letters))).collect())
            .collect();
        let max_tokens = PROMPT.len() + 5 + below(30) as usize;
        let run = Run::forced(&output, &stop.iter().map(String::as_str).collect::<Vec<_>>(), Some(max_tokens));
        let right = naive(&output, &stop, max_tokens);
        run.assert_text(&right.text);
        let came_to = Outcome {
            text: run.session.text(),
            passes: run.session.log().len(),
            reason: run.reason(),
            matched: run.matched().map(String::from),
            pieces: run.pieces,
        };
        assert_eq!(came_to, right, "{output:?} {stop:?}");
        reasons[right.reason as usize] += 1;
    }
    assert!(reasons.iter().all(|runs| *runs >= 30), "each reason has its share: {reasons:?}");
}
