//! `perennial import --from`: an import from another service.

use super::draft::Draft;
use super::import::{open, open_for_trial, organization};
use super::progress::Bar;
use super::report::Report;
use super::sources::unreadable;
use crate::arguments::{From, Import as Flags};
use crate::config::Config;
use crate::failure::Failure;
use crate::output;
use perennial_app::context::Clock;
use perennial_store::Db;
use perennial_transfer::{Count, Counts, Finding, Level, Moving, Reading, Service};
use serde_json::json;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) async fn run(config: &Config, flags: &Flags, json: bool) -> Result<(), Failure> {
    let files = files(flags)?;
    let (db, _trial) = if flags.dry_run { open_for_trial(config).await? } else { (open(config).await?, None) };
    let outcome = carry(&db, flags, &files, json).await;
    db.close().await;
    let (counts, report) = outcome?;
    let refused = report.refused > 0 && flags.skip_bad.is_none();
    let data = json!({
        "imported": !flags.dry_run && !refused,
        "plans": counts.plans,
        "users": counts.users,
        "subscriptions": counts.subscriptions,
        "payments": counts.payments,
        "refused": report.refused,
        "left_out": report.left_out,
        "simplified": report.simplified,
        "findings": report.groups(),
    });
    output::print(json, &data, || text(flags, counts, &report, refused))?;
    if refused {
        let count = report.refused;
        return Err(Failure::new(format!(
            "the store rejects {count} of the records, and nothing was imported: see --report for the reasons; --skip-bad imports the others"
        )));
    }
    Ok(())
}

async fn carry(db: &Db, flags: &Flags, files: &[PathBuf], json: bool) -> Result<(Counts, Report), Failure> {
    let into = match &flags.into {
        Some(name) => Some(organization(db, name).await?),
        None => None,
    };
    let service = match flags.from {
        Some(From::LemonSqueezy) => Service::LemonSqueezy,
        Some(From::Paddle) => Service::Paddle,
        _ => Service::Stripe,
    };
    let unclear = || Failure::new("there are several organizations and none is called default: name one with --into");
    let moving = Moving::begin(db, service, into, Clock::System.now()).await?.ok_or_else(unclear)?;
    let size = |path: &PathBuf| path.metadata().map_or(0, |found| found.len());
    let bytes: u64 = files.iter().map(size).sum();
    let mut run = Run {
        moving,
        report: Report::begin(flags.report.as_deref())?,
        skipped: flags.skip_bad.as_deref().map(Draft::begin).transpose()?,
        bar: Bar::new(json, bytes * Reading::ALL.len() as u64),
        done: 0,
    };
    for reading in Reading::ALL {
        for path in files {
            run.read(reading, path).await?;
            run.done += size(path);
        }
        let findings = run.moving.end(db, reading).await?;
        run.print(&findings)?;
    }
    run.bar.clear();
    let Run { mut moving, mut report, skipped, .. } = run;
    report.finish()?;
    if report.refused > 0 {
        skipped.map_or(Ok(()), Draft::finish)?;
    }
    let counts = moving.counts();
    if !flags.dry_run && (report.refused == 0 || flags.skip_bad.is_some()) {
        if !flags.keep_webhooks {
            moving.disable_webhooks(Clock::System.now()).await?;
        }
        if flags.no_feed {
            moving.leave_out_of_feed().await?;
        }
        moving.commit().await?;
    }
    Ok((counts, report))
}

struct Run {
    moving: Moving,
    report: Report,
    skipped: Option<Draft>,
    bar: Bar,
    /// Bytes of the files before this one, of all passes.
    done: u64,
}

impl Run {
    /// Reads a file one JSON value at a time.
    async fn read(&mut self, reading: Reading, path: &Path) -> Result<(), Failure> {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let name: Arc<str> = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into();
        let reader = BufReader::with_capacity(1 << 20, file);
        let mut values = serde_json::Deserializer::from_reader(reader).into_iter::<Box<RawValue>>();
        while let Some(value) = values.next() {
            let value = value.map_err(|error| {
                let (line, column, message) = (error.line(), error.column(), error.to_string());
                let message = message.split(" at line ").next().unwrap_or_default().to_owned();
                Failure::new(format!("{name}:{line}:{column}: {message}; nothing was imported: save the file again"))
            })?;
            let findings = self.moving.value(reading, &name, value.get()).await?;
            self.print(&findings)?;
            self.bar.show(self.done + values.byte_offset() as u64, total(self.moving.counts()));
        }
        Ok(())
    }

    fn print(&mut self, findings: &[Finding]) -> Result<(), Failure> {
        for finding in findings {
            self.report.take(finding)?;
            if let (Level::Refused, Some(skipped), Some(record)) = (finding.level, &mut self.skipped, &finding.record) {
                skipped.write(record.as_bytes())?;
                skipped.write(b"\n")?;
            }
        }
        Ok(())
    }
}

fn total(Counts { plans, users, subscriptions, payments }: Counts) -> u64 {
    [plans, users, subscriptions, payments].iter().map(|count| count.made + count.unchanged).sum()
}

/// The named files, and those in the named directories: `.json`, `.ndjson` and `.jsonl`, by name.
fn files(flags: &Flags) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in [&flags.path].into_iter().chain(&flags.more) {
        if path == Path::new("-") {
            return Err(Failure::new(
                "--from reads its files three times, so it cannot read standard input: name files",
            ));
        }
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = path.read_dir().and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let entries = entries.map_err(|error| unreadable(path, &error))?;
        let is_json = |path: &PathBuf| {
            path.extension().is_some_and(|kind| ["json", "ndjson", "jsonl"].iter().any(|known| kind == *known))
        };
        let mut inside: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(is_json).collect();
        if inside.is_empty() {
            let path = path.display();
            return Err(Failure::new(format!("there is nothing to import in {path}: no .json, .ndjson or .jsonl")));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

fn text(flags: &Flags, counts: Counts, report: &Report, refused: bool) -> String {
    let Counts { plans, users, subscriptions, payments } = counts;
    let row = |name: &str, count: Count| [name.to_owned(), count.made.to_string(), count.unchanged.to_string()];
    let rows =
        [row("plans", plans), row("users", users), row("subscriptions", subscriptions), row("payments", payments)];
    let new = if flags.dry_run || refused { "WOULD BE NEW" } else { "NEW" };
    let mut text = output::table(["", new, "THERE ALREADY"], &rows);
    if let Some(table) = report.table() {
        text.push_str("\n\n");
        text.push_str(&table);
        if flags.report.is_none() {
            text.push_str("\n\nUse --report FILE for the details.");
        }
    }
    text
}
