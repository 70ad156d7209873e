//! Exact percentages: of a tax rate, of a coupon.

use super::{Exact, Result};

const DECIMALS: u32 = 4;
const MAX: i64 = 1_000_000;

/// A percentage from 0 to 100 with at most four decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percentage(i64);

impl Percentage {
    /// The percentage of this many ten-thousandths of a percent, if it is within the bounds.
    pub const fn from_ten_thousandths(value: i64) -> Option<Self> {
        if 0 <= value && value <= MAX { Some(Self(value)) } else { None }
    }

    /// Ten-thousandths of a percent, as they are stored.
    pub const fn ten_thousandths(self) -> i64 {
        self.0
    }

    /// The percentage as a fraction of one: 19 % is 19/100.
    pub(super) fn fraction(self) -> Result<Exact> {
        Exact::decimal(i128::from(self.0), DECIMALS + 2)
    }
}

impl std::fmt::Display for Percentage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, fraction) = (self.0 / 10_000, self.0 % 10_000);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        write!(f, "{whole}.{}", format!("{fraction:04}").trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_bounded_and_written_in_their_shortest_form() {
        let shown = |value| Percentage::from_ten_thousandths(value).map(|percentage| percentage.to_string());
        assert_eq!(shown(190_000).as_deref(), Some("19"));
        assert_eq!(shown(75_500).as_deref(), Some("7.55"));
        assert_eq!(shown(1).as_deref(), Some("0.0001"));
        assert_eq!((shown(1_000_001), shown(-1)), (None, None));
    }
}
