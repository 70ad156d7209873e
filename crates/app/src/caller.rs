//! Who asks: a client of an organization, with a request; or the operator at the command line.

use crate::audit::operator_event;
use perennial_domain::clients::{Client, Scope};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, UserId};
use perennial_domain::organizations::Organization;
use perennial_domain::time::Time;
use std::net::IpAddr;
use std::sync::Arc;

/// A client together with the organization it belongs to.
pub struct KnownClient {
    /// The client.
    pub client: Client,
    /// Its organization.
    pub organization: Organization,
    /// What the client was found by, so that it can be looked up again.
    pub(crate) credential_hash: [u8; 32],
    pub(crate) read_at: Time,
}

/// A client's request.
#[derive(Clone)]
pub struct Caller {
    /// Who it is.
    pub known: Arc<KnownClient>,
    /// The request's id, as the answer and the log carry it.
    pub request_id: String,
    /// The user whose records alone it may see; none if it may see all of the organization's.
    pub own: Option<UserId>,
    /// The scope that the request was authorized by.
    pub scope: Option<Scope>,
    /// The address that the request came from, if it came over the network.
    pub address: Option<IpAddr>,
}

impl Caller {
    /// A request of this client that needs no scope.
    pub fn new(known: Arc<KnownClient>, request_id: impl Into<String>) -> Self {
        Self { known, request_id: request_id.into(), own: None, scope: None, address: None }
    }

    /// The organization everything happens in.
    pub fn organization(&self) -> OrganizationId {
        self.known.organization.id
    }

    /// Whether it may see a record of this user's.
    pub(crate) fn may_see(&self, user: UserId) -> bool {
        self.own.is_none_or(|own| own == user)
    }

    /// An event of this request; the record before and after is the use case's to add.
    pub(crate) fn event(&self, kind: EventKind, record_id: [u8; 16], id: EventId, at: Time) -> Event {
        Event {
            client_id: Some(self.known.client.id),
            request_id: Some(self.request_id.clone()),
            ..operator_event(self.organization(), kind, record_id, id, at)
        }
    }
}

/// Who causes a change that clients and the operator can both cause.
#[derive(Clone, Copy)]
pub(crate) enum Actor<'a> {
    /// A client, with a request.
    Client(&'a Caller),
    /// The operator, in this organization.
    Operator(OrganizationId),
}

impl Actor<'_> {
    /// An event of theirs; the record before and after is the use case's to add.
    pub(crate) fn event(self, kind: EventKind, record_id: [u8; 16], id: EventId, at: Time) -> Event {
        match self {
            Self::Client(caller) => caller.event(kind, record_id, id, at),
            Self::Operator(organization) => operator_event(organization, kind, record_id, id, at),
        }
    }
}
