//! `perennial serve`: from the configuration to a listening service, and down again without losing a request.

pub(crate) mod backups;
mod upkeep;

use crate::config::{Config, environment};
use crate::failure::Failure;
use crate::greeting::{self, Listener, Places};
use crate::notify::Notify;
use crate::start::{self, Given};
use crate::stopping::until_stopped;
use crate::{commands, logs, storage, telemetry};
use perennial_http::server::{Server, ServerOptions};
use perennial_http::{Api, MetricsPage};
use perennial_store::Db;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Serves until told to stop.
pub(crate) async fn run(config: Config, demo: bool) -> Result<(), Failure> {
    let (spans, telemetry) = telemetry::prepare(&config.telemetry)?.unzip();
    logs::start(spans);
    for slip in environment::slips() {
        tracing::warn!("{}", slip.line());
    }
    // All that can be refused without a trace comes before the store is touched.
    let given = Given::read(&config)?;
    let schedule = backups::Schedule::of(&config)?;
    let notify = Arc::new(Notify::from_environment());
    let server = bind("--listen", config.listen, config.server()).await?;
    let address = server.local_addr();
    let metrics = bind_metrics(&config, address).await?;
    let db = storage::open_server(&config).await?;
    if demo {
        commands::transfer::fill_if_empty(&db).await?;
    }
    let (app, found) = start::start(&config, given, db, address).await?;
    let app = Arc::new(app);
    let api = Arc::new(Api::new(Arc::clone(&app), config.api()));

    let (stop, stopped) = watch::channel(false);
    let more = telemetry.as_ref().map(telemetry::Prepared::metrics);
    let page = Arc::new(MetricsPage::new(Arc::clone(&api), server.gauges()).with(more));
    let exporting = telemetry.map(|telemetry| telemetry.start(Arc::clone(&page))).transpose()?;
    let (api_listener, metrics_listener) = (Listener::of(&server), metrics.as_ref().map(Listener::of));
    let metrics_address = metrics.as_ref().map(|metrics| metrics.local_addr().to_string());
    if let Some(metrics) = metrics {
        tokio::spawn(metrics.serve(page, until_stopped(stopped.clone())));
    }
    tokio::spawn(upkeep::run(Arc::clone(&app), stopped.clone()));
    if let Some(schedule) = schedule {
        tokio::spawn(schedule.run(Arc::clone(&app), stopped.clone()));
    }
    let way_down = WayDown { api: Arc::clone(&api), notify: Arc::clone(&notify), delay: config.stop_delay() };
    tokio::spawn(way_down.begin_at_signal(stop.clone())?);
    tokio::spawn(heartbeat(Arc::clone(&notify)));
    let failure = tokio::spawn(watch_store(app.db.clone(), stop));

    greeting::tell(&found, &Places { config: &config, api: api_listener, metrics: metrics_listener })?;
    tracing::info!(listening = %address, metrics = metrics_address, "listening");
    notify.say(&format!("READY=1\nSTATUS=listening on {address}"));
    let too_late = tokio::spawn(stop_timeout(stopped.clone(), config.stop_timeout()));
    let drained = server.serve(api, until_stopped(stopped)).await;
    tracing::info!(finished = drained.finished, aborted = drained.aborted, "stopped accepting and drained");
    let last_export = async {
        if let Some(exporting) = exporting {
            exporting.finish().await;
        }
    };
    tokio::select! {
        _ = async { tokio::join!(app.db.close(), last_export) } => {}
        _ = too_late => tracing::warn!("stopped before the store had closed: it did not answer in time"),
    }
    if failure.is_finished()
        && let Ok(reason) = failure.await
    {
        return Err(Failure::new(format!("the store failed and the server stopped so as not to lie: {reason}")));
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

/// The listener of `/metrics`. A default address that is taken is no reason not to serve.
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

/// What happens between the signal to stop and the end of accepting.
struct WayDown {
    api: Arc<Api>,
    notify: Arc<Notify>,
    delay: Duration,
}

impl WayDown {
    fn begin_at_signal(self, stop: watch::Sender<bool>) -> Result<impl Future<Output = ()>, Failure> {
        let listen = |kind| signal(kind).map_err(|error| Failure::new(format!("signals cannot be heard: {error}")));
        let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
        Ok(async move {
            let mut told = async || {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
            };
            told().await;
            tracing::info!("told to stop");
            self.notify.say("STOPPING=1");
            // Proxies that ask at /readyz find another server while this one still serves whom they send.
            self.api.leave();
            tokio::select! {
                () = tokio::time::sleep(self.delay) => {}
                // Whoever says it twice does not want to wait.
                () = told() => {}
            }
            let _ = stop.send(true);
        })
    }
}

/// Tells the service manager that tasks are still run here. A database that is away does not silence it: starting again
/// would not bring it back.
async fn heartbeat(notify: Arc<Notify>) {
    let Some(every) = notify.heartbeat() else { return };
    loop {
        notify.say("WATCHDOG=1");
        tokio::time::sleep(every).await;
    }
}

/// Resolves when stopping has taken too long.
async fn stop_timeout(stopped: watch::Receiver<bool>, timeout: Duration) {
    until_stopped(stopped).await;
    tokio::time::sleep(timeout).await;
}

/// Ends the service when the store can no longer be trusted.
async fn watch_store(db: Db, stop: watch::Sender<bool>) -> String {
    let reason = db.failed().await;
    tracing::error!(reason, "the store failed");
    let _ = stop.send(true);
    reason
}
