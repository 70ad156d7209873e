//! The periods that ten years must have, computed without the program's calendar: months on the day of the anchor, or on
//! the last day of a month that is shorter.

/// The month of the anchor, which is the last day of January, so that most months are shorter than it.
pub(super) const ANCHOR: &str = "2026-01-31T00:00:00.000000Z";
pub(super) const YEARS: u32 = 10;
const YEAR: u32 = 2026;
const DAY: u32 = 31;

/// How often a plan renews, in months.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    pub(super) name: &'static str,
    months: u32,
}

pub(super) const CYCLES: [Cycle; 4] = [
    Cycle { name: "monthly", months: 1 },
    Cycle { name: "quarterly", months: 3 },
    Cycle { name: "semiannual", months: 6 },
    Cycle { name: "yearly", months: 12 },
];

/// The instant after ten years.
pub(super) fn end() -> String {
    boundary(YEARS * 12)
}

impl Cycle {
    /// The starts of the periods that renewals begin in ten years, in order.
    pub(super) fn renewals(self) -> Vec<String> {
        (1..=YEARS * 12 / self.months).map(|number| boundary(number * self.months)).collect()
    }
}

fn boundary(months: u32) -> String {
    let (year, month) = (YEAR + months / 12, months % 12 + 1);
    let day = DAY.min(days(year, month));
    format!("{year}-{month:02}-{day:02}T00:00:00.000000Z")
}

fn days(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_months_renew_on_their_last_day() {
        let monthly = CYCLES[0].renewals();
        assert_eq!(monthly.len(), 120);
        assert_eq!(
            monthly[..3],
            ["2026-02-28", "2026-03-31", "2026-04-30"].map(|day| format!("{day}T00:00:00.000000Z"))
        );
        assert_eq!(monthly[24], "2028-02-29T00:00:00.000000Z");
        assert_eq!((CYCLES[3].renewals().last(), boundary(0)), (Some(&end()), ANCHOR.to_owned()));
    }
}
