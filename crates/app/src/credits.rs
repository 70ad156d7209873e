//! Credits: the ledger of a user's balance in each currency.

use crate::audit::json;
use crate::business_time;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::idempotency::{self, Key, StoredResponse};
use crate::users;
use perennial_domain::credits::{BalanceError, Credit, CreditDraft, balance_after};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{CreditId, EventId, UserId};
use perennial_domain::money::Money;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{self as store, Change, Page, Position, Violation, credits, events};

pub use perennial_store::credits::Query;

/// A page of a user's ledger, newest first, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    query: Query,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Credit>, Option<String>), Error> {
    let name = cursor::credits(caller.organization(), &query);
    cursor::list(&app.keys, &name, cursor, async |after| page(app, caller, query, after, limit).await).await
}

/// A page of a user's ledger after a position, newest first.
pub async fn page(
    app: &App,
    caller: &Caller,
    query: Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Credit>, Error> {
    users::read(app, caller, query.user_id).await?;
    Ok(credits::list(&app.db, caller.organization(), &query, after, limit).await?)
}

/// Adds an entry to a user's ledger. `render` makes the response, which is stored under the idempotency key in the same
/// change.
pub async fn adjust(
    app: &App,
    caller: &Caller,
    key: Option<&Key>,
    user: UserId,
    (draft, errors): (CreditDraft, ValidationErrors),
    render: impl Fn(&Credit, EventId) -> StoredResponse + Send + Sync,
) -> Result<StoredResponse, Error> {
    let mut guard = idempotency::lock(app, caller, key.filter(|_| !caller.is_dry_run)).await?;
    if let Some(response) = idempotency::stored(&mut guard).await? {
        return Ok(response);
    }
    let user = users::read(app, caller, user).await?;
    let time = business_time::read(app, caller).await?;
    let now = time.now;
    let (id, revision) = (CreditId::new(now, app.entropy.id_bits()), EventId::new(now, app.entropy.id_bits()));
    let credit = Credit::adjust(draft, errors, caller.organization(), user.id, id, now)?;
    let response = render(&credit, revision);
    if caller.is_dry_run {
        time.check()?;
        return check(app, &credit).await.map(|()| response);
    }
    let event = caller.event(EventKind::CreditCreated, id.bytes(), revision, now);
    let change = credits::insert(Change::new(), &credit);
    let mut change = events::insert(change, &Event { after: Some(json(&credit)), ..event });
    if let Some(guard) = &guard {
        change = guard.store(change, &response, app.clock.now());
    }
    let change = confirm(app, caller, time.guard(change)?).await?;
    match app.db.commit(change).await {
        Ok(()) => Ok(response),
        Err(error @ store::Error::Violated(Violation::Key)) => idempotency::recover(guard.as_ref(), error).await,
        Err(store::Error::Violated(Violation::Balance)) => Err(explain(app, &credit).await?),
        Err(store::Error::Violated(Violation::User)) => Err(Error::NotFound),
        Err(error) => Err(error.into()),
    }
}

/// Rejects an entry that the balance cannot take, for a dry run.
async fn check(app: &App, credit: &Credit) -> Result<(), Error> {
    match new_balance(app, credit).await? {
        Some(Err(_)) => Err(explain(app, credit).await?),
        _ => Ok(()),
    }
}

/// Why the balance cannot take the entry.
async fn explain(app: &App, credit: &Credit) -> Result<Error, Error> {
    match new_balance(app, credit).await? {
        Some(Err(BalanceError::TooLarge)) => {
            let mut errors = ValidationErrors::none();
            errors.note("/amount", ValidationCode::OutOfRange, "would make the balance larger than 999999999999");
            Ok(errors.into())
        }
        // Otherwise the balance has changed since.
        _ => Ok(Conflict::InsufficientBalance.into()),
    }
}

/// The balance with the entry. None: the balance itself is out of range.
async fn new_balance(app: &App, credit: &Credit) -> Result<Option<Result<Money, BalanceError>>, Error> {
    let balances = credits::balances(&app.db, credit.organization_id, credit.user_id).await?;
    let found = balances.iter().find(|balance| balance.currency == credit.currency);
    let balance = found.map_or(Money::from_ten_thousandths(0), |balance| Some(balance.amount));
    Ok(balance.map(|balance| balance_after(balance, credit.amount)))
}
