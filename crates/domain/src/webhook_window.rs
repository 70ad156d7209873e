//! A window of the feed that is being delivered to one endpoint.
//!
//! Events of one record are sent one after another, different records in parallel. The reader moves past an event only
//! when that event and all before it are done.

use crate::id::EventId;
use std::collections::{HashMap, HashSet, VecDeque};

/// The most events of a window. After a kill the window is sent again, so an endpoint gets no more than this many again.
const MAX_EVENTS: usize = 64;

/// The events that an endpoint concerns, in the order of the feed.
#[derive(Debug, Default)]
pub struct Window {
    slots: VecDeque<Slot>,
    /// The last position that was examined.
    end: i64,
}

#[derive(Debug)]
struct Slot {
    sequence: i64,
    event_id: EventId,
    record_id: [u8; 16],
    state: SlotState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlotState {
    Waiting,
    Sending,
    Done,
}

/// What happens next in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Send this event.
    Send(EventId),
    /// This event waits behind an undelivered one of its record: store a row for it.
    Queue(EventId),
    /// Nothing until an attempt ends.
    Wait,
    /// Every event is done.
    Exhausted,
}

/// The undelivered events of an endpoint that later events of the same record wait for: their number by record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocked(HashMap<[u8; 16], u64>);

impl Blocked {
    /// The records of these rows.
    pub fn new(records: impl IntoIterator<Item = [u8; 16]>) -> Self {
        let mut blocked = Self::default();
        records.into_iter().for_each(|record| blocked.add(record));
        blocked
    }

    /// One more row blocks the record.
    pub fn add(&mut self, record: [u8; 16]) {
        *self.0.entry(record).or_default() += 1;
    }

    /// One row fewer blocks the record.
    pub fn remove(&mut self, record: [u8; 16]) {
        if let Some(count) = self.0.get_mut(&record) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(&record);
            }
        }
    }

    /// Whether an event of the record must wait.
    pub fn contains(&self, record: [u8; 16]) -> bool {
        self.0.contains_key(&record)
    }
}

impl Window {
    /// A window without events, at a position.
    pub const fn at(end: i64) -> Self {
        Self { slots: VecDeque::new(), end }
    }

    /// Adds the events that were found up to `end`, which everything before was examined for.
    pub fn extend(&mut self, events: impl IntoIterator<Item = (i64, EventId, [u8; 16])>, end: i64) {
        for (sequence, event_id, record_id) in events {
            self.slots.push_back(Slot { sequence, event_id, record_id, state: SlotState::Waiting });
        }
        self.end = self.end.max(end);
    }

    /// The last position that was examined.
    pub const fn end(&self) -> i64 {
        self.end
    }

    /// How many events may be added. None while half of the window is left: events are read in portions. An event that is done
    /// stays in the window as long as an earlier one is not.
    pub fn room(&self) -> usize {
        if self.len() >= MAX_EVENTS / 2 { 0 } else { MAX_EVENTS.saturating_sub(self.slots.len()) }
    }

    /// The number of events that are not done.
    pub fn len(&self) -> usize {
        self.slots.iter().filter(|slot| slot.state != SlotState::Done).count()
    }

    /// Whether every event is done.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// What happens next. `busy` are records whose undelivered events are being sent.
    pub fn next(&mut self, blocked: &Blocked, busy: &HashSet<[u8; 16]>) -> Next {
        let mut earlier: HashSet<[u8; 16]> = HashSet::new();
        for slot in self.slots.iter_mut().filter(|slot| slot.state != SlotState::Done) {
            let is_first = earlier.insert(slot.record_id);
            if slot.state != SlotState::Waiting || !is_first {
                continue;
            }
            if blocked.contains(slot.record_id) {
                slot.state = SlotState::Sending;
                return Next::Queue(slot.event_id);
            }
            if !busy.contains(&slot.record_id) {
                slot.state = SlotState::Sending;
                return Next::Send(slot.event_id);
            }
        }
        if self.slots.is_empty() { Next::Exhausted } else { Next::Wait }
    }

    /// The first event of a record that is none of these, for a probe.
    pub fn first_of_others(&self, records: &HashSet<[u8; 16]>) -> Option<EventId> {
        let waiting =
            self.slots.iter().find(|slot| slot.state == SlotState::Waiting && !records.contains(&slot.record_id));
        waiting.map(|slot| slot.event_id)
    }

    /// Events that wait behind undelivered ones of their record, although later events are done. A reader that stops here
    /// stores rows for them, so that it need not send the later ones again.
    pub fn overtaken(&self, blocked: &Blocked) -> Vec<EventId> {
        let last_done = self.slots.iter().rposition(|slot| slot.state == SlotState::Done).unwrap_or(0);
        let waiting = |slot: &&Slot| slot.state == SlotState::Waiting && blocked.contains(slot.record_id);
        self.slots.iter().take(last_done).filter(waiting).map(|slot| slot.event_id).collect()
    }

    /// The event was delivered, or has a row.
    pub fn done(&mut self, event_id: EventId) {
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.event_id == event_id) {
            slot.state = SlotState::Done;
        }
        while self.slots.front().is_some_and(|slot| slot.state == SlotState::Done) {
            self.slots.pop_front();
        }
    }

    /// Every event up to this position is done.
    pub fn position(&self) -> i64 {
        self.slots.front().map_or(self.end, |slot| slot.sequence - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(number: u8) -> EventId {
        EventId::from_bytes([number; 16])
    }

    fn window(records: &[u8]) -> Window {
        let mut window = Window::at(100);
        let slots = records.iter().enumerate().map(|(place, record)| {
            let place = u8::try_from(place).unwrap();
            (i64::from(place) + 101, event(place), [*record; 16])
        });
        window.extend(slots, 200);
        window
    }

    #[test]
    fn records_are_sent_in_parallel_and_their_events_in_turn() {
        let mut window = window(&[1, 1, 2]);
        let (blocked, busy) = (Blocked::default(), HashSet::new());
        assert_eq!(window.next(&blocked, &busy), Next::Send(event(0)));
        assert_eq!(window.next(&blocked, &busy), Next::Send(event(2)));
        assert_eq!(window.next(&blocked, &busy), Next::Wait);
        window.done(event(2));
        assert_eq!(window.position(), 100);
        window.done(event(0));
        assert_eq!(window.position(), 101);
        assert_eq!(window.next(&blocked, &busy), Next::Send(event(1)));
        window.done(event(1));
        assert_eq!((window.position(), window.next(&blocked, &busy)), (200, Next::Exhausted));
    }

    #[test]
    fn a_window_does_not_grow_behind_an_event_that_is_not_done() {
        let mut window = Window::at(0);
        assert_eq!(window.room(), 64);
        let events = |range: std::ops::Range<u8>| range.map(|place| (i64::from(place) + 1, event(place), [place; 16]));
        window.extend(events(0..32), 32);
        assert_eq!(window.room(), 0, "the next portion waits");
        (1..32).for_each(|place| window.done(event(place)));
        assert_eq!((window.position(), window.room()), (0, 32));
        window.extend(events(32..64), 64);
        (32..64).for_each(|place| window.done(event(place)));
        // All but the first are done, and all are sent again after a kill.
        assert_eq!((window.position(), window.room()), (0, 0));
        window.done(event(0));
        assert_eq!((window.position(), window.room()), (64, 64));
    }

    #[test]
    fn an_event_behind_an_undelivered_one_gets_a_row() {
        let mut window = window(&[1, 2]);
        let blocked = Blocked::new([[1; 16], [1; 16]]);
        assert_eq!(window.first_of_others(&HashSet::from([[1; 16]])), Some(event(1)));
        assert_eq!(window.first_of_others(&HashSet::from([[1; 16], [2; 16]])), None);
        assert_eq!(window.next(&blocked, &HashSet::new()), Next::Queue(event(0)));
        assert_eq!(window.next(&blocked, &HashSet::from([[2; 16]])), Next::Wait);
        let mut freed = blocked.clone();
        freed.remove([1; 16]);
        assert!(freed.contains([1; 16]));
        freed.remove([1; 16]);
        assert!(!freed.contains([1; 16]));
    }

    proptest! {
        /// Whatever ends in which order: the position never passes an event that is not done, a record has at most one event
        /// under way, and in the end everything was sent once, in the order of its record.
        #[test]
        fn nothing_is_skipped_and_records_stay_in_order(records in prop::collection::vec(0u8..5, 0..40), ends in prop::collection::vec(0usize..8, 400)) {
            let mut window = window(&records);
            let (blocked, busy) = (Blocked::default(), HashSet::new());
            let mut sending: Vec<u8> = Vec::new();
            let mut sent: Vec<u8> = Vec::new();
            let mut done: HashSet<u8> = HashSet::new();
            for end in ends {
                match window.next(&blocked, &busy) {
                    Next::Send(id) => {
                        let place = id.bytes()[0];
                        let record = records[usize::from(place)];
                        prop_assert!(sending.iter().all(|other| records[usize::from(*other)] != record));
                        sending.push(place);
                        sent.push(place);
                    }
                    Next::Exhausted => break,
                    Next::Queue(_) => prop_assert!(false, "nothing is blocked"),
                    Next::Wait => {
                        let place = sending.remove(end % sending.len());
                        window.done(event(place));
                        done.insert(place);
                    }
                }
                let passed = usize::try_from(window.position() - 100).unwrap().min(records.len());
                prop_assert!((0..passed).all(|place| done.contains(&u8::try_from(place).unwrap())));
            }
            prop_assert_eq!(window.position(), 200);
            for record in 0u8..5 {
                let of_record: Vec<u8> = sent.iter().copied().filter(|place| records[usize::from(*place)] == record).collect();
                prop_assert!(of_record.is_sorted());
            }
            prop_assert_eq!(sent.len(), records.len());
        }
    }
}
