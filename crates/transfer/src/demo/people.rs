//! The users of a demo. Each is derived from its number, so that none has to be stored.

use super::dice::Dice;
use perennial_app::audit::UserTrace;
use perennial_app::audit::{json, system_event};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, UserId};
use perennial_domain::time::Time;
use perennial_domain::users::{Email, PersonalName, Profile, User};

const FIRST: [&str; 24] = [
    "Ada",
    "Grace",
    "Alan",
    "Edsger",
    "Barbara",
    "Donald",
    "Radia",
    "Ken",
    "Margaret",
    "Dennis",
    "Frances",
    "Niklaus",
    "Joan",
    "Tony",
    "Katherine",
    "John",
    "Adele",
    "Robin",
    "Shafi",
    "Leslie",
    "Lynn",
    "Edgar",
    "Mary",
    "Claude",
];
const LAST: [&str; 24] = [
    "Lovelace",
    "Hopper",
    "Turing",
    "Dijkstra",
    "Liskov",
    "Knuth",
    "Perlman",
    "Thompson",
    "Hamilton",
    "Ritchie",
    "Allen",
    "Wirth",
    "Clarke",
    "Hoare",
    "Johnson",
    "Backus",
    "Goldberg",
    "Milner",
    "Goldwasser",
    "Lamport",
    "Conway",
    "Codd",
    "Keller",
    "Shannon",
];

/// The users who signed up in the course of a year, more and more of them.
pub(super) struct People {
    pub(super) organization: OrganizationId,
    pub(super) seed: u64,
    pub(super) count: u64,
    pub(super) since: Time,
    pub(super) until: Time,
}

impl People {
    pub(super) fn user(&self, number: u64) -> User {
        let mut dice = Dice::new(self.seed, "users", number);
        let (first, last) = (*dice.pick(&FIRST), *dice.pick(&LAST));
        let address = format!("{first}.{last}.{number}@example.com").to_lowercase();
        let at = self.arrival(number);
        let (id, revision) = (UserId::new(at, dice.roll()), EventId::new(at, dice.roll()));
        let profile = Profile {
            first_name: Some(PersonalName::from_stored(first.to_owned())),
            last_name: Some(PersonalName::from_stored(last.to_owned())),
            terms: Some(true),
            notifications: Some(dice.percent(60)),
            ..Profile::default()
        };
        User { profile, ..User::new(self.organization, id, revision, Email::from_stored(address), at) }
    }

    /// The number of sign-ups grows with the square of the time.
    fn arrival(&self, number: u64) -> Time {
        let span = u128::from((self.until.as_micros() - self.since.as_micros()).unsigned_abs());
        let passed = (span * span / u128::from(self.count) * u128::from(number)).isqrt();
        let micros = self.since.as_micros() + i64::try_from(passed).unwrap_or(0);
        Time::from_micros(micros).unwrap_or(self.until)
    }
}

/// An event about a user, without personal data.
pub(super) fn created(user: &User) -> Event {
    let id = user.id.bytes();
    let event = system_event(user.organization_id, EventKind::UserCreated, id, user.revision, user.created_at);
    let trace = UserTrace { id: user.id, fields: user.changed_fields(None) };
    Event { after: Some(json(&trace)), ..event }
}
