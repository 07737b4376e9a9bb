//! The constants of a model: named tensors in Hugging Face's layout, or seeded random numbers, packed for the kernels.

use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

use crate::config::Config;
use crate::error::{Error, Value, filled};
use crate::kernels::{self, PANEL, PackedMatrix};

/// Gain and bias of a LayerNorm, both (D,).
#[derive(Debug, Clone)]
pub struct Norm {
    /// Multiplied in after normalising.
    pub gain: Vec<f32>,
    /// Added last.
    pub bias: Vec<f32>,
}

/// A linear layer: x (S, k) · weight (k, n) + bias (n,).
#[derive(Debug, Clone)]
pub struct Linear {
    /// (k, n), packed.
    pub weight: PackedMatrix,
    /// (n,), and zeros up to a whole panel.
    pub bias: Vec<f32>,
}

/// The weights of one block.
#[derive(Debug, Clone)]
pub struct Block {
    /// Before the attention.
    pub ln_1: Norm,
    /// (D, 3D): queries, keys and values side by side.
    pub c_attn: Linear,
    /// (D, D): the attention's output projection.
    pub c_proj: Linear,
    /// Before the MLP.
    pub ln_2: Norm,
    /// (D, F): the MLP's first layer.
    pub c_fc: Linear,
    /// (F, D): the MLP's second layer.
    pub mlp_c_proj: Linear,
}

/// All weights of a model.
#[derive(Debug, Clone)]
pub struct Weights {
    /// Token embeddings, (V, D), row after row.
    pub wte: Vec<f32>,
    /// Position embeddings, (n_positions, D), row after row.
    pub wpe: Vec<f32>,
    /// The blocks, first to last.
    pub blocks: Vec<Block>,
    /// Before the head.
    pub ln_f: Norm,
    /// (D, V), packed: `lm_head.weight` transposed, or `wte` transposed when tied.
    pub head: PackedMatrix,
}

/// A tensor that a configuration asks for, and its numbers once they are here.
#[derive(Debug, Clone)]
struct Slot {
    name: String,
    shape: Vec<usize>,
    announced: bool,
    data: Option<Vec<f32>>,
}

/// A side of a tensor, by the configuration's letters.
#[derive(Debug, Clone, Copy)]
enum Side {
    D,
    ThreeD,
    F,
    V,
    Positions,
}

impl Side {
    fn length(self, config: &Config) -> usize {
        match self {
            Self::D => config.n_embd,
            Self::ThreeD => 3 * config.n_embd,
            Self::F => config.n_inner,
            Self::V => config.vocab_size,
            Self::Positions => config.n_positions,
        }
    }
}

/// The tensors of one block, in the order in which random ones are drawn.
const BLOCK_TENSORS: [(&str, &[Side]); 12] = [
    ("ln_1.weight", &[Side::D]),
    ("ln_1.bias", &[Side::D]),
    ("attn.c_attn.weight", &[Side::D, Side::ThreeD]),
    ("attn.c_attn.bias", &[Side::ThreeD]),
    ("attn.c_proj.weight", &[Side::D, Side::D]),
    ("attn.c_proj.bias", &[Side::D]),
    ("ln_2.weight", &[Side::D]),
    ("ln_2.bias", &[Side::D]),
    ("mlp.c_fc.weight", &[Side::D, Side::F]),
    ("mlp.c_fc.bias", &[Side::F]),
    ("mlp.c_proj.weight", &[Side::F, Side::D]),
    ("mlp.c_proj.bias", &[Side::D]),
];

/// Those that are there once.
const OTHER_TENSORS: [(&str, &[Side]); 5] = [
    ("wte.weight", &[Side::V, Side::D]),
    ("wpe.weight", &[Side::Positions, Side::D]),
    ("ln_f.weight", &[Side::D]),
    ("ln_f.bias", &[Side::D]),
    ("lm_head.weight", &[Side::V, Side::D]),
];

/// Tensors on their way into [`Weights`], by their Hugging Face names.
///
/// Names come with or without the `transformer.` prefix. The mask buffers that old checkpoints carry (`attn.bias`,
/// `attn.masked_bias`) are ignored. Everything else must fit the configuration exactly.
#[derive(Debug, Clone)]
pub struct TensorMap {
    config: Config,
    slots: Vec<Slot>,
}

impl TensorMap {
    /// An empty map for a model of this shape.
    ///
    /// # Errors
    /// Those of [`Config::validated`].
    pub fn new(config: &Config) -> Result<Self, Error> {
        let config = config.clone().validated()?;
        let slot = |name: String, sides: &[Side]| Slot {
            name,
            shape: sides.iter().map(|side| side.length(&config)).collect(),
            announced: false,
            data: None,
        };
        let mut slots = Vec::new();
        for layer in 0..config.n_layer {
            slots.extend(BLOCK_TENSORS.iter().map(|(name, sides)| slot(block_tensor(layer, name), sides)));
        }
        slots.extend(OTHER_TENSORS.iter().map(|(name, sides)| slot((*name).to_string(), sides)));
        Ok(Self { config, slots })
    }

    /// The shape of the model.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Says that a tensor of this name and shape will come, and learns whether it is wanted: the mask buffers are not. So
    /// everything that is known before the first number is read can be checked before it is read.
    ///
    /// # Errors
    /// [`Error::UnknownTensor`]; [`Error::TensorShape`] with the shape that the configuration implies;
    /// [`Error::DuplicateTensor`].
    pub fn announce(&mut self, name: &str, shape: &[usize]) -> Result<bool, Error> {
        let Some(slot) = self.slot(name, shape)? else { return Ok(false) };
        if slot.announced {
            return Err(Error::DuplicateTensor { name: slot.name.clone() });
        }
        slot.announced = true;
        Ok(true)
    }

    /// Whether the tensors that were [announced](TensorMap::announce) make a whole model, and whether there is memory for it.
    ///
    /// # Errors
    /// [`Error::MissingTensor`]; [`Error::OutOfMemory`] where weights and cache together would not fit.
    pub fn ensure_complete(&self) -> Result<(), Error> {
        self.ensure_all(|slot| slot.announced)?;
        kernels::ensure_memory(self.config.memory())
    }

    /// Adds a copy of one tensor, row-major; the mask buffers are ignored.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or those of [`TensorMap::adopt`]; the map is unchanged then.
    pub fn insert(&mut self, name: &str, shape: &[usize], data: &[f32]) -> Result<(), Error> {
        let mut copy = kernels::zeros(data.len())?;
        copy.copy_from_slice(data);
        self.adopt(name, shape, copy)
    }

    /// [`TensorMap::insert`] without the copy.
    ///
    /// # Errors
    /// Those of [`TensorMap::announce`], or [`Error::TensorLength`]; the map is unchanged then.
    pub fn adopt(&mut self, name: &str, shape: &[usize], data: Vec<f32>) -> Result<(), Error> {
        let Some(slot) = self.slot(name, shape)? else { return Ok(()) };
        let expected = shape.iter().product();
        if expected != data.len() {
            return Err(Error::TensorLength { name: slot.name.clone(), expected, found: data.len() });
        }
        if slot.data.is_some() {
            return Err(Error::DuplicateTensor { name: slot.name.clone() });
        }
        slot.data = Some(data);
        Ok(())
    }

    /// Where a tensor of this name and shape belongs; nowhere if it is a mask buffer.
    fn slot(&mut self, name: &str, shape: &[usize]) -> Result<Option<&mut Slot>, Error> {
        let short = name.strip_prefix("transformer.").unwrap_or(name);
        if short.starts_with("h.") && (short.ends_with(".attn.bias") || short.ends_with(".attn.masked_bias")) {
            return Ok(None);
        }
        match self.slots.iter_mut().find(|slot| slot.name == short) {
            None => Err(Error::UnknownTensor { name: name.to_string() }),
            Some(slot) if slot.shape != shape => {
                Err(Error::TensorShape { name: short.to_string(), expected: slot.shape.clone(), found: shape.to_vec() })
            }
            found => Ok(found),
        }
    }

    fn ensure_all(&self, is_there: impl Fn(&Slot) -> bool) -> Result<(), Error> {
        // A tied head need not be given: the token embeddings are its weights too.
        let optional = |slot: &Slot| self.config.tie_word_embeddings && slot.name == "lm_head.weight";
        match self.slots.iter().find(|slot| !is_there(slot) && !optional(slot)) {
            Some(missing) => Err(Error::MissingTensor { name: missing.name.clone() }),
            None => Ok(()),
        }
    }

    /// Packs everything; each tensor's copy is freed as it is packed.
    ///
    /// # Errors
    /// [`Error::MissingTensor`] or [`Error::OutOfMemory`].
    pub fn into_weights(mut self) -> Result<Weights, Error> {
        let Config { n_layer, n_embd: d, n_inner: f, vocab_size: v, .. } = self.config;
        self.ensure_all(|slot| slot.data.is_some())?;
        let wte = self.take("wte.weight");
        // A head in the file is the head, also where the configuration calls it tied: so does Hugging Face's loader.
        let head = self.take("lm_head.weight");
        let rows = if head.is_empty() { &wte } else { &head };
        let head = packed(rows, [d, v], [1, d])?;
        let mut blocks = Vec::new();
        for layer in 0..n_layer {
            blocks.push(Block {
                ln_1: self.norm(&block_tensor(layer, "ln_1")),
                ln_2: self.norm(&block_tensor(layer, "ln_2")),
                c_attn: self.linear(&block_tensor(layer, "attn.c_attn"), d, 3 * d)?,
                c_proj: self.linear(&block_tensor(layer, "attn.c_proj"), d, d)?,
                c_fc: self.linear(&block_tensor(layer, "mlp.c_fc"), d, f)?,
                mlp_c_proj: self.linear(&block_tensor(layer, "mlp.c_proj"), f, d)?,
            });
        }
        Ok(Weights { wpe: self.take("wpe.weight"), blocks, ln_f: self.norm("ln_f"), head, wte })
    }

    /// The numbers of one tensor; none if it was not given, which [`TensorMap::into_weights`] has ruled out.
    fn take(&mut self, name: &str) -> Vec<f32> {
        let slot = self.slots.iter_mut().find(|slot| slot.name == name);
        slot.and_then(|slot| slot.data.take()).unwrap_or_default()
    }

    fn norm(&mut self, name: &str) -> Norm {
        Norm {
            gain: self.take(&filled("%.weight", &[Value::Text(name)])),
            bias: self.take(&filled("%.bias", &[Value::Text(name)])),
        }
    }

    fn linear(&mut self, name: &str, k: usize, n: usize) -> Result<Linear, Error> {
        let weight = self.take(&filled("%.weight", &[Value::Text(name)]));
        let weight = packed(&weight, [k, n], [n, 1])?;
        let mut bias = self.take(&filled("%.bias", &[Value::Text(name)]));
        kernels::grow(&mut bias, n.next_multiple_of(PANEL))?;
        Ok(Linear { weight, bias })
    }
}

/// The matrix (k, n) whose element (i, j) stands at `i · down + j · right`.
#[inline(never)]
fn packed(numbers: &[f32], [k, n]: [usize; 2], [down, right]: [usize; 2]) -> Result<PackedMatrix, Error> {
    PackedMatrix::pack(k, n, |i, j| numbers[i * down + j * right])
}

/// Name of a tensor of one block.
fn block_tensor(layer: usize, name: &str) -> String {
    filled("h.%.%", &[Value::Count(layer), Value::Text(name)])
}

impl Norm {
    fn fits(&self, d: usize) -> bool {
        self.gain.len() == d && self.bias.len() == d
    }
}

impl Linear {
    fn fits(&self, k: usize, n: usize) -> bool {
        self.weight.shape() == (k, n) && self.bias.len() == n.next_multiple_of(PANEL)
    }
}

impl Block {
    fn fits(&self, d: usize, f: usize) -> bool {
        self.ln_1.fits(d)
            && self.c_attn.fits(d, 3 * d)
            && self.c_proj.fits(d, d)
            && self.ln_2.fits(d)
            && self.c_fc.fits(d, f)
            && self.mlp_c_proj.fits(f, d)
    }
}

impl Weights {
    /// Whether every part has the size that a model of this shape needs.
    pub(crate) fn fits(&self, config: &Config) -> bool {
        let Config { n_layer, n_embd: d, n_inner: f, vocab_size: v, n_positions: p, .. } = *config;
        self.blocks.len() == n_layer
            && self.blocks.iter().all(|block| block.fits(d, f))
            && self.wte.len() == v * d
            && self.wpe.len() == p * d
            && self.ln_f.fits(d)
            && self.head.shape() == (d, v)
    }

    /// Random weights: a model that has seen no text. The same seed gives the same weights on every machine.
    ///
    /// Uniform numbers scaled so that each part keeps the residual stream's size about 1, with an untied head drawn
    /// wide enough that the distributions are uneven. GPT-2's own 0.02 would make every logit nearly equal, and greedy
    /// text one repeated letter.
    ///
    /// # Errors
    /// Those of [`Config::validated`], or [`Error::OutOfMemory`].
    pub fn untrained(config: &Config, seed: u64) -> Result<Self, Error> {
        let mut map = TensorMap::new(config)?;
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        for Slot { name, shape, data, .. } in &mut map.slots {
            if config.tie_word_embeddings && name == "lm_head.weight" {
                continue;
            }
            let (centre, deviation) = match (name.as_str(), shape.as_slice()) {
                ("lm_head.weight", &[_, d]) => (0.0, 2.0 / (d as f32).sqrt()),
                ("wte.weight" | "wpe.weight", _) => (0.0, 1.0),
                (_, &[k, _]) => (0.0, 1.5 / (k as f32).sqrt()),
                (gain, _) if gain.ends_with("weight") => (1.0, 0.0),
                _ => (0.0, 0.0),
            };
            // A uniform number on [−√3·σ, √3·σ) has standard deviation σ.
            let half_width = deviation * 3.0_f32.sqrt();
            let mut numbers = kernels::zeros(shape.iter().product())?;
            for number in &mut numbers {
                *number = centre + half_width * (2.0 * generator.random::<f32>() - 1.0);
            }
            *data = Some(numbers);
        }
        map.into_weights()
    }
}
