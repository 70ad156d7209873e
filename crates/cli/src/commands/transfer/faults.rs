//! What is wrong with the lines of an import: a line for each fault as it is found, or one JSON object at the end.

use crate::failure::Failure;
use crate::output;
use perennial_transfer::RejectedLine;
use serde_json::{Value, json};

/// ValidationErrors that a JSON object holds; they are counted beyond it.
const MOST: usize = 10_000;

pub(super) struct ValidationErrors {
    json: bool,
    /// Whether lines are told that are refused because of others.
    tell_followers: bool,
    pub(super) count: u64,
    pub(super) kept: Vec<Value>,
}

impl ValidationErrors {
    pub(super) fn new(json: bool, tell_followers: bool) -> Self {
        Self { json, tell_followers, count: 0, kept: Vec::new() }
    }

    pub(super) fn tell(&mut self, file: &str, line: &RejectedLine) -> Result<(), Failure> {
        for fault in &line.errors {
            self.one(file, line.number + fault.below, fault.column, fault.code, &fault.detail)?;
        }
        if line.errors.is_empty() && self.tell_followers {
            self.one(file, line.number, 1, "follows", "the line refers to one that was refused")?;
        }
        Ok(())
    }

    fn one(&mut self, file: &str, line: u64, column: usize, code: &str, detail: &str) -> Result<(), Failure> {
        self.count += 1;
        if !self.json {
            return output::write(&format!("{file}:{line}:{column}: {detail} ({code})\n"));
        }
        if self.kept.len() < MOST {
            let fault = json!({ "file": file, "line": line, "column": column, "code": code, "detail": detail });
            self.kept.push(fault);
        }
        Ok(())
    }
}
