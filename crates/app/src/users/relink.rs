//! Relinking: replaces the identities of users, one or a whole file, in one transaction. An organization that moves to
//! another identity provider needs it: identity is issuer and subject, so every user would be locked out otherwise.

use crate::audit::{UserTrace, json, system_event};
use crate::context::App;
use crate::error::{Conflict, Error};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, UserId};
use perennial_domain::stamp::Stamp;
use perennial_domain::text::Line;
use perennial_domain::users::{Email, Identity, User};
use perennial_domain::validation::{InvalidValue, ValidationCode};
use perennial_store::tables::EVENTS;
use perennial_store::transfer;
use perennial_store::{Bulk, users};
use std::collections::HashMap;

/// Users that are read and written at a time.
const AT_ONCE: usize = 1_000;
const ATTEMPTS: usize = 5;

/// A user and its new identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relink {
    /// The user.
    pub user: Target,
    /// The identity.
    pub identity: Identity,
}

/// How a user is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// By ID.
    Id(UserId),
    /// By e-mail address.
    Email(Email),
}

/// The error of an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RelinkError {
    /// The organization has no such user.
    #[error("the organization has no such user")]
    NoSuchUser,
    /// Another user has the identity.
    #[error("{0} has this identity")]
    IdentityTaken(UserId),
    /// Another entry, at this index, names the same user.
    #[error("the user is named twice")]
    UserTwice(usize),
    /// Another entry, at this index, names the same identity.
    #[error("the identity is named twice")]
    IdentityTwice(usize),
}

/// The result of relinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relinked {
    /// All entries were applied, unless it was a dry run.
    Done {
        /// The users with a new identity.
        relinked: Vec<UserId>,
        /// The number of users that had the identity already.
        unchanged: usize,
    },
    /// Nothing was changed: the errors, with the index of each entry.
    Refused(Vec<(usize, RelinkError)>),
}

/// An identity as a provider's token contains it. A subject is compared byte by byte, so it must be normalized.
pub fn check_identity(issuer: &str, subject: &str) -> Result<Identity, (&'static str, InvalidValue)> {
    let exact = |name, parsed: Result<&str, InvalidValue>, given: &str| match parsed {
        Ok(text) if text == given => Ok(text.to_owned()),
        Ok(_) => Err((name, InvalidValue::new(ValidationCode::InvalidText, "must be in Unicode normalization form C"))),
        Err(reason) => Err((name, reason)),
    };
    if !Identity::fits(issuer, subject) {
        let detail = format!("must be at most {} bytes together with the issuer", Identity::MAX_BYTES);
        return Err(("subject", InvalidValue::new(ValidationCode::TooLong, detail)));
    }
    let (parsed_issuer, parsed_subject) = (Line::<1, 512>::parse(issuer), Line::<1, 255>::parse(subject));
    Ok(Identity {
        issuer: exact("issuer", parsed_issuer.as_ref().map(Line::as_str).map_err(Clone::clone), issuer)?,
        subject: exact("subject", parsed_subject.as_ref().map(Line::as_str).map_err(Clone::clone), subject)?,
    })
}

/// Replaces identities, all or none. Sessions stay valid. A dry run does everything except the commit.
pub async fn relink(
    app: &App,
    organization: OrganizationId,
    entries: &[Relink],
    is_dry_run: bool,
) -> Result<Relinked, Error> {
    for _ in 0..ATTEMPTS {
        let mut bulk = app.db.load().await?;
        let (found, errors) = examine(&mut bulk, organization, entries).await?;
        if !errors.is_empty() {
            return Ok(Relinked::Refused(errors));
        }
        let mut changed: Vec<(User, &Identity)> = found
            .into_iter()
            .zip(entries)
            .map(|(user, entry)| (user, &entry.identity))
            .filter(|(user, identity)| user.identity.as_ref() != Some(identity))
            .collect();
        // Rows are locked in the order of their keys, as in every change.
        changed.sort_by_key(|(user, _)| user.id);
        let unchanged = entries.len() - changed.len();
        if write(app, &mut bulk, &changed).await? {
            if !is_dry_run {
                bulk.commit().await?;
            }
            return Ok(Relinked::Done { relinked: changed.iter().map(|(user, _)| user.id).collect(), unchanged });
        }
    }
    Err(Conflict::Contended.into())
}

/// The user of each entry, or all errors.
async fn examine(
    bulk: &mut Bulk,
    organization: OrganizationId,
    entries: &[Relink],
) -> Result<(Vec<User>, Vec<(usize, RelinkError)>), Error> {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    let (mut users_seen, mut identities_seen) = (HashMap::new(), HashMap::new());
    for (portion, place) in entries.chunks(AT_ONCE).zip((0..).step_by(AT_ONCE)) {
        let named = find(bulk, organization, portion).await?;
        let identities: Vec<&Identity> = portion.iter().map(|entry| &entry.identity).collect();
        let holders = users::find_by_identity(bulk, organization, &identities).await?;
        for (place, ((entry, user), holder)) in (place..).zip(portion.iter().zip(named).zip(holders)) {
            let identity = (&entry.identity.issuer, &entry.identity.subject);
            if let Some(other) = identities_seen.insert(identity, place) {
                errors.push((place, RelinkError::IdentityTwice(other)));
            }
            let Some(user) = user else {
                errors.push((place, RelinkError::NoSuchUser));
                continue;
            };
            if let Some(other) = users_seen.insert(user.id, place) {
                errors.push((place, RelinkError::UserTwice(other)));
            }
            if let Some(holder) = holder.filter(|holder| holder.id != user.id) {
                errors.push((place, RelinkError::IdentityTaken(holder.id)));
            }
            found.push(user);
        }
    }
    Ok((found, errors))
}

async fn find(bulk: &mut Bulk, organization: OrganizationId, entries: &[Relink]) -> Result<Vec<Option<User>>, Error> {
    let (mut ids, mut emails) = (Vec::new(), Vec::new());
    for entry in entries {
        match &entry.user {
            Target::Id(id) => ids.push(*id),
            Target::Email(email) => emails.push(email),
        }
    }
    let mut by_id = users::find_by_id(bulk, organization, &ids).await?.into_iter();
    let mut by_email = users::find_by_email(bulk, organization, &emails).await?.into_iter();
    let next = |entry: &Relink| match &entry.user {
        Target::Id(_) => by_id.next().flatten(),
        Target::Email(_) => by_email.next().flatten(),
    };
    Ok(entries.iter().map(next).collect())
}

/// Writes the identities with their events. Returns false if a user has changed since it was read.
async fn write(app: &App, bulk: &mut Bulk, changed: &[(User, &Identity)]) -> Result<bool, Error> {
    for portion in changed.chunks(AT_ONCE) {
        let now = app.clock.now();
        let after = |(before, identity): &(User, &Identity)| {
            let Stamp { at, revision } = app.stamp(before, now);
            User { identity: Some((*identity).clone()), updated_at: at, revision, ..before.clone() }
        };
        let users: Vec<User> = portion.iter().map(after).collect();
        let read = portion.iter().map(|(before, _)| before);
        let pairs: Vec<(&User, EventId)> =
            users.iter().zip(read.clone()).map(|(user, before)| (user, before.revision)).collect();
        if users::relink(bulk, &pairs).await? != pairs.len() as u64 {
            return Ok(false);
        }
        let event = |(user, before): (&User, &User)| {
            let trace = UserTrace { id: user.id, fields: user.changed_fields(Some(before)) };
            let kind = EventKind::UserRelinked;
            let event = system_event(user.organization_id, kind, user.id.bytes(), user.revision, user.updated_at);
            transfer::row(&Event { after: Some(json(&trace)), ..event.following(before.revision) })
        };
        let events: Vec<_> = users.iter().zip(read).map(event).collect();
        EVENTS.insert(bulk, &events).await?;
    }
    Ok(true)
}
