//! `perennial serve`: from the configuration to a listening service, and a graceful shutdown.

pub(crate) mod backups;
mod jobs;
mod shutdown;
mod upkeep;

use crate::config::{Config, environment};
use crate::failure::Failure;
use crate::greeting::{self, Listener, Places};
use crate::notify::Notify;
use crate::start::{self, Given};
use crate::stopping::until_stopped;
use crate::{commands, logs, storage, telemetry};
use jobs::Jobs;
use perennial_http::server::{Server, ServerOptions};
use perennial_http::{Api, ApiOptions, ConsoleOptions, MetricsPage, OperatorApi};
use shutdown::GracefulShutdown;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;

/// Serves until the stop signal.
pub(crate) async fn run(config: Config, demo: bool, console_directory: Option<PathBuf>) -> Result<(), Failure> {
    let (spans, telemetry) = telemetry::prepare(&config.telemetry)?.unzip();
    logs::start(spans);
    for slip in environment::slips() {
        tracing::warn!("{}", slip.line());
    }
    // Everything that can fail without a trace is checked before the store is opened.
    let given = Given::read(&config)?;
    let schedule = backups::Schedule::of(&config)?;
    let notify = Arc::new(Notify::from_environment());
    let server = bind("--listen", config.listen, config.server()).await?;
    let address = server.local_addr();
    let console = bind_console(&config).await?;
    let console_address = console.as_ref().map_or(address, Server::local_addr);
    let metrics = bind_metrics(&config, address).await?;
    let db = storage::open_server(&config).await?;
    if demo {
        commands::transfer::fill_if_empty(&db).await?;
    }
    let (app, found) = start::start(&config, given, db, (address, console_address)).await?;
    let app = Arc::new(app);
    let access = ConsoleOptions { directory: console_directory, ..config.console_access(console_address) };
    let options = ApiOptions { console: access, portal: config.portal_access(address), ..config.api() };
    let api = Arc::new(Api::new(Arc::clone(&app), options));

    let (stop, stopped) = watch::channel(false);
    let more = telemetry.as_ref().map(telemetry::Prepared::metrics);
    let page = Arc::new(MetricsPage::new(Arc::clone(&api), server.gauges()).with(more));
    let exporting = telemetry.map(|telemetry| telemetry.start(Arc::clone(&page))).transpose()?;
    let (api_listener, metrics_listener) = (Listener::of(&server), metrics.as_ref().map(Listener::of));
    let metrics_address = metrics.as_ref().map(|metrics| metrics.local_addr().to_string());
    if let Some(metrics) = metrics {
        tokio::spawn(metrics.serve(page, until_stopped(stopped.clone())));
    }
    let jobs = Jobs::start(&app, &config, &stopped).await?;
    if let Some(schedule) = schedule {
        tokio::spawn(schedule.run(Arc::clone(&app), stopped.clone()));
    }
    let shutdown = GracefulShutdown { api: Arc::clone(&api), notify: Arc::clone(&notify), delay: config.stop_delay() };
    tokio::spawn(shutdown.begin_at_signal(stop.clone())?);
    tokio::spawn(heartbeat(Arc::clone(&notify)));
    let failure = tokio::spawn(shutdown::watch_store(app.db.clone(), stop));

    let console_url = greeting::console_url(&app, &config, console_address).await;
    let places = Places { config: &config, api: api_listener, metrics: metrics_listener, console: console_url };
    greeting::print(&found, &places)?;
    tracing::info!(listening = %address, metrics = metrics_address, "listening");
    notify.send_state(&format!("READY=1\nSTATUS=listening on {address}"));
    let too_late = tokio::spawn(shutdown::timeout(stopped.clone(), config.stop_timeout()));
    let console_listener = async {
        if let Some(console) = console {
            console.serve(Arc::new(OperatorApi(Arc::clone(&api))), until_stopped(stopped.clone())).await;
        }
    };
    let main_listener = server.serve(Arc::clone(&api), until_stopped(stopped.clone()));
    let (drained, (), ()) = tokio::join!(main_listener, console_listener, jobs.finish());
    tracing::info!(finished = drained.finished, aborted = drained.aborted, "stopped accepting and drained");
    let last_export = async {
        if let Some(exporting) = exporting {
            exporting.finish().await;
        }
    };
    tokio::select! {
        _ = async { tokio::join!(app.db.close(), last_export) } => {}
        _ = too_late => tracing::warn!("stopped before the store had closed: the shutdown time was exceeded"),
    }
    if failure.is_finished()
        && let Ok(reason) = failure.await
    {
        return Err(Failure::new(format!(
            "database failure: {reason}. The server stopped because it can no longer guarantee durability."
        )));
    }
    tracing::info!("stopped");
    Ok(())
}

async fn bind(flag: &str, listen: SocketAddr, options: ServerOptions) -> Result<Server, Failure> {
    Server::bind(listen, options).await.map_err(|error| {
        let advice = match error.kind() {
            ErrorKind::AddrInUse => "another program listens there; stop it or choose another",
            ErrorKind::PermissionDenied => "ports below 1024 need a privilege; choose a higher one for",
            _ => "choose another",
        };
        Failure::new(format!("cannot listen on {listen}: {error}; {advice} {flag}"))
    })
}

/// The separate listener of the console, if there is one.
async fn bind_console(config: &Config) -> Result<Option<Server>, Failure> {
    match config.console.listen.filter(|_| config.console_enabled()) {
        Some(listen) => Ok(Some(bind("`listen` of [console]", listen, config.server()).await?)),
        None => Ok(None),
    }
}

/// The listener of `/metrics`. If the default address is in use, the server starts without it.
async fn bind_metrics(config: &Config, api: SocketAddr) -> Result<Option<Server>, Failure> {
    let address = config.metrics_listen(api);
    match bind("--metrics-listen", address, ServerOptions::default()).await {
        Ok(server) => Ok(Some(server)),
        Err(failure) if config.metrics_listen.is_some() => Err(failure),
        Err(Failure(reason)) => {
            tracing::warn!(reason, "there will be no metrics");
            Ok(None)
        }
    }
}

/// Sends watchdog notifications while the runtime works. An unreachable database does not stop them: a restart would
/// not help.
async fn heartbeat(notify: Arc<Notify>) {
    let Some(every) = notify.heartbeat() else { return };
    loop {
        notify.send_state("WATCHDOG=1");
        tokio::time::sleep(every).await;
    }
}
