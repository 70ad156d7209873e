//! Billing cycles: how often a subscription renews, and when the next time is.

use crate::time::Time;
use crate::validation::{InvalidValue, ValidationCode};

/// How often a plan bills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words of the contract")]
pub enum BillingCycle {
    Daily,
    Weekly,
    Biweekly,
    Monthly,
    Quarterly,
    Semiannual,
    Yearly,
    Biennial,
    /// Paid once: never renews.
    Lifetime,
}

impl BillingCycle {
    /// Every cycle, shortest first.
    pub const ALL: [Self; 9] = [
        Self::Daily,
        Self::Weekly,
        Self::Biweekly,
        Self::Monthly,
        Self::Quarterly,
        Self::Semiannual,
        Self::Yearly,
        Self::Biennial,
        Self::Lifetime,
    ];

    /// The word on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Biweekly => "biweekly",
            Self::Monthly => "monthly",
            Self::Quarterly => "quarterly",
            Self::Semiannual => "semiannual",
            Self::Yearly => "yearly",
            Self::Biennial => "biennial",
            Self::Lifetime => "lifetime",
        }
    }

    /// The cycle of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }

    /// Parses a cycle or one of its aliases, in any case.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "daily" | "day" => Self::Daily,
            "weekly" | "week" => Self::Weekly,
            "biweekly" | "every_two_weeks" | "fortnightly" => Self::Biweekly,
            "monthly" | "month" => Self::Monthly,
            "quarterly" | "quarter" => Self::Quarterly,
            "semiannual" | "half_yearly" | "semiannually" => Self::Semiannual,
            "yearly" | "year" | "annual" | "annually" => Self::Yearly,
            "biennial" => Self::Biennial,
            "lifetime" | "one_time" | "onetime" | "once" => Self::Lifetime,
            "bimonthly" => {
                return Err(InvalidValue::new(
                    ValidationCode::Ambiguous,
                    "can mean twice a month or every two months: send another cycle",
                ));
            }
            "biannual" => {
                return Err(InvalidValue::new(
                    ValidationCode::Ambiguous,
                    "can mean twice a year or every two years: send semiannual or biennial",
                ));
            }
            _ => {
                let known = Self::ALL.map(Self::as_str).join(", ");
                return Err(InvalidValue::new(ValidationCode::UnknownValue, format!("must be one of {known}")));
            }
        })
    }

    /// When a subscription that started at `start` renews for the `count`th time; `None` if never, or past the year
    /// 9999. Counted from the start each time, so that the 31st comes back after a short month.
    pub fn renewal(self, start: Time, count: u32) -> Option<Time> {
        let count = i64::from(count);
        match self {
            Self::Daily => start.plus_days(count),
            Self::Weekly => start.plus_days(7 * count),
            Self::Biweekly => start.plus_days(14 * count),
            Self::Monthly => start.plus_months(count),
            Self::Quarterly => start.plus_months(3 * count),
            Self::Semiannual => start.plus_months(6 * count),
            Self::Yearly => start.plus_months(12 * count),
            Self::Biennial => start.plus_months(24 * count),
            Self::Lifetime => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn renewal(cycle: BillingCycle, start: &str, count: u32) -> String {
        cycle.renewal(Time::parse(start).unwrap(), count).unwrap().to_string()[..10].to_owned()
    }

    #[test]
    fn words_and_aliases_are_read_in_any_case() {
        for cycle in BillingCycle::ALL {
            assert_eq!(BillingCycle::parse(cycle.as_str()), Ok(cycle));
            assert_eq!(BillingCycle::from_stored(cycle.as_str()), Some(cycle));
            assert_eq!(serde_json::to_value(cycle).unwrap(), cycle.as_str());
        }
        for (alias, cycle) in [
            ("DAY", BillingCycle::Daily),
            ("week", BillingCycle::Weekly),
            ("Every_Two_Weeks", BillingCycle::Biweekly),
            ("fortnightly", BillingCycle::Biweekly),
            ("month", BillingCycle::Monthly),
            ("quarter", BillingCycle::Quarterly),
            ("half_yearly", BillingCycle::Semiannual),
            ("semiannually", BillingCycle::Semiannual),
            ("year", BillingCycle::Yearly),
            ("annual", BillingCycle::Yearly),
            ("Annually", BillingCycle::Yearly),
            ("one_time", BillingCycle::Lifetime),
            ("onetime", BillingCycle::Lifetime),
            ("once", BillingCycle::Lifetime),
        ] {
            assert_eq!(BillingCycle::parse(alias), Ok(cycle), "{alias}");
        }
    }

    #[test]
    fn ambiguous_and_unknown_words_are_refused() {
        assert_eq!(BillingCycle::from_stored("month"), None);
        for text in ["bimonthly", "biannual", "BiAnnual"] {
            assert_eq!(BillingCycle::parse(text).unwrap_err().code, ValidationCode::Ambiguous, "{text}");
        }
        for text in ["", "hourly", "monthly "] {
            assert_eq!(BillingCycle::parse(text).unwrap_err().code, ValidationCode::UnknownValue, "{text}");
        }
    }

    #[test]
    fn month_ends_clamp_and_the_anchor_day_comes_back() {
        use BillingCycle::{Biennial, Biweekly, Daily, Monthly, Quarterly, Semiannual, Weekly, Yearly};
        assert_eq!(renewal(Monthly, "2026-01-31T10:00:00Z", 1), "2026-02-28");
        assert_eq!(renewal(Monthly, "2028-01-31T10:00:00Z", 1), "2028-02-29");
        assert_eq!(renewal(Monthly, "2026-01-31T10:00:00Z", 2), "2026-03-31");
        assert_eq!(renewal(Quarterly, "2026-11-30T10:00:00Z", 1), "2027-02-28");
        assert_eq!(renewal(Semiannual, "2026-08-31T10:00:00Z", 1), "2027-02-28");
        assert_eq!(renewal(Yearly, "2028-02-29T10:00:00Z", 1), "2029-02-28");
        assert_eq!(renewal(Yearly, "2028-02-29T10:00:00Z", 4), "2032-02-29");
        assert_eq!(renewal(Biennial, "2026-03-01T10:00:00Z", 1), "2028-03-01");
        assert_eq!(renewal(Daily, "2026-12-31T10:00:00Z", 1), "2027-01-01");
        assert_eq!(renewal(Weekly, "2026-12-31T10:00:00Z", 1), "2027-01-07");
        assert_eq!(renewal(Biweekly, "2026-12-31T10:00:00Z", 1), "2027-01-14");
        assert_eq!(BillingCycle::Lifetime.renewal(Time::parse("2026-01-01T00:00:00Z").unwrap(), 1), None);
    }

    #[test]
    fn nothing_renews_past_the_last_year() {
        assert_eq!(BillingCycle::Monthly.renewal(Time::MAX, 1), None);
        assert_eq!(BillingCycle::Daily.renewal(Time::MAX, 1), None);
    }

    proptest! {
        #[test]
        fn renewals_move_forward_and_keep_the_time_of_day(micros in 0..4_000_000_000_000_000_i64, count in 1_u32..200) {
            let start = Time::from_micros(micros).unwrap();
            for cycle in &BillingCycle::ALL[..8] {
                let (this, next) = (cycle.renewal(start, count).unwrap(), cycle.renewal(start, count + 1).unwrap());
                prop_assert!(start < this && this < next);
                prop_assert_eq!(this.as_micros() % 86_400_000_000, micros % 86_400_000_000);
            }
        }
    }
}
