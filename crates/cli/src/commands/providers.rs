//! `perennial provider`. A secret is read from a file or from standard input and is not shown again.

mod check;

pub(crate) use check::advice_on;

use super::flags::organization;
use crate::arguments::{Provider as Command, ProviderAdd};
use crate::config::{self, Config, Secret};
use crate::failure::Failure;
use crate::output;
use crate::providers::{self as entries, ProviderEntry};
use crate::public_url::PublicUrl;
use crate::storage::Key;
use perennial_app::context::{App, AppOptions};
use perennial_app::providers::{self, Listed, NotAdded, ProviderError, Source};
use perennial_domain::id::OrganizationId;
use std::path::Path;

/// Whether the command needs the store's master key, to seal a secret.
pub(super) fn key(command: &Command) -> Key {
    match command {
        Command::Add(add)
            if add.secret_file.is_some()
                || add.client_secret_file.is_some()
                || add.portal_client_secret_file.is_some() =>
        {
            Key::Needed
        }
        Command::Check { .. } => Key::IfAtHand,
        _ => Key::NotNeeded,
    }
}

/// The options that the command needs: the file's providers, and the issuer of our own tokens.
pub(super) fn options(config: &Config) -> Result<AppOptions, Failure> {
    let public_url = match config::variable("PERENNIAL_PUBLIC_URL")? {
        Some(text) => Some(PublicUrl::try_from(text).map_err(Failure::new)?),
        None => config.public_url.clone(),
    };
    Ok(AppOptions {
        public_url: public_url.map(PublicUrl::into_text),
        providers: entries::configured(&config.providers)?,
        ..AppOptions::default()
    })
}

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::Add(add) => self::add(app, *add, json).await,
        Command::List { org } => {
            let organization = organization(app, &org.org).await?;
            let listed = providers::list(app, organization.id).await?;
            output::print(json, &listed, || table(&listed))
        }
        Command::Remove { provider, org } => {
            let organization = organization(app, &org.org).await?;
            let Some(removed) = providers::remove(app, organization.id, &provider).await? else {
                return Err(not_in_store(app, organization.id, &provider).await?);
            };
            output::print(json, &removed, || {
                format!("Removed {}: its users cannot sign in after 5 seconds.", removed.issuer)
            })
        }
        Command::Check { provider, org } => {
            let organization = organization(app, &org.org).await?;
            check::run(app, organization.id, provider.as_deref(), json).await
        }
    }
}

async fn add(app: &App, add: ProviderAdd, json: bool) -> Result<(), Failure> {
    let organization = organization(app, &add.org.org).await?;
    let description = entry(add)?.describe()?;
    let added = providers::add(app, organization.id, &description).await.map_err(|refusal| match refusal {
        NotAdded::IssuerTaken => Failure::new(format!(
            "{} has a provider with this issuer already: remove it first, see `perennial provider list`",
            organization.name.as_str()
        )),
        NotAdded::Fault(fault @ (ProviderError::Missing { .. } | ProviderError::NotForKind { .. })) => {
            Failure::new(format!("{fault}: see `perennial provider add --help`"))
        }
        NotAdded::Fault(ProviderError::NoAudience) => {
            Failure::new(format!("{}: --audience", ProviderError::NoAudience))
        }
        other => Failure::new(other.to_string()),
    })?;
    output::print(json, &added, || {
        let id = added.id.map(|id| id.to_string()).unwrap_or_default();
        let issuer = &added.issuer;
        format!("Added {id}: people of {issuer} can sign in within 5 seconds. Try `perennial provider check {issuer}`.")
    })
}

/// The flags as an entry of the file.
fn entry(add: ProviderAdd) -> Result<ProviderEntry, Failure> {
    Ok(ProviderEntry {
        organization: None,
        preset: add.preset,
        kind: add.kind,
        issuer: add.issuer,
        audience: add.audience,
        authorized_parties: add.authorized_parties,
        email_verified: add.email_verified,
        jwks_url: add.jwks_url,
        algorithms: Some(add.algorithms).filter(|given| !given.is_empty()),
        endpoint: add.endpoint,
        client_id: add.client_id,
        secret: add.secret_file.as_deref().map(read_secret).transpose()?,
        secret_file: None,
        client_secret: add.client_secret_file.as_deref().map(read_secret).transpose()?,
        client_secret_file: None,
        portal_client_id: add.portal_client_id,
        portal_client_secret_file: add.portal_client_secret_file,
        allow_private_addresses: add.allow_private_addresses,
        allow_http: add.allow_http,
    })
}

pub(super) fn read_secret(path: &str) -> Result<Secret, Failure> {
    if path != "-" {
        return entries::read_secret(Path::new(path));
    }
    let unreadable = |error| Failure::new(format!("the secret cannot be read from standard input: {error}"));
    Ok(Secret::line(&std::io::read_to_string(std::io::stdin()).map_err(unreadable)?))
}

/// Why a provider cannot be removed here.
async fn not_in_store(app: &App, organization: OrganizationId, provider: &str) -> Result<Failure, Failure> {
    let listed = providers::list(app, organization).await?;
    Ok(Failure::new(if listed.iter().any(|listed| listed.record.issuer == provider) {
        format!("{provider} is in the configuration file: remove it there and restart the servers")
    } else {
        format!("there is no provider {provider:?}: see `perennial provider list`")
    }))
}

fn table(listed: &[Listed]) -> String {
    let rows: Vec<[String; 5]> = listed
        .iter()
        .map(|Listed { record, source, overridden }| {
            let audience: Vec<&str> =
                record.settings["audience"].as_array().into_iter().flatten().filter_map(|name| name.as_str()).collect();
            let source = match source {
                Source::Store if *overridden => "store, overridden by the file",
                Source::Store => "store",
                Source::File => "file",
                Source::Local => "local",
            };
            let id = record.id.map_or("-".to_owned(), |id| id.to_string());
            [id, record.issuer.clone(), record.kind.clone(), audience.join(" "), source.to_owned()]
        })
        .collect();
    output::table(["ID", "ISSUER", "KIND", "AUDIENCE", "SOURCE"], &rows)
}
