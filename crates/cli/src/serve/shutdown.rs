//! Graceful shutdown: what follows from a signal, or from a store that failed.

use crate::failure::Failure;
use crate::notify::Notify;
use crate::stopping::until_stopped;
use perennial_http::Api;
use perennial_store::Db;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// From the stop signal to the end of accepting.
pub(super) struct GracefulShutdown {
    pub(super) api: Arc<Api>,
    pub(super) notify: Arc<Notify>,
    pub(super) delay: Duration,
}

impl GracefulShutdown {
    pub(super) fn begin_at_signal(self, stop: watch::Sender<bool>) -> Result<impl Future<Output = ()>, Failure> {
        let listen = |kind| signal(kind).map_err(|error| Failure::new(format!("cannot handle signals: {error}")));
        let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
        Ok(async move {
            let mut signaled = async || {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
            };
            signaled().await;
            tracing::info!("received the stop signal");
            self.notify.send_state("STOPPING=1");
            // While /readyz fails, proxies choose another server and this one still serves requests.
            self.api.leave();
            tokio::select! {
                () = tokio::time::sleep(self.delay) => {}
                // A second signal skips the delay.
                () = signaled() => {}
            }
            let _ = stop.send(true);
        })
    }
}

/// Resolves when the shutdown time is exceeded.
pub(super) async fn timeout(stopped: watch::Receiver<bool>, limit: Duration) {
    until_stopped(stopped).await;
    tokio::time::sleep(limit).await;
}

/// Stops the service when the store can no longer guarantee durability.
pub(super) async fn watch_store(db: Db, stop: watch::Sender<bool>) -> String {
    let reason = db.failed().await;
    tracing::error!(reason, "the store failed");
    let _ = stop.send(true);
    reason
}
