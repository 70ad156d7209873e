//! Tax rates: what the use cases create and update depend on, and the reads.

use crate::caller::Caller;
use crate::context::App;
use crate::cursor;
use crate::error::Error;
use crate::use_cases::{New, Resource};
use perennial_domain::events::EventKind;
use perennial_domain::id::TaxRateId;
use perennial_domain::stamp::Stamp;
use perennial_domain::tax_rates::{TaxRate, TaxRateDraft};
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use perennial_store::{self as store, Change, Page, Position, Violation, tax_rates};

/// The tax rate with this ID.
pub async fn read(app: &App, caller: &Caller, id: TaxRateId) -> Result<TaxRate, Error> {
    tax_rates::by_id(&app.db, caller.organization(), id).await?.ok_or(Error::NotFound)
}

/// A page of tax rates, newest first, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<TaxRate>, Option<String>), Error> {
    let name = cursor::tax_rates(caller.organization());
    cursor::list(&app.keys, &name, cursor, async |after| page(app, caller, after, limit).await).await
}

/// A page of tax rates after a position, newest first.
pub async fn page(app: &App, caller: &Caller, after: Option<Position>, limit: usize) -> Result<Page<TaxRate>, Error> {
    Ok(tax_rates::list(&app.db, caller.organization(), after, limit).await?)
}

impl Resource for TaxRate {
    type Key = TaxRateId;
    type Draft = TaxRateDraft;
    type Patch = TaxRateDraft;
    type References = ();

    const CREATED: EventKind = EventKind::TaxRateCreated;
    const UPDATED: EventKind = EventKind::TaxRateUpdated;
    const REFERENCE_VIOLATIONS: &'static [Violation] = &[];

    fn id(&self) -> [u8; 16] {
        self.id.bytes()
    }

    fn set_stamp(&mut self, stamp: Stamp) {
        (self.updated_at, self.revision) = (stamp.at, stamp.revision);
    }

    async fn read(app: &App, caller: &Caller, key: &TaxRateId) -> Result<Self, Error> {
        read(app, caller, *key).await
    }

    async fn find_references(_: &App, _: &Caller, _: &TaxRateDraft, _: &mut ValidationErrors) -> Result<(), Error> {
        Ok(())
    }

    async fn find_changed_references(
        &self,
        _: &App,
        _: &Caller,
        _: &TaxRateDraft,
        _: &mut ValidationErrors,
    ) -> Result<(), Error> {
        Ok(())
    }

    fn decide_create(
        caller: &Caller,
        draft: TaxRateDraft,
        errors: ValidationErrors,
        (): &(),
        new: New,
    ) -> Result<Self, Error> {
        let id = TaxRateId::new(new.now, new.random);
        Ok(Self::create(draft, errors, caller.organization(), id, new.revision, new.now)?)
    }

    fn decide_update(&self, patch: TaxRateDraft, errors: ValidationErrors, (): &(), _: Time) -> Result<Self, Error> {
        Ok(self.merge(&patch, errors)?)
    }

    fn insert(&self, change: Change, (): &()) -> Change {
        tax_rates::insert(change, self)
    }

    fn update(&self, change: Change, before: &Self, (): &()) -> Change {
        tax_rates::update(change, self, before.revision)
    }

    async fn explain(&self, _: &App, _: &Caller, violation: Violation) -> Result<(), Error> {
        Err(store::Error::Violated(violation).into())
    }
}
