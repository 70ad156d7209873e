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
use perennial_store::{Change, events, users};

impl Work<'_> {
    pub(super) async fn decide_customer(&self, facts: &CustomerFacts) -> Result<Decided, Error> {
        let (db, organization) = (&self.app.db, self.organization());
        let link = self.link(ObjectKind::Customer, &facts.external_id).await?;
        if let Some(link) = &link {
            let user = users::by_id(db, organization, UserId::from_bytes(link.record_id)).await?;
            return match user.filter(|_| !link.is_erased) {
                // Linked by a subscription that names its user. Its address is the first one and not a new one.
                Some(user) if link.digest.is_empty() => Ok(write(facts, user.id, Change::new())),
                Some(user) => self.follow_customer(&user, facts).await,
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

    /// The address of a linked user follows, while no sign-up has claimed the user and no other user has the address.
    async fn follow_customer(&self, before: &User, facts: &CustomerFacts) -> Result<Decided, Error> {
        let Some(email) = facts.email.as_ref().filter(|email| Some(*email) != before.email.as_ref()) else {
            return Ok(write(facts, before.id, Change::new()));
        };
        let is_taken = users::by_email(&self.app.db, self.organization(), email).await?.is_some();
        if before.is_email_managed() || is_taken {
            return Ok(write(facts, before.id, Change::new()));
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

fn write(facts: &CustomerFacts, id: UserId, change: Change) -> Decided {
    Decided::Write(Box::new(Decision {
        change,
        record_id: id.bytes(),
        object: ObjectKind::Customer,
        external_id: facts.external_id.clone(),
        digest: digest(facts),
        codes: Vec::new(),
        customer: None,
    }))
}
