//! R12, the second half: backups of a store that is being written to. Each is verified, restored elsewhere and held
//! against the journals. It holds every write that was acknowledged before it began, none that was sent after it ended,
//! and of each change all or nothing: the record, its events, its key.
//! The seed decides what is written and when a backup begins; what it meets on its way is the scheduler's.

mod compared;
mod journal;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::failure::Result;
use crate::home::{self, Home};
use crate::scenario::{Measured, Run};
use crate::{rows, threads};
use compared::Compared;
use journal::{Journal, Marks};
use perennial_harness::SeededRandom;
use writer::Writer;

const WRITERS: usize = 16;
/// Every so manyth backup is served from: a server's start takes longer than all the rest.
const SERVED: usize = 5;

/// A backup, and what the journals knew around it.
struct Backup {
    file: PathBuf,
    /// Acknowledged before it began.
    before: Vec<Marks>,
    /// Sent before it ended.
    sent: Vec<Marks>,
    writes_during: usize,
    took: Duration,
}

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let count = run.size.choose(3, 10, 20);
    let home = Home::new(run)?;
    let server = home.serve()?;
    let user = home.user("backups@example.com")?;
    home::create_plan(&server, writer::PLAN)?;

    let mut random = SeededRandom::new(run.seed);
    let journals: Vec<Journal> = (0..WRITERS).map(|_| Journal::default()).collect();
    let (over, address) = (AtomicBool::new(false), server.address());
    let (backups, refused) = std::thread::scope(|scope| -> Result<_> {
        let at_work: Vec<_> = journals
            .iter()
            .enumerate()
            .map(|(number, journal)| {
                let mut writer = Writer::new(number, random.part(number as u64), &user, journal);
                let over = &over;
                scope.spawn(move || writer.work(address, over))
            })
            .collect();
        let backups = under_load(&home, &journals, count, &mut random);
        over.store(true, Relaxed);
        let refused: usize = threads::join(at_work)?.into_iter().sum();
        Ok((backups?, refused))
    })?;
    drop(server);

    let mut compared = Compared::default();
    let mut begun = 0;
    for (number, backup) in backups.iter().enumerate() {
        let restored = home.beside(&format!("restored-{number}"))?;
        restored.text(&["backup", "verify", &backup.file.to_string_lossy()])?;
        restored.text(&["backup", "restore", &backup.file.to_string_lossy()])?;
        compared.add(&backup.before, &backup.sent, &rows::query(&restored, compared::RECORDS)?);
        compared.feed_faults += rows::count(&restored, compared::FEED_FAULTS)?;
        if number % SERVED == 0 {
            drop(restored.serve()?);
            begun += 1;
        }
    }
    Ok(measured(&backups, &compared, refused, count, begun))
}

/// Makes so many backups at random moments while the writers are at work.
fn under_load(home: &Home, journals: &[Journal], count: usize, random: &mut SeededRandom) -> Result<Vec<Backup>> {
    let backup = |number: usize| {
        std::thread::sleep(Duration::from_millis(random.between(50, 1_000)));
        let file = home.directory().join(format!("backup-{number}.db"));
        make(home, journals, &file)
    };
    (0..count).map(backup).collect()
}

fn make(home: &Home, journals: &[Journal], file: &Path) -> Result<Backup> {
    let before: Vec<Marks> = journals.iter().map(Journal::acknowledged).collect();
    let start = Instant::now();
    home.text(&["backup", "create", &file.to_string_lossy()])?;
    let took = start.elapsed();
    let writes = |marks: &[Marks]| marks.iter().map(Marks::writes).sum::<usize>();
    let after: Vec<Marks> = journals.iter().map(Journal::acknowledged).collect();
    let writes_during = writes(&after) - writes(&before);
    let sent = journals.iter().map(Journal::sent).collect();
    Ok(Backup { file: file.to_path_buf(), before, sent, writes_during, took })
}

fn measured(backups: &[Backup], compared: &Compared, refused: usize, count: usize, begun: usize) -> Vec<Measured> {
    let disturbed = backups.iter().filter(|backup| backup.writes_during > 0).count();
    let before = backups.last().map_or(0, |last| last.before.iter().map(Marks::writes).sum());
    let slowest = backups.iter().map(|backup| backup.took).max().unwrap_or_default();
    vec![
        Measured::at_least("backups made, verified and restored", backups.len(), count),
        Measured::at_least("  while writes were acknowledged", disturbed, count),
        Measured::new("  that a server was started on", begun, "any", true),
        Measured::new("  the slowest", format!("{:.0} ms", slowest.as_secs_f64() * 1_000.0), "any", true),
        Measured::at_least("writes acknowledged before the last one", before, count * 20),
        Measured::none("acknowledged before a backup and not in it", compared.missing),
        Measured::none("in a backup and never sent", compared.unsent),
        Measured::none("halves: a record whose events or key are not its own", compared.halves),
        Measured::none("events without a position, or before the one they follow", compared.feed_faults),
        Measured::none("writes that were refused", refused),
    ]
}
