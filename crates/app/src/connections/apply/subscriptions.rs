//! Subscriptions as the provider reports them. A record with the same external ID is adopted.

use super::{Decided, Decision, Work, delayed, digest, ended};
use crate::audit::json;
use crate::business_time::BusinessTime;
use crate::connections::drift::{Difference, report};
use crate::connections::outcome::Reference;
use crate::connections::references::KnownUser;
use crate::error::Error;
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::apply::{NewRecord, NotApplied, Owner, follow_subscription, new_subscription};
use perennial_domain::connections::facts::SubscriptionFacts;
use perennial_domain::connections::inbox::InboxState;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, SubscriptionId, UserId};
use perennial_domain::stamp::Stamp;
use perennial_domain::subscriptions::Subscription;
use perennial_store::{Change, events, plans, subscriptions, users};
use serde_json::json as value;

impl Work<'_> {
    pub(super) async fn decide_subscription(
        &self,
        facts: &SubscriptionFacts,
        codes: &[&'static str],
        time: &BusinessTime,
        depth: usize,
    ) -> Result<Decided, Error> {
        let before = match self.subscription_here(facts).await? {
            Ok(before) => before,
            Err(code) => return Ok(ended(InboxState::Failed, code)),
        };
        let (plan, item) = match self.plan_of(facts, depth).await? {
            Reference::Found(found) => found,
            Reference::NotARecord(code) => return Ok(ended(InboxState::Failed, code)),
            Reference::Delayed(delay) => return Ok(delayed(delay)),
        };
        if facts.is_single && plan.billing_cycle != BillingCycle::Lifetime {
            // The order of a subscription: that and its invoices are reported separately.
            return Ok(ended(InboxState::Ignored, "no_subscription"));
        }
        // The user of a subscription that exists does not change.
        let user = match &before {
            Some(before) => KnownUser { id: before.user_id, is_erased: true },
            None => match self.user_of(facts, depth).await? {
                Reference::Found(user) => user,
                Reference::NotARecord(code) => return Ok(ended(InboxState::Failed, code)),
                Reference::Delayed(delay) => return Ok(delayed(delay)),
            },
        };
        let owner = Owner { connection: self.open.connection.id, user: user.id, plan: &plan, item };
        let decided = match &before {
            Some(before) => follow_subscription(before, facts, owner, time.now).map(|after| {
                let change = self.change_subscription(before, after, time);
                (before.id, plans::guard_live(change, plan.organization_id, plan.id))
            }),
            None => self.create_subscription(facts, owner, time).map(|(id, change)| {
                let change = plans::guard_live(change, plan.organization_id, plan.id);
                let is_guarded = !user.is_erased;
                (id, if is_guarded { users::guard_live(change, plan.organization_id, user.id) } else { change })
            }),
        };
        match (decided, before) {
            (Ok((id, change)), before) => {
                // A guard alone is no change.
                let is_same = before.as_ref().is_some_and(|before| Self::is_same(before, facts, owner, time));
                let change = if is_same { Change::new() } else { change };
                let customer = self.unlinked_customer(facts).await?.map(|customer| (customer, user.id));
                Ok(Self::write_subscription(facts, (id, change), codes, customer))
            }
            (Err(NotApplied::ExpiredIsFinal), Some(before)) => {
                self.report_expired(&before, facts).await?;
                Ok(ended(InboxState::Failed, NotApplied::ExpiredIsFinal.code()))
            }
            (Err(reason), _) => Ok(ended(InboxState::Failed, reason.code())),
        }
    }

    /// The subscription here: by its link, or the one with the same external ID. An error is the code of the hint.
    async fn subscription_here(
        &self,
        facts: &SubscriptionFacts,
    ) -> Result<Result<Option<Subscription>, &'static str>, Error> {
        let (db, organization) = (&self.app.db, self.organization());
        if let Some(link) = self.link(ObjectKind::Subscription, &facts.external_id).await? {
            let id = SubscriptionId::from_bytes(link.record_id);
            if let Some(found) = subscriptions::by_id(db, organization, id).await? {
                return Ok(Ok(Some(found)));
            }
        }
        let Some(id) = subscriptions::id_by_external(db, organization, &facts.external_id).await? else {
            return Ok(Ok(None));
        };
        let found = subscriptions::by_id(db, organization, id).await?;
        let is_others = |found: &Subscription| found.managed_by.is_some_and(|other| other != self.open.connection.id);
        Ok(if found.as_ref().is_some_and(is_others) { Err("external_id_taken") } else { Ok(found) })
    }

    fn is_same(before: &Subscription, facts: &SubscriptionFacts, owner: Owner<'_>, time: &BusinessTime) -> bool {
        follow_subscription(before, facts, owner, time.now).is_ok_and(|after| after == *before)
    }

    fn change_subscription(&self, before: &Subscription, mut after: Subscription, time: &BusinessTime) -> Change {
        let Stamp { at, revision } = self.app.stamp(before, time.now);
        (after.updated_at, after.revision) = (at, revision);
        let change = subscriptions::update(Change::new(), &after, before.revision);
        let event = self.event(EventKind::SubscriptionUpdated, after.id.bytes(), revision, at);
        let event = event.following(before.revision);
        events::insert(change, &Event { before: Some(json(before)), after: Some(json(&after)), ..event })
    }

    fn create_subscription(
        &self,
        facts: &SubscriptionFacts,
        owner: Owner<'_>,
        time: &BusinessTime,
    ) -> Result<(SubscriptionId, Change), NotApplied> {
        let bits = || self.app.entropy.id_bits();
        let (id, revision) = (SubscriptionId::new(time.now, bits()), EventId::new(time.now, bits()));
        let new = NewRecord { organization_id: self.organization(), id: id.bytes(), revision, now: time.now };
        let made = new_subscription(facts, owner, new)?;
        let event = self.event(EventKind::SubscriptionCreated, id.bytes(), revision, time.now);
        let change = subscriptions::insert(Change::new(), &made);
        Ok((id, events::insert(change, &Event { after: Some(json(&made)), ..event })))
    }

    /// The customer, if it has no link: its user was named by the metadata, or is that of an adopted record.
    async fn unlinked_customer(&self, facts: &SubscriptionFacts) -> Result<Option<String>, Error> {
        if facts.customer.is_empty() || self.link(ObjectKind::Customer, &facts.customer).await?.is_some() {
            return Ok(None);
        }
        Ok(Some(facts.customer.clone()))
    }

    fn write_subscription(
        facts: &SubscriptionFacts,
        (id, change): (SubscriptionId, Change),
        codes: &[&'static str],
        customer: Option<(String, UserId)>,
    ) -> Decided {
        let mut codes = codes.to_vec();
        if facts.items.len() > 1 && !codes.contains(&"several_items") {
            codes.push("several_items");
        }
        Decided::Write(Box::new(Decision {
            change,
            record_id: id.bytes(),
            object: ObjectKind::Subscription,
            external_id: facts.external_id.clone(),
            digest: digest(facts),
            codes,
            customer,
        }))
    }

    async fn report_expired(&self, before: &Subscription, facts: &SubscriptionFacts) -> Result<(), Error> {
        let status = value!({ "ours": before.status.as_str(), "theirs": facts.status.as_str() });
        let difference = Difference {
            object: Some(ObjectKind::Subscription),
            external_id: Some(facts.external_id.clone()),
            record_id: Some(before.id.to_string()),
            fields: [("status".to_owned(), status)].into_iter().collect(),
            ..Difference::default()
        };
        report(self.app, &self.open.connection, &difference, &self.request_id()).await
    }
}
