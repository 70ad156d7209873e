//! `perennial copy`.

use super::progress::Bar;
use crate::arguments::Copying;
use crate::config::Config;
use crate::failure::Failure;
use crate::{output, storage};
use perennial_app::context::Clock;
use perennial_domain::time::Time;
use perennial_store::{Db, examine};
use perennial_transfer::{Copied, copy};
use serde_json::{Map, Value, json};
use std::path::Path;

pub(super) async fn run(config: &Config, flags: &Copying, json: bool) -> Result<(), Failure> {
    let from = match &flags.from {
        Some(place) => open_source(config, place).await?,
        None => storage::open_beside(config).await?,
    };
    let disable_webhooks_at = (!flags.keep_webhooks).then(|| Clock::System.now());
    let to = storage::open_named(config, &flags.to, "--to", true).await?;
    let copied = work(&from, &to, disable_webhooks_at, json).await;
    from.close().await;
    to.close().await;
    let rows = match copied? {
        Copied::Whole(rows) => rows,
        Copied::Occupied => {
            return Err(Failure::new("the store to copy into holds data: name an empty one with --to"));
        }
        Copied::Differs(table) => {
            return Err(Failure::new(format!(
                "the rows of {table} differ after the copy, and nothing was committed: either another process has begun to \
                 use the new store, or this is a bug; please report it"
            )));
        }
    };
    let tables: Map<String, Value> = rows.iter().map(|(table, rows)| ((*table).to_owned(), json!(rows))).collect();
    let total: u64 = rows.iter().map(|(_, rows)| rows).sum();
    output::print(json, &json!({ "rows": total, "equal": true, "tables": tables }), || {
        let lines: Vec<[String; 2]> =
            rows.iter().map(|(table, rows)| [(*table).to_owned(), rows.to_string()]).collect();
        format!(
            "Copied {total} rows and compared every one: they are equal.\n\
             The master key is not among them: give the new store's servers the same one.\n\n{}",
            output::table(["TABLE", "ROWS"], &lines)
        )
    })
}

/// Opens a store to read from, which must exist.
async fn open_source(config: &Config, place: &str) -> Result<Db, Failure> {
    if !storage::is_url(place) && !Path::new(place).join(storage::FILE).exists() {
        return Err(Failure::new(format!("there is no store in {place}: name its directory or its URL with --from")));
    }
    storage::open_named(config, place, "--from", false).await
}

/// A newer schema that is compatible with this program may have columns that it does not know and would not copy.
async fn must_be_known_in_full(store: &Db) -> Result<(), Failure> {
    let schema = examine::schema(store).await?;
    if schema.found > schema.known {
        return Err(Failure::new(format!(
            "a store has schema version {}, and this program would not copy what is newer than its own {}: \
             run the newer program",
            schema.found, schema.known
        )));
    }
    Ok(())
}

async fn work(from: &Db, to: &Db, disable_webhooks_at: Option<Time>, json: bool) -> Result<Copied, Failure> {
    from.ping().await?;
    to.migrate().await?;
    for store in [from, to] {
        must_be_known_in_full(store).await?;
    }
    let mut bar: Option<Bar> = None;
    let copied = copy(from, to, disable_webhooks_at, |progress| {
        let bar = bar.get_or_insert_with(|| Bar::new(json, progress.total));
        bar.show(progress.done, progress.done);
    })
    .await;
    if let Some(bar) = bar {
        bar.clear();
    }
    Ok(copied?)
}
