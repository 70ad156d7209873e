//! Payments: money received, or not yet, for a subscription.
//! The only definition of the transitions between their statuses.

use crate::currency::Currency;
use crate::id::{EventId, InvoiceId, OrganizationId, PaymentId, SubscriptionId};
use crate::invoices::payments::Applied;
use crate::money::Money;
use crate::plans::set;
use crate::text::Line;
use crate::time::Time;
use crate::validation::{InvalidValue, Rejection, Transition, ValidationCode, ValidationErrors};

/// A payment's id in another system, unique among the organization's live payments.
pub type ExternalPaymentId = Line<1, 255>;

/// The status of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words of the contract")]
pub enum PaymentStatus {
    Pending,
    Processing,
    Completed,
    Failed,
    PartiallyRefunded,
    Refunded,
    Disputed,
    Void,
}

use PaymentStatus::{Completed, Disputed, Failed, PartiallyRefunded, Pending, Processing, Refunded, Void};

impl PaymentStatus {
    /// Every status.
    pub const ALL: [Self; 8] = [Pending, Processing, Completed, Failed, PartiallyRefunded, Refunded, Disputed, Void];

    /// The word in the API and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Pending => "pending",
            Processing => "processing",
            Completed => "completed",
            Failed => "failed",
            PartiallyRefunded => "partially_refunded",
            Refunded => "refunded",
            Disputed => "disputed",
            Void => "void",
        }
    }

    /// The status of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }

    /// Parses a status or one of its aliases, in any case.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "pending" => Pending,
            "processing" => Processing,
            "completed" | "paid" | "succeeded" | "success" | "settled" | "captured" => Completed,
            "failed" => Failed,
            "partially_refunded" | "partial_refund" => PartiallyRefunded,
            "refunded" => Refunded,
            "disputed" => Disputed,
            "void" | "canceled" | "cancelled" | "voided" => Void,
            _ => {
                let known = Self::ALL.map(Self::as_str).join(", ");
                return Err(InvalidValue::new(ValidationCode::UnknownValue, format!("must be one of {known}")));
            }
        })
    }

    /// The statuses that can follow.
    pub const fn next(self) -> &'static [Self] {
        match self {
            Pending => &[Processing, Completed, Failed, Void],
            Processing => &[Completed, Failed, Void],
            Failed => &[Pending, Processing, Completed, Void],
            Completed => &[PartiallyRefunded, Refunded, Disputed, Void],
            PartiallyRefunded => &[Refunded, Disputed],
            Disputed => &[Completed, PartiallyRefunded, Refunded],
            Refunded | Void => &[],
        }
    }

    /// Whether the transition is allowed. No change is not a transition.
    pub fn can_become(self, next: Self) -> bool {
        self == next || self.next().contains(&next)
    }

    /// Whether a payment in this status counts for its invoice.
    pub const fn counts(self) -> bool {
        match self {
            Completed | PartiallyRefunded | Refunded | Disputed => true,
            Pending | Processing | Failed | Void => false,
        }
    }
}

/// A payment. It serializes as the record that the API returns.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Payment {
    pub id: PaymentId,
    pub subscription_id: SubscriptionId,
    pub invoice_id: Option<InvoiceId>,
    pub amount: Money,
    pub currency: Currency,
    pub external_payment_id: Option<ExternalPaymentId>,
    pub status: PaymentStatus,
    /// When it last became completed.
    pub date: Option<Time>,
    pub created_at: Time,
    pub updated_at: Time,
    #[serde(skip)]
    pub organization_id: OrganizationId,
    /// What it was used for, if it counts for its invoice.
    #[serde(skip)]
    pub applied: Option<Applied>,
    /// Its last event.
    #[serde(skip)]
    pub revision: EventId,
}

/// The fields of a create or an update; an omitted or invalid field is `None`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct PaymentDraft {
    pub subscription_id: Option<SubscriptionId>,
    pub invoice_id: Option<Option<InvoiceId>>,
    pub amount: Option<Money>,
    pub currency: Option<Currency>,
    pub external_payment_id: Option<Option<ExternalPaymentId>>,
    pub status: Option<PaymentStatus>,
}

impl Payment {
    /// The payment that a draft describes, or all its errors. `errors` are those found while parsing it.
    pub fn create(
        draft: PaymentDraft,
        mut errors: ValidationErrors,
        organization_id: OrganizationId,
        id: PaymentId,
        revision: EventId,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        if let (Some(amount), Some(currency)) = (draft.amount, draft.currency)
            && let Err(reason) = amount.check(currency)
        {
            errors.add("/amount", reason);
        }
        let (Some(subscription_id), Some(amount), Some(currency), true) =
            (draft.subscription_id, draft.amount, draft.currency, errors.is_empty())
        else {
            return Err(errors);
        };
        let status = draft.status.unwrap_or(Pending);
        Ok(Self {
            id,
            subscription_id,
            invoice_id: draft.invoice_id.flatten(),
            amount,
            currency,
            external_payment_id: draft.external_payment_id.flatten(),
            status,
            date: (status == Completed).then_some(now),
            created_at: now,
            updated_at: now,
            organization_id,
            applied: None,
            revision,
        })
    }

    /// The payment after an update at `now`. Equal to the payment before if nothing changes.
    pub fn merge(&self, patch: PaymentDraft, mut errors: ValidationErrors, now: Time) -> Result<Self, Rejection> {
        let mut merged = self.clone();
        set(&mut merged.subscription_id, patch.subscription_id);
        set(&mut merged.invoice_id, patch.invoice_id);
        set(&mut merged.amount, patch.amount);
        set(&mut merged.currency, patch.currency);
        set(&mut merged.external_payment_id, patch.external_payment_id);
        set(&mut merged.status, patch.status);
        if !errors.touch("/currency")
            && !errors.touch("/amount")
            && let Err(reason) = merged.amount.check(merged.currency)
        {
            errors.add("/amount", reason);
        }
        if self.invoice_id.is_some() && merged.invoice_id != self.invoice_id {
            errors.note("/invoice_id", ValidationCode::ReadOnlyField, "can be set once; omit it or send it unchanged");
        }
        if !errors.is_empty() {
            return Err(errors.into());
        }
        if !self.status.can_become(merged.status) {
            return Err(Rejection::Transition(Transition {
                from: self.status.as_str(),
                to: merged.status.as_str(),
                allowed: self.status.next().iter().map(|status| status.as_str()).collect(),
            }));
        }
        if merged.status == Completed && self.status != Completed {
            merged.date = Some(now);
        }
        Ok(merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Number;
    use crate::plans::tests::{event, instant};
    use proptest::prelude::*;

    fn money(text: &str) -> Money {
        Money::parse(Number::parse(text).unwrap()).unwrap()
    }

    fn draft(status: Option<PaymentStatus>) -> PaymentDraft {
        PaymentDraft {
            subscription_id: Some(SubscriptionId::new(instant("2026-01-01T00:00:00Z"), 4)),
            invoice_id: None,
            amount: Some(money("19.99")),
            currency: Some(Currency::USD),
            external_payment_id: None,
            status,
        }
    }

    fn create(draft: PaymentDraft) -> Result<Payment, ValidationErrors> {
        let now = instant("2026-02-01T00:00:00Z");
        let organization = OrganizationId::new(now, 1);
        Payment::create(draft, ValidationErrors::none(), organization, PaymentId::new(now, 8), event(1), now)
    }

    fn becomes(from: PaymentStatus, to: PaymentStatus, now: &str) -> Result<Payment, Rejection> {
        let payment = create(draft(Some(from))).unwrap();
        payment.merge(
            PaymentDraft { status: Some(to), ..PaymentDraft::default() },
            ValidationErrors::none(),
            instant(now),
        )
    }

    #[test]
    fn a_payment_starts_pending_unless_told() {
        let payment = create(draft(None)).unwrap();
        assert_eq!((payment.status, payment.date, payment.external_payment_id), (Pending, None, None));
        let paid = create(draft(Some(Completed))).unwrap();
        assert_eq!(paid.date, Some(paid.created_at));
    }

    #[test]
    fn the_currency_bounds_the_amount() {
        let yen = PaymentDraft { currency: Some(Currency::parse("JPY").unwrap()), ..draft(None) };
        assert!(create(yen).unwrap_err().touch("/amount"));
        let payment = create(draft(None)).unwrap();
        let patch = PaymentDraft { currency: Some(Currency::parse("JPY").unwrap()), ..PaymentDraft::default() };
        assert!(matches!(
            payment.merge(patch, ValidationErrors::none(), payment.created_at),
            Err(Rejection::Invalid(errors)) if errors.touch("/amount")
        ));
    }

    #[test]
    fn a_field_already_at_fault_is_not_blamed_twice() {
        let payment = create(draft(None)).unwrap();
        for pointer in ["/currency", "/amount"] {
            let mut errors = ValidationErrors::none();
            errors.note(pointer, ValidationCode::InvalidType, "");
            let patch = PaymentDraft { currency: Some(Currency::parse("JPY").unwrap()), ..PaymentDraft::default() };
            assert_eq!(payment.merge(patch, errors.clone(), payment.created_at), Err(Rejection::Invalid(errors)));
        }
    }

    #[test]
    fn the_date_is_when_it_last_became_completed() {
        let refunded = becomes(Completed, Refunded, "2026-03-01T00:00:00Z").unwrap();
        assert_eq!(refunded.date, Some(instant("2026-02-01T00:00:00Z")));
        let won = becomes(Disputed, Completed, "2026-03-01T00:00:00Z").unwrap();
        assert_eq!(won.date, Some(instant("2026-03-01T00:00:00Z")));
        let same = becomes(Completed, Completed, "2026-03-01T00:00:00Z").unwrap();
        assert_eq!(same.date, Some(instant("2026-02-01T00:00:00Z")));
        assert_eq!(becomes(Pending, Failed, "2026-03-01T00:00:00Z").unwrap().date, None);
    }

    #[test]
    fn an_update_touches_only_what_was_sent() {
        let before = create(draft(None)).unwrap();
        let patch = PaymentDraft {
            subscription_id: Some(SubscriptionId::new(before.created_at, 400)),
            invoice_id: None,
            amount: Some(money("5")),
            currency: Some(Currency::parse("EUR").unwrap()),
            external_payment_id: Some(Some(ExternalPaymentId::parse("ch_1").unwrap())),
            status: None,
        };
        let after = before.merge(patch.clone(), ValidationErrors::none(), before.created_at).unwrap();
        assert_eq!(Some(after.subscription_id), patch.subscription_id);
        assert_eq!((after.amount, after.currency.as_str(), after.status), (money("5"), "EUR", Pending));
        let cleared = PaymentDraft { external_payment_id: Some(None), ..PaymentDraft::default() };
        assert_eq!(
            after.merge(cleared, ValidationErrors::none(), before.created_at).unwrap().external_payment_id,
            None
        );
    }

    #[test]
    fn the_moves_are_those_of_the_contract() {
        let table = [
            (Pending, "processing completed failed void"),
            (Processing, "completed failed void"),
            (Failed, "pending processing completed void"),
            (Completed, "partially_refunded refunded disputed void"),
            (PartiallyRefunded, "refunded disputed"),
            (Disputed, "completed partially_refunded refunded"),
            (Refunded, ""),
            (Void, ""),
        ];
        for (from, allowed) in table {
            for to in PaymentStatus::ALL {
                let expected = from == to || allowed.split(' ').any(|word| word == to.as_str());
                assert_eq!(from.can_become(to), expected, "{from:?} to {to:?}");
                assert_eq!(becomes(from, to, "2026-03-01T00:00:00Z").is_ok(), expected, "{from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn a_forbidden_move_names_the_allowed_ones() {
        let refusal = becomes(PartiallyRefunded, Void, "2026-03-01T00:00:00Z").unwrap_err();
        let transition = Transition { from: "partially_refunded", to: "void", allowed: vec!["refunded", "disputed"] };
        assert_eq!(refusal, Rejection::Transition(transition));
    }

    #[test]
    fn words_and_aliases_are_read_in_any_case() {
        for status in PaymentStatus::ALL {
            assert_eq!(PaymentStatus::parse(&status.as_str().to_uppercase()), Ok(status));
            assert_eq!(PaymentStatus::from_stored(status.as_str()), Some(status));
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
        }
        for (aliases, status) in [
            ("paid succeeded success settled captured", Completed),
            ("partial_refund", PartiallyRefunded),
            ("canceled cancelled voided", Void),
        ] {
            for alias in aliases.split(' ') {
                assert_eq!(PaymentStatus::parse(alias), Ok(status), "{alias}");
            }
        }
        assert_eq!(PaymentStatus::parse("unknown").unwrap_err().code, ValidationCode::UnknownValue);
        assert_eq!(PaymentStatus::from_stored("paid"), None);
    }

    proptest! {
        #[test]
        fn nothing_leaves_an_end(walk in prop::collection::vec(0_usize..8, 1..12)) {
            let mut status = Pending;
            let mut ended = false;
            for step in walk {
                let next = PaymentStatus::ALL[step];
                if status.can_become(next) {
                    prop_assert!(!ended || next == status);
                    status = next;
                }
                ended = status.next().is_empty();
            }
        }
    }

    #[test]
    fn refunds_and_disputes_still_count() {
        let counting: Vec<&str> =
            PaymentStatus::ALL.into_iter().filter(|status| status.counts()).map(PaymentStatus::as_str).collect();
        assert_eq!(counting, ["completed", "partially_refunded", "refunded", "disputed"]);
    }
}
