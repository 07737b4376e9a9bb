//! The boundary to JavaScript: plain getters, copied arrays, errors with a stable `code`.
//!
//! Nothing here computes. Numbers come in as JavaScript has them (f64) and are checked on the way; numbers go out as
//! f64, exact up to 2⁵³. No view into this memory ever leaves: what JavaScript gets is a copy.

use wasm_bindgen::prelude::*;

use crate::config::Config;
use crate::error::Error;
use crate::model::Model;
use crate::pass::{Pass, Phase};
use crate::sampling::{Distribution, Filter, Sampling};
use crate::session::Session;
use crate::settings::Settings;
use crate::stopping::StopStrings;
use crate::tokenizer;
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
        let exception = Exception::new(&error.message(number_as_text));
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

/// A whole setting from 0 to 2⁵³ − 1; its own range is checked where it belongs.
fn whole_setting(name: &'static str, value: f64) -> Result<u64, Error> {
    let largest = crate::draws::MAX_SEED;
    if !(0.0..=largest as f64).contains(&value) || value.fract() != 0.0 {
        let allowed = format!("a whole number from 0 to {largest}");
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

/// The shape of a model, checked.
#[wasm_bindgen]
#[derive(Debug, Clone)]
pub struct WasmConfig(Config);

#[wasm_bindgen]
impl WasmConfig {
    /// Checks every value; the names are Hugging Face's.
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
        Ok(Self(config.validated()?))
    }

    /// Number of weights.
    #[must_use]
    pub fn parameters(&self) -> f64 {
        self.0.parameters() as f64
    }
}

/// The text as the vocabulary sees it; see [`tokenizer::normalised`].
#[wasm_bindgen]
#[must_use]
pub fn normalised(text: &str) -> String {
    tokenizer::normalised(text)
}

/// How many tokens the method left, then the candidates, most likely first: id, probability and sampling probability of
/// each in turn.
///
/// Computed over all of `logits`; at most the 1,024 most likely are returned.
#[wasm_bindgen]
pub fn candidates(logits: &[f32], method: &str, temperature: f64, top_k: f64, top_p: f64) -> Result<Vec<f64>, JsValue> {
    let sampling = sampling_of(method, temperature, top_k, top_p)?;
    let distribution = Distribution::new(logits, sampling.filter())?;
    let most_likely = distribution.candidates().iter().take(MOST_CANDIDATES);
    let numbers = most_likely.flat_map(|c| [f64::from(c.id), c.probability, c.sampling_probability]);
    Ok(std::iter::once(distribution.kept() as f64).chain(numbers).collect())
}

/// Tensors on their way into a model.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmTensors {
    config: Config,
    map: TensorMap,
}

#[wasm_bindgen]
impl WasmTensors {
    /// An empty map for a model of this shape.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &WasmConfig) -> Result<Self, JsValue> {
        Ok(Self { config: config.0.clone(), map: TensorMap::new(&config.0)? })
    }

    /// Adds one tensor under its Hugging Face name, row-major.
    pub fn insert(&mut self, name: &str, shape: &[f64], data: &[f32]) -> Result<(), JsValue> {
        let sides: Vec<usize> = shape.iter().map(|&side| whole(side).unwrap_or(usize::MAX)).collect();
        Ok(self.map.insert(name, &sides, data)?)
    }

    /// A session on these tensors.
    pub fn into_session(self) -> Result<WasmSession, JsValue> {
        let weights = self.map.into_weights()?;
        WasmSession::on(self.config, weights)
    }
}

/// One loop: see [`Session`].
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmSession(Session);

impl WasmSession {
    fn on(config: Config, weights: Weights) -> Result<Self, JsValue> {
        let settings = Settings::default_for(&config);
        Ok(Self(Session::new(Model::new(config, weights)?, settings)?))
    }

    fn last(&self) -> Option<&Pass> {
        self.0.log().last()
    }
}

#[wasm_bindgen]
impl WasmSession {
    /// A session on random weights of this shape: seed [`crate::UNTRAINED_SEED`].
    pub fn untrained(config: &WasmConfig) -> Result<WasmSession, JsValue> {
        Self::on(config.0.clone(), Weights::untrained(&config.0, crate::UNTRAINED_SEED)?)
    }

    /// Token ids of a text given as UTF-16, normalised first.
    pub fn encode(&self, text: &[u16]) -> Result<Vec<u32>, JsValue> {
        Ok(self.0.tokenizer().encode_utf16(text)?)
    }

    /// The text that a token adds.
    #[must_use]
    pub fn piece(&self, id: u32) -> String {
        self.0.piece(id)
    }

    /// Pass 1 over these token ids; the getters then speak of it.
    pub fn prefill(&mut self, ids: &[f64]) -> Result<(), JsValue> {
        let vocab_size = self.0.config().vocab_size;
        let prompt = ids
            .iter()
            .map(|&id| whole(id).map(|id| id as u32).ok_or(Error::TokenOutOfRange { id, vocab_size }))
            .collect::<Result<Vec<u32>, Error>>()?;
        self.0.prefill(&prompt)?;
        Ok(())
    }

    /// The next pass; the getters then speak of it.
    pub fn decode_step(&mut self) -> Result<(), JsValue> {
        self.0.decode_step()?;
        Ok(())
    }

    /// Keeps the first `keep` passes.
    pub fn rewind(&mut self, keep: f64) -> Result<(), JsValue> {
        let passes = self.0.log().len();
        let keep = whole(keep).ok_or(Error::RewindTooFar { keep, passes })?;
        Ok(self.0.rewind(keep)?)
    }

    /// Forgets the run.
    pub fn reset(&mut self) {
        self.0.reset();
    }

    /// Changes the method, from the next token on.
    pub fn set_sampling(&mut self, method: &str, temperature: f64, top_k: f64, top_p: f64) -> Result<(), JsValue> {
        Ok(self.0.set_sampling(sampling_of(method, temperature, top_k, top_p)?)?)
    }

    /// Turns the cache on or off, from the next pass on.
    pub fn set_cache(&mut self, cache: bool) {
        self.0.set_cache(cache);
    }

    /// Sets the seed of the next run; none: one from the system.
    pub fn set_seed(&mut self, seed: Option<f64>) -> Result<(), JsValue> {
        let seed = seed.map(|seed| whole_setting("seed", seed)).transpose()?;
        Ok(self.0.set_seed(seed)?)
    }

    /// Sets the stop strings of the next run.
    pub fn set_stop(&mut self, stop: Vec<String>) -> Result<(), JsValue> {
        Ok(self.0.set_stop(StopStrings::new(stop)?)?)
    }

    /// Sets the length limit of the next run; none: until the context is full.
    pub fn set_max_tokens(&mut self, max_tokens: Option<f64>) -> Result<(), JsValue> {
        Ok(self.0.set_max_tokens(max_tokens_setting(max_tokens)?)?)
    }

    /// The seed in use.
    #[must_use]
    pub fn seed(&self) -> f64 {
        self.0.seed() as f64
    }

    /// The length limit in use.
    #[must_use]
    pub fn max_tokens(&self) -> Option<f64> {
        self.0.settings().max_tokens.map(|limit| limit as f64)
    }

    /// Logits of the last pass, (V,); a copy.
    #[must_use]
    pub fn logits(&self) -> Vec<f32> {
        self.0.logits().to_vec()
    }

    /// Ids of the prompt and of every sampled token; a copy.
    #[must_use]
    pub fn tokens(&self) -> Vec<u32> {
        self.0.tokens().to_vec()
    }

    /// The generated text.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.text()
    }

    /// The generated text that a stream may show by now.
    #[must_use]
    pub fn released_text(&self) -> String {
        self.0.released_text()
    }

    /// Number of passes made.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.0.log().len()
    }

    /// Multiply-adds of the last pass, counted inside the kernels, by operation.
    #[must_use]
    pub fn multiply_adds(&self) -> Vec<f64> {
        self.last().map_or_else(Vec::new, |pass| pass.multiply_adds.map(|count| count as f64).to_vec())
    }

    /// Whether the last pass was a prefill.
    #[must_use]
    pub fn pass_is_prefill(&self) -> bool {
        self.last().is_some_and(|pass| pass.phase == Phase::Prefill)
    }

    /// Tokens that went into the last pass.
    #[must_use]
    pub fn pass_tokens_in(&self) -> usize {
        self.last().map_or(0, |pass| pass.tokens_in)
    }

    /// Tokens that the newest one could see in the last pass.
    #[must_use]
    pub fn pass_context_length(&self) -> usize {
        self.last().map_or(0, |pass| pass.context_length)
    }

    /// FLOPs of the last pass.
    #[must_use]
    pub fn pass_flops(&self) -> f64 {
        self.last().map_or(0.0, |pass| pass.flops.total() as f64)
    }

    /// FLOPs of the last pass, had nothing been cached.
    #[must_use]
    pub fn pass_flops_without_cache(&self) -> f64 {
        self.last().map_or(0.0, |pass| pass.flops_without_cache.total() as f64)
    }

    /// Bytes in the cache after the last pass.
    #[must_use]
    pub fn pass_cache_bytes(&self) -> f64 {
        self.last().map_or(0.0, |pass| pass.cache_bytes as f64)
    }

    /// The draw of the last pass; none when greedy.
    #[must_use]
    pub fn pass_draw(&self) -> Option<f64> {
        self.last().and_then(|pass| pass.draw)
    }

    /// Id of the token that the last pass yielded.
    #[must_use]
    pub fn pass_token_id(&self) -> u32 {
        self.last().map_or(0, |pass| pass.token.id)
    }

    /// Probability of that token at temperature 1.
    #[must_use]
    pub fn pass_token_probability(&self) -> f64 {
        self.last().map_or(0.0, |pass| pass.token.probability)
    }

    /// Probability of that token after the method.
    #[must_use]
    pub fn pass_token_sampling_probability(&self) -> f64 {
        self.last().map_or(0.0, |pass| pass.token.sampling_probability)
    }

    /// Why the run ended with the last pass, if it did.
    #[must_use]
    pub fn stop_reason(&self) -> Option<String> {
        self.0.stop().map(|stop| stop.reason.name().to_string())
    }

    /// The stop string that ended the run, if one did.
    #[must_use]
    pub fn stop_match(&self) -> Option<String> {
        self.0.stop().and_then(|stop| stop.matched.clone())
    }
}
