//! The random number generator. No other code of the program draws IDs or secrets.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::{Mutex, PoisonError};

/// A cryptographic generator, seeded by the operating system or by a test.
pub struct Entropy(Mutex<StdRng>);

impl Entropy {
    /// Seeded by the operating system.
    pub fn from_system() -> Self {
        Self(Mutex::new(rand::make_rng()))
    }

    /// The same numbers for the same seed, for tests.
    pub fn seeded(seed: u64) -> Self {
        Self(Mutex::new(StdRng::seed_from_u64(seed)))
    }

    /// Sixty-four random bits.
    pub fn bits(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next_u64()
    }

    /// Random bytes.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes);
        bytes
    }
}
