//! Passes of the engine by two servers, which lose leases, are killed between two commits, and repeat each other's work.

use super::world::World;
use perennial_app::background::{Held, Job};
use perennial_app::error::Error;
use perennial_app::lifecycle::Lifecycle;
use perennial_store::Change;
use perennial_store::leases::Unit;
use perennial_testkit::TestApp;
use tokio::sync::watch;

/// Changes of a server before it is killed.
const MOST_CHANGES: usize = 12;
/// A pass that does not end by then makes the same action again and again.
const MOST_TURNS: usize = 400;

impl World {
    /// Works until neither server finds anything due.
    pub(super) async fn pass(&mut self) {
        for _ in 0..MOST_TURNS {
            let server = self.dice.below(2);
            let Some(unit) = find(&self.servers[server]).await else {
                let Some(unit) = find(&self.servers[1 - server]).await else { return };
                self.turn(1 - server, unit).await;
                continue;
            };
            self.turn(server, unit).await;
        }
        panic!("{}the work does not end", self.report(""));
    }

    async fn turn(&mut self, server: usize, unit: Unit) {
        let fate = self.dice.roll(6);
        let changes = self.dice.below(MOST_CHANGES);
        let (own, other) = (&self.servers[server], &self.servers[1 - server]);
        let (_stop, stopping) = watch::channel(false);
        let claim = async |app: &TestApp| Held::claim(&app.app, unit, stopping.clone()).await.unwrap();
        let held = claim(own).await.expect("no server holds the unit");
        match fate {
            // Killed after some changes.
            0 | 1 => {
                let outcome = work(own, &held.lost_after(changes)).await;
                assert!(matches!(outcome, Ok(()) | Err(Error::LeaseLost)), "{outcome:?}");
            }
            // Frozen past its lease, while the other server works.
            2 => {
                assert!(claim(other).await.is_none(), "two servers hold a unit");
                own.app.db.commit(unit.revoke(Change::new())).await.unwrap();
                let taken = claim(other).await.expect("the lease has expired");
                let late = work(own, &held).await;
                assert!(
                    matches!(late, Err(Error::LeaseLost)),
                    "{}a write without its lease: {late:?}",
                    self.report("")
                );
                work(other, &taken).await.unwrap();
            }
            // Two servers that both take themselves for the holder.
            3 => {
                let (one, two) = tokio::join!(work(own, &held), work(other, &held));
                one.unwrap();
                two.unwrap();
            }
            _ => work(own, &held).await.unwrap(),
        }
        // What is left of leases expires.
        own.app.db.commit(unit.revoke(Change::new())).await.unwrap();
        let names = ["killed", "killed", "frozen", "doubled"];
        let fate = names.get(usize::try_from(fate).unwrap()).copied().unwrap_or("punctual");
        self.note(&format!("server {server}: {fate}"));
    }
}

async fn find(server: &TestApp) -> Option<Unit> {
    let units = Lifecycle.find(&server.app, 8).await.unwrap();
    units.into_iter().find(|unit| unit.organization == server.organization)
}

async fn work(server: &TestApp, held: &Held) -> Result<(), Error> {
    Lifecycle.work(&server.app, held).await
}
