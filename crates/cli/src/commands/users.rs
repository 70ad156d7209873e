//! `perennial user`.

use super::flags::{organization, wrong};
use super::records::{self, Column, Kind, Record, parse_id, position_of, text};
use super::relink;
use crate::arguments::User as Command;
use crate::failure::Failure;
use crate::output;
use perennial_app::accounts::{self, Erased};
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::users;
use perennial_domain::id::{OrganizationId, UserId};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::users::{Email, User};
use perennial_store::{Page, Position};
use serde::Serialize;
use serde_json::json;

static KIND: Kind = Kind {
    name: "user",
    fields: || {
        records::fields(&[
            "id",
            "auth_id",
            "auth_provider",
            "auth_type",
            "organization_id",
            "email",
            "username",
            "first_name",
            "last_name",
            "terms",
            "notifications",
            "role",
            "is_blocked",
            "created_at",
            "updated_at",
        ])
    },
    columns: &[Column::whole("ID", "id"), Column::new("E-MAIL", "email"), Column::new("CREATED", "created_at")],
};

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::Relink(flags) => relink::run(app, &flags, json).await,
        Command::Create { email, org } => {
            let email = Email::parse(&email).map_err(|reason| wrong("email", &reason))?;
            let organization = organization(app, &org.org).await?;
            let taken =
                Failure::new(format!("a user of {} has this e-mail address already", organization.name.as_str()));
            let user = users::create(app, organization.id, email).await?.ok_or(taken)?;
            output::print(json, &UserView::of(&user), || format!("Created {}.", user.id))
        }
        Command::List(portion) => records::list::<User>(app, &(), &portion, json).await,
        Command::Block { user, org } => {
            let organization = organization(app, &org.org).await?.id;
            let found = find(app, organization, &user).await?;
            let (user, revoked) = users::block(app, organization, found.id).await?;
            output::print(json, &UserView::of(&user), || {
                format!("Blocked {}; {} ended.", user.id, output::counted(revoked, "session"))
            })
        }
        Command::Unblock { user, org } => {
            let organization = organization(app, &org.org).await?.id;
            let found = find(app, organization, &user).await?;
            let user = users::unblock(app, organization, found.id).await?;
            output::print(json, &UserView::of(&user), || format!("{} can sign in again.", user.id))
        }
        Command::Erase { user, org } => {
            let organization = organization(app, &org.org).await?.id;
            let id = find(app, organization, &user).await?.id;
            let Erased { sessions, subscriptions } = accounts::erase(app, organization, id).await?;
            let data = json!({ "user_id": id, "sessions_ended": sessions, "subscriptions_cancelled": subscriptions });
            output::print(json, &data, || {
                let ended = (output::counted(sessions, "session"), output::counted(subscriptions, "subscription"));
                format!("Erased {id}; ended {} and {}.", ended.0, ended.1)
            })
        }
        Command::Get { user, single } => records::get::<User>(app, &user, &single, json).await,
    }
}

/// The user that an argument names.
async fn find(app: &App, organization: OrganizationId, named: &str) -> Result<User, Failure> {
    records::find(app, &Caller::system(organization), named).await
}

impl Record for User {
    type Filters = ();
    type Query = ();

    const KIND: &'static Kind = &KIND;

    /// A user by ID or e-mail address.
    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        match Email::parse(named) {
            Ok(email) => users::read_by_email(app, caller, &email).await,
            Err(_) => users::read(app, caller, parse_id(named)?).await,
        }
    }

    async fn query(_: &App, _: &Caller, (): &()) -> Result<(), Failure> {
        Ok(())
    }

    async fn page(
        app: &App,
        caller: &Caller,
        (): &(),
        after: Option<Position>,
        limit: usize,
    ) -> Result<Page<Self>, Error> {
        users::page(app, caller, after, limit).await
    }

    fn position(&self, (): &()) -> Position {
        position_of(self.id.bytes())
    }

    fn name(&self) -> String {
        self.id.to_string()
    }

    fn render(&self, _: &App) -> String {
        text(&UserView::of(self))
    }
}

/// A user as `GET /users/me` returns it, without the session.
#[derive(Serialize)]
struct UserView<'a> {
    id: UserId,
    auth_id: Option<&'a str>,
    auth_provider: Option<&'a str>,
    auth_type: Option<&'a str>,
    organization_id: OrganizationId,
    email: Option<&'a str>,
    username: Option<&'a str>,
    first_name: Option<&'a str>,
    last_name: Option<&'a str>,
    terms: Option<bool>,
    notifications: Option<bool>,
    role: &'static str,
    is_blocked: bool,
    created_at: Time,
    updated_at: Time,
}

impl<'a> UserView<'a> {
    fn of(user: &'a User) -> Self {
        let (identity, profile) = (&user.identity, &user.profile);
        Self {
            id: user.id,
            auth_id: identity.as_ref().map(|identity| identity.subject.as_str()),
            auth_provider: identity.as_ref().map(|identity| identity.issuer.as_str()),
            auth_type: profile.auth_type.as_ref().map(Line::as_str),
            organization_id: user.organization_id,
            email: user.email.as_ref().map(Email::as_str),
            username: profile.username.as_ref().map(Line::as_str),
            first_name: profile.first_name.as_ref().map(Line::as_str),
            last_name: profile.last_name.as_ref().map(Line::as_str),
            terms: profile.terms,
            notifications: profile.notifications,
            role: "user",
            is_blocked: user.is_blocked(),
            created_at: user.created_at,
            updated_at: user.updated_at,
        }
    }
}
