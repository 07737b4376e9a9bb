//! Weights by name: what loads, what is refused, and with which words.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a file that cannot be read is a failed test")]

mod common {
    pub(crate) mod golden;
}

use common::golden::{self, MODELS, Tensor};
use generation_loop::cache::KvCache;
use generation_loop::model::Activations;
use generation_loop::weights::{TensorMap, Weights};
use generation_loop::{Config, Error, Model};

/// Bits of the logits of every position of a short prompt.
fn logits(model: &Model) -> Vec<u32> {
    let config = model.config();
    let (mut cache, mut activations) = (KvCache::new(config).unwrap(), Activations::new(config).unwrap());
    let logits = model.prefill(&[3, 1, 4, 1, 5], &mut cache, &mut activations).unwrap();
    logits.iter().map(|logit| logit.to_bits()).collect()
}

fn loaded(config: &Config, tensors: &[Tensor]) -> Vec<u32> {
    logits(&golden::model(config, tensors).unwrap())
}

fn refused(config: &Config, tensors: &[Tensor]) -> (&'static str, String) {
    let error = golden::model(config, tensors).unwrap_err();
    (error.code(), error.to_string())
}

/// The default model: its shape and its tensors, names without the prefix.
fn untied() -> (Config, Vec<Tensor>) {
    let mut tensors = golden::tensors("default");
    for tensor in &mut tensors {
        tensor.name = short(&tensor.name).to_string();
    }
    (golden::config("default"), tensors)
}

fn short(name: &str) -> &str {
    name.strip_prefix("transformer.").unwrap_or(name)
}

fn place(tensors: &[Tensor], name: &str) -> usize {
    tensors.iter().position(|tensor| short(&tensor.name) == name).unwrap()
}

#[test]
fn names_load_with_and_without_the_prefix() {
    for name in MODELS {
        let (config, tensors) = (golden::config(name), golden::tensors(name));
        let renamed = |rename: fn(&str) -> String| {
            let mut renamed = tensors.clone();
            renamed.iter_mut().for_each(|tensor| tensor.name = rename(&tensor.name));
            loaded(&config, &renamed)
        };
        let as_written = loaded(&config, &tensors);
        assert_eq!(renamed(|name| short(name).to_string()), as_written, "{name}");
        assert_eq!(renamed(|name| format!("transformer.{}", short(name))), as_written, "{name}");
    }
}

#[test]
fn the_order_of_tensors_does_not_matter() {
    let (config, mut tensors) = untied();
    let as_written = loaded(&config, &tensors);
    tensors.reverse();
    assert_eq!(loaded(&config, &tensors), as_written);
}

#[test]
fn the_mask_buffers_of_old_checkpoints_are_ignored() {
    let (config, mut tensors) = untied();
    let as_written = loaded(&config, &tensors);
    let n = config.n_positions;
    for name in ["h.0.attn.bias", "transformer.h.1.attn.bias"] {
        tensors.push(Tensor { name: name.into(), shape: vec![1, 1, n, n], data: vec![1.0; n * n] });
    }
    for name in ["h.0.attn.masked_bias", "transformer.h.1.attn.masked_bias"] {
        tensors.push(Tensor { name: name.into(), shape: vec![], data: vec![-1e4] });
    }
    assert_eq!(loaded(&config, &tensors), as_written);
}

#[test]
fn every_tensor_is_needed() {
    let (config, tensors) = untied();
    assert_eq!(tensors.len(), 4 + 2 * 12 + 1);
    for missing in 0..tensors.len() {
        let mut fewer = tensors.clone();
        let name = fewer.remove(missing).name;
        assert_eq!(refused(&config, &fewer), ("missing-tensor", format!("tensor {name} is missing")));
    }
    assert_eq!(refused(&config, &[]).0, "missing-tensor");
}

#[test]
fn every_shape_is_checked() {
    let (config, tensors) = untied();
    for place in 0..tensors.len() {
        let mut changed = tensors.clone();
        let Tensor { name, shape, .. } = &mut changed[place];
        let expected = shape.clone();
        shape.reverse();
        shape.push(1);
        let message = format!("tensor {name} has shape {shape:?}; expected {expected:?}");
        assert_eq!(refused(&config, &changed), ("tensor-shape", message));
    }

    let mut map = TensorMap::new(&config).unwrap();
    let refuse = |map: &mut TensorMap, shape: &[usize], numbers: usize| {
        let error = map.insert("transformer.h.0.attn.c_proj.weight", shape, &vec![0.0; numbers]).unwrap_err();
        assert_eq!(error.code(), "tensor-shape");
        error.to_string()
    };
    let name = "tensor h.0.attn.c_proj.weight has";
    assert_eq!(refuse(&mut map, &[16, 17], 272), format!("{name} shape [16, 17]; expected [16, 16]"));
    assert_eq!(refuse(&mut map, &[256], 256), format!("{name} shape [256]; expected [16, 16]"));
    for numbers in [0, 255, 257] {
        let expected = format!("{name} {numbers} numbers; expected 256, which fill its shape");
        assert_eq!(refuse(&mut map, &[16, 16], numbers), expected);
    }
    // A product of the shape's numbers would overflow.
    let huge = refuse(&mut map, &[usize::MAX, usize::MAX], 1);
    assert_eq!(huge, format!("{name} shape [{0}, {0}]; expected [16, 16]", usize::MAX));
    // What was refused left no trace.
    map.insert("h.0.attn.c_proj.weight", &[16, 16], &[0.0; 256]).unwrap();
}

#[test]
fn a_tensor_given_twice_is_refused_under_either_name() {
    let (config, mut tensors) = untied();
    for name in ["wte.weight", "transformer.wte.weight"] {
        let mut again = tensors[place(&tensors, "wte.weight")].clone();
        again.name = name.into();
        tensors.push(again);
        assert_eq!(refused(&config, &tensors), ("duplicate-tensor", "tensor wte.weight was given twice".into()));
        tensors.pop();
    }
    // Refused even where the two differ: neither is picked in silence.
    let mut map = TensorMap::new(&config).unwrap();
    map.insert("ln_f.bias", &[16], &[1.0; 16]).unwrap();
    assert_eq!(
        map.insert("transformer.ln_f.bias", &[16], &[2.0; 16]).unwrap_err(),
        Error::DuplicateTensor { name: "ln_f.bias".into() }
    );
}

#[test]
fn unknown_names_are_refused_as_given() {
    let (config, tensors) = untied();
    for name in [
        "transformer.h.2.ln_1.weight",
        "h.0.attn.c_attn.scale",
        "model.layers.0.self_attn.q_proj.weight",
        "transformer.transformer.wte.weight",
        "Wte.weight",
        "h.00.ln_1.weight",
        "",
        "attn.bias",
    ] {
        let mut more = tensors.clone();
        more.push(Tensor { name: name.into(), shape: vec![16], data: vec![0.0; 16] });
        let message = format!("tensor {name} is not part of a GPT-2 of this configuration");
        assert_eq!(refused(&config, &more), ("unknown-tensor", message));
    }
}

/// As Hugging Face's loader does, which unties the two (`transformers` 5, `tie_weights`) and says so.
#[test]
fn a_head_that_is_given_is_the_head_also_of_a_tied_configuration() {
    for name in ["tied-narrow", "odd-vocab", "vocab-1000-tied"] {
        let (config, mut tensors) = (golden::config(name), golden::tensors(name));
        assert!(config.tie_word_embeddings);
        let without = loaded(&config, &tensors);

        let mut head = tensors[place(&tensors, "wte.weight")].clone();
        head.name = "lm_head.weight".into();
        tensors.push(head);
        assert_eq!(loaded(&config, &tensors), without, "{name}");

        if let Some(last) = tensors.last_mut().and_then(|head| head.data.last_mut()) {
            *last += 1.0;
        }
        let different = loaded(&config, &tensors);
        assert_ne!(different, without, "{name}");
        let untied = Config { tie_word_embeddings: false, ..config.clone() };
        assert_eq!(loaded(&untied, &tensors), different, "{name}");
        tensors.pop();
        assert_eq!(refused(&untied, &tensors), ("missing-tensor", "tensor lm_head.weight is missing".into()));

        tensors.remove(place(&tensors, "wte.weight"));
        assert_eq!(refused(&config, &tensors), ("missing-tensor", "tensor wte.weight is missing".into()));
    }
}

/// What a loader learns before it reads the first number, against what the map says once it has read them all.
#[test]
fn names_and_shapes_that_are_announced_meet_what_the_tensors_would() {
    let (config, tensors) = untied();
    let announced = |without: usize| {
        let mut map = TensorMap::new(&config).unwrap();
        for (place, tensor) in tensors.iter().enumerate().filter(|&(place, _)| place != without) {
            assert!(map.announce(&tensor.name, &tensor.shape).unwrap(), "{place}");
        }
        map
    };
    let mut all = announced(usize::MAX);
    all.ensure_complete().unwrap();
    for (place, Tensor { name, shape, .. }) in tensors.iter().enumerate() {
        let missing = Error::MissingTensor { name: name.clone() };
        assert_eq!(announced(place).ensure_complete().unwrap_err(), missing);
        let prefixed = format!("transformer.{}", short(name));
        let twice = Error::DuplicateTensor { name: name.clone() };
        assert_eq!(all.announce(&prefixed, shape).unwrap_err(), twice);
    }
    assert!(!all.announce("transformer.h.0.attn.bias", &[1, 1, 4, 4]).unwrap());
    assert_eq!(all.announce("h.2.ln_1.weight", &[16]).unwrap_err().code(), "unknown-tensor");
    assert_eq!(all.announce("ln_f.weight", &[17]).unwrap_err().code(), "tensor-shape");
    // What was announced is not there yet.
    assert_eq!(all.into_weights().unwrap_err().code(), "missing-tensor");

    let mut tied = TensorMap::new(&Config { tie_word_embeddings: true, ..config.clone() }).unwrap();
    for tensor in tensors.iter().filter(|tensor| tensor.name != "lm_head.weight") {
        tied.announce(&tensor.name, &tensor.shape).unwrap();
    }
    tied.ensure_complete().unwrap();
}

#[test]
fn a_model_of_another_shape_is_refused() {
    let config = Config::default();
    let weights = Weights::untrained(&config, 1).unwrap();
    for other in [
        Config { n_layer: 3, ..config.clone() },
        Config { n_embd: 18, ..config.clone() },
        Config { n_inner: 63, ..config.clone() },
        Config { vocab_size: 65, ..config.clone() },
        Config { n_positions: 127, ..config.clone() },
    ] {
        assert_eq!(Model::new(other.clone(), weights.clone()).unwrap_err(), Error::ShapeMismatch);
        // Neither does a cache of one shape serve a model of another.
        let model = Model::new(config.clone(), weights.clone()).unwrap();
        let mut activations = Activations::new(&config).unwrap();
        let mut cache = KvCache::new(&other).unwrap();
        // The cache knows neither the vocabulary nor the MLP.
        if (other.vocab_size, other.n_inner) == (config.vocab_size, config.n_inner) {
            assert_eq!(model.prefill(&[1], &mut cache, &mut activations).unwrap_err(), Error::ShapeMismatch);
        }
    }
}
