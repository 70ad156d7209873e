//! What both importers read from an object, before records have IDs and references.

use super::findings::{Finding, Level, Source, Why};
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::money::Money;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::plans::{Description, Features, Href, PlanName};
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;
use perennial_domain::users::{Email, PersonalName};

/// A plan to be imported.
pub(super) struct ImportedPlan {
    pub(super) source: Source,
    pub(super) product: Option<String>,
    pub(super) name: PlanName,
    /// The text that its slug is made from.
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

/// A user to be imported.
pub(super) struct ImportedUser {
    pub(super) source: Source,
    pub(super) email: Option<Email>,
    pub(super) first_name: Option<PersonalName>,
    pub(super) last_name: Option<PersonalName>,
    pub(super) notifications: Option<bool>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

/// A subscription to be imported.
#[derive(Debug)]
pub(super) struct ImportedSubscription {
    pub(super) source: Source,
    pub(super) customer: String,
    /// What was bought. The first that is a plan is used.
    pub(super) plans: Vec<String>,
    pub(super) external_id: String,
    pub(super) status: SubscriptionStatus,
    pub(super) starts_at: Time,
    pub(super) renews_at: Option<Time>,
    pub(super) ends_at: Option<Time>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    /// Whether it is a subscription only if the plan is paid once.
    pub(super) is_single: bool,
}

/// A payment to be imported.
#[derive(Debug)]
pub(super) struct ImportedPayment {
    pub(super) source: Source,
    /// The external ID of its subscription.
    pub(super) subscription: String,
    pub(super) external_id: String,
    pub(super) amount: Money,
    pub(super) currency: Currency,
    pub(super) status: PaymentStatus,
    pub(super) date: Option<Time>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    /// Whether it belongs to an order. Its subscription was reported already, or has separate payments.
    pub(super) is_single: bool,
}

/// The result of reading objects.
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

    /// Adds a draft and reports its losses, or reports why there is none.
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

/// A person's name in two parts, split at its last space.
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
