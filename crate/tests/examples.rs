//! The examples, started as a reader starts them: they print what the crate's README shows, and refuse what has no meaning.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "an example that cannot be started is a failed test")]

use std::process::{Command, Output};

const README: &str = include_str!("../README.md");

/// What the README has between a line that starts an example and the end of its block.
fn shown(command: &str) -> Vec<&'static str> {
    let opening = format!("$ cargo run --example {command}");
    let mut lines = README.lines().skip_while(|line| *line != opening);
    assert!(lines.next().is_some(), "the README does not show {command}");
    lines.take_while(|line| *line != "```").collect()
}

/// By cargo, which has built the examples already where all tests run, and builds them now where only these do.
fn start(example: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["run", "--quiet", "--offline", "--package", "generation-loop", "--example", example, "--"])
        .args(arguments)
        .output()
        .unwrap()
}

fn printed(example: &str, arguments: &[&str]) -> String {
    let output = start(example, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The rows of the table that `run` prints: pass, phase, tokens in, context, FLOPs, FLOPs without the cache, draw, token.
fn rows(text: &str) -> Vec<[String; 8]> {
    let table: Vec<&str> =
        text.lines().skip_while(|line| !line.starts_with("pass")).take_while(|line| !line.is_empty()).collect();
    // The last column, where there may be spaces in a cell.
    let last = table[0].rfind("token").unwrap();
    let cells = |line: &&str| {
        let numbers: String = line.chars().take(last).collect();
        let token: String = line.chars().skip(last).collect();
        let cells = numbers.split_whitespace().chain([token.as_str()]).map(ToString::to_string);
        cells.collect::<Vec<_>>().try_into().unwrap()
    };
    table[1..].iter().map(cells).collect()
}

/// What follows `name` at the beginning of a line.
fn line<'a>(text: &'a str, name: &str) -> &'a str {
    text.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim()
}

#[test]
fn run_prints_what_the_readme_shows() {
    let printed = printed("run", &["the cat sat"]);
    assert_eq!(printed.lines().collect::<Vec<_>>(), shown("run -- \"the cat sat\""));
    // prefill(11) and decode(12), as the whole project tells them.
    let rows = rows(&printed);
    assert_eq!(rows[0], ["1", "prefill", "11", "11", "173,184", "173,184", "–", "\" \""]);
    assert_eq!(rows[1], ["2", "decode", "1", "12", "15,872", "190,464", "–", "\"b\""]);
}

#[test]
fn cost_prints_what_the_readme_shows() {
    assert_eq!(printed("cost", &["gpt2"]).lines().collect::<Vec<_>>(), shown("cost -- gpt2"));
}

#[test]
fn without_the_cache_the_same_text_costs_more() {
    let with = printed("run", &["the cat sat"]);
    let without = printed("run", &["the cat sat", "--no-cache"]);
    for name in ["prompt", "generated", "stopped", "FLOPs with the cache", "FLOPs without it"] {
        assert_eq!(line(&with, name), line(&without, name));
    }
    let (with, without) = (rows(&with), rows(&without));
    assert_eq!(with.len(), without.len());
    for (with, without) in with.iter().zip(&without) {
        // All tokens go in, and cost what the other run says they would.
        let [pass, phase, _, context, _, cost, draw, token] = with.clone();
        assert_eq!(*without, [pass, phase, context.clone(), context, cost.clone(), cost, draw, token]);
    }
}

#[test]
fn every_method_takes_its_own_numbers_and_a_seed_repeats_its_run() {
    for (arguments, heading) in [
        (&["--sampling", "temperature"][..], "trained weights, temperature 1, seed 7, with the cache"),
        (
            &["--sampling=top-k", "--top-k=3", "--temperature=1.5"],
            "trained weights, top-k 3 at temperature 1.5, seed 7, with the cache",
        ),
        (
            &["--sampling", "top-p", "--top-p", "0.5", "--untrained"],
            "untrained weights, top-p 0.5 at temperature 1, seed 7, with the cache",
        ),
    ] {
        let arguments = [arguments, &["--seed", "7", "so"]].concat();
        let once = printed("run", &arguments);
        assert_eq!(line(&once, ""), heading);
        assert!(rows(&once).iter().all(|row| (0.0..1.0).contains(&row[6].parse::<f64>().unwrap())), "{once}");
        assert_eq!(printed("run", &arguments), once);
    }
}

#[test]
fn a_run_ends_as_it_is_told_to() {
    for (arguments, stopped) in [
        (&["--stop", "zz", "--stop", "by"][..], "stop-string \"by\", after 3 passes"),
        (&["--max-tokens", "15"], "max-tokens, after 4 passes"),
        (&["--untrained", "--max-tokens", "none"], "context-full, after 117 passes"),
        (&["--untrained"], "max-tokens, after 21 passes"),
    ] {
        assert_eq!(line(&printed("run", &[arguments, &["the cat sat"]].concat()), "stopped"), stopped);
    }
}

#[test]
fn what_has_no_meaning_is_refused_with_its_value_and_what_is_allowed() {
    let numbers = "allowed: a finite number, at least 0";
    for (arguments, message) in [
        (&[][..], "the prompt is missing; --help says what is allowed"),
        (&["the", "cat"], "the prompt was given twice; a prompt of several words needs quotes"),
        (&["é"], "unsupported: \"é\" (U+00E9) at 1. Allowed: a–z, 0–9, space, newline and"),
        (&["a", "--sampling", "best"], "--sampling is \"best\"; allowed: greedy, temperature, top-k, top-p"),
        (&["a", "--top-k", "8"], "--top-k has no meaning for --sampling greedy; allowed with: top-k"),
        (
            &["a", "--temperature", "1"],
            "--temperature has no meaning for --sampling greedy; allowed with: temperature, top-k, top-p",
        ),
        (
            &["a", "--sampling", "top-k", "--top-p", "1"],
            "--top-p has no meaning for --sampling top-k; allowed with: top-p",
        ),
        (&["a", "--sampling", "top-k", "--top-k", "1.5"], "--top-k is \"1.5\"; allowed: a whole number, at least 0"),
        (&["a", "--sampling", "temperature", "--temperature", "hot"], &format!("--temperature is \"hot\"; {numbers}")),
        (&["a", "--sampling", "temperature", "--temperature=-1"], &format!("temperature is -1; {numbers}")),
        (&["a", "--sampling", "top-p", "--top-p", "1.5"], "top-p is 1.5; allowed: 0 to 1"),
        (&["a", "--seed", "1", "--seed", "2"], "--seed was given twice"),
        (&["a", "--seed", "9007199254740992"], "seed is 9007199254740992; allowed: a whole number from 0 to"),
        (&["a", "--max-tokens", "many"], "--max-tokens is \"many\"; allowed: a whole number, or none"),
        (&["a", "--max-tokens", "129"], "max-tokens is 129; allowed: 2 to 128, the model's context, or none"),
        (&["a", "--stop", ""], "stop string 1 is empty; at least one character is needed"),
        (&["a", "--samplings", "greedy"], "there is no option --samplings; allowed: --sampling, --temperature, "),
    ] {
        let output = start("run", arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(said.contains(&format!("error: {message}")), "{arguments:?}: {said}");
    }
    let output = start("cost", &["gpt3"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && output.stdout.is_empty());
    let message = "error: there is no shape \"gpt3\"; allowed: one of gpt2, gpt2-medium, gpt2-large, gpt2-xl";
    assert!(said.contains(message), "{said}");
}
