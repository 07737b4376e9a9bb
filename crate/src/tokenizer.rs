//! Text to token ids and back: one token per character, 64 of them.
//!
//! The normaliser folds what has an obvious twin in the vocabulary (capitals, curly quotes, Windows line ends, no-break
//! spaces). Everything else outside the table is refused by name and place; nothing is dropped in silence.

use crate::error::{Error, UnsupportedCharacter};

/// Id of the end-of-text token; it has no character.
pub const END_OF_TEXT: u32 = 0;

/// Size of the built-in vocabulary.
pub const VOCAB_SIZE: usize = 64;

/// Characters of ids 1 to 63, in order.
const CHARACTERS: &str = " abcdefghijklmnopqrstuvwxyz0123456789.,!?'\"-:;()[]+*/=<>&%$#@_\n";

/// The same for people.
const ALLOWED: &str = "a–z, 0–9, space, newline and .,!?'\"-:;()[]+*/=<>&%$#@_";

/// How token ids are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokenizer {
    /// The built-in table of 64 characters.
    Characters,
    /// A vocabulary without a table: prompts are ids, and the text of id 412 is `#412`.
    Ids {
        /// Number of tokens.
        vocab_size: usize,
    },
}

impl Tokenizer {
    /// The tokenizer for a vocabulary of this size: the built-in table for 64, plain ids for any other.
    #[must_use]
    pub fn for_vocab_size(vocab_size: usize) -> Self {
        if vocab_size == VOCAB_SIZE { Self::Characters } else { Self::Ids { vocab_size } }
    }

    /// Token ids of `text`, normalised first.
    ///
    /// # Errors
    /// [`Error::EmptyPrompt`], [`Error::UnsupportedCharacters`] with each character and its places in `text`, or
    /// [`Error::NoCharacterTable`].
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, Error> {
        self.encode_code_points(text.chars().map(u32::from))
    }

    /// [`Tokenizer::encode`] for UTF-16, as JavaScript has it: a lone surrogate is named as what it is.
    ///
    /// # Errors
    /// As [`Tokenizer::encode`].
    pub fn encode_utf16(&self, text: &[u16]) -> Result<Vec<u32>, Error> {
        self.encode_code_points(code_points(text))
    }

    fn encode_code_points(self, text: impl Iterator<Item = u32>) -> Result<Vec<u32>, Error> {
        if let Self::Ids { vocab_size } = self {
            return Err(Error::NoCharacterTable { vocab_size });
        }
        let mut ids = Vec::new();
        let mut unsupported: Vec<UnsupportedCharacter> = Vec::new();
        for (place, normalised) in normalise(text) {
            match char::from_u32(normalised).and_then(id_of) {
                Some(id) => ids.push(id),
                None => match unsupported.iter_mut().find(|u| u.code_point == normalised) {
                    Some(known) => known.places.push(place),
                    None => unsupported.push(UnsupportedCharacter { code_point: normalised, places: vec![place] }),
                },
            }
        }
        if !unsupported.is_empty() {
            return Err(Error::UnsupportedCharacters { characters: unsupported, allowed: ALLOWED });
        }
        if ids.is_empty() {
            return Err(Error::EmptyPrompt);
        }
        Ok(ids)
    }

    /// The text that one token adds: its character, nothing for end-of-text, `#id` without a table.
    #[must_use]
    pub fn piece(&self, id: u32) -> String {
        let mut text = String::new();
        self.append(id, &mut text);
        text
    }

    /// Appends the text that one token adds.
    pub(crate) fn append(&self, id: u32, text: &mut String) {
        match self {
            Self::Characters => {
                if let Some(index) = id.checked_sub(1)
                    && let Some(&byte) = CHARACTERS.as_bytes().get(index as usize)
                {
                    text.push(char::from(byte));
                }
            }
            Self::Ids { .. } => {
                text.push('#');
                text.push_str(&id.to_string());
            }
        }
    }

    /// The text of `ids`, piece after piece.
    #[must_use]
    pub fn decode(&self, ids: &[u32]) -> String {
        ids.iter().map(|&id| self.piece(id)).collect()
    }
}

/// `text` as the vocabulary sees it: A–Z to a–z, `\r\n` to a newline, curly quotes to straight ones, a no-break
/// space to a space. Whatever else is not in the vocabulary stays, for [`Tokenizer::encode`] to refuse.
#[must_use]
pub fn normalised(text: &str) -> String {
    normalise(text.chars().map(u32::from)).filter_map(|(_, c)| char::from_u32(c)).collect()
}

/// Code points of `text` after normalisation, each with its place (from 1) before it.
fn normalise(text: impl Iterator<Item = u32>) -> impl Iterator<Item = (usize, u32)> {
    let mut text = text.enumerate().peekable();
    std::iter::from_fn(move || {
        let (index, code_point) = text.next()?;
        let normalised = match char::from_u32(code_point) {
            Some('\r') if text.peek().is_some_and(|&(_, next)| next == u32::from('\n')) => {
                text.next();
                '\n'
            }
            Some('‘' | '’') => '\'',
            Some('“' | '”') => '"',
            Some('\u{a0}') => ' ',
            Some(c) => c.to_ascii_lowercase(),
            None => return Some((index + 1, code_point)),
        };
        Some((index + 1, normalised.into()))
    })
}

/// Code points of UTF-16 text; half a surrogate pair stands for itself.
fn code_points(text: &[u16]) -> impl Iterator<Item = u32> {
    char::decode_utf16(text.iter().copied())
        .map(|decoded| decoded.map_or_else(|lone| u32::from(lone.unpaired_surrogate()), u32::from))
}

fn id_of(c: char) -> Option<u32> {
    // Every character of the table is ASCII: one byte.
    (1..).zip(CHARACTERS.bytes()).find(|&(_, byte)| char::from(byte) == c).map(|(id, _)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: Tokenizer = Tokenizer::Characters;

    #[test]
    fn the_table_has_63_characters_and_the_end() {
        assert_eq!(CHARACTERS.len(), VOCAB_SIZE - 1);
        assert!(CHARACTERS.is_ascii());
        for (id, text) in
            [(1, " "), (2, "a"), (27, "z"), (28, "0"), (37, "9"), (38, "."), (42, "'"), (63, "\n"), (0, "")]
        {
            assert_eq!(TABLE.piece(id), text);
        }
        assert_eq!(TABLE.piece(62), "_");
        assert_eq!(ALLOWED, format!("a–z, 0–9, space, newline and {}", &CHARACTERS[37..62]));
        let all: Vec<u32> = (1..64).collect();
        assert_eq!(TABLE.encode(CHARACTERS).unwrap(), all);
        assert_eq!(TABLE.decode(&all), CHARACTERS);
    }

    #[test]
    fn the_normaliser_folds_what_has_a_twin() {
        assert_eq!(normalised("The\r\n\u{a0}“Cat’s”"), "the\n \"cat's\"");
        assert_eq!(TABLE.encode("AZ").unwrap(), TABLE.encode("az").unwrap());
        assert_eq!(TABLE.encode("a\r\nb").unwrap(), [2, 63, 3]);
    }

    #[test]
    fn unsupported_characters_are_named_with_their_places() {
        let cases = [
            ("caf\u{e9}", "\"é\" (U+00E9) at 4"),
            ("a\tb\t", "tab (U+0009) at 2, 4"),
            ("🙂a🙂É", "\"🙂\" (U+1F642) at 1, 3; \"É\" (U+00C9) at 4"),
            ("a\0b", "control character U+0000 at 2"),
            ("a\rb", "control character U+000D at 2"),
        ];
        for (text, named) in cases {
            let error = TABLE.encode(text).unwrap_err();
            assert_eq!(error.code(), "unsupported-characters");
            assert!(error.to_string().starts_with(&format!("unsupported: {named}. Allowed: ")), "{error}");
        }
        let long = TABLE.encode(&"é".repeat(1000)).unwrap_err().to_string();
        assert!(long.contains("at 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, and 988 more. Allowed"), "{long}");
        let lone = TABLE.encode_utf16(&[0x61, 0xd83d, 0x62]).unwrap_err();
        assert!(lone.to_string().starts_with("unsupported: half a surrogate pair (U+D83D) at 2"), "{lone}");
        assert_eq!(TABLE.encode_utf16(&[0x61, 0x20]).unwrap(), [2, 1]);
        // Places count the text as given, before "\r\n" became one character.
        let after_line_end = TABLE.encode("a\r\né").unwrap_err();
        assert!(after_line_end.to_string().contains("at 4"), "{after_line_end}");
    }

    #[test]
    fn empty_text_is_refused_and_spaces_are_text() {
        assert_eq!(TABLE.encode("").unwrap_err(), Error::EmptyPrompt);
        assert_eq!(TABLE.encode("   ").unwrap(), [1, 1, 1]);
    }

    #[test]
    fn a_vocabulary_without_a_table_shows_ids() {
        let ids = Tokenizer::for_vocab_size(1000);
        assert_eq!(ids.piece(412), "#412");
        assert_eq!(ids.encode("abc").unwrap_err(), Error::NoCharacterTable { vocab_size: 1000 });
        assert_eq!(Tokenizer::for_vocab_size(64), TABLE);
    }
}
