//! Decisions on clients: what a new one consists of, and what an update may change. A field of the other kind is
//! rejected: origins and a chosen id belong to public clients, networks and an expiry to trusted ones.

use super::{Client, ClientKind, ClientName, Origin, PublicId, Scope, Scopes};
use crate::time::Time;
use crate::validation::{ValidationCode, ValidationErrors};
use ipnet::IpNet;

/// The most origins or networks that a request can set.
pub const MAX_ORIGINS: usize = 100;

/// Scopes in the order in which they were sent, so that an error can name the one that is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentScopes(Vec<Scope>);

impl SentScopes {
    /// The set of them.
    pub fn set(&self) -> Scopes {
        Scopes::of(&self.0)
    }
}

impl From<Vec<Scope>> for SentScopes {
    fn from(scopes: Vec<Scope>) -> Self {
        Self(scopes)
    }
}

impl From<Scopes> for SentScopes {
    fn from(scopes: Scopes) -> Self {
        Self(scopes.iter().collect())
    }
}

/// The fields of a create, as they were sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientDraft {
    /// Its name.
    pub name: Option<ClientName>,
    /// Its kind.
    pub kind: Option<ClientKind>,
    /// Its scopes.
    pub scopes: Option<SentScopes>,
    /// What a public client sends as `client-id`; generated if none.
    pub client_id: Option<Option<PublicId>>,
    /// The origins that a public client's pages may come from.
    pub origins: Option<Vec<Origin>>,
    /// The networks that a trusted client may call from.
    pub cidrs: Option<Vec<IpNet>>,
    /// When a trusted client expires.
    pub expires_at: Option<Option<Time>>,
}

/// The fields of a new client that were checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientFields {
    /// Its name.
    pub name: ClientName,
    /// Its kind.
    pub kind: ClientKind,
    /// Its scopes.
    pub scopes: Scopes,
    /// The chosen id of a public client.
    pub public_id: Option<PublicId>,
    /// The origins that a public client's pages may come from.
    pub origins: Vec<Origin>,
    /// The networks that a trusted client may call from.
    pub cidrs: Vec<IpNet>,
    /// When a trusted client expires.
    pub expires_at: Option<Time>,
}

impl ClientDraft {
    /// Checks the fields of a create. All errors are returned.
    pub fn check(self, mut errors: ValidationErrors) -> Result<ClientFields, ValidationErrors> {
        if let Some(kind) = self.kind {
            check_scopes(kind, self.scopes.as_ref(), &mut errors);
            let sent = [
                ("/client_id", ClientKind::Public, self.client_id.is_some()),
                ("/origins", ClientKind::Public, self.origins.is_some()),
                ("/cidrs", ClientKind::Trusted, self.cidrs.is_some()),
                ("/expires_at", ClientKind::Trusted, self.expires_at.is_some()),
            ];
            for (pointer, owner, _) in sent.into_iter().filter(|(_, owner, is_sent)| *is_sent && *owner != kind) {
                note_other_kind(pointer, owner, &mut errors);
            }
        }
        match (self.name, self.kind, self.scopes) {
            (Some(name), Some(kind), Some(scopes)) if errors.is_empty() => Ok(ClientFields {
                name,
                kind,
                scopes: scopes.set(),
                public_id: self.client_id.flatten(),
                origins: self.origins.unwrap_or_default(),
                cidrs: self.cidrs.unwrap_or_default(),
                expires_at: self.expires_at.flatten(),
            }),
            _ => Err(errors),
        }
    }
}

/// The changes to a client. `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientPatch {
    /// Its name.
    pub name: Option<ClientName>,
    /// Its scopes.
    pub scopes: Option<SentScopes>,
    /// The origins that a public client's pages may come from.
    pub origins: Option<Vec<Origin>>,
    /// The networks that a trusted client may call from.
    pub cidrs: Option<Vec<IpNet>>,
    /// When it expires, if ever.
    pub expires_at: Option<Option<Time>>,
    /// Whether it is enabled.
    pub is_active: Option<bool>,
}

impl ClientPatch {
    /// The client after the changes at this instant, without any check.
    #[must_use]
    pub fn apply(self, client: &Client, at: Time) -> Client {
        Client {
            name: self.name.unwrap_or_else(|| client.name.clone()),
            scopes: self.scopes.map_or(client.scopes, |sent| sent.set()),
            origins: self.origins.unwrap_or_else(|| client.origins.clone()),
            cidrs: self.cidrs.unwrap_or_else(|| client.cidrs.clone()),
            expires_at: self.expires_at.unwrap_or(client.expires_at),
            disabled_at: match self.is_active {
                Some(true) => None,
                Some(false) => client.disabled_at.or(Some(at)),
                None => client.disabled_at,
            },
            ..client.clone()
        }
    }

    /// Checks the changes against the client's kind. A field of the other kind can only be sent back unchanged.
    pub fn check(&self, client: &Client, errors: &mut ValidationErrors) {
        check_scopes(client.kind, self.scopes.as_ref(), errors);
        match client.kind {
            ClientKind::Trusted => {
                if self.origins.as_ref().is_some_and(|sent| *sent != client.origins) {
                    note_other_kind("/origins", ClientKind::Public, errors);
                }
            }
            ClientKind::Public => {
                if self.cidrs.as_ref().is_some_and(|sent| *sent != client.cidrs) {
                    note_other_kind("/cidrs", ClientKind::Trusted, errors);
                }
                if self.expires_at.is_some_and(|sent| sent != client.expires_at) {
                    note_other_kind("/expires_at", ClientKind::Trusted, errors);
                }
            }
        }
    }
}

impl Scopes {
    /// The scopes of this set that a caller with the scopes `held` may not grant. A caller grants what it holds.
    /// `auth` and the scopes of a user's own records give access to no record without that user's token, so every
    /// caller may grant them.
    #[must_use]
    pub fn not_grantable_by(self, held: Self) -> Self {
        self.beyond(held).iter().filter(|scope| *scope != Scope::Auth && !scope.is_own()).collect()
    }
}

fn check_scopes(kind: ClientKind, sent: Option<&SentScopes>, errors: &mut ValidationErrors) {
    let allowed = kind.scopes();
    for (index, scope) in sent.into_iter().flat_map(|sent| &sent.0).enumerate() {
        if !allowed.contain(*scope) {
            let detail = format!("must be a scope that a {} client can hold: {}", kind.as_str(), allowed.words(", "));
            errors.note(format!("/scopes/{index}"), ValidationCode::Inconsistent, detail);
        }
    }
}

fn note_other_kind(pointer: &'static str, owner: ClientKind, errors: &mut ValidationErrors) {
    errors.note(pointer, ValidationCode::Inconsistent, format!("is a field of {} clients", owner.as_str()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clients::tests::client;

    fn draft(kind: ClientKind) -> ClientDraft {
        ClientDraft {
            name: ClientName::parse("app").ok(),
            kind: Some(kind),
            scopes: Some(vec![Scope::PlansRead].into()),
            ..ClientDraft::default()
        }
    }

    fn faults(result: Result<ClientFields, ValidationErrors>) -> Vec<String> {
        result.unwrap_err().iter().map(|error| format!("{} {}", error.pointer, error.reason.code.as_str())).collect()
    }

    #[test]
    fn a_field_of_the_other_kind_is_rejected_whatever_its_value() {
        let public = ClientDraft { cidrs: Some(vec![]), expires_at: Some(None), ..draft(ClientKind::Public) };
        assert_eq!(faults(public.check(ValidationErrors::none())), ["/cidrs inconsistent", "/expires_at inconsistent"]);
        let trusted = ClientDraft { client_id: Some(None), origins: Some(vec![]), ..draft(ClientKind::Trusted) };
        let found = faults(trusted.check(ValidationErrors::none()));
        assert_eq!(found, ["/client_id inconsistent", "/origins inconsistent"]);
        assert!(draft(ClientKind::Trusted).check(ValidationErrors::none()).is_ok());
    }

    #[test]
    fn a_kind_holds_its_scopes_only() {
        let scopes = Some(vec![Scope::PlansWrite, Scope::Auth, Scope::UsersRead].into());
        let public = ClientDraft { scopes, ..draft(ClientKind::Public) };
        let found = faults(public.check(ValidationErrors::none()));
        assert_eq!(found, ["/scopes/0 inconsistent", "/scopes/2 inconsistent"]);
        let own = Some(vec![Scope::PlansRead, Scope::PaymentsReadOwn].into());
        let trusted = ClientDraft { scopes: own, ..draft(ClientKind::Trusted) };
        assert_eq!(faults(trusted.check(ValidationErrors::none())), ["/scopes/1 inconsistent"]);
    }

    #[test]
    fn a_caller_grants_what_it_holds_and_what_every_caller_may() {
        let granted = Scopes::of(&[Scope::Auth, Scope::PaymentsReadOwn, Scope::PlansRead, Scope::UsersWrite]);
        let held = Scopes::of(&[Scope::PlansRead]);
        assert_eq!(granted.not_grantable_by(held), Scopes::of(&[Scope::UsersWrite]));
        assert!(granted.not_grantable_by(granted).is_empty());
        let is_free = |scope: &Scope| *scope == Scope::Auth || scope.as_str().ends_with(":own");
        let free: Scopes = Scope::ALL.iter().copied().filter(is_free).collect();
        assert!(free.not_grantable_by(Scopes::default()).is_empty(), "auth and every own scope");
    }

    #[test]
    fn a_disabled_client_keeps_the_time_it_was_disabled_at() {
        let client = client();
        let later = Time::MAX;
        let off = ClientPatch { is_active: Some(false), ..ClientPatch::default() };
        let disabled = off.clone().apply(&client, client.created_at);
        assert_eq!(disabled.disabled_at, Some(client.created_at));
        assert_eq!(off.apply(&disabled, later), disabled);
        assert_eq!(ClientPatch::default().apply(&disabled, later), disabled);
        let on = ClientPatch { is_active: Some(true), ..ClientPatch::default() };
        assert_eq!(on.apply(&disabled, later), client);
    }

    #[test]
    fn a_whole_record_can_be_sent_back() {
        let client = client();
        let patch = ClientPatch {
            origins: Some(client.origins.clone()),
            cidrs: Some(client.cidrs.clone()),
            scopes: Some(client.scopes.into()),
            expires_at: Some(client.expires_at),
            ..ClientPatch::default()
        };
        let mut errors = ValidationErrors::none();
        patch.check(&client, &mut errors);
        assert!(errors.is_empty());
        ClientPatch { origins: Some(vec![]), ..patch }.check(&client, &mut errors);
        assert_eq!(errors.iter().count(), 1);
    }
}
