//! The random numbers of a run: one per sampled token, the same on every machine.

use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

use crate::error::{Error, Value, filled};

/// Largest seed: below it JavaScript's Number has every whole number.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// 32-bit words of the generator that one number in [0, 1) takes.
const WORDS_PER_DRAW: u128 = 2;

/// The endless list of draws that belongs to one seed: ChaCha with 8 rounds, 53 random bits a draw.
#[derive(Debug)]
pub struct Draws {
    seed: u64,
    generator: ChaCha8Rng,
}

impl Draws {
    /// The draws of `seed`, 0 to 2⁵³ − 1; without one, of a seed that the system picks, which WebAssembly has not.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] or [`Error::NoEntropy`].
    pub fn new(seed: Option<u64>) -> Result<Self, Error> {
        let seed = match seed {
            Some(seed) if seed > MAX_SEED => {
                let allowed = filled("a whole number from 0 to %", &[Value::Text(&MAX_SEED.to_string())]);
                return Err(Error::InvalidSetting { name: "seed", value: seed as f64, allowed });
            }
            Some(seed) => seed,
            None => from_system()? & MAX_SEED,
        };
        Ok(Self { seed, generator: ChaCha8Rng::seed_from_u64(seed) })
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Draw number `index`, counted from 0, in [0, 1).
    ///
    /// The generator can seek: going back in a run needs no memory of it.
    pub fn at(&mut self, index: usize) -> f64 {
        self.generator.set_word_pos(index as u128 * WORDS_PER_DRAW);
        self.generator.random()
    }
}

/// 64 random bits.
#[cfg(not(target_arch = "wasm32"))]
fn from_system() -> Result<u64, Error> {
    getrandom::u64().map_err(|_| Error::NoEntropy)
}

/// None: WebAssembly has no system to ask. The engine has the browser pick a seed, and gives it.
#[cfg(target_arch = "wasm32")]
fn from_system() -> Result<u64, Error> {
    Err(Error::NoEntropy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeking_gives_what_drawing_in_order_gives() {
        let mut draws = Draws::new(Some(7)).unwrap();
        let in_order: Vec<f64> = (0..100).map(|index| draws.at(index)).collect();
        let mut plain = ChaCha8Rng::seed_from_u64(7);
        assert_eq!(in_order, (0..100).map(|_| plain.random::<f64>()).collect::<Vec<_>>());
        for index in (0..100).rev() {
            assert_eq!(draws.at(index).to_bits(), in_order[index].to_bits());
        }
        assert!(in_order.iter().all(|draw| (0.0..1.0).contains(draw)));
    }

    #[test]
    fn seeds_have_a_range_and_are_picked_when_absent() {
        assert_eq!(Draws::new(Some(MAX_SEED)).unwrap().seed(), MAX_SEED);
        let error = Draws::new(Some(MAX_SEED + 1)).unwrap_err();
        assert_eq!(error.to_string(), "seed is 9007199254740992; allowed: a whole number from 0 to 9007199254740991");
        let (one, other) = (Draws::new(None).unwrap(), Draws::new(None).unwrap());
        assert_ne!(one.seed(), other.seed());
        assert!(one.seed() <= MAX_SEED);
    }
}
