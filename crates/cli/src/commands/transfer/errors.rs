//! The errors of an import: one line for each as it is found, or one JSON object at the end.

use crate::failure::Failure;
use crate::output;
use perennial_transfer::RejectedLine;
use serde_json::{Value, json};

/// The number of errors in a JSON object; further ones are only counted.
const MAX_LISTED: usize = 10_000;

pub(super) struct ImportErrors {
    json: bool,
    /// Whether lines are reported that are rejected because of others.
    with_followers: bool,
    pub(super) count: u64,
    pub(super) listed: Vec<Value>,
}

impl ImportErrors {
    pub(super) fn new(json: bool, with_followers: bool) -> Self {
        Self { json, with_followers, count: 0, listed: Vec::new() }
    }

    pub(super) fn report(&mut self, file: &str, line: &RejectedLine) -> Result<(), Failure> {
        for fault in &line.errors {
            self.one(file, line.number + fault.below, fault.column, fault.code, &fault.detail)?;
        }
        if line.errors.is_empty() && self.with_followers {
            self.one(file, line.number, 1, "follows", "the line refers to one that was refused")?;
        }
        Ok(())
    }

    fn one(&mut self, file: &str, line: u64, column: usize, code: &str, detail: &str) -> Result<(), Failure> {
        self.count += 1;
        if !self.json {
            return output::write(&format!("{file}:{line}:{column}: {detail} ({code})\n"));
        }
        if self.listed.len() < MAX_LISTED {
            let fault = json!({ "file": file, "line": line, "column": column, "code": code, "detail": detail });
            self.listed.push(fault);
        }
        Ok(())
    }
}
