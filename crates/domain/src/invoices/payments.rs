//! How a payment counts for its invoice: what it pays, what goes to the balance, and what is taken back if it becomes void.

use super::status::InvoiceStatus;
use super::{Amount, Result};

/// What a payment that counts was used for. It is stored with the payment, so that it counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The part that paid the invoice.
    pub paid: Amount,
    /// The part that went to the balance.
    pub surplus: Amount,
}

/// What is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reversed {
    /// From the invoice's `amount_paid`.
    pub paid: Amount,
    /// From the balance: at most what it still holds.
    pub balance: Amount,
}

impl Applied {
    /// Applies a payment to its invoice. If the invoice is void, all of it is surplus.
    pub fn to_invoice(amount: Amount, amount_due: Amount, status: InvoiceStatus) -> Result<Self> {
        let due = if status == InvoiceStatus::Void { Amount::ZERO } else { amount_due.or_zero() };
        let paid = amount.min(due);
        Ok(Self { paid, surplus: amount.minus(paid)? })
    }

    /// Takes the payment back.
    pub fn reverse(self, balance: Amount) -> Reversed {
        Reversed { paid: self.paid, balance: self.surplus.min(balance.or_zero()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cents(cents: i64) -> Amount {
        Amount::from_ten_thousandths(cents * 100).unwrap()
    }

    #[test]
    fn what_is_not_due_goes_to_the_balance() {
        let applied = |amount, due, status| {
            let applied = Applied::to_invoice(cents(amount), cents(due), status).unwrap();
            (applied.paid.to_string(), applied.surplus.to_string())
        };
        assert_eq!(applied(500, 800, InvoiceStatus::Open), ("5".into(), "0".into()));
        assert_eq!(applied(900, 800, InvoiceStatus::Uncollectible), ("8".into(), "1".into()));
        assert_eq!(applied(900, 0, InvoiceStatus::Paid), ("0".into(), "9".into()));
        assert_eq!(applied(500, 500, InvoiceStatus::Void), ("0".into(), "5".into()));
    }

    #[test]
    fn of_a_surplus_only_what_the_balance_holds_is_taken_back() {
        let applied = Applied { paid: cents(800), surplus: cents(100) };
        assert_eq!(applied.reverse(cents(30)), Reversed { paid: cents(800), balance: cents(30) });
        assert_eq!(applied.reverse(cents(300)), Reversed { paid: cents(800), balance: cents(100) });
    }
}
