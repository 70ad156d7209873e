//! `perennial serve`: from the configuration to a listening service, and down again without losing a request.

use crate::clients_file;
use crate::config::Config;
use crate::failure::Failure;
use crate::{logs, master_key, storage};
use perennial_app::clients::Credential;
use perennial_app::context::{App, Chance, Clock};
use perennial_app::first_run::{self, FirstRunOptions, Start};
use perennial_app::idempotency;
use perennial_app::keys::Keys;
use perennial_domain::clients::Origin;
use perennial_http::server::{Server, ServerOptions};
use perennial_http::{Api, MetricsPage};
use perennial_store::Db;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

const BOOTSTRAP_VARIABLE: &str = "PERENNIAL_BOOTSTRAP_CLIENT_ID";
const SWEEP_EVERY: Duration = Duration::from_secs(600);

/// Serves until told to stop.
pub(crate) async fn run(config: Config) -> Result<(), Failure> {
    logs::start();
    let listen = config.listen();
    let server = bind(listen, config.limits.server()).await?;
    let address = server.local_addr();
    let db = storage::open_server(&config).await?;
    let app = Arc::new(start(&config, db, address).await?);
    let api = Arc::new(Api::new(Arc::clone(&app), config.limits.api()));

    let (stop, stopped) = watch::channel(false);
    let page = MetricsPage::new(Arc::clone(&api), server.gauges());
    let metrics = serve_metrics(&config, address, page, stopped.clone()).await?;
    tokio::spawn(sweep(Arc::clone(&app), stopped.clone()));
    tokio::spawn(watch_signals(stop.clone())?);
    let failure = tokio::spawn(watch_store(app.db.clone(), stop));

    tracing::info!(listening = %address, metrics = metrics.map(|address| address.to_string()), "listening");
    let drained = server.serve(api, until_stopped(stopped)).await;
    tracing::info!(finished = drained.finished, aborted = drained.aborted, "stopped accepting and drained");
    app.db.close().await;
    if failure.is_finished()
        && let Ok(reason) = failure.await
    {
        return Err(Failure::new(format!("the store failed and the server stopped so as not to lie: {reason}")));
    }
    tracing::info!("stopped");
    Ok(())
}

/// Migrates the store, finds its key and makes what a first run needs.
async fn start(config: &Config, db: Db, address: SocketAddr) -> Result<App, Failure> {
    let migrated = db.migrate().await?;
    if !migrated.applied.is_empty() {
        tracing::info!(applied = ?migrated.applied, "migrated the store");
    }
    let chance = Chance::from_system();
    let key = match master_key::given(config)? {
        Some(key) => key,
        None if config.database_url.is_none() && !first_run::has_happened(&db).await? => master_key::make(config, &chance)?,
        None => return Err(master_key::missing(config)),
    };
    let app = App::new(db, Clock::System, chance, Keys::derive(&key));
    let bootstrap = bootstrap_credential()?;
    let keep = bootstrap.is_none();
    let origins = if address.ip().is_loopback() { loopback_origins() } else { Vec::new() };
    match first_run::ensure(&app, FirstRunOptions { trusted: bootstrap, origins }).await? {
        Start::First(first) => clients_file::tell(&first, config.data_dir(), address, keep)?,
        Start::Existing => tracing::info!("an existing store"),
        Start::OtherKey => {
            return Err(Failure::new("this store belongs to another master key: start with the key it was first run with"));
        }
    }
    Ok(app)
}

fn bootstrap_credential() -> Result<Option<Credential>, Failure> {
    let Ok(text) = std::env::var(BOOTSTRAP_VARIABLE) else { return Ok(None) };
    let credential = Credential::chosen(&text);
    credential.map(Some).ok_or_else(|| Failure::new(format!("{BOOTSTRAP_VARIABLE} must be 32 to 255 visible ASCII characters")))
}

fn loopback_origins() -> Vec<Origin> {
    ["http://localhost:*", "http://127.0.0.1:*"].iter().filter_map(|text| Origin::parse(text).ok()).collect()
}

async fn bind(listen: SocketAddr, options: ServerOptions) -> Result<Server, Failure> {
    Server::bind(listen, options).await.map_err(|error| {
        let advice = match error.kind() {
            std::io::ErrorKind::AddrInUse => "another program listens there; stop it or choose another --listen",
            std::io::ErrorKind::PermissionDenied => "ports below 1024 need a privilege; choose a higher one",
            _ => "choose another --listen",
        };
        Failure::new(format!("cannot listen on {listen}: {error}; {advice}"))
    })
}

/// Answers `/metrics` beside the API. A default address that is taken is no reason not to serve.
async fn serve_metrics(
    config: &Config,
    api: SocketAddr,
    page: MetricsPage,
    stopped: watch::Receiver<bool>,
) -> Result<Option<SocketAddr>, Failure> {
    // An API on a port the system chose has metrics on a port the system chooses.
    let next_port = if config.listen().port() == 0 { 0 } else { api.port().checked_add(1).unwrap_or(0) };
    let default = SocketAddr::from(([127, 0, 0, 1], next_port));
    let server = match (config.metrics_listen, bind(config.metrics_listen.unwrap_or(default), ServerOptions::default()).await) {
        (_, Ok(server)) => server,
        (Some(_), Err(failure)) => return Err(failure),
        (None, Err(Failure(reason))) => {
            tracing::warn!(reason, "there will be no metrics: give --metrics-listen");
            return Ok(None);
        }
    };
    let address = server.local_addr();
    tokio::spawn(server.serve(Arc::new(page), until_stopped(stopped)));
    Ok(Some(address))
}

/// Removes idempotency keys past their day, now and then.
async fn sweep(app: Arc<App>, stopped: watch::Receiver<bool>) {
    let mut stop = Box::pin(until_stopped(stopped));
    loop {
        tokio::select! {
            () = &mut stop => return,
            () = tokio::time::sleep(SWEEP_EVERY) => {}
        }
        if let Err(error) = idempotency::sweep(&app).await {
            tracing::warn!(%error, "old idempotency keys could not be removed");
        }
    }
}

fn watch_signals(stop: watch::Sender<bool>) -> Result<impl Future<Output = ()>, Failure> {
    let listen = |kind| signal(kind).map_err(|error| Failure::new(format!("signals cannot be heard: {error}")));
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("told to stop");
        let _ = stop.send(true);
    })
}

/// Ends the service when the store can no longer be trusted.
async fn watch_store(db: Db, stop: watch::Sender<bool>) -> String {
    let reason = db.failed().await;
    tracing::error!(reason, "the store failed");
    let _ = stop.send(true);
    reason
}

async fn until_stopped(mut stopped: watch::Receiver<bool>) {
    // A sender that is gone will never say stop; nor does it need to be waited for.
    let _ = stopped.wait_for(|stop| *stop).await;
}
