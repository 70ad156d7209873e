//! Prices as plans. The first fetch makes the plan, later ones change its price and whether it is sold.

use super::{Decided, Decision, Work, digest, ended};
use crate::audit::json;
use crate::business_time::BusinessTime;
use crate::error::Error;
use crate::keys::sha256;
use crate::plans::Query;
use data_encoding::HEXLOWER;
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::apply::{NewRecord, follow_price, new_plan, slug_for};
use perennial_domain::connections::facts::PriceFacts;
use perennial_domain::connections::inbox::InboxState;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, PlanId};
use perennial_domain::plans::{Plan, PlanKey};
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_store::{Change, events, plan_versions, plans};

impl Work<'_> {
    pub(super) async fn decide_price(&self, facts: &PriceFacts, time: &BusinessTime) -> Result<Decided, Error> {
        let before = match self.plan_of_price(&facts.external_id).await? {
            Ok(before) => before,
            Err(code) => return Ok(ended(InboxState::Failed, code)),
        };
        if let Some(before) = before {
            let (after, is_renamed) = match follow_price(&before, facts) {
                Ok(followed) => followed,
                Err(reason) => return Ok(ended(InboxState::Failed, reason.code())),
            };
            let codes = if is_renamed { vec!["name_unchanged"] } else { Vec::new() };
            let change = self.change_plan(&before, after, time.now);
            return Ok(write(facts, before.id, change, codes));
        }
        let slug = {
            let mark = &HEXLOWER.encode(&sha256(&[facts.external_id.as_bytes()]))[..6];
            let wanted = slug_for(&facts.slug_text, mark, false);
            let key = PlanKey::Slug(wanted.clone());
            let is_taken = plans::find(&self.app.db, self.organization(), &key).await?.is_some();
            if is_taken { slug_for(&facts.slug_text, mark, true) } else { wanted }
        };
        let bits = || self.app.entropy.id_bits();
        let (id, revision) = (PlanId::new(time.now, bits()), EventId::new(time.now, bits()));
        let new = NewRecord { organization_id: self.organization(), id: id.bytes(), revision, now: time.now };
        let plan = new_plan(facts, slug, new);
        let event = self.event(EventKind::PlanCreated, id.bytes(), revision, time.now);
        let change = plans::insert(Change::new(), &plan);
        let change = events::insert(change, &Event { after: Some(json(&plan)), ..event });
        Ok(write(facts, id, change, Vec::new()))
    }

    /// A price that the provider does not have any more: its plan is not sold any more, and never deleted.
    pub(super) async fn decide_retirement(&self, external_id: &str, time: &BusinessTime) -> Result<Decided, Error> {
        if self.link(ObjectKind::Price, external_id).await?.is_none() {
            return Ok(ended(InboxState::Ignored, "not_found"));
        }
        let Ok(Some(before)) = self.plan_of_price(external_id).await? else {
            return Ok(ended(InboxState::Ignored, "not_found"));
        };
        let change = self.change_plan(&before, Plan { is_active: false, ..before.clone() }, time.now);
        Ok(Decided::Write(Box::new(Decision {
            change,
            record_id: before.id.bytes(),
            object: ObjectKind::Price,
            external_id: external_id.to_owned(),
            digest: digest(&"not_found"),
            codes: Vec::new(),
            customer: None,
        })))
    }

    /// The plan of a price: by its link, or the one that has the price as a variant. The error is why it cannot follow the price. A
    /// plan can follow prices of several connections, but each price is that of one.
    async fn plan_of_price(&self, external_id: &str) -> Result<Result<Option<Plan>, &'static str>, Error> {
        let (db, organization) = (&self.app.db, self.organization());
        if let Some(link) = self.link(ObjectKind::Price, external_id).await? {
            let key = PlanKey::Id(PlanId::from_bytes(link.record_id));
            if let Some(plan) = plans::find(db, organization, &key).await? {
                return Ok(Ok(Some(plan)));
            }
        }
        let query = Query { variant: Some(external_id.to_owned()), ..Query::default() };
        let found = plans::list(db, organization, &query, None, 1).await?.items.into_iter().next();
        Ok(match &found {
            Some(plan) if self.is_followed_by_another(ObjectKind::Price, external_id, plan.id.bytes()).await? => {
                Err("external_id_taken")
            }
            _ => Ok(found),
        })
    }

    fn change_plan(&self, before: &Plan, after: Plan, now: Time) -> Change {
        if after == *before {
            return Change::new();
        }
        let Stamp { at, revision } = self.app.stamp(before, now);
        let after = Plan { updated_at: at, revision, ..after };
        let mut change = Change::new();
        if after.version != before.version {
            change = plan_versions::insert(change, before, at);
        }
        let change = plans::update(change, &after, before.revision);
        let event = self.event(EventKind::PlanUpdated, after.id.bytes(), revision, at).following(before.revision);
        events::insert(change, &Event { before: Some(json(before)), after: Some(json(&after)), ..event })
    }
}

fn write(facts: &PriceFacts, id: PlanId, change: Change, codes: Vec<&'static str>) -> Decided {
    Decided::Write(Box::new(Decision {
        change,
        record_id: id.bytes(),
        object: ObjectKind::Price,
        external_id: facts.external_id.clone(),
        digest: digest(facts),
        codes,
        customer: None,
    }))
}
