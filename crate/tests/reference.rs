//! The decoder against Hugging Face's: the same logits from the same files, and the same cuts when sampling.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a file that cannot be read is a failed test")]

mod common {
    pub(crate) mod golden;
}

use std::collections::BTreeMap;
use std::fs;

use common::golden::{self, MODELS, Tensor};
use generation_loop::cache::KvCache;
use generation_loop::math;
use generation_loop::model::{Activations, Model};
use generation_loop::sampling::{Distribution, Filter};
use serde::Deserialize;

const LOGIT_TOLERANCE: f32 = 1e-4;
const PROBABILITY_TOLERANCE: f64 = 1e-5;

#[derive(Deserialize)]
struct Expected {
    prompt: Vec<u32>,
    prefill_logits: Vec<Vec<f32>>,
    decode: Vec<Step>,
    sampling: Vec<Case>,
}

#[derive(Deserialize)]
struct Step {
    token: u32,
    logits: Vec<f32>,
}

#[derive(Deserialize)]
struct Case {
    source: Source,
    temperature: f64,
    top_k: Option<u64>,
    top_p: Option<f64>,
    kept: Vec<u32>,
    probabilities: BTreeMap<u32, f64>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Source {
    Decode(usize),
    Prefill(String),
}

fn expected(model: &str) -> Expected {
    let text = fs::read_to_string(golden::path(&format!("models/{model}/expected.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Logits of every prompt position, then of every decode step.
fn logits_of(model: &Model, expected: &Expected) -> Vec<Vec<f32>> {
    let config = model.config();
    let (mut cache, mut activations) = (KvCache::new(config).unwrap(), Activations::new(config).unwrap());
    let prefill = model.prefill(&expected.prompt, &mut cache, &mut activations).unwrap();
    let mut rows: Vec<Vec<f32>> = prefill.chunks_exact(config.vocab_size).map(<[f32]>::to_vec).collect();
    for step in &expected.decode {
        rows.push(model.decode_step(step.token, &mut cache, &mut activations).unwrap().to_vec());
    }
    rows
}

fn largest_difference(rows: &[Vec<f32>], expected: &Expected) -> f32 {
    let references = expected.prefill_logits.iter().chain(expected.decode.iter().map(|step| &step.logits));
    assert_eq!(rows.len(), references.clone().count());
    let mut largest = 0.0_f32;
    for (row, reference) in rows.iter().zip(references) {
        assert_eq!(row.len(), reference.len());
        for (a, b) in row.iter().zip(reference) {
            // `max` would drop a NaN.
            assert!((a - b).is_finite(), "{a} for {b}");
            largest = largest.max((a - b).abs());
        }
    }
    largest
}

fn argmax(logits: &[f32]) -> usize {
    (0..logits.len()).rev().max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap()
}

#[test]
fn every_folder_of_models_is_read() {
    let mut folders: Vec<String> = fs::read_dir(golden::path("models"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    folders.sort();
    assert_eq!(folders, MODELS);
}

#[test]
fn logits_of_prefill_and_decode_are_those_of_transformers() {
    let mut largest = 0.0_f32;
    for name in MODELS {
        let (config, expected) = (golden::config(name), expected(name));
        assert_eq!(expected.decode.len(), 12);
        let rows = logits_of(&golden::model(&config, &golden::tensors(name)).unwrap(), &expected);
        let difference = largest_difference(&rows, &expected);
        println!("{name:17} largest logit difference {difference:.2e}");
        assert!(difference <= LOGIT_TOLERANCE, "{name}: {difference}");
        let references = expected.prefill_logits.iter().chain(expected.decode.iter().map(|step| &step.logits));
        for (place, (row, reference)) in rows.iter().zip(references).enumerate() {
            assert_eq!(argmax(row), argmax(reference), "{name}, row {place}");
        }
        largest = largest.max(difference);
    }
    println!("{:17} largest logit difference {largest:.2e}", "all models");
    assert!(largest <= LOGIT_TOLERANCE);
}

/// A tolerance proves nothing unless mistakes exceed it: each tensor, left out or transposed, has to show.
#[test]
fn the_reference_notices_every_tensor() {
    let neutral = |tensor: &Tensor| if tensor.name.contains("ln_") && tensor.shape.len() == 1 { 1.0 } else { 0.0 };
    for name in MODELS {
        let (config, tensors, expected) = (golden::config(name), golden::tensors(name), expected(name));
        let difference = |place: usize, data: Vec<f32>| {
            let mut changed = tensors.clone();
            changed[place].data = data;
            let model = golden::model(&config, &changed).unwrap();
            largest_difference(&logits_of(&model, &expected), &expected)
        };
        for (place, tensor) in tensors.iter().enumerate() {
            let value = if tensor.name.ends_with(".bias") { 0.0 } else { neutral(tensor) };
            let left_out = difference(place, vec![value; tensor.data.len()]);
            assert!(left_out > 100.0 * LOGIT_TOLERANCE, "{name}: {} left out changes {left_out}", tensor.name);
            if let [rows, columns] = *tensor.shape {
                // In a square matrix a transpose forgotten is silent; in any other it is a wrong stride.
                let transposed = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j)));
                let transposed = transposed.map(|(i, j)| tensor.data[i * columns + j]).collect();
                let transposed = difference(place, transposed);
                assert!(transposed > 100.0 * LOGIT_TOLERANCE, "{name}: {} transposed: {transposed}", tensor.name);
            }
        }
    }
}

#[test]
fn sampling_keeps_what_transformers_keeps() {
    let (mut cases, mut largest) = (0, 0.0_f64);
    for name in MODELS {
        let (config, expected) = (golden::config(name), expected(name));
        let rows = logits_of(&golden::model(&config, &golden::tensors(name)).unwrap(), &expected);
        for case in &expected.sampling {
            let row = match &case.source {
                Source::Decode(step) => expected.prompt.len() + step,
                Source::Prefill(phase) => {
                    assert_eq!(phase, "prefill");
                    expected.prompt.len() - 1
                }
            };
            let filter = Filter {
                temperature: case.temperature,
                top_k: case.top_k.unwrap_or(Filter::NONE.top_k),
                top_p: case.top_p.unwrap_or(Filter::NONE.top_p),
            };
            let distribution = Distribution::new(&rows[row], filter).unwrap();
            let mut kept: Vec<(u32, f64)> = distribution.candidates()[..distribution.kept()]
                .iter()
                .map(|candidate| (candidate.id, candidate.sampling_probability))
                .filter(|(_, probability)| *probability > 0.0)
                .collect();
            kept.sort_by_key(|(id, _)| *id);
            let label = format!("{name} {:?} {filter:?}", case.source);
            assert_eq!(kept.iter().map(|(id, _)| *id).collect::<Vec<_>>(), case.kept, "{label}");
            assert_eq!(case.kept.len(), case.probabilities.len());
            for (id, probability) in kept {
                let difference = (probability - case.probabilities[&id]).abs();
                assert!(difference <= PROBABILITY_TOLERANCE, "{label}: token {id} is {difference} off");
                largest = largest.max(difference);
            }
            cases += 1;
        }
    }
    println!("{cases} sampling cases, largest probability difference {largest:.2e}");
    assert!(cases >= 300);
}

#[test]
fn functions_are_those_of_sixty_digit_arithmetic() {
    #[derive(Deserialize)]
    struct Functions {
        gelu_new: Vec<(f32, f64)>,
        exp: Vec<(f32, f64)>,
        softmax: Vec<(Vec<f32>, Vec<f64>)>,
    }
    let text = fs::read_to_string(golden::path("functions.json")).unwrap();
    let functions: Functions = serde_json::from_str(&text).unwrap();

    for (x, right) in functions.exp {
        let difference = (f64::from(math::exp(x)) - right).abs();
        // Below the smallest normal number a unit in the last place no longer shrinks with the value.
        let allowed = if right < f64::from(f32::MIN_POSITIVE) { 2e-45 } else { 2.5e-7 * right };
        assert!(difference <= allowed, "exp({x}) is {difference:e} off {right:e}");
    }
    for (x, right) in functions.gelu_new {
        let mut value = [x];
        math::gelu(&mut value);
        let difference = (f64::from(value[0]) - right).abs();
        // The tail falls off like e^(−2u), and f32 holds u to one part in 10⁷.
        assert!(difference <= 2e-7 + 5e-7 * right.abs(), "gelu({x}) is {difference:e} off {right:e}");
    }
    for (mut x, right) in functions.softmax {
        math::softmax(&mut x);
        assert_eq!(x.len(), right.len());
        for (probability, right) in x.iter().zip(&right) {
            let difference = (f64::from(*probability) - right).abs();
            assert!(difference <= 3e-7, "softmax: {probability} is {difference:e} off {right:e}");
        }
    }
}
