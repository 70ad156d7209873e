//! Plans: what the use cases create, update and delete depend on, and the reads.

pub(crate) mod cache;

use crate::caller::Caller;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::features;
use crate::use_cases::{New, Resource};
use perennial_domain::entitlements::Grants;
use perennial_domain::events::EventKind;
use perennial_domain::id::PlanId;
use perennial_domain::organizations::Organization;
use perennial_domain::plans::{Plan, PlanDraft, PlanKey, PlanPatch};
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use perennial_store::{
    self as store, Change, Page, Position, Violation, organizations, plan_versions, plans, subscriptions,
};

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
    /// The grants after those that were sent. None: none were sent.
    grants: Option<Grants>,
}

impl References {
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
        let sent = draft.entitlements.as_ref();
        let grants = features::apply_grants(app, caller.organization(), None, sent, errors).await?;
        Ok(References { organization, grants })
    }

    async fn find_changed_references(
        &self,
        app: &App,
        caller: &Caller,
        patch: &PlanPatch,
        errors: &mut ValidationErrors,
    ) -> Result<References, Error> {
        let (stored, sent) = (Some(&self.entitlements), patch.entitlements.as_ref());
        let grants = features::apply_grants(app, caller.organization(), stored, sent, errors).await?;
        Ok(References { organization: None, grants })
    }

    fn decide_create(
        _: &Caller,
        draft: PlanDraft,
        errors: ValidationErrors,
        references: &References,
        new: New,
    ) -> Result<Self, Error> {
        let organization = references.organization.as_ref().ok_or(Error::NotFound)?;
        let id = PlanId::new(new.now, new.random);
        let created = Self::create(draft, errors, organization, id, new.revision, new.now)?;
        Ok(references.grant(created))
    }

    fn decide_update(
        &self,
        patch: PlanPatch,
        errors: ValidationErrors,
        references: &References,
        _: Time,
    ) -> Result<Self, Error> {
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
