//! Customers as users. A user that exists is never taken over: only the address of one that no sign-up has claimed follows.

use super::{Decided, Decision, Work, digest, ended};
use crate::caller::Caller;
use crate::error::Error;
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::facts::CustomerFacts;
use perennial_domain::connections::inbox::InboxState;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, UserId};
use perennial_domain::stamp::Stamp;
use perennial_domain::users::{Email, Profile, User};
use perennial_store::connection_links::Link;
use perennial_store::{Change, events, users};

impl Work<'_> {
    pub(super) async fn decide_customer(&self, facts: &CustomerFacts) -> Result<Decided, Error> {
        let (db, organization) = (&self.app.db, self.organization());
        let link = self.link(ObjectKind::Customer, &facts.external_id).await?;
        if let Some(link) = &link {
            let user = users::by_id(db, organization, UserId::from_bytes(link.record_id)).await?;
            return match user.filter(|_| !link.is_erased) {
                Some(user) if has_seen_address(link, facts) => Ok(write(facts, user.id, Change::new())),
                Some(user) => self.follow_customer(&user, facts, link).await,
                None => Ok(ended(InboxState::Ignored, "erased_user")),
            };
        }
        let mut found = match facts.user_id {
            Some(id) => users::by_id(db, organization, id).await?,
            None => None,
        };
        if let (None, Some(email)) = (&found, &facts.email) {
            found = users::by_email(db, organization, email).await?;
        }
        match found {
            Some(user) => Ok(write(facts, user.id, Change::new())),
            None => Ok(self.create_user(facts)),
        }
    }

    /// A new address there follows, while no sign-up has claimed the user and no other user has the address.
    async fn follow_customer(&self, before: &User, facts: &CustomerFacts, link: &Link) -> Result<Decided, Error> {
        let email = facts.email.as_ref().filter(|email| Some(*email) != before.email.as_ref());
        let Some(email) = email.filter(|_| !before.is_email_managed()) else {
            return Ok(write(facts, before.id, Change::new()));
        };
        if users::by_email(&self.app.db, self.organization(), email).await?.is_some() {
            // It stays a new address: the next fetch tries again.
            return Ok(write_with(facts, before.id, Change::new(), link.digest.clone()));
        }
        let Stamp { at, revision } = self.app.stamp(before, self.app.clock.now());
        let after = User { email: Some(email.clone()), updated_at: at, revision, ..before.clone() };
        let change = users::update(Change::new(), &after, before);
        let event = self.user_event(EventKind::UserUpdated, &after, Some(before));
        Ok(write(facts, before.id, events::insert(change, &event)))
    }

    fn create_user(&self, facts: &CustomerFacts) -> Decided {
        let now = self.app.clock.now();
        let (id, revision) =
            (UserId::new(now, self.app.entropy.id_bits()), EventId::new(now, self.app.entropy.id_bits()));
        let blank = User::new(self.organization(), id, revision, Email::from_stored(String::new()), now);
        let profile = Profile {
            first_name: facts.first_name.clone(),
            last_name: facts.last_name.clone(),
            notifications: facts.notifications,
            ..Profile::default()
        };
        let user = User { email: facts.email.clone(), profile, ..blank };
        let change = users::insert(Change::new(), &user);
        write(facts, id, events::insert(change, &self.user_event(EventKind::UserCreated, &user, None)))
    }

    fn user_event(&self, kind: EventKind, user: &User, before: Option<&User>) -> Event {
        let event = Caller::system(self.organization()).user_event(kind, user, before);
        Event { request_id: Some(self.request_id()), ..event }
    }
}

/// The length of the digest of all facts. That of the address follows; links of earlier versions do not have it.
const FACTS_LENGTH: usize = 32;

/// Whether the address there is the one that was last seen there. It differs from the user's if that was changed here.
fn has_seen_address(link: &Link, facts: &CustomerFacts) -> bool {
    match link.digest.get(FACTS_LENGTH..) {
        Some(address) if !address.is_empty() => address == address_digest(facts),
        // Linked by a subscription that names its user: its address is the first one and not a new one.
        _ => link.digest.is_empty() || link.digest == digest(facts),
    }
}

/// The ID makes the digests of one address at two providers differ.
fn address_digest(facts: &CustomerFacts) -> Vec<u8> {
    digest(&(&facts.external_id, &facts.email))
}

fn write(facts: &CustomerFacts, id: UserId, change: Change) -> Decided {
    write_with(facts, id, change, [digest(facts), address_digest(facts)].concat())
}

fn write_with(facts: &CustomerFacts, id: UserId, change: Change, digest: Vec<u8>) -> Decided {
    Decided::Write(Box::new(Decision {
        change,
        record_id: id.bytes(),
        object: ObjectKind::Customer,
        external_id: facts.external_id.clone(),
        digest,
        codes: Vec::new(),
        customer: None,
    }))
}
