//! What is read from a provider's object, before records have IDs and references.

use super::findings::{Finding, Level, Source, Why};
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::UserId;
use perennial_domain::money::Money;
use perennial_domain::number::{Number, Whole};
use perennial_domain::payments::PaymentStatus;
use perennial_domain::plans::{Description, Features, Href, PlanName};
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;
use perennial_domain::users::{Email, PersonalName};

/// The number of units of the plan that a subscription has.
pub type Quantity = Whole<1, 1_000_000>;

/// A plan to be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of the record")]
pub struct ImportedPlan {
    pub source: Source,
    pub product: Option<String>,
    pub name: PlanName,
    /// The text that its slug is made from.
    pub called: String,
    pub price: Money,
    pub currency: Currency,
    pub cycle: BillingCycle,
    pub href: Option<Href>,
    pub description: Description,
    pub features: Features,
    pub is_active: bool,
    pub created_at: Time,
    pub updated_at: Time,
}

/// A user to be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of the record")]
pub struct ImportedUser {
    pub source: Source,
    /// The user that the provider's free fields name. It counts only if it is a user of the organization.
    pub user_id: Option<UserId>,
    pub email: Option<Email>,
    pub first_name: Option<PersonalName>,
    pub last_name: Option<PersonalName>,
    pub notifications: Option<bool>,
    pub created_at: Time,
    pub updated_at: Time,
}

/// Something that was bought: a price, and how many of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The external ID of the plan.
    pub plan: String,
    /// None or 0 there is 1 here.
    pub quantity: Quantity,
}

/// A subscription to be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of the record")]
pub struct ImportedSubscription {
    pub source: Source,
    /// The external ID of the customer. Empty if there is none.
    pub customer: String,
    /// The user that the provider's free fields name. It counts only if it is a user of the organization.
    pub user_id: Option<UserId>,
    /// What was bought. The first that is a plan is used.
    pub items: Vec<Item>,
    pub external_id: String,
    pub status: SubscriptionStatus,
    pub starts_at: Time,
    pub renews_at: Option<Time>,
    pub ends_at: Option<Time>,
    pub created_at: Time,
    pub updated_at: Time,
    /// Whether it is a subscription only if the plan is paid once.
    pub is_single: bool,
}

/// A payment to be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of the record")]
pub struct ImportedPayment {
    pub source: Source,
    /// The external ID of its subscription.
    pub subscription: String,
    pub external_id: String,
    pub amount: Money,
    pub currency: Currency,
    pub status: PaymentStatus,
    pub date: Option<Time>,
    pub created_at: Time,
    pub updated_at: Time,
    /// Whether it belongs to an order. Its subscription was reported already, or has separate payments.
    pub is_single: bool,
}

/// The result of reading objects.
#[derive(Default)]
#[expect(missing_docs, reason = "each holds what it is called")]
pub struct Found {
    pub plans: Vec<ImportedPlan>,
    pub users: Vec<ImportedUser>,
    pub subscriptions: Vec<ImportedSubscription>,
    pub payments: Vec<ImportedPayment>,
    pub findings: Vec<Finding>,
}

impl Found {
    /// Reports an object that becomes no record.
    pub fn left_out(&mut self, source: &Source, why: Why) {
        self.findings.push(source.find(Level::LeftOut, why));
    }

    /// Reports an object that loses a detail.
    pub fn simplified(&mut self, source: &Source, why: Why) {
        self.findings.push(source.find(Level::Simplified, why));
    }

    /// Adds a draft and reports its losses, or reports why there is none.
    pub fn keep<T>(&mut self, source: &Source, read: Result<(T, Vec<Why>), Why>, place: fn(&mut Self) -> &mut Vec<T>) {
        match read {
            Ok((draft, losses)) => {
                place(self).push(draft);
                for why in losses {
                    self.simplified(source, why);
                }
            }
            Err(why) => self.left_out(source, why),
        }
    }
}

/// The quantity of an item. A number that no record can have is not guessed.
pub(crate) fn quantity(given: Option<u64>) -> Result<Quantity, Why> {
    let number = given.unwrap_or(1).max(1).to_string();
    let number = Number::parse(&number).ok_or_else(|| Why::missing("quantity"))?;
    Quantity::parse(number).map_err(|reason| Why::field("quantity", &reason))
}

/// The user that the free fields of an object name: the value of `user_id`, if it is an ID of a user.
pub(crate) fn user_id(fields: Option<&serde_json::Value>) -> Option<UserId> {
    fields?.get("user_id")?.as_str()?.parse().ok()
}

/// An address, or the reason why it is none. A blank one is missing.
pub(crate) fn email(given: Option<&str>, losses: &mut Vec<Why>) -> Option<Email> {
    let address = given.filter(|address| !address.trim().is_empty())?;
    Email::parse(address).map_err(|reason| losses.push(Why::field("email", &reason))).ok()
}

/// A person's name in two parts, split at its last space.
pub(crate) fn names(whole: Option<&str>) -> (Option<PersonalName>, Option<PersonalName>) {
    let whole = whole.map(str::trim).filter(|name| !name.is_empty());
    let read = |name: &str| PersonalName::parse(name).ok();
    match whole.map(|name| name.rsplit_once(' ').unwrap_or((name, ""))) {
        None => (None, None),
        Some((first, "")) => (read(first), None),
        Some((first, last)) => (read(first.trim_end()), read(last)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cut_at_its_last_space() {
        for (whole, first, last) in [
            ("Jenny Rosen", Some("Jenny"), Some("Rosen")),
            ("Juan de la Cruz", Some("Juan de la"), Some("Cruz")),
            (" Ada ", Some("Ada"), None),
            ("", None, None),
        ] {
            let (one, other) = names(Some(whole));
            assert_eq!(one.as_ref().map(PersonalName::as_str), first, "{whole}");
            assert_eq!(other.as_ref().map(PersonalName::as_str), last, "{whole}");
        }
    }
}
