//! Pseudo-random numbers that depend only on a seed, a subject and its number, on every machine and in every version.

/// A sequence of numbers (`SplitMix64`).
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64, subject: &str, number: u64) -> Self {
        // The sequences of subjects must not overlap, so the start is derived from all three.
        let mut dice = Self(seed);
        for byte in subject.bytes() {
            dice = Self(dice.roll() ^ u64::from(byte));
        }
        Self(dice.roll() ^ number.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// Sixty-four bits.
    pub(super) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.roll() % end.max(1)
    }

    /// The same for a signed number.
    pub(super) fn seconds_below(&mut self, end: i64) -> i64 {
        i64::try_from(self.below(end.max(1).unsigned_abs())).unwrap_or(0)
    }

    /// True with this probability in percent.
    pub(super) fn percent(&mut self, entropy: u64) -> bool {
        self.below(100) < entropy
    }

    pub(super) fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        let place = usize::try_from(self.below(among.len() as u64)).unwrap_or(0);
        &among[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_every_version() {
        let mut dice = Dice::new(7, "users", 3);
        let again = Dice::new(7, "users", 3).roll();
        assert_eq!(dice.roll(), again);
        assert_ne!(Dice::new(7, "users", 4).roll(), again);
        assert_ne!(Dice::new(8, "users", 3).roll(), again);
        assert_ne!(Dice::new(7, "plans", 3).roll(), again);
        let hits = (0..1_000).filter(|_| dice.percent(20)).count();
        assert!((150..250).contains(&hits), "{hits}");
        assert_eq!(Dice(0).roll(), 0xe220_a839_7b1d_cdaf, "the generator's published first number");
    }
}
