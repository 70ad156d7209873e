//! Linked objects that were in no list. Nothing that is missing at a provider changes anything here.
//!
//! They are compared first. Those that need no more work are marked as seen, so that the others are found again when the lists
//! have been applied.

use super::Run;
use super::sweep::{PAYMENT_SECONDS, Step};
use crate::connections::provider::Fetched;
use crate::connections::{ConnectionKind, object_unit};
use crate::error::Error;
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::sweep::{Difference, Sweep, SweepPhase};
use perennial_domain::id::{PaymentId, PlanId, SubscriptionId, UserId};
use perennial_domain::time::Time;
use perennial_store::connection_links::Link;
use perennial_store::{Change, connection_progress};
use std::sync::PoisonError;

/// Links of one step.
const AT_ONCE: i64 = 50;
/// The kinds that lists have, in the order of the search.
const LISTED: [ObjectKind; 3] = [ObjectKind::Subscription, ObjectKind::Payment, ObjectKind::Price];

impl Run<'_> {
    /// Compares some of these objects, or applies them if all are compared.
    pub(super) async fn missing_page(&self, sweep: &mut Sweep) -> Result<Step, Error> {
        let Some(object) = LISTED.get(sweep.list).copied() else {
            sweep.advance(None, LISTED.len(), self.applies(sweep));
            return Ok(Step::Done);
        };
        let links = self.unseen(sweep, object).await?;
        let mut done = Vec::new();
        for link in links.iter().filter(|link| !self.was_seen(link) && !self.is_fetched_otherwise(link)) {
            let provider = self.app.payment_providers();
            let is_done = match provider.fetch_in_sweep(self.account, object, &link.external_id).await {
                Fetched::Unavailable { .. } => return Ok(Step::Unavailable),
                Fetched::NotSent(seconds) => return Ok(Step::NotSent(seconds)),
                Fetched::Found(mapped) if sweep.phase() == SweepPhase::ApplyMissing => {
                    match self.apply(sweep, &mapped).await? {
                        Step::Done => true,
                        step => return Ok(step),
                    }
                }
                Fetched::Found(mapped) => self.count(sweep, &mapped).await?.is_same,
                Fetched::NotFound => {
                    self.report_missing(sweep, link).await?;
                    true
                }
                _ => true,
            };
            if is_done {
                done.push(link.clone());
            }
        }
        // If nothing is applied, they are not looked for again.
        if self.applies(sweep) {
            self.mark_seen(sweep, &done).await?;
        }
        sweep.cursor = links.last().map(|link| link.external_id.clone());
        if links.len() < usize::try_from(AT_ONCE).unwrap_or_default() {
            sweep.advance(None, LISTED.len(), self.applies(sweep));
        }
        Ok(Step::Done)
    }

    async fn unseen(&self, sweep: &Sweep, object: ObjectKind) -> Result<Vec<Link>, Error> {
        let connection = &self.open.connection;
        let made_since = match object {
            ObjectKind::Payment => sweep.began().plus_seconds(-PAYMENT_SECONDS),
            _ => Time::MIN,
        };
        let after = sweep.cursor.clone().unwrap_or_default();
        let key = (connection.organization_id, connection.id);
        let times = (sweep.began(), made_since);
        Ok(connection_progress::unseen(&self.app.db, key, object, &after, times, AT_ONCE).await?)
    }

    /// Whether the object is the payment of an order of Lemon Squeezy, which is fetched as a subscription.
    fn is_fetched_otherwise(&self, link: &Link) -> bool {
        self.open.connection.kind == ConnectionKind::LemonSqueezy
            && link.object == ObjectKind::Payment
            && link.external_id.starts_with("order-")
    }

    /// Notes that these objects are not missing. A dry run stores nothing, so it remembers them.
    pub(super) async fn mark_seen(&self, sweep: &Sweep, links: &[Link]) -> Result<(), Error> {
        if sweep.options.dry_run {
            let units = links.iter().map(unit);
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).extend(units);
            return Ok(());
        }
        let mark = |change, link| connection_progress::seen(change, link, sweep.began());
        let change = links.iter().fold(Change::new(), mark);
        if change.is_empty() { Ok(()) } else { self.commit(change).await }
    }

    fn was_seen(&self, link: &Link) -> bool {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).contains(&unit(link))
    }

    async fn report_missing(&self, sweep: &mut Sweep, link: &Link) -> Result<(), Error> {
        if sweep.phase() == SweepPhase::ApplyMissing {
            // It existed when it was compared. The next sweep reports it.
            return Ok(());
        }
        let difference = Difference {
            object: link.object.as_str().to_owned(),
            external_id: link.external_id.clone(),
            record_id: Some(record_id(link)),
            fields: serde_json::json!({}),
            missing: true,
            repaired: false,
        };
        if !sweep.options.dry_run {
            self.report(&difference).await?;
        }
        sweep.note(difference);
        Ok(())
    }
}

fn unit(link: &Link) -> [u8; 16] {
    object_unit(link.connection_id, link.object, &link.external_id)
}

fn record_id(link: &Link) -> String {
    match link.object {
        ObjectKind::Customer => UserId::from_bytes(link.record_id).to_string(),
        ObjectKind::Price => PlanId::from_bytes(link.record_id).to_string(),
        ObjectKind::Subscription => SubscriptionId::from_bytes(link.record_id).to_string(),
        ObjectKind::Payment => PaymentId::from_bytes(link.record_id).to_string(),
    }
}
