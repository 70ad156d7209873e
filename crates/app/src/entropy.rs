//! The random number generator. No other code of the program draws IDs or secrets.

use perennial_domain::id::IdSequence;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::{Mutex, PoisonError};

/// A cryptographic generator, seeded by the operating system or by a test.
pub struct Entropy(Mutex<(StdRng, IdSequence)>);

impl Entropy {
    /// Seeded by the operating system.
    pub fn from_system() -> Self {
        Self::new(rand::make_rng())
    }

    /// The same numbers for the same seed, for tests.
    pub fn seeded(seed: u64) -> Self {
        Self::new(StdRng::seed_from_u64(seed))
    }

    fn new(random: StdRng) -> Self {
        Self(Mutex::new((random, IdSequence::default())))
    }

    /// Sixty-four random bits.
    pub fn bits(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.next_u64()
    }

    /// The free bits of a new ID: greater than those of the ID before, by a random distance.
    pub fn id_bits(&self) -> u64 {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let random = state.0.next_u64();
        state.1.next(random)
    }

    /// Random bytes.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.fill_bytes(&mut bytes);
        bytes
    }
}
