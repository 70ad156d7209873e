//! One record of each kind, for the tests of other modules.

use super::catalogue;
use super::life;
use super::people::{self, People};
use perennial_domain::id::OrganizationId;
use perennial_domain::payments::Payment;
use perennial_domain::plans::Plan;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_domain::users::User;

pub(crate) struct Examples {
    pub(crate) plan: Plan,
    pub(crate) user: User,
    /// What an event stores of the user.
    pub(crate) user_trace: String,
    pub(crate) subscription: Subscription,
    pub(crate) payment: Payment,
}

pub(crate) fn examples() -> Examples {
    let until = Time::parse("2026-11-15T00:00:00Z").unwrap();
    let since = until.plus_seconds(-super::YEAR_SECONDS);
    let organization = OrganizationId::new(since, 1);
    let people = People { organization, seed: 1, count: 10, since, until };
    let plans = catalogue::plans(organization, 1, since);
    let mut lives = (0..100).map(|number| life::live(&people, &plans, number));
    let life = lives.find(|life| !life.payments.is_empty()).unwrap();
    let user = people.user(1);
    let user_trace = people::created(&user).after.unwrap();
    let (plan, payment) = (plans[0].0.clone(), life.payments[0].clone());
    Examples { plan, user, user_trace, subscription: life.subscription, payment }
}
