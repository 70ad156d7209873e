//! Sweeps: all objects of a provider compared with the records here, then applied. The progress is stored after each page, so
//! that another server continues.
//!
//! **Invariant (P9):** a sweep that would end the access of many subscriptions applies nothing until the operator confirms it.

use crate::time::Time;
use crate::words::words;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// So many lost subscriptions are not suspicious.
const FEW: u64 = 20;
/// The part of all linked subscriptions that is not suspicious, in percent.
const PERCENT: u64 = 5;

words! {
    /// A part of a sweep.
    SweepPhase {
        /// The lists are read and compared.
        Compare = "compare",
        /// Linked objects that are in no list are fetched and compared.
        Missing = "missing",
        /// The lists are read again, and what differs is fetched and applied.
        Apply = "apply",
        /// What differs and is in no list is applied.
        ApplyMissing = "apply_missing",
    }
}

/// What a sweep may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepOptions {
    /// It reports and changes nothing.
    pub dry_run: bool,
    /// The operator confirmed that many subscriptions lose access.
    pub yes: bool,
    /// The operator requested it, and waits for its result.
    pub requested: bool,
}

/// The progress of a sweep, and in the end its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// What it may do.
    pub options: SweepOptions,
    /// When it began, in microseconds since 1970.
    pub began: i64,
    /// The part that it is in.
    pub phase: String,
    /// The number of the list that it reads.
    pub list: usize,
    /// The cursor of the next page.
    pub cursor: Option<String>,
    /// The objects that were compared.
    pub seen: u64,
    /// Objects without a record: those that the comparison found, less those that could not be created.
    pub created: u64,
    /// Objects that differ from their records. An order of Lemon Squeezy has two.
    pub different: u64,
    /// Objects whose records were changed.
    pub repaired: u64,
    /// Linked subscriptions that were compared.
    pub linked: u64,
    /// Those that would lose access.
    pub losing: u64,
    /// Whether it was stopped: nothing was applied.
    pub stopped: bool,
    /// Whether it has ended.
    pub is_done: bool,
    /// The first differences, for the operator.
    pub differences: Vec<Difference>,
}

/// The most differences that a result lists.
pub const MAX_DIFFERENCES: usize = 100;

/// An object that differs from its record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The kind of object.
    pub object: String,
    /// Its ID at the provider.
    pub external_id: String,
    /// The record. None: it is new.
    pub record_id: Option<String>,
    /// The fields that differ: `{name: {"ours", "theirs"}}`.
    pub fields: Value,
    /// Whether the provider has no such object any more.
    pub missing: bool,
    /// Whether the record was changed.
    pub repaired: bool,
}

impl Sweep {
    /// A sweep that begins.
    pub fn begin(options: SweepOptions, now: Time) -> Self {
        Self {
            options,
            began: now.as_micros(),
            phase: SweepPhase::Compare.as_str().to_owned(),
            list: 0,
            cursor: None,
            seen: 0,
            created: 0,
            different: 0,
            repaired: 0,
            linked: 0,
            losing: 0,
            stopped: false,
            is_done: false,
            differences: Vec::new(),
        }
    }

    /// A stored sweep.
    pub fn from_stored(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The text to store.
    pub fn to_stored(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The part that it is in.
    pub fn phase(&self) -> SweepPhase {
        SweepPhase::from_stored(&self.phase).unwrap_or(SweepPhase::Compare)
    }

    /// When it began.
    pub fn began(&self) -> Time {
        Time::from_micros(self.began).unwrap_or(Time::MIN)
    }

    /// Whether more subscriptions would lose access than is plausible (P9).
    pub const fn is_suspicious(&self) -> bool {
        self.losing > FEW && self.losing * 100 > self.linked * PERCENT && !self.options.yes
    }

    /// Moves on after a page with this next cursor, of this many lists in all.
    pub fn advance(&mut self, next: Option<String>, lists: usize, applies: bool) {
        self.cursor = next;
        if self.cursor.is_some() {
            return;
        }
        self.list += 1;
        if self.list < lists {
            return;
        }
        self.list = 0;
        match self.phase() {
            SweepPhase::Compare => self.move_to(SweepPhase::Missing),
            SweepPhase::Apply => self.move_to(SweepPhase::ApplyMissing),
            SweepPhase::ApplyMissing => self.is_done = true,
            SweepPhase::Missing => self.compared(applies),
        }
    }

    /// Ends the comparison: what follows is to apply it, or the end.
    pub fn compared(&mut self, applies: bool) {
        (self.list, self.cursor) = (0, None);
        if self.is_suspicious() {
            self.stopped = true;
        }
        let has_work = self.different + self.created > 0;
        if self.stopped || !applies || self.options.dry_run || !has_work {
            self.is_done = true;
        } else {
            self.move_to(SweepPhase::Apply);
        }
    }

    fn move_to(&mut self, phase: SweepPhase) {
        phase.as_str().clone_into(&mut self.phase);
    }

    /// Adds a difference to the result.
    pub fn note(&mut self, difference: Difference) {
        if self.differences.len() < MAX_DIFFERENCES {
            self.differences.push(difference);
        }
    }

    /// Counts an object that was repaired, and marks the differences of its records.
    pub fn repaired(&mut self, differences: &[Difference]) {
        self.repaired += 1;
        for repaired in differences {
            let is_it =
                |known: &&mut Difference| known.object == repaired.object && known.external_id == repaired.external_id;
            if let Some(known) = self.differences.iter_mut().find(is_it) {
                known.repaired = true;
            }
        }
    }

    /// The result, as the command prints it.
    pub fn result(&self) -> Value {
        json!({
            "seen": self.seen,
            "created": self.created,
            "different": self.different,
            "repaired": self.repaired,
            "stopped": self.stopped,
            "differences": self.differences,
        })
    }
}

/// The fields of two records that differ, without their stamps and the number of a plan's version, which is ours.
pub fn differing_fields(ours: &Value, theirs: &Value) -> Value {
    const STAMPS: [&str; 4] = ["updated_at", "created_at", "id", "version"];
    let names = |record: &Value| record.as_object().map(|fields| fields.keys().cloned().collect::<BTreeSet<_>>());
    let all: BTreeSet<String> = [names(ours), names(theirs)].into_iter().flatten().flatten().collect();
    let differs = |name: &String| !STAMPS.contains(&name.as_str()) && ours[name] != theirs[name];
    let fields = all.into_iter().filter(differs).map(|name| {
        let pair = json!({ "ours": ours[&name], "theirs": theirs[&name] });
        (name, pair)
    });
    Value::Object(fields.collect::<Map<String, Value>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sweep() -> Sweep {
        Sweep::begin(SweepOptions::default(), Time::MIN)
    }

    #[test]
    fn only_many_losses_at_once_are_suspicious() {
        let of = |losing, linked| Sweep { linked, losing, ..sweep() }.is_suspicious();
        assert!(!of(20, 20), "20 may always be lost");
        assert!(of(21, 21) && of(21, 419));
        assert!(!of(21, 420), "5 % of 420 are 21");
        assert!(of(500, 1_000) && !of(0, 0));
        let confirmed = SweepOptions { yes: true, ..SweepOptions::default() };
        assert!(!Sweep { losing: 500, linked: 500, options: confirmed, ..sweep() }.is_suspicious());
    }

    #[test]
    fn a_sweep_compares_everything_before_it_applies_anything() {
        let mut sweep = Sweep { different: 1, ..sweep() };
        sweep.advance(Some("a".to_owned()), 2, true);
        assert_eq!((sweep.phase(), sweep.list), (SweepPhase::Compare, 0));
        sweep.advance(None, 2, true);
        sweep.advance(None, 2, true);
        assert_eq!(sweep.phase(), SweepPhase::Missing);
        sweep.compared(true);
        assert_eq!((sweep.phase(), sweep.list, sweep.is_done), (SweepPhase::Apply, 0, false));
        sweep.advance(None, 2, true);
        sweep.advance(None, 2, true);
        assert_eq!((sweep.phase(), sweep.list, sweep.is_done), (SweepPhase::ApplyMissing, 0, false));
        sweep.advance(None, 1, true);
        assert!(sweep.is_done);
    }

    #[test]
    fn an_object_of_two_records_is_repaired_once() {
        let difference = |object: &str| Difference {
            object: object.to_owned(),
            external_id: "order-1".to_owned(),
            record_id: None,
            fields: json!({}),
            missing: false,
            repaired: false,
        };
        let mut sweep = sweep();
        let both = [difference("subscription"), difference("payment")];
        for difference in &both {
            sweep.note(difference.clone());
        }
        sweep.repaired(&both);
        assert_eq!((sweep.repaired, sweep.differences.iter().all(|known| known.repaired)), (1, true));
    }

    #[test]
    fn nothing_is_applied_if_it_is_suspicious_a_dry_run_or_only_reported() {
        let compared = |mut sweep: Sweep, applies: bool| {
            sweep.compared(applies);
            (sweep.is_done, sweep.stopped)
        };
        let different = || Sweep { different: 30, ..sweep() };
        assert_eq!(compared(different(), true), (false, false));
        assert_eq!(compared(different(), false), (true, false));
        assert_eq!(compared(Sweep { losing: 30, linked: 30, ..different() }, true), (true, true));
        let dry = SweepOptions { dry_run: true, ..SweepOptions::default() };
        assert_eq!(compared(Sweep { options: dry, ..different() }, true), (true, false));
        assert_eq!(compared(sweep(), true), (true, false), "nothing differs");
    }

    #[test]
    fn the_fields_that_differ_are_listed_with_both_values() {
        let ours = json!({ "id": "1", "status": "active", "renews_at": null, "updated_at": "a", "version": 1 });
        let theirs = json!({ "id": "2", "status": "paused", "renews_at": null, "updated_at": "b", "version": 2 });
        assert_eq!(differing_fields(&ours, &theirs), json!({ "status": { "ours": "active", "theirs": "paused" } }));
    }

    proptest! {
        #[test]
        fn every_progress_reads_back(seen: u64, cursor: Option<String>, list in 0..5_usize) {
            let mut sweep = Sweep { list, cursor, seen, ..sweep() };
            sweep.note(Difference { object: "subscription".into(), external_id: "sub_1".into(), record_id: None, fields: json!({}), missing: false, repaired: false });
            prop_assert_eq!(Sweep::from_stored(&sweep.to_stored()), Some(sweep));
        }
    }
}
