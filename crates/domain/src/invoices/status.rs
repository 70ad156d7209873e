//! The statuses of an invoice: the only definition of the transitions between them.

use super::Amount;
use crate::validation::Transition;

/// The status of an invoice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words of the contract")]
pub enum InvoiceStatus {
    Draft,
    Open,
    Paid,
    Uncollectible,
    Void,
}

use InvoiceStatus::{Draft, Open, Paid, Uncollectible, Void};

/// What a caller can do with an invoice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of the contract")]
pub enum InvoiceAction {
    Finalize,
    MarkUncollectible,
    Void,
}

impl InvoiceAction {
    /// Every action.
    pub const ALL: [Self; 3] = [Self::Finalize, Self::MarkUncollectible, Self::Void];

    /// The status that the action leads to. Of an invoice with nothing due, `Finalize` leads to `Paid` through `Open`.
    pub const fn target(self) -> InvoiceStatus {
        match self {
            Self::Finalize => Open,
            Self::MarkUncollectible => Uncollectible,
            Self::Void => Void,
        }
    }
}

impl InvoiceStatus {
    /// Every status.
    pub const ALL: [Self; 5] = [Draft, Open, Paid, Uncollectible, Void];

    /// The word in the API and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Draft => "draft",
            Open => "open",
            Paid => "paid",
            Uncollectible => "uncollectible",
            Void => "void",
        }
    }

    /// The status of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// The statuses that can follow, whatever causes them.
    pub const fn next(self) -> &'static [Self] {
        match self {
            Draft | Paid => &[Open],
            Open => &[Paid, Uncollectible, Void],
            Uncollectible => &[Paid, Void],
            Void => &[],
        }
    }

    /// Whether the transition exists. No change is not a transition.
    pub fn can_become(self, next: Self) -> bool {
        self.next().contains(&next)
    }

    /// The statuses that a caller's action can lead to.
    pub fn allowed(self) -> Vec<&'static str> {
        InvoiceAction::ALL
            .into_iter()
            .filter(|action| self.allows(*action))
            .map(|action| action.target().as_str())
            .collect()
    }

    /// The status after a caller's action. Repeating an action is a transition that is not allowed.
    pub fn act(self, action: InvoiceAction) -> Result<Self, Transition> {
        if self.allows(action) {
            return Ok(action.target());
        }
        Err(Transition { from: self.as_str(), to: action.target().as_str(), allowed: self.allowed() })
    }

    /// Whether it has a number, and its lines are final.
    pub const fn is_issued(self) -> bool {
        !matches!(self, Draft)
    }

    /// Whether payments can be recorded for it, and credit notes created.
    pub const fn takes_payments(self) -> bool {
        match self {
            Open | Uncollectible | Paid => true,
            Draft | Void => false,
        }
    }

    /// Whether a credit note reduces what is due.
    pub const fn is_due(self) -> bool {
        matches!(self, Open | Uncollectible)
    }

    /// The status once this much is due: an invoice with nothing due is paid, a paid one with something due is open again.
    pub fn with_due(self, due: Amount) -> Self {
        match self {
            Open | Uncollectible if due <= Amount::ZERO => Paid,
            Paid if due > Amount::ZERO => Open,
            Draft | Open | Paid | Uncollectible | Void => self,
        }
    }

    /// A paid invoice becomes open only because its payment became void: no action leads there.
    fn allows(self, action: InvoiceAction) -> bool {
        match action {
            InvoiceAction::Finalize => self == Draft,
            InvoiceAction::MarkUncollectible => self == Open,
            InvoiceAction::Void => matches!(self, Open | Uncollectible),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_lead_where_the_table_allows() {
        let table: Vec<(&str, Vec<&str>)> =
            InvoiceStatus::ALL.into_iter().map(|status| (status.as_str(), status.allowed())).collect();
        assert_eq!(
            table,
            [
                ("draft", vec!["open"]),
                ("open", vec!["uncollectible", "void"]),
                ("paid", vec![]),
                ("uncollectible", vec!["void"]),
                ("void", vec![]),
            ]
        );
        for status in InvoiceStatus::ALL {
            for action in InvoiceAction::ALL {
                match status.act(action) {
                    Ok(next) => assert!(status.can_become(next) && next == action.target()),
                    Err(transition) => {
                        assert_eq!((transition.from, transition.allowed), (status.as_str(), status.allowed()));
                    }
                }
            }
            assert!(!status.can_become(status));
            assert_eq!(InvoiceStatus::from_stored(status.as_str()), Some(status));
        }
    }

    #[test]
    fn what_is_due_decides_between_open_and_paid() {
        let due = Amount::from_ten_thousandths(100).unwrap();
        let after = |amount| InvoiceStatus::ALL.map(|status| status.with_due(amount));
        assert_eq!(after(Amount::ZERO), [Draft, Paid, Paid, Paid, Void]);
        assert_eq!(after(due), [Draft, Open, Open, Uncollectible, Void]);
        for status in InvoiceStatus::ALL {
            for next in [status.with_due(due), status.with_due(Amount::ZERO)] {
                assert!(next == status || status.can_become(next));
            }
        }
    }
}
