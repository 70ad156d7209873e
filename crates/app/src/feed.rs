//! The feed: the events of an organization in the order in which they were committed.
//!
//! A cursor names a position and the event there. If the feed does not hold this pair, it was pruned or the store was
//! restored, and the reader must read its records again: it is never given events with a gap in between.

mod history;
mod placement;
mod render;
pub(crate) mod signal;

pub use history::read_history;
pub use placement::place_until_stopped;
pub(crate) use placement::{place_committed, place_recent};
pub use render::{EventView, render};

use crate::caller::Caller;
use crate::context::App;
use crate::cursor::{self, ListName};
use crate::error::Error;
use perennial_domain::events::EventKind;
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::time::Time;
use perennial_store::feed::{self, EXAMINED, FeedEvent, FeedPosition, Filter};
use perennial_store::{Position, Value, events};
use std::time::Duration;
use tokio::time::Instant;

pub use perennial_store::feed::{FeedEvent as PlacedEvent, Filter as EventFilter};

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the oldest event.
    Oldest,
    /// After the newest event.
    Newest,
    /// At the first event that entered the feed at or after this time.
    At(Time),
    /// After the position of a cursor.
    After(String),
}

/// A page of the feed.
#[derive(Debug)]
pub struct FeedPage {
    /// The events.
    pub events: Vec<FeedEvent>,
    /// Where the next page begins, also if this one is empty.
    pub next_cursor: String,
    /// Whether the page stopped before the end of the feed.
    pub has_more: bool,
}

/// Before the first event.
const BEGINNING: FeedPosition = FeedPosition { sequence: 0, event_id: EventId::from_bytes([0; 16]) };

/// The least time between two reads of a waiting call.
const PAUSE: Duration = Duration::from_millis(20);

/// A page of the feed. If it would be empty at the end of the feed, the call waits for an event that matches. From
/// then on it has a `pause`.
pub async fn read<P>(
    app: &App,
    caller: &Caller,
    start: Start,
    filter: &Filter,
    limit: usize,
    wait: Duration,
    pause: impl Fn() -> P,
) -> Result<FeedPage, Error> {
    let organization = caller.organization();
    let mut after = position(app, organization, start).await?;
    let until = Instant::now() + wait;
    let (mut waiter, mut paused) = (None, None);
    loop {
        // Subscribed before the page is read, so that no event arrives unnoticed in between.
        let mut signal = app.feed.subscribe();
        let (events, next, has_more) = page(app, organization, after, filter, limit).await?;
        after = next;
        if events.is_empty() && !has_more && waiter.is_none() {
            waiter = app.feed.wait();
        }
        if !events.is_empty() || has_more || waiter.is_none() || Instant::now() >= until {
            let next_cursor = cursor::seal(&app.keys, &name(organization), &sealed(after));
            return Ok(FeedPage { events, next_cursor, has_more });
        }
        // Until the end of the call: a thousand of them may read at the same moment.
        paused.get_or_insert_with(&pause);
        if signal.changed_before(until).await.is_stopped() {
            waiter = None;
        }
        tokio::time::sleep(PAUSE.min(until.saturating_duration_since(Instant::now()))).await;
    }
}

/// A page of the feed from its end, newest first, and the cursor of the next one if there is more. Its cursors are of another
/// kind: they do not promise that no event is missed.
pub async fn read_newest(
    app: &App,
    caller: &Caller,
    cursor: Option<&str>,
    filter: &Filter,
    limit: usize,
) -> Result<(Vec<FeedEvent>, Option<String>), Error> {
    let (organization, db) = (caller.organization(), &app.db);
    let (before, _) = opened_newest(app, organization, cursor)?;
    let Some((lowest, is_bounded)) = feed::examined_down(db, organization, before).await? else {
        return Ok((Vec::new(), None));
    };
    let most = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
    let mut events = feed::page_down(db, organization, (before, lowest), filter, most).await?;
    let next = if events.len() > limit {
        events.truncate(limit);
        events.last().map(|last| last.sequence)
    } else {
        is_bounded.then_some(lowest)
    };
    Ok((events, next.map(|next| sealed_newest(app, organization, next, Vec::new()))))
}

/// The cursor of the newest events below a position. A history adds where it continues.
fn sealed_newest(app: &App, organization: OrganizationId, before: i64, history: Vec<Value>) -> String {
    let values = [vec![Value::Int(before)], history].concat();
    cursor::seal(&app.keys, &newest_name(organization), &Position { values })
}

/// The position of a cursor of the newest events, and what a history added.
fn opened_newest(app: &App, organization: OrganizationId, cursor: Option<&str>) -> Result<(i64, Vec<Value>), Error> {
    let Some(cursor) = cursor else { return Ok((i64::MAX, Vec::new())) };
    let position = cursor::open(&app.keys, &newest_name(organization), cursor)?;
    match position.values.split_first() {
        Some((Value::Int(before), history)) => Ok((*before, history.to_vec())),
        _ => Err(Error::InvalidCursor),
    }
}

fn newest_name(organization: OrganizationId) -> ListName {
    [b"feed down".as_slice(), &organization.bytes()].concat()
}

/// One event of the feed.
pub async fn find(app: &App, caller: &Caller, id: EventId) -> Result<FeedEvent, Error> {
    let organization = caller.organization();
    let event = events::by_id(&app.db, organization, id).await?.ok_or(Error::NotFound)?;
    let sequence = feed::sequence_of(&app.db, organization, id).await?.ok_or(Error::NotFound)?;
    Ok(FeedEvent { sequence, event })
}

async fn position(app: &App, organization: OrganizationId, start: Start) -> Result<FeedPosition, Error> {
    let db = &app.db;
    let found = match start {
        Start::Oldest => None,
        Start::Newest => {
            // A store that accepts no writes still has a newest event.
            if let Err(error) = place_recent(app).await {
                tracing::debug!(%error, "events were not placed");
            }
            feed::newest(db, organization).await?.map(|(newest, _)| newest)
        }
        Start::At(time) => feed::last_before(db, organization, time).await?,
        Start::After(cursor) => {
            let position = opened(&cursor::open(&app.keys, &name(organization), &cursor)?)?;
            return check(app, organization, position).await;
        }
    };
    Ok(found.unwrap_or(BEGINNING))
}

/// Checks that the feed still holds the position of a cursor.
async fn check(app: &App, organization: OrganizationId, position: FeedPosition) -> Result<FeedPosition, Error> {
    if position == BEGINNING {
        return check_beginning(app, organization).await;
    }
    if feed::at(&app.db, organization, position.sequence).await? == Some(position.event_id) {
        return Ok(position);
    }
    let oldest = feed::oldest(&app.db, organization).await?;
    let is_pruned = oldest.is_some_and(|(oldest, _)| position.sequence < oldest.sequence);
    Err(Error::CursorGone { oldest: oldest.map(|(_, entered_at)| entered_at), restored: !is_pruned })
}

/// The cursor of an empty feed is valid as long as nothing was pruned: the first event is that of the organization.
async fn check_beginning(app: &App, organization: OrganizationId) -> Result<FeedPosition, Error> {
    let first = feed::page(&app.db, organization, (0, i64::MAX), &Filter::default(), 1).await?;
    match first.first() {
        Some(first) if first.event.kind != EventKind::OrganizationCreated => {
            let oldest = feed::oldest(&app.db, organization).await?.map(|(_, entered_at)| entered_at);
            Err(Error::CursorGone { oldest, restored: false })
        }
        _ => Ok(BEGINNING),
    }
}

/// The events after a position, the position that the page ends at, and whether it stopped before the end of the feed.
async fn page(
    app: &App,
    organization: OrganizationId,
    after: FeedPosition,
    filter: &Filter,
    limit: usize,
) -> Result<(Vec<FeedEvent>, FeedPosition, bool), Error> {
    let most = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
    let db = &app.db;
    // Every event up to this position is examined, and none can appear there later.
    let (end, is_bounded) = if filter.is_empty() {
        (None, false)
    } else {
        let examined = feed::examined(db, organization, after.sequence, EXAMINED).await?;
        match examined.last {
            Some(last) => (Some(last), examined.count == EXAMINED),
            None => return Ok((Vec::new(), after, false)),
        }
    };
    let last = end.map_or(i64::MAX, |end| end.sequence);
    let mut events = feed::page(db, organization, (after.sequence, last), filter, most).await?;
    if events.len() > limit {
        events.truncate(limit);
        let next = events.last().map_or(after, FeedEvent::position);
        return Ok((events, next, true));
    }
    let next = end.or_else(|| events.last().map(FeedEvent::position)).unwrap_or(after);
    let has_more = is_bounded && feed::newest(db, organization).await?.is_some_and(|(newest, _)| newest != next);
    Ok((events, next, has_more))
}

fn name(organization: OrganizationId) -> ListName {
    [b"feed".as_slice(), &organization.bytes()].concat()
}

fn sealed(position: FeedPosition) -> Position {
    Position { values: vec![Value::Int(position.sequence), Value::Uuid(position.event_id.bytes())] }
}

fn opened(position: &Position) -> Result<FeedPosition, Error> {
    match position.values.as_slice() {
        [Value::Int(sequence), Value::Uuid(event_id)] => {
            Ok(FeedPosition { sequence: *sequence, event_id: EventId::from_bytes(*event_id) })
        }
        _ => Err(Error::InvalidCursor),
    }
}
