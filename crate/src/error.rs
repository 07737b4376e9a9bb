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
            Self::InvalidSetting { .. } => "invalid-setting",
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
    pub fn message(&self, number: &dyn Fn(f64) -> String) -> String {
        match self {
            Self::InvalidConfig { key: name, value, allowed } | Self::InvalidSetting { name, value, allowed } => {
                filled("% is %; allowed: %", &[Text(name), Text(&number(*value)), Text(allowed)])
            }
            Self::MissingTensor { name } => filled("tensor % is missing", &[Text(name)]),
            Self::UnknownTensor { name } => {
                filled("tensor % is not part of a GPT-2 of this configuration", &[Text(name)])
            }
            Self::DuplicateTensor { name } => filled("tensor % was given twice", &[Text(name)]),
            Self::TensorShape { name, expected, found } => {
                filled("tensor % has shape [%]; expected [%]", &[Text(name), Counts(found), Counts(expected)])
            }
            Self::TensorLength { name, expected, found } => filled(
                "tensor % has % numbers; expected %, which fill its shape",
                &[Text(name), Count(*found), Count(*expected)],
            ),
            Self::OutOfMemory { bytes } => filled(
                "% more bytes of memory could not be had; at most % can be addressed",
                &[Text(&bytes.to_string()), Count(usize::MAX)],
            ),
            Self::EmptyPrompt => filled("the prompt is empty; at least one token is needed", &[]),
            Self::UnsupportedCharacters { characters, allowed } => {
                filled("unsupported: %. Allowed: %", &[Characters(characters), Text(allowed)])
            }
            Self::NoCharacterTable { vocab_size } => filled(
                "text needs the built-in vocabulary of 64 characters, and this model has % tokens; give the prompt as \
                 token ids",
                &[Count(*vocab_size)],
            ),
            Self::TokenOutOfRange { id, vocab_size } => filled(
                "token id % is outside the vocabulary; allowed: 0 to %",
                &[Text(&number(*id)), Count(vocab_size.saturating_sub(1))],
            ),
            Self::PromptTooLong { tokens, allowed, limit } => filled(
                "the prompt has % tokens; at most % leave room for a new one (%)",
                &[Count(*tokens), Count(*allowed), Text(limit)],
            ),
            Self::EmptyStopString { place } => {
                filled("stop string % is empty; at least one character is needed", &[Count(*place)])
            }
            Self::NonFiniteLogit { id, value } => filled(
                "the logit of token % is %; only finite numbers can be sampled from",
                &[Count(*id), Text(&number((*value).into()))],
            ),
            Self::NoLogits => filled("there are no logits to sample from", &[]),
            Self::NotStarted => filled("no prompt has been processed yet; prefill first", &[]),
            Self::Stopped { reason } => {
                filled("the run has stopped (%); rewind, reset or prefill a new prompt", &[Text(reason)])
            }
            Self::RunInProgress { name, passes } => filled(
                "% belongs to the whole run, and % passes were made already; reset first",
                &[Text(name), Count(*passes)],
            ),
            Self::RewindTooFar { keep, passes } => filled(
                "cannot keep % passes; allowed: 0 to %, the passes made",
                &[Text(&number(*keep)), Count(*passes)],
            ),
            Self::CacheFull { length, adding, capacity } => filled(
                "the cache holds % tokens of %; % more do not fit",
                &[Count(*length), Count(*capacity), Count(*adding)],
            ),
            Self::ShapeMismatch => filled("the weights or the cache were made for a model of another shape", &[]),
            Self::NoEntropy => filled("no random seed could be had from the system; set a seed", &[]),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(&|value| value.to_string()))
    }
}

impl std::error::Error for Error {}

/// What stands in a gap of a sentence.
pub(crate) enum Value<'a> {
    Text(&'a str),
    Count(usize),
    Counts(&'a [usize]),
    Characters(&'a [UnsupportedCharacter]),
}
use Value::{Characters, Count, Counts, Text};

/// `sentence` with one of `values` for each `%`.
///
/// Not `format!`: what that can do beyond this would be a tenth of the WebAssembly.
#[inline(never)]
pub(crate) fn filled(sentence: &str, values: &[Value<'_>]) -> String {
    let mut text = String::new();
    let mut values = values.iter();
    for c in sentence.chars() {
        match if c == '%' { values.next() } else { None } {
            None => text.push(c),
            Some(Text(value)) => text.push_str(value),
            Some(Count(count)) => text.push_str(&count.to_string()),
            Some(Counts(counts)) => list(&mut text, counts, ", ", usize::to_string),
            Some(Characters(characters)) => list(&mut text, characters, "; ", named),
        }
    }
    text
}

/// The first of `items` in words, and how many there are beyond: a pasted book must not make a message as long as itself.
fn list<T>(text: &mut String, items: &[T], separator: &str, in_words: impl Fn(&T) -> String) {
    const MOST: usize = 12;
    for (index, item) in items.iter().take(MOST).enumerate() {
        if index > 0 {
            text.push_str(separator);
        }
        text.push_str(&in_words(item));
    }
    if let Some(more @ 1..) = items.len().checked_sub(MOST) {
        text.push_str(&filled("%and % more", &[Text(separator), Count(more)]));
    }
}

/// `"é" (U+00E9) at 4`.
fn named(character: &UnsupportedCharacter) -> String {
    let UnsupportedCharacter { code_point, places } = character;
    // Four digits at least.
    let digits = (code_point.max(&1).ilog2() / 4 + 1).max(4);
    let digit = |place| char::from_digit(code_point >> (4 * place) & 0xF, 16).unwrap_or_default().to_ascii_uppercase();
    let code: String = (0..digits).rev().map(digit).collect();
    let sentence = match char::from_u32(*code_point) {
        Some('\t') => "tab (U+%) at %",
        Some(c) if c.is_control() => "control character U+% at %",
        Some(c) => {
            let itself = c.to_string();
            return filled("\"%\" (U+%) at %", &[Text(&itself), Text(&code), Counts(places)]);
        }
        None => "half a surrogate pair (U+%) at %",
    };
    filled(sentence, &[Text(&code), Counts(places)])
}
