//! Providers in the store: described in JSON, with the secret sealed and bound to its row.

use super::description::{Description, ProviderKind, Settings};
use crate::audit::json;
use crate::keys::{Keys, SealedUnder};
use perennial_domain::id::{OrganizationId, ProviderId};
use perennial_domain::time::Time;
use perennial_identity::providers::{Provider, ProviderError};
use perennial_identity::secret::Secret;
use perennial_identity::signing::KeyError;
use perennial_store::providers::Row;
use serde::Serialize;
use serde_json::Value;

/// A provider as the CLI and events show it: everything except its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProviderRecord {
    /// Its ID. None for a provider of the configuration file.
    pub id: Option<ProviderId>,
    /// The organization.
    pub organization_id: OrganizationId,
    /// The `iss` of its tokens.
    pub issuer: String,
    /// Its kind, as the configuration spells it.
    pub kind: String,
    /// All other settings.
    pub settings: Value,
    /// When it was added. None for a provider of the configuration file.
    pub created_at: Option<Time>,
}

/// Why a described provider is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// The row was written by another program.
    #[error("it was added by a newer version of this program, or changed by another")]
    Unreadable,
    /// Its secret cannot be opened.
    #[error("{0}")]
    Secret(#[from] KeyError),
    /// It is not safe to use, or conflicts with the others.
    #[error("{0}")]
    Fault(#[from] ProviderError),
    /// The configuration file takes precedence.
    #[error("the configuration file names the same issuer, and the file's provider is used")]
    Overridden,
}

impl ProviderRecord {
    pub(super) fn of_row(row: &Row) -> Self {
        Self {
            id: Some(row.id),
            organization_id: row.organization_id,
            issuer: row.issuer.clone(),
            kind: row.kind.clone(),
            settings: serde_json::from_str(&row.settings).unwrap_or(Value::Null),
            created_at: Some(row.created_at),
        }
    }

    pub(super) fn of_file(organization_id: OrganizationId, description: &Description) -> Self {
        Self {
            id: None,
            organization_id,
            issuer: description.issuer.clone(),
            kind: description.kind.as_str().to_owned(),
            settings: serde_json::to_value(&description.settings).expect("settings are plain data"),
            created_at: None,
        }
    }
}

/// The row of a new provider.
pub(super) fn seal(
    keys: &Keys,
    organization_id: OrganizationId,
    id: ProviderId,
    description: &Description,
    now: Time,
) -> Result<Row, KeyError> {
    let name = secret_name(organization_id, id, &description.issuer);
    let seal = |secret: &Secret| keys.provider_secrets.seal(&name, secret.expose().as_bytes());
    Ok(Row {
        organization_id,
        id,
        issuer: description.issuer.clone(),
        kind: description.kind.as_str().to_owned(),
        settings: json(&description.settings),
        sealed_secret: description.secret.as_ref().map(seal).transpose()?,
        created_at: now,
    })
}

/// The provider that a row describes.
pub(super) fn open(keys: &Keys, row: &Row) -> Result<Provider, Unusable> {
    Ok(describe(keys, row)?.build()?)
}

/// The description that a row holds.
pub(super) fn describe(keys: &Keys, row: &Row) -> Result<Description, Unusable> {
    let name = secret_name(row.organization_id, row.id, &row.issuer);
    let secret = match &row.sealed_secret {
        Some(sealed) => {
            let text = String::from_utf8(keys.open_provider_secret(&name, sealed)?);
            Some(Secret::new(text.map_err(|_| KeyError::NotOpened)?))
        }
        None => None,
    };
    let kind = ProviderKind::parse(&row.kind).ok_or(Unusable::Unreadable)?;
    let settings: Settings = serde_json::from_str(&row.settings).map_err(|_| Unusable::Unreadable)?;
    Ok(Description { issuer: row.issuer.clone(), kind, settings, secret })
}

/// The row's secret, sealed under the current master key, if it is sealed under the previous one.
pub(crate) fn reseal(keys: &Keys, row: &Row) -> Result<Option<Vec<u8>>, KeyError> {
    let (Some(sealed), Some(previous)) = (&row.sealed_secret, keys.previous()) else { return Ok(None) };
    let name = secret_name(row.organization_id, row.id, &row.issuer);
    match previous.provider_secrets.open(&name, sealed) {
        Ok(secret) => keys.provider_secrets.seal(&name, &secret).map(Some),
        Err(_) => Ok(None),
    }
}

/// Whether the row's secret opens under the current master key, under another one that is accepted, or not at all.
pub(crate) fn sealed_under(keys: &Keys, row: &Row) -> Option<SealedUnder> {
    let sealed = row.sealed_secret.as_ref()?;
    let name = secret_name(row.organization_id, row.id, &row.issuer);
    Some(match keys.provider_secrets.open(&name, sealed) {
        Ok(_) => SealedUnder::Current,
        Err(_) if keys.open_provider_secret(&name, sealed).is_ok() => SealedUnder::Other,
        Err(_) => SealedUnder::Unknown,
    })
}

/// The context that a secret is bound to: in another row, or with another issuer, it does not open.
fn secret_name(organization: OrganizationId, id: ProviderId, issuer: &str) -> Vec<u8> {
    [organization.bytes().as_slice(), &id.bytes(), issuer.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::MasterKey;

    const SECRET: &str = "canary-0123456789-0123456789-0123456789";

    fn keys(byte: u8) -> Keys {
        Keys::derive(&MasterKey::new([byte; 32]))
    }

    fn row() -> Row {
        let settings = Settings { audience: vec!["app".to_owned()], ..Settings::default() };
        let description = Description {
            issuer: "https://id.example.com".to_owned(),
            kind: ProviderKind::JwtSecret,
            settings,
            secret: Some(Secret::new(SECRET.to_owned())),
        };
        let (organization, id) = (OrganizationId::from_bytes([1; 16]), ProviderId::from_bytes([2; 16]));
        seal(&keys(1), organization, id, &description, Time::MAX).unwrap()
    }

    #[test]
    fn a_row_opens_to_the_provider_it_was_made_from() {
        let provider = open(&keys(1), &row()).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!((provider.issuer(), provider.kind()), ("https://id.example.com", "jwt_secret"));
    }

    #[test]
    fn a_secret_moved_to_another_row_does_not_open() {
        let not_opened = Some(Unusable::Secret(KeyError::NotOpened));
        let refused = |row: Row| assert_eq!(open(&keys(1), &row).err(), not_opened);
        refused(Row { id: ProviderId::from_bytes([3; 16]), ..row() });
        refused(Row { organization_id: OrganizationId::from_bytes([3; 16]), ..row() });
        refused(Row { issuer: "https://evil.example.com".to_owned(), ..row() });
        assert_eq!(open(&keys(2), &row()).err(), not_opened);
    }

    #[test]
    fn neither_the_row_nor_the_record_holds_the_secret() {
        let (row, canary) = (row(), SECRET.as_bytes());
        assert!(!row.sealed_secret.as_ref().unwrap().windows(8).any(|part| part == &canary[..8]));
        assert!(!format!("{row:?}{:?}", ProviderRecord::of_row(&row)).contains("canary"));
        assert!(!json(&ProviderRecord::of_row(&row)).contains("canary"));
    }

    #[test]
    fn a_row_that_we_cannot_read_is_not_used() {
        let refused = |row: Row| assert_eq!(open(&keys(1), &row).err(), Some(Unusable::Unreadable));
        refused(Row { kind: "saml".to_owned(), ..row() });
        refused(Row { settings: r#"{"audience": ["app"], "more": 1}"#.to_owned(), ..row() });
        refused(Row { settings: "nonsense".to_owned(), ..row() });
        let without_audience = Row { settings: r#"{"audience": []}"#.to_owned(), ..row() };
        assert_eq!(open(&keys(1), &without_audience).err(), Some(Unusable::Fault(ProviderError::NoAudience)));
    }
}
