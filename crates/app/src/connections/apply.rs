//! One object: fetched, mapped, decided and written as one change.

mod customers;
mod payments;
mod prices;
mod subscriptions;

use super::cache::OpenConnection;
use super::health;
use super::outcome::Ended;
use super::provider::{Account, Fetched};
use crate::audit::json;
use crate::business_time::{self, BusinessTime};
use crate::caller::Caller;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keyed_locks::ATTEMPTS;
use crate::keys::sha256;
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::facts::{CustomerFacts, Mapped, PaymentFacts, PriceFacts, SubscriptionFacts};
use perennial_domain::connections::hints::without_personal_data;
use perennial_domain::connections::inbox::{Delay, InboxItem, InboxState, first_code};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, UserId};
use perennial_domain::time::Time;
use perennial_store::connection_links::{self, Link};
use perennial_store::leases::Lease;
use perennial_store::{self as store, Change, Violation, connection_inbox};
use serde::Serialize;

/// The work on one hint and what its object refers to.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) app: &'a App,
    pub(super) open: &'a OpenConnection,
    /// The key of the hint, for the events.
    pub(super) key: &'a str,
    /// The user that the webhook itself names.
    pub(super) custom_user: Option<UserId>,
    /// Whether a sweep applies it: hints and collections go first.
    pub(super) is_sweep: bool,
}

/// What is to be written of an object.
struct Decision {
    /// The record and its event; empty if nothing differs.
    change: Change,
    record_id: [u8; 16],
    object: ObjectKind,
    external_id: String,
    digest: Vec<u8>,
    codes: Vec<&'static str>,
    /// The customer of a subscription and its user, if the customer has no link yet.
    customer: Option<(String, UserId)>,
}

/// What is known of one record.
#[derive(Clone, Copy)]
enum Facts<'f> {
    Customer(&'f CustomerFacts),
    Price(&'f PriceFacts),
    /// The provider has no such price.
    NoPrice(&'f str),
    Subscription(&'f SubscriptionFacts, &'f [&'static str]),
    Payment(&'f PaymentFacts, &'f [&'static str]),
}

/// What follows from facts.
enum Decided {
    Write(Box<Decision>),
    Ended(Ended),
}

impl Work<'_> {
    pub(super) fn organization(&self) -> OrganizationId {
        self.open.connection.organization_id
    }

    /// Fetches the object and applies it. `rows` are the hints of it that waited when the lease was taken.
    pub(super) async fn apply(
        &self,
        lease: Lease,
        object: ObjectKind,
        external_id: &str,
        rows: &[InboxItem],
        depth: usize,
    ) -> Result<Ended, Error> {
        let ended = match self.fetch(object, external_id).await? {
            Fetched::Found(mapped) => return self.write(lease, &mapped, rows, depth).await,
            Fetched::NotFound if object == ObjectKind::Price => {
                return self.commit(lease, rows, Facts::NoPrice(external_id), depth).await;
            }
            // Nothing that is missing at a provider ends access here.
            Fetched::NotFound => Ended::Settled(InboxState::Ignored, Some("not_found")),
            Fetched::Ignored(code) => Ended::Settled(InboxState::Ignored, Some(code)),
            Fetched::AwaitsSubscription => Ended::Delayed(Delay::NoSubscription),
            Fetched::Malformed(code) => Ended::Settled(InboxState::Failed, Some(code)),
            Fetched::Unavailable { retry_after, .. } => Ended::Delayed(Delay::Unavailable(retry_after)),
            Fetched::NotSent(seconds) => Ended::Delayed(Delay::NotSent(seconds)),
            Fetched::LeadsTo(objects) => self.follow(&objects, (object, external_id), depth).await?,
        };
        self.settle(lease, rows, ended).await?;
        Ok(ended)
    }

    async fn fetch(&self, object: ObjectKind, external_id: &str) -> Result<Fetched, Error> {
        let OpenConnection { connection, secrets } = self.open;
        let Some(secrets) = secrets else {
            return Ok(Fetched::Unavailable { retry_after: None, is_rate_limited: false });
        };
        let (db, figures) = (&self.app.db, &self.app.connections);
        let account = Account { connection, api_key: &secrets.api_key, db, figures };
        let provider = self.app.payment_providers();
        let fetched = if self.is_sweep {
            provider.fetch_in_sweep(account, object, external_id).await
        } else {
            provider.fetch(account, object, external_id).await
        };
        health::note(self.app, self.open, &fetched).await?;
        Ok(fetched)
    }

    /// Applies the objects that an ID leads to. Of prices, only those with a link.
    async fn follow(
        &self,
        objects: &[(ObjectKind, String)],
        from: (ObjectKind, &str),
        depth: usize,
    ) -> Result<Ended, Error> {
        // A product without linked prices concerns no plan; what names no payment leads nowhere.
        let mut last = match from.0 {
            ObjectKind::Price => Ended::Settled(InboxState::Unchanged, None),
            _ => Ended::Settled(InboxState::Ignored, Some("not_found")),
        };
        for (object, id) in objects {
            if (*object, id.as_str()) == from || depth > 0 {
                continue;
            }
            if *object == ObjectKind::Price && self.link(*object, id).await?.is_none() {
                continue;
            }
            let ended = Box::pin(self.visit(*object, id, depth + 1)).await?;
            last = match (last, ended) {
                (_, Ended::Delayed(_)) => return Ok(ended),
                (Ended::Settled(InboxState::Applied, _), Ended::Settled(InboxState::Unchanged, _)) => last,
                _ => ended,
            };
        }
        Ok(last)
    }

    /// Writes what the object means. An order is a subscription, and then its payment.
    async fn write(&self, lease: Lease, mapped: &Mapped, rows: &[InboxItem], depth: usize) -> Result<Ended, Error> {
        let is_pair = mapped.subscription.is_some() && mapped.payment.is_some();
        let mut ended = Ended::Settled(InboxState::Unchanged, None);
        if let Some(facts) = &mapped.customer {
            ended = self.commit(lease, rows, Facts::Customer(facts), depth).await?;
        }
        if let Some(facts) = &mapped.price {
            ended = self.commit(lease, rows, Facts::Price(facts), depth).await?;
        }
        if let Some(facts) = &mapped.subscription {
            let rows = if is_pair { &[] } else { rows };
            ended = self.commit(lease, rows, Facts::Subscription(facts, &mapped.codes), depth).await?;
            if matches!(ended, Ended::Settled(InboxState::Applied, _)) {
                self.wake_payments().await?;
            }
        }
        if let Some(facts) = &mapped.payment {
            let is_over = is_pair && !matches!(ended, Ended::Settled(InboxState::Applied | InboxState::Unchanged, _));
            if is_over {
                self.settle(lease, rows, ended).await?;
                return Ok(ended);
            }
            let before = ended;
            ended = self.commit(lease, rows, Facts::Payment(facts, &mapped.codes), depth).await?;
            if is_pair && matches!(ended, Ended::Settled(InboxState::Unchanged, _)) {
                // The subscription may have changed.
                ended = before;
            }
        }
        Ok(ended)
    }

    /// Decides and commits, again if another writer was faster.
    async fn commit(&self, lease: Lease, rows: &[InboxItem], facts: Facts<'_>, depth: usize) -> Result<Ended, Error> {
        for _ in 0..ATTEMPTS {
            let time = business_time::read(self.app, &Caller::system(self.organization())).await?;
            let decision = match self.decide(facts, &time, depth).await? {
                Decided::Write(decision) => decision,
                Decided::Ended(ended) => {
                    self.settle(lease, rows, ended).await?;
                    return Ok(ended);
                }
            };
            let is_changed = !decision.change.is_empty();
            let state = if is_changed { InboxState::Applied } else { InboxState::Unchanged };
            let ended = Ended::Settled(state, first_code(&decision.codes));
            let now = self.app.clock.now();
            let link = self.new_link(&decision, now);
            let mut change = connection_links::put(decision.change, &link);
            if let Some((external_id, user)) = &decision.customer {
                change = connection_links::add(change, &Self::customer_link(&link, external_id, *user));
            }
            change = self.settle_rows(change, rows, ended, Some(&decision.external_id), now);
            let change = lease.fence(if is_changed { time.guard(change)? } else { change }.background());
            match self.app.db.commit(change).await {
                Ok(()) => return Ok(ended),
                Err(store::Error::Violated(Violation::Lease)) => return Err(Error::LeaseLost),
                // Decided again from the records as they are now.
                Err(store::Error::Violated(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Conflict::Contended.into())
    }

    async fn decide(&self, facts: Facts<'_>, time: &BusinessTime, depth: usize) -> Result<Decided, Error> {
        match facts {
            Facts::Customer(facts) => self.decide_customer(facts).await,
            Facts::Price(facts) => self.decide_price(facts, time).await,
            Facts::NoPrice(external_id) => self.decide_retirement(external_id, time).await,
            Facts::Subscription(facts, codes) => self.decide_subscription(facts, codes, time, depth).await,
            Facts::Payment(facts, codes) => self.decide_payment(facts, codes, time, depth).await,
        }
    }

    /// Settles hints without a change of a record.
    pub(super) async fn settle(&self, lease: Lease, rows: &[InboxItem], ended: Ended) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        let change = self.settle_rows(Change::new().background(), rows, ended, None, self.app.clock.now());
        match self.app.db.commit(lease.fence(change)).await {
            Err(store::Error::Violated(Violation::Lease)) => Err(Error::LeaseLost),
            other => Ok(other?),
        }
    }

    /// Settles hints. `linked` is the object that the same change links. Of a hint of any other object no body is stored: the
    /// erasure of a user finds bodies by the links of their records.
    fn settle_rows(&self, change: Change, rows: &[InboxItem], ended: Ended, linked: Option<&str>, now: Time) -> Change {
        let kind = self.open.connection.kind;
        rows.iter().fold(change, |change, row| {
            let outcome = ended.outcome(row.received_at, row.attempts, now);
            let is_linked = linked.is_some() && row.object_id.as_deref() == linked;
            let change = connection_inbox::settle(change, row, outcome, now);
            if outcome.state == InboxState::Waiting || is_linked || row.body.is_none() {
                return change;
            }
            connection_inbox::replace_body(change, row, without_personal_data(kind, row))
        })
    }

    fn new_link(&self, decision: &Decision, now: Time) -> Link {
        Link {
            organization_id: self.organization(),
            connection_id: self.open.connection.id,
            object: decision.object,
            external_id: decision.external_id.clone(),
            record_id: decision.record_id,
            digest: decision.digest.clone(),
            is_erased: false,
            seen_at: now,
            created_at: now,
        }
    }

    /// The link of a customer that was not fetched. Without it, a hint after the user's erasure would create the person again.
    fn customer_link(subscription: &Link, external_id: &str, user: UserId) -> Link {
        Link {
            object: ObjectKind::Customer,
            external_id: external_id.to_owned(),
            record_id: user.bytes(),
            digest: Vec::new(),
            ..subscription.clone()
        }
    }

    /// Payments that wait for a subscription are tried again.
    async fn wake_payments(&self) -> Result<(), Error> {
        let (id, now) = (self.open.connection.id, self.app.clock.now());
        let change = connection_inbox::hasten_payments(Change::new().background(), self.organization(), id, now);
        Ok(self.app.db.commit(change).await?)
    }

    /// What names the cause of an event.
    pub(super) fn request_id(&self) -> String {
        format!("{}/{}", self.open.connection.id, self.key)
    }

    /// An event of this work.
    fn event(&self, kind: EventKind, record_id: [u8; 16], id: EventId, at: Time) -> Event {
        let event = Caller::system(self.organization()).event(kind, record_id, id, at);
        Event { request_id: Some(self.request_id()), ..event }
    }
}

/// The digest of what was fetched.
fn digest<T: Serialize>(facts: &T) -> Vec<u8> {
    sha256(&[json(facts).as_bytes()]).to_vec()
}

const fn ended(state: InboxState, code: &'static str) -> Decided {
    Decided::Ended(Ended::Settled(state, Some(code)))
}

const fn delayed(delay: Delay) -> Decided {
    Decided::Ended(Ended::Delayed(delay))
}
