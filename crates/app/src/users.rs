//! Users: made and listed by the operator. Events about them name ids, never the person.

use crate::caller::{json, operator_event};
use crate::context::App;
use crate::error::Error;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, UserId};
use perennial_domain::users::{Email, User};
use perennial_store::{self as store, Change, Miss, events, users};
use serde::Serialize;

/// Creates a user without an identity; `None` if the address is in use.
pub async fn create(app: &App, organization: OrganizationId, email: Email) -> Result<Option<User>, Error> {
    let now = app.clock.now();
    let (id, revision) = (UserId::new(now, app.chance.bits()), EventId::new(now, app.chance.bits()));
    let user = User::new(organization, id, revision, email, now);
    let event = operator_event(organization, EventKind::UserCreated, user.id.bytes(), user.revision, now);
    let trace = UserTrace { id: user.id, fields: user.changed_fields(None) };
    let change = users::insert(Change::new(), &user);
    let change = events::insert(change, &Event { after: Some(json(&trace)), ..event });
    match app.db.commit(change).await {
        Ok(()) => Ok(Some(user)),
        Err(store::Error::Missed(Miss::Email)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// An organization's users, newest first.
pub async fn list(app: &App, organization: OrganizationId, limit: i64) -> Result<Vec<User>, Error> {
    Ok(users::newest(&app.db, organization, UserId::from_bytes([0xff; 16]), limit).await?)
}

/// What an event keeps of a user: which fields were set, not what they hold, so that an erased person stays erased.
#[derive(Serialize)]
pub(crate) struct UserTrace {
    pub(crate) id: UserId,
    pub(crate) fields: Vec<&'static str>,
}
