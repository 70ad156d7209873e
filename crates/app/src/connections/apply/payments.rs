//! Payments as the provider reports them. A record with the same external ID is adopted.

use super::{Decided, Decision, Work, delayed, digest, ended};
use crate::audit::json;
use crate::business_time::BusinessTime;
use crate::connections::outcome::Reference;
use crate::error::Error;
use crate::payments::effects_of_report;
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::apply::{NewRecord, follow_payment, new_payment};
use perennial_domain::connections::facts::PaymentFacts;
use perennial_domain::connections::inbox::InboxState;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, PaymentId};
use perennial_domain::payments::Payment;
use perennial_domain::stamp::Stamp;
use perennial_store::{Change, events, payments, subscriptions};

impl Work<'_> {
    pub(super) async fn decide_payment(
        &self,
        facts: &PaymentFacts,
        codes: &[&'static str],
        time: &BusinessTime,
        depth: usize,
    ) -> Result<Decided, Error> {
        let before = match self.payment_here(&facts.external_id).await? {
            Ok(before) => before,
            Err(code) => return Ok(ended(InboxState::Failed, code)),
        };
        if let Some(before) = before {
            let after = follow_payment(&before, facts);
            let change = self.change_payment(&before, after, time).await?;
            return Ok(write(facts, before.id, change, codes));
        }
        if facts.subscription.is_empty() {
            return Ok(ended(InboxState::Ignored, "no_subscription"));
        }
        let subscription = match self.subscription_of(&facts.subscription, depth).await? {
            Reference::Found(id) => id,
            Reference::NotARecord(code) => return Ok(ended(InboxState::Ignored, code)),
            Reference::Delayed(delay) => return Ok(delayed(delay)),
        };
        let bits = || self.app.entropy.id_bits();
        let (id, revision) = (PaymentId::new(time.now, bits()), EventId::new(time.now, bits()));
        let new = NewRecord { organization_id: self.organization(), id: id.bytes(), revision, now: time.now };
        let made = match new_payment(facts, subscription, new) {
            Ok(made) => made,
            Err(reason) => return Ok(ended(InboxState::Failed, reason.code())),
        };
        let event = self.event(EventKind::PaymentCreated, id.bytes(), revision, time.now);
        let change = subscriptions::guard_live(Change::new(), self.organization(), subscription);
        let change = payments::insert(change, &made);
        let change = events::insert(change, &Event { after: Some(json(&made)), ..event });
        Ok(write(facts, id, change, codes))
    }

    /// The payment of an object: by its link, or the one that has its ID. The error is why it cannot follow the object.
    async fn payment_here(&self, external_id: &str) -> Result<Result<Option<Payment>, &'static str>, Error> {
        let (db, organization) = (&self.app.db, self.organization());
        if let Some(link) = self.link(ObjectKind::Payment, external_id).await? {
            let found = payments::by_id(db, organization, PaymentId::from_bytes(link.record_id)).await?;
            if found.is_some() {
                return Ok(Ok(found));
            }
        }
        let Some(id) = payments::id_by_external(db, organization, external_id).await? else { return Ok(Ok(None)) };
        if self.is_followed_by_another(ObjectKind::Payment, external_id, id.bytes()).await? {
            return Ok(Err("external_id_taken"));
        }
        Ok(Ok(payments::by_id(db, organization, id).await?))
    }

    async fn change_payment(&self, before: &Payment, mut after: Payment, time: &BusinessTime) -> Result<Change, Error> {
        if after == *before {
            return Ok(Change::new());
        }
        let Stamp { at, revision } = self.app.stamp(before, time.now);
        (after.updated_at, after.revision) = (at, revision);
        let effects = effects_of_report(self.app, before, &mut after, time.now).await?;
        let change = payments::update(Change::new(), &after, before.revision);
        let event = self.event(EventKind::PaymentUpdated, after.id.bytes(), revision, at).following(before.revision);
        let event = Event { before: Some(json(before)), after: Some(json(&after)), ..event };
        Ok(events::insert(change, &event).and(effects))
    }
}

fn write(facts: &PaymentFacts, id: PaymentId, change: Change, codes: &[&'static str]) -> Decided {
    Decided::Write(Box::new(Decision {
        change,
        record_id: id.bytes(),
        object: ObjectKind::Payment,
        external_id: facts.external_id.clone(),
        digest: digest(facts),
        codes: codes.to_vec(),
        customer: None,
    }))
}
