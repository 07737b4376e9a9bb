//! The trained weights, read as any GPT-2 is: tensor by tensor, out of a `model.safetensors`.

use std::error::Error;

use generation_loop::weights::TensorMap;
use generation_loop::{Config, Model};
use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

/// Inside the program, so that it runs from any folder.
const FILE: &[u8] = include_bytes!("../../models/trained/model.safetensors");

/// The model that writes short plain sentences; `models/README.md` says how it was trained.
pub(crate) fn model() -> Result<Model, Box<dyn Error>> {
    // The shape that `models/trained/config.json` has, too.
    let config = Config::default();
    let mut tensors = TensorMap::new(&config)?;
    for (name, tensor) in SafeTensors::deserialize(FILE)?.iter() {
        tensors.adopt(name, tensor.shape(), numbers(name, &tensor)?)?;
    }
    Ok(Model::new(config, tensors.into_weights()?)?)
}

/// The numbers of a tensor, row-major, in 32 bits.
fn numbers(name: &str, tensor: &TensorView<'_>) -> Result<Vec<f32>, Box<dyn Error>> {
    // A file that was read has whole numbers only: nothing is left over at the end.
    let data = tensor.data();
    let pairs = || data.as_chunks().0.iter().copied();
    match tensor.dtype() {
        Dtype::F32 => Ok(data.as_chunks().0.iter().copied().map(f32::from_le_bytes).collect()),
        Dtype::F16 => Ok(pairs().map(|pair| f16::from_le_bytes(pair).to_f32()).collect()),
        Dtype::BF16 => Ok(pairs().map(|pair| bf16::from_le_bytes(pair).to_f32()).collect()),
        other => Err(format!("tensor {name} is {other:?}; allowed: F32, F16, BF16").into()),
    }
}
