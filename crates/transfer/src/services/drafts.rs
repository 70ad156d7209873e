//! What both services' objects come down to, before they have ids and have found each other.

use super::findings::{Finding, Level, Source, Why};
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::money::Money;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::plans::{Description, Features, Href, PlanName};
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;
use perennial_domain::users::{Email, PersonalName};

/// What can be bought: a plan to be.
pub(super) struct ImportedPlan {
    pub(super) source: Source,
    pub(super) product: Option<String>,
    pub(super) name: PlanName,
    /// What its slug is made from.
    pub(super) called: String,
    pub(super) price: Money,
    pub(super) currency: Currency,
    pub(super) cycle: BillingCycle,
    pub(super) href: Option<Href>,
    pub(super) description: Description,
    pub(super) features: Features,
    pub(super) is_active: bool,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

/// A customer: a user to be.
pub(super) struct ImportedUser {
    pub(super) source: Source,
    pub(super) email: Option<Email>,
    pub(super) first_name: Option<PersonalName>,
    pub(super) last_name: Option<PersonalName>,
    pub(super) notifications: Option<bool>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

/// A subscription to be.
#[derive(Debug)]
pub(super) struct ImportedSubscription {
    pub(super) source: Source,
    pub(super) customer: String,
    /// What was bought; the first that is a plan counts.
    pub(super) plans: Vec<String>,
    pub(super) external_id: String,
    pub(super) status: SubscriptionStatus,
    pub(super) starts_at: Time,
    pub(super) renews_at: Option<Time>,
    pub(super) ends_at: Option<Time>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    /// Whether it is one only if what was bought is paid once.
    pub(super) is_single: bool,
}

/// A payment to be.
#[derive(Debug)]
pub(super) struct ImportedPayment {
    pub(super) source: Source,
    /// The external id of its subscription.
    pub(super) subscription: String,
    pub(super) external_id: String,
    pub(super) amount: Money,
    pub(super) currency: Currency,
    pub(super) status: PaymentStatus,
    pub(super) date: Option<Time>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    /// Whether it is that of an order, of which the subscription was told already, or comes with payments of its own.
    pub(super) is_single: bool,
}

/// What a reading has brought.
#[derive(Default)]
pub(super) struct Found {
    pub(super) plans: Vec<ImportedPlan>,
    pub(super) users: Vec<ImportedUser>,
    pub(super) subscriptions: Vec<ImportedSubscription>,
    pub(super) payments: Vec<ImportedPayment>,
    pub(super) findings: Vec<Finding>,
}

impl Found {
    pub(super) fn left_out(&mut self, source: &Source, why: Why) {
        self.findings.push(source.find(Level::LeftOut, why));
    }

    pub(super) fn simplified(&mut self, source: &Source, why: Why) {
        self.findings.push(source.find(Level::Simplified, why));
    }

    /// Keeps what could be read, with what it lost; tells of what could not.
    pub(super) fn keep<T>(
        &mut self,
        source: &Source,
        read: Result<(T, Vec<Why>), Why>,
        place: fn(&mut Self) -> &mut Vec<T>,
    ) {
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

/// A person's name in two parts: what stands before its last space, and the rest. Joined, they are what it was.
pub(super) fn names(whole: Option<&str>) -> (Option<PersonalName>, Option<PersonalName>) {
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
