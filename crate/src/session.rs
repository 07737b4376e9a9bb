//! The loop. This file is the definition of the subject: prefill once, then one forward pass per token, until a stop.

use crate::cache::KvCache;
use crate::config::Config;
use crate::draws::Draws;
use crate::error::{Error, Value, filled};
use crate::flops::Flops;
use crate::model::{Activations, Model};
use crate::pass::{Pass, Phase, SampledToken};
use crate::sampling::{Sampler, Sampling};
use crate::settings::{self, Settings};
use crate::stopping::{Stop, StopReason, StopStrings};
use crate::tokenizer::Tokenizer;

/// One run at a time of one model: the prompt, what was generated, and a log with one row per forward pass.
#[derive(Debug)]
pub struct Session {
    // Shape and constants.
    model: Model,
    tokenizer: Tokenizer,
    // What was chosen.
    settings: Settings,
    // What changes.
    cache: KvCache,
    activations: Activations,
    draws: Draws,
    sampler: Sampler,
    // What happened: the prompt's ids, then one id per pass.
    tokens: Vec<u32>,
    log: Vec<Pass>,
    /// The text of all sampled tokens, and how much of it there was before each of them, in bytes.
    text: String,
    starts: Vec<usize>,
}

impl Session {
    /// A session with nothing processed yet.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`], [`Error::OutOfMemory`] or [`Error::NoEntropy`].
    pub fn new(model: Model, settings: Settings) -> Result<Self, Error> {
        let config = model.config();
        settings.sampling.validated()?;
        settings::check_max_tokens(settings.max_tokens, config)?;
        Ok(Self {
            tokenizer: Tokenizer::for_vocab_size(config.vocab_size),
            cache: KvCache::new(config)?,
            activations: Activations::new(config)?,
            draws: Draws::new(settings.seed)?,
            sampler: Sampler::default(),
            tokens: Vec::new(),
            log: Vec::new(),
            text: String::new(),
            starts: Vec::new(),
            model,
            settings,
        })
    }

    /// Pass 1: starts a new run, takes all of `prompt` through the model at once, and samples the first new token.
    ///
    /// The generator starts at the seed again. Cost: [`Flops::prefill`].
    ///
    /// # Errors
    /// [`Error::EmptyPrompt`], [`Error::TokenOutOfRange`], [`Error::PromptTooLong`], [`Error::NonFiniteLogit`] or
    /// [`Error::OutOfMemory`]; the run before is still there then.
    pub fn prefill(&mut self, prompt: &[u32]) -> Result<&Pass, Error> {
        self.check_room(prompt.len())?;
        let processed = self.model.prefill(prompt, &mut self.cache, &mut self.activations).map(drop);
        let (token, draw) = self.sample_or_undo(processed, 0, 0)?;
        self.tokens.clear();
        self.tokens.extend_from_slice(prompt);
        self.forget_passes(0);
        Ok(self.record(Phase::Prefill, prompt.len(), token, draw))
    }

    /// [`Session::prefill`] of a text, tokenised first.
    ///
    /// # Errors
    /// Those of [`Tokenizer::encode`] and of [`Session::prefill`].
    pub fn prefill_text(&mut self, prompt: &str) -> Result<&Pass, Error> {
        let prompt = self.tokenizer.encode(prompt)?;
        self.prefill(&prompt)
    }

    /// The next pass: takes the newest token through the model and samples the one after it.
    ///
    /// Cost: [`Flops::decode`]; without the cache, [`Flops::prefill`] of all tokens so far.
    ///
    /// # Errors
    /// [`Error::NotStarted`], [`Error::Stopped`], [`Error::NonFiniteLogit`] or [`Error::OutOfMemory`]; nothing has changed
    /// then.
    pub fn decode_step(&mut self) -> Result<&Pass, Error> {
        let newest = match (self.tokens.last(), self.stop()) {
            (None, _) => return Err(Error::NotStarted),
            (_, Some(stop)) => return Err(Error::Stopped { reason: stop.reason.name() }),
            (Some(&newest), None) => newest,
        };
        let cached = self.cache.len();
        let (cache, activations) = (&mut self.cache, &mut self.activations);
        // Without the cache every column is written anew, and none can be trusted if the pass comes to nothing.
        let (tokens_in, untouched, processed) = if self.settings.cache {
            (1, cached, self.model.decode_step(newest, cache, activations).map(drop))
        } else {
            (self.tokens.len(), 0, self.model.prefill(&self.tokens, cache, activations).map(drop))
        };
        let (token, draw) = self.sample_or_undo(processed, self.log.len(), untouched)?;
        Ok(self.record(Phase::Decode, tokens_in, token, draw))
    }

    /// Samples after a pass; if that or the pass failed, puts the run before it back, of which the first `untouched` columns of
    /// the cache are left.
    fn sample_or_undo(
        &mut self,
        processed: Result<(), Error>,
        draws_before: usize,
        untouched: usize,
    ) -> Result<(SampledToken, Option<f64>), Error> {
        let sampled = processed.and_then(|()| self.sample(draws_before));
        if sampled.is_err() {
            // The logits are gone too, and come with the last column.
            self.recompute_from(untouched.min(self.tokens.len().saturating_sub(2)))?;
        }
        sampled
    }

    /// Samples from the logits of the pass just made; `draws_before` draws of this run came before.
    fn sample(&mut self, draws_before: usize) -> Result<(SampledToken, Option<f64>), Error> {
        let logits = self.activations.last_logits(self.model.config());
        let sampling = self.settings.sampling;
        // Draws are numbered: one per token whatever the method, so that changing the method keeps later draws comparable.
        let draw = (!sampling.is_greedy()).then(|| self.draws.at(draws_before));
        let picked = self.sampler.sample(logits, sampling.filter(), draw.unwrap_or(0.0))?;
        let token = SampledToken {
            id: picked.id,
            probability: picked.probability,
            sampling_probability: picked.sampling_probability,
        };
        Ok((token, draw))
    }

    /// Appends the sampled token and the row of the log.
    fn record(&mut self, phase: Phase, tokens_in: usize, token: SampledToken, draw: Option<f64>) -> &Pass {
        let config = self.model.config();
        let context_length = self.cache.len();
        let flops_without_cache = Flops::prefill(config, context_length);
        let pass = Pass {
            index: self.log.len() + 1,
            phase,
            tokens_in,
            context_length,
            flops: if tokens_in == 1 { Flops::decode(config, context_length) } else { flops_without_cache },
            multiply_adds: self.activations.multiply_adds(),
            flops_without_cache,
            cache_bytes: if self.settings.cache { self.cache.bytes() } else { 0 },
            draw,
            token,
            stop: None,
        };
        self.tokens.push(token.id);
        self.log.push(pass);
        self.starts.push(self.text.len());
        // End-of-text adds none, whatever its id means elsewhere.
        if self.model.config().eos_token_id != Some(token.id) {
            self.tokenizer.append(token.id, &mut self.text);
        }
        let stop = self.find_stop();
        let last = self.log.len() - 1;
        let pass = &mut self.log[last];
        pass.stop = stop;
        pass
    }

    /// The end that the newest token brings, if it brings one.
    fn find_stop(&self) -> Option<Stop> {
        let config = self.model.config();
        let tokens = self.tokens.len();
        let because = |reason| Some(Stop { reason, matched: None });
        if self.tokens.last().copied() == config.eos_token_id {
            return because(StopReason::EndOfText);
        }
        let searched = self.starts.last().copied().unwrap_or_default();
        if let Some(found) = self.settings.stop.find_in_tail(&self.text, searched) {
            return Some(Stop { reason: StopReason::StopString, matched: Some(found.matched.to_string()) });
        }
        if self.settings.max_tokens.is_some_and(|limit| tokens >= limit) {
            return because(StopReason::MaxTokens);
        }
        if tokens >= config.n_positions {
            return because(StopReason::ContextFull);
        }
        None
    }

    /// Goes back to the moment after pass `keep`: cache, text and generator as they were then; 0 is [`Session::reset`].
    ///
    /// Settings stay as they are now.
    ///
    /// # Errors
    /// [`Error::RewindTooFar`].
    pub fn rewind(&mut self, keep: usize) -> Result<(), Error> {
        let passes = self.log.len();
        if keep > passes {
            return Err(Error::RewindTooFar { keep: keep as f64, passes });
        }
        if keep == 0 {
            self.reset();
            return Ok(());
        }
        self.tokens.truncate(self.tokens.len() - (passes - keep));
        self.forget_passes(keep);
        // The cache still has every column; one pass over the last of them brings the logits back.
        self.recompute_from(self.tokens.len().saturating_sub(2))
    }

    /// Forgets the run; settings, seed and model stay.
    pub fn reset(&mut self) {
        self.tokens.clear();
        self.forget_passes(0);
        self.cache.truncate(0);
        self.activations.clear();
    }

    /// Forgets what was recorded of all passes after the first `keep`.
    fn forget_passes(&mut self, keep: usize) {
        self.log.truncate(keep);
        if let Some(&length) = self.starts.get(keep) {
            self.text.truncate(length);
        }
        self.starts.truncate(keep);
    }

    /// Brings cache and logits to where the log says they are, given that the first `from` columns of the cache are right.
    ///
    /// One token at a time, so that no buffer has to grow; the bits are those of the passes that it stands for. It is no
    /// pass of the run.
    fn recompute_from(&mut self, from: usize) -> Result<(), Error> {
        let Some((_, processed)) = self.tokens.split_last() else {
            self.reset();
            return Ok(());
        };
        self.cache.truncate(from);
        for &token in &processed[from..] {
            self.model.decode_step(token, &mut self.cache, &mut self.activations)?;
        }
        Ok(())
    }

    fn check_room(&self, tokens: usize) -> Result<(), Error> {
        let n_positions = self.model.config().n_positions;
        let (limit, name) = match self.settings.max_tokens {
            Some(max_tokens) => (max_tokens, "max-tokens"),
            None => (n_positions, "n_positions"),
        };
        if tokens >= limit {
            let named = filled("% is %", &[Value::Text(name), Value::Count(limit)]);
            return Err(Error::PromptTooLong { tokens, allowed: limit - 1, limit: named });
        }
        Ok(())
    }

    /// The generated text, without the stop string or the end-of-text token that ended it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.text.clone();
        if let Some(found) = self.settings.stop.find(&text) {
            text.truncate(found.start);
        }
        text
    }

    /// [`Session::text`] without the tail that may yet become part of a stop string: what a stream may show by now.
    #[must_use]
    pub fn released_text(&self) -> String {
        let mut text = self.text();
        if self.stop().is_none() {
            text.truncate(text.len() - self.settings.stop.held_back(&text));
        }
        text
    }

    /// Logits of the last pass, at its last position, (V,); empty before the first pass.
    #[must_use]
    pub fn logits(&self) -> &[f32] {
        self.activations.last_logits(self.model.config())
    }

    /// How much the last position of the last pass attended to each token that it could see, (T,), in one layer and head;
    /// see [`Activations::attention`].
    ///
    /// # Panics
    /// If there is no such layer or head.
    #[must_use]
    pub fn attention(&self, layer: usize, head: usize) -> &[f32] {
        self.activations.attention(self.model.config(), layer, head)
    }

    /// Ids of the prompt, then of every sampled token, the one that ended the run included.
    #[must_use]
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Ids of the sampled tokens.
    #[must_use]
    pub fn generated(&self) -> &[u32] {
        &self.tokens[self.tokens.len() - self.log.len()..]
    }

    /// One row per forward pass.
    #[must_use]
    pub fn log(&self) -> &[Pass] {
        &self.log
    }

    /// How the run ended, if it has.
    #[must_use]
    pub fn stop(&self) -> Option<&Stop> {
        self.log.last().and_then(|pass| pass.stop.as_ref())
    }

    /// The model's shape.
    #[must_use]
    pub fn config(&self) -> &Config {
        self.model.config()
    }

    /// How text becomes ids.
    #[must_use]
    pub fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    /// What was chosen.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The seed in use, picked by the system if none was given.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.draws.seed()
    }

    /// Changes the method, from the next token on.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`].
    pub fn set_sampling(&mut self, sampling: Sampling) -> Result<(), Error> {
        self.settings.sampling = sampling.validated()?;
        Ok(())
    }

    /// Turns the cache on or off, from the next pass on; tokens and logits do not change by it.
    pub fn set_cache(&mut self, cache: bool) {
        // The buffer holds every column either way: a pass without the cache writes all of them anew.
        self.settings.cache = cache;
    }

    /// Sets the seed of the next run; none: one from the system.
    ///
    /// # Errors
    /// [`Error::RunInProgress`], [`Error::InvalidSetting`] or [`Error::NoEntropy`].
    pub fn set_seed(&mut self, seed: Option<u64>) -> Result<(), Error> {
        self.check_idle("seed")?;
        self.draws = Draws::new(seed)?;
        self.settings.seed = seed;
        Ok(())
    }

    /// Sets the stop strings of the next run.
    ///
    /// # Errors
    /// [`Error::RunInProgress`].
    pub fn set_stop(&mut self, stop: StopStrings) -> Result<(), Error> {
        self.check_idle("stop")?;
        self.settings.stop = stop;
        Ok(())
    }

    /// Sets the length limit of the next run.
    ///
    /// # Errors
    /// [`Error::RunInProgress`] or [`Error::InvalidSetting`].
    pub fn set_max_tokens(&mut self, max_tokens: Option<usize>) -> Result<(), Error> {
        self.check_idle("max-tokens")?;
        settings::check_max_tokens(max_tokens, self.model.config())?;
        self.settings.max_tokens = max_tokens;
        Ok(())
    }

    fn check_idle(&self, name: &'static str) -> Result<(), Error> {
        match self.log.len() {
            0 => Ok(()),
            passes => Err(Error::RunInProgress { name, passes }),
        }
    }
}
