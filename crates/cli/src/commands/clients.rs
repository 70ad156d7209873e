//! `perennial client`. A trusted client's ID is printed once, when it is created.

use super::flags::{organization, wrong};
use crate::arguments::{Client as Command, ClientCreate, ClientUpdate, Kind};
use crate::failure::Failure;
use crate::output;
use perennial_app::clients::{self, Credential, NewClient, Presents};
use perennial_app::context::App;
use perennial_domain::clients::{
    Client, ClientKind, ClientName, ClientPatch, ClientView, Origin, PublicId, Scope, Scopes,
};
use perennial_domain::id::OrganizationId;
use perennial_domain::time::Time;

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::Create(create) => self::create(app, create, json).await,
        Command::List { org } => {
            let organization = organization(app, &org.org).await?;
            let clients = clients::list(app, organization.id).await?;
            let views: Vec<ClientView<'_>> = clients.iter().map(|client| client.view(None)).collect();
            output::print(json, &views, || listed(&clients))
        }
        Command::Disable { client, org } => {
            let organization = organization(app, &org.org).await?;
            let found = find(app, organization.id, &client).await?;
            let client = clients::disable(app, organization.id, found.id).await?;
            output::print(json, &client.view(None), || {
                format!("Disabled {}: it stops working within 5 seconds.", client.id)
            })
        }
        Command::Enable { client, org } => {
            let organization = organization(app, &org.org).await?;
            let found = find(app, organization.id, &client).await?;
            let client = clients::enable(app, organization.id, found.id).await?;
            output::print(json, &client.view(None), || format!("Enabled {}: it works within 5 seconds.", client.id))
        }
        Command::Update(flags) => update(app, &flags, json).await,
        Command::Rotate { client, org } => {
            let organization = organization(app, &org.org).await?;
            let found = find(app, organization.id, &client).await?;
            if found.kind == ClientKind::Public {
                return Err(Failure::new("a public client's id is no secret: create another client instead"));
            }
            if found.disabled_at.is_some() {
                return Err(Failure::new(format!(
                    "{client:?} is disabled: enable it first with `perennial client enable`, or create another client"
                )));
            }
            let credential = Credential::generate(&app.entropy);
            let client = clients::rotate(app, organization.id, found.id, &credential).await?;
            output::print(json, &client.view(Some(credential.expose())), || {
                format!(
                    "{} now has the id\n\n  {}\n\nIt is shown this once; the old one stops working within 5 seconds.",
                    client.id,
                    credential.expose()
                )
            })
        }
    }
}

async fn update(app: &App, flags: &ClientUpdate, json: bool) -> Result<(), Failure> {
    let organization = organization(app, &flags.org.org).await?;
    let found = find(app, organization.id, &flags.client).await?;
    let (change, kind) = (&flags.change, found.kind);
    let expires_at = change.expires_at.as_deref().map(Time::parse).transpose();
    let expires_at = expires_at.map_err(|reason| wrong("expires-at", &reason))?;
    let changes = ClientPatch {
        scopes: (!change.scopes.is_empty()).then(|| scopes(&change.scopes, kind)).transpose()?.map(Into::into),
        origins: (change.no_origins || !change.origins.is_empty())
            .then(|| origins(&change.origins, kind))
            .transpose()?,
        cidrs: (change.no_cidrs || !change.cidrs.is_empty()).then(|| cidrs(&change.cidrs, kind)).transpose()?,
        expires_at: (change.no_expiry || expires_at.is_some()).then_some(expires_at),
        ..ClientPatch::default()
    };
    let client = clients::update(app, organization.id, found.id, &changes).await?;
    output::print(json, &client.view(None), || {
        format!("Updated {}: the change takes effect within 5 seconds.", client.id)
    })
}

async fn create(app: &App, create: ClientCreate, json: bool) -> Result<(), Failure> {
    let organization = organization(app, &create.org.org).await?;
    let (kind, presents, presented) = presents(app, create.kind, create.client_id.as_deref())?;
    let new = NewClient {
        name: ClientName::parse(&create.name).map_err(|reason| wrong("name", &reason))?,
        presents,
        scopes: scopes(&create.scopes, kind)?,
        origins: origins(&create.origins, kind)?,
        cidrs: cidrs(&create.cidrs, kind)?,
        expires_at: create
            .expires_at
            .as_deref()
            .map(Time::parse)
            .transpose()
            .map_err(|reason| wrong("expires-at", &reason))?,
    };
    let taken = Failure::new("a client of this installation has this id already: choose another --client-id");
    let client = clients::create(app, organization.id, new).await?.ok_or(taken)?;
    output::print(json, &client.view(Some(&presented)), || match kind {
        ClientKind::Public => format!("Created {} with the client-id\n\n  {presented}", client.id),
        ClientKind::Trusted => format!(
            "Created {} with the client-id\n\n  {presented}\n\nIt is a credential, and shown this once.",
            client.id
        ),
    })
}

fn presents(app: &App, kind: Kind, chosen: Option<&str>) -> Result<(ClientKind, Presents, String), Failure> {
    match kind {
        Kind::Public => {
            let id = match chosen {
                Some(text) => PublicId::parse(text).map_err(|reason| wrong("client-id", &reason))?,
                None => clients::generated_name(app),
            };
            let shown = id.as_str().to_owned();
            Ok((ClientKind::Public, Presents::Public(id), shown))
        }
        Kind::Trusted => {
            let credential = match chosen {
                Some(text) => Credential::chosen(text).ok_or_else(|| {
                    Failure::new("--client-id of a trusted client must be 32 to 255 visible ASCII characters")
                })?,
                None => Credential::generate(&app.entropy),
            };
            let shown = credential.expose().to_owned();
            Ok((ClientKind::Trusted, Presents::Trusted(credential), shown))
        }
    }
}

fn scopes(words: &[String], kind: ClientKind) -> Result<Scopes, Failure> {
    let known = || kind.scopes().iter().map(Scope::as_str).collect::<Vec<_>>().join(", ");
    let mut scopes = Vec::new();
    for word in words {
        let scope = Scope::parse(word).filter(|scope| kind.scopes().contain(*scope));
        scopes.push(scope.ok_or_else(|| {
            Failure::new(format!("a {} client cannot hold the scope {word:?}; it may hold {}", kind.as_str(), known()))
        })?);
    }
    Ok(Scopes::of(&scopes))
}

fn origins(texts: &[String], kind: ClientKind) -> Result<Vec<Origin>, Failure> {
    if kind == ClientKind::Trusted && !texts.is_empty() {
        return Err(Failure::new("--origin is for public clients: a trusted client must not be used from a browser"));
    }
    texts.iter().map(|text| Origin::parse(text).map_err(|reason| wrong("origin", &reason))).collect()
}

fn cidrs(texts: &[String], kind: ClientKind) -> Result<Vec<ipnet::IpNet>, Failure> {
    if kind == ClientKind::Public && !texts.is_empty() {
        return Err(Failure::new("--cidr is for trusted clients: a public client is called from anywhere"));
    }
    let parse = |text: &String| {
        text.parse().map_err(|_| Failure::new(format!("--cidr {text:?} is not a range such as 10.0.0.0/8")))
    };
    texts.iter().map(parse).collect()
}

/// A client by its record ID or its name.
async fn find(app: &App, organization: OrganizationId, name_or_id: &str) -> Result<Client, Failure> {
    let clients = clients::list(app, organization).await?;
    let mut matching =
        clients.into_iter().filter(|client| client.id.to_string() == name_or_id || client.name.as_str() == name_or_id);
    match (matching.next(), matching.next()) {
        (Some(client), None) => Ok(client),
        (Some(_), Some(_)) => Err(Failure::new(format!(
            "several clients are called {name_or_id:?}: name one by its id, see `perennial client list`"
        ))),
        (None, _) => Err(Failure::new(format!("there is no client {name_or_id:?}: see `perennial client list`"))),
    }
}

fn listed(clients: &[Client]) -> String {
    let rows: Vec<[String; 5]> = clients
        .iter()
        .map(|client| {
            let state = if client.disabled_at.is_some() { "disabled" } else { "enabled" };
            let scopes: Vec<&str> = client.scopes.iter().map(Scope::as_str).collect();
            let presented = client.public_id.as_ref().map_or("(hidden)", PublicId::as_str);
            let name = format!("{} ({})", client.name.as_str(), client.kind.as_str());
            [client.id.to_string(), name, presented.to_owned(), state.to_owned(), scopes.join(" ")]
        })
        .collect();
    output::table(["ID", "NAME", "CLIENT-ID", "STATE", "SCOPES"], &rows)
}
