//! The golden models: shapes and tensors as Hugging Face's transformers wrote them.

use std::fs;
use std::path::PathBuf;

use generation_loop::weights::TensorMap;
use generation_loop::{Config, Error, Model};
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;

/// Every folder of models; a folder that is added has to be named here, and a test compares the two.
pub(crate) const MODELS: [&str; 6] =
    ["deep-small-heads", "default", "odd-inner", "odd-vocab", "tied-narrow", "vocab-1000-tied"];

/// One tensor as it stands in the file.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Vec<f32>,
}

pub(crate) fn path(inside: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/golden").join(inside)
}

pub(crate) fn config(model: &str) -> Config {
    /// The keys of `config.json`; those that are the same for every GPT-2 are not read.
    #[derive(Deserialize)]
    struct File {
        n_layer: usize,
        n_head: usize,
        n_embd: usize,
        n_inner: usize,
        vocab_size: usize,
        n_positions: usize,
        layer_norm_epsilon: f32,
        tie_word_embeddings: bool,
        eos_token_id: Option<u32>,
    }
    let text = fs::read_to_string(path(&format!("models/{model}/config.json"))).unwrap();
    let file: File = serde_json::from_str(&text).unwrap();
    Config {
        n_layer: file.n_layer,
        n_head: file.n_head,
        n_embd: file.n_embd,
        n_inner: file.n_inner,
        vocab_size: file.vocab_size,
        n_positions: file.n_positions,
        layer_norm_epsilon: file.layer_norm_epsilon,
        tie_word_embeddings: file.tie_word_embeddings,
        eos_token_id: file.eos_token_id,
    }
}

/// All tensors of the file, by name, whatever order the file has them in.
pub(crate) fn tensors(model: &str) -> Vec<Tensor> {
    let bytes = fs::read(path(&format!("models/{model}/model.safetensors"))).unwrap();
    let mut tensors: Vec<Tensor> = SafeTensors::deserialize(&bytes)
        .unwrap()
        .iter()
        .map(|(name, view)| {
            assert_eq!(view.dtype(), Dtype::F32, "{model}: {name}");
            let (numbers, rest) = view.data().as_chunks::<4>();
            assert!(rest.is_empty(), "{model}: {name}");
            let data = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
            Tensor { name: name.to_string(), shape: view.shape().to_vec(), data }
        })
        .collect();
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    tensors
}

/// A model of these tensors, or the first error on the way.
pub(crate) fn model(config: &Config, tensors: &[Tensor]) -> Result<Model, Error> {
    let mut map = TensorMap::new(config)?;
    for Tensor { name, shape, data } in tensors {
        map.insert(name, shape, data)?;
    }
    Model::new(config.clone(), map.into_weights()?)
}
