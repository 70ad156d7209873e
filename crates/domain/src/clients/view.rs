//! A client as the API and the command line return it. Its credential is part of it only in the response that creates or
//! rotates it; nothing that is stored can fill that field.

use super::{Client, ClientKind, ClientName, Origin, PublicId, Scopes};
use crate::id::{ClientId, OrganizationId};
use crate::time::Time;
use ipnet::IpNet;

/// A client as it is returned.
#[derive(Debug, serde::Serialize)]
#[expect(missing_docs, reason = "the fields of a client, and whether it is enabled")]
pub struct ClientView<'a> {
    pub id: ClientId,
    pub organization_id: OrganizationId,
    pub name: &'a ClientName,
    pub kind: ClientKind,
    pub client_id: Option<&'a str>,
    pub scopes: Scopes,
    pub origins: &'a [Origin],
    pub cidrs: &'a [IpNet],
    pub is_active: bool,
    pub expires_at: Option<Time>,
    pub disabled_at: Option<Time>,
    pub created_at: Time,
    pub updated_at: Time,
}

impl Client {
    /// The client as it is returned. `credential` is what a trusted client sends as `client-id`, if it was just
    /// generated.
    pub fn view<'a>(&'a self, credential: Option<&'a str>) -> ClientView<'a> {
        ClientView {
            id: self.id,
            organization_id: self.organization_id,
            name: &self.name,
            kind: self.kind,
            client_id: self.public_id.as_ref().map(PublicId::as_str).or(credential),
            scopes: self.scopes,
            origins: &self.origins,
            cidrs: &self.cidrs,
            is_active: self.disabled_at.is_none(),
            expires_at: self.expires_at,
            disabled_at: self.disabled_at,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}
