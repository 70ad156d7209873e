//! `perennial session`: sessions of users. Tokens are not stored, so none are shown.

use super::flags::organization;
use super::records::{self, Column, Kind, Record, find, parse_id, position_of, text};
use crate::arguments::{Session as Command, SessionFilters, SessionRevoke};
use crate::failure::Failure;
use crate::output;
use perennial_app::caller::Caller;
use perennial_app::clients;
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::sessions::{self, Query, Session};
use perennial_domain::id::ClientId;
use perennial_domain::portal::PORTAL_CLIENT_NAME;
use perennial_domain::users::User;
use perennial_http::record_fields;
use perennial_store::{Page, Position};
use serde_json::json;
use std::collections::HashMap;

static KIND: Kind = Kind {
    name: "session",
    fields: || record_fields("UserSession"),
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
        Command::List { filters, portion } => records::list::<SessionRecord>(app, &filters, &portion, json).await,
        Command::Revoke(revoke) => self::revoke(app, &revoke, json).await,
        Command::Get { session, single } => records::get::<SessionRecord>(app, &session, &single, json).await,
    }
}

/// A session with the name of its client.
struct SessionRecord {
    session: Session,
    client_name: Option<String>,
}

impl SessionRecord {
    fn named(session: Session, clients: &HashMap<ClientId, String>) -> Self {
        let client_name = match session.client_id {
            Some(id) => clients.get(&id).cloned(),
            None => Some(PORTAL_CLIENT_NAME.to_owned()),
        };
        Self { session, client_name }
    }
}

impl Record for SessionRecord {
    type Filters = SessionFilters;
    /// The filters, and the names of the organization's clients.
    type Query = (Query, HashMap<ClientId, String>);

    const KIND: &'static Kind = &KIND;

    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        let session = sessions::read(app, caller, parse_id(named)?).await?;
        let clients = client_names(app, caller).await?;
        Ok(Self::named(session, &clients))
    }

    async fn query(app: &App, caller: &Caller, filters: &SessionFilters) -> Result<Self::Query, Failure> {
        let clients = client_names(app, caller).await?;
        let user_id = match &filters.user {
            Some(named) => Some(find::<User>(app, caller, named).await?.id),
            None => None,
        };
        Ok((Query { user_id, live_at: (!filters.ended).then(|| app.clock.now()) }, clients))
    }

    async fn page(
        app: &App,
        caller: &Caller,
        (query, clients): &Self::Query,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Page<Self>, Error> {
        let Page { items, next } = sessions::page(app, caller, query.clone(), after, limit).await?;
        let named = |session: Session| Self::named(session, clients);
        Ok(Page { items: items.into_iter().map(named).collect(), next })
    }

    fn position(&self, _: &Self::Query) -> Position {
        position_of(self.session.id.bytes())
    }

    fn name(&self) -> String {
        self.session.id.to_string()
    }

    fn render(&self, _: &App) -> String {
        text(&sessions::SessionRecord::of(&self.session, self.client_name.as_deref()))
    }
}

async fn revoke(app: &App, flags: &SessionRevoke, json: bool) -> Result<(), Failure> {
    let organization = organization(app, &flags.org.org).await?.id;
    let caller = Caller::system(organization);
    let (field, id, revoked) = match (&flags.session, &flags.user) {
        (Some(named), _) => {
            let id = find::<SessionRecord>(app, &caller, named).await?.session.id;
            ("session_id", id.to_string(), sessions::end(app, &caller, id).await?)
        }
        (None, Some(named)) => {
            let user = find::<User>(app, &caller, named).await?;
            ("user_id", user.id.to_string(), sessions::revoke_user(app, &caller, user.id).await?)
        }
        (None, None) => return Err(Failure::new("name a session, or a user with --user")),
    };
    output::print(json, &json!({ field: id, "revoked": revoked }), || match (field, revoked) {
        ("session_id", 0) => format!("{id} had ended already."),
        ("session_id", _) => format!("Revoked {id}."),
        _ => format!("Revoked {} of {id}.", output::counted(revoked, "session")),
    })
}

/// The names of the organization's clients.
async fn client_names(app: &App, caller: &Caller) -> Result<HashMap<ClientId, String>, Error> {
    let clients = clients::list(app, caller.organization()).await?;
    Ok(clients.into_iter().map(|client| (client.id, client.name.as_str().to_owned())).collect())
}
