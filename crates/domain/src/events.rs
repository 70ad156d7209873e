//! Events: one for every change of a record, written with it and never rewritten.

use crate::id::{ClientId, EventId, OrganizationId, PaymentId, PlanId, ProviderId, SessionId, SubscriptionId, UserId};
use crate::time::Time;

macro_rules! event_kinds {
    ($($kind:ident = $name:literal),* $(,)?) => {
        /// What happened to which kind of record.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the name on the wire says it")]
        pub enum EventKind { $($kind),* }

        impl EventKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$kind => $name),* }
            }

            /// The kind behind a word the store kept.
            pub fn kept(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == word)
            }
        }
    };
}

event_kinds! {
    OrganizationCreated = "organization.created",
    OrganizationUpdated = "organization.updated",
    OrganizationDeleted = "organization.deleted",
    OrganizationKeysRotated = "organization.keys_rotated",
    ClientCreated = "client.created",
    ClientUpdated = "client.updated",
    ProviderCreated = "provider.created",
    ProviderDeleted = "provider.deleted",
    UserCreated = "user.created",
    UserUpdated = "user.updated",
    UserDeleted = "user.deleted",
    UserBlocked = "user.blocked",
    UserUnblocked = "user.unblocked",
    UserRelinked = "user.relinked",
    SessionCreated = "session.created",
    SessionRevoked = "session.revoked",
    PlanCreated = "plan.created",
    PlanUpdated = "plan.updated",
    PlanDeleted = "plan.deleted",
    SubscriptionCreated = "subscription.created",
    SubscriptionUpdated = "subscription.updated",
    SubscriptionDeleted = "subscription.deleted",
    PaymentCreated = "payment.created",
    PaymentUpdated = "payment.updated",
    PaymentDeleted = "payment.deleted",
}

/// An event about to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id, and from now on the record's revision.
    pub id: EventId,
    /// The organization it happened in.
    pub organization_id: OrganizationId,
    /// What happened.
    pub kind: EventKind,
    /// The bytes of the record's id; the kind says which type it is of.
    pub record_id: [u8; 16],
    /// The client that asked for it; none for the operator.
    pub client_id: Option<ClientId>,
    /// The request it came with; none for the operator.
    pub request_id: Option<String>,
    /// When.
    pub at: Time,
    /// The record before, as JSON; none if it was created.
    pub before: Option<String>,
    /// The record after, as JSON; none if it was deleted.
    pub after: Option<String>,
}

impl Event {
    /// The record's id as the API writes it; the kind says which type it is of.
    pub fn record(&self) -> String {
        let id = self.record_id;
        match self.kind {
            EventKind::OrganizationCreated
            | EventKind::OrganizationUpdated
            | EventKind::OrganizationDeleted
            | EventKind::OrganizationKeysRotated => OrganizationId::from_bytes(id).to_string(),
            EventKind::ClientCreated | EventKind::ClientUpdated => ClientId::from_bytes(id).to_string(),
            EventKind::ProviderCreated | EventKind::ProviderDeleted => ProviderId::from_bytes(id).to_string(),
            EventKind::UserCreated
            | EventKind::UserUpdated
            | EventKind::UserDeleted
            | EventKind::UserBlocked
            | EventKind::UserUnblocked
            | EventKind::UserRelinked => UserId::from_bytes(id).to_string(),
            EventKind::SessionCreated | EventKind::SessionRevoked => SessionId::from_bytes(id).to_string(),
            EventKind::PlanCreated | EventKind::PlanUpdated | EventKind::PlanDeleted => {
                PlanId::from_bytes(id).to_string()
            }
            EventKind::SubscriptionCreated | EventKind::SubscriptionUpdated | EventKind::SubscriptionDeleted => {
                SubscriptionId::from_bytes(id).to_string()
            }
            EventKind::PaymentCreated | EventKind::PaymentUpdated | EventKind::PaymentDeleted => {
                PaymentId::from_bytes(id).to_string()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_names_its_record_by_the_id_the_api_writes() {
        let at = Time::MAX;
        for kind in EventKind::ALL {
            assert_eq!(EventKind::kept(kind.as_str()), Some(*kind));
            let event = Event {
                id: EventId::new(at, 1),
                organization_id: OrganizationId::new(at, 1),
                kind: *kind,
                record_id: PlanId::new(at, 4).bytes(),
                client_id: None,
                request_id: None,
                at,
                before: None,
                after: None,
            };
            let prefix = match kind.as_str().split('.').next().unwrap() {
                "organization" => "org",
                "client" => "cli",
                "provider" => "idp",
                "user" => "usr",
                "session" => "ses",
                "subscription" => "sub",
                "payment" => "pay",
                word => word,
            };
            assert_eq!(event.record(), format!("{prefix}_{}", PlanId::new(at, 4).suffix()));
        }
        assert_eq!(EventKind::kept("plan.eaten"), None);
    }
}
