//! `perennial operator` and `perennial console open`. A one-time link is printed alone on standard output.

use super::flags::{organization, wrong};
use super::records::{self, Column, Kind, Record, find, parse_id, position_of, text};
use crate::arguments::{Console, ConsoleOpen, Operator as Command, OperatorChange};
use crate::config::Config;
use crate::failure::Failure;
use crate::{output, private_file};
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::{Conflict, Error};
use perennial_app::operators::{self, NewLink, Operator, OperatorDraft, OperatorSession, Role};
use perennial_app::revision::IfMatch;
use perennial_domain::id::{OperatorId, OrganizationId};
use perennial_domain::operators::OperatorName;
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use perennial_http::record_fields;
use perennial_store::{Page, Position};
use serde::Serialize;
use serde_json::{Value, json};

static KIND: Kind = Kind {
    name: "operator",
    fields: || record_fields("Operator"),
    columns: &[
        Column::whole("ID", "id"),
        Column::new("NAME", "name"),
        Column::new("ROLE", "role"),
        Column::new("ACTIVE", "is_active"),
        Column::new("LAST SIGN-IN", "last_sign_in_at"),
    ],
};

pub(super) async fn run(app: &App, command: Command, config: &Config, json: bool) -> Result<(), Failure> {
    match command {
        Command::List(portion) => records::list::<Operator>(app, &(), &portion, json).await,
        Command::Get { operator, single } => records::get::<Operator>(app, &operator, &single, json).await,
        Command::Create { name, role, org } => {
            let caller = Caller::system(organization(app, &org.org).await?.id);
            let operator = create(app, &caller, &name, role.role()).await?;
            output::print(json, &View::of(&operator), || format!("Created {}.", operator.id))
        }
        Command::Update { operator, change, org } => {
            let caller = Caller::system(organization(app, &org.org).await?.id);
            let found = find::<Operator>(app, &caller, &operator).await?;
            let draft = draft(&change)?;
            let read = |_: &Operator| (draft.clone(), ValidationErrors::none());
            let updated = operators::update(app, &caller, found.id, &IfMatch::Unconditional, read).await;
            let operator = updated.map_err(taken)?;
            output::print(json, &View::of(&operator), || format!("Updated {}.", operator.id))
        }
        Command::Delete { operator, org } => {
            let caller = Caller::system(organization(app, &org.org).await?.id);
            let found = find::<Operator>(app, &caller, &operator).await?;
            let operator = operators::delete(app, &caller, found.id, &IfMatch::Unconditional).await?;
            output::print(json, &View::of(&operator), || format!("Deleted {}; its sessions ended.", operator.id))
        }
        Command::Sessions { operator, end, org } => {
            let caller = Caller::system(organization(app, &org.org).await?.id);
            let found = find::<Operator>(app, &caller, &operator).await?;
            sessions(app, &caller, found.id, end.as_deref(), json).await
        }
        Command::Link { operator, url, org } => {
            let caller = Caller::system(organization(app, &org.org).await?.id);
            let found = find::<Operator>(app, &caller, &operator).await?;
            let link = link(app, &caller, found.id).await?;
            print_link(&link, &base(config, url), found.id, json)
        }
    }
}

/// `perennial console open`: finds or creates the operator and prints its link, or opens it.
pub(super) async fn console(app: &App, command: Console, config: &Config, json: bool) -> Result<(), Failure> {
    let Console::Open(ConsoleOpen { operator: name, role, url, browser, org }) = command;
    let caller = Caller::system(organization(app, &org.org).await?.id);
    let role = role.map(crate::arguments::Role::role);
    let operator = find_or_create(app, &caller, &name, role.unwrap_or(Role::Admin)).await?;
    if let Some(role) = role.filter(|role| *role != operator.role) {
        return Err(Failure::new(format!(
            "the operator {name:?} has the role {}, not {}: change it with `perennial operator update`, or omit --role",
            operator.role.as_str(),
            role.as_str()
        )));
    }
    let link = link(app, &caller, operator.id).await?;
    let base = base(config, url);
    if browser { open_browser(config, &link.url(&base)) } else { print_link(&link, &base, operator.id, json) }
}

/// A one-time link of the operator `admin` of the organization `default`, which is created if there is none.
pub(crate) async fn first_link(app: &App, base: &str) -> Result<String, Failure> {
    let caller = Caller::system(organization(app, "default").await?.id);
    let operator = find_or_create(app, &caller, "admin", Role::Admin).await?;
    Ok(link(app, &caller, operator.id).await?.url(base))
}

/// The operator with this name, which is created if there is none.
async fn find_or_create(app: &App, caller: &Caller, name: &str, role: Role) -> Result<Operator, Failure> {
    let name = OperatorName::parse(name).map_err(|reason| wrong("operator", &reason))?;
    let found = operators::read_by_name(app, caller, name.as_str()).await;
    if !matches!(found, Err(Error::NotFound)) {
        return Ok(found?);
    }
    let draft = OperatorDraft { name: Some(name.clone()), role: Some(role), is_active: None };
    match operators::add(app, caller, draft).await {
        // Another process created it at the same time.
        Err(Error::Conflict(Conflict::NameTaken)) => Ok(operators::read_by_name(app, caller, name.as_str()).await?),
        created => Ok(created?),
    }
}

async fn create(app: &App, caller: &Caller, name: &str, role: Role) -> Result<Operator, Failure> {
    let name = OperatorName::parse(name).map_err(|reason| wrong("name", &reason))?;
    let draft = OperatorDraft { name: Some(name), role: Some(role), is_active: None };
    operators::add(app, caller, draft).await.map_err(taken)
}

fn draft(change: &OperatorChange) -> Result<OperatorDraft, Failure> {
    let name = change.name.as_deref().map(OperatorName::parse).transpose();
    Ok(OperatorDraft {
        name: name.map_err(|reason| wrong("name", &reason))?,
        role: change.role.map(crate::arguments::Role::role),
        is_active: change.is_active,
    })
}

fn taken(error: Error) -> Failure {
    match error {
        Error::Conflict(Conflict::NameTaken) => {
            Failure::new("an operator of this organization has this name already: choose another --name")
        }
        other => other.into(),
    }
}

async fn sessions(
    app: &App,
    caller: &Caller,
    operator: OperatorId,
    end: Option<&str>,
    json: bool,
) -> Result<(), Failure> {
    if let Some(named) = end {
        let missing = || Failure::new(format!("there is no live session {named:?} of this operator"));
        let id = named.parse().map_err(|_| missing())?;
        let ended = match operators::end_session(app, caller, operator, id).await {
            Err(Error::NotFound) => return Err(missing()),
            ended => ended?,
        };
        return output::print(json, &session_view(&ended), || format!("Ended {}.", ended.id));
    }
    let sessions = operators::live_sessions(app, caller, operator).await?;
    let views: Vec<Value> = sessions.iter().map(session_view).collect();
    output::print(json, &views, || {
        let rows: Vec<[String; 5]> = sessions
            .iter()
            .map(|session| {
                let time = |time: Time| text(&time).replace('"', "");
                let address = session.ip_address.clone().unwrap_or_default();
                let (signed_in, used) = (time(session.signed_in_at), time(session.last_used_at));
                [session.id.to_string(), session.method.as_str().to_owned(), signed_in, used, address]
            })
            .collect();
        output::table(["ID", "METHOD", "SIGNED IN", "LAST USED", "ADDRESS"], &rows)
    })
}

fn session_view(session: &OperatorSession) -> Value {
    json!({
        "id": session.id, "operator_id": session.operator_id, "method": session.method,
        "signed_in_at": session.signed_in_at, "last_used_at": session.last_used_at, "expires_at": session.expires_at,
        "ip_address": session.ip_address, "user_agent": session.user_agent
    })
}

async fn link(app: &App, caller: &Caller, operator: OperatorId) -> Result<NewLink, Failure> {
    operators::create_link(app, caller, operator).await.map_err(|error| match error {
        Error::Conflict(Conflict::LinkLimit) => {
            Failure::new("the operator has ten unused links: use one of them, or wait until they expire")
        }
        Error::Conflict(Conflict::OperatorDisabled) => {
            Failure::new("the operator is disabled: enable it with `perennial operator update --is-active true`")
        }
        other => other.into(),
    })
}

fn print_link(link: &NewLink, base: &str, operator: OperatorId, json: bool) -> Result<(), Failure> {
    let url = link.url(base);
    let data = json!({ "url": url, "expires_at": link.expires_at, "operator_id": operator });
    output::print(json, &data, || url.clone())
}

fn base(config: &Config, url: Option<String>) -> String {
    let url = url.unwrap_or_else(|| config.console_url(config.console.listen.unwrap_or(config.listen)));
    url.trim_end_matches('/').to_owned()
}

/// Opens the link through a page in a private file: other users of this machine can read the arguments of a process.
fn open_browser(config: &Config, url: &str) -> Result<(), Failure> {
    let path = config.data_dir.join("console.html");
    let failed = |error: std::io::Error| Failure::new(format!("{} cannot be written: {error}", path.display()));
    private_file::remove(&path).map_err(failed)?;
    let html = format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={url}\">");
    private_file::create(&path, &html).map_err(failed)?;
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    match std::process::Command::new(program).arg(&path).status() {
        Ok(status) if status.success() => output::write("The browser opens the console.\n"),
        _ => Err(Failure::new(format!("{program} cannot open a browser: run the command without --browser"))),
    }
}

impl Record for Operator {
    type Filters = ();
    type Query = ();

    const KIND: &'static Kind = &KIND;

    /// An operator by ID or name.
    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        match parse_id::<OperatorId>(named) {
            Ok(id) => operators::read(app, caller, id).await,
            Err(_) => operators::read_by_name(app, caller, named).await,
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
        operators::page(app, caller, after, limit).await
    }

    fn position(&self, (): &()) -> Position {
        position_of(self.id.bytes())
    }

    fn name(&self) -> String {
        self.id.to_string()
    }

    fn render(&self, _: &App) -> String {
        text(&View::of(self))
    }
}

/// An operator as the API returns it.
#[derive(Serialize)]
struct View<'a> {
    id: OperatorId,
    organization_id: OrganizationId,
    name: &'a str,
    role: Role,
    issuer: Option<&'a str>,
    subject: Option<&'a str>,
    is_active: bool,
    last_sign_in_at: Option<Time>,
    created_at: Time,
    updated_at: Time,
}

impl<'a> View<'a> {
    fn of(operator: &'a Operator) -> Self {
        Self {
            id: operator.id,
            organization_id: operator.organization_id,
            name: operator.name.as_str(),
            role: operator.role,
            issuer: operator.identity.as_ref().map(|identity| identity.issuer.as_str()),
            subject: operator.identity.as_ref().map(|identity| identity.subject.as_str()),
            is_active: operator.is_active,
            last_sign_in_at: operator.last_sign_in_at,
            created_at: operator.created_at,
            updated_at: operator.updated_at,
        }
    }
}
