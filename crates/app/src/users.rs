//! Users: created and listed by the operator. Events about them contain IDs and no personal data.

mod block;
mod relink;

pub use block::{block, unblock};
pub use relink::{Relink, RelinkError, Relinked, Target, check_identity, relink};

use crate::audit::{UserTrace, json, system_event};
use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, UserId};
use perennial_domain::users::{Email, User};
use perennial_store::{self as store, Change, Page, Position, Value, Violation, events, users};

/// Creates a user without an identity. Returns `None` if the e-mail address is in use.
pub async fn create(app: &App, organization: OrganizationId, email: Email) -> Result<Option<User>, Error> {
    let now = app.clock.now();
    let (id, revision) = (UserId::new(now, app.entropy.bits()), EventId::new(now, app.entropy.bits()));
    let user = User::new(organization, id, revision, email, now);
    let event = system_event(organization, EventKind::UserCreated, user.id.bytes(), user.revision, now);
    let trace = UserTrace { id: user.id, fields: user.changed_fields(None) };
    let change = users::insert(Change::new(), &user);
    let change = events::insert(change, &Event { after: Some(json(&trace)), ..event });
    match app.db.commit(change).await {
        Ok(()) => Ok(Some(user)),
        Err(store::Error::Violated(Violation::Email)) => Ok(None),
        Err(error) => Err(error.into()),
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

/// A page of users after a position, newest first.
pub async fn page(app: &App, caller: &Caller, after: Option<Position>, limit: usize) -> Result<Page<User>, Error> {
    let before = match after.as_ref().map(|after| after.values.as_slice()) {
        Some([Value::Uuid(bytes)]) => UserId::from_bytes(*bytes),
        _ => UserId::from_bytes([0xff; 16]),
    };
    // One row more than requested shows whether there is another page.
    let rows = i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX);
    let mut items = users::newest(&app.db, caller.organization(), before, rows).await?;
    let has_more = items.len() > limit;
    items.truncate(limit);
    items.retain(|user| caller.may_see(user.id));
    let next = items.last().filter(|_| has_more).map(|user| Position { values: vec![user.id.bytes().into()] });
    Ok(Page { items, next })
}
