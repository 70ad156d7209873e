//! The signal that ends the server: every task holds a receiver of it.

use tokio::sync::watch;

/// Waits for the signal.
pub(crate) async fn until_stopped(mut stopped: watch::Receiver<bool>) {
    // A sender that is gone sends nothing more, so there is nothing to wait for.
    let _ = stopped.wait_for(|stop| *stop).await;
}
