//! A seeded random generator (`SplitMix64`): the same seed gives the same numbers on every machine and with every library.

/// Not for secrets: its numbers are predictable.
#[derive(Clone, Debug)]
pub struct SeededRandom(u64);

impl SeededRandom {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A separate generator for part `number` of a run, so that threads do not have to share one.
    pub fn part(&self, number: u64) -> Self {
        let mut other = Self(self.0 ^ number.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(1));
        Self(other.next())
    }

    #[expect(clippy::should_implement_trait, reason = "it never ends, so it is no iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.next() % bound }
    }

    /// From `least` to `most`, both possible.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, hundredths: u64) -> bool {
        self.between(0, 99) < hundredths
    }

    /// A place in something of this length.
    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.between(0, length as u64 - 1)).expect("a place in memory is a usize")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_itself_and_its_parts_differ() {
        let numbers = |mut random: SeededRandom| (0..8).map(|_| random.between(50, 2_000)).collect::<Vec<_>>();
        assert_eq!(numbers(SeededRandom::new(7)), numbers(SeededRandom::new(7)));
        assert_ne!(numbers(SeededRandom::new(7)), numbers(SeededRandom::new(8)));
        assert_ne!(numbers(SeededRandom::new(7).part(0)), numbers(SeededRandom::new(7).part(1)));
        let mut small = SeededRandom::new(7);
        assert!((0..1_000).all(|_| small.below(10) < 10) && small.below(0) == 0);
        assert!(numbers(SeededRandom::new(1)).iter().all(|number| (50..=2_000).contains(number)));
    }

    #[test]
    fn percents_are_about_right() {
        let mut random = SeededRandom::new(3);
        let hits = (0..10_000).filter(|_| random.percent(10)).count();
        assert!((900..1_100).contains(&hits), "{hits}");
    }
}
