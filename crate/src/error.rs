//! Everything that can go wrong, each with a stable code and a message that names the value and what is allowed.
//!
//! The rule of the crate: refuse loudly, change nothing. A call that returns an [`Error`] leaves its receiver as it
//! was, and nothing is clamped, dropped or repaired in silence.

use std::fmt;

/// One kind of unsupported character in a text, with every place where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedCharacter {
    /// Unicode code point; for a lone surrogate (only possible in UTF-16 input) the surrogate itself.
    pub code_point: u32,
    /// Places in the text as given, counted in characters from 1.
    pub places: Vec<usize>,
}

impl fmt::Display for UnsupportedCharacter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match char::from_u32(self.code_point) {
            Some('\t') => write!(f, "tab (U+0009)")?,
            Some(c) if c.is_control() => write!(f, "control character U+{:04X}", self.code_point)?,
            Some(c) => write!(f, "\"{c}\" (U+{:04X})", self.code_point)?,
            None => write!(f, "half a surrogate pair (U+{:04X})", self.code_point)?,
        }
        write!(f, " at {}", listed(&self.places, ", "))
    }
}

/// What went wrong. [`Error::code`] never changes once released; the wording of the message may.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A configuration value outside its range, or one that contradicts another.
    InvalidConfig {
        /// Hugging Face's name of the value.
        key: &'static str,
        /// The value that was given.
        value: f64,
        /// What is allowed.
        allowed: String,
    },
    /// A tensor that the configuration asks for was not given.
    MissingTensor {
        /// Name without the `transformer.` prefix.
        name: String,
    },
    /// A tensor that a GPT-2 of this configuration does not have.
    UnknownTensor {
        /// The name as given.
        name: String,
    },
    /// A tensor was given twice.
    DuplicateTensor {
        /// Name without the `transformer.` prefix.
        name: String,
    },
    /// A tensor whose shape is not the one the configuration implies.
    TensorShape {
        /// Name without the `transformer.` prefix.
        name: String,
        /// The shape that the configuration implies.
        expected: Vec<usize>,
        /// The shape that was given.
        found: Vec<usize>,
    },
    /// A tensor whose data does not fill its shape.
    TensorLength {
        /// Name without the `transformer.` prefix.
        name: String,
        /// Numbers in its shape.
        expected: usize,
        /// Numbers that were given.
        found: usize,
    },
    /// Memory for a buffer could not be had.
    OutOfMemory {
        /// The size asked for, in bytes.
        bytes: u64,
    },
    /// A prompt with no tokens.
    EmptyPrompt,
    /// Characters that the vocabulary does not have.
    UnsupportedCharacters {
        /// Each character once, in order of appearance.
        characters: Vec<UnsupportedCharacter>,
        /// What the vocabulary has.
        allowed: &'static str,
    },
    /// A text prompt for a vocabulary that has no built-in character table.
    NoCharacterTable {
        /// Size of the model's vocabulary.
        vocab_size: usize,
    },
    /// A token id at or beyond the vocabulary size.
    TokenOutOfRange {
        /// The id as given; from JavaScript it may be negative or a fraction.
        id: f64,
        /// Size of the vocabulary; ids run from 0 to one less.
        vocab_size: usize,
    },
    /// A prompt that leaves no room for one new token.
    PromptTooLong {
        /// Tokens in the prompt.
        tokens: usize,
        /// The most that fit.
        allowed: usize,
        /// Which limit binds, `max-tokens` or `n_positions`, with its value.
        limit: String,
    },
    /// A setting outside its range.
    InvalidSetting {
        /// `temperature`, `top-k`, `top-p`, `seed` or `max-tokens`.
        name: &'static str,
        /// The value that was given.
        value: f64,
        /// What is allowed.
        allowed: String,
    },
    /// A sampling method that does not exist.
    UnknownMethod {
        /// Its name, as given.
        name: String,
    },
    /// An empty stop string.
    EmptyStopString {
        /// Its place in the list, from 1.
        place: usize,
    },
    /// The model produced a logit that is not a finite number.
    NonFiniteLogit {
        /// Token id of the first such logit.
        id: usize,
        /// The value.
        value: f32,
    },
    /// Logits of length zero.
    NoLogits,
    /// A decode step before any prefill.
    NotStarted,
    /// A decode step after the run has stopped.
    Stopped {
        /// Why it stopped.
        reason: &'static str,
    },
    /// A setting that belongs to the whole run was changed in the middle of one.
    RunInProgress {
        /// The setting.
        name: &'static str,
        /// Passes made so far.
        passes: usize,
    },
    /// A rewind to more passes than were made.
    RewindTooFar {
        /// Passes to keep, as given; from JavaScript it may be negative or a fraction.
        keep: f64,
        /// Passes made.
        passes: usize,
    },
    /// More tokens than the cache has room for.
    CacheFull {
        /// Tokens in the cache.
        length: usize,
        /// Tokens to add.
        adding: usize,
        /// Its capacity, `n_positions`.
        capacity: usize,
    },
    /// Weights or a cache made for a model of another shape.
    ShapeMismatch,
    /// The operating system or browser gave no random seed.
    NoEntropy,
}

impl Error {
    /// A short name that never changes, for programs: `invalid-config`, `stopped`, …
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidConfig { .. } => "invalid-config",
            Self::MissingTensor { .. } => "missing-tensor",
            Self::UnknownTensor { .. } => "unknown-tensor",
            Self::DuplicateTensor { .. } => "duplicate-tensor",
            Self::TensorShape { .. } | Self::TensorLength { .. } => "tensor-shape",
            Self::OutOfMemory { .. } => "out-of-memory",
            Self::EmptyPrompt => "empty-prompt",
            Self::UnsupportedCharacters { .. } => "unsupported-characters",
            Self::NoCharacterTable { .. } => "no-character-table",
            Self::TokenOutOfRange { .. } => "token-out-of-range",
            Self::PromptTooLong { .. } => "prompt-too-long",
            Self::InvalidSetting { .. } | Self::UnknownMethod { .. } => "invalid-setting",
            Self::EmptyStopString { .. } => "empty-stop-string",
            Self::NonFiniteLogit { .. } => "non-finite-logit",
            Self::NoLogits => "no-logits",
            Self::NotStarted => "not-started",
            Self::Stopped { .. } => "stopped",
            Self::RunInProgress { .. } => "run-in-progress",
            Self::RewindTooFar { .. } => "rewind-too-far",
            Self::CacheFull { .. } => "cache-full",
            Self::ShapeMismatch => "shape-mismatch",
            Self::NoEntropy => "no-entropy",
        }
    }

    /// The message, with floating-point numbers written by `number`.
    ///
    /// `Display` passes Rust's own; the WebAssembly boundary passes the browser's, which is already there: Rust's would be
    /// a fifth of the module.
    #[must_use]
    pub fn message(&self, number: impl Fn(f64) -> String) -> String {
        match self {
            Self::InvalidConfig { key: name, value, allowed } | Self::InvalidSetting { name, value, allowed } => {
                format!("{name} is {}; allowed: {allowed}", number(*value))
            }
            Self::UnknownMethod { name } => {
                format!("sampling method is \"{name}\"; allowed: greedy, temperature, top-k, top-p")
            }
            Self::MissingTensor { name } => format!("tensor {name} is missing"),
            Self::UnknownTensor { name } => format!("tensor {name} is not part of a GPT-2 of this configuration"),
            Self::DuplicateTensor { name } => format!("tensor {name} was given twice"),
            Self::TensorShape { name, expected, found } => {
                format!("tensor {name} has shape {}; expected {}", shape(found), shape(expected))
            }
            Self::TensorLength { name, expected, found } => {
                format!("tensor {name} has {found} numbers; expected {expected}, which fill its shape")
            }
            Self::OutOfMemory { bytes } => {
                format!("{bytes} more bytes of memory could not be had; at most {} can be addressed", usize::MAX)
            }
            Self::EmptyPrompt => "the prompt is empty; at least one token is needed".into(),
            Self::UnsupportedCharacters { characters, allowed } => {
                format!("unsupported: {}. Allowed: {allowed}", listed(characters, "; "))
            }
            Self::NoCharacterTable { vocab_size } => format!(
                "text needs the built-in vocabulary of 64 characters, and this model has {vocab_size} tokens; \
                 give the prompt as token ids"
            ),
            Self::TokenOutOfRange { id, vocab_size } => format!(
                "token id {} is outside the vocabulary; allowed: 0 to {}",
                number(*id),
                vocab_size.saturating_sub(1)
            ),
            Self::PromptTooLong { tokens, allowed, limit } => {
                format!("the prompt has {tokens} tokens; at most {allowed} leave room for a new one ({limit})")
            }
            Self::EmptyStopString { place } => {
                format!("stop string {place} is empty; at least one character is needed")
            }
            Self::NonFiniteLogit { id, value } => format!(
                "the logit of token {id} is {}; only finite numbers can be sampled from",
                number((*value).into())
            ),
            Self::NoLogits => "there are no logits to sample from".into(),
            Self::NotStarted => "no prompt has been processed yet; prefill first".into(),
            Self::Stopped { reason } => {
                format!("the run has stopped ({reason}); rewind, reset or prefill a new prompt")
            }
            Self::RunInProgress { name, passes } => {
                format!("{name} belongs to the whole run, and {passes} passes were made already; reset first")
            }
            Self::RewindTooFar { keep, passes } => {
                format!("cannot keep {} passes; allowed: 0 to {passes}, the passes made", number(*keep))
            }
            Self::CacheFull { length, adding, capacity } => {
                format!("the cache holds {length} tokens of {capacity}; {adding} more do not fit")
            }
            Self::ShapeMismatch => "the weights or the cache were made for a model of another shape".into(),
            Self::NoEntropy => "no random seed could be had from the system; set a seed".into(),
        }
    }
}

/// A shape as people write it: `[2, 3]`.
fn shape(sides: &[usize]) -> String {
    format!("[{}]", listed(sides, ", "))
}

/// The first of `items` in words, and how many there are beyond: a pasted book must not make a message as long as itself.
fn listed(items: &[impl fmt::Display], separator: &str) -> String {
    const MOST: usize = 12;
    let mut words: Vec<String> = items.iter().take(MOST).map(ToString::to_string).collect();
    if items.len() > MOST {
        words.push(format!("and {} more", items.len() - MOST));
    }
    words.join(separator)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(|value| value.to_string()))
    }
}

impl std::error::Error for Error {}
