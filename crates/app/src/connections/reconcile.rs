//! The reconciler. It reads the provider's list of events every five minutes, and compares all objects every day (Lemon Squeezy:
//! every hour), because webhooks can be lost for good. A unit is a connection; its progress is stored after each page.

mod catch_up;
mod compare;
mod missing;
mod sweep;

use super::cache::OpenConnection;
use super::provider::Account;
use super::{Connection, known, open};
use crate::background::{Held, Job, renew_until_lost};
use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use perennial_domain::connections::ConnectionKind;
use perennial_domain::connections::sweep::{Sweep, SweepOptions};
use perennial_domain::id::ConnectionId;
use perennial_domain::time::Time;
use perennial_store::connection_states::ConnectionProgress;
use perennial_store::leases::{Lease, Unit};
use perennial_store::{self as store, Change, Violation, connection_progress, connection_states};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use sweep::Progress;
use tokio::sync::Notify;
use tokio::time::sleep;

const CATCH_UP_SECONDS: i64 = 5 * 60;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// How long the command waits for a server that reconciles the same connection.
const WAIT: Duration = Duration::from_millis(200);
const WAITS: usize = 300;

/// The work of the reconciler.
#[derive(Debug)]
pub struct Reconcile;

impl Job for Reconcile {
    const AT_ONCE: usize = 4;
    const LOOK_EVERY: Duration = Duration::from_secs(5);

    fn signal<'a>(&self, app: &'a App) -> Option<&'a Notify> {
        Some(&app.reconcile_signal)
    }

    async fn find(&self, app: &App, limit: i64) -> Result<Vec<Unit>, Error> {
        let (known, now) = (known(app).await?, app.clock.now());
        let mut units = Vec::new();
        for open in known.values().filter(|open| open.connection.is_enabled && open.secrets.is_some()) {
            let connection = &open.connection;
            let state = state(app, connection).await?;
            if state.is_some_and(|state| is_due(app, connection.kind, &state, now)) {
                units.push(connection_progress::unit(connection.organization_id, connection.id));
            }
        }
        units.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(units)
    }

    async fn work(&self, app: &Arc<App>, held: &Held) -> Result<(), Error> {
        while !held.is_stopping() {
            let Some(open) = open(app, ConnectionId::from_bytes(held.unit().id)).await? else { return Ok(()) };
            let Some(run) = Run::new(app, &open, held.lease()) else { return Ok(()) };
            if !run.advance().await? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Whether there is work, unless requests fail and the next try is later.
fn is_due(app: &App, kind: ConnectionKind, state: &ConnectionProgress, now: Time) -> bool {
    let waits = |until: Option<Time>| until.is_some_and(|until| until > now);
    if waits(state.paused_until) || (state.failing_since.is_some() && waits(state.probe_at)) {
        return false;
    }
    state.sweep.is_some() || is_sweep_due(kind, state, now) || is_catch_up_due(app, kind, state, now)
}

fn is_sweep_due(kind: ConnectionKind, state: &ConnectionProgress, now: Time) -> bool {
    let every = if kind == ConnectionKind::LemonSqueezy { HOUR } else { DAY };
    state.swept_at.is_none_or(|last| now >= last.plus_seconds(every))
}

/// At the start of a server and every five minutes: while no server ran, webhooks were lost.
fn is_catch_up_due(app: &App, kind: ConnectionKind, state: &ConnectionProgress, now: Time) -> bool {
    kind != ConnectionKind::LemonSqueezy
        && state.caught_up_at.is_none_or(|last| last < app.started_at || now >= last.plus_seconds(CATCH_UP_SECONDS))
}

async fn state(app: &App, connection: &Connection) -> Result<Option<ConnectionProgress>, Error> {
    Ok(connection_states::of_connection(&app.db, connection.organization_id, connection.id).await?)
}

/// The work on one connection, under its lease.
struct Run<'a> {
    app: &'a App,
    open: &'a OpenConnection,
    account: Account<'a>,
    lease: Lease,
    /// The units of the objects that a dry run has seen.
    seen: Mutex<HashSet<[u8; 16]>>,
}

impl<'a> Run<'a> {
    fn new(app: &'a App, open: &'a OpenConnection, lease: Lease) -> Option<Self> {
        let secrets = open.secrets.as_ref().filter(|_| open.connection.is_enabled)?;
        let account =
            Account { connection: &open.connection, api_key: &secrets.api_key, db: &app.db, figures: &app.connections };
        Some(Self { app, open, account, lease, seen: Mutex::default() })
    }

    /// The next piece of work. False: there is none, or the provider does not answer.
    async fn advance(&self) -> Result<bool, Error> {
        let connection = &self.open.connection;
        let Some(state) = state(self.app, connection).await? else { return Ok(false) };
        let now = self.app.clock.now();
        if !is_due(self.app, connection.kind, &state, now) {
            return Ok(false);
        }
        if is_catch_up_due(self.app, connection.kind, &state, now) {
            return self.catch_up(&state).await;
        }
        // Earlier versions stored dry runs too.
        let stored = state.sweep.as_deref().and_then(Sweep::from_stored).filter(|stored| !stored.options.dry_run);
        let mut sweep = stored.unwrap_or_else(|| Sweep::begin(SweepOptions::default(), now));
        Ok(matches!(self.sweep_page(&mut sweep).await?, Progress::Continues))
    }

    /// Commits a change that is rejected if the lease was lost.
    async fn commit(&self, change: Change) -> Result<(), Error> {
        match self.app.db.commit(self.lease.fence(change.background())).await {
            Err(store::Error::Violated(Violation::Lease)) => Err(Error::LeaseLost),
            other => Ok(other?),
        }
    }
}

/// Reconciles a connection now, for the command line. If it is interrupted, a server continues; a dry run ends. The inner error is
/// the reason why it cannot be done now.
pub async fn now(
    app: &App,
    caller: &Caller,
    id: ConnectionId,
    options: SweepOptions,
) -> Result<Result<Sweep, &'static str>, Error> {
    let found = open(app, id).await?;
    let open = found.filter(|open| open.connection.organization_id == caller.organization()).ok_or(Error::NotFound)?;
    let lease = Lease { unit: connection_progress::unit(caller.organization(), id), owner: app.entropy.bytes() };
    for _ in 0..WAITS {
        if lease.acquire(&app.db).await? {
            let outcome = tokio::select! {
                outcome = run_now(app, &open, lease, options) => outcome,
                // A page can take longer than a lease lasts.
                () = renew_until_lost(app, &lease) => Err(Error::LeaseLost),
            };
            lease.release(&app.db).await?;
            return outcome;
        }
        sleep(WAIT).await;
    }
    Ok(Err("a server is reconciling this connection. Try again in a minute"))
}

async fn run_now(
    app: &App,
    open: &OpenConnection,
    lease: Lease,
    options: SweepOptions,
) -> Result<Result<Sweep, &'static str>, Error> {
    if !open.connection.is_enabled {
        return Ok(Err("the connection is disabled. Enable it first with `perennial connection enable`"));
    }
    let Some(run) = Run::new(app, open, lease) else {
        return Ok(Err("the secrets of the connection cannot be decrypted with this master key"));
    };
    let mut sweep = Sweep::begin(SweepOptions { requested: true, ..options }, app.clock.now());
    loop {
        match run.sweep_page(&mut sweep).await? {
            Progress::Continues => {}
            Progress::Ended => return Ok(Ok(sweep)),
            Progress::NotSent(seconds) => sleep(Duration::from_secs(seconds.clamp(1, 60).unsigned_abs())).await,
            Progress::Unavailable if options.dry_run => {
                return Ok(Err("the provider does not answer. Try again later"));
            }
            Progress::Unavailable => return Ok(Err("the provider does not answer. A server continues later")),
        }
    }
}
