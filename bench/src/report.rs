//! Reports of a run: tables on the terminal, Markdown and plots in files.

pub(crate) mod document;
pub(crate) mod goal;
mod goals;
mod plot;
pub(crate) mod table;

use crate::results::Results;
use crate::targets::target::{BARE, PARSE};
use table::{Table, number, optional, times};

/// All targets of one workload. The last column is the cost relative to the limit of this workload.
pub(crate) fn work_table(results: &Results, workload: &str) -> Table {
    let mut table = Table::new(&["", "requests/s", "p50 µs", "p99 µs", "CPU µs/request", "CPU / limit", "spread"]);
    let limit = [BARE, PARSE].into_iter().find(|limit| results.summary(workload, limit).is_some());
    for (name, summary) in results.of(workload) {
        let ratio = limit.and_then(|limit| results.cpu_ratio((workload, name), (workload, limit)));
        table.row(vec![
            name.to_owned(),
            number(summary.per_second),
            optional(summary.p50_micros),
            optional(summary.p99_micros),
            optional(summary.cpu_micros),
            times(ratio),
            format!("{:.0} %", summary.spread * 100.0),
        ]);
    }
    table
}

/// The goals that this run can speak of, for the terminal.
pub(crate) fn goals_table(results: &Results, sizes: &[u64]) -> Table {
    goals::table(results, sizes, true)
}
