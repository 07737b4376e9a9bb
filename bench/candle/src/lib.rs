//! GPT-2 on candle, built like the models of candle-transformers: modules that load themselves from a `VarBuilder` and go
//! forward by candle's own operators. There is one sequence, so no dimension for a batch but where attention asks for it.
//!
//! `candle.js` is the other side. What it calls has no glue: it writes into memory where a function tells it to, and the two
//! values that live between calls, [`Loader`] and [`Session`], are pointers there.

use std::collections::HashMap;

use candle_core::{DType, Device, IndexOp, Module, Result, Tensor};
use candle_nn::attention::{AttnMask, flash_attn};
use candle_nn::{Embedding, LayerNorm, Linear, VarBuilder, embedding, layer_norm, ops};

struct Config {
    n_layer: usize,
    n_head: usize,
    n_embd: usize,
    n_inner: usize,
    vocab_size: usize,
    n_positions: usize,
    layer_norm_epsilon: f64,
}

/// A linear layer whose weight is stored (in, out), as GPT-2's are. candle's `Linear` takes it (out, in) and turns it once
/// more, so the two turns cancel out and nothing is moved: rows of outputs are what candle multiplies fastest.
fn conv1d(n_in: usize, n_out: usize, vb: VarBuilder) -> Result<Linear> {
    Ok(Linear::new(vb.get((n_in, n_out), "weight")?.t()?, Some(vb.get(n_out, "bias")?)))
}

struct Attention {
    c_attn: Linear,
    c_proj: Linear,
    /// Of every position there may be, (1, position, head, d): new ones are written in place, and rewinding is free.
    keys: Tensor,
    values: Tensor,
    n_head: usize,
}

impl Attention {
    fn load(vb: VarBuilder, config: &Config) -> Result<Self> {
        let &Config { n_embd, n_head, n_positions, .. } = config;
        let cache = || Tensor::zeros((1, n_positions, n_head, n_embd / n_head), DType::F32, vb.device());
        Ok(Self {
            c_attn: conv1d(n_embd, 3 * n_embd, vb.pp("c_attn"))?,
            c_proj: conv1d(n_embd, n_embd, vb.pp("c_proj"))?,
            keys: cache()?,
            values: cache()?,
            n_head,
        })
    }

    fn forward(&self, x: &Tensor, past: usize) -> Result<Tensor> {
        let (length, width) = x.dims2()?;
        let size = width / self.n_head;
        let qkv = self.c_attn.forward(x)?;
        let part = |index| qkv.narrow(1, index * width, width)?.contiguous()?.reshape((1, length, self.n_head, size));
        self.keys.slice_set(&part(1)?, 1, past)?;
        self.values.slice_set(&part(2)?, 1, past)?;
        let keys = self.keys.narrow(1, 0, past + length)?;
        let values = self.values.narrow(1, 0, past + length)?;
        let scale = 1.0 / (size as f32).sqrt();
        let mask = AttnMask::causal_with_offset(past);
        let mixed = flash_attn::<f32>(&part(0)?, &keys, &values, scale, mask, None, None)?;
        self.c_proj.forward(&mixed.transpose(1, 2)?.reshape((length, width))?)
    }
}

/// GELU with tanh. libm's tanh, which candle's operator calls, takes a third of a prefill at D = 128. The same by a sigmoid is
/// faster in spite of its four intermediate results, unless there are only few numbers.
fn gelu(x: &Tensor) -> Result<Tensor> {
    if x.elem_count() < 256 {
        return x.gelu();
    }
    let twice = (8.0 / std::f64::consts::PI).sqrt();
    x * ops::sigmoid(&(x * x.sqr()?.affine(0.044715 * twice, twice)?)?)?
}

struct Mlp {
    c_fc: Linear,
    c_proj: Linear,
}

impl Mlp {
    fn load(vb: VarBuilder, config: &Config) -> Result<Self> {
        Ok(Self {
            c_fc: conv1d(config.n_embd, config.n_inner, vb.pp("c_fc"))?,
            c_proj: conv1d(config.n_inner, config.n_embd, vb.pp("c_proj"))?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.c_proj.forward(&gelu(&self.c_fc.forward(x)?)?)
    }
}

struct Block {
    ln_1: LayerNorm,
    attn: Attention,
    ln_2: LayerNorm,
    mlp: Mlp,
}

impl Block {
    fn load(vb: VarBuilder, config: &Config) -> Result<Self> {
        Ok(Self {
            ln_1: layer_norm(config.n_embd, config.layer_norm_epsilon, vb.pp("ln_1"))?,
            attn: Attention::load(vb.pp("attn"), config)?,
            ln_2: layer_norm(config.n_embd, config.layer_norm_epsilon, vb.pp("ln_2"))?,
            mlp: Mlp::load(vb.pp("mlp"), config)?,
        })
    }

    fn forward(&self, x: &Tensor, past: usize) -> Result<Tensor> {
        let x = (x + self.attn.forward(&self.ln_1.forward(x)?, past)?)?;
        &x + self.mlp.forward(&self.ln_2.forward(&x)?)?
    }
}

struct Gpt2 {
    wte: Embedding,
    wpe: Tensor,
    blocks: Vec<Block>,
    ln_f: LayerNorm,
    lm_head: Linear,
}

impl Gpt2 {
    fn load(vb: VarBuilder, config: &Config) -> Result<Self> {
        let &Config { n_layer, n_embd, vocab_size, n_positions, layer_norm_epsilon, .. } = config;
        let own_head = vb.contains_tensor("lm_head.weight");
        let head = if own_head { "lm_head.weight" } else { "wte.weight" };
        Ok(Self {
            wte: embedding(vocab_size, n_embd, vb.pp("wte"))?,
            wpe: vb.get((n_positions, n_embd), "wpe.weight")?,
            blocks: (0..n_layer)
                .map(|layer| Block::load(vb.pp(format!("h.{layer}")), config))
                .collect::<Result<_>>()?,
            ln_f: layer_norm(n_embd, layer_norm_epsilon, vb.pp("ln_f"))?,
            lm_head: Linear::new(vb.get((vocab_size, n_embd), head)?, None),
        })
    }

    /// Logits of every new position.
    fn forward(&self, ids: &[u32], past: usize) -> Result<Tensor> {
        let ids = Tensor::new(ids, self.wpe.device())?;
        let mut x = (self.wte.forward(&ids)? + self.wpe.narrow(0, past, ids.elem_count())?)?;
        for block in &self.blocks {
            x = block.forward(&x, past)?;
        }
        self.lm_head.forward(&self.ln_f.forward(&x)?)
    }
}

/// Collects the weights, one after another.
#[derive(Default)]
pub struct Loader {
    tensors: HashMap<String, Tensor>,
    name: Vec<u8>,
    data: Vec<f32>,
}

/// A model, with what it was last given and gave.
pub struct Session {
    model: Gpt2,
    length: usize,
    ids: Vec<u32>,
    logits: Vec<f32>,
}

#[unsafe(no_mangle)]
pub extern "C" fn loader() -> Box<Loader> {
    Box::default()
}

/// Where the name of the next tensor has to be written.
#[unsafe(no_mangle)]
pub extern "C" fn tensor_name(loader: &mut Loader, bytes: usize) -> *mut u8 {
    loader.name = vec![0; bytes];
    loader.name.as_mut_ptr()
}

/// Where its numbers have to be written.
#[unsafe(no_mangle)]
pub extern "C" fn tensor_data(loader: &mut Loader, count: usize) -> *mut f32 {
    loader.data = vec![0.0; count];
    loader.data.as_mut_ptr()
}

/// Takes what was written as a matrix, or with no rows as a vector.
#[unsafe(no_mangle)]
pub extern "C" fn add_tensor(loader: &mut Loader, rows: usize, columns: usize) {
    let shape = if rows == 0 { vec![columns] } else { vec![rows, columns] };
    let name = String::from_utf8(std::mem::take(&mut loader.name)).expect("a tensor's name is UTF-8");
    let data = std::mem::take(&mut loader.data);
    let tensor = Tensor::from_vec(data, shape, &Device::Cpu).expect("a tensor has as many numbers as its shape");
    loader.tensors.insert(name, tensor);
}

#[unsafe(no_mangle)]
pub extern "C" fn session(
    loader: Box<Loader>,
    n_layer: usize,
    n_head: usize,
    n_embd: usize,
    n_inner: usize,
    vocab_size: usize,
    n_positions: usize,
    layer_norm_epsilon: f64,
) -> Box<Session> {
    let config = Config { n_layer, n_head, n_embd, n_inner, vocab_size, n_positions, layer_norm_epsilon };
    let vb = VarBuilder::from_tensors(loader.tensors, DType::F32, &Device::Cpu);
    let model = Gpt2::load(vb, &config).expect("the weights fit the configuration");
    Box::new(Session { model, length: 0, ids: Vec::new(), logits: Vec::new() })
}

/// Where the next tokens have to be written.
#[unsafe(no_mangle)]
pub extern "C" fn tokens(session: &mut Session, count: usize) -> *mut u32 {
    session.ids.resize(count, 0);
    session.ids.as_mut_ptr()
}

/// Goes forward with them; logits of the last.
#[unsafe(no_mangle)]
pub extern "C" fn forward(session: &mut Session) -> *const f32 {
    let last = session.ids.len() - 1;
    let logits = session.model.forward(&session.ids, session.length).expect("the tokens fit the model");
    session.logits = logits.i(last).and_then(|row| row.to_vec1()).expect("logits are a matrix of 32-bit floats");
    session.length += session.ids.len();
    session.logits.as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn rewind(session: &mut Session, length: usize) {
    session.length = session.length.min(length);
}
