//! A run in the terminal, with the row that each pass leaves in the log: `cargo run --example run -- "the cat sat"`.

use std::error::Error;
use std::process::ExitCode;

use generation_loop::flops::Flops;
use generation_loop::pass::{Pass, Phase};
use generation_loop::{Config, Model, Sampling, Session, UNTRAINED_SEED, Weights};
use lexopt::Parser;

mod common {
    pub(crate) mod arguments;
    pub(crate) mod numbers;
    pub(crate) mod trained;
}

use common::arguments::{self, Arguments, USAGE};
use common::numbers::{grouped, times};
use common::trained;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let config = Config::default();
    let Some(Arguments { prompt, untrained, settings }) = arguments::read(Parser::from_env(), &config)? else {
        println!("{USAGE}");
        return Ok(());
    };
    let model = if untrained {
        let weights = Weights::untrained(&config, UNTRAINED_SEED)?;
        Model::new(config, weights)?
    } else {
        trained::model()?
    };
    let mut session = Session::new(model, settings)?;

    // Nothing is printed before it is known that there is a run.
    let first = session.prefill_text(&prompt)?.clone();
    println!("{}\n", heading(&session, untrained));
    println!("pass  phase    tokens in  context      FLOPs  without cache    draw  token");
    println!("{}", row(&first, &session));
    while session.stop().is_none() {
        let pass = session.decode_step()?.clone();
        println!("{}", row(&pass, &session));
    }
    println!("\n{}", ending(&session));
    Ok(())
}

/// All that decides the run, but for the prompt.
fn heading(session: &Session, untrained: bool) -> String {
    let settings = session.settings();
    let method = match settings.sampling {
        Sampling::Greedy => "greedy".into(),
        Sampling::Temperature { temperature } => format!("temperature {temperature}"),
        Sampling::TopK { temperature, top_k } => format!("top-k {top_k} at temperature {temperature}"),
        Sampling::TopP { temperature, top_p } => format!("top-p {top_p} at temperature {temperature}"),
    };
    // Where nothing is drawn, the seed decides nothing.
    let seed = if settings.sampling.is_greedy() { String::new() } else { format!(", seed {}", session.seed()) };
    let weights = if untrained { "untrained" } else { "trained" };
    let cache = if settings.cache { "with" } else { "without" };
    format!("{weights} weights, {method}{seed}, {cache} the cache")
}

/// A pass as a row of the table.
fn row(pass: &Pass, session: &Session) -> String {
    let Pass { index, phase, tokens_in, context_length, flops, flops_without_cache, draw, token, .. } = pass;
    let draw = draw.map_or("–".into(), |draw| format!("{draw:.4}"));
    let token = match session.tokenizer().piece(token.id) {
        nothing if nothing.is_empty() => "end of text".into(),
        text => format!("{text:?}"),
    };
    let [cost, without] = [flops, flops_without_cache].map(|flops| grouped(flops.total()));
    let phase = phase.name();
    format!("{index:4}  {phase:7}  {tokens_in:9}  {context_length:7}  {cost:>9}  {without:>13}  {draw:>6}  {token}")
}

/// What came of the run, and what it cost.
fn ending(session: &Session) -> String {
    let passes = session.log();
    let prompt = &session.tokens()[..session.tokens().len() - passes.len()];
    let prompt = session.tokenizer().decode(prompt);
    let stopped = session.stop().map_or("no", |stop| stop.reason.name());
    let matched = session.stop().and_then(|stop| stop.matched.as_ref());
    let matched = matched.map_or(String::new(), |text| format!(" {text:?}"));
    let (with, without) = totals(passes, session.config());
    [
        format!("prompt     {prompt:?}"),
        format!("generated  {:?}", session.text()),
        format!("stopped    {stopped}{matched}, after {} passes", passes.len()),
        String::new(),
        format!("FLOPs with the cache  {:>13}", grouped(with)),
        format!("FLOPs without it      {:>13}  {} times as many", grouped(without), times(without, with)),
    ]
    .join("\n")
}

/// FLOPs of all passes with the cache and without, whichever way they were made.
fn totals(passes: &[Pass], config: &Config) -> (u64, u64) {
    let with = |pass: &Pass| match pass.phase {
        Phase::Prefill => Flops::prefill(config, pass.context_length).total(),
        Phase::Decode => Flops::decode(config, pass.context_length).total(),
    };
    (passes.iter().map(with).sum(), passes.iter().map(|pass| pass.flops_without_cache.total()).sum())
}
