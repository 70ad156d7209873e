//! The caller of a use case: a client or an operator with a request, or the command line.
//! A client or operator sees and changes its own organization only; with a user's token, that user's records only.

use crate::audit::{UserTrace, json, system_event};
use crate::error::Error;
use perennial_domain::clients::{Client, Scope, Scopes};
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{ClientId, EventId, OperatorId, OrganizationId, UserId};
use perennial_domain::invoices::credit_note::CreditNote;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::operators::{Operator, OperatorSession, SessionLimits};
use perennial_domain::organizations::Organization;
use perennial_domain::time::Time;
use perennial_domain::users::User;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// A client together with the organization it belongs to.
pub struct KnownClient {
    /// The client.
    pub client: Client,
    /// Its organization.
    pub organization: Organization,
    /// The hash that the client was found by, so that it can be looked up again.
    pub(crate) credential_hash: [u8; 32],
    pub(crate) read_at: Time,
}

/// An operator together with the session of its request.
pub struct KnownOperator {
    /// The operator.
    pub operator: Operator,
    /// The session.
    pub session: OperatorSession,
}

/// A request of a client or an operator, or the command line.
#[derive(Clone)]
pub struct Caller {
    /// Who calls.
    pub principal: Principal,
    /// The request's ID, as the response and the log carry it.
    pub request_id: String,
    /// The user whose records the caller may see. None: all records of the organization.
    pub own: Option<UserId>,
    /// The scope that the request was authorized by.
    pub scope: Option<Scope>,
    /// The address that the request came from, if it came over the network.
    pub address: Option<IpAddr>,
    /// Whether to decide and to commit nothing.
    pub is_dry_run: bool,
    /// The documents that a dry run would issue.
    pub tried: Tried,
}

/// The documents that a dry run would issue.
#[derive(Clone, Default)]
pub struct Tried(Arc<Mutex<(Vec<Invoice>, Vec<CreditNote>)>>);

impl Tried {
    pub(crate) fn set(&self, invoices: Vec<Invoice>, notes: Vec<CreditNote>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (invoices, notes);
    }

    /// The invoices and the credit notes.
    pub fn get(&self) -> (Vec<Invoice>, Vec<CreditNote>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Who calls.
#[derive(Clone)]
pub enum Principal {
    /// A client, with a request.
    Client(Arc<KnownClient>),
    /// An operator, with a request.
    Operator(Arc<KnownOperator>),
    /// A user of this organization, with a page of the customer portal.
    User(OrganizationId),
    /// A request without credentials, which may only sign in.
    Anonymous,
    /// The command line or the server itself, in this organization.
    System(OrganizationId),
}

/// The organization of a request without credentials: no record belongs to it.
pub(crate) const NO_ORGANIZATION: OrganizationId = OrganizationId::from_bytes([0; 16]);

impl Caller {
    /// A request of this client that needs no scope.
    pub fn new(known: Arc<KnownClient>, request_id: impl Into<String>) -> Self {
        Self {
            principal: Principal::Client(known),
            request_id: request_id.into(),
            own: None,
            scope: None,
            address: None,
            is_dry_run: false,
            tried: Tried::default(),
        }
    }

    /// The command line or the server itself, in this organization.
    pub fn system(organization: OrganizationId) -> Self {
        let (principal, request_id) = (Principal::System(organization), String::new());
        Self {
            principal,
            request_id,
            own: None,
            scope: None,
            address: None,
            is_dry_run: false,
            tried: Tried::default(),
        }
    }

    /// A request of this operator.
    pub fn operator_with(known: Arc<KnownOperator>, request_id: impl Into<String>) -> Self {
        let (principal, request_id) = (Principal::Operator(known), request_id.into());
        Self {
            principal,
            request_id,
            own: None,
            scope: None,
            address: None,
            is_dry_run: false,
            tried: Tried::default(),
        }
    }

    /// A request of a user from a page of the customer portal. It sees and changes this user's records only.
    pub fn user(organization: OrganizationId, user: UserId, request_id: impl Into<String>) -> Self {
        let (principal, request_id) = (Principal::User(organization), request_id.into());
        Self {
            principal,
            request_id,
            own: Some(user),
            scope: None,
            address: None,
            is_dry_run: false,
            tried: Tried::default(),
        }
    }

    /// A request without credentials. It belongs to no organization.
    pub fn anonymous(request_id: impl Into<String>) -> Self {
        let (principal, request_id) = (Principal::Anonymous, request_id.into());
        Self {
            principal,
            request_id,
            own: None,
            scope: None,
            address: None,
            is_dry_run: false,
            tried: Tried::default(),
        }
    }

    /// The organization that the call is limited to.
    pub fn organization(&self) -> OrganizationId {
        match &self.principal {
            Principal::Client(known) => known.organization.id,
            Principal::Operator(known) => known.operator.organization_id,
            Principal::Anonymous => NO_ORGANIZATION,
            Principal::User(organization) | Principal::System(organization) => *organization,
        }
    }

    /// The client. None: the caller is an operator or the command line.
    pub(crate) fn known(&self) -> Option<&Arc<KnownClient>> {
        match &self.principal {
            Principal::Client(known) => Some(known),
            Principal::Operator(_) | Principal::User(_) | Principal::Anonymous | Principal::System(_) => None,
        }
    }

    /// The operator, if the caller is one.
    pub fn operator(&self) -> Option<&Arc<KnownOperator>> {
        match &self.principal {
            Principal::Operator(known) => Some(known),
            Principal::Client(_) | Principal::User(_) | Principal::Anonymous | Principal::System(_) => None,
        }
    }

    /// Whether the caller is this operator.
    pub(crate) fn is_operator(&self, id: OperatorId) -> bool {
        self.operator().is_some_and(|known| known.operator.id == id)
    }

    /// Whether the caller may do what needs a recent sign-in. Clients and the command line always may.
    pub(crate) fn is_fresh(&self, limits: SessionLimits, now: Time) -> bool {
        self.operator().is_none_or(|known| now < known.session.fresh_until(limits))
    }

    /// The organization and the client, which identify a client across the installation. An operator's ID takes the place
    /// of the client's.
    pub(crate) fn client_key(&self) -> Option<(OrganizationId, ClientId)> {
        match &self.principal {
            Principal::Client(known) => Some((known.organization.id, known.client.id)),
            Principal::Operator(known) => {
                Some((known.operator.organization_id, ClientId::from_bytes(known.operator.id.bytes())))
            }
            Principal::User(_) | Principal::Anonymous | Principal::System(_) => None,
        }
    }

    /// The scopes that the caller holds. The command line holds all.
    pub fn scopes(&self) -> Scopes {
        match &self.principal {
            Principal::Client(known) => known.client.scopes,
            Principal::Operator(known) => known.operator.role.scopes(),
            Principal::User(_) | Principal::Anonymous => Scopes::default(),
            Principal::System(_) => Scope::ALL.iter().copied().collect(),
        }
    }

    /// Rejects a grant of scopes that the caller may not grant.
    pub(crate) fn check_grant(&self, scopes: Scopes) -> Result<(), Error> {
        match scopes.not_grantable_by(self.scopes()).iter().next() {
            Some(scope) => Err(Error::MissingScope(scope)),
            None => Ok(()),
        }
    }

    /// Whether the caller may see a record of this user.
    pub(crate) fn may_see(&self, user: UserId) -> bool {
        self.own.is_none_or(|own| own == user)
    }

    /// An event caused by the caller. The use case adds the record before and after.
    pub(crate) fn event(&self, kind: EventKind, record_id: [u8; 16], id: EventId, at: Time) -> Event {
        let event = system_event(self.organization(), kind, record_id, id, at);
        match &self.principal {
            Principal::Client(known) => {
                Event { client_id: Some(known.client.id), request_id: Some(self.request_id.clone()), ..event }
            }
            Principal::Operator(known) => {
                Event { operator_id: Some(known.operator.id), request_id: Some(self.request_id.clone()), ..event }
            }
            Principal::User(_) => Event { request_id: Some(self.request_id.clone()), ..event },
            Principal::Anonymous | Principal::System(_) => event,
        }
    }

    /// An event about a user that the caller created or changed. It names the changed fields and not their values.
    pub(crate) fn user_event(&self, kind: EventKind, user: &User, before: Option<&User>) -> Event {
        let trace = UserTrace { id: user.id, fields: user.changed_fields(before) };
        let event = self.event(kind, user.id.bytes(), user.revision, user.updated_at);
        Event { previous_id: before.map(|before| before.revision), after: Some(json(&trace)), ..event }
    }
}
