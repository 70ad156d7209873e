//! Plans: what the use cases create, update and delete depend on, and the reads.

pub(crate) mod cache;

use crate::caller::Caller;
use crate::connections::managed;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::features;
use crate::use_cases::{New, Resource};
use perennial_domain::entitlements::Grants;
use perennial_domain::events::EventKind;
use perennial_domain::id::{PlanId, TaxRateId};
use perennial_domain::meters::{Meter, MeterKey};
use perennial_domain::organizations::Organization;
use perennial_domain::plans::charges;
use perennial_domain::plans::{Plan, PlanDraft, PlanKey, PlanPatch};
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{
    self as store, Change, Page, Position, Violation, meters, organizations, plan_versions, plans, subscriptions,
    tax_rates,
};
use std::collections::HashMap;

pub use perennial_store::plans::{Query, Sort, position};

/// The plan with this ID or slug.
pub async fn read(app: &App, caller: &Caller, key: &PlanKey) -> Result<Plan, Error> {
    plans::find(&app.db, caller.organization(), key).await?.ok_or(Error::NotFound)
}

/// A page of plans, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    query: &Query,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Plan>, Option<String>), Error> {
    let organization = caller.organization();
    let name = cursor::plans(organization, query);
    let previous = || cursor::previous_plans(organization, query);
    let after = cursor::open_optional(&app.keys, &name, previous, cursor)?;
    Ok(cursor::with_next(&app.keys, &name, page(app, caller, query, after, limit).await?))
}

/// A page of plans after a position.
pub async fn page(
    app: &App,
    caller: &Caller,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Plan>, Error> {
    Ok(plans::list(&app.db, caller.organization(), query, after, limit).await?)
}

/// What a decision about a plan depends on.
#[derive(Default)]
pub struct References {
    /// The organization, for its currency. None: an update, which needs none.
    organization: Option<Organization>,
    /// The meters that charges name.
    meters: HashMap<MeterKey, Meter>,
    /// The grants after those that were sent. None: none were sent.
    grants: Option<Grants>,
}

impl References {
    async fn meters(app: &App, caller: &Caller, draft: &PlanDraft) -> Result<HashMap<MeterKey, Meter>, Error> {
        let mut found = HashMap::new();
        let Some(Some(billing)) = &draft.billing else { return Ok(found) };
        for key in billing.charge_drafts.iter().flatten().filter_map(|draft| draft.meter.as_ref()) {
            if let Some(meter) = meters::find(&app.db, caller.organization(), key).await? {
                found.insert(key.clone(), meter);
            }
        }
        Ok(found)
    }

    /// Adds an error for each tax rate that is named for the first time and does not exist or is inactive.
    async fn check_rates(
        app: &App,
        caller: &Caller,
        draft: &PlanDraft,
        known: &[TaxRateId],
        errors: &mut ValidationErrors,
    ) -> Result<(), Error> {
        let Some(Some(billing)) = &draft.billing else { return Ok(()) };
        let ids = billing.tax_rate_ids.iter().flatten().enumerate();
        for (index, id) in ids.filter(|(_, id)| !known.contains(id)) {
            let found = tax_rates::by_id(&app.db, caller.organization(), *id).await?;
            if !found.is_some_and(|rate| rate.is_active) {
                let detail = "names no active tax rate of this organization";
                errors.note(format!("/billing/tax_rate_ids/{index}"), ValidationCode::NotFound, detail);
            }
        }
        Ok(())
    }

    fn resolve(&self, draft: &mut PlanDraft, before: &[charges::Charge], errors: &mut ValidationErrors) {
        let Some(Some(billing)) = &mut draft.billing else { return };
        if let Some(drafts) = billing.charge_drafts.take() {
            billing.charges = Some(charges::resolve(&drafts, &self.meters, before, errors));
        }
    }

    fn grant(&self, plan: Plan) -> Plan {
        match &self.grants {
            Some(grants) => Plan { entitlements: grants.clone(), ..plan },
            None => plan,
        }
    }
}

impl Resource for Plan {
    type Key = PlanKey;
    type Draft = PlanDraft;
    type Patch = PlanPatch;
    type References = References;

    const CREATED: EventKind = EventKind::PlanCreated;
    const UPDATED: EventKind = EventKind::PlanUpdated;
    const DELETED: EventKind = EventKind::PlanDeleted;
    const REFERENCE_VIOLATIONS: &'static [Violation] = &[];

    fn id(&self) -> [u8; 16] {
        self.id.bytes()
    }

    fn set_stamp(&mut self, stamp: Stamp) {
        (self.updated_at, self.revision) = (stamp.at, stamp.revision);
    }

    async fn read(app: &App, caller: &Caller, key: &PlanKey) -> Result<Self, Error> {
        read(app, caller, key).await
    }

    async fn find_references(
        app: &App,
        caller: &Caller,
        draft: &PlanDraft,
        errors: &mut ValidationErrors,
    ) -> Result<References, Error> {
        let organization = match caller.known() {
            Some(known) => Some(known.organization.clone()),
            None => organizations::by_id(&app.db, caller.organization()).await?,
        };
        let meters = References::meters(app, caller, draft).await?;
        References::check_rates(app, caller, draft, &[], errors).await?;
        let sent = draft.entitlements.as_ref();
        let grants = features::apply_grants(app, caller.organization(), None, sent, errors).await?;
        Ok(References { organization, meters, grants })
    }

    async fn find_changed_references(
        &self,
        app: &App,
        caller: &Caller,
        patch: &PlanPatch,
        errors: &mut ValidationErrors,
    ) -> Result<References, Error> {
        let known = self.settings().tax_rate_ids;
        References::check_rates(app, caller, patch, &known, errors).await?;
        let meters = References::meters(app, caller, patch).await?;
        let (stored, sent) = (Some(&self.entitlements), patch.entitlements.as_ref());
        let grants = features::apply_grants(app, caller.organization(), stored, sent, errors).await?;
        Ok(References { organization: None, meters, grants })
    }

    fn decide_create(
        _: &Caller,
        mut draft: PlanDraft,
        mut errors: ValidationErrors,
        references: &References,
        new: New,
    ) -> Result<Self, Error> {
        references.resolve(&mut draft, &[], &mut errors);
        let organization = references.organization.as_ref().ok_or(Error::NotFound)?;
        let id = PlanId::new(new.now, new.random);
        let created = Self::create(draft, errors, organization, id, new.revision, new.now)?;
        Ok(references.grant(created))
    }

    fn decide_update(
        &self,
        mut patch: PlanPatch,
        mut errors: ValidationErrors,
        references: &References,
        _: Time,
    ) -> Result<Self, Error> {
        references.resolve(&mut patch, self.charges(), &mut errors);
        Ok(references.grant(self.merge(patch, errors)?))
    }

    fn insert(&self, change: Change, _: &References) -> Change {
        plans::insert(change, self)
    }

    fn update(&self, mut change: Change, before: &Self, _: &References) -> Change {
        if self.version != before.version {
            change = plan_versions::insert(change, before, self.updated_at);
        }
        plans::update(change, self, before.revision)
    }

    fn delete(&self, change: Change, stamp: Stamp) -> Change {
        plans::delete(change, self, stamp.at, stamp.revision)
    }

    async fn find_conflicts(&self, app: &App, before: Option<&Self>) -> Result<(), Error> {
        let key = PlanKey::Slug(self.slug.clone());
        match before {
            None if plans::find(&app.db, self.organization_id, &key).await?.is_some() => {
                Err(Conflict::SlugTaken.into())
            }
            _ => Ok(()),
        }
    }

    async fn find_delete_conflicts(&self, app: &App, caller: &Caller) -> Result<(), Error> {
        self.explain(app, caller, Violation::InUse).await
    }

    async fn check_managed(&self, app: &App, after: Option<&Self>) -> Result<(), Error> {
        managed::check_plan(app, self, after).await
    }

    async fn explain(&self, app: &App, _: &Caller, violation: Violation) -> Result<(), Error> {
        match violation {
            Violation::Slug => Err(Conflict::SlugTaken.into()),
            Violation::InUse => match subscriptions::count_by_plan(&app.db, self.organization_id, self.id).await? {
                0 => Ok(()),
                subscriptions => Err(Conflict::PlanInUse { subscriptions }.into()),
            },
            other => Err(store::Error::Violated(other).into()),
        }
    }
}
