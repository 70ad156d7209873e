//! The background work of a server. It ends after the stop signal; the store stays open until then.

use super::upkeep;
use crate::config::Config;
use crate::failure::Failure;
use crate::stopping::until_stopped;
use perennial_app::analytics::reader::Analytics;
use perennial_app::context::App;
use perennial_app::lifecycle::Lifecycle;
use perennial_app::test_clock::TestClocks;
use perennial_app::webhooks::delivery::Webhooks;
use perennial_app::{background, connections, feed};
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The jobs that finish what they have begun.
pub(super) struct Jobs(Vec<JoinHandle<()>>);

impl Jobs {
    pub(super) async fn start(
        app: &Arc<App>,
        config: &Config,
        stopped: &watch::Receiver<bool>,
    ) -> Result<Self, Failure> {
        tokio::spawn(upkeep::run(Arc::clone(app), stopped.clone()));
        let (placing, placing_stops) = (Arc::clone(app), until_stopped(stopped.clone()));
        tokio::spawn(async move { feed::place_until_stopped(&placing, placing_stops).await });
        background::prepare(app).await?;
        let mut jobs = vec![
            tokio::spawn(background::run(Arc::clone(app), Webhooks, stopped.clone())),
            tokio::spawn(connections::run(Arc::clone(app), stopped.clone())),
        ];
        if config.lifecycle.app().enabled {
            jobs.push(tokio::spawn(background::run(Arc::clone(app), Lifecycle, stopped.clone())));
            jobs.push(tokio::spawn(background::run(Arc::clone(app), TestClocks, stopped.clone())));
        }
        if config.analytics.app().enabled {
            jobs.push(tokio::spawn(background::run(Arc::clone(app), Analytics::default(), stopped.clone())));
        }
        Ok(Self(jobs))
    }

    /// Waits until all of them have ended.
    pub(super) async fn finish(self) {
        for job in self.0 {
            // The panic of a job was printed when it happened.
            let _ = job.await;
        }
    }
}
