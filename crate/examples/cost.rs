//! What a pass of a larger model costs, with the cache and without: `cargo run --example cost -- gpt2-xl`.
//!
//! No weights are needed for that: the shape alone decides it.

use std::process::ExitCode;

use generation_loop::Config;
use generation_loop::cache::KvCache;
use generation_loop::flops::{Flops, Operation};

mod common {
    pub(crate) mod numbers;
}

use common::numbers::{grouped, times};

/// Name, blocks, heads and width of the models that OpenAI published.
const SHAPES: [(&str, usize, usize, usize); 4] =
    [("gpt2", 12, 12, 768), ("gpt2-medium", 24, 16, 1024), ("gpt2-large", 36, 20, 1280), ("gpt2-xl", 48, 25, 1600)];

/// Tokens of the prompt whose run is added up at the end.
const PROMPT: usize = 16;

fn main() -> ExitCode {
    let name = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => "gpt2".to_string(),
        [name] => name.clone(),
        names => names.join(" "),
    };
    match shape(&name) {
        Some(config) => {
            print!("{}", table(&name, &config));
            ExitCode::SUCCESS
        }
        None => {
            let names = SHAPES.map(|(name, ..)| name).join(", ");
            eprintln!("error: there is no shape {name:?}; allowed: one of {names}");
            ExitCode::FAILURE
        }
    }
}

fn shape(name: &str) -> Option<Config> {
    let &(_, n_layer, n_head, n_embd) = SHAPES.iter().find(|shape| shape.0 == name)?;
    Some(Config {
        n_layer,
        n_head,
        n_embd,
        n_inner: 4 * n_embd,
        vocab_size: 50_257,
        n_positions: 1024,
        layer_norm_epsilon: 1e-5,
        tie_word_embeddings: true,
        eos_token_id: Some(50_256),
    })
}

fn table(name: &str, config: &Config) -> String {
    let Config { n_layer, n_embd, n_positions, .. } = *config;
    let mut lines = vec![
        format!("{name}: {n_layer} blocks of width {n_embd}, {} parameters", grouped(config.parameters())),
        String::new(),
        "   T  FLOPs of decode(T)  of them attention  without the cache  bytes in the cache".into(),
    ];
    for tokens in (0..).map(|power| 1 << power).take_while(|&tokens| tokens <= n_positions) {
        let [with, without] = [Flops::decode(config, tokens), Flops::prefill(config, tokens)];
        // The part that grows with T: the query meets every key, and every value is weighed.
        let attention: u64 =
            [Operation::Scores, Operation::Mix].iter().map(|&part| with.by_operation[part as usize]).sum();
        let share = 100.0 * attention as f64 / with.total() as f64;
        let [decode, prefill] = [&with, &without].map(|flops| grouped(flops.total()));
        let cache = grouped(KvCache::bytes_of(n_layer, n_embd, tokens));
        lines.push(format!("{tokens:4}  {decode:>18}  {share:>15.1} %  {prefill:>17}  {cache:>18}"));
    }
    let prefill = |tokens| Flops::prefill(config, tokens).total();
    let decode = |tokens| Flops::decode(config, tokens).total();
    // The last token is sampled and goes through no pass.
    let with = prefill(PROMPT) + (PROMPT + 1..n_positions).map(decode).sum::<u64>();
    let without = (PROMPT..n_positions).map(prefill).sum::<u64>();
    lines.extend([
        String::new(),
        "Without the cache a pass over T tokens costs T times as much.".into(),
        format!("A run from a prompt of {PROMPT} tokens to the full context of {}:", grouped(n_positions as u64)),
        String::new(),
        format!("FLOPs with the cache  {:>21}", grouped(with)),
        format!("FLOPs without it      {:>21}  {} times as many", grouped(without), times(without, with)),
        String::new(),
    ]);
    lines.join("\n")
}
