//! The first run: creates the organization, the fingerprint of the keys and two clients. Of several servers that start at
//! once, one creates them.

use crate::caller::Caller;
use crate::clients::{self, Credential, NewClient, Presents};
use crate::context::App;
use crate::error::Error;
use crate::organizations::{self, DEFAULT_NAME};
use crate::signing_keys;
use perennial_domain::clients::{ClientKind, ClientName, Origin, PublicId};
use perennial_domain::currency::Currency;
use perennial_domain::organizations::{Organization, OrganizationMode, OrganizationName};
use perennial_store::installation::{self, Installation};
use perennial_store::{self as store, Change, Db, Violation};

/// The options of the first run.
pub struct FirstRunOptions {
    /// The trusted client's ID, if the operator chose it.
    pub trusted: Option<Credential>,
    /// The origins of the public client.
    pub origins: Vec<Origin>,
}

/// What the first run created.
pub struct FirstRun {
    /// The organization `default`.
    pub organization: Organization,
    /// The trusted client's ID.
    pub trusted: Credential,
    /// The public client's ID.
    pub public: PublicId,
}

/// The state of the store at the start.
pub enum Start {
    /// Empty: everything was created now.
    First(Box<FirstRun>),
    /// In use, with a master key that this server knows.
    Existing,
    /// In use, with another master key: this server must not start.
    OtherKey,
}

/// The size of a store, counted up to a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holdings {
    /// Organizations.
    pub organizations: i64,
    /// Subscriptions that are not deleted.
    pub subscriptions: i64,
}

impl Holdings {
    /// The bound of the count. One more means: more than this.
    pub const COUNTED: i64 = 10_000;
}

/// The size of the store. The cost hardly depends on it.
pub async fn holdings(db: &Db) -> Result<Holdings, Error> {
    let (organizations, subscriptions) = installation::holdings(db, Holdings::COUNTED + 1).await?;
    Ok(Holdings { organizations, subscriptions })
}

/// Whether the first run has taken place.
pub async fn has_happened(db: &Db) -> Result<bool, Error> {
    Ok(installation::find(db).await?.is_some())
}

/// Whether the store belongs to a master key that this context knows.
pub async fn has_this_key(app: &App) -> Result<bool, Error> {
    let found = installation::find(&app.db).await?;
    Ok(found.is_some_and(|found| matches!(compare(app, &found), Start::Existing)))
}

/// Creates what an empty store needs. Otherwise checks that the store belongs to this master key.
pub async fn ensure(app: &App, options: FirstRunOptions) -> Result<Start, Error> {
    if let Some(found) = installation::find(&app.db).await? {
        return Ok(compare(app, &found));
    }
    let now = app.clock.now();
    let suffix = data_encoding::HEXLOWER.encode(&app.entropy.bytes::<16>());
    let installation = Installation {
        key_fingerprint: app.keys.fingerprint.to_vec(),
        issuer: format!("urn:perennial:{suffix}"),
        created_at: now,
    };
    let trusted = options.trusted.unwrap_or_else(|| Credential::generate(&app.entropy));
    let shown = trusted.clone();
    let public = PublicId::parse(DEFAULT_NAME).expect("the default name is an id");

    let change = installation::insert(Change::new(), &installation);
    let change = signing_keys::prepare_first(app, change, now)?;
    let (organization, change) = default_organization(app, change).await?;
    let caller = Caller::system(organization.id);
    let (_, change) = clients::prepare(app, change, &caller, client("trusted", Presents::Trusted(trusted), vec![]));
    let public_client = client("public", Presents::Public(public.clone()), options.origins);
    let (_, change) = clients::prepare(app, change, &caller, public_client);
    match app.db.commit(change).await {
        Ok(()) => Ok(Start::First(Box::new(FirstRun { organization, trusted: shown, public }))),
        // Another server was faster and has created everything.
        Err(store::Error::Violated(Violation::Record)) => {
            let found = installation::find(&app.db)
                .await?
                .ok_or_else(|| Error::Internal("the row was there a moment ago".into()))?;
            Ok(compare(app, &found))
        }
        Err(error) => Err(error.into()),
    }
}

/// The organization `default`: created, unless an import or a demo has created it.
async fn default_organization(app: &App, change: Change) -> Result<(Organization, Change), Error> {
    if let Some(found) = store::organizations::by_name(&app.db, DEFAULT_NAME).await? {
        return Ok((found, change));
    }
    let name = OrganizationName::parse(DEFAULT_NAME).expect("the default name is a name");
    Ok(organizations::prepare(app, change, name, Currency::USD, None, OrganizationMode::Live))
}

fn client(name: &str, presents: Presents, origins: Vec<Origin>) -> NewClient {
    let kind = match presents {
        Presents::Public(_) => ClientKind::Public,
        Presents::Trusted(_) => ClientKind::Trusted,
    };
    NewClient {
        name: ClientName::parse(name).expect("the first clients' names are names"),
        presents,
        scopes: kind.scopes(),
        origins,
        cidrs: vec![],
        expires_at: None,
    }
}

fn compare(app: &App, found: &Installation) -> Start {
    if app.keys.know(&found.key_fingerprint) { Start::Existing } else { Start::OtherKey }
}
