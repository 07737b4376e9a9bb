//! When a run ends, and which text must wait because it may yet become a stop string.
//!
//! Checked after each sampled token, in this order: end of text, stop string, max tokens, context full.

use crate::error::Error;

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The end-of-text token was sampled; it is no part of the text.
    EndOfText,
    /// A stop string was completed; it is no part of the text.
    StopString,
    /// Prompt and generated tokens together reached `max_tokens`.
    MaxTokens,
    /// Prompt and generated tokens together reached `n_positions`.
    ContextFull,
}

impl StopReason {
    /// Name in logs and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::EndOfText => "end-of-text",
            Self::StopString => "stop-string",
            Self::MaxTokens => "max-tokens",
            Self::ContextFull => "context-full",
        }
    }
}

/// The one end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Why.
    pub reason: StopReason,
    /// The stop string that was completed, if that was why.
    pub matched: Option<String>,
}

/// Strings that end a run when they are completed in the generated text. The prompt is never searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopStrings(Vec<String>);

/// A completed stop string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopMatch<'a> {
    /// Where it begins in the text, in bytes.
    pub start: usize,
    /// Which one it is.
    pub matched: &'a str,
}

impl StopStrings {
    /// A list of stop strings; an empty list stops nothing.
    ///
    /// # Errors
    /// [`Error::EmptyStopString`]: the empty string is completed before anything is generated.
    pub fn new(strings: Vec<String>) -> Result<Self, Error> {
        match strings.iter().position(String::is_empty) {
            Some(index) => Err(Error::EmptyStopString { place: index + 1 }),
            None => Ok(Self(strings)),
        }
    }

    /// The strings.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// The stop string that `text` completes first; of several completed by the same character the longest.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<StopMatch<'_>> {
        self.find_in_tail(text, 0)
    }

    /// [`StopStrings::find`] where none is complete in the first `searched` bytes of `text`: what a new token may complete
    /// ends behind them, and nothing else is looked at.
    #[must_use]
    pub fn find_in_tail(&self, text: &str, searched: usize) -> Option<StopMatch<'_>> {
        // Bytes will do: UTF-8 never has one character's bytes begin inside another's.
        let start_of = |string: &String| {
            let first = (searched + 1).saturating_sub(string.len());
            let tail = text.as_bytes().get(first..)?;
            tail.windows(string.len()).position(|at| at == string.as_bytes()).map(|start| first + start)
        };
        self.0
            .iter()
            .filter_map(|string| Some(StopMatch { start: start_of(string)?, matched: string }))
            .min_by_key(|found| (found.start + found.matched.len(), found.start))
    }

    /// Bytes at the end of `text` that begin a stop string: the longest such tail. No stop string is complete in `text`.
    #[must_use]
    pub fn held_back(&self, text: &str) -> usize {
        text.char_indices()
            .filter_map(|(start, _)| text.get(start..))
            .find(|tail| self.0.iter().any(|string| string.starts_with(tail)))
            .map_or(0, str::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stops(strings: &[&str]) -> StopStrings {
        StopStrings::new(strings.iter().map(ToString::to_string).collect()).unwrap()
    }

    #[test]
    fn the_first_to_be_completed_wins_and_of_those_the_longest() {
        let found = |strings: &[&str], text| stops(strings).find(text).map(|m| (m.start, m.matched.to_string()));
        assert_eq!(found(&["\n", "alice:"], "alice!x"), None);
        assert_eq!(found(&["\n", "alice:"], "hi\nalice:"), Some((2, "\n".into())));
        assert_eq!(found(&["b", "ab"], "xab"), Some((1, "ab".into())));
        assert_eq!(found(&["bcd", "c"], "abcd"), Some((2, "c".into())));
        assert_eq!(found(&[], "anything"), None);
        // A false start inside the string itself.
        assert_eq!(found(&["aab"], "aaab"), Some((1, "aab".into())));
    }

    #[test]
    fn the_tail_is_enough_where_the_rest_was_searched() {
        let strings = stops(&["ab", "bcd", "é.", "x"]);
        for text in ["aab", "abcd", "bbcd", "aé.", "yyx", "aaaa", "é", ""] {
            let mut searched = 0;
            while !text.is_char_boundary(searched)
                || (searched < text.len() && strings.find(&text[..searched]).is_none())
            {
                assert_eq!(strings.find_in_tail(text, searched), strings.find(text), "{text:?} from {searched}");
                searched += 1;
            }
        }
    }

    #[test]
    fn what_may_become_a_stop_string_is_held_back() {
        let held = |strings: &[&str], text| stops(strings).held_back(text);
        assert_eq!(held(&["tre!!"], "uno tre"), 3);
        assert_eq!(held(&["tre!!"], "uno trex"), 0);
        assert_eq!(held(&["defghij"], "abcd"), 1);
        assert_eq!(held(&["aab"], "aaa"), 2);
        assert_eq!(held(&["."], "abc"), 0);
        assert_eq!(held(&["ab", "babc"], "xbab"), 3);
        assert_eq!(held(&["éa"], "xé"), 2);
        assert_eq!(held(&["ab"], ""), 0);
    }

    #[test]
    fn empty_strings_are_refused_by_place() {
        let error = StopStrings::new(vec!["x".into(), String::new()]).unwrap_err();
        assert_eq!(error, Error::EmptyStopString { place: 2 });
        assert_eq!(StopStrings::new(vec![]).unwrap(), StopStrings::default());
    }
}
