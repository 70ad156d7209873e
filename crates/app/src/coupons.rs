//! Coupons: what the use cases create and update depend on, and the reads.

use crate::caller::Caller;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::use_cases::{New, Resource};
use perennial_domain::coupons::{Coupon, CouponDraft};
use perennial_domain::events::EventKind;
use perennial_domain::id::CouponId;
use perennial_domain::plans::PlanKey;
use perennial_domain::stamp::Stamp;
use perennial_domain::time::Time;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{self as store, Change, Page, Position, Violation, coupons, plans};

/// The coupon with this ID.
pub async fn read(app: &App, caller: &Caller, id: CouponId) -> Result<Coupon, Error> {
    coupons::by_id(&app.db, caller.organization(), id).await?.ok_or(Error::NotFound)
}

/// A page of coupons, newest first, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Coupon>, Option<String>), Error> {
    let name = cursor::coupons(caller.organization());
    cursor::list(&app.keys, &name, cursor, async |after| page(app, caller, after, limit).await).await
}

/// A page of coupons after a position, newest first.
pub async fn page(app: &App, caller: &Caller, after: Option<Position>, limit: usize) -> Result<Page<Coupon>, Error> {
    Ok(coupons::list(&app.db, caller.organization(), after, limit).await?)
}

impl Resource for Coupon {
    type Key = CouponId;
    type Draft = CouponDraft;
    type Patch = CouponDraft;
    type References = ();

    const CREATED: EventKind = EventKind::CouponCreated;
    const UPDATED: EventKind = EventKind::CouponUpdated;
    const REFERENCE_VIOLATIONS: &'static [Violation] = &[Violation::Plan];

    fn id(&self) -> [u8; 16] {
        self.id.bytes()
    }

    fn set_stamp(&mut self, stamp: Stamp) {
        (self.updated_at, self.revision) = (stamp.at, stamp.revision);
    }

    async fn read(app: &App, caller: &Caller, key: &CouponId) -> Result<Self, Error> {
        read(app, caller, *key).await
    }

    async fn find_references(
        app: &App,
        caller: &Caller,
        draft: &CouponDraft,
        errors: &mut ValidationErrors,
    ) -> Result<(), Error> {
        for (index, plan) in draft.plan_ids.iter().flatten().enumerate() {
            if plans::find(&app.db, caller.organization(), &PlanKey::Id(*plan)).await?.is_none() {
                let detail = "names no plan of this organization";
                errors.note(format!("/plan_ids/{index}"), ValidationCode::NotFound, detail);
            }
        }
        Ok(())
    }

    async fn find_changed_references(
        &self,
        _: &App,
        _: &Caller,
        _: &CouponDraft,
        _: &mut ValidationErrors,
    ) -> Result<(), Error> {
        Ok(())
    }

    fn decide_create(
        caller: &Caller,
        draft: CouponDraft,
        errors: ValidationErrors,
        (): &(),
        new: New,
    ) -> Result<Self, Error> {
        let id = CouponId::new(new.now, new.random);
        Ok(Self::create(draft, errors, caller.organization(), id, new.revision, new.now)?)
    }

    fn decide_update(&self, patch: CouponDraft, errors: ValidationErrors, (): &(), _: Time) -> Result<Self, Error> {
        Ok(self.merge(&patch, errors)?)
    }

    fn insert(&self, change: Change, (): &()) -> Change {
        coupons::insert(change, self)
    }

    fn update(&self, change: Change, before: &Self, (): &()) -> Change {
        coupons::update(change, self, before.revision)
    }

    async fn find_conflicts(&self, app: &App, _: Option<&Self>) -> Result<(), Error> {
        match coupons::by_code(&app.db, self.organization_id, &self.code).await? {
            Some(other) if other.id != self.id => Err(Conflict::CodeTaken.into()),
            _ => Ok(()),
        }
    }

    async fn explain(&self, _: &App, _: &Caller, violation: Violation) -> Result<(), Error> {
        match violation {
            Violation::Code => Err(Conflict::CodeTaken.into()),
            other => Err(store::Error::Violated(other).into()),
        }
    }
}
