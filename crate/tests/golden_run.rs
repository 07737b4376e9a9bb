//! Whole runs of the untrained model against stored ones, bit for bit: natively, in Node and in a browser.
//!
//! Rewritten by hand, natively: `cargo test --test golden_run -- --ignored`.

#![allow(clippy::unwrap_used, reason = "a session that cannot be made is a failed test")]

use generation_loop::draws::Draws;
use generation_loop::stopping::StopStrings;
use generation_loop::{Config, Model, Sampling, Session, Settings, UNTRAINED_SEED, Weights};
use serde::{Deserialize, Serialize};
use wasm_bindgen_test::wasm_bindgen_test;

/// Contained in the test itself: WebAssembly has no files.
const RUNS: &str = include_str!("../../tests/golden/run.json");
const DRAWS: &str = include_str!("../../tests/golden/draws.json");

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Runs {
    runs: Vec<Run>,
}

/// One run: what decides it, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Run {
    name: String,
    prompt: String,
    sampling: Method,
    seed: u64,
    stop: Vec<String>,
    max_tokens: Option<usize>,
    tokens: Vec<u32>,
    text: String,
    stopped: Stopped,
    passes: Vec<Row>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
enum Method {
    Greedy,
    Temperature { temperature: f64 },
    TopK { temperature: f64, top_k: u64 },
    TopP { temperature: f64, top_p: f64 },
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stopped {
    reason: String,
    #[serde(rename = "match")]
    matched: Option<String>,
}

/// One forward pass; the logits as bit patterns, because their text would have to be read in the same way everywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Row {
    draw: Option<f64>,
    flops: u64,
    logit_bits: Vec<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    lists: Vec<List>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    seed: u64,
    draws: Vec<f64>,
}

impl Run {
    fn session(&self, cache: bool) -> Session {
        let config = Config::default();
        let weights = Weights::untrained(&config, UNTRAINED_SEED).unwrap();
        let sampling = match self.sampling {
            Method::Greedy => Sampling::Greedy,
            Method::Temperature { temperature } => Sampling::Temperature { temperature },
            Method::TopK { temperature, top_k } => Sampling::TopK { temperature, top_k },
            Method::TopP { temperature, top_p } => Sampling::TopP { temperature, top_p },
        };
        let stop = StopStrings::new(self.stop.clone()).unwrap();
        let settings = Settings { sampling, seed: Some(self.seed), stop, max_tokens: self.max_tokens, cache };
        Session::new(Model::new(config, weights).unwrap(), settings).unwrap()
    }

    /// The same settings, and what comes of them here and now. Flops are those of a run with the cache, in any case.
    fn again(&self, cache: bool) -> Self {
        let mut session = self.session(cache);
        let mut logits = Vec::new();
        session.prefill_text(&self.prompt).unwrap();
        loop {
            logits.push(session.logits().iter().map(|logit| logit.to_bits()).collect());
            if session.stop().is_some() {
                break;
            }
            session.decode_step().unwrap();
        }
        let cost = |index: usize| match (cache, self.passes.get(index)) {
            (false, Some(row)) => row.flops,
            _ => session.log()[index].flops.total(),
        };
        let rows = session.log().iter().zip(logits).enumerate();
        let stop = session.stop().unwrap();
        Self {
            tokens: session.tokens().to_vec(),
            text: session.text(),
            stopped: Stopped { reason: stop.reason.name().into(), matched: stop.matched.clone() },
            passes: rows
                .map(|(index, (pass, logit_bits))| Row { draw: pass.draw, flops: cost(index), logit_bits })
                .collect(),
            ..self.clone()
        }
    }
}

fn stored_runs() -> Vec<Run> {
    serde_json::from_str::<Runs>(RUNS).unwrap().runs
}

/// Settings of the stored runs, with nothing come of them yet.
fn planned_runs() -> Vec<Run> {
    let run = |prompt: &str, sampling, seed, stop: &[&str], max_tokens| Run {
        name: String::new(),
        prompt: prompt.into(),
        sampling,
        seed,
        stop: stop.iter().map(ToString::to_string).collect(),
        max_tokens,
        tokens: Vec::new(),
        text: String::new(),
        stopped: Stopped::default(),
        passes: Vec::new(),
    };
    let mut runs = [
        run("the cat sat", Method::Greedy, 0, &[], Some(32)),
        run("hello, world", Method::Temperature { temperature: 0.9 }, 7, &[], Some(32)),
        run("once upon a time", Method::TopK { temperature: 1.2, top_k: 8 }, 42, &[], Some(32)),
        run("the sun", Method::TopP { temperature: 1.0, top_p: 0.9 }, 0, &["."], None),
        run("so", Method::TopP { temperature: 1.0, top_p: 0.9 }, 0, &["."], None),
    ];
    for (run, name) in
        runs.iter_mut().zip(["greedy", "temperature", "top-k", "top-p to a stop string", "top-p to the end of text"])
    {
        run.name = name.into();
    }
    runs.to_vec()
}

const SEEDS: [u64; 4] = [0, 1, 42, (1 << 32) + 7];
const DRAWS_PER_SEED: usize = 1000;

fn assert_same(now: &Run, stored: &Run, how: &str) {
    // Piece by piece: a run has thousands of numbers, and the first that differs is the news.
    let name = &stored.name;
    assert_eq!(now.passes.len(), stored.passes.len(), "{name}, {how}: passes");
    for (index, (now, stored)) in now.passes.iter().zip(&stored.passes).enumerate() {
        let pass = index + 1;
        assert_eq!(now.logit_bits, stored.logit_bits, "{name}, {how}, pass {pass}: bits of the logits");
        assert_eq!(now.draw.map(f64::to_bits), stored.draw.map(f64::to_bits), "{name}, {how}, pass {pass}: draw");
        assert_eq!(now.flops, stored.flops, "{name}, {how}, pass {pass}: flops");
    }
    assert_eq!(now, stored, "{how}");
}

#[wasm_bindgen_test(unsupported = test)]
fn the_files_hold_what_they_should() {
    let settings =
        |run: Run| Run { tokens: vec![], text: String::new(), stopped: Stopped::default(), passes: vec![], ..run };
    assert_eq!(stored_runs().into_iter().map(settings).collect::<Vec<_>>(), planned_runs());
    // Prompts are chosen for their ends; other weights would call for other prompts.
    let ends = ["max-tokens", "max-tokens", "max-tokens", "stop-string", "end-of-text"];
    assert_eq!(stored_runs().into_iter().map(|run| run.stopped.reason).collect::<Vec<_>>(), ends);
    let lists = serde_json::from_str::<Lists>(DRAWS).unwrap().lists;
    assert_eq!(lists.iter().map(|list| list.seed).collect::<Vec<_>>(), SEEDS);
    assert!(lists.iter().all(|list| list.draws.len() == DRAWS_PER_SEED));
}

#[wasm_bindgen_test(unsupported = test)]
fn runs_repeat_bit_for_bit() {
    for stored in stored_runs() {
        assert_same(&stored.again(true), &stored, "with the cache");
        assert_same(&stored.again(false), &stored, "without the cache");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_rewound_run_repeats_bit_for_bit() {
    for stored in stored_runs() {
        let mut session = stored.session(true);
        session.prefill_text(&stored.prompt).unwrap();
        while session.stop().is_none() {
            session.decode_step().unwrap();
        }
        let middle = stored.passes.len() / 2;
        session.rewind(middle).unwrap();
        for row in &stored.passes[middle..] {
            session.decode_step().unwrap();
            assert_eq!(session.logits().iter().map(|logit| logit.to_bits()).collect::<Vec<_>>(), row.logit_bits);
        }
        assert_eq!((session.tokens(), session.text()), (stored.tokens.as_slice(), stored.text));
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn the_default_run_costs_what_the_table_says() {
    let greedy = &stored_runs()[0];
    assert_eq!(greedy.passes.len(), 21);
    assert_eq!((greedy.passes[0].flops, greedy.passes[1].flops), (173_184, 15_872));
    assert_eq!(greedy.passes.iter().map(|pass| pass.flops).sum::<u64>(), 514_944);
    let mut without = greedy.session(false);
    without.prefill_text(&greedy.prompt).unwrap();
    while without.stop().is_none() {
        without.decode_step().unwrap();
    }
    assert_eq!(without.log().iter().map(|pass| pass.flops.total()).sum::<u64>(), 7_606_144);
}

#[wasm_bindgen_test(unsupported = test)]
fn draws_are_the_stored_ones() {
    for List { seed, draws } in serde_json::from_str::<Lists>(DRAWS).unwrap().lists {
        let mut list = Draws::new(Some(seed)).unwrap();
        for (index, draw) in draws.iter().enumerate() {
            assert_eq!(list.at(index).to_bits(), draw.to_bits(), "seed {seed}, draw {index}");
        }
    }
}

/// Writes both files anew: for a change that is meant to change what comes out, and is announced as such.
#[cfg(not(target_arch = "wasm32"))]
#[test]
#[ignore = "rewrites tests/golden/run.json and draws.json"]
fn write_golden_runs() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden");
    let runs = planned_runs().iter().map(|run| run.again(true)).collect();
    let list = |seed| {
        let mut draws = Draws::new(Some(seed)).unwrap();
        List { seed, draws: (0..DRAWS_PER_SEED).map(|index| draws.at(index)).collect() }
    };
    let lists = SEEDS.map(list).into();
    // One line for each run, pass and list: a difference between two versions stays readable.
    let runs = serde_json::to_string(&Runs { runs }).unwrap();
    let runs = runs.replace("{\"name\"", "\n{\"name\"").replace("{\"draw\"", "\n{\"draw\"");
    let lists = serde_json::to_string(&Lists { lists }).unwrap().replace("{\"seed\"", "\n{\"seed\"");
    std::fs::write(format!("{folder}/run.json"), runs + "\n").unwrap();
    std::fs::write(format!("{folder}/draws.json"), lists + "\n").unwrap();
}
