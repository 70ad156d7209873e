//! Numbers of invoices and credit notes. Two documents of an organization never have the same number: the series is the text in front
//! of the counter, whatever prefix and settings it comes from.

/// A series of numbers: everything in front of the counter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Series(String);

impl Series {
    /// The series of a prefix; of one year of it, if each year has its own. Test organizations have their own series.
    pub fn new(prefix: &str, year: Option<i16>, is_test: bool) -> Self {
        let test = if is_test { "TEST-" } else { "" };
        Self(match year {
            Some(year) => format!("{test}{prefix}-{year:04}"),
            None => format!("{test}{prefix}"),
        })
    }

    /// The text that identifies the series within the organization, as it is stored with its counter.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number of a document: at least six digits.
    pub fn number(&self, n: u64) -> String {
        format!("{}-{n:06}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_have_at_least_six_digits() {
        assert_eq!(Series::new("INV", None, false).number(1), "INV-000001");
        assert_eq!(Series::new("INV", None, false).number(1_234_567), "INV-1234567");
        assert_eq!(Series::new("CRN", Some(2026), false).number(42), "CRN-2026-000042");
        assert_eq!(Series::new("INV", None, true).number(7), "TEST-INV-000007");
        assert_eq!(Series::new("INV", Some(2027), true).number(7), "TEST-INV-2027-000007");
    }

    #[test]
    fn a_prefix_that_looks_like_a_year_shares_the_series_of_that_year() {
        assert_eq!(Series::new("INV-2026", None, false), Series::new("INV", Some(2026), false));
    }

    proptest! {
        #[test]
        fn a_number_belongs_to_one_series_and_one_counter(
            one in "[A-Z0-9-]{1,12}", other in "[A-Z0-9-]{1,12}", year in proptest::option::of(1970_i16..=9999),
            n in 1_u64..2_000_000, m in 1_u64..2_000_000,
        ) {
            let (one, other) = (Series::new(&one, year, false), Series::new(&other, None, false));
            prop_assert_eq!(one.number(n) == other.number(m), one == other && n == m);
        }
    }
}
