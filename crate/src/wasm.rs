//! The boundary to JavaScript: plain getters, copied arrays, errors with a stable `code`.
//!
//! Nothing here computes. Numbers come in as JavaScript has them (f64) and are checked on the way; numbers go out as
//! f64, exact up to 2⁵³. No view into this memory ever leaves: what JavaScript gets is a copy.

use wasm_bindgen::prelude::*;

use crate::config::Config;
use crate::error::{Error, Value, filled};
use crate::model::Model;
use crate::pass::Phase;
use crate::sampling::{Distribution, Filter, Sampling};
use crate::session::Session;
use crate::settings::Settings;
use crate::stopping::StopStrings;
use crate::tokenizer::{self, Tokenizer};
use crate::weights::{TensorMap, Weights};

/// A quarter of the size of the standard library's allocator for this target.
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// The most candidates that are handed out for one pass.
const MOST_CANDIDATES: usize = 1024;

#[wasm_bindgen]
extern "C" {
    /// JavaScript's `Error`, with the `code` that this project's errors carry.
    #[wasm_bindgen(js_name = Error)]
    type Exception;
    #[wasm_bindgen(constructor, js_class = "Error")]
    fn new(message: &str) -> Exception;
    #[wasm_bindgen(method, setter)]
    fn set_code(this: &Exception, code: &str);
    /// JavaScript's `String(value)`.
    #[wasm_bindgen(js_name = String)]
    fn number_as_text(value: f64) -> String;
}

impl From<Error> for JsValue {
    fn from(error: Error) -> Self {
        let exception = Exception::new(&error.message(&number_as_text));
        exception.set_code(error.code());
        exception.into()
    }
}

/// `value` as a whole number that fits this machine, if it is one.
fn whole(value: f64) -> Option<usize> {
    let in_range = (0.0..=f64::from(u32::MAX)).contains(&value) && value.fract() == 0.0;
    #[expect(clippy::cast_sign_loss, reason = "checked to be a whole number from 0 to 2³² − 1")]
    in_range.then_some(value as usize)
}

fn whole_config(key: &'static str, value: f64) -> Result<usize, Error> {
    whole(value).ok_or_else(|| Error::InvalidConfig { key, value, allowed: "a whole number".into() })
}

/// A shape; a side that no shape has becomes one that no model has.
fn sides_of(shape: &[f64]) -> Vec<usize> {
    let mut sides = Vec::new();
    for &side in shape {
        sides.push(whole(side).unwrap_or(usize::MAX));
    }
    sides
}

/// A whole setting from 0 to 2⁵³ − 1; its own range is checked where it belongs.
fn whole_setting(name: &'static str, value: f64) -> Result<u64, Error> {
    let largest = crate::draws::MAX_SEED;
    if !(0.0..=largest as f64).contains(&value) || value.fract() != 0.0 {
        let allowed = filled("a whole number from 0 to %", &[Value::Text(&largest.to_string())]);
        return Err(Error::InvalidSetting { name, value, allowed });
    }
    #[expect(clippy::cast_sign_loss, reason = "checked to be a whole number from 0 to 2⁵³ − 1")]
    Ok(value as u64)
}

fn max_tokens_setting(value: Option<f64>) -> Result<Option<usize>, Error> {
    // A whole number beyond usize is beyond every context too; the session names it with its range.
    let too_large = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    value.map(|value| whole_setting("max-tokens", value).map(too_large)).transpose()
}

/// A method from its JavaScript form; all three numbers are checked, also those that the method does not use.
fn sampling_of(method: &str, temperature: f64, top_k: f64, top_p: f64) -> Result<Sampling, Error> {
    let filter = Filter { temperature, top_k: whole_setting("top-k", top_k)?, top_p }.validated()?;
    match method {
        "greedy" => Ok(Sampling::Greedy),
        "temperature" => Ok(Sampling::Temperature { temperature }),
        "top-k" => Ok(Sampling::TopK { temperature, top_k: filter.top_k }),
        "top-p" => Ok(Sampling::TopP { temperature, top_p }),
        _ => Err(Error::UnknownMethod { name: method.into() }),
    }
}

/// The text as the vocabulary sees it; see [`tokenizer::normalised`].
#[wasm_bindgen]
#[must_use]
pub fn normalised(text: &str) -> String {
    tokenizer::normalised(text)
}

/// Token ids of a text given as UTF-16, normalised first, in a vocabulary of this size.
#[wasm_bindgen]
pub fn encode(text: &[u16], vocab_size: usize) -> Result<Vec<u32>, JsValue> {
    Ok(Tokenizer::for_vocab_size(vocab_size).encode_utf16(text)?)
}

/// The text that a token adds, in a vocabulary of this size.
#[wasm_bindgen]
#[must_use]
pub fn piece(id: u32, vocab_size: usize) -> String {
    Tokenizer::for_vocab_size(vocab_size).piece(id)
}

/// How many tokens the method left, then the candidates, most likely first: id, probability and sampling probability of
/// each in turn.
///
/// Computed over all of `logits`; at most the 1,024 most likely are returned.
#[wasm_bindgen]
pub fn candidates(logits: &[f32], method: &str, temperature: f64, top_k: f64, top_p: f64) -> Result<Vec<f64>, JsValue> {
    let sampling = sampling_of(method, temperature, top_k, top_p)?;
    let distribution = Distribution::of_most_likely(logits, sampling.filter(), MOST_CANDIDATES)?;
    let mut numbers = Vec::with_capacity(1 + 3 * distribution.candidates().len());
    numbers.push(distribution.kept() as f64);
    for candidate in distribution.candidates() {
        numbers.extend_from_slice(&[f64::from(candidate.id), candidate.probability, candidate.sampling_probability]);
    }
    Ok(numbers)
}

/// A model on its way: its shape, then tensor after tensor.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmModel {
    config: Config,
    map: TensorMap,
}

#[wasm_bindgen]
impl WasmModel {
    /// Checks every value of the shape, and the memory; the names are Hugging Face's.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::too_many_arguments, reason = "one per key; JavaScript calls this in one place")]
    pub fn new(
        n_layer: f64,
        n_head: f64,
        n_embd: f64,
        n_inner: f64,
        vocab_size: f64,
        n_positions: f64,
        layer_norm_epsilon: f64,
        tie_word_embeddings: bool,
        eos_token_id: Option<f64>,
    ) -> Result<Self, JsValue> {
        let eos_token_id = match eos_token_id {
            Some(id) => Some(whole_config("eos_token_id", id)? as u32),
            None => None,
        };
        let config = Config {
            n_layer: whole_config("n_layer", n_layer)?,
            n_head: whole_config("n_head", n_head)?,
            n_embd: whole_config("n_embd", n_embd)?,
            n_inner: whole_config("n_inner", n_inner)?,
            vocab_size: whole_config("vocab_size", vocab_size)?,
            n_positions: whole_config("n_positions", n_positions)?,
            layer_norm_epsilon: layer_norm_epsilon as f32,
            tie_word_embeddings,
            eos_token_id,
        };
        Ok(Self { map: TensorMap::new(&config)?, config })
    }

    /// Number of weights.
    #[must_use]
    pub fn parameters(&self) -> f64 {
        self.config.parameters() as f64
    }

    /// Whether a tensor of this name and shape has a place here; false: it is one to ignore.
    pub fn announce(&mut self, name: &str, shape: &[f64]) -> Result<bool, JsValue> {
        Ok(self.map.announce(name, &sides_of(shape))?)
    }

    /// Whether what was announced makes a whole model.
    pub fn ensure_complete(&self) -> Result<(), JsValue> {
        Ok(self.map.ensure_complete()?)
    }

    /// Adds one tensor under its Hugging Face name, row-major.
    pub fn insert(&mut self, name: &str, shape: &[f64], data: &[f32]) -> Result<(), JsValue> {
        Ok(self.map.insert(name, &sides_of(shape), data)?)
    }

    /// A session on what was given; with no tensors at all on random ones: seed [`crate::UNTRAINED_SEED`].
    pub fn into_session(self, untrained: bool) -> Result<WasmSession, JsValue> {
        let weights = if untrained {
            Weights::untrained(&self.config, crate::UNTRAINED_SEED)?
        } else {
            self.map.into_weights()?
        };
        let settings = Settings::default_for(&self.config);
        Ok(WasmSession::on(Session::new(Model::new(self.config, weights)?, settings)?))
    }
}

/// One loop: see [`Session`].
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmSession {
    session: Session,
    stop: Vec<String>,
    record: [f64; RECORD],
}

/// Numbers in the record of a pass.
const RECORD: usize = 12;

impl WasmSession {
    fn on(session: Session) -> Self {
        Self { session, stop: Vec::new(), record: [0.0; RECORD] }
    }

    /// Writes the pass that was just made where JavaScript reads it.
    fn write_record(&mut self) {
        if let Some(pass) = self.session.log().last() {
            self.record = [
                pass.index as f64,
                f64::from(u8::from(pass.phase == Phase::Prefill)),
                pass.tokens_in as f64,
                pass.context_length as f64,
                pass.flops.total() as f64,
                pass.flops_without_cache.total() as f64,
                pass.cache_bytes as f64,
                pass.draw.unwrap_or(f64::NAN),
                f64::from(pass.token.id),
                pass.token.probability,
                pass.token.sampling_probability,
                f64::from(u8::from(pass.stop.is_some())),
            ];
        }
    }
}

/// This instance's memory, of which the engine reads records and logits.
#[wasm_bindgen]
#[must_use]
pub fn own_memory() -> JsValue {
    wasm_bindgen::memory()
}

#[wasm_bindgen]
impl WasmSession {
    /// Where the record of the last pass stands: its place in the log, whether it was a prefill, tokens in, context length,
    /// FLOPs, FLOPs without a cache, bytes in the cache, the draw (NaN when greedy); then the token that it yielded: id,
    /// probability at temperature 1 and after the method; last, whether the run ended with it. It never moves.
    #[must_use]
    pub fn record_pointer(&self) -> *const f64 {
        self.record.as_ptr()
    }

    /// Where the logits of the last pass stand, (V,); the next pass may move them.
    #[must_use]
    pub fn logits_pointer(&self) -> *const f32 {
        self.session.logits().as_ptr()
    }

    /// Attention weights of the last position of the last pass, (L, H, T).
    #[must_use]
    pub fn attention(&self) -> Vec<f32> {
        let Config { n_layer, n_head, .. } = *self.session.config();
        let mut all = Vec::new();
        for place in 0..n_layer * n_head {
            all.extend_from_slice(self.session.attention(place / n_head, place % n_head));
        }
        all
    }

    /// Pass 1 over these token ids; the getters then speak of it.
    pub fn prefill(&mut self, ids: &[f64]) -> Result<(), JsValue> {
        let vocab_size = self.session.config().vocab_size;
        let mut prompt = Vec::with_capacity(ids.len());
        for &id in ids {
            prompt.push(whole(id).ok_or(Error::TokenOutOfRange { id, vocab_size })? as u32);
        }
        self.session.prefill(&prompt)?;
        self.write_record();
        Ok(())
    }

    /// The next pass; the getters then speak of it.
    pub fn decode_step(&mut self) -> Result<(), JsValue> {
        self.session.decode_step()?;
        self.write_record();
        Ok(())
    }

    /// Keeps the first `keep` passes.
    pub fn rewind(&mut self, keep: f64) -> Result<(), JsValue> {
        let passes = self.session.log().len();
        let keep = whole(keep).ok_or(Error::RewindTooFar { keep, passes })?;
        Ok(self.session.rewind(keep)?)
    }

    /// Forgets the run.
    pub fn reset(&mut self) {
        self.session.reset();
    }

    /// Changes the method, from the next token on.
    pub fn set_sampling(&mut self, method: &str, temperature: f64, top_k: f64, top_p: f64) -> Result<(), JsValue> {
        Ok(self.session.set_sampling(sampling_of(method, temperature, top_k, top_p)?)?)
    }

    /// Turns the cache on or off, from the next pass on.
    pub fn set_cache(&mut self, cache: bool) {
        self.session.set_cache(cache);
    }

    /// Sets the seed of the next run; none: one from the system.
    pub fn set_seed(&mut self, seed: Option<f64>) -> Result<(), JsValue> {
        let seed = seed.map(|seed| whole_setting("seed", seed)).transpose()?;
        Ok(self.session.set_seed(seed)?)
    }

    /// Gives one of the stop strings that [`WasmSession::set_stop`] then sets: a list of them would be half a kilobyte of
    /// conversion.
    pub fn add_stop(&mut self, stop: &str) {
        self.stop.push(stop.into());
    }

    /// Sets the stop strings of the next run.
    pub fn set_stop(&mut self) -> Result<(), JsValue> {
        Ok(self.session.set_stop(StopStrings::new(std::mem::take(&mut self.stop))?)?)
    }

    /// Sets the length limit of the next run; none: until the context is full.
    pub fn set_max_tokens(&mut self, max_tokens: Option<f64>) -> Result<(), JsValue> {
        Ok(self.session.set_max_tokens(max_tokens_setting(max_tokens)?)?)
    }

    /// The seed in use.
    #[must_use]
    pub fn seed(&self) -> f64 {
        self.session.seed() as f64
    }

    /// The length limit in use.
    #[must_use]
    pub fn max_tokens(&self) -> Option<f64> {
        self.session.settings().max_tokens.map(|limit| limit as f64)
    }

    /// Ids of the prompt and of every sampled token; a copy.
    #[must_use]
    pub fn tokens(&self) -> Vec<u32> {
        self.session.tokens().to_vec()
    }

    /// The generated text.
    #[must_use]
    pub fn text(&self) -> String {
        self.session.text()
    }

    /// The generated text that a stream may show by now.
    #[must_use]
    pub fn released_text(&self) -> String {
        self.session.released_text()
    }

    /// Multiply-adds of the last pass, counted inside the kernels, by operation.
    #[must_use]
    pub fn multiply_adds(&self) -> Vec<f64> {
        self.session.log().last().map_or_else(Vec::new, |pass| pass.multiply_adds.map(|count| count as f64).to_vec())
    }

    /// Why the run ended with the last pass, if it did.
    #[must_use]
    pub fn stop_reason(&self) -> Option<String> {
        self.session.stop().map(|stop| stop.reason.name().to_string())
    }

    /// The stop string that ended the run, if one did.
    #[must_use]
    pub fn stop_match(&self) -> Option<String> {
        self.session.stop().and_then(|stop| stop.matched.clone())
    }
}
