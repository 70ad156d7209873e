//! `perennial user`.

use super::flags::{organization, read_flag, read_sort, wrong};
use super::records::{self, Column, Kind, Record, parse_id, text};
use super::relink;
use crate::arguments::{InOrg, ProfileField, ProfileFlags, User as Command, UserFilters, UserUpdate};
use crate::failure::Failure;
use crate::output;
use perennial_app::accounts::{self, Erased};
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::{Conflict, Error};
use perennial_app::revision::IfMatch;
use perennial_app::users::{self, Query, UserRecord};
use perennial_domain::id::UserId;
use perennial_domain::organizations::Organization;
use perennial_domain::time::Time;
use perennial_domain::users::{AuthType, Email, EmailPrefix, PersonalName, User, UserDraft};
use perennial_domain::validation::ValidationErrors;
use perennial_http::record_fields;
use perennial_store::{Page, Position, Range};
use serde_json::json;

static KIND: Kind = Kind {
    name: "user",
    fields: || record_fields("ManagedUser"),
    columns: &[Column::whole("ID", "id"), Column::new("E-MAIL", "email"), Column::new("CREATED", "created_at")],
};

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::Relink(flags) => relink::run(app, &flags, json).await,
        Command::Create { email, profile, org } => {
            let email = Email::parse(&email).map_err(|reason| wrong("email", &reason))?;
            let draft = UserDraft { email: Some(Some(email)), ..draft(&profile)? };
            let organization = organization(app, &org.org).await?;
            let created = users::create(app, &Caller::system(organization.id), draft, ValidationErrors::none()).await;
            let user = created.map_err(|error| conflict(error, &organization))?;
            output::print(json, &UserRecord::of(&user), || format!("Created {}.", user.id))
        }
        Command::Update(update) => self::update(app, &update, json).await,
        Command::List { filters, portion } => records::list::<User>(app, &filters, &portion, json).await,
        Command::Block { user, org } => {
            let (caller, id) = named(app, &org, &user).await?;
            let (user, revoked) = users::block(app, &caller, id).await?;
            output::print(json, &UserRecord::of(&user), || {
                format!("Blocked {}; {} ended.", user.id, output::counted(revoked, "session"))
            })
        }
        Command::Unblock { user, org } => {
            let (caller, id) = named(app, &org, &user).await?;
            let user = users::unblock(app, &caller, id).await?;
            output::print(json, &UserRecord::of(&user), || format!("{} can sign in again.", user.id))
        }
        Command::Erase { user, org } => {
            let (caller, id) = named(app, &org, &user).await?;
            let Erased { sessions, subscriptions } = accounts::erase(app, &caller, id, &IfMatch::Unconditional).await?;
            let data = json!({ "user_id": id, "sessions_ended": sessions, "subscriptions_cancelled": subscriptions });
            output::print(json, &data, || {
                let ended = (output::counted(sessions, "session"), output::counted(subscriptions, "subscription"));
                format!("Erased {id}; ended {} and {}.", ended.0, ended.1)
            })
        }
        Command::Get { user, single } => records::get::<User>(app, &user, &single, json).await,
    }
}

async fn update(app: &App, flags: &UserUpdate, json: bool) -> Result<(), Failure> {
    let organization = organization(app, &flags.org.org).await?;
    let caller = Caller::system(organization.id);
    let mut patch = draft(&flags.profile)?;
    patch.email = read_flag("email", flags.email.as_deref(), Email::parse)?.map(Some);
    for field in &flags.clear {
        match field {
            ProfileField::Username => patch.username = Some(None),
            ProfileField::FirstName => patch.first_name = Some(None),
            ProfileField::LastName => patch.last_name = Some(None),
            ProfileField::Terms => patch.terms = Some(None),
            ProfileField::Notifications => patch.notifications = Some(None),
            ProfileField::AuthType => patch.auth_type = Some(None),
        }
    }
    if patch == UserDraft::default() {
        return Err(Failure::new("nothing to update: give at least one field, such as --first-name"));
    }
    let id = records::find::<User>(app, &caller, &flags.user).await?.id;
    let read = |_: &User| (patch.clone(), ValidationErrors::none());
    let updated = users::update(app, &caller, id, &IfMatch::Unconditional, read).await;
    let user = updated.map_err(|error| conflict(error, &organization))?;
    output::print(json, &UserRecord::of(&user), || format!("Updated {}.", user.id))
}

/// The fields of a create or an update, apart from the address.
fn draft(flags: &ProfileFlags) -> Result<UserDraft, Failure> {
    let name = |flag, text: &Option<String>| {
        Ok::<_, Failure>(read_flag(flag, text.as_deref(), PersonalName::parse)?.map(Some))
    };
    Ok(UserDraft {
        username: name("username", &flags.username)?,
        first_name: name("first-name", &flags.first_name)?,
        last_name: name("last-name", &flags.last_name)?,
        terms: flags.terms.map(Some),
        notifications: flags.notifications.map(Some),
        auth_type: read_flag("auth-type", flags.auth_type.as_deref(), AuthType::parse)?.map(Some),
        ..UserDraft::default()
    })
}

/// The failure of a command, with a sentence for each conflict.
fn conflict(error: Error, organization: &Organization) -> Failure {
    match error {
        Error::Conflict(Conflict::EmailTaken) => {
            Failure::new(format!("a user of {} has this e-mail address already", organization.name.as_str()))
        }
        Error::Conflict(Conflict::EmailManaged) => {
            Failure::new("the identity provider manages this user's e-mail address: change it there")
        }
        error => error.into(),
    }
}

/// The operator in an organization, and the user that an argument names.
async fn named(app: &App, org: &InOrg, user: &str) -> Result<(Caller, UserId), Failure> {
    let caller = Caller::system(organization(app, &org.org).await?.id);
    let id = records::find::<User>(app, &caller, user).await?.id;
    Ok((caller, id))
}

impl Record for User {
    type Filters = UserFilters;
    type Query = Query;

    const KIND: &'static Kind = &KIND;

    /// A user by ID or e-mail address.
    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        match Email::parse(named) {
            Ok(email) => users::read_by_email(app, caller, &email).await,
            Err(_) => users::read(app, caller, parse_id(named)?).await,
        }
    }

    async fn query(_: &App, _: &Caller, filters: &UserFilters) -> Result<Query, Failure> {
        let ((), descending) = read_sort(&filters.sort, &[("created_at", ())])?;
        Ok(Query {
            ids: None,
            email: read_flag("email", filters.email.as_deref(), Email::parse)?,
            email_prefix: read_flag("email-prefix", filters.email_prefix.as_deref(), EmailPrefix::parse)?,
            subject: filters.auth_id.clone(),
            created: Range {
                after: read_flag("created-after", filters.created_after.as_deref(), Time::parse)?,
                before: read_flag("created-before", filters.created_before.as_deref(), Time::parse)?,
            },
            ascending: !descending,
        })
    }

    async fn page(
        app: &App,
        caller: &Caller,
        query: &Query,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Page<Self>, Error> {
        users::page(app, caller, query, after, limit).await
    }

    fn position(&self, query: &Query) -> Position {
        query.position(self)
    }

    fn name(&self) -> String {
        self.id.to_string()
    }

    fn render(&self, _: &App) -> String {
        text(&UserRecord::of(self))
    }
}
