//! The operator's commands. Each opens the store, which a running server may be using.

mod analytics;
mod backup;
mod clients;
mod compact;
pub(crate) mod configuration;
mod connections;
mod coupons;
mod events;
mod features;
mod flags;
mod forward;
mod identity;
mod keys;
mod lifecycle;
pub(crate) mod listen;
mod members;
mod meters;
pub(crate) mod operators;
mod organizations;
mod payments;
mod plans;
mod providers;
mod records;
mod relink;
mod sessions;
mod subscriptions;
mod tax_rates;
mod test_clock;
pub(crate) mod transfer;
pub(crate) mod trigger;
mod users;
mod webhooks;

pub(crate) use providers::advice_on;

use crate::arguments::{Command, Record, User};
use crate::config::Config;
use crate::failure::Failure;
use crate::storage::Key;
use crate::{output, storage};
use perennial_app::context::{App, AppOptions};
use perennial_domain::coupons::Coupon;
use perennial_domain::meters::Meter;
use perennial_domain::payments::Payment;
use perennial_domain::tax_rates::TaxRate;

pub(crate) async fn run(command: Command, config: &Config, json: bool) -> Result<(), Failure> {
    let command = match command {
        Command::Migrate => return migrate(config, json).await,
        Command::Backup(command) => return backup::run(config, command, json),
        Command::Compact => return compact::run(config, json),
        Command::Transfer(command) => return transfer::run(config, command, json).await,
        other => other,
    };
    let app = open(&command, config).await?;
    let result = match command {
        Command::Analytics(command) => return analytics::run(app, command, json).await,
        Command::Org(command) => organizations::run(&app, command, json).await,
        Command::Client(command) => clients::run(&app, command, json).await,
        Command::Operator(command) => operators::run(&app, command, config, json).await,
        Command::Console(command) => operators::console(&app, command, config, json).await,
        Command::Keys(command) => keys::run(&app, &command, json).await,
        Command::User(command) => users::run(&app, command, json).await,
        Command::Session(command) => sessions::run(&app, command, json).await,
        Command::Record(Record::Plan(command)) => plans::run(&app, command, json).await,
        Command::Record(Record::Subscription(command)) => subscriptions::run(&app, command, json).await,
        Command::Record(Record::Payment(command)) => records::run::<Payment>(&app, command, json).await,
        Command::Record(Record::TaxRate(command)) => records::run::<TaxRate>(&app, command, json).await,
        Command::Record(Record::Coupon(command)) => records::run::<Coupon>(&app, command, json).await,
        Command::Record(Record::Feature(command)) => features::run(&app, command, json).await,
        Command::Record(Record::Meter(command)) => records::run::<Meter>(&app, command, json).await,
        Command::Provider(command) => providers::run(&app, command, json).await,
        Command::Identity(command) => identity::run(&app, command, json).await,
        Command::Events(command) => events::run(&app, command, json).await,
        Command::Webhook(command) => webhooks::run(&app, command, json).await,
        Command::Connection(command) => connections::run(&app, command, json).await,
        Command::Lifecycle(command) => lifecycle::run(&app, command, json).await,
        Command::TestClock(command) => test_clock::run(&app, command, json).await,
        Command::Serve(_)
        | Command::Transfer(_)
        | Command::Doctor(_)
        | Command::Migrate
        | Command::Backup(_)
        | Command::Compact
        | Command::Config(_)
        | Command::Listen(_)
        | Command::Trigger(_)
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Openapi
        | Command::Errors
        | Command::Reference => Ok(()),
    };
    app.db.close().await;
    result
}

/// The context of a command, with the keys and the providers that it needs.
async fn open(command: &Command, config: &Config) -> Result<App, Failure> {
    match command {
        Command::Provider(command) => {
            storage::operator(config, providers::key(command), providers::options(config)?).await
        }
        Command::Identity(_) | Command::Keys(_) => storage::operator(config, Key::Needed, AppOptions::default()).await,
        // An issuer is also compared with those of the file's providers.
        Command::User(User::Relink(_)) => storage::operator(config, Key::NotNeeded, providers::options(config)?).await,
        Command::Events(_) => {
            let analytics = config.analytics.app();
            storage::operator(config, Key::NotNeeded, AppOptions { analytics, ..AppOptions::default() }).await
        }
        Command::Webhook(_) => {
            let webhooks = config.webhooks.app();
            storage::operator(config, Key::Needed, AppOptions { webhooks, ..AppOptions::default() }).await
        }
        Command::Connection(_) => storage::operator(config, Key::Needed, connections::options()).await,
        Command::Operator(_) => {
            let console = config.console_options(None, config.listen);
            storage::operator(config, Key::NotNeeded, AppOptions { console, ..AppOptions::default() }).await
        }
        Command::Lifecycle(_) | Command::TestClock(_) => {
            let lifecycle = config.lifecycle.app();
            storage::operator(config, Key::NotNeeded, AppOptions { lifecycle, ..AppOptions::default() }).await
        }
        _ => storage::operator(config, Key::NotNeeded, AppOptions::default()).await,
    }
}

async fn migrate(config: &Config, json: bool) -> Result<(), Failure> {
    let db = storage::open(config, false).await?;
    let migrated = db.migrate().await?;
    db.close().await;
    let data = serde_json::json!({ "version": migrated.version, "applied": migrated.applied });
    output::print(json, &data, || match migrated.applied.as_slice() {
        [] => format!("The store is at version {} already.", migrated.version),
        applied => format!("Applied {}. The store is at version {}.", applied.join(", "), migrated.version),
    })
}
