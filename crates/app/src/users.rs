//! Users: created, listed, updated, blocked and relinked for an organization, by a client or the operator.
//! Events about them contain IDs and names of fields, and no personal data.

mod record;
mod relink;
mod update;

pub use perennial_store::users::Query;
pub use record::UserRecord;
pub use relink::{Relink, RelinkError, Relinked, Target, check_identity, relink};
pub use update::{block, unblock, update};

use crate::business_time;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::idempotency::{self, Key, StoredResponse};
use perennial_domain::events::EventKind;
use perennial_domain::id::{EventId, UserId};
use perennial_domain::users::{Email, User, UserDraft};
use perennial_domain::validation::ValidationErrors;
use perennial_store::{self as store, Change, Page, Position, Violation, events, users};

/// Creates a user without an identity.
pub async fn create(app: &App, caller: &Caller, draft: UserDraft, errors: ValidationErrors) -> Result<User, Error> {
    let (user, change) = prepare(app, caller, draft, errors)?;
    match commit(app, caller, change).await? {
        Ok(()) => Ok(user),
        Err(violation) => Err(rejected(violation)),
    }
}

/// Creates a user for a client. `render` makes the response, so that a retry with the same key returns the same bytes.
pub async fn create_once(
    app: &App,
    caller: &Caller,
    key: Option<&Key>,
    draft: UserDraft,
    errors: ValidationErrors,
    render: impl Fn(&User) -> StoredResponse + Send + Sync,
) -> Result<StoredResponse, Error> {
    let mut guard = idempotency::lock(app, caller, key).await?;
    if let Some(response) = idempotency::stored(&mut guard).await? {
        return Ok(response);
    }
    let (user, change) = prepare(app, caller, draft, errors)?;
    let response = render(&user);
    let change = match &guard {
        Some(guard) => guard.store(change, &response, user.created_at),
        None => change,
    };
    match commit(app, caller, change).await? {
        Ok(()) => Ok(response),
        Err(Violation::Key) => idempotency::recover(guard.as_ref(), store::Error::Violated(Violation::Key)).await,
        Err(violation) => Err(rejected(violation)),
    }
}

/// The user with this ID.
pub async fn read(app: &App, caller: &Caller, id: UserId) -> Result<User, Error> {
    let found = users::by_id(&app.db, caller.organization(), id).await?;
    found.filter(|user| caller.may_see(user.id)).ok_or(Error::NotFound)
}

/// The user with this e-mail address.
pub async fn read_by_email(app: &App, caller: &Caller, email: &Email) -> Result<User, Error> {
    let found = users::by_email(&app.db, caller.organization(), email).await?;
    found.filter(|user| caller.may_see(user.id)).ok_or(Error::NotFound)
}

/// A page of users and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    query: Query,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<User>, Option<String>), Error> {
    let name = cursor::users(caller.organization(), &query);
    cursor::list(&app.keys, &name, cursor, async |after| page(app, caller, &query, after, limit).await).await
}

/// A page of users after a position.
pub async fn page(
    app: &App,
    caller: &Caller,
    query: &Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<User>, Error> {
    Ok(users::list(&app.db, caller.organization(), query, after, limit).await?)
}

/// A new user, and the change that stores it with its event.
fn prepare(app: &App, caller: &Caller, draft: UserDraft, errors: ValidationErrors) -> Result<(User, Change), Error> {
    let now = app.clock.now();
    let (id, revision) = (UserId::new(now, app.entropy.id_bits()), EventId::new(now, app.entropy.id_bits()));
    let user = User::create(draft, errors, caller.organization(), id, revision, now)?;
    let change = users::insert(Change::new(), &user);
    let change = events::insert(change, &caller.user_event(EventKind::UserCreated, &user, None));
    Ok((user, change))
}

async fn commit(app: &App, caller: &Caller, change: Change) -> Result<Result<(), Violation>, Error> {
    business_time::check(app, caller).await?;
    let change = confirm(app, caller, change).await?;
    match app.db.commit(change).await {
        Ok(()) => Ok(Ok(())),
        Err(store::Error::Violated(violation)) => Ok(Err(violation)),
        Err(error) => Err(error.into()),
    }
}

fn rejected(violation: Violation) -> Error {
    match violation {
        Violation::Email => Conflict::EmailTaken.into(),
        violation => store::Error::Violated(violation).into(),
    }
}

/// Whether another user has the address of this one. `Ok`: not any more, so decide again.
async fn check_email(app: &App, caller: &Caller, user: &User) -> Result<(), Error> {
    let Some(email) = &user.email else { return Ok(()) };
    match users::by_email(&app.db, caller.organization(), email).await? {
        Some(other) if other.id != user.id => Err(Conflict::EmailTaken.into()),
        _ => Ok(()),
    }
}
