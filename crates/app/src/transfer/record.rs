//! A record as a line told it: its values, by the names of their fields.

use super::kinds::Kind;
use perennial_domain::currency::Currency;
use perennial_domain::fault::Faults;
use perennial_domain::money::Money;
use perennial_domain::time::Time;
use perennial_store::Value;
use perennial_store::portable::Values;

pub(super) struct Record {
    pub(super) kind: &'static Kind,
    pub(super) values: Values,
}

impl Record {
    /// What must hold between fields that are right for themselves.
    pub(super) fn check(&self) -> Faults {
        let mut faults = Faults::none();
        (self.kind.check)(self, &mut faults);
        faults
    }

    pub(super) fn at(&self, field: &str) -> &Value {
        &self.values[self.kind.place(field)]
    }

    /// The record's own id.
    pub(super) fn id(&self) -> [u8; 16] {
        match self.at("id") {
            Value::Uuid(bytes) => *bytes,
            _ => [0; 16],
        }
    }

    pub(super) fn text(&self, field: &str) -> &str {
        match self.at(field) {
            Value::Text(text) => text,
            _ => "",
        }
    }

    pub(super) fn time(&self, field: &str) -> Option<Time> {
        match self.at(field) {
            Value::Time(micros) => Time::from_micros(*micros),
            _ => None,
        }
    }

    /// Whether an amount has no more decimals than its currency.
    pub(super) fn check_amount(&self, field: &'static str, faults: &mut Faults) {
        let Value::Int(amount) = self.at(field) else { return };
        let currency = Currency::parse(self.text("currency"));
        if let (Some(money), Ok(currency)) = (Money::from_ten_thousandths(*amount), currency)
            && let Err(reason) = money.check(currency)
        {
            faults.add(field, reason);
        }
    }
}
