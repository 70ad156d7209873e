//! One-time links: created here, used up by a sign-in. Only the SHA-256 of a link is stored.

use super::read;
use crate::audit::json;
use crate::caller::Caller;
use crate::clients::{confirm_granting, random_text};
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::keys::sha256;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::OperatorId;
use perennial_domain::operators::{LINK_SECONDS, Operator, OperatorLink};
use perennial_domain::stamp::Stamp;
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
    let link = Secret::new(random_text(&app.entropy, PREFIX));
    let mut attempts = app.locks.attempts((caller.organization().bytes(), id));
    while attempts.next().await {
        let before = read(app, caller, id).await?;
        caller.check_grant(before.role.scopes())?;
        if !before.is_active {
            return Err(Conflict::OperatorDisabled.into());
        }
        let now = app.clock.now();
        let row = OperatorLink {
            organization_id: before.organization_id,
            id: app.entropy.bytes(),
            operator_id: before.id,
            expires_at: now.plus_seconds(LINK_SECONDS),
        };
        let Stamp { at, revision } = app.stamp(&before, now);
        let event = caller.event(EventKind::OperatorLinkCreated, id.bytes(), revision, at).following(before.revision);
        let after = Operator { updated_at: at, revision, ..before.clone() };
        let event = Event { after: Some(json(&after.trace(Some(&before)))), ..event };
        let change = operators::update(Change::new(), &after, before.revision);
        let change = operator_links::insert(change, &row, hash(link.expose()), now);
        let change = confirm_granting(app, caller, before.role.scopes(), events::insert(change, &event)).await?;
        match app.db.commit(change).await {
            Ok(()) => return Ok(NewLink { link, expires_at: row.expires_at }),
            Err(store::Error::Violated(Violation::LinkLimit)) => return Err(Conflict::LinkLimit.into()),
            Err(store::Error::Violated(Violation::Record)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// The hash that the store holds of a link.
pub(super) fn hash(link: &str) -> [u8; 32] {
    sha256(&[link.as_bytes()])
}
