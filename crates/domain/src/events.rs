//! Events: one for every change of a record, written with it and never rewritten.

pub mod difference;

use crate::id::{
    ClientId, ConnectionId, CouponId, CreditId, CreditNoteId, EventId, FeatureId, InvoiceId, MalformedId, MeterId,
    OperatorId, OperatorSessionId, OrganizationId, PaymentId, PlanId, ProviderId, SessionId, SubscriptionId, TaxRateId,
    TestClockId, UserId, WebhookEndpointId,
};
use crate::time::Time;

/// The one table of record kinds and of what can happen to each. A row of it is all that a new event needs.
macro_rules! record_kinds {
    ($($record:ident($id:ty) = $name:literal { $($event:ident = $action:literal),* $(,)? })*) => {
        /// The kinds of records that have a history.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "the API's own nouns")]
        pub enum RecordKind { $($record),* }

        impl RecordKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$record),*];

            /// The part of an event's name before the dot.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$record => $name),* }
            }

            /// The part of an ID before the underscore.
            pub const fn id_prefix(self) -> &'static str {
                match self { $(Self::$record => <$id>::PREFIX),* }
            }

            /// The ID of a record of this kind as the API writes it.
            pub fn id(self, bytes: [u8; 16]) -> String {
                match self { $(Self::$record => <$id>::from_bytes(bytes).to_string()),* }
            }

            /// The bytes of an ID of this kind.
            pub fn parse_id(self, text: &str) -> Result<[u8; 16], MalformedId> {
                match self { $(Self::$record => text.parse::<$id>().map(<$id>::bytes)),* }
            }
        }

        /// What happened to which kind of record.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the name in the API describes it")]
        pub enum EventKind { $($($event),*),* }

        impl EventKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$($(Self::$event),*),*];

            /// The name on the wire, such as `plan.created`.
            pub const fn as_str(self) -> &'static str {
                match self { $($(Self::$event => concat!($name, ".", $action)),*),* }
            }

            /// The kind of record that it happened to.
            pub const fn record_kind(self) -> RecordKind {
                match self { $($(Self::$event => RecordKind::$record),*),* }
            }

            /// The kind that has this name, as it was stored.
            pub fn from_stored(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == word)
            }
        }
    };
}

record_kinds! {
    Organization(OrganizationId) = "organization" {
        OrganizationCreated = "created",
        OrganizationUpdated = "updated",
        OrganizationDeleted = "deleted",
        OrganizationKeysRotated = "keys_rotated",
    }
    Client(ClientId) = "client" { ClientCreated = "created", ClientUpdated = "updated" }
    Provider(ProviderId) = "provider" { ProviderCreated = "created", ProviderDeleted = "deleted" }
    User(UserId) = "user" {
        UserCreated = "created",
        UserUpdated = "updated",
        UserDeleted = "deleted",
        UserBlocked = "blocked",
        UserUnblocked = "unblocked",
        UserRelinked = "relinked",
        UserPortalLinkCreated = "portal_link_created",
    }
    Session(SessionId) = "session" { SessionCreated = "created", SessionRevoked = "revoked" }
    Plan(PlanId) = "plan" { PlanCreated = "created", PlanUpdated = "updated", PlanDeleted = "deleted" }
    Subscription(SubscriptionId) = "subscription" {
        SubscriptionCreated = "created",
        SubscriptionUpdated = "updated",
        SubscriptionDeleted = "deleted",
        SubscriptionAccessChanged = "access_changed",
        SubscriptionStarted = "started",
        SubscriptionTrialEnding = "trial_ending",
        SubscriptionTrialEnded = "trial_ended",
        SubscriptionRenewalUpcoming = "renewal_upcoming",
        SubscriptionRenewed = "renewed",
        SubscriptionResumed = "resumed",
        SubscriptionExpired = "expired",
        SubscriptionParked = "parked",
        SubscriptionPastDue = "past_due",
        SubscriptionRecovered = "recovered",
        SubscriptionUnpaid = "unpaid",
        SubscriptionActivated = "activated",
    }
    Payment(PaymentId) = "payment" {
        PaymentCreated = "created",
        PaymentUpdated = "updated",
        PaymentDeleted = "deleted",
        PaymentCollectionFailed = "collection_failed",
    }
    Operator(OperatorId) = "operator" {
        OperatorCreated = "created",
        OperatorUpdated = "updated",
        OperatorDeleted = "deleted",
        OperatorLinkCreated = "link_created",
    }
    OperatorSession(OperatorSessionId) = "operator_session" {
        OperatorSessionCreated = "created",
        OperatorSessionEnded = "ended",
    }
    WebhookEndpoint(WebhookEndpointId) = "webhook_endpoint" {
        WebhookEndpointCreated = "created",
        WebhookEndpointUpdated = "updated",
        WebhookEndpointDeleted = "deleted",
        WebhookEndpointFailing = "failing",
        WebhookEndpointRecovered = "recovered",
        WebhookEndpointDisabled = "disabled",
    }
    TestClock(TestClockId) = "test_clock" {
        TestClockCreated = "created",
        TestClockAdvanced = "advanced",
        TestClockDeleted = "deleted",
    }
    TaxRate(TaxRateId) = "tax_rate" { TaxRateCreated = "created", TaxRateUpdated = "updated" }
    Coupon(CouponId) = "coupon" { CouponCreated = "created", CouponUpdated = "updated" }
    Meter(MeterId) = "meter" { MeterCreated = "created", MeterUpdated = "updated" }
    Credit(CreditId) = "credit" { CreditCreated = "created" }
    Invoice(InvoiceId) = "invoice" {
        InvoiceCreated = "created",
        InvoiceUpdated = "updated",
        InvoiceFinalized = "finalized",
        InvoicePaymentDue = "payment_due",
        InvoiceOverdue = "overdue",
        InvoicePaid = "paid",
        InvoiceReopened = "reopened",
        InvoiceVoided = "voided",
        InvoiceUncollectible = "uncollectible",
        InvoiceDeleted = "deleted",
    }
    CreditNote(CreditNoteId) = "credit_note" { CreditNoteCreated = "created" }
    // The record is named by its user's ID.
    BillingProfile(UserId) = "billing_profile" { BillingProfileUpdated = "updated" }
    Feature(FeatureId) = "feature" { FeatureCreated = "created", FeatureUpdated = "updated" }
    // The record is named by its subscription's ID.
    Usage(SubscriptionId) = "usage" { UsageThresholdReached = "threshold_reached" }
    Connection(ConnectionId) = "connection" {
        ConnectionCreated = "created",
        ConnectionUpdated = "updated",
        ConnectionDeleted = "deleted",
        ConnectionFailing = "failing",
        ConnectionRecovered = "recovered",
        ConnectionDrift = "drift",
    }
    // The record is named by its subscription's ID.
    Member(SubscriptionId) = "member" { MemberCreated = "created", MemberDeleted = "deleted" }
}

impl RecordKind {
    /// Whether its records use the time of the organization, which can be that of a test clock. They and their events are
    /// removed with the clock.
    pub const fn is_under_clock(self) -> bool {
        match self {
            Self::Plan
            | Self::Subscription
            | Self::Payment
            | Self::Coupon
            | Self::Meter
            | Self::Credit
            | Self::Invoice
            | Self::CreditNote
            | Self::Feature
            | Self::Usage
            | Self::Member
            | Self::TestClock => true,
            Self::Organization
            | Self::Client
            | Self::Provider
            | Self::User
            | Self::Session
            | Self::Operator
            | Self::OperatorSession
            | Self::WebhookEndpoint
            | Self::TaxRate
            | Self::BillingProfile
            | Self::Connection => false,
        }
    }
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id, and from now on the record's revision.
    pub id: EventId,
    /// The organization it happened in.
    pub organization_id: OrganizationId,
    /// What happened.
    pub kind: EventKind,
    /// The bytes of the record's id; its type follows from the kind.
    pub record_id: [u8; 16],
    /// The client that requested it; none for operators and the command line.
    pub client_id: Option<ClientId>,
    /// The operator who requested it.
    pub operator_id: Option<OperatorId>,
    /// The request that caused it; none for the command line.
    pub request_id: Option<String>,
    /// When.
    pub at: Time,
    /// The record's revision before: the event before this one in the record's history. None if it was created.
    pub previous_id: Option<EventId>,
    /// The record before, as JSON; none if it was created.
    pub before: Option<String>,
    /// The record after, as JSON; none if it was deleted.
    pub after: Option<String>,
}

impl Event {
    /// The same event as the next one in the history of its record.
    #[must_use]
    pub fn following(self, previous: EventId) -> Self {
        Self { previous_id: Some(previous), ..self }
    }

    /// The record's ID as the API writes it.
    pub fn record(&self) -> String {
        self.kind.record_kind().id(self.record_id)
    }
}

impl EventKind {
    /// Whether the event is a new revision of the record that it names and changes no field of it: the clock changed access, or
    /// something happened to the record's members or usage.
    pub const fn leaves_record_as_it_was(self) -> bool {
        matches!(
            self,
            Self::SubscriptionAccessChanged | Self::MemberCreated | Self::MemberDeleted | Self::UsageThresholdReached
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn an_event_names_its_record_by_the_id_the_api_writes() {
        let at = Time::MAX;
        let bytes = PlanId::new(at, 4).bytes();
        for kind in EventKind::ALL {
            assert_eq!(EventKind::from_stored(kind.as_str()), Some(*kind));
            let event = Event {
                id: EventId::new(at, 1),
                organization_id: OrganizationId::new(at, 1),
                kind: *kind,
                record_id: bytes,
                client_id: None,
                operator_id: None,
                request_id: None,
                at,
                previous_id: None,
                before: None,
                after: None,
            };
            let record = kind.record_kind();
            assert_eq!(kind.as_str().split('.').next(), Some(record.as_str()));
            assert_eq!(event.record(), format!("{}_{}", record.id_prefix(), PlanId::new(at, 4).suffix()));
            assert_eq!(record.parse_id(&event.record()), Ok(bytes));
        }
        assert_eq!(EventKind::from_stored("plan.eaten"), None);
    }

    #[test]
    fn names_and_id_prefixes_are_unique() {
        let names: BTreeSet<_> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
        // A billing profile has the ID of its user, usage and members that of their subscription.
        let shared = [RecordKind::BillingProfile, RecordKind::Usage, RecordKind::Member];
        let kinds = || RecordKind::ALL.iter().filter(|kind| !shared.contains(kind));
        let prefixes: BTreeSet<_> = kinds().map(|kind| kind.id_prefix()).collect();
        assert_eq!((names.len(), prefixes.len()), (EventKind::ALL.len(), kinds().count()));
    }
}
