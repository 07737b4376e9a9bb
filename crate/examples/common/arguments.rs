//! What the command line of `run` may say. Everything else is refused with its value and what is allowed.

use std::error::Error;
use std::str::FromStr;

use generation_loop::stopping::StopStrings;
use generation_loop::{Config, Sampling, Settings};
use lexopt::{Arg, Parser, ValueExt};

/// Said by `--help`.
pub(crate) const USAGE: &str = "\
usage: run [options] <prompt>

  --sampling <method>   greedy (the default), temperature, top-k or top-p
  --temperature <t>     of the three that draw; at least 0, 0 means greedy [1]
  --top-k <k>           of top-k; a whole number, 0 keeps all [8]
  --top-p <p>           of top-p; 0 to 1 [0.9]
  --seed <n>            0 to 9007199254740991 [picked by the system]
  --max-tokens <n>      prompt and generated tokens together, 2 to the context, or none [32]
  --stop <text>         ends the run when it is completed; may be given again
  --untrained           random weights: the same cost, no sense
  --no-cache            recomputes everything in each pass: the same tokens at another cost";

/// Names of the options, for whoever misspelled one.
const OPTIONS: &str =
    "--sampling, --temperature, --top-k, --top-p, --seed, --max-tokens, --stop, --untrained, --no-cache, --help";

/// What was asked for.
pub(crate) struct Arguments {
    pub(crate) prompt: String,
    pub(crate) untrained: bool,
    pub(crate) settings: Settings,
}

/// The options as they come, before it is known which of them belong together.
#[derive(Default)]
struct Given {
    prompt: Option<String>,
    method: Option<String>,
    temperature: Option<f64>,
    top_k: Option<u64>,
    top_p: Option<f64>,
    seed: Option<u64>,
    max_tokens: Option<Limit>,
    stop: Vec<String>,
    untrained: bool,
    no_cache: bool,
}

/// A length limit, or `none`.
struct Limit(Option<usize>);

impl FromStr for Limit {
    type Err = <usize as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" { Ok(Self(None)) } else { text.parse().map(|limit| Self(Some(limit))) }
    }
}

/// What the command line asks for, for a model of this shape; nothing if it asks for help.
pub(crate) fn read(mut parser: Parser, config: &Config) -> Result<Option<Arguments>, Box<dyn Error>> {
    let mut given = Given::default();
    while let Some(argument) = parser.next()? {
        let option = match argument {
            Arg::Value(text) => {
                once(&mut given.prompt, "the prompt", text.string()?)
                    .map_err(|error| format!("{error}; a prompt of several words needs quotes"))?;
                continue;
            }
            Arg::Short(letter) => format!("-{letter}"),
            Arg::Long(name) => format!("--{name}"),
        };
        let whole = "a whole number, at least 0";
        match option.as_str() {
            "--sampling" => once(&mut given.method, &option, parser.value()?.string()?)?,
            "--temperature" => number(&mut given.temperature, &option, &mut parser, "a finite number, at least 0")?,
            "--top-k" => number(&mut given.top_k, &option, &mut parser, whole)?,
            "--top-p" => number(&mut given.top_p, &option, &mut parser, "0 to 1")?,
            "--seed" => number(&mut given.seed, &option, &mut parser, whole)?,
            "--max-tokens" => number(&mut given.max_tokens, &option, &mut parser, "a whole number, or none")?,
            "--stop" => given.stop.push(parser.value()?.string()?),
            "--untrained" => given.untrained = true,
            "--no-cache" => given.no_cache = true,
            "--help" => return Ok(None),
            _ => return Err(format!("there is no option {option}; allowed: {OPTIONS}").into()),
        }
    }
    let defaults = Settings::default_for(config);
    Ok(Some(Arguments {
        settings: Settings {
            sampling: sampling(&given)?,
            seed: given.seed,
            stop: StopStrings::new(given.stop)?,
            max_tokens: given.max_tokens.map_or(defaults.max_tokens, |Limit(limit)| limit),
            cache: !given.no_cache,
        },
        prompt: given.prompt.ok_or("the prompt is missing; --help says what is allowed")?,
        untrained: given.untrained,
    }))
}

/// The method with its own numbers. One that belongs to another method would do nothing, and is refused.
fn sampling(given: &Given) -> Result<Sampling, String> {
    let method = given.method.as_deref().unwrap_or("greedy");
    let temperature = given.temperature.unwrap_or(1.0);
    let (sampling, own) = match method {
        "greedy" => (Sampling::Greedy, ""),
        "temperature" => (Sampling::Temperature { temperature }, "--temperature"),
        "top-k" => (Sampling::TopK { temperature, top_k: given.top_k.unwrap_or(8) }, "--temperature --top-k"),
        "top-p" => (Sampling::TopP { temperature, top_p: given.top_p.unwrap_or(0.9) }, "--temperature --top-p"),
        other => return Err(format!("--sampling is {other:?}; allowed: greedy, temperature, top-k, top-p")),
    };
    for (option, is_there, methods) in [
        ("--temperature", given.temperature.is_some(), "temperature, top-k, top-p"),
        ("--top-k", given.top_k.is_some(), "top-k"),
        ("--top-p", given.top_p.is_some(), "top-p"),
    ] {
        if is_there && !own.contains(option) {
            return Err(format!("{option} has no meaning for --sampling {method}; allowed with: {methods}"));
        }
    }
    Ok(sampling)
}

/// Reads the value of an option; what is in range is the library's to say.
fn number<T: FromStr>(
    slot: &mut Option<T>,
    option: &str,
    parser: &mut Parser,
    allowed: &str,
) -> Result<(), Box<dyn Error>> {
    let text = parser.value()?.string()?;
    let value = text.parse().map_err(|_| format!("{option} is {text:?}; allowed: {allowed}"))?;
    Ok(once(slot, option, value)?)
}

/// Fills `slot`, if it is empty.
fn once<T>(slot: &mut Option<T>, name: &str, value: T) -> Result<(), String> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("{name} was given twice")),
    }
}
