//! The store: whether it responds, its master key, its schema, its clock, and its connection pooler.

use super::report::{Level, Report};
use super::settings::Patient;
use super::{analytics, identity, rotation, webhooks};
use crate::config::Config;
use crate::failure::Failure;
use crate::master_key::Accepted;
use crate::public_url::PublicUrl;
use crate::{master_key, storage};
use perennial_app::context::{App, AppOptions, Clock, Entropy};
use perennial_app::keys::{Keys, MasterKey};
use perennial_app::{events, first_run, lifecycle};
use perennial_domain::time::Time;
use perennial_store::Db;
use perennial_store::examine::{self, Pooling, Server};
use std::time::Duration;

/// The timeout of opening the store.
const OPENING: Duration = Duration::from_secs(5);
/// The timeout of all checks together.
const PATIENCE: Duration = Duration::from_secs(20);
/// The oldest supported version of PostgreSQL.
const OLDEST_SERVER: u32 = 14;
/// Clock differences for a warning and for a problem, at which tokens are rejected.
const NOTABLE_SECONDS: i64 = 2;
const WRONG_SECONDS: i64 = 60;

pub(super) async fn look(report: &mut Report, patient: &Patient, clock: &Clock) {
    let key = look_at_key(report, &patient.config);
    let accepted = match Accepted::read(&patient.config) {
        Ok(accepted) => accepted,
        Err(Failure(sentence)) => {
            report.problem("key_rotation", sentence, "see \"Rotating the master key\" in docs/operate.md");
            return;
        }
    };
    let Some(db) = open(report, &patient.config).await else { return };
    let keys = key.as_ref().map(|key| accepted.keys(key));
    let app = context(patient, db, clock, keys);
    let prepared = patient.config.postgres.prepared;
    match tokio::time::timeout(PATIENCE, look_inside(report, &app, prepared, key.is_some())).await {
        Ok(true) => {
            if key.is_some() {
                rotation::look(report, &app, accepted.role()).await;
            }
            identity::look(report, &app).await;
            webhooks::look(report, &app).await;
            analytics::look(report, &app, &patient.config).await;
        }
        Ok(false) => {}
        Err(_) => return silent(report, PATIENCE),
    }
    app.db.close().await;
}

fn look_at_key(report: &mut Report, config: &Config) -> Option<MasterKey> {
    const CHECK: &str = "master_key";
    let is_new = config.database_url.is_none() && !storage::path(config).exists();
    match master_key::given(config) {
        Ok(Some(key)) => return Some(key),
        Ok(None) if is_new => report.ok(CHECK, "there is none yet; the first run makes it"),
        Ok(None) => report.problem(CHECK, "it is missing", master_key::missing(config).0),
        Err(Failure(sentence)) => report.problem(CHECK, sentence, "give the key that the store was first run with"),
    }
    None
}

/// Opens the store read-only, if the engine supports it.
async fn open(report: &mut Report, config: &Config) -> Option<Db> {
    const CHECK: &str = "store";
    if config.database_url.is_none() && !storage::path(config).exists() {
        let found = format!("there is none in {} yet", config.data_dir.display());
        report.warning(CHECK, found, "start `perennial serve`, which makes it, or name another --data-dir");
        return None;
    }
    match tokio::time::timeout(OPENING, storage::open_to_look(config)).await {
        Ok(Ok(db)) => return Some(db),
        Ok(Err(Failure(sentence))) => report.problem(CHECK, sentence, "no server can start until this is settled"),
        Err(_) => silent(report, OPENING),
    }
    None
}

fn silent(report: &mut Report, patience: Duration) {
    report.problem(
        "store",
        format!("it has not answered within {} seconds", patience.as_secs()),
        "check that --database-url leads to PostgreSQL, its load, and locks that other sessions hold",
    );
}

fn context(patient: &Patient, db: Db, clock: &Clock, keys: Option<Keys>) -> App {
    let entropy = Entropy::from_system();
    // Without the key nothing is opened, and the checks that need it report that.
    let keys = keys.unwrap_or_else(|| Keys::derive(&MasterKey::new(entropy.bytes())));
    let public_url = patient.config.public_url.clone().map(PublicUrl::into_text);
    let options = AppOptions { public_url, providers: patient.providers.clone(), ..AppOptions::default() };
    App::new(db, clock.clone(), entropy, keys, options)
}

/// Returns whether the store can be checked further.
async fn look_inside(report: &mut Report, app: &App, prepared: bool, has_key: bool) -> bool {
    match app.db.examine_server(prepared).await {
        Ok(Some(server)) => {
            look_at_server(report, &server);
            look_at_pooler(report, server.pooling);
        }
        Ok(None) => {}
        Err(error) => {
            report.problem("store", error.to_string(), "see that the database runs and can be reached");
            return false;
        }
    }
    if !look_at_schema(report, &app.db).await {
        return false;
    }
    look_at_clock(report, app).await;
    look_at_lifecycle(report, app).await;
    if has_key {
        match first_run::has_this_key(app).await {
            Ok(true) => report.ok("master_key", "it is the store's"),
            Ok(false) if matches!(first_run::has_happened(&app.db).await, Ok(false)) => {
                report.ok("master_key", "it will be that of the store, which is empty");
            }
            Ok(false) => {
                let advice = "start the servers with the key that the store was first run with";
                report.problem("master_key", "the store belongs to another master key", advice);
            }
            Err(error) => report.unreadable("master_key", &error),
        }
    }
    true
}

fn look_at_server(report: &mut Report, server: &Server) {
    let found = format!("PostgreSQL {} responds", server.version);
    if server.version < OLDEST_SERVER {
        report.problem("store", found, format!("use PostgreSQL {OLDEST_SERVER} or newer"));
    } else if server.is_standby {
        let advice = "name every host in --database-url, with target_session_attrs=read-write";
        report.problem("store", format!("{found}, as a standby that takes no writes"), advice);
    } else {
        report.ok("store", found);
    }
    if !server.fsync {
        report.warning(
            "sync",
            "PostgreSQL runs with fsync = off: a power cut may cost the whole database",
            "set fsync = on in postgresql.conf",
        );
    } else if matches!(server.synchronous_commit.as_str(), "off" | "local") {
        report.warning(
            "sync",
            format!("PostgreSQL runs with synchronous_commit = {}", server.synchronous_commit),
            "`off` loses acknowledged changes in a crash, `local` in a switch to a standby: set it to on",
        );
    } else {
        report.ok("sync", format!("a commit waits for the disk (synchronous_commit = {})", server.synchronous_commit));
    }
}

fn look_at_pooler(report: &mut Report, pooling: Pooling) {
    const CHECK: &str = "pooler";
    match pooling {
        Pooling::None => report.ok(CHECK, "none, or one in session mode"),
        Pooling::Transaction { loses_prepared: true } => report.problem(
            CHECK,
            "one in transaction mode that loses prepared statements",
            "set `[postgres] prepared = false`, or use PgBouncer 1.21 or newer with max_prepared_statements above 0",
        ),
        Pooling::Transaction { loses_prepared: false } => report.ok(CHECK, "one in transaction mode, which is fine"),
        Pooling::Statement => report.problem(
            CHECK,
            "one in statement mode, in which no transaction can be had",
            "set pool_mode = transaction for this database",
        ),
    }
}

async fn look_at_schema(report: &mut Report, db: &Db) -> bool {
    const CHECK: &str = "schema";
    let schema = match examine::schema(db).await {
        Ok(schema) => schema,
        Err(error) => {
            report.problem(
                "store",
                error.to_string(),
                "see that the store is whole; `perennial backup restore` replaces it",
            );
            return false;
        }
    };
    if !db.is_shared() {
        report.ok("store", "it can be read");
    }
    if let Some(error) = schema.error {
        report.problem(CHECK, error.to_string(), "run the program that the store was last used with");
        return false;
    }
    match (schema.found, schema.known) {
        (found, known) if found == known => {
            report.ok(CHECK, format!("version {found}, this program's"));
            return true;
        }
        (found, known) if found > known => {
            report.ok(CHECK, format!("version {found}, newer than this program's {known} and compatible with it"));
            return true;
        }
        (0, _) => report.warning(CHECK, "the store is empty", "start `perennial serve`, which makes what it needs"),
        (found, known) => report.problem(
            CHECK,
            format!("the store has version {found} and this program needs {known}"),
            "make a backup, then run `perennial migrate` or start the new server, which does the same",
        ),
    }
    false
}

async fn look_at_clock(report: &mut Report, app: &App) {
    const CHECK: &str = "clock";
    let before = app.clock.now();
    let there = examine::now(&app.db).await;
    let after = app.clock.now();
    let latest = events::latest(app).await;
    let (there, latest) = match (there, latest) {
        (Ok(there), Ok(latest)) => (there, latest),
        (Err(error), _) => return report.unreadable(CHECK, &error.into()),
        (_, Err(error)) => return report.unreadable(CHECK, &error),
    };
    let ahead = latest.map_or(0, |latest| latest.seconds_since(after));
    let apart = apart(before, there, after);
    if ahead > NOTABLE_SECONDS {
        let found = format!("the newest event is {ahead} seconds ahead of this machine's clock");
        let advice = "set this machine's clock, or find the server whose clock is ahead: run NTP on all of them";
        report.add(CHECK, level(ahead), found, advice);
    } else if apart > NOTABLE_SECONDS {
        let found = format!("this machine's clock and PostgreSQL's are {apart} seconds apart");
        report.add(CHECK, level(apart), found, "set the one that is wrong: run NTP on both machines");
    } else {
        let against = if app.db.is_shared() { "PostgreSQL's and the newest event's" } else { "the newest event's" };
        report.ok(CHECK, format!("it agrees with {against}"));
    }
}

/// Organizations on hold wait for the operator.
async fn look_at_lifecycle(report: &mut Report, app: &App) {
    const CHECK: &str = "lifecycle";
    const LISTED: i64 = 20;
    match lifecycle::held(app, LISTED + 1).await {
        Ok(held) if held.is_empty() => report.ok(CHECK, "no organization is on hold"),
        Ok(held) => {
            let listed = held.iter().take(usize::try_from(LISTED).unwrap_or_default());
            let mut names: Vec<String> =
                listed.map(|held| format!("{} ({})", held.name, held.reason.as_str())).collect();
            if names.len() < held.len() {
                names.push("and more".to_owned());
            }
            let found = format!("on hold, so that nothing is billed: {}", names.join(", "));
            let advice = "see `perennial lifecycle status --org NAME`, then `perennial lifecycle resume --org NAME`";
            report.warning(CHECK, found, advice);
        }
        Err(error) => report.unreadable(CHECK, &error),
    }
}

/// The minimum difference of two clocks, if the other one was read between the two instants.
fn apart(before: Time, there: Time, after: Time) -> i64 {
    before.seconds_since(there).max(there.seconds_since(after)).max(0)
}

fn level(seconds: i64) -> Level {
    if seconds > WRONG_SECONDS { Level::Problem } else { Level::Warning }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_apart_by_what_the_way_does_not_explain() {
        let at = |seconds: i64| Time::from_micros(seconds * 1_000_000).unwrap();
        assert_eq!(apart(at(100), at(100), at(100)), 0);
        assert_eq!(apart(at(100), at(104), at(105)), 0);
        assert_eq!(apart(at(100), at(190), at(101)), 89);
        assert_eq!(apart(at(100), at(30), at(101)), 70);
        assert_eq!((level(60), level(61)), (Level::Warning, Level::Problem));
    }
}
