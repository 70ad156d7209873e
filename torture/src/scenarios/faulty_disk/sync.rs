//! A sync that fails with EIO, once or from then on, of the log or of the database file.

use std::collections::HashSet;
use std::process::Command;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use perennial_harness::{SeededRandom, Server};

use super::super::syncs::order::{Order, mark};
use super::taken::Taken;
use super::writers::{self, WriteOutcomes};
use crate::failure::{Result, could_not};
use crate::home::Home;
use crate::rows;
use crate::scenario::{Measured, Run};
use crate::strace::Strace;

/// Until the sync has failed and the process is gone.
const END_LIMIT: Duration = Duration::from_mins(1);
/// A write that was under way, one that came after it, one that came while the server stopped.
const REFUSALS: [&str; 4] = ["outcome_unknown", "storage_unavailable", "shutting_down", "overloaded"];

#[derive(Default)]
struct Tally {
    outcomes: WriteOutcomes,
    failed_syncs: usize,
    /// Read by the server and never answered.
    dropped: usize,
    did_not_end: usize,
    ended_well: usize,
    too_early: usize,
    missing: usize,
    faults: usize,
    slowest_start: Duration,
}

pub(super) fn fails(run: &Run) -> Result<Vec<Measured>> {
    let rounds = run.size.choose(2, 10, 50);
    let home = Home::new(run)?;
    let mut random = SeededRandom::new(run.seed);
    let next = AtomicUsize::new(0);
    let mut tally = Tally::default();
    for round in 0..rounds {
        tally.fail(run, &home, &next, &failing(&mut random), round)?;
        tally.look(&home)?;
    }
    let started = starts_without_directory(&home);
    let refused = tally.outcomes.refused_as(503, &REFUSALS);
    Ok(vec![
        Measured::at_least("rounds in which a sync failed", tally.failed_syncs, rounds),
        Measured::at_least("  writes acknowledged before it", tally.outcomes.acknowledged.len(), rounds),
        Measured::none("  acknowledged without a sync that succeeded", tally.too_early),
        Measured::none("  acknowledged and missing after the restart", tally.missing),
        Measured::at_least("  writes refused with 503", refused, rounds),
        Measured::none("  writes answered otherwise", tally.outcomes.refused() - refused),
        Measured::none("  writes taken and not answered", tally.dropped),
        Measured::new("  writes that crossed the closing", tally.outcomes.cut_off.len() - tally.dropped, "any", true),
        Measured::none("  processes that did not end", tally.did_not_end),
        Measured::none("  processes that ended with 0", tally.ended_well),
        Measured::none("  faults found by the integrity check", tally.faults),
        Measured::new(
            "  slowest restart until ready",
            format!("{:.2} s", tally.slowest_start.as_secs_f64()),
            "<= 5 s",
            tally.slowest_start <= Duration::from_secs(5),
        ),
        Measured::none("starts although the directory cannot be synced", usize::from(started)),
    ])
}

/// Counted for each thread: that of the writer, which syncs the log, and that of the checkpoints. The writer's second may
/// be that of the directory, which SQLite does not mind: see `starts_without_directory`.
fn failing(random: &mut SeededRandom) -> String {
    let which = random.between(3, 60);
    let others = if random.between(0, 1) == 0 { "+" } else { "" };
    format!("inject=fsync,fdatasync:error=EIO:when={which}{others}")
}

/// The log's name must be as durable as what is in it, or a server must not start. Whether it does.
fn starts_without_directory(home: &Home) -> bool {
    let (mut strace, serve) = (Command::new("strace"), home.serve_command());
    strace
        // The server is our child, and strace a separate process, so that a started server is ended with its handle.
        .args(["-D", "-f", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:error=EIO", "-P"])
        .arg(home.directory().join("data"))
        .arg(serve.get_program())
        .args(serve.get_args())
        .envs(serve.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(home.directory());
    let log = home.directory().join("refused.log");
    Server::start_within(&mut strace, &log, Duration::from_secs(10)).is_ok()
}

impl Tally {
    fn fail(&mut self, run: &Run, home: &Home, next: &AtomicUsize, failing: &str, round: usize) -> Result {
        let mut server = home.serve()?;
        let trace = run.evidence.join(format!("trace-{round}"));
        let strace = Strace::attach(&[server.pid()], &trace, &["-e", failing])?;
        let (address, waited) = (server.address(), could_not("wait for the server"));
        let (outcomes, status) = writers::work(address, next, || server.ended(END_LIMIT).map_err(waited))?;
        let mut dropped: HashSet<usize> = outcomes.cut_off.iter().copied().collect();
        self.outcomes.add(outcomes);
        match status {
            Some(status) => self.ended_well += usize::from(status.success()),
            None => {
                self.did_not_end += 1;
                server.kill().map_err(could_not("kill the server"))?;
            }
        }
        let mut order = Order::new(run.engine);
        let (mut failed, mut taken) = (false, Taken::default());
        strace.finish(|call| {
            taken.see(call);
            failed |= call.is_sync() && call.ends() && !call.succeeded();
            order.see(call);
        })?;
        self.failed_syncs += usize::from(failed);
        dropped.retain(|row| taken.contains(*row));
        self.dropped += dropped.len();
        self.too_early += order.answered_too_early.len();
        if order.answered_too_early.is_empty() && dropped.is_empty() {
            // Traces are large, and this one has nothing more to tell.
            std::fs::remove_file(&trace).map_err(could_not("remove a trace"))?;
        }
        Ok(())
    }

    /// What is there after a restart.
    fn look(&mut self, home: &Home) -> Result {
        let start = Instant::now();
        let server = home.serve()?;
        self.slowest_start = self.slowest_start.max(start.elapsed());
        let slugs: HashSet<String> = rows::query(home, "SELECT slug FROM plans")?.into_iter().flatten().collect();
        self.missing += self.outcomes.acknowledged.iter().filter(|row| !slugs.contains(&mark(**row))).count();
        self.faults += rows::integrity_faults(home)?.unwrap_or_default().len();
        server.stop(Duration::from_secs(20)).map_err(could_not("stop the server"))
    }
}
