//! Operators: people who manage one organization. A role is only a set of scopes.
//!
//! An operator is a person, so events hold its ID, its role and the names of changed fields, never its name or its
//! identity. Of a link and of a session's cookie only the SHA-256 is stored.

use crate::clients::{Scope, Scopes};
use crate::id::{EventId, OperatorId, OperatorSessionId, OrganizationId};
use crate::plans::set;
use crate::text::Line;
use crate::time::Time;
use crate::users::Identity;
use crate::validation::{InvalidValue, ValidationCode, ValidationErrors};

/// An operator's name, unique among the organization's operators.
pub type OperatorName = Line<1, 255>;

/// The most unused links of an operator.
pub const MAX_LINKS: i64 = 10;

/// How long a one-time link works.
pub const LINK_SECONDS: i64 = 600;

/// A named set of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads everything.
    Viewer,
    /// Also changes subscriptions, payments, users and invoices.
    Support,
    /// Also changes everything else.
    Admin,
}

const VIEWER: &[Scope] = &[
    Scope::PlansRead,
    Scope::SubscriptionsRead,
    Scope::PaymentsRead,
    Scope::UsersRead,
    Scope::InvoicesRead,
    Scope::EventsRead,
    Scope::EntitlementsRead,
    Scope::OrganizationRead,
    Scope::AnalyticsRead,
];
const SUPPORT: &[Scope] = &[Scope::SubscriptionsWrite, Scope::PaymentsWrite, Scope::UsersWrite, Scope::InvoicesWrite];
const ADMIN: &[Scope] =
    &[Scope::PlansWrite, Scope::UsageWrite, Scope::WebhooksWrite, Scope::OrganizationWrite, Scope::ClientsWrite];

impl Role {
    /// Every role, each with more scopes than the one before.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Support, Self::Admin];

    /// The word in the API and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Support => "support",
            Self::Admin => "admin",
        }
    }

    /// The role of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }

    /// Parses a role.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        Self::from_stored(text).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            InvalidValue::new(ValidationCode::UnknownValue, format!("must be one of {known}"))
        })
    }

    /// What it may do.
    pub const fn scopes(self) -> Scopes {
        let (viewer, support) = (Scopes::of(VIEWER), Scopes::of(SUPPORT));
        match self {
            Self::Viewer => viewer,
            Self::Support => viewer.and(support),
            Self::Admin => viewer.and(support).and(Scopes::of(ADMIN)),
        }
    }
}

/// An operator. It does not serialize: an event stores an [`OperatorTrace`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Operator {
    pub id: OperatorId,
    pub organization_id: OrganizationId,
    pub name: OperatorName,
    pub role: Role,
    /// The identity at the console's provider; none until it was connected.
    pub identity: Option<Identity>,
    pub is_active: bool,
    pub last_sign_in_at: Option<Time>,
    pub created_at: Time,
    pub updated_at: Time,
    /// Its last event.
    pub revision: EventId,
}

/// The fields of a create or an update; an omitted or invalid field is `None`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct OperatorDraft {
    pub name: Option<OperatorName>,
    pub role: Option<Role>,
    pub is_active: Option<bool>,
}

/// What an event stores of an operator.
#[derive(Debug, PartialEq, Eq, serde::Serialize)]
pub struct OperatorTrace {
    /// The operator.
    pub id: OperatorId,
    /// Its role.
    pub role: Role,
    /// Whether it may sign in.
    pub is_active: bool,
    /// The names of the fields that were set or changed.
    pub fields: Vec<&'static str>,
}

impl Operator {
    /// The operator that a draft describes, or all its errors. `errors` are those found while parsing it.
    pub fn create(
        draft: OperatorDraft,
        errors: ValidationErrors,
        organization_id: OrganizationId,
        id: OperatorId,
        revision: EventId,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        let OperatorDraft { name: Some(name), role: Some(role), is_active } = draft else { return Err(errors) };
        errors.into_result(Self {
            id,
            organization_id,
            name,
            role,
            identity: None,
            is_active: is_active.unwrap_or(true),
            last_sign_in_at: None,
            created_at: now,
            updated_at: now,
            revision,
        })
    }

    /// The operator after an update, apart from its stamp.
    pub fn merge(&self, patch: OperatorDraft, errors: ValidationErrors) -> Result<Self, ValidationErrors> {
        let mut after = self.clone();
        set(&mut after.name, patch.name);
        set(&mut after.role, patch.role);
        set(&mut after.is_active, patch.is_active);
        errors.into_result(after)
    }

    /// The scopes that an update grants: those that the role gains, or all of them if the operator is enabled again.
    pub fn granted_since(&self, before: &Self) -> Scopes {
        let held = if before.is_active { before.role.scopes() } else { Scopes::default() };
        if self.is_active { self.role.scopes().beyond(held) } else { self.role.scopes().beyond(before.role.scopes()) }
    }

    /// What an event stores of it: all fields, or those that differ from `other`.
    pub fn trace(&self, other: Option<&Self>) -> OperatorTrace {
        let differs = |field: fn(&Self, &Self) -> bool| other.is_none_or(|other| field(self, other));
        let fields = [
            ("name", differs(|one, two| one.name != two.name)),
            ("role", differs(|one, two| one.role != two.role)),
            ("is_active", differs(|one, two| one.is_active != two.is_active)),
            ("identity", other.is_some() && differs(|one, two| one.identity != two.identity)),
        ];
        let fields = fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
        OperatorTrace { id: self.id, role: self.role, is_active: self.is_active, fields }
    }
}

/// How an operator signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SignInMethod {
    /// With a one-time link.
    Link,
    /// At the identity provider.
    Oidc,
}

impl SignInMethod {
    /// Every method.
    pub const ALL: [Self; 2] = [Self::Link, Self::Oidc];

    /// The word in the API and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Oidc => "oidc",
        }
    }

    /// The method of a stored word.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
}

/// How long sessions of operators last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// Without a call.
    pub idle_seconds: i64,
    /// In any case.
    pub max_seconds: i64,
    /// Until an operation that needs a recent sign-in is rejected.
    pub fresh_seconds: i64,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self { idle_seconds: 30 * 60, max_seconds: 12 * 3600, fresh_seconds: 15 * 60 }
    }
}

/// An operator's session: the result of one sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct OperatorSession {
    pub organization_id: OrganizationId,
    pub id: OperatorSessionId,
    pub operator_id: OperatorId,
    pub method: SignInMethod,
    pub signed_in_at: Time,
    /// When it was last used, to the minute.
    pub last_used_at: Time,
    /// When it ends in any case.
    pub expires_at: Time,
    /// The IP address of the sign-in.
    pub ip_address: Option<String>,
    /// The user agent of the sign-in.
    pub user_agent: Option<String>,
    /// When it was ended, if it was.
    pub ended_at: Option<Time>,
}

impl OperatorSession {
    /// Whether it is neither ended, nor idle for too long, nor too old. A clock that steps back does not revive it for
    /// longer than that.
    pub fn is_live(&self, limits: SessionLimits, now: Time) -> bool {
        self.ended_at.is_none() && now < self.idle_expires_at(limits) && now < self.expires_at
    }

    /// When it ends unless it is used.
    pub fn idle_expires_at(&self, limits: SessionLimits) -> Time {
        self.last_used_at.plus_seconds(limits.idle_seconds).min(self.expires_at)
    }

    /// Until when the sign-in is recent enough for every operation.
    pub fn fresh_until(&self, limits: SessionLimits) -> Time {
        self.signed_in_at.plus_seconds(limits.fresh_seconds)
    }
}

/// An unused one-time link, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorLink {
    /// The organization of the operator.
    pub organization_id: OrganizationId,
    /// The bytes of its ID, which appears nowhere else.
    pub id: [u8; 16],
    /// The operator that it signs in.
    pub operator_id: OperatorId,
    /// When it expires.
    pub expires_at: Time,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::tests::{event, instant};

    fn operator(role: Role) -> Operator {
        let now = instant("2026-01-01T00:00:00Z");
        let draft = OperatorDraft { name: OperatorName::parse("Ada").ok(), role: Some(role), is_active: None };
        let (organization, id) = (OrganizationId::new(now, 1), OperatorId::new(now, 1));
        Operator::create(draft, ValidationErrors::none(), organization, id, event(1), now).unwrap()
    }

    #[test]
    fn roles_hold_the_scopes_of_the_contract_and_never_one_of_authentication_or_of_own_records() {
        let words = |role: Role| role.scopes().iter().map(Scope::as_str).collect::<Vec<_>>().join(" ");
        assert_eq!(
            words(Role::Viewer),
            "plans:read subscriptions:read payments:read users:read invoices:read events:read entitlements:read \
             organization:read analytics:read"
        );
        let beyond = |role: Role, other: Role| {
            role.scopes().beyond(other.scopes()).iter().map(Scope::as_str).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            beyond(Role::Support, Role::Viewer),
            "subscriptions:write payments:write users:write invoices:write"
        );
        assert_eq!(
            beyond(Role::Admin, Role::Support),
            "plans:write webhooks:write usage:write organization:write clients:write"
        );
        for role in Role::ALL {
            assert_eq!(Role::parse(role.as_str()), Ok(role));
            assert!(role.scopes().iter().all(|scope| scope != Scope::Auth && !scope.as_str().ends_with(":own")));
        }
        assert!(Role::parse("owner").is_err());
    }

    #[test]
    fn an_update_grants_what_the_role_gains_and_everything_when_it_enables() {
        let (viewer, admin) = (operator(Role::Viewer), operator(Role::Admin));
        assert_eq!(admin.granted_since(&viewer), Role::Admin.scopes().beyond(Role::Viewer.scopes()));
        assert!(viewer.granted_since(&admin).is_empty());
        let disabled = Operator { is_active: false, ..admin.clone() };
        assert_eq!(admin.granted_since(&disabled), Role::Admin.scopes());
        assert!(disabled.granted_since(&admin).is_empty());
        assert!(!Operator { is_active: false, ..admin }.granted_since(&viewer).is_empty());
    }

    #[test]
    fn an_event_holds_the_names_of_changed_fields_and_no_value_of_a_person() {
        let before = operator(Role::Viewer);
        let named = Operator { name: OperatorName::parse("Grace").unwrap(), ..before.clone() };
        assert_eq!(named.trace(Some(&before)).fields, ["name"]);
        assert_eq!(before.trace(None).fields, ["name", "role", "is_active"]);
        let text = serde_json::to_string(&before.trace(None)).unwrap();
        assert!(!text.contains("Ada") && text.contains("viewer"), "{text}");
    }

    #[test]
    fn a_session_ends_when_it_is_ended_idle_or_old() {
        let at = |seconds: i64| Time::from_micros(seconds * 1_000_000).unwrap();
        let limits = SessionLimits { idle_seconds: 100, max_seconds: 1_000, fresh_seconds: 50 };
        let session = OperatorSession {
            organization_id: OrganizationId::from_bytes([1; 16]),
            id: OperatorSessionId::from_bytes([2; 16]),
            operator_id: OperatorId::from_bytes([3; 16]),
            method: SignInMethod::Link,
            signed_in_at: at(0),
            last_used_at: at(950),
            expires_at: at(1_000),
            ip_address: None,
            user_agent: None,
            ended_at: None,
        };
        assert!(session.is_live(limits, at(999)) && !session.is_live(limits, at(1_000)));
        let idle = OperatorSession { last_used_at: at(10), ..session.clone() };
        assert!(idle.is_live(limits, at(109)) && !idle.is_live(limits, at(110)));
        assert!(!OperatorSession { ended_at: Some(at(960)), ..session.clone() }.is_live(limits, at(961)));
        assert_eq!((session.idle_expires_at(limits), session.fresh_until(limits)), (at(1_000), at(50)));
    }
}
