//! The history of a record: its events, newest first, along the links from each event to the one before. No other event is read.
//!
//! Records with the same ID have a history each, which are merged by position: a user and the billing profile.

use super::{opened_newest, sealed_newest};
use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use perennial_domain::events::RecordKind;
use perennial_domain::id::{EventId, OrganizationId};
use perennial_store::feed::{EXAMINED, FeedEvent, Filter};
use perennial_store::history::{self, Walked};
use perennial_store::{Db, Value};
use std::collections::VecDeque;

/// Events of a record that are read at once.
const PORTION: i64 = 51;

/// The events of a record that are not returned yet.
struct Chain {
    /// The newest of them.
    next: Option<EventId>,
    /// Those that were read, newest first.
    read: VecDeque<Walked>,
}

/// A page of the events with the ID of a record, newest first, and the cursor of the next one if there is more. None if the
/// record's events are not linked: they must be searched in the feed.
pub async fn read_history(
    app: &App,
    caller: &Caller,
    record: (RecordKind, [u8; 16]),
    cursor: Option<&str>,
    filter: &Filter,
    limit: usize,
) -> Result<Option<(Vec<FeedEvent>, Option<String>)>, Error> {
    let (organization, db) = (caller.organization(), &app.db);
    let (mut before, history) = opened_newest(app, organization, cursor)?;
    let newest = match continued(&history, record.1) {
        Some(newest) => newest,
        None => newest(db, organization, record).await?,
    };
    if newest.is_empty() {
        return Ok(None);
    }
    let mut chains: Vec<Chain> = newest.into_iter().map(Chain::new).collect();
    let (mut events, mut walked) = (Vec::new(), 0);
    while events.len() < limit && walked < EXAMINED {
        for chain in &mut chains {
            chain.read(db, organization).await?;
        }
        let chain = chains.iter_mut().max_by_key(|chain| chain.sequence());
        let Some((sequence, event)) = chain.and_then(Chain::take) else { break };
        walked += 1;
        // A cursor of another list may be below the newest events.
        let Some(sequence) = sequence.filter(|sequence| *sequence < before) else { continue };
        before = sequence;
        if filter.matches(&event) {
            events.push(FeedEvent { sequence, event });
        }
    }
    let left: Vec<Value> = chains.iter().filter_map(|chain| Some(Value::Uuid(chain.next?.bytes()))).collect();
    let next = (!left.is_empty())
        .then(|| sealed_newest(app, organization, before, [vec![Value::Uuid(record.1)], left].concat()));
    Ok(Some((events, next)))
}

/// The newest event of each record with this ID.
async fn newest(
    db: &Db,
    organization: OrganizationId,
    (kind, id): (RecordKind, [u8; 16]),
) -> Result<Vec<EventId>, Error> {
    let mut newest = Vec::new();
    for kind in RecordKind::ALL.iter().filter(|known| known.id_prefix() == kind.id_prefix()) {
        newest.extend(history::revision_of(db, organization, (*kind, id)).await?);
    }
    Ok(newest)
}

/// The events at which the history of this record continues. None if the cursor is that of another list.
fn continued(history: &[Value], record: [u8; 16]) -> Option<Vec<EventId>> {
    let (Value::Uuid(of), left) = history.split_first()? else { return None };
    let id = |value: &Value| match value {
        Value::Uuid(id) => Some(EventId::from_bytes(*id)),
        _ => None,
    };
    (*of == record).then(|| left.iter().filter_map(id).collect())
}

impl Chain {
    const fn new(newest: EventId) -> Self {
        Self { next: Some(newest), read: VecDeque::new() }
    }

    /// Reads events, unless some are left. Older ones may have been pruned.
    async fn read(&mut self, db: &Db, organization: OrganizationId) -> Result<(), Error> {
        if let Some(next) = self.next.filter(|_| self.read.is_empty()) {
            self.read = history::walk(db, organization, next, PORTION).await?.into();
            self.next = self.read.front().map(|(_, event)| event.id);
        }
        Ok(())
    }

    /// The position of the newest event, if there is one. An event without a position will be at the end of the feed.
    fn sequence(&self) -> Option<i64> {
        self.read.front().map(|(sequence, _)| sequence.unwrap_or(i64::MAX))
    }

    fn take(&mut self) -> Option<Walked> {
        let walked = self.read.pop_front()?;
        self.next = walked.1.previous_id;
        Some(walked)
    }
}
