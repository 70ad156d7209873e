//! From an open store to a context: migration, the master key and the first run.

use crate::clients_file::ClientsFile;
use crate::config::{self, Config, EnvironmentSecret, environment};
use crate::failure::Failure;
use crate::master_key::Accepted;
use crate::public_url::PublicUrl;
use crate::serve::backups;
use crate::{master_key, providers};
use perennial_app::clients::Credential;
use perennial_app::connections::http::HttpProvider;
use perennial_app::context::{App, AppOptions, Clock, Entropy};
use perennial_app::first_run::{self, FirstRun, FirstRunOptions, Holdings, Start};
use perennial_app::key_rotation;
use perennial_app::keys::MasterKey;
use perennial_app::operators::ProviderSettings;
use perennial_app::providers::{Configured, StartError, check_at_start};
use perennial_domain::clients::Origin;
use perennial_store::Db;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// The secrets and providers of a server, read before the store is opened.
pub(crate) struct Given {
    key: Option<MasterKey>,
    accepted: Accepted,
    bootstrap: Option<Credential>,
    providers: Vec<Configured>,
    console_provider: Option<ProviderSettings>,
}

impl Given {
    pub(crate) fn read(config: &Config) -> Result<Self, Failure> {
        let given = Self {
            key: master_key::given(config)?,
            accepted: Accepted::read(config)?,
            bootstrap: bootstrap_credential()?,
            providers: providers::configured(&config.providers)?,
            console_provider: config.console_provider()?,
        };
        if let Some(fault) = config.console_fault().or_else(|| config.portal_fault()) {
            return Err(fault);
        }
        match given.key {
            None if config.database_url.is_some() => Err(master_key::missing(config)),
            _ => Ok(given),
        }
    }

    /// Checks everything except for the providers, whose errors have a line in the file.
    pub(crate) fn faults(config: &Config) -> Vec<Failure> {
        let key = match master_key::given(config) {
            Ok(None) if config.database_url.is_some() => Some(master_key::missing(config)),
            other => other.err(),
        };
        let faults = [
            Accepted::read(config).err(),
            bootstrap_credential().err(),
            backups::fault(config),
            config.console_fault(),
            config.portal_fault(),
        ];
        key.into_iter().chain(faults.into_iter().flatten()).collect()
    }
}

/// The state of the store at the start.
pub(crate) enum Found {
    /// Empty: this was its first run. The IDs are in a file, unless the operator chose them.
    New {
        first: Box<FirstRun>,
        kept: Option<PathBuf>,
    },
    Existing(Holdings),
}

/// Migrates the store, finds its key and performs a first run if necessary.
pub(crate) async fn start(
    config: &Config,
    given: Given,
    db: Db,
    (address, console): (SocketAddr, SocketAddr),
) -> Result<(App, Found), Failure> {
    let migrated = db.migrate().await?;
    if !migrated.applied.is_empty() {
        tracing::info!(applied = ?migrated.applied, "migrated the store");
    }
    let entropy = Entropy::from_system();
    let is_empty = !first_run::has_happened(&db).await?;
    let key = match given.key {
        Some(key) => key,
        None if is_empty => master_key::make(config, &entropy)?,
        None => return Err(master_key::missing(config)),
    };
    let options = AppOptions {
        public_url: config.public_url.clone().map(PublicUrl::into_text),
        rate_limits: config.rate_limits.app(),
        local_provider: local_provider(config, address),
        providers: given.providers,
        retention: config.retention(),
        console: config.console_options(given.console_provider, console),
        webhooks: config.webhooks.app(),
        lifecycle: config.lifecycle.app(),
        entitlements: config.entitlements.app(),
        analytics: config.analytics.app(),
        portal: config.portal_options(address),
        payment_providers: Some(Arc::new(HttpProvider::default())),
        ..AppOptions::default()
    };
    let app = App::new(db, Clock::System, entropy, given.accepted.keys(&key), options);
    check_at_start(&app).await.map_err(|fault| refused(&fault))?;
    let (trusted, file) = match given.bootstrap {
        None if is_empty => {
            let trusted = Credential::generate(&app.entropy);
            let file = ClientsFile::prepare(&config.data_dir, &trusted)?;
            (Some(trusted), Some(file))
        }
        chosen => (chosen, None),
    };
    let origins = if address.ip().is_loopback() { loopback_origins() } else { Vec::new() };
    match first_run::ensure(&app, FirstRunOptions { trusted, origins }).await? {
        Start::First(first) => {
            let kept = file.map(|file| file.keep(&first)).transpose()?;
            Ok((app, Found::New { first, kept }))
        }
        Start::Existing => {
            file.map_or(Ok(()), ClientsFile::discard)?;
            check_seals(&app).await?;
            let holdings = first_run::holdings(&app.db).await?;
            Ok((app, Found::Existing(holdings)))
        }
        Start::OtherKey => {
            file.map_or(Ok(()), ClientsFile::discard)?;
            Err(Failure::new("this store belongs to another master key: start with the key it was first run with"))
        }
    }
}

/// Seals secrets again under the current master key if necessary. A server without the key that the signing keys
/// are sealed under could not begin sessions, so it does not start.
async fn check_seals(app: &App) -> Result<(), Failure> {
    key_rotation::advance(app).await?;
    match key_rotation::progress(app).await?.lost_signing_keys {
        0 => Ok(()),
        lost => Err(Failure::new(format!(
            "{lost} signing keys in this store are sealed under another master key: set {} to it, or {}_FILE to a file \
             with it, and see `perennial doctor`",
            master_key::PREVIOUS_VARIABLE,
            master_key::PREVIOUS_VARIABLE
        ))),
    }
}

/// Whether the `local` provider is enabled. By default only with a loopback listener.
fn local_provider(config: &Config, address: SocketAddr) -> bool {
    let loopback = address.ip().is_loopback();
    let enabled = config.local_provider();
    if enabled && !loopback {
        tracing::warn!("the local identity provider is enabled: anyone with the master key can sign in as any user");
    }
    enabled
}

fn refused(fault: &StartError) -> Failure {
    let advice = match fault {
        StartError::UnknownOrganization(_) => {
            "; correct `organization` of the provider in the configuration, or see `perennial org list`"
        }
        StartError::File { .. } => "; correct it in the configuration",
        StartError::StoredOwnIssuer { .. } => {
            "; remove it with `perennial provider remove`, or choose another --public-url"
        }
        StartError::App(_) => "",
    };
    Failure::new(format!("{fault}{advice}"))
}

/// The trusted ID that the environment sets for a first run.
pub(crate) fn from_environment() -> Result<Option<EnvironmentSecret>, Failure> {
    config::secret_variable(environment::BOOTSTRAP_VARIABLE)
}

fn bootstrap_credential() -> Result<Option<Credential>, Failure> {
    let Some(secret) = from_environment()? else { return Ok(None) };
    let wrong = || Failure::new(format!("{} must hold 32 to 255 visible ASCII characters", secret.place()));
    Credential::chosen(&secret.secret.0).map(Some).ok_or_else(wrong)
}

fn loopback_origins() -> Vec<Origin> {
    ["http://localhost:*", "http://127.0.0.1:*"].iter().filter_map(|text| Origin::parse(text).ok()).collect()
}
