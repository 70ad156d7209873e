//! Users: made and listed by the operator. Events about them name ids, never the person.

mod block;
mod relink;

pub use block::{block, unblock};
pub use relink::{Relink, RelinkFault, Relinked, Target, check_identity, relink};

use crate::audit::{UserTrace, json, operator_event};
use crate::context::App;
use crate::error::Error;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, UserId};
use perennial_domain::users::{Email, User};
use perennial_store::{self as store, Change, Violation, events, users};

/// Creates a user without an identity; `None` if the address is in use.
pub async fn create(app: &App, organization: OrganizationId, email: Email) -> Result<Option<User>, Error> {
    let now = app.clock.now();
    let (id, revision) = (UserId::new(now, app.entropy.bits()), EventId::new(now, app.entropy.bits()));
    let user = User::new(organization, id, revision, email, now);
    let event = operator_event(organization, EventKind::UserCreated, user.id.bytes(), user.revision, now);
    let trace = UserTrace { id: user.id, fields: user.changed_fields(None) };
    let change = users::insert(Change::new(), &user);
    let change = events::insert(change, &Event { after: Some(json(&trace)), ..event });
    match app.db.commit(change).await {
        Ok(()) => Ok(Some(user)),
        Err(store::Error::Violated(Violation::Email)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The user of an organization with this id.
pub async fn by_id(app: &App, organization: OrganizationId, id: UserId) -> Result<Option<User>, Error> {
    Ok(users::by_id(&app.db, organization, id).await?)
}

/// The user of an organization with this address.
pub async fn by_email(app: &App, organization: OrganizationId, email: &Email) -> Result<Option<User>, Error> {
    Ok(users::by_email(&app.db, organization, email).await?)
}

/// A page of an organization's users after one of them, newest first.
pub async fn page(
    app: &App,
    organization: OrganizationId,
    after: Option<UserId>,
    limit: usize,
) -> Result<Vec<User>, Error> {
    let before = after.unwrap_or(UserId::from_bytes([0xff; 16]));
    Ok(users::newest(&app.db, organization, before, i64::try_from(limit).unwrap_or(i64::MAX)).await?)
}
