//! `perennial connection`. A secret is read from a file or from standard input and is not shown again.

use super::flags::{organization, read_flag, wrong};
use super::providers::read_secret;
use super::records::{self, Column, Kind, Record, find, position_of, text};
use crate::arguments::{Connection as Command, ConnectionAdd, ConnectionSettings, InOrg, WebhookPortion};
use crate::failure::Failure;
use crate::output;
use perennial_app::caller::Caller;
use perennial_app::connections::http::HttpProvider;
use perennial_app::connections::{
    self, AccountId, Connection, ConnectionDraft, ConnectionKind, ConnectionMode, ConnectionName, ConnectionView,
    Drift, InboxItemView, InboxQuery, RequestsPerMinute,
};
use perennial_app::context::{App, AppOptions};
use perennial_app::error::{Conflict, Error};
use perennial_app::sessions::Secret;
use perennial_domain::connections::inbox::InboxState;
use perennial_domain::connections::sweep::{Sweep, SweepOptions};
use perennial_http::record_fields;
use perennial_store::{Page, Position};
use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;

static KIND: Kind = Kind {
    name: "connection",
    fields: || record_fields("Connection"),
    columns: &[
        Column::whole("ID", "id"),
        Column::new("NAME", "name"),
        Column::new("KIND", "kind"),
        Column::new("MODE", "mode"),
        Column::new("STATE", "state"),
        Column::new("LAST RECEIVED", "last_received_at"),
        Column::new("LAST SWEPT", "last_swept_at"),
    ],
};

static INBOX_ITEM: Kind = Kind {
    name: "received webhook",
    fields: || record_fields("InboxItem"),
    columns: &[
        Column::new("RECEIVED", "received_at"),
        Column::whole("KEY", "key"),
        Column::new("TYPE", "type"),
        Column::new("OBJECT", "object_id"),
        Column::new("STATE", "state"),
        Column::new("CODE", "code"),
        Column::new("ATTEMPTS", "attempts"),
    ],
};

/// The options that the command needs.
pub(super) fn options() -> AppOptions {
    AppOptions { payment_providers: Some(Arc::new(HttpProvider::default())), ..AppOptions::default() }
}

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::Add(add) => self::add(app, *add, json).await,
        Command::List(portion) => records::list::<ConnectionView>(app, &(), &portion, json).await,
        Command::Get { connection, single } => records::get::<ConnectionView>(app, &connection, &single, json).await,
        Command::Update { connection, name, settings, org } => {
            let name = read_flag("name", name.as_deref(), ConnectionName::parse)?;
            update(app, (&connection, &org), ConnectionDraft { name, ..draft(&settings)? }, json).await
        }
        Command::Enable { connection, org } => {
            let patch = ConnectionDraft { is_enabled: Some(true), ..ConnectionDraft::default() };
            update(app, (&connection, &org), patch, json).await
        }
        Command::Disable { connection, org } => {
            let patch = ConnectionDraft { is_enabled: Some(false), ..ConnectionDraft::default() };
            update(app, (&connection, &org), patch, json).await
        }
        Command::Check { connection, org } => {
            let (caller, found) = named_connection(app, &connection, &org).await?;
            match connections::check(app, &caller, found.id).await? {
                Ok(()) => output::print(json, &json!({ "ok": true }), || "Every permission is granted.".to_owned()),
                Err(missing) => Err(Failure::new(missing)),
            }
        }
        Command::Rotate { connection, api_key_file, webhook_secret_file, drop_previous, org } => {
            if api_key_file.is_none() && webhook_secret_file.is_none() && !drop_previous {
                let what = "give --api-key-file, --webhook-secret-file or --drop-previous";
                return Err(Failure::new(what));
            }
            let read = |file: Option<String>| file.as_deref().map(secret).transpose();
            let secrets = (read(api_key_file)?, read(webhook_secret_file)?);
            let (caller, found) = named_connection(app, &connection, &org).await?;
            let after = connections::rotate(app, &caller, found.id, secrets, drop_previous).await?;
            print(app, after, json, "Rotated the secrets of").await
        }
        Command::Reconcile { connection, dry_run, yes, org } => {
            let (caller, found) = named_connection(app, &connection, &org).await?;
            let options = SweepOptions { dry_run, yes, requested: true };
            let swept = connections::reconcile::now(app, &caller, found.id, options).await?.map_err(Failure::new)?;
            output::print(json, &swept.result(), || reconciled(&swept))
        }
        Command::Inbox { connection, state, portion } => {
            let state = read_flag("state", state.as_deref(), InboxState::parse)?;
            inbox(app, &connection, InboxQuery { state, ..InboxQuery::default() }, &portion, json).await
        }
        Command::Retry { connection, event, org } => {
            let (caller, found) = named_connection(app, &connection, &org).await?;
            let count = connections::retry(app, &caller, found.id, event.as_deref()).await;
            let count = count.map_err(|error| match error {
                Error::NotFound => Failure::new("there is no webhook with this key, or it concerns no record"),
                other => other.into(),
            })?;
            output::print(json, &json!({ "queued": count }), || match count {
                1 => "1 webhook is applied again.".to_owned(),
                count => format!("{count} webhooks are applied again."),
            })
        }
        Command::Remove { connection, release, org } => {
            let (caller, found) = named_connection(app, &connection, &org).await?;
            let removed = connections::remove(app, &caller, found.id, release).await.map_err(named)?;
            let view = ConnectionView::of(removed, None, None);
            output::print(json, &view, || format!("Removed {}.", view.id))
        }
    }
}

fn reconciled(swept: &Sweep) -> String {
    let Sweep { seen, created, different, repaired, .. } = swept;
    let mut text = format!("Compared {seen}: {created} new, {different} different, {repaired} repaired.");
    for difference in &swept.differences {
        let what =
            if difference.missing { "is missing at the provider".to_owned() } else { difference.fields.to_string() };
        let _ = write!(text, "\n{} {}: {what}", difference.object, difference.external_id);
    }
    if swept.stopped {
        text.push_str("\nStopped: many subscriptions would lose access. Check the provider, then run it with --yes.");
    }
    text
}

async fn add(app: &App, add: ConnectionAdd, json: bool) -> Result<(), Failure> {
    let caller = Caller::system(organization(app, &add.org.org).await?.id);
    let kind = ConnectionKind::ALL.iter().copied().find(|kind| kind.as_argument() == add.kind);
    let name = ConnectionName::parse(&add.name).map_err(|reason| wrong("name", &reason))?;
    let draft = ConnectionDraft { kind, name: Some(name), ..draft(&add.settings)? };
    let (api_key, webhook_secret) = (secret(&add.api_key_file)?, secret(&add.webhook_secret_file)?);
    let created = connections::create(app, &caller, draft, api_key, webhook_secret).await.map_err(named)?;
    let view = connections::describe(app, created).await?;
    output::print(json, &view, || {
        let (id, path) = (view.id, &view.webhook_path);
        format!(
            "Added {id}. Enter <public URL>{path} as the webhook URL at the provider.\nTry `perennial connection check {id}`."
        )
    })
}

async fn update(
    app: &App,
    (connection, org): (&str, &InOrg),
    patch: ConnectionDraft,
    json: bool,
) -> Result<(), Failure> {
    let (caller, found) = named_connection(app, connection, org).await?;
    let after = connections::update(app, &caller, found.id, patch).await.map_err(named)?;
    print(app, after, json, "Updated").await
}

async fn print(app: &App, connection: Connection, json: bool, done: &str) -> Result<(), Failure> {
    let view = connections::describe(app, connection).await?;
    output::print(json, &view, || format!("{done} {}. Servers use it within 5 seconds.", view.id))
}

async fn inbox(
    app: &App,
    connection: &str,
    query: InboxQuery,
    portion: &WebhookPortion,
    json: bool,
) -> Result<(), Failure> {
    let (caller, found) = named_connection(app, connection, &portion.single.org).await?;
    let limit = usize::from(portion.limit);
    let page = connections::inbox_page(app, &caller, found.id, &query, None, limit).await?;
    let views: Vec<InboxItemView> = page.items.into_iter().map(InboxItemView::from).collect();
    records::write(&INBOX_ITEM, &views, &portion.single, json)
}

async fn named_connection(app: &App, connection: &str, org: &InOrg) -> Result<(Caller, ConnectionView), Failure> {
    let caller = Caller::system(organization(app, &org.org).await?.id);
    let found = find::<ConnectionView>(app, &caller, connection).await?;
    Ok((caller, found))
}

fn draft(settings: &ConnectionSettings) -> Result<ConnectionDraft, Failure> {
    Ok(ConnectionDraft {
        mode: read_flag("mode", settings.mode.as_deref(), ConnectionMode::parse)?,
        account: read_flag("account", settings.account.as_deref(), AccountId::parse)?.map(Some),
        base_url: settings.base_url.clone(),
        drift: read_flag("drift", settings.drift.as_deref(), Drift::parse)?,
        collect: settings.collect,
        requests_per_minute: settings.requests_per_minute.map(RequestsPerMinute::from_stored),
        allow_private_addresses: settings.allow_private_addresses,
        allow_http: settings.allow_http,
        ..ConnectionDraft::default()
    })
}

fn secret(path: &str) -> Result<Secret, Failure> {
    let read = read_secret(path)?;
    if read.0.is_empty() {
        return Err(Failure::new(format!("the secret in {path} is empty")));
    }
    Ok(Secret::new(read.0))
}

fn named(error: Error) -> Failure {
    match error {
        Error::Conflict(Conflict::NameTaken) => Failure::new("another connection of the organization has this name"),
        Error::Conflict(Conflict::ConnectionInUse { subscriptions }) => Failure::new(format!(
            "{subscriptions} subscriptions follow this connection: --release clears their managed_by first"
        )),
        other => other.into(),
    }
}

impl Record for ConnectionView {
    type Filters = ();
    type Query = ();

    const KIND: &'static Kind = &KIND;

    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        let found = connections::find(app, caller, named).await?;
        connections::describe(app, found).await
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
        let page = connections::page(app, caller, after, limit).await?;
        Ok(Page { items: connections::describe_all(app, page.items).await?, next: page.next })
    }

    fn position(&self, (): &()) -> Position {
        position_of(self.id.bytes())
    }

    fn name(&self) -> String {
        self.id.to_string()
    }

    fn render(&self, _: &App) -> String {
        text(self)
    }
}
