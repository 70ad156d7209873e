//! Money for time: the fee of a period, and the credit and the charge of a change within it.
//! Each line is rounded once; what was paid for a rest of a period is credited in proportion, never recomputed from prices.

use super::{Amount, Exact, OutOfRange, Result};
use crate::currency::Currency;
use crate::money::Money;
use crate::time::Time;

/// A price for a number of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct Price {
    pub price: Money,
    pub quantity: i64,
    pub currency: Currency,
}

impl Price {
    /// The price of a part of a billing cycle: price × quantity × `part` / `cycle`. A part that is not positive costs nothing.
    pub fn of_part(self, part: Span, cycle: Span) -> Result<Amount> {
        self.exact(part, cycle)?.round(self.currency)
    }

    /// The full price, of a `lifetime` plan.
    pub fn full(self) -> Result<Amount> {
        self.of_part(Span(1), Span(1))
    }

    pub(super) fn exact(self, part: Span, cycle: Span) -> Result<Exact> {
        let full = Exact::from(Amount::from(self.price)).times(Exact::whole(self.quantity))?;
        full.times(part.ratio(cycle)?)
    }
}

/// A length of time in microseconds, not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(i64);

impl Span {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// This many microseconds, or none if negative.
    pub const fn from_micros(micros: i64) -> Self {
        Self(if micros < 0 { 0 } else { micros })
    }

    /// The time from one instant until another; none if that is earlier.
    pub const fn between(from: Time, to: Time) -> Self {
        Self::from_micros(to.as_micros() - from.as_micros())
    }

    /// Microseconds.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    fn ratio(self, whole: Self) -> Result<Exact> {
        Exact::new(i128::from(self.0), i128::from(whole.0))
    }
}

/// The line that pays for the rest of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayingLine {
    /// Its amount less its discount, less what credit notes took back.
    pub net: Amount,
    /// From when on it pays.
    pub from: Time,
    /// How long the subscription was paused since then.
    pub paused: Span,
}

impl PayingLine {
    /// The credit line of a change at an instant: negative, or zero if nothing is left of the period.
    pub fn credit(&self, at: Time, renews_at: Time, currency: Currency) -> Result<Amount> {
        let rest = Span::between(at, renews_at);
        let paid = Span::from_micros(Span::between(self.from, renews_at).0 - self.paused.0);
        if rest == Span::ZERO || self.net <= Amount::ZERO {
            return Ok(Amount::ZERO);
        }
        // More than was paid for is never credited.
        if rest >= paid {
            return Ok(self.net.negated());
        }
        Ok(Exact::from(self.net).times(rest.ratio(paid)?)?.round(currency)?.negated())
    }

    /// What a credit note leaves of `net`: at least zero.
    pub fn less(self, credited: Amount) -> Result<Self> {
        Ok(Self { net: self.net.minus(credited)?.or_zero(), ..self })
    }
}

/// A change to another plan or quantity at an instant of a period.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// When it acts.
    pub at: Time,
    /// The end of the current period. None: of a `lifetime` plan.
    pub renews_at: Option<Time>,
    /// The line that pays for the rest of the current period.
    pub paying: PayingLine,
    /// The plan and quantity after it.
    pub price: Price,
    /// What is charged.
    pub charge: Charge,
}

/// What a change charges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// The rest of the current period, of a billing cycle of this length.
    Rest(Span),
    /// A new period: its length, and that of its full billing cycle.
    Period(Span, Span),
    /// A new period without end.
    Lifetime,
    /// Nothing: within `lifetime`.
    Nothing,
}

/// The lines of a change before discount and tax. A line of zero is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct Proration {
    pub credit: Amount,
    pub charge: Amount,
}

impl Change {
    /// The credit and the charge.
    pub fn proration(&self) -> Result<Proration> {
        let currency = self.price.currency;
        let credit = match self.renews_at {
            Some(renews_at) => self.paying.credit(self.at, renews_at, currency)?,
            None => Amount::ZERO,
        };
        let charge = match self.charge {
            Charge::Rest(cycle) => {
                let renews_at = self.renews_at.ok_or(OutOfRange)?;
                self.price.of_part(Span::between(self.at, renews_at), cycle)?
            }
            Charge::Period(length, cycle) => self.price.of_part(length, cycle)?,
            Charge::Lifetime => self.price.full()?,
            Charge::Nothing => Amount::ZERO,
        };
        Ok(Proration { credit, charge })
    }

    /// The line that pays for the rest after the change: the charge less its discount, or nothing if there is no charge.
    pub fn paying_after(&self, charge: Amount, discount: Amount) -> Result<PayingLine> {
        Ok(PayingLine { net: charge.minus(discount)?, from: self.at, paused: Span::ZERO })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Time {
        Time::parse(text).unwrap()
    }

    fn paying(net: i64, from: &str, paused_days: i64) -> PayingLine {
        PayingLine {
            net: Amount::from_ten_thousandths(net * 10_000).unwrap(),
            from: time(from),
            paused: Span::from_micros(paused_days * 86_400_000_000),
        }
    }

    #[test]
    fn paused_time_was_not_paid_for() {
        // 30 days are paid; 10 days were used, 10 paused, so that the period ends 10 days later.
        let line = paying(30, "2026-03-01T00:00:00Z", 10);
        let credit = line.credit(time("2026-03-21T00:00:00Z"), time("2026-04-10T00:00:00Z"), Currency::USD).unwrap();
        assert_eq!(credit.to_string(), "-20");
    }

    #[test]
    fn nothing_is_credited_after_the_end_and_never_more_than_was_paid() {
        let line = paying(30, "2026-03-01T00:00:00Z", 40);
        let credit = |at: &str| line.credit(time(at), time("2026-03-31T00:00:00Z"), Currency::USD).unwrap().to_string();
        assert_eq!(credit("2026-03-31T00:00:00Z"), "0");
        assert_eq!(credit("2026-04-05T00:00:00Z"), "0");
        assert_eq!(credit("2026-03-15T00:00:00Z"), "-30");
        let nothing = paying(0, "2026-03-01T00:00:00Z", 0);
        assert_eq!(nothing.credit(line.from, time("2026-03-31T00:00:00Z"), Currency::USD), Ok(Amount::ZERO));
    }

    #[test]
    fn a_credit_note_reduces_what_is_credited_later_to_zero_at_least() {
        let line = paying(30, "2026-03-01T00:00:00Z", 0);
        assert_eq!(line.less(Amount::from_ten_thousandths(100_000).unwrap()).unwrap().net.to_string(), "20");
        assert_eq!(line.less(Amount::from_ten_thousandths(310_000).unwrap()).unwrap().net, Amount::ZERO);
    }

    #[test]
    fn lifetime_is_charged_in_full_and_not_credited() {
        let price =
            Price { price: Money::from_ten_thousandths(990_000).unwrap(), quantity: 2, currency: Currency::USD };
        let at = time("2026-03-11T00:00:00Z");
        let paying = paying(31, "2026-03-01T00:00:00Z", 0);
        let change =
            Change { at, renews_at: Some(time("2026-04-01T00:00:00Z")), paying, price, charge: Charge::Lifetime };
        let to = change.proration().unwrap();
        assert_eq!((to.credit.to_string(), to.charge.to_string()), ("-21".into(), "198".into()));
        let within = Change { renews_at: None, charge: Charge::Nothing, ..change }.proration().unwrap();
        assert_eq!(within, Proration { credit: Amount::ZERO, charge: Amount::ZERO });
        assert_eq!(Change { renews_at: None, charge: Charge::Rest(Span(1)), ..change }.proration(), Err(OutOfRange));
    }
}
