//! `perennial listen`: reads the feed of a server over HTTP and forwards its events, for developing a receiver.
//!
//! The position is stored after an event was delivered and never before, so that a restart repeats at most one event and
//! loses none.

mod feed;
pub(super) mod state;

use super::forward::Target;
use crate::arguments::Listen;
use crate::failure::Failure;
use feed::{Feed, Page, ReadError};
use perennial_app::context::{Clock, Entropy};
use perennial_domain::time::Time;
use state::State;
use std::path::Path;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

pub(crate) async fn run(flags: Listen, json: bool) -> Result<(), Failure> {
    let listen = |kind| signal(kind).map_err(|error| Failure::new(format!("cannot handle signals: {error}")));
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    // The position of every delivered event is stored, so it is safe to stop anywhere.
    tokio::select! {
        outcome = forward_all(flags, json) => outcome,
        _ = terminate.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
    }
}

async fn forward_all(flags: Listen, json: bool) -> Result<(), Failure> {
    let since = flags.since.as_deref().map(|age| started(age, Clock::System.now())).transpose()?;
    let feed = Feed::new(&flags.api, &client_id(flags.client_id_file.as_deref())?, flags.types.as_deref())?;
    let mut state = State::open(&flags.state, &Entropy::from_system())?;
    let target = Target::new("--forward-to", &flags.forward_to, state.key.clone())?;
    if since.is_some() && state.cursor.is_some() {
        eprintln!("Continuing at the position in {}; --since is ignored.", flags.state.display());
    }
    let start = since.map_or_else(|| "newest".to_owned(), |time| time.to_string());
    eprintln!("Forwarding to {}. The secret is in {}.", flags.forward_to, flags.state.display());
    loop {
        let page = read(&feed, state.cursor.as_deref(), &start, &flags.state).await?;
        if let Some(event) = &page.event {
            deliver(&target, event, json).await?;
        }
        if state.cursor.as_ref() != Some(&page.next_cursor) {
            state.cursor = Some(page.next_cursor);
            state.store(&flags.state)?;
        }
    }
}

/// The next event, or none if there was none for a while. Outages of the server are waited for.
async fn read(feed: &Feed, cursor: Option<&str>, start: &str, state: &Path) -> Result<Page, Failure> {
    let mut pause = FIRST_PAUSE;
    loop {
        match feed.next(cursor, start).await {
            Ok(page) => return Ok(page),
            Err(ReadError::Gone { restored }) => return Err(gone(restored, state)),
            Err(ReadError::Rejected(reason)) => return Err(Failure(reason)),
            Err(ReadError::Unavailable(reason)) => {
                eprintln!("The feed cannot be read: {reason}. Next attempt in {} s.", pause.as_secs());
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

async fn deliver(target: &Target, event: &str, json: bool) -> Result<(), Failure> {
    let mut pause = FIRST_PAUSE;
    loop {
        let attempt = target.send(event, &Clock::System).await?;
        attempt.print(json)?;
        if attempt.is_success() {
            return Ok(());
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn gone(restored: bool, state: &Path) -> Failure {
    let why = if restored { "the database was restored to an earlier state" } else { "its events were pruned" };
    Failure::new(format!(
        "the feed no longer continues at the position in {0}: {why}. Read your records again, then set `cursor` in {0} to \
         null to continue at the newest event, or with --since at an earlier one.",
        state.display()
    ))
}

fn client_id(file: Option<&Path>) -> Result<String, Failure> {
    let text = match file {
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| Failure::new(format!("{} cannot be read: {error}", path.display())))?,
        None => std::env::var("PERENNIAL_CLIENT_ID").unwrap_or_default(),
    };
    match text.trim() {
        "" => Err(Failure::new(
            "a client ID is required: set PERENNIAL_CLIENT_ID, or name a file with --client-id-file. The client needs the \
             scope events:read.",
        )),
        id => Ok(id.to_owned()),
    }
}

/// The time that was this long ago.
fn started(age: &str, now: Time) -> Result<Time, Failure> {
    let wrong = || Failure::new(format!("--since must be an age such as 30s, 10m, 2h or 1d, not {age:?}"));
    let unit = age.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(wrong()),
    };
    let count: u32 = age.strip_suffix(unit).and_then(|count| count.parse().ok()).ok_or_else(wrong)?;
    let micros = now.as_micros() - i64::from(count) * seconds * 1_000_000;
    Time::from_micros(micros.max(0)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_count_and_a_unit() {
        let now = Time::parse("2026-11-15T12:00:00Z").unwrap();
        let at = |age: &str| started(age, now).map(|time| time.to_string()).map_err(|Failure(reason)| reason);
        assert_eq!(at("10m").unwrap(), "2026-11-15T11:50:00.000000Z");
        assert_eq!(at("90s").unwrap(), "2026-11-15T11:58:30.000000Z");
        assert_eq!(at("1d").unwrap(), "2026-11-14T12:00:00.000000Z");
        assert_eq!(at("4000000d").unwrap(), "1970-01-01T00:00:00.000000Z");
        for wrong in ["", "10", "m", "-1m", "1.5h", "10 m", "10w", "10µ"] {
            assert!(at(wrong).unwrap_err().starts_with("--since must be an age"), "{wrong}");
        }
    }
}
