//! Features: what the use cases create and update depend on, the reads, and the check of grants against them.

use crate::caller::Caller;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::idempotency::StoredResponse;
use crate::use_cases::{self, New, Resource};
use perennial_domain::entitlements::{Grants, GrantsDraft};
use perennial_domain::events::EventKind;
use perennial_domain::features::{Feature, FeatureDraft, FeatureReference};
use perennial_domain::id::{FeatureId, OrganizationId};
use perennial_domain::meters::{Meter, MeterKey};
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_domain::validation::{CHANGED, ValidationCode, ValidationErrors};
use perennial_store::{self as store, Change, Page, Position, Violation, features, meters};
use std::sync::PoisonError;

pub use perennial_store::features::{Query, position};

/// The feature with this ID or key.
pub async fn read(app: &App, caller: &Caller, named: &FeatureReference) -> Result<Feature, Error> {
    features::find(&app.db, caller.organization(), named).await?.ok_or(Error::NotFound)
}

/// A page of features by key, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    query: Query,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Feature>, Option<String>), Error> {
    let name = cursor::features(caller.organization(), query);
    cursor::list(&app.keys, &name, cursor, async |after| page(app, caller, query, after, limit).await).await
}

/// A page of features after a position, by key.
pub async fn page(
    app: &App,
    caller: &Caller,
    query: Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Feature>, Error> {
    Ok(features::list(&app.db, caller.organization(), query, after, limit).await?)
}

/// Creates a feature and returns it, for the command line.
pub async fn create(app: &App, caller: &Caller, draft: FeatureDraft) -> Result<Feature, Error> {
    let made = std::sync::Mutex::new(None);
    let render = |feature: &Feature| {
        *made.lock().unwrap_or_else(PoisonError::into_inner) = Some(feature.clone());
        StoredResponse::default()
    };
    use_cases::create::<Feature>(app, caller, None, draft, ValidationErrors::none(), render).await?;
    let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.ok_or_else(|| Error::Internal("a created feature was not rendered".to_owned()))
}

/// The grants of a record after those that were sent, or none if none were. `stored` are those before; none on create.
pub(crate) async fn apply_grants(
    app: &App,
    organization: OrganizationId,
    stored: Option<&Grants>,
    sent: Option<&GrantsDraft>,
    errors: &mut ValidationErrors,
) -> Result<Option<Grants>, Error> {
    let Some(sent) = sent.filter(|sent| !sent.is_empty()) else { return Ok(None) };
    // A feature is never removed and keeps its kind, so that no guard is needed.
    let features = features::all(&app.db, organization).await?;
    let (empty, is_create) = (Grants::default(), stored.is_none());
    Ok(Some(sent.apply(stored.unwrap_or(&empty), is_create, &features, errors)))
}

impl Resource for Feature {
    type Key = FeatureReference;
    type Draft = FeatureDraft;
    type Patch = FeatureDraft;
    /// The meter of a quota that is created or becomes active again.
    type References = Option<Meter>;

    const CREATED: EventKind = EventKind::FeatureCreated;
    const UPDATED: EventKind = EventKind::FeatureUpdated;
    const REFERENCE_VIOLATIONS: &'static [Violation] = &[Violation::Meter];

    fn id(&self) -> [u8; 16] {
        self.id.bytes()
    }

    fn set_stamp(&mut self, stamp: Stamp) {
        (self.updated_at, self.revision) = (stamp.at, stamp.revision);
    }

    async fn read(app: &App, caller: &Caller, key: &FeatureReference) -> Result<Self, Error> {
        read(app, caller, key).await
    }

    async fn find_references(
        app: &App,
        caller: &Caller,
        draft: &FeatureDraft,
        errors: &mut ValidationErrors,
    ) -> Result<Option<Meter>, Error> {
        let Some(Some(key)) = &draft.meter else { return Ok(None) };
        let found = meters::find(&app.db, caller.organization(), key).await?.filter(|meter| meter.is_active);
        if found.is_none() {
            errors.note("/meter", ValidationCode::NotFound, "names no active meter of this organization");
        }
        Ok(found)
    }

    /// The meter cannot be changed. It may be sent back by its slug, too.
    async fn find_changed_references(
        &self,
        app: &App,
        caller: &Caller,
        patch: &FeatureDraft,
        errors: &mut ValidationErrors,
    ) -> Result<Option<Meter>, Error> {
        let is_unchanged = match &patch.meter {
            None => true,
            Some(None) => self.meter_id.is_none(),
            Some(Some(MeterKey::Id(id))) => self.meter_id == Some(*id),
            Some(Some(slug)) => {
                let found = meters::find(&app.db, caller.organization(), slug).await?;
                found.is_some_and(|meter| self.meter_id == Some(meter.id))
            }
        };
        if !is_unchanged {
            errors.note("/meter", ValidationCode::ReadOnlyField, CHANGED);
        }
        let meter = self.meter_id.filter(|_| !self.is_active && patch.is_active == Some(true));
        let Some(id) = meter else { return Ok(None) };
        let found = meters::find(&app.db, caller.organization(), &MeterKey::Id(id)).await?;
        let found = found.filter(|meter| meter.is_active);
        if found.is_none() {
            errors.note("/is_active", ValidationCode::Inconsistent, "must be false while the meter is inactive");
        }
        Ok(found)
    }

    fn decide_create(
        caller: &Caller,
        draft: FeatureDraft,
        errors: ValidationErrors,
        meter: &Option<Meter>,
        new: New,
    ) -> Result<Self, Error> {
        let id = FeatureId::new(new.now, new.random);
        Ok(Self::create(draft, errors, meter.as_ref(), caller.organization(), id, new.revision, new.now)?)
    }

    fn decide_update(
        &self,
        patch: FeatureDraft,
        errors: ValidationErrors,
        _: &Option<Meter>,
        _: Time,
    ) -> Result<Self, Error> {
        Ok(self.merge(patch, errors)?)
    }

    fn insert(&self, change: Change, meter: &Option<Meter>) -> Change {
        features::insert(change, self, meter.as_ref())
    }

    fn update(&self, change: Change, before: &Self, meter: &Option<Meter>) -> Change {
        features::update(change, self, before.revision, meter.as_ref())
    }

    async fn explain(&self, _: &App, _: &Caller, violation: Violation) -> Result<(), Error> {
        match violation {
            Violation::FeatureKey => Err(Conflict::FeatureKeyTaken.into()),
            Violation::FeatureLimit => Err(Conflict::FeatureLimit.into()),
            other => Err(store::Error::Violated(other).into()),
        }
    }
}
