//! References of an object to others: looked up by link, else fetched first, at most four deep.

use super::apply::Work;
use super::job::ROWS;
use super::object_unit;
use super::outcome::{Ended, Reference};
use crate::error::Error;
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::facts::{ItemFacts, SubscriptionFacts};
use perennial_domain::connections::hints::custom_user;
use perennial_domain::connections::inbox::{Delay, InboxState};
use perennial_domain::id::{PlanId, SubscriptionId, UserId};
use perennial_domain::plans::{Plan, PlanKey};
use perennial_store::connection_links::{self, Link};
use perennial_store::leases::Lease;
use perennial_store::{connection_inbox, plans, subscriptions, users};
use std::time::Duration;
use tokio::time::sleep;

/// How deep references are followed.
const MAX_DEPTH: usize = 4;

/// How often, and how long apart, the lease on a reference is tried. Objects that refer to each other do so in one direction,
/// so no two tasks wait for each other.
const TRIES: usize = 40;
const PAUSE: Duration = Duration::from_millis(50);

/// A user, and whether it was erased.
#[derive(Clone, Copy)]
pub(super) struct KnownUser {
    pub(super) id: UserId,
    pub(super) is_erased: bool,
}

impl Work<'_> {
    /// The link of an object.
    pub(super) async fn link(&self, object: ObjectKind, external_id: &str) -> Result<Option<Link>, Error> {
        let (organization, id) = (self.organization(), self.open.connection.id);
        Ok(connection_links::of_object(&self.app.db, organization, id, object, external_id).await?)
    }

    /// Whether a record follows this object through another connection.
    pub(super) async fn is_followed_by_another(
        &self,
        object: ObjectKind,
        external_id: &str,
        record: [u8; 16],
    ) -> Result<bool, Error> {
        let links = connection_links::of_record(&self.app.db, self.organization(), record).await?;
        let is_of_object = |link: &Link| link.object == object && link.external_id == external_id;
        Ok(links.iter().any(|link| link.connection_id != self.open.connection.id && is_of_object(link)))
    }

    /// The user of a subscription: the one that its metadata names, or its customer.
    pub(super) async fn user_of(&self, facts: &SubscriptionFacts, depth: usize) -> Result<Reference<KnownUser>, Error> {
        for named in [facts.user_id, self.custom_user].into_iter().flatten() {
            if users::exists(&self.app.db, self.organization(), named).await? {
                return Ok(Reference::Found(KnownUser { id: named, is_erased: false }));
            }
        }
        let found = self.reference(ObjectKind::Customer, &facts.customer, "missing_customer", depth).await?;
        Ok(match found {
            Reference::Found(link) => {
                let id = UserId::from_bytes(link.record_id);
                let is_live = users::exists(&self.app.db, self.organization(), id).await?;
                Reference::Found(KnownUser { id, is_erased: link.is_erased || !is_live })
            }
            Reference::NotARecord(code) => Reference::NotARecord(code),
            Reference::Delayed(delay) => Reference::Delayed(delay),
        })
    }

    /// The first item whose price is a plan.
    pub(super) async fn plan_of<'f>(
        &self,
        facts: &'f SubscriptionFacts,
        depth: usize,
    ) -> Result<Reference<(Plan, &'f ItemFacts)>, Error> {
        let mut code = "missing_price";
        for item in &facts.items {
            match self.reference(ObjectKind::Price, &item.price, "missing_price", depth).await? {
                Reference::Found(link) => {
                    let key = PlanKey::Id(PlanId::from_bytes(link.record_id));
                    if let Some(plan) = plans::find(&self.app.db, self.organization(), &key).await? {
                        return Ok(Reference::Found((plan, item)));
                    }
                }
                Reference::NotARecord(reason) => code = reason,
                Reference::Delayed(delay) => return Ok(Reference::Delayed(delay)),
            }
        }
        Ok(Reference::NotARecord(code))
    }

    /// The subscription of a payment.
    pub(super) async fn subscription_of(
        &self,
        external_id: &str,
        depth: usize,
    ) -> Result<Reference<SubscriptionId>, Error> {
        let found = self.reference(ObjectKind::Subscription, external_id, "missing_subscription", depth).await?;
        Ok(match found {
            Reference::Found(link) => {
                let id = SubscriptionId::from_bytes(link.record_id);
                if subscriptions::exists(&self.app.db, self.organization(), id).await? {
                    Reference::Found(id)
                } else {
                    Reference::Delayed(Delay::MissingSubscription)
                }
            }
            Reference::NotARecord(_) => Reference::Delayed(Delay::MissingSubscription),
            Reference::Delayed(delay) => Reference::Delayed(delay),
        })
    }

    /// The link of a referenced object, which is fetched and applied first if it has none.
    async fn reference(
        &self,
        object: ObjectKind,
        external_id: &str,
        missing: &'static str,
        depth: usize,
    ) -> Result<Reference<Link>, Error> {
        if let Some(link) = self.live_link(object, external_id).await? {
            return Ok(Reference::Found(link));
        }
        if external_id.is_empty() || depth >= MAX_DEPTH {
            return Ok(Reference::NotARecord(missing));
        }
        let ended = Box::pin(self.visit(object, external_id, depth + 1)).await?;
        if let Some(link) = self.live_link(object, external_id).await? {
            return Ok(Reference::Found(link));
        }
        Ok(match ended {
            Ended::Delayed(delay) => Reference::Delayed(delay),
            Ended::Settled(InboxState::Failed, Some(code)) => Reference::NotARecord(code),
            Ended::Settled(..) => Reference::NotARecord(missing),
        })
    }

    /// The link, unless its plan or subscription was deleted here.
    async fn live_link(&self, object: ObjectKind, external_id: &str) -> Result<Option<Link>, Error> {
        let Some(link) = self.link(object, external_id).await? else { return Ok(None) };
        let (db, organization) = (&self.app.db, self.organization());
        let is_live = match object {
            ObjectKind::Price => {
                plans::find(db, organization, &PlanKey::Id(PlanId::from_bytes(link.record_id))).await?.is_some()
            }
            ObjectKind::Subscription => {
                subscriptions::exists(db, organization, SubscriptionId::from_bytes(link.record_id)).await?
            }
            ObjectKind::Customer | ObjectKind::Payment => true,
        };
        Ok(is_live.then_some(link))
    }

    /// Fetches another object under its own lease, and applies it with the hints of it that wait.
    pub(super) async fn visit(&self, object: ObjectKind, external_id: &str, depth: usize) -> Result<Ended, Error> {
        let unit = object_unit(self.open.connection.id, object, external_id);
        let lease = Lease { unit: connection_inbox::unit(self.organization(), unit), owner: self.app.entropy.bytes() };
        let mut tries = 0;
        while !lease.acquire(&self.app.db).await? {
            tries += 1;
            if tries == TRIES {
                return Ok(Ended::Delayed(Delay::Busy));
            }
            sleep(PAUSE).await;
            // Another server or task has fetched it.
            if depth > 0 && self.live_link(object, external_id).await?.is_some() {
                return Ok(Ended::Settled(InboxState::Unchanged, None));
            }
        }
        let rows = connection_inbox::of_unit(&self.app.db, self.organization(), unit, ROWS).await?;
        // The webhooks that it settles may name the user.
        let custom_user = custom_user(self.open.connection.kind, &rows).or(self.custom_user);
        let ended = Self { custom_user, ..*self }.apply(lease, object, external_id, &rows, depth).await;
        lease.release(&self.app.db).await?;
        ended
    }
}
