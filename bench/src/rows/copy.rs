//! Rows into a PostgreSQL database with COPY, without indexes, which are built again afterwards.

use std::io::{BufWriter, Write};
use std::ops::Range;
use std::process::Stdio;

use super::cluster::{Cluster, Layout};
use super::dataset::{Cell, Dataset, PLAN, PLANS, SUBSCRIPTION, USER, uuid_text};
use crate::failure::{Failure, Result, could_not};

const DEFAULT: &str = "SELECT id FROM organizations WHERE name = 'default'";

/// Adds users with these numbers.
pub(super) fn add_users(cluster: &Cluster, dataset: Dataset, numbers: Range<u64>) -> Result {
    let organization = cluster.query(DEFAULT)?.trim().to_owned();
    copy(cluster, Some(&organization), dataset, ("users", USER, numbers))?;
    cluster.query("VACUUM ANALYZE users").map(drop)
}

pub(super) fn load(cluster: &Cluster, layout: Layout, dataset: Dataset) -> Result {
    let organization = match layout {
        Layout::Perennial => Some(cluster.query(DEFAULT)?.trim().to_owned()),
        Layout::Plain => None,
    };
    let indexes = take_indexes(cluster)?;
    for (table, columns, count) in
        [("users", USER, dataset.users()), ("plans", PLAN, PLANS), ("subscriptions", SUBSCRIPTION, dataset.rows)]
    {
        copy(cluster, organization.as_deref(), dataset, (table, columns, 0..count))?;
    }
    for sql in indexes.lines() {
        cluster.query(sql)?;
    }
    // What autovacuum would have done to a store that has been there for a while.
    cluster.query("VACUUM ANALYZE")?;
    cluster.query("CHECKPOINT").map(drop)
}

/// Drops the indexes of the big table, its key aside, and gives the statements that make them again.
fn take_indexes(cluster: &Cluster) -> Result<String> {
    let wanted =
        "FROM pg_indexes WHERE tablename = 'subscriptions' AND indexname NOT IN (SELECT conname FROM pg_constraint)";
    let made_again = cluster.query(&format!("SELECT indexdef {wanted}"))?;
    for name in cluster.query(&format!("SELECT indexname {wanted}"))?.lines() {
        cluster.query(&format!("DROP INDEX {name}"))?;
    }
    Ok(made_again)
}

fn copy(
    cluster: &Cluster,
    organization: Option<&str>,
    dataset: Dataset,
    (table, columns, numbers): (&str, &[&str], Range<u64>),
) -> Result {
    let mut names: Vec<&str> = columns.to_vec();
    if organization.is_some() {
        names.insert(0, "revision");
        names.insert(0, "organization_id");
    }
    let sql = format!("COPY {table} ({}) FROM STDIN", names.join(", "));
    let mut child = cluster
        .psql()
        .args(["--command", &sql])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(could_not("run psql"))?;
    let written = child.stdin.take().map_or(Ok(()), |stdin| {
        let mut out = BufWriter::with_capacity(1 << 20, stdin);
        for number in numbers {
            for (place, column) in names.iter().enumerate() {
                let end = if place + 1 == names.len() { '\n' } else { '\t' };
                match (*column, organization) {
                    ("organization_id", Some(id)) => write!(out, "{id}{end}")?,
                    _ => write!(out, "{}{end}", text(dataset.cell(table, column, number)))?,
                }
            }
        }
        out.flush()
    });
    let status = child.wait().map_err(could_not("wait for psql"))?;
    written.map_err(could_not(format!("hand rows of {table} to psql")))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("psql refused the rows of {table}"))) }
}

/// COPY's own way of writing values; none of ours needs escaping.
fn text(cell: Cell) -> String {
    match cell {
        Cell::Null => "\\N".to_owned(),
        Cell::Uuid(bytes) => uuid_text(bytes),
        Cell::Text(text) => text,
        Cell::Word(word) => word.to_owned(),
        Cell::Number(number) => number.to_string(),
        Cell::Bool(flag) => flag.to_string(),
        Cell::Time(time) => time.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_copy_reads_them() {
        assert_eq!(text(Cell::Null), "\\N");
        assert_eq!(text(Cell::Bool(true)), "true");
        let dataset = Dataset { rows: 1 };
        assert_eq!(text(dataset.cell("subscriptions", "created_at", 0)), "2025-01-01T00:00:00.000000Z");
        assert_eq!(text(dataset.cell("subscriptions", "id", 0)), "01941f29-7c00-7000-8000-000000000000");
    }
}
