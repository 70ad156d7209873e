//! Issues due drafts: several of one organization in one change, so that their numbers are drawn together.
//!
//! While one change is committed, the next is decided as if it succeeded. If it does not, its drafts are issued one by one, and the
//! next is decided again.

use super::actions::{fenced, is_of_the_record, park, park_reason};
use super::invoices::{acts_before, find, stop, wait};
use super::made::Made;
use crate::background::Held;
use crate::catalog::Catalog;
use crate::context::App;
use crate::error::Error;
use crate::invoices::charge;
use crate::invoices::context::issue_context;
use crate::invoices::issue::{Shared, issue};
use crate::invoices::unit::{Cause, Unit};
use crate::invoices::usage;
use futures_util::future::try_join_all;
use perennial_domain::id::OrganizationId;
use perennial_domain::invoices::record::{Invoice, InvoiceLine};
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::{self as store, Change, Violation, subscriptions};
use std::sync::Arc;

/// The issuing of an organization's drafts, change by change.
pub(super) struct Issuing<'a> {
    app: &'a App,
    organization: OrganizationId,
    now: Time,
    held: Option<&'a Held>,
    /// What the changes that were decided so far draw and use.
    shared: Shared,
}

/// Drafts that are decided and not issued yet.
pub(super) struct Decided<'a> {
    app: &'a App,
    now: Time,
    held: Option<&'a Held>,
    drafts: Vec<Prepared>,
    change: Result<Change, Error>,
    /// What was done instead of issuing the others.
    pub(super) made: Made,
}

/// What came of a change.
pub(super) struct Issued {
    pub(super) made: Made,
    /// Whether the change was committed as it was decided.
    pub(super) is_as_decided: bool,
}

impl Issued {
    pub(super) const NOTHING: Self = Self { made: Made::NOTHING, is_as_decided: true };
}

impl<'a> Issuing<'a> {
    pub(super) fn new(app: &'a App, organization: OrganizationId, now: Time, held: Option<&'a Held>) -> Self {
        Self { app, organization, now, held, shared: Shared::default() }
    }

    /// Forgets what was decided, because it was not committed.
    pub(super) fn begin_again(&mut self) {
        self.shared = Shared::default();
    }

    /// Decides drafts in the order in which they are given. A draft whose subscription acts first is issued later.
    pub(super) async fn decide(&mut self, drafts: &[&Invoice]) -> Result<Decided<'a>, Error> {
        let catalog = Arc::new(Catalog::new(self.app, self.organization));
        let preparing = drafts.iter().map(|draft| prepare(&catalog, draft, self.now, self.held));
        let (mut prepared, mut made) = (Vec::with_capacity(drafts.len()), Made::NOTHING);
        for draft in try_join_all(preparing).await? {
            match draft {
                Ok(draft) => prepared.push(draft),
                Err(instead) => made = made.and(instead),
            }
        }
        let change = decide(&catalog, &prepared, self.now, &mut self.shared).await;
        Ok(Decided { app: self.app, now: self.now, held: self.held, drafts: prepared, change, made })
    }
}

impl Decided<'_> {
    /// Commits the change; if that fails, the drafts are issued one by one.
    pub(super) async fn commit(self) -> Result<Issued, Error> {
        let Self { app, now, held, drafts, change, mut made } = self;
        let Some(first) = drafts.first() else { return Ok(Issued { made, is_as_decided: true }) };
        let outcome = commit(app, &drafts, change, held).await;
        let is_as_decided = outcome.is_ok();
        made.steps += match outcome {
            Ok(()) => drafts.len(),
            Err(error) if drafts.len() > 1 && (is_contended(&error) || is_of_the_record(&error)) => {
                let mut issued = 0;
                for draft in &drafts {
                    issued += usize::from(issue_alone(app, draft, now, held).await?);
                }
                issued
            }
            Err(error) => usize::from(failed(app, first, error, now, held).await?),
        };
        Ok(Issued { made, is_as_decided })
    }
}

/// A draft with what its issuing needs.
struct Prepared {
    draft: Invoice,
    subscription: Subscription,
    usage: Vec<InvoiceLine>,
}

/// Closes the window of a draft, and prices the usage in it. Or what was done instead: the action of its subscription that comes
/// first, or nothing.
async fn prepare(
    catalog: &Arc<Catalog<'_>>,
    draft: &Invoice,
    now: Time,
    held: Option<&Held>,
) -> Result<Result<Prepared, Made>, Error> {
    let app = catalog.app;
    let subscription = match find(app, draft).await {
        Ok(Some(subscription)) => subscription,
        Ok(None) => return stop(app, draft, held).await.map(|_| Err(Made::NOTHING)),
        Err(error) if is_of_the_record(&error) => {
            return wait(app, draft, &error, now, held).await.map(|()| Err(Made::NOTHING));
        }
        Err(error) => return Err(error),
    };
    if acts_before(catalog, draft, &subscription, now, held).await? {
        return Ok(Err(Made::actions(true)));
    }
    match price_usage(catalog, draft, now, held).await {
        Ok(usage) => Ok(Ok(Prepared { draft: draft.clone(), subscription, usage })),
        Err(error) if is_of_the_record(&error) && !is_contended(&error) => {
            tracing::warn!(invoice = %draft.id, organization = %draft.organization_id, %error, "the usage of a draft was not priced");
            park(app, &subscription, park_reason(&error), now, held).await.map(|_| Err(Made::NOTHING))
        }
        Err(error) => Err(error),
    }
}

/// The usage lines of a draft. First the closing of its window is committed, so that no later event belongs to it.
pub(crate) async fn price_usage(
    catalog: &Catalog<'_>,
    draft: &Invoice,
    now: Time,
    held: Option<&Held>,
) -> Result<Vec<InvoiceLine>, Error> {
    let Some(last) = draft.parts.last() else { return Ok(Vec::new()) };
    let (organization, subscription) = (draft.organization_id, draft.subscription_id);
    let until = last.to.unwrap_or(Time::MAX);
    let change = subscriptions::close_usage(fenced(held), organization, subscription, until);
    catalog.app.db.commit(change).await?;
    let shown = draft.cycle_at.unwrap_or(now);
    usage::lines(catalog, subscription, &draft.parts, shown).await
}

/// The change that issues drafts.
async fn decide(
    catalog: &Arc<Catalog<'_>>,
    prepared: &[Prepared],
    now: Time,
    shared: &mut Shared,
) -> Result<Change, Error> {
    let contexts = prepared
        .iter()
        .map(|Prepared { draft, subscription, usage }| issue_context(catalog, subscription, draft, usage.clone(), now));
    let contexts = try_join_all(contexts).await?;
    let mut unit = Unit::with(Arc::clone(catalog), Cause::Engine, now);
    for (Prepared { draft, subscription, .. }, context) in prepared.iter().zip(contexts) {
        issue(&mut unit, draft, subscription, context, shared).await?;
    }
    unit.add(|change| shared.numbers.take(change, catalog.organization_id));
    Ok(unit.change)
}

async fn commit(
    app: &App,
    prepared: &[Prepared],
    change: Result<Change, Error>,
    held: Option<&Held>,
) -> Result<(), Error> {
    app.db.commit(fenced(held).and(change?)).await?;
    for prepared in prepared {
        charge::wake(app, &prepared.subscription);
    }
    Ok(())
}

async fn issue_alone(app: &App, prepared: &Prepared, now: Time, held: Option<&Held>) -> Result<bool, Error> {
    let catalog = Arc::new(Catalog::new(app, prepared.draft.organization_id));
    let alone = std::slice::from_ref(prepared);
    let change = decide(&catalog, alone, now, &mut Shared::default()).await;
    match commit(app, alone, change, held).await {
        Ok(()) => Ok(true),
        Err(error) => failed(app, prepared, error, now, held).await,
    }
}

/// A draft that was not issued: another writer was faster, or its subscription is parked.
async fn failed(app: &App, prepared: &Prepared, error: Error, now: Time, held: Option<&Held>) -> Result<bool, Error> {
    if is_contended(&error) {
        app.background.lifecycle.count_miss();
        return Ok(true);
    }
    if !is_of_the_record(&error) {
        return Err(error);
    }
    tracing::warn!(invoice = %prepared.draft.id, organization = %prepared.draft.organization_id, %error, "a draft was not issued");
    park(app, &prepared.subscription, park_reason(&error), now, held).await
}

fn is_contended(error: &Error) -> bool {
    let violations = [Violation::Record, Violation::Number, Violation::Balance, Violation::Cycle, Violation::Clock];
    violations.into_iter().any(|violation| *error == Error::from(store::Error::Violated(violation)))
}
