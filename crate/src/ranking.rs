//! Tokens in the order of their logits, as far as somebody asks.

use std::collections::BinaryHeap;

/// A token by its logit, as one number that sorts: the larger logit is greater, and of equal ones that with the lower id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ranked(u64);

impl Ranked {
    const SIGN: u32 = 1 << 31;

    pub(crate) fn new(logit: f32, id: u32) -> Self {
        // −0 and 0 are a tie: their sum is 0. Of a negative number, more bits mean less.
        let bits = (logit + 0.0).to_bits();
        let ordered = if bits < Self::SIGN { bits | Self::SIGN } else { !bits };
        Self(u64::from(ordered) << 32 | u64::from(!id))
    }

    pub(crate) fn logit(self) -> f32 {
        let ordered = (self.0 >> 32) as u32;
        f32::from_bits(if ordered < Self::SIGN { !ordered } else { ordered ^ Self::SIGN })
    }

    pub(crate) fn id(self) -> u32 {
        !(self.0 as u32)
    }
}

/// Tokens from the most likely on, sorted only as far as anybody asks: most draws fall on the first few.
#[derive(Debug, Default)]
pub(crate) struct Ranking {
    sorted: Vec<Ranked>,
    rest: BinaryHeap<Ranked>,
}

impl Ranking {
    pub(crate) fn reset(&mut self, logits: &[f32]) {
        self.sorted.clear();
        let mut rest = std::mem::take(&mut self.rest).into_vec();
        rest.clear();
        rest.extend(logits.iter().zip(0..).map(|(&logit, id)| Ranked::new(logit, id)));
        self.rest = rest.into();
    }

    /// Number `rank` of the most likely, from 0.
    pub(crate) fn get(&mut self, rank: usize) -> Option<Ranked> {
        while self.sorted.len() <= rank {
            self.sorted.push(self.rest.pop()?);
        }
        Some(self.sorted[rank])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_logit_comes_first_and_of_equal_ones_the_lower_id() {
        let logits = [-1.5, 0.0, f32::MAX, -0.0, -1.5, f32::MIN, 1e-40, -1e-40, 3.0];
        let mut right: Vec<usize> = (0..logits.len()).collect();
        right.sort_by(|&a, &b| logits[b].partial_cmp(&logits[a]).unwrap().then(a.cmp(&b)));
        let mut ranking = Ranking::default();
        // Twice: what was there before is gone.
        for _ in 0..2 {
            ranking.reset(&logits);
            for (rank, &id) in right.iter().enumerate() {
                let ranked = ranking.get(rank).unwrap();
                assert_eq!((ranked.id() as usize, ranked.logit()), (id, logits[id]));
            }
            assert!(ranking.get(logits.len()).is_none());
        }
    }
}
