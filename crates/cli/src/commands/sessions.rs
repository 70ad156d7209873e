//! `perennial session`: where people are signed in. Of the tokens nothing is kept, so nothing of them is shown.

use super::records::{self, Column, Kind, text};
use super::{organization, users};
use crate::arguments::{Session as Command, SessionRevoke};
use crate::failure::Failure;
use crate::output;
use perennial_app::clients;
use perennial_app::context::App;
use perennial_app::sessions::{self, Query, Session};
use perennial_domain::id::{ClientId, OrganizationId, SessionId, UserId};
use perennial_domain::time::Time;
use perennial_store::Position;
use serde::Serialize;
use serde_json::json;
use std::collections::HashMap;

static KIND: Kind = Kind {
    name: "session",
    fields: &[
        "id",
        "user_id",
        "client_id",
        "client_name",
        "issued_at",
        "expiration_time",
        "last_used_at",
        "ip_address",
        "user_agent",
        "revoked",
        "created_at",
        "updated_at",
    ],
    columns: &[
        Column::whole("ID", "id"),
        Column::new("USER", "user_id"),
        Column::new("CLIENT", "client_name"),
        Column::new("ISSUED", "issued_at"),
        Column::new("LAST USED", "last_used_at"),
        Column::new("EXPIRES", "expiration_time"),
        Column::new("REVOKED", "revoked"),
        Column::new("ADDRESS", "ip_address"),
    ],
};

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::List { user, ended, portion } => {
            let organization = organization(app, &portion.org.org).await?.id;
            let clients = client_names(app, organization).await?;
            let user_id = match &user {
                Some(named) => Some(users::find(app, organization, named).await?.id),
                None => None,
            };
            let query = Query { user_id, live_at: (!ended).then(|| app.clock.now()) };
            let after = match &portion.after {
                Some(named) => Some(Position { values: vec![find(app, organization, named).await?.id.bytes().into()] }),
                None => None,
            };
            let pages = async |after, limit| Ok(sessions::page(app, organization, &query, after, limit).await?);
            let record = |found: &Session| (found.id.to_string(), text(&SessionView::of(found, &clients)));
            records::list(&KIND, json, &portion, after, pages, record).await
        }
        Command::Revoke(revoke) => self::revoke(app, &revoke, json).await,
        Command::Get { session, single } => {
            let organization = organization(app, &single.org.org).await?.id;
            let found = find(app, organization, &session).await?;
            let clients = client_names(app, organization).await?;
            records::show(&KIND, json, &single, &text(&SessionView::of(&found, &clients)))
        }
    }
}

async fn revoke(app: &App, flags: &SessionRevoke, json: bool) -> Result<(), Failure> {
    let organization = organization(app, &flags.org.org).await?.id;
    let (field, id, revoked) = match (&flags.session, &flags.user) {
        (Some(named), _) => {
            let session = find(app, organization, named).await?;
            ("session_id", session.id.to_string(), sessions::end(app, organization, session.id).await?)
        }
        (None, Some(named)) => {
            let user = users::find(app, organization, named).await?;
            ("user_id", user.id.to_string(), sessions::revoke_user(app, organization, user.id).await?)
        }
        (None, None) => return Err(Failure::new("name a session, or a user with --user")),
    };
    output::print(json, &json!({ field: id, "revoked": revoked }), || match (field, revoked) {
        ("session_id", 0) => format!("{id} had ended already."),
        ("session_id", _) => format!("Revoked {id}."),
        _ => format!("Revoked {} of {id}.", output::counted(revoked, "session")),
    })
}

async fn find(app: &App, organization: OrganizationId, named: &str) -> Result<Session, Failure> {
    let found = match named.parse() {
        Ok(id) => sessions::find(app, organization, id).await?,
        Err(_) => None,
    };
    found.ok_or_else(|| KIND.missing(named))
}

/// What the organization's clients are called.
async fn client_names(app: &App, organization: OrganizationId) -> Result<HashMap<ClientId, String>, Failure> {
    let clients = clients::list(app, organization).await?;
    Ok(clients.into_iter().map(|client| (client.id, client.name.as_str().to_owned())).collect())
}

/// A session as the API tells its owner, with whose it is in place of whether it is the caller's own.
#[derive(Serialize)]
struct SessionView<'a> {
    id: SessionId,
    user_id: UserId,
    client_id: ClientId,
    client_name: Option<&'a str>,
    issued_at: Time,
    expiration_time: Time,
    last_used_at: Time,
    ip_address: Option<&'a str>,
    user_agent: Option<&'a str>,
    revoked: bool,
    created_at: Time,
    updated_at: Time,
}

impl<'a> SessionView<'a> {
    fn of(session: &'a Session, clients: &'a HashMap<ClientId, String>) -> Self {
        Self {
            id: session.id,
            user_id: session.user_id,
            client_id: session.client_id,
            client_name: clients.get(&session.client_id).map(String::as_str),
            issued_at: session.signed_in_at,
            expiration_time: session.expires_at,
            last_used_at: session.last_used_at,
            ip_address: session.ip_address.as_deref(),
            user_agent: session.user_agent.as_deref(),
            revoked: session.revoked_at.is_some(),
            created_at: session.signed_in_at,
            updated_at: session.rotated_at.max(session.last_used_at),
        }
    }
}
