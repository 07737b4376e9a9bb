//! The boundary to JavaScript: functions of numbers, and nothing else.
//!
//! Nothing here computes. The other side is `www/boundary.js`, and this is the contract:
//!
//! - A loop is a *handle*, a whole number that is given once and never again. First it stands for a model whose tensors are
//!   still coming; [`start`] makes that a session, under the same handle; [`free`] ends it.
//! - Whatever is not a number goes through *areas*. JavaScript asks for room ([`numbers`], [`floats`], [`units`] of UTF-16),
//!   writes there, and then makes the call that takes it. What a call leaves in an area, JavaScript copies at once.
//! - The *record* is a row of numbers at a place that never moves, [`record`]. A pass writes itself there; a call that leaves
//!   something in an area writes where it begins, and how long it is.
//! - A function that can fail gives 0 where it did. In the text area there is the error then: its code, a space, its message.
//!   The record says where, then whether the message has a gap for a number, and the number, which JavaScript writes as it
//!   writes numbers.
//! - Settings come as `www/settings.js` has made them: it is where loose values are refused. Configurations, token ids and
//!   tensors are checked here.
//!
//! No view into this memory ever leaves the engine: what it hands on is a copy.

use std::cell::{Cell, RefCell};

use wasm_bindgen::prelude::wasm_bindgen;

use crate::areas::{self, FLOATS, NUMBERS, RECORD, TEXT, UNITS, done, leave, outcome, strict, text_of, whole};
use crate::config::Config;
use crate::error::Error;
use crate::model::Model;
use crate::pass::{Pass, Phase};
use crate::sampling::{Distribution, Sampling};
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

/// What a handle stands for.
enum Held {
    /// A model on its way, tensor after tensor.
    Model(Box<TensorMap>),
    /// The loop on it.
    Loop(Box<Session>),
}

thread_local! {
    static HELD: RefCell<Vec<(u32, Held)>> = const { RefCell::new(Vec::new()) };
    /// How many handles were given.
    static HANDLES: Cell<u32> = const { Cell::new(0) };
}

/// Takes out of the table what a handle stands for.
fn removed(handle: u32) -> Option<Held> {
    HELD.with_borrow_mut(|held| {
        // What was in use last is at the end.
        let place = held.iter().rposition(|(known, _)| *known == handle)?;
        Some(held.swap_remove(place).1)
    })
}

/// The same, for a call, after which it is [`put`] back: if that ends in a trap it stays out, and the others do not notice.
///
/// # Panics
/// If the handle stands for nothing.
#[inline(never)]
fn taken(handle: u32) -> Held {
    removed(handle).expect("a handle in use")
}

#[inline(never)]
fn put(handle: u32, one: Held) {
    HELD.with_borrow_mut(|held| held.push((handle, one)));
}

/// A call on the model of a handle.
fn on_model<T>(handle: u32, call: impl FnOnce(&mut TensorMap) -> T) -> T {
    let mut one = taken(handle);
    let Held::Model(model) = &mut one else { unreachable!() };
    let result = call(model);
    put(handle, one);
    result
}

/// A call on the session of a handle.
fn on<T>(handle: u32, call: impl FnOnce(&mut Session) -> T) -> T {
    let mut one = taken(handle);
    let Held::Loop(session) = &mut one else { unreachable!() };
    let result = call(session);
    put(handle, one);
    result
}

#[inline(never)]
fn whole_config(key: &'static str, value: f64) -> Result<usize, Error> {
    whole(value).ok_or_else(|| Error::InvalidConfig { key, value, allowed: "a whole number".into() })
}

/// The name and the shape that JavaScript wrote; a side that no shape has becomes one that no model has.
fn name_and_shape() -> (String, Vec<usize>) {
    let shape = NUMBERS.take().iter().map(|&side| whole(side).unwrap_or(usize::MAX)).collect();
    (text_of(&UNITS.take()), shape)
}

/// A method by its place in the list of `www/settings.js`.
fn sampling_of(method: u32, temperature: f64, top_k: f64, top_p: f64) -> Sampling {
    match method {
        0 => Sampling::Greedy,
        1 => Sampling::Temperature { temperature },
        2 => Sampling::TopK { temperature, top_k: strict(top_k) },
        _ => Sampling::TopP { temperature, top_p },
    }
}

/// Writes a pass into the record: its place in the log, whether it was a prefill, tokens in, context length, FLOPs, FLOPs
/// without a cache, bytes in the cache, the draw (NaN when greedy); then the token that it yielded: id, probability at
/// temperature 1 and after the method; last, how the run ended with it: 0 if it did not, else the reason's place in the list,
/// from 1, and the stop string's in the settings.
fn write_pass(pass: &Pass, stop_strings: &StopStrings) {
    let (reason, matched) = pass.stop.as_ref().map_or((0, None), |stop| (stop.reason as u8 + 1, stop.matched.as_ref()));
    let numbers: [f64; RECORD] = [
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
        f64::from(reason),
        stop_strings.as_slice().iter().position(|known| Some(known) == matched).unwrap_or_default() as f64,
    ];
    areas::write(0, &numbers);
}

/// Makes a pass, writes it into the record, and gives the place of its logits, (V,), which the next pass may move.
fn pass(handle: u32, forward: impl FnOnce(&mut Session) -> Result<(), Error>) -> u32 {
    outcome(on(handle, |session| {
        forward(session)?;
        if let Some(pass) = session.log().last() {
            write_pass(pass, &session.settings().stop);
        }
        Ok(session.logits().as_ptr() as u32)
    }))
}

/// Where the record is.
#[wasm_bindgen]
pub fn record() -> *mut f64 {
    areas::record()
}

/// Room for so many numbers.
#[wasm_bindgen]
pub fn numbers(length: usize) -> u32 {
    areas::room(&NUMBERS, length)
}

/// Room for so many 32-bit numbers.
#[wasm_bindgen]
pub fn floats(length: usize) -> u32 {
    areas::room(&FLOATS, length)
}

/// Room for a text of so many units of UTF-16.
#[wasm_bindgen]
pub fn units(length: usize) -> u32 {
    areas::room(&UNITS, length)
}

/// Leaves a text as the vocabulary sees it, the one in the area; see [`tokenizer::normalised`].
#[wasm_bindgen]
pub fn normalised() {
    leave(&TEXT, tokenizer::normalised(&text_of(&UNITS.take())).into());
}

/// Leaves the token ids of the text in the area, normalised first, in a vocabulary of this size.
#[wasm_bindgen]
pub fn encode(vocab_size: usize) -> u32 {
    let ids = Tokenizer::for_vocab_size(vocab_size).encode_utf16(&UNITS.take());
    done(ids.map(|ids| leave_ids(&ids)))
}

fn leave_ids(ids: &[u32]) {
    leave(&NUMBERS, ids.iter().map(|&id| id.into()).collect());
}

/// Leaves the text that a token adds, in a vocabulary of this size.
#[wasm_bindgen]
pub fn piece(id: u32, vocab_size: usize) {
    leave(&TEXT, Tokenizer::for_vocab_size(vocab_size).piece(id).into());
}

/// Leaves how many of the logits in the area the method left, then at most 1,024 candidates, most likely first: id, probability
/// and sampling probability of each in turn.
#[wasm_bindgen]
pub fn candidates(method: u32, temperature: f64, top_k: f64, top_p: f64) -> u32 {
    let filter = sampling_of(method, temperature, top_k, top_p).filter();
    done(Distribution::of_most_likely(&FLOATS.take(), filter, MOST_CANDIDATES).map(|distribution| {
        let mut numbers = Vec::with_capacity(1 + 3 * distribution.candidates().len());
        numbers.push(distribution.kept() as f64);
        for candidate in distribution.candidates() {
            numbers.extend([f64::from(candidate.id), candidate.probability, candidate.sampling_probability]);
        }
        leave(&NUMBERS, numbers);
    }))
}

/// A model of the shape that is in the area, in the order of [`Config`]'s fields, without the id of the end-of-text token if
/// there is none. Checks every value, and the memory; gives the handle, and in the record the number of weights.
#[wasm_bindgen]
pub fn open() -> u32 {
    outcome(opened(&NUMBERS.take()))
}

fn opened(numbers: &[f64]) -> Result<u32, Error> {
    let size = |place: usize, key| whole_config(key, numbers[place]);
    let eos_token_id = if numbers.len() > 8 { Some(size(8, "eos_token_id")? as u32) } else { None };
    let config = Config {
        n_layer: size(0, "n_layer")?,
        n_head: size(1, "n_head")?,
        n_embd: size(2, "n_embd")?,
        n_inner: size(3, "n_inner")?,
        vocab_size: size(4, "vocab_size")?,
        n_positions: size(5, "n_positions")?,
        layer_norm_epsilon: numbers[6] as f32,
        tie_word_embeddings: numbers[7] != 0.0,
        eos_token_id,
    };
    // A trap in the middle of the table would end every loop.
    let bytes = size_of::<(u32, Held)>() as u64;
    HELD.with_borrow_mut(|held| held.try_reserve(1)).map_err(|_| Error::OutOfMemory { bytes })?;
    let model = Held::Model(Box::new(TensorMap::new(&config)?));
    let handle = HANDLES.get() + 1;
    HANDLES.set(handle);
    put(handle, model);
    areas::write(0, &[config.parameters() as f64]);
    Ok(handle)
}

/// Whether a tensor of the name and shape in the areas has a place here: 2; 1: it is one to ignore.
#[wasm_bindgen]
pub fn announce(handle: u32) -> u32 {
    let (name, shape) = name_and_shape();
    outcome(on_model(handle, |map| map.announce(&name, &shape)).map(|wanted| 1 + u32::from(wanted)))
}

/// Whether what was announced makes a whole model.
#[wasm_bindgen]
pub fn ensure_complete(handle: u32) -> u32 {
    done(on_model(handle, |map| map.ensure_complete()))
}

/// Adds the tensor whose Hugging Face name, shape and numbers, row-major, are in the areas.
#[wasm_bindgen]
pub fn insert(handle: u32) -> u32 {
    let (name, shape) = name_and_shape();
    done(on_model(handle, |map| map.adopt(&name, &shape, FLOATS.take())))
}

/// Makes the model a session; with no tensors at all one on random ones: seed [`crate::UNTRAINED_SEED`]. A model that cannot
/// become one is gone.
#[wasm_bindgen]
pub fn start(handle: u32, untrained: bool) -> u32 {
    let Held::Model(model) = taken(handle) else { unreachable!() };
    done(session_on(*model, untrained).map(|session| put(handle, Held::Loop(Box::new(session)))))
}

fn session_on(map: TensorMap, untrained: bool) -> Result<Session, Error> {
    let config = map.config().clone();
    let weights = if untrained { Weights::untrained(&config, crate::UNTRAINED_SEED)? } else { map.into_weights()? };
    // The engine sets a seed before anything is drawn.
    let settings = Settings { seed: Some(0), ..Settings::default_for(&config) };
    Session::new(Model::new(config, weights)?, settings)
}

/// Ends what a handle stands for; nothing, if that is over.
#[wasm_bindgen]
pub fn free(handle: u32) {
    drop(removed(handle));
}

/// Pass 1 over the token ids in the area; as [`decode_step`].
#[wasm_bindgen]
pub fn prefill(handle: u32) -> u32 {
    pass(handle, |session| {
        let vocab_size = session.config().vocab_size;
        let mut prompt = Vec::new();
        for id in NUMBERS.take() {
            prompt.push(whole(id).ok_or(Error::TokenOutOfRange { id, vocab_size })? as u32);
        }
        session.prefill(&prompt).map(drop)
    })
}

/// The next pass, which is in the record then; gives the place of its logits, (V,), which the next pass may move.
#[wasm_bindgen]
pub fn decode_step(handle: u32) -> u32 {
    pass(handle, |session| session.decode_step().map(drop))
}

/// The place of the logits of the last pass.
#[wasm_bindgen]
pub fn logits(handle: u32) -> *const f32 {
    on(handle, |session| session.logits().as_ptr())
}

/// Leaves the attention weights of the last position of the last pass, (L, H, T).
#[wasm_bindgen]
pub fn attention(handle: u32) {
    on(handle, |session| {
        let Config { n_layer, n_head, .. } = *session.config();
        let mut all = Vec::new();
        for place in 0..n_layer * n_head {
            all.extend_from_slice(session.attention(place / n_head, place % n_head));
        }
        leave(&FLOATS, all);
    });
}

/// Leaves the multiply-adds of the last pass, counted inside the kernels, by operation; nothing before the first.
#[wasm_bindgen]
pub fn multiply_adds(handle: u32) {
    on(handle, |session| {
        let counts = session.log().last().map(|pass| pass.multiply_adds.map(|count| count as f64).to_vec());
        leave(&NUMBERS, counts.unwrap_or_default());
    });
}

/// Leaves the ids of the prompt and of every sampled token.
#[wasm_bindgen]
pub fn tokens(handle: u32) {
    on(handle, |session| leave_ids(session.tokens()));
}

/// Leaves the generated text; if `released`, what of it a stream may show by now.
#[wasm_bindgen]
pub fn generated(handle: u32, released: bool) {
    on(handle, |session| {
        let text = if released { session.released_text() } else { session.text() };
        leave(&TEXT, text.into());
    });
}

/// Keeps the first `keep` passes; none: forgets the run.
#[wasm_bindgen]
pub fn rewind(handle: u32, keep: f64) -> u32 {
    done(on(handle, |session| {
        let passes = session.log().len();
        session.rewind(whole(keep).ok_or(Error::RewindTooFar { keep, passes })?)
    }))
}

/// Changes the method, from the next token on.
#[wasm_bindgen]
pub fn set_sampling(handle: u32, method: u32, temperature: f64, top_k: f64, top_p: f64) -> u32 {
    done(on(handle, |session| session.set_sampling(sampling_of(method, temperature, top_k, top_p))))
}

/// Turns the cache on or off, from the next pass on.
#[wasm_bindgen]
pub fn set_cache(handle: u32, cache: bool) {
    on(handle, |session| session.set_cache(cache));
}

/// Sets the seed of the next run.
#[wasm_bindgen]
pub fn set_seed(handle: u32, seed: f64) -> u32 {
    done(on(handle, |session| session.set_seed(Some(strict(seed)))))
}

/// Sets the stop strings of the next run: they are in the area one after the other, and beside them how long each is.
#[wasm_bindgen]
pub fn set_stop(handle: u32) -> u32 {
    let units = UNITS.take();
    let mut begin = 0;
    let mut strings = Vec::new();
    for length in NUMBERS.take() {
        let end = begin + strict(length) as usize;
        strings.push(text_of(&units[begin..end]));
        begin = end;
    }
    done(on(handle, |session| session.set_stop(StopStrings::new(strings)?)))
}

/// Sets the length limit of the next run; 0: until the context is full.
#[wasm_bindgen]
pub fn set_max_tokens(handle: u32, max_tokens: f64) -> u32 {
    // What is too large for this machine becomes its largest number, which the session refuses.
    let limit = (max_tokens > 0.0).then(|| usize::try_from(strict(max_tokens)).unwrap_or(usize::MAX));
    done(on(handle, |session| session.set_max_tokens(limit)))
}
