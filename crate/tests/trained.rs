//! The trained weights that are shipped, against Hugging Face's transformers on the same file.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a file that cannot be read is a failed test")]

use std::fs;
use std::path::Path;

use generation_loop::Config;
use generation_loop::cache::KvCache;
use generation_loop::model::{Activations, Model};
use generation_loop::weights::TensorMap;
use half::f16;
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    prompt: String,
    ids: Vec<u32>,
    logits: Vec<f32>,
    /// Of the last position, by layer and head.
    attention: Vec<Vec<Vec<f32>>>,
}

fn trained() -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/trained/model.safetensors");
    let bytes = fs::read(path).unwrap();
    let config = Config::default();
    let mut map = TensorMap::new(&config).unwrap();
    for (name, tensor) in SafeTensors::deserialize(&bytes).unwrap().iter() {
        assert_eq!(tensor.dtype(), Dtype::F16, "{name}");
        let (pairs, rest) = tensor.data().as_chunks::<2>();
        assert!(rest.is_empty(), "{name}");
        let numbers: Vec<f32> = pairs.iter().map(|pair| f16::from_le_bytes(*pair).to_f32()).collect();
        map.insert(name, tensor.shape(), &numbers).unwrap();
    }
    Model::new(config, map.into_weights().unwrap()).unwrap()
}

/// The absolute difference that is allowed.
const TOLERANCE: f32 = 1e-4;

#[test]
fn logits_and_attention_of_the_trained_weights_agree_with_transformers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/trained.json");
    let golden: Golden = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(golden.cases.len() >= 10);
    let model = trained();
    let (mut largest, mut largest_weight) = (0.0_f32, 0.0_f32);
    for Case { prompt, ids, logits, attention } in golden.cases {
        let mut cache = KvCache::new(model.config()).unwrap();
        let mut activations = Activations::new(model.config()).unwrap();
        model.prefill(&ids, &mut cache, &mut activations).unwrap();
        let found = activations.last_logits(model.config());
        assert_eq!(found.len(), logits.len());
        let difference = found.iter().zip(&logits).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(difference <= TOLERANCE, "{prompt:?}: {difference}");
        largest = largest.max(difference);
        let Config { n_layer, n_head, .. } = *model.config();
        for (layer, head) in (0..n_layer).flat_map(|layer| (0..n_head).map(move |head| (layer, head))) {
            let (found, right) = (activations.attention(model.config(), layer, head), &attention[layer][head]);
            assert_eq!(found.len(), right.len());
            let difference = found.iter().zip(right).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(difference <= 1e-6, "{prompt:?}, layer {layer}, head {head}: {difference}");
            largest_weight = largest_weight.max(difference);
        }
    }
    println!("largest difference of a logit: {largest:e}, of an attention weight: {largest_weight:e}");
}
