//! How a language model writes: one token per forward pass.
//!
//! A small, real GPT-2-architecture decoder and the loop around it, made to be read. The whole subject in a dozen lines:
//!
//! ```
//! use generation_loop::{Config, Model, Session, Settings, Weights};
//!
//! # fn main() -> Result<(), generation_loop::Error> {
//! let config = Config::default(); // 2 blocks of width 16 over 64 characters
//! let weights = Weights::untrained(&config, generation_loop::UNTRAINED_SEED)?;
//! let settings = Settings::default_for(&config); // greedy, at most 32 tokens
//! let mut session = Session::new(Model::new(config, weights)?, settings)?;
//!
//! session.prefill_text("the cat sat")?; // pass 1: eleven tokens in, one token out
//! while session.stop().is_none() {
//!     session.decode_step()?; // every later pass: one token in, one token out
//! }
//!
//! assert_eq!(session.tokens().len(), 32);
//! assert_eq!(session.log().len(), 21); // one row per forward pass
//! assert_eq!(session.log()[0].flops.total(), 173_184);
//! assert_eq!(session.log()[1].flops.total(), 15_872);
//! # Ok(())
//! # }
//! ```
//!
//! # Examples
//!
//! - `cargo run --example run -- "the cat sat"` shows a run of the trained weights in the terminal, with its whole log. What reads
//!   these weights (`examples/common/trained.rs`) reads any `model.safetensors`.
//! - `cargo run --example cost -- gpt2-xl` shows what passes of a larger model cost, with the cache and without.
//!
//! # Reading order
//!
//! 1. [`session`]: the loop itself. Prefill, sample, decode, stop; start here.
//! 2. [`model`] and [`cache`]: one forward pass, and what it leaves behind for the next.
//! 3. [`sampling`], [`draws`] and [`stopping`]: from logits to a token, and when to end.
//! 4. [`settings`] and [`pass`]: what is chosen for a run, and the row that each pass leaves in the log.
//! 5. [`flops`]: what a pass costs, checked against the multiply-adds counted in [`kernels`].
//! 6. [`config`], [`tokenizer`], [`weights`]: shape, text and constants.
//! 7. [`math`], [`kernels`], [`error`]: the ground floor.
//!
//! Imports go one way: session → {settings, pass} → {model → cache, sampling, stopping} → {config, tokenizer, draws, flops,
//! weights} → {math, kernels, error}. The WebAssembly boundary stands on top: `wasm`, and `areas`, through which it passes what
//! is not a number. Natively they are not compiled.
//!
//! # The same bits everywhere
//!
//! One run is (model, prompt, sampling, seed, stop, limits). It gives the same tokens and the same logits, bit for bit,
//! natively and in every browser: sums run in a fixed order, multiply and add are never fused, `exp` is this crate's own,
//! and draws come from ChaCha8.

#[cfg(target_arch = "wasm32")]
mod areas;
pub mod cache;
pub mod config;
pub mod draws;
pub mod error;
pub mod flops;
pub mod kernels;
mod lanes;
pub mod math;
pub mod model;
pub mod pass;
mod ranking;
pub mod sampling;
pub mod session;
pub mod settings;
pub mod stopping;
pub mod tokenizer;
#[cfg(target_arch = "wasm32")]
pub mod wasm;
pub mod weights;

pub use config::Config;
pub use error::Error;
pub use model::Model;
pub use pass::Pass;
pub use sampling::Sampling;
pub use session::Session;
pub use settings::Settings;
pub use weights::Weights;

/// What the README shows is compiled and run, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The seed of the shipped untrained weights.
pub const UNTRAINED_SEED: u64 = 283;
