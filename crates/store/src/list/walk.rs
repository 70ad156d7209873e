//! A page under filters: rows are walked in the order of the index and tested one by one.
//!
//! A filter that matches often needs only a short first walk, which runs with the other reads. The remaining rows, up
//! to the page's bound, are walked separately. Each walk is one statement that also returns where it ended, so that no
//! row is walked twice.

use super::text::WALK_COLUMNS;
use super::{KeysetQuery, Position, Segment};
use crate::db::Db;
use crate::error::Error;
use crate::row::Row;
use crate::walks::{Lane, Walk};

/// The rows that are walked with the other reads, before the walk moves to the long lane.
const SHORT_WALK: usize = 256;

/// What a walk has found so far.
struct Met<T> {
    rows: usize,
    found: Vec<(T, Option<Position>)>,
    /// The position of its last row, if it walked as many rows as it was allowed to.
    end: Option<Position>,
}

impl KeysetQuery {
    /// Adds the matches of a segment to those found before, up to one more than the page holds. Returns where the walk
    /// ended, if it walked as many rows as a page may and there are more.
    pub(super) async fn walk_segment<T: Send>(
        &self,
        db: &Db,
        segment: Segment,
        found: &mut Vec<(T, Option<Position>)>,
        map: &(impl Fn(&Row<'_>) -> Result<T, Error> + Send + Sync),
    ) -> Result<Option<Position>, Error> {
        let mut list = self.clone();
        let mut left = self.walk_of(segment);
        let mut lane = Lane::Shared;
        loop {
            let rows = if lane == Lane::Shared { left.min(SHORT_WALK) } else { left };
            let met = list.walk_on(db, lane, segment, rows, self.limit + 1 - found.len(), map).await?;
            found.extend(met.found);
            // Fewer rows than allowed: this is the end of the segment.
            let Some(end) = met.end.filter(|_| found.len() <= self.limit) else { return Ok(None) };
            left -= rows;
            if left == 0 {
                return Ok(Some(end));
            }
            list.after = Some(end);
            lane = Lane::Long;
        }
    }

    /// Walks at most `rows` rows, until `wanted` of them match.
    async fn walk_on<T: Send>(
        &self,
        db: &Db,
        lane: Lane,
        segment: Segment,
        rows: usize,
        wanted: usize,
        map: &(impl Fn(&Row<'_>) -> Result<T, Error> + Send + Sync),
    ) -> Result<Met<T>, Error> {
        let (sql, params) = self.walk_rows(segment, rows, wanted);
        let walk = Walk { sql, params, rows, wanted };
        let mut met = Met { rows: 0, found: Vec::new(), end: None };
        let visit = |row: &Row<'_>| {
            // SQLite returns every row it walks; PostgreSQL counts them and returns those that matter.
            met.rows = match usize::try_from(row.int(0)?) {
                Ok(0) | Err(_) => met.rows + 1,
                Ok(number) => number,
            };
            let matches = row.bool(1)?;
            let row = row.skip(WALK_COLUMNS);
            if matches {
                met.found.push((map(&row.skip(self.keys.len()))?, Some(self.position(segment, &row)?)));
            }
            if met.rows == rows {
                met.end = Some(self.position(segment, &row)?);
            }
            Ok(met.found.len() < wanted)
        };
        db.walk(lane, walk, visit).await?;
        Ok(met)
    }
}
