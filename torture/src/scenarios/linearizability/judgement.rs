//! What the checker made of the histories, and what is left of those that cannot have happened.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::json;

use super::OPERATIONS;
use super::record::{Entry, History, INITIAL, ambiguous_tags};
use crate::failure::{Result, could_not};
use crate::linearizable::{Action, NEVER, Operation, Outcome, Verdict, check, shortest};
use crate::scenario::Measured;

#[derive(Default)]
pub(crate) struct Judgement {
    histories: usize,
    operations: usize,
    violations: usize,
    undecided: usize,
    ambiguous_tags: usize,
    wrong: usize,
    contended: usize,
    unanswered_writes: usize,
    met: usize,
    stale: usize,
}

impl Judgement {
    /// Judges a history; a failing one is stored, with the shortest part that shows why.
    pub(crate) fn add(&mut self, history: History, directory: &Path) -> Result {
        let number = history.record.number;
        let entries = history.into_entries();
        let operations: Vec<Operation> = entries.iter().map(|entry| entry.operation).collect();
        let verdict = check(INITIAL, &operations);
        let tags = ambiguous_tags(&entries);
        let wrong = entries.iter().filter(|entry| entry.is_wrong).count();
        self.count(&operations);
        self.violations += usize::from(verdict == Verdict::Violation);
        self.undecided += usize::from(verdict == Verdict::Undecided);
        self.ambiguous_tags += tags;
        self.wrong += wrong;
        self.contended += entries.iter().filter(|entry| entry.said.ends_with("contended")).count();
        if verdict == Verdict::Linearizable && tags + wrong == 0 {
            return Ok(());
        }
        let file = directory.join(format!("history-{number}.ndjson"));
        fs::write(&file, lines(&entries)).map_err(could_not("write a history"))?;
        if verdict == Verdict::Violation {
            let window = shortest(INITIAL, &operations);
            let window = window.iter().map(|operation| format!("    {operation}")).collect::<Vec<_>>().join("\n");
            println!("  history {number} cannot have happened. The shortest stretch that shows it, in nanoseconds:");
            println!("{window}");
            let file = directory.join(format!("window-{number}.txt"));
            fs::write(&file, window).map_err(could_not("write a window"))?;
        }
        for entry in entries.iter().filter(|entry| entry.is_wrong).take(5) {
            println!("  history {number}: {} -> {}", entry.operation, entry.said);
        }
        Ok(())
    }

    fn count(&mut self, operations: &[Operation]) {
        self.histories += 1;
        self.operations += operations.len();
        for operation in operations {
            match (operation.action, operation.outcome) {
                (Action::Write { .. }, Outcome::Unknown) => self.unanswered_writes += 1,
                (Action::Write { expecting: Some(_), .. }, Outcome::Saw(_)) => self.met += 1,
                (_, Outcome::Stale) => self.stale += 1,
                _ => {}
            }
        }
    }

    pub(crate) fn measured(&self, histories: usize, kills: usize) -> Vec<Measured> {
        vec![
            Measured::at_least("histories", self.histories, histories),
            Measured::at_least("operations", self.operations, histories * OPERATIONS),
            Measured::at_least("kills", kills, histories / 2 + 1),
            Measured::at_least("writes that a kill left without a response", self.unanswered_writes, kills / 2),
            Measured::at_least("If-Match that matched", self.met, histories),
            Measured::at_least("If-Match that did not", self.stale, histories),
            Measured::none("histories that cannot have happened", self.violations),
            Measured::none("histories that could not be judged", self.undecided),
            Measured::none("ETags of two values, or values of two ETags", self.ambiguous_tags),
            // Within a server waiting requests are served in order; between servers the faster one may win for a while.
            Measured::new(
                "PUTs that lost all attempts to others",
                self.contended,
                "<= 1 in 2,000 operations",
                self.contended * 2_000 <= self.operations,
            ),
            Measured::none("responses that no client should get", self.wrong),
        ]
    }
}

fn lines(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let Operation { client, invoked, returned, action, outcome } = entry.operation;
        let mut line = json!({ "client": client, "server": entry.server, "invoked_ns": invoked, "said": entry.said });
        line["returned_ns"] = if returned == NEVER { json!(null) } else { json!(returned) };
        match action {
            Action::Read => line["action"] = json!("read"),
            Action::Write { set, expecting } => {
                line["action"] = json!("write");
                line["set"] = json!(set);
                line["expecting"] = json!(expecting);
            }
        }
        line["outcome"] = match outcome {
            Outcome::Saw(value) => json!(value),
            Outcome::Stale => json!("stale"),
            Outcome::Nothing => json!("nothing"),
            Outcome::Unknown => json!("unknown"),
        };
        line["etag"] = json!(entry.tag);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}");
    }
    text
}
