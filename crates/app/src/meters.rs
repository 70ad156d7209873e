//! Meters: what the use cases create and update depend on, and the reads.

use crate::caller::Caller;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::use_cases::{New, Resource};
use perennial_domain::events::EventKind;
use perennial_domain::features::Feature;
use perennial_domain::id::MeterId;
use perennial_domain::meters::{Meter, MeterDraft, MeterKey};
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use perennial_store::{self as store, Change, Page, Position, Violation, features, meters};

/// The meter with this ID.
pub async fn read(app: &App, caller: &Caller, id: MeterId) -> Result<Meter, Error> {
    meters::by_id(&app.db, caller.organization(), id).await?.ok_or(Error::NotFound)
}

/// The meter with this ID or slug.
pub async fn find(app: &App, caller: &Caller, key: &MeterKey) -> Result<Meter, Error> {
    meters::find(&app.db, caller.organization(), key).await?.ok_or(Error::NotFound)
}

/// A page of meters, newest first, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Meter>, Option<String>), Error> {
    let name = cursor::meters(caller.organization());
    cursor::list(&app.keys, &name, cursor, async |after| page(app, caller, after, limit).await).await
}

/// A page of meters after a position, newest first.
pub async fn page(app: &App, caller: &Caller, after: Option<Position>, limit: usize) -> Result<Page<Meter>, Error> {
    Ok(meters::list(&app.db, caller.organization(), after, limit).await?)
}

impl Resource for Meter {
    type Key = MeterId;
    type Draft = MeterDraft;
    type Patch = MeterDraft;
    type References = ();

    const CREATED: EventKind = EventKind::MeterCreated;
    const UPDATED: EventKind = EventKind::MeterUpdated;
    const REFERENCE_VIOLATIONS: &'static [Violation] = &[];

    fn id(&self) -> [u8; 16] {
        self.id.bytes()
    }

    fn set_stamp(&mut self, stamp: Stamp) {
        (self.updated_at, self.revision) = (stamp.at, stamp.revision);
    }

    async fn read(app: &App, caller: &Caller, key: &MeterId) -> Result<Self, Error> {
        read(app, caller, *key).await
    }

    async fn find_references(_: &App, _: &Caller, _: &MeterDraft, _: &mut ValidationErrors) -> Result<(), Error> {
        Ok(())
    }

    async fn find_changed_references(
        &self,
        _: &App,
        _: &Caller,
        _: &MeterDraft,
        _: &mut ValidationErrors,
    ) -> Result<(), Error> {
        Ok(())
    }

    fn decide_create(
        caller: &Caller,
        draft: MeterDraft,
        errors: ValidationErrors,
        (): &(),
        new: New,
    ) -> Result<Self, Error> {
        let id = MeterId::new(new.now, new.random);
        Ok(Self::create(draft, errors, caller.organization(), id, new.revision, new.now)?)
    }

    fn decide_update(&self, patch: MeterDraft, errors: ValidationErrors, (): &(), _: Time) -> Result<Self, Error> {
        Ok(self.merge(patch, errors)?)
    }

    async fn effects(
        &mut self,
        app: &App,
        _: &Caller,
        before: Option<&Self>,
        (): &(),
        _: Time,
    ) -> Result<Change, Error> {
        if is_deactivated(self, before) && meters::is_charged(&app.db, self.organization_id, self.id).await? {
            return Err(Conflict::MeterInUse.into());
        }
        Ok(Change::new())
    }

    fn insert(&self, change: Change, (): &()) -> Change {
        meters::insert(change, self)
    }

    fn update(&self, change: Change, before: &Self, (): &()) -> Change {
        let change = meters::update(change, self, before.revision);
        if is_deactivated(self, Some(before)) { features::guard_meter_unused(change, self) } else { change }
    }

    async fn find_conflicts(&self, app: &App, before: Option<&Self>) -> Result<(), Error> {
        let of_slug = meters::find(&app.db, self.organization_id, &MeterKey::Slug(self.slug.clone())).await?;
        if of_slug.is_some_and(|other| other.id != self.id) {
            return Err(Conflict::MeterSlugTaken.into());
        }
        let is_used = |feature: &Feature| feature.is_active && feature.meter_id == Some(self.id);
        if is_deactivated(self, before) && features::all(&app.db, self.organization_id).await?.iter().any(is_used) {
            return Err(Conflict::MeterInUse.into());
        }
        Ok(())
    }

    async fn explain(&self, _: &App, _: &Caller, violation: Violation) -> Result<(), Error> {
        match violation {
            Violation::Slug => Err(Conflict::MeterSlugTaken.into()),
            Violation::MeterInUse => Err(Conflict::MeterInUse.into()),
            other => Err(store::Error::Violated(other).into()),
        }
    }
}

fn is_deactivated(meter: &Meter, before: Option<&Meter>) -> bool {
    before.is_some_and(|before| before.is_active) && !meter.is_active
}
