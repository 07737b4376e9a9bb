//! The trained weights as a JavaScript module: the numbers of `model.safetensors` in 8 bits each, with nothing lost.
//!
//! Every tensor in the file holds whole multiples, −127 to 127, of a power of two of its own: so they were trained. A
//! reader fetches half of what the file takes.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use base64::prelude::{BASE64_STANDARD, Engine};
use half::f16;
use safetensors::{Dtype, SafeTensors};

/// The module and its types, from the folder with `config.json` and `model.safetensors`.
pub(crate) fn module(folder: &Path) -> Result<(String, String)> {
    let path = folder.join("model.safetensors");
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let file =
        SafeTensors::deserialize(&bytes).with_context(|| format!("{} is no safetensors file", path.display()))?;
    let mut list = String::new();
    let mut levels = Vec::new();
    let mut tensors: Vec<_> = file.iter().collect();
    // In the order of the file; the library's own differs from run to run.
    tensors.sort_by_key(|(_, tensor)| tensor.data().as_ptr());
    for (name, tensor) in tensors {
        ensure!(tensor.dtype() == Dtype::F16, "tensor {name} is {:?}; expected F16", tensor.dtype());
        let numbers: Vec<f32> =
            tensor.data().chunks_exact(2).map(|pair| f16::from_le_bytes([pair[0], pair[1]]).to_f32()).collect();
        let (exponent, multiples) =
            multiples(&numbers).with_context(|| format!("tensor {name} does not fit into 8 bits"))?;
        let name = name.strip_prefix("transformer.").unwrap_or(name);
        writeln!(list, "  [\"{name}\", {:?}, {exponent}],", tensor.shape())?;
        levels.extend(multiples);
    }
    let path = folder.join("config.json");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut config: serde_json::Map<_, _> =
        serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?;
    // Names of the architecture and the like tell loaders of all kinds of models what this one knows.
    config.retain(|key, _| key.starts_with("n_") || key.ends_with("_size") || KEPT.contains(&key.as_str()));
    let deflated = BASE64_STANDARD.encode(crate::deflate(&levels)?);
    // JSON is JavaScript as it stands.
    let module = format!(
        "export const config = {};\nexport const tensors = [\n{list}];\nexport const multiples = \"{deflated}\";\n",
        serde_json::to_string(&config)?
    );
    Ok((module, TYPES.into()))
}

const KEPT: [&str; 3] = ["layer_norm_epsilon", "tie_word_embeddings", "eos_token_id"];

const TYPES: &str = "/** The config.json of the trained weights. */
export declare const config: Record<string, unknown>;
/** Name, shape and exponent of each tensor: its numbers are multiples of two to this power. */
export declare const tensors: [name: string, shape: number[], exponent: number][];
/** The multiples of all tensors, one after the other: signed bytes, deflated (raw), in base64. */
export declare const multiples: string;
";

/// The largest power of two of which all numbers are whole multiples from −127 to 127, and the multiples.
fn multiples(numbers: &[f32]) -> Option<(i32, Vec<u8>)> {
    (-24..=8).rev().find_map(|exponent| {
        let of = |number: &f32| {
            let multiple = number / 2.0_f32.powi(exponent);
            let fits = multiple.fract() == 0.0 && multiple.abs() <= 127.0;
            #[expect(clippy::cast_sign_loss, reason = "the sign goes into the byte's upper bit")]
            fits.then_some(multiple as i8 as u8)
        };
        let multiples: Option<Vec<u8>> = numbers.iter().map(of).collect();
        multiples.map(|multiples| (exponent, multiples))
    })
}
