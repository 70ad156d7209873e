//! One-time links: created here, used up by a sign-in. Only the SHA-256 of a link is stored.

use super::read;
use crate::caller::Caller;
use crate::clients::{confirm, random_text};
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keys::sha256;
use perennial_domain::events::EventKind;
use perennial_domain::id::{EventId, OperatorId};
use perennial_domain::operators::{LINK_SECONDS, OperatorLink};
use perennial_domain::time::Time;
use perennial_identity::secret::Secret;
use perennial_store::{self as store, Change, Violation, events, operator_links, operators};

const PREFIX: &str = "lnk_";

/// A new link. It cannot be printed.
pub struct NewLink {
    /// The text, for its fragment alone.
    pub link: Secret,
    /// When it expires.
    pub expires_at: Time,
}

impl NewLink {
    /// The URL that signs in. The link is in the fragment, so that no server and no `Referer` receives it.
    pub fn url(&self, base: &str) -> String {
        format!("{base}/console/#link={}", self.link.expose())
    }
}

/// Creates a one-time link for an operator whose scopes the caller holds.
pub async fn create_link(app: &App, caller: &Caller, id: OperatorId) -> Result<NewLink, Error> {
    let operator = read(app, caller, id).await?;
    caller.check_grant(operator.role.scopes())?;
    let now = app.clock.now();
    let link = Secret::new(random_text(&app.entropy, PREFIX));
    let expires_at = now.plus_seconds(LINK_SECONDS);
    let row = OperatorLink {
        organization_id: operator.organization_id,
        id: app.entropy.bytes(),
        operator_id: operator.id,
        expires_at,
    };
    let event = caller.event(EventKind::OperatorLinkCreated, id.bytes(), EventId::new(now, app.entropy.bits()), now);
    let change = operators::guard_active(Change::new(), &operator);
    let change = operator_links::insert(change, &row, hash(link.expose()), now);
    let change = confirm(app, caller, events::insert(change, &event)).await?;
    match app.db.commit(change).await {
        Ok(()) => Ok(NewLink { link, expires_at }),
        Err(store::Error::Violated(Violation::LinkLimit)) => Err(Conflict::LinkLimit.into()),
        Err(store::Error::Violated(Violation::Operator)) => Err(Conflict::OperatorDisabled.into()),
        Err(error) => Err(error.into()),
    }
}

/// The hash that the store holds of a link.
pub(super) fn hash(link: &str) -> [u8; 32] {
    sha256(&[link.as_bytes()])
}
