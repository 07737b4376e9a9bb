//! From logits to one token: what is kept, with which probability, and which of it a draw picks.
//!
//! Order: divide by the temperature, keep the top k, softmax, keep the top p of that, renormalise. The random number is an
//! argument ([`Distribution::pick`]), so that sampling is a pure function. Ties go to the lower id, everywhere.

use crate::error::Error;
use crate::math;
use crate::ranking::{Ranked, Ranking};

/// How the next token is chosen; each method carries exactly its own numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sampling {
    /// The most likely token.
    Greedy,
    /// One draw over all tokens.
    Temperature {
        /// Finite, at least 0; 0 means greedy.
        temperature: f64,
    },
    /// One draw over the k most likely tokens.
    TopK {
        /// Finite, at least 0; 0 means greedy.
        temperature: f64,
        /// A whole number; 0, or at least the vocabulary size, keeps all.
        top_k: u64,
    },
    /// One draw over the smallest set of most likely tokens whose probabilities reach p.
    TopP {
        /// Finite, at least 0; 0 means greedy.
        temperature: f64,
        /// In [0, 1]; 0 keeps one token, 1 keeps all.
        top_p: f64,
    },
}

impl Sampling {
    /// The method itself, if its numbers are in range.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`].
    pub fn validated(self) -> Result<Self, Error> {
        let (temperature, top_p) = match self {
            Self::Greedy => (0.0, 0.0),
            Self::Temperature { temperature } | Self::TopK { temperature, .. } => (temperature, 0.0),
            Self::TopP { temperature, top_p } => (temperature, top_p),
        };
        Filter { temperature, top_k: 0, top_p }.validated()?;
        Ok(self)
    }

    /// Whether the most likely token is chosen without a draw: [`Sampling::Greedy`], or any method at temperature 0.
    #[must_use]
    pub fn is_greedy(&self) -> bool {
        self.filter().temperature == 0.0
    }

    /// The method as the one chain of filters that all methods share.
    #[must_use]
    pub fn filter(&self) -> Filter {
        match *self {
            Self::Greedy => Filter { temperature: 0.0, ..Filter::NONE },
            Self::Temperature { temperature } => Filter { temperature, ..Filter::NONE },
            Self::TopK { temperature, top_k } => Filter { temperature, top_k, ..Filter::NONE },
            Self::TopP { temperature, top_p } => Filter { temperature, top_p, ..Filter::NONE },
        }
    }
}

/// Temperature, then top-k, then top-p, as Hugging Face's logits warpers apply them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Filter {
    /// Finite, at least 0; at 0 only the most likely token is left.
    pub temperature: f64,
    /// 0, or at least the vocabulary size: all tokens.
    pub top_k: u64,
    /// In [0, 1]; 1: all tokens.
    pub top_p: f64,
}

impl Filter {
    /// The model's own distribution: temperature 1, nothing cut.
    pub const NONE: Self = Self { temperature: 1.0, top_k: 0, top_p: 1.0 };

    /// The filter itself, if its numbers are in range.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`].
    pub fn validated(self) -> Result<Self, Error> {
        let Self { temperature, top_p, .. } = self;
        if !(temperature.is_finite() && temperature >= 0.0) {
            let allowed = "a finite number, at least 0".into();
            return Err(Error::InvalidSetting { name: "temperature", value: temperature, allowed });
        }
        if !(0.0..=1.0).contains(&top_p) {
            return Err(Error::InvalidSetting { name: "top-p", value: top_p, allowed: "0 to 1".into() });
        }
        Ok(self)
    }
}

/// One token as a candidate for the next place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Token id.
    pub id: u32,
    /// Probability at temperature 1, in [0, 1].
    pub probability: f64,
    /// Probability after the method, in [0, 1]; 0 if it was cut.
    pub sampling_probability: f64,
}

/// Tokens, most likely first, with their probabilities before and after the method.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    candidates: Vec<Candidate>,
    kept: usize,
}

impl Distribution {
    /// The distribution that `logits` (V,) and `filter` give. The logits are only read.
    ///
    /// # Errors
    /// [`Error::NonFiniteLogit`], [`Error::NoLogits`], or those of [`Filter::validated`].
    pub fn new(logits: &[f32], filter: Filter) -> Result<Self, Error> {
        Self::of_most_likely(logits, filter, logits.len())
    }

    /// The `most` most likely tokens of that distribution; their probabilities are those among all tokens.
    ///
    /// # Errors
    /// As [`Distribution::new`].
    pub fn of_most_likely(logits: &[f32], filter: Filter, most: usize) -> Result<Self, Error> {
        let mut ranking = Ranking::default();
        let filter = filter.validated()?;
        let mut cut = Cut::of(logits, Scale::of(logits)?, filter, &mut ranking);
        let mut candidates = Vec::with_capacity(most.min(logits.len()));
        while let Some(candidate) = cut.candidate(candidates.len()).filter(|_| candidates.len() < most) {
            candidates.push(candidate);
        }
        Ok(Self { candidates, kept: cut.kept.count })
    }

    /// The tokens, most likely first.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// How many of the most likely tokens the method left.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// The token that `draw`, in [0, 1), picks: candidates laid end to end, most likely first, each as wide as its
    /// sampling probability. A token of probability 0 is never picked.
    #[must_use]
    pub fn pick(&self, draw: f64) -> Candidate {
        picked(self.candidates.iter().take(self.kept).copied(), draw).unwrap_or(self.candidates[0])
    }
}

/// Samples one token after another; what it needs of memory, it keeps.
#[derive(Debug, Default)]
pub struct Sampler {
    ranking: Ranking,
}

impl Sampler {
    /// The token that [`Distribution::pick`] picks of the same logits (V,), found without a list of all candidates.
    ///
    /// # Errors
    /// As [`Distribution::new`].
    pub fn sample(&mut self, logits: &[f32], filter: Filter, draw: f64) -> Result<Candidate, Error> {
        let filter = filter.validated()?;
        let scale = Scale::of(logits)?;
        if filter.temperature == 0.0 {
            // Nothing has to be sorted.
            return Ok(scale.candidate(scale.most_likely(logits), 1.0));
        }
        let mut cut = Cut::of(logits, scale, filter, &mut self.ranking);
        let candidates = (0..cut.kept.count).map_while(|rank| cut.candidate(rank));
        picked(candidates, draw).or_else(|| cut.candidate(0)).ok_or(Error::NoLogits)
    }
}

/// What a method leaves of some logits.
struct Cut<'a> {
    ranking: &'a mut Ranking,
    scale: Scale,
    filter: Filter,
    kept: Kept,
}

impl<'a> Cut<'a> {
    fn of(logits: &[f32], scale: Scale, filter: Filter, ranking: &'a mut Ranking) -> Self {
        ranking.reset(logits);
        let kept = scale.keep(ranking, logits, filter);
        Self { ranking, scale, filter, kept }
    }

    /// Number `rank` of the most likely tokens, from 0; beyond those that are left its sampling probability is 0.
    #[inline(never)]
    fn candidate(&mut self, rank: usize) -> Option<Candidate> {
        let ranked = self.ranking.get(rank)?;
        let share = if rank < self.kept.count { self.kept.share(&self.scale, ranked, self.filter) } else { 0.0 };
        Some(self.scale.candidate(ranked, share))
    }
}

/// The last of `candidates` that begins at or before `draw`, laid end to end.
fn picked(candidates: impl Iterator<Item = Candidate>, draw: f64) -> Option<Candidate> {
    let mut end = 0.0;
    let mut last = None;
    for candidate in candidates.filter(|candidate| candidate.sampling_probability > 0.0) {
        end += candidate.sampling_probability;
        last = Some(candidate);
        if draw < end {
            break;
        }
    }
    // The widths may sum to a hair below 1; a draw in that gap is the last token's.
    last
}

/// The largest logit, and the sum of all weights at temperature 1.
struct Scale {
    max: f32,
    total: f64,
}

impl Scale {
    fn of(logits: &[f32]) -> Result<Self, Error> {
        let max = math::max(logits);
        // Where the largest is no number, or too large, one of them is not finite; so is one that is −∞.
        if !(max.is_finite() && math::sum(logits).is_finite()) {
            if let Some((id, &value)) = logits.iter().enumerate().find(|(_, logit)| !logit.is_finite()) {
                return Err(Error::NonFiniteLogit { id, value });
            }
            if logits.is_empty() {
                return Err(Error::NoLogits);
            }
        }
        let scale = Self { max, total: 0.0 };
        Ok(Self { total: scale.total(logits, 1.0), ..scale })
    }

    /// Sum of the weights of all tokens: in the order of ids, so that nothing has to be sorted for it.
    fn total(&self, logits: &[f32], temperature: f64) -> f64 {
        if temperature == 1.0 {
            // The same bits without the detour through 64: the difference of two 32-bit numbers rounds once either way.
            return math::sum_of_exp(logits, self.max);
        }
        // In the same order.
        let mut partial = [0.0; math::LANES];
        for (index, &logit) in logits.iter().enumerate() {
            partial[index % math::LANES] += f64::from(self.weight(logit, temperature));
        }
        partial.iter().fold(0.0, |a, b| a + b)
    }

    /// e^(distance / temperature) for the distance ≤ 0 from the largest logit; temperature 0 is never divided by.
    #[inline(never)]
    fn weight(&self, logit: f32, temperature: f64) -> f32 {
        // Greedy keeps one candidate, at distance 0, and 0 / 0 is no number.
        if logit == self.max {
            return 1.0;
        }
        let distance = f64::from(logit) - f64::from(self.max);
        math::exp((distance / temperature) as f32)
    }

    fn most_likely(&self, logits: &[f32]) -> Ranked {
        let id = logits.iter().position(|&logit| logit == self.max).unwrap_or_default();
        Ranked::new(self.max, id as u32)
    }

    fn candidate(&self, ranked: Ranked, sampling_probability: f64) -> Candidate {
        let probability = f64::from(self.weight(ranked.logit(), 1.0)) / self.total;
        Candidate { id: ranked.id(), probability, sampling_probability }
    }

    /// What top-k and top-p leave.
    fn keep(&self, ranking: &mut Ranking, logits: &[f32], filter: Filter) -> Kept {
        let Filter { temperature, top_k, top_p } = filter;
        let all = logits.len();
        let after_top_k = match usize::try_from(top_k) {
            _ if temperature == 0.0 => 1,
            Ok(k) if k > 0 => k.min(all),
            _ => all,
        };
        let sum = |ranking: &mut Ranking, ranks: usize| {
            if ranks == all { self.total(logits, temperature) } else { self.weights(ranking, ranks, temperature).sum() }
        };
        let total = sum(ranking, after_top_k);
        let probabilities = self.weights(ranking, after_top_k, temperature).map(|weight| weight / total);
        let count = top_p_count(probabilities, after_top_k, top_p);
        let total = if count == after_top_k { total } else { sum(ranking, count) };
        Kept { count, total }
    }

    /// Weights of the most likely tokens.
    fn weights<'a>(
        &'a self,
        ranking: &'a mut Ranking,
        ranks: usize,
        temperature: f64,
    ) -> impl Iterator<Item = f64> + 'a {
        (0..ranks).map_while(|rank| ranking.get(rank)).map(move |r| f64::from(self.weight(r.logit(), temperature)))
    }
}

/// How many of `all` probabilities, most likely first, are needed for their sum to reach `p`; at least one, all for p = 1.
fn top_p_count(probabilities: impl Iterator<Item = f64>, all: usize, p: f64) -> usize {
    if p >= 1.0 {
        return all;
    }
    let mut sum = 0.0;
    let reaches = |probability| {
        sum += probability;
        sum >= p
    };
    probabilities.map(reaches).position(|reached| reached).map_or(all, |last| last + 1)
}

/// The most likely tokens that a method leaves.
struct Kept {
    count: usize,
    /// Sum of their weights.
    total: f64,
}

impl Kept {
    fn share(&self, scale: &Scale, ranked: Ranked, filter: Filter) -> f64 {
        f64::from(scale.weight(ranked.logit(), filter.temperature)) / self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Logits whose softmax is as near to `probabilities` as f32 allows.
    fn logits_of(probabilities: &[f64]) -> Vec<f32> {
        probabilities.iter().map(|p| p.ln() as f32).collect()
    }

    fn kept_ids(distribution: &Distribution) -> Vec<u32> {
        distribution.candidates()[..distribution.kept()].iter().map(|candidate| candidate.id).collect()
    }

    fn filters() -> Vec<Filter> {
        let mut all = Vec::new();
        for temperature in [0.0, 1e-37, 0.3, 1.0, 1.7, 100.0, 1e300] {
            for top_k in [0, 1, 2, 3, 64, 1_000_000_000] {
                for top_p in [0.0, 1e-4, 0.5, 0.9, 0.999, 1.0] {
                    all.push(Filter { temperature, top_k, top_p });
                }
            }
        }
        all
    }

    #[test]
    fn top_p_keeps_the_smallest_set_that_reaches_p() {
        let exact = [0.5, 0.25, 0.125, 0.125];
        for (p, count) in [(0.5, 1), (0.6, 2), (0.75, 2), (0.8, 3), (0.875, 3), (0.876, 4), (1.0, 4), (0.0, 1)] {
            assert_eq!(top_p_count(exact.into_iter(), 4, p), count, "p = {p}");
        }
    }

    #[test]
    fn p_near_zero_keeps_the_most_likely_token() {
        for top_p in [0.0, 0.0001] {
            let distribution = Distribution::new(&[3.0, 2.0, 1.0], Filter { top_p, ..Filter::NONE }).unwrap();
            assert_eq!(kept_ids(&distribution), [0]);
            assert_eq!(distribution.candidates()[0].sampling_probability, 1.0);
            for step in 0..1000 {
                assert_eq!(distribution.pick(f64::from(step) / 1000.0).id, 0);
            }
        }
    }

    #[test]
    fn p_one_and_flat_logits_reach_every_id() {
        let distribution = Distribution::new(&[0.25; 64], Filter::NONE).unwrap();
        let mut seen = [false; 64];
        for step in 0..1000 {
            seen[distribution.pick(f64::from(step) / 1000.0).id as usize] = true;
        }
        assert_eq!(seen, [true; 64]);
    }

    #[test]
    fn a_tiny_temperature_stays_finite() {
        for temperature in [1e-37, 1e-300, f64::from_bits(1), f64::MIN_POSITIVE] {
            let distribution = Distribution::new(&[40.0, 39.0], Filter { temperature, ..Filter::NONE }).unwrap();
            let probabilities: Vec<f64> = distribution.candidates().iter().map(|c| c.sampling_probability).collect();
            assert_eq!(probabilities, [1.0, 0.0]);
            assert_eq!(distribution.pick(0.999_999).id, 0);
        }
    }

    #[test]
    fn logits_that_are_not_finite_are_named() {
        for (logits, id, value) in [
            (vec![0.0, f32::NAN, 1.0], 1, "NaN"),
            (vec![f32::NAN; 3], 0, "NaN"),
            (vec![1.0, 2.0, f32::INFINITY], 2, "inf"),
            (vec![f32::NEG_INFINITY, 0.0], 0, "-inf"),
        ] {
            let error = Distribution::new(&logits, Filter::NONE).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("the logit of token {id} is {value}; only finite numbers can be sampled from")
            );
        }
        assert_eq!(Distribution::new(&[], Filter::NONE).unwrap_err(), Error::NoLogits);
    }

    #[test]
    fn ties_go_to_the_lower_id_in_every_method() {
        let logits = [0.0, 1.0, 1.0];
        for sampling in [
            Sampling::Greedy,
            Sampling::Temperature { temperature: 0.0 },
            Sampling::TopK { temperature: 1.0, top_k: 1 },
            Sampling::TopP { temperature: 1.0, top_p: 0.0 },
        ] {
            let distribution = Distribution::new(&logits, sampling.filter()).unwrap();
            assert_eq!(kept_ids(&distribution), [1], "{sampling:?}");
            assert_eq!(distribution.pick(0.99).id, 1);
            let order: Vec<u32> = distribution.candidates().iter().map(|c| c.id).collect();
            assert_eq!(order, [1, 2, 0]);
        }
        // Zero has two signs and one value: no order between them but that of the ids.
        let zeros = Distribution::new(&[-0.0, 0.0, -0.0], Filter::NONE).unwrap();
        let order: Vec<u32> = zeros.candidates().iter().map(|c| c.id).collect();
        assert_eq!(order, [0, 1, 2]);
    }

    #[test]
    fn a_chain_of_filters_never_leaves_nothing() {
        let logits = logits_of(&[0.3, 0.3, 0.2, 0.2]);
        let one = Distribution::new(&logits, Filter { top_k: 1, ..Filter::NONE }).unwrap();
        assert_eq!(kept_ids(&one), [0]);
        assert!((one.candidates()[0].probability - 0.3).abs() < 1e-6);
        let two = Distribution::new(&logits, Filter { top_k: 2, top_p: 0.9, ..Filter::NONE }).unwrap();
        assert_eq!(kept_ids(&two), [0, 1]);
    }

    #[test]
    fn a_filter_that_cuts_nothing_changes_nothing() {
        let logits: Vec<f32> = (0..64).map(|i| (i as f32 * 1.7).sin() * 3.0).collect();
        let plain = Distribution::new(&logits, Filter::NONE).unwrap();
        for top_k in [0, 64, 65, 1_000_000_000, u64::MAX] {
            for top_p in [1.0, 1.0 - f64::EPSILON / 2.0] {
                assert_eq!(Distribution::new(&logits, Filter { top_k, top_p, ..Filter::NONE }).unwrap(), plain);
            }
        }
        assert_eq!(Distribution::new(&logits, Filter { top_k: 63, ..Filter::NONE }).unwrap().kept(), 63);
    }

    #[test]
    fn probabilities_are_probabilities_under_every_filter() {
        for logits in
            [vec![0.0], vec![-1e30; 3], vec![1e30, 0.0, -1e30], (0..64).map(|i| (i as f32).cos() * 9.0).collect()]
        {
            for filter in filters() {
                let before = logits.clone();
                let distribution = Distribution::new(&logits, filter).unwrap();
                assert_eq!(logits, before);
                assert_eq!(distribution, Distribution::new(&logits, filter).unwrap());
                let sum = |f: fn(&Candidate) -> f64| distribution.candidates().iter().map(f).sum::<f64>();
                assert!((sum(|c| c.probability) - 1.0).abs() < 1e-9, "{filter:?}");
                assert!((sum(|c| c.sampling_probability) - 1.0).abs() < 1e-9, "{filter:?}");
                assert!((1..=logits.len()).contains(&distribution.kept()));
                assert!(distribution.candidates()[distribution.kept()..].iter().all(|c| c.sampling_probability == 0.0));
                for draw in [0.0, 0.3, 0.999_999_999_999, 1.0 - f64::EPSILON / 2.0] {
                    assert!(distribution.pick(draw).sampling_probability > 0.0, "{filter:?} {draw}");
                }
            }
        }
    }

    #[test]
    fn temperature_100_is_near_uniform_and_greedy_shows_probabilities() {
        let logits = [2.0, 1.0, 0.0, -1.0];
        let flat = Distribution::new(&logits, Filter { temperature: 100.0, ..Filter::NONE }).unwrap();
        assert!(flat.candidates().iter().all(|c| (c.sampling_probability - 0.25).abs() < 0.01));
        let greedy = Distribution::new(&logits, Sampling::Greedy.filter()).unwrap();
        assert!((greedy.candidates().iter().map(|c| c.probability).sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(greedy.candidates()[0].sampling_probability, 1.0);
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        let cases = [
            (Sampling::Temperature { temperature: -1.0 }, "temperature is -1; allowed: a finite number, at least 0"),
            (
                Sampling::Temperature { temperature: f64::NAN },
                "temperature is NaN; allowed: a finite number, at least 0",
            ),
            (
                Sampling::TopK { temperature: f64::INFINITY, top_k: 3 },
                "temperature is inf; allowed: a finite number, at least 0",
            ),
            (Sampling::TopP { temperature: 1.0, top_p: 1.5 }, "top-p is 1.5; allowed: 0 to 1"),
            (Sampling::TopP { temperature: 1.0, top_p: -0.1 }, "top-p is -0.1; allowed: 0 to 1"),
            (Sampling::TopP { temperature: 1.0, top_p: f64::NAN }, "top-p is NaN; allowed: 0 to 1"),
        ];
        for (sampling, message) in cases {
            let error = sampling.validated().unwrap_err();
            assert_eq!(error.code(), "invalid-setting");
            assert_eq!(error.to_string(), message);
        }
        assert!(Sampling::TopP { temperature: 0.0, top_p: 0.0 }.validated().is_ok());
    }
}
