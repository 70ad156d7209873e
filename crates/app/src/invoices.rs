//! Invoices: what the use cases create, update and delete depend on, and the reads.

pub(crate) mod actions;
pub(crate) mod charge;
pub(crate) mod context;
pub(crate) mod documents;
pub(crate) mod dry_run;
pub(crate) mod forecast;
pub(crate) mod issue;
pub(crate) mod numbers;
pub mod series;
pub(crate) mod unit;
pub(crate) mod usage;
pub(crate) mod versions;

pub use actions::act;

use crate::audit::json;
use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::lifecycle;
use crate::use_cases::{New, Resource};
use context::item_context;
use perennial_domain::events::EventKind;
use perennial_domain::id::{InvoiceId, TaxRateId};
use perennial_domain::invoices::items::{InvoiceDraft, ItemContext};
use perennial_domain::invoices::record::{Invoice, InvoiceEvent, InvoiceKind};
use perennial_domain::invoices::status::InvoiceStatus;
use perennial_domain::stamp::Stamp;
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{self as store, Change, Page, Position, Violation, invoices, subscriptions, tax_rates};

pub use perennial_store::invoices::Query;

/// The invoice with this ID.
pub async fn read(app: &App, caller: &Caller, id: InvoiceId) -> Result<Invoice, Error> {
    let found = invoices::by_id(&app.db, caller.organization(), id).await?;
    found.filter(|invoice| caller.may_see(invoice.user_id)).ok_or(Error::NotFound)
}

/// A page of invoices, newest first, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    query: Query,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Invoice>, Option<String>), Error> {
    let name = cursor::invoices(caller.organization(), caller.own, &query);
    cursor::list(&app.keys, &name, cursor, async |after| page(app, caller, query, after, limit).await).await
}

/// A page of invoices after a position, newest first.
pub async fn page(
    app: &App,
    caller: &Caller,
    query: Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Invoice>, Error> {
    if query.user_id.is_some_and(|user| !caller.may_see(user)) {
        return Ok(Page { items: vec![], next: None });
    }
    let query = Query { user_id: query.user_id.or(caller.own), ..query };
    Ok(invoices::list(&app.db, caller.organization(), &query, after, limit).await?)
}

impl Resource for Invoice {
    type Key = InvoiceId;
    type Draft = InvoiceDraft;
    type Patch = InvoiceDraft;
    type References = Option<ItemContext>;

    const CREATED: EventKind = EventKind::InvoiceCreated;
    const UPDATED: EventKind = EventKind::InvoiceUpdated;
    const DELETED: EventKind = EventKind::InvoiceDeleted;
    const REFERENCE_VIOLATIONS: &'static [Violation] = &[Violation::Subscription, Violation::User];

    fn id(&self) -> [u8; 16] {
        self.id.bytes()
    }

    fn set_stamp(&mut self, stamp: Stamp) {
        (self.updated_at, self.revision) = (stamp.at, stamp.revision);
    }

    fn event_json(&self) -> String {
        json(&InvoiceEvent { invoice: self, has_lines: false })
    }

    async fn read(app: &App, caller: &Caller, key: &InvoiceId) -> Result<Self, Error> {
        read(app, caller, *key).await
    }

    fn due_at(&self) -> Option<Time> {
        self.next_action().map(|(_, at)| at)
    }

    async fn is_behind(&self, app: &App, now: Time) -> Result<bool, Error> {
        match subscriptions::by_id(&app.db, self.organization_id, self.subscription_id).await? {
            Some(subscription) => lifecycle::is_behind_with_drafts(app, &subscription, now).await,
            None => Ok(false),
        }
    }

    async fn catch_up(&self, app: &App, now: Time) -> Result<bool, Error> {
        match subscriptions::by_id(&app.db, self.organization_id, self.subscription_id).await? {
            Some(subscription) => lifecycle::catch_up(app, &subscription, now).await,
            None => Ok(false),
        }
    }

    async fn effects(
        &mut self,
        app: &App,
        caller: &Caller,
        _: Option<&Self>,
        context: &Option<ItemContext>,
        now: Time,
    ) -> Result<Change, Error> {
        if let Some(context) = context.as_ref().filter(|_| caller.is_dry_run) {
            let issued =
                issue::preview(&Catalog::new(app, self.organization_id), self, &context.subscription, Vec::new(), now)
                    .await?;
            caller.tried.set(issued.into_iter().collect(), Vec::new());
        }
        Ok(Change::new())
    }

    async fn find_references(
        app: &App,
        caller: &Caller,
        draft: &InvoiceDraft,
        errors: &mut ValidationErrors,
    ) -> Result<Option<ItemContext>, Error> {
        let subscription = find_subscription(app, caller, draft, errors).await?;
        check_rates(app, caller, draft, &[], errors).await?;
        let Some(subscription) = subscription else { return Ok(None) };
        if errors.is_empty() {
            lifecycle::catch_up_for(app, caller, &subscription).await?;
        }
        item_context(app, subscription).await
    }

    async fn find_changed_references(
        &self,
        app: &App,
        caller: &Caller,
        patch: &InvoiceDraft,
        errors: &mut ValidationErrors,
    ) -> Result<Option<ItemContext>, Error> {
        if patch.lines.is_none() {
            return Ok(None);
        }
        // The lines have no rates while the user is exempt.
        let of_lines = self.lines.iter().map(|line| &line.tax_rate_ids);
        let known: Vec<TaxRateId> = of_lines.chain(&self.chosen_rates).flatten().copied().collect();
        check_rates(app, caller, patch, &known, errors).await?;
        match subscriptions::by_id(&app.db, caller.organization(), self.subscription_id).await? {
            Some(subscription) => item_context(app, subscription).await,
            None => Ok(None),
        }
    }

    fn decide_create(
        _: &Caller,
        draft: InvoiceDraft,
        errors: ValidationErrors,
        context: &Option<ItemContext>,
        new: New,
    ) -> Result<Self, Error> {
        let id = InvoiceId::new(new.now, new.random);
        Ok(Self::create(draft, errors, context.as_ref(), id, new.revision, new.now)?)
    }

    fn decide_update(
        &self,
        patch: InvoiceDraft,
        errors: ValidationErrors,
        context: &Option<ItemContext>,
        _: Time,
    ) -> Result<Self, Error> {
        if self.status != InvoiceStatus::Draft {
            // What is read-only of a draft is final as well. Other errors come first.
            let is_invalid = errors.iter().any(|error| error.reason.code != ValidationCode::ReadOnlyField);
            return Err(if is_invalid { errors.into() } else { Conflict::InvoiceFinal.into() });
        }
        Ok(self.merge(patch, errors, context.as_ref())?)
    }

    fn insert(&self, change: Change, _: &Option<ItemContext>) -> Change {
        let change = subscriptions::guard_live(change, self.organization_id, self.subscription_id);
        let change = store::users::guard_live(change, self.organization_id, self.user_id);
        invoices::insert(change, self)
    }

    fn update(&self, change: Change, before: &Self, _: &Option<ItemContext>) -> Change {
        invoices::update(change, self, before.revision)
    }

    fn delete(&self, change: Change, stamp: Stamp) -> Change {
        invoices::delete(change, self, stamp.at, stamp.revision)
    }

    fn check_delete(&self) -> Result<(), Error> {
        let can_be_deleted = self.kind == InvoiceKind::OneOff && self.status == InvoiceStatus::Draft;
        if can_be_deleted { Ok(()) } else { Err(Conflict::InvoiceFinal.into()) }
    }

    async fn explain(&self, _: &App, _: &Caller, violation: Violation) -> Result<(), Error> {
        Err(store::Error::Violated(violation).into())
    }
}

/// The subscription of a new invoice. Adds an error if it does not exist or if its user is deleted.
async fn find_subscription(
    app: &App,
    caller: &Caller,
    draft: &InvoiceDraft,
    errors: &mut ValidationErrors,
) -> Result<Option<Subscription>, Error> {
    let Some(id) = draft.subscription_id else { return Ok(None) };
    let Some(found) = subscriptions::by_id(&app.db, caller.organization(), id).await? else {
        errors.note("/subscription_id", ValidationCode::NotFound, "names no subscription of this organization");
        return Ok(None);
    };
    if !store::users::exists(&app.db, caller.organization(), found.user_id).await? {
        let detail = "belongs to a deleted user, for whom no invoice is created";
        errors.note("/subscription_id", ValidationCode::Inconsistent, detail);
        return Ok(None);
    }
    Ok(Some(found))
}

/// Adds an error for each tax rate that is named for the first time and does not exist or is inactive.
async fn check_rates(
    app: &App,
    caller: &Caller,
    draft: &InvoiceDraft,
    known: &[TaxRateId],
    errors: &mut ValidationErrors,
) -> Result<(), Error> {
    for (index, (item, _)) in draft.lines.iter().flatten().enumerate() {
        for (place, id) in item.tax_rate_ids.iter().flatten().enumerate().filter(|(_, id)| !known.contains(id)) {
            let found = tax_rates::by_id(&app.db, caller.organization(), *id).await?;
            if !found.is_some_and(|rate| rate.is_active) {
                let detail = "names no active tax rate of this organization";
                errors.note(format!("/lines/{index}/tax_rate_ids/{place}"), ValidationCode::NotFound, detail);
            }
        }
    }
    Ok(())
}
