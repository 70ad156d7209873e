//! Turns in the bucket of a connection's requests.

use crate::connections::provider::Account;
use crate::error::Error;
use crate::keyed_locks::KeyedLocks;
use perennial_domain::connections::bucket::{Priority, Turn};
use perennial_domain::time::Time;
use perennial_store::connection_bucket;
use std::time::Duration;
use tokio::time::sleep;

/// Longer waits are left to the caller, who tries again: objects of other connections wait for its place.
const LONGEST_WAIT_SECONDS: i64 = 2;
/// A sweep that began its page again would request its list again: with few requests a minute it would never come to the
/// objects. Two tokens take at most two minutes.
const LONGEST_WAIT_OF_SWEEP_SECONDS: i64 = 150;

/// Waits for the turn of a request. An error is the number of seconds until there can be one.
pub(super) async fn wait(
    account: Account<'_>,
    turns: &KeyedLocks,
    priority: Priority,
) -> Result<Result<(), i64>, Error> {
    let connection = account.connection;
    let (organization, id) = (connection.organization_id, connection.id);
    let longest = match priority {
        Priority::First => LONGEST_WAIT_SECONDS,
        Priority::Sweep => LONGEST_WAIT_OF_SWEEP_SECONDS,
    };
    loop {
        let reserved = {
            // Requests of this server take their turns one after the other; between servers the store decides.
            let _lock = turns.lock_key(id.bytes()).await;
            let Some((bucket, now)) = connection_bucket::read(account.db, organization, id).await? else {
                return Ok(Err(LONGEST_WAIT_SECONDS));
            };
            match bucket.take(connection.requests_per_minute.get(), priority, now) {
                Turn::Reserved(_, turn) if turn > now.plus_seconds(longest) => return Ok(Err(turn.seconds_since(now))),
                Turn::Reserved(after, turn) => {
                    if !connection_bucket::take(account.db, organization, id, (bucket, after)).await? {
                        continue;
                    }
                    between(now, turn)
                }
                Turn::NotBefore(until) if until > now.plus_seconds(longest) => {
                    return Ok(Err(until.seconds_since(now)));
                }
                Turn::NotBefore(until) => {
                    sleep(between(now, until)).await;
                    continue;
                }
            }
        };
        sleep(reserved).await;
        // A pause that began after the turn was reserved holds for this request too.
        let still = connection_bucket::read(account.db, organization, id).await?;
        if !still.is_some_and(|(bucket, now)| bucket.is_paused(now)) {
            return Ok(Ok(()));
        }
    }
}

/// Stops the requests of all servers for as long as the provider asked.
pub(super) async fn pause(account: Account<'_>, retry_after: Option<i64>) -> Result<(), Error> {
    let (organization, id) = (account.connection.organization_id, account.connection.id);
    if let Some((bucket, now)) = connection_bucket::read(account.db, organization, id).await? {
        connection_bucket::pause(account.db, organization, id, bucket.paused(retry_after, now)).await?;
    }
    Ok(())
}

fn between(now: Time, then: Time) -> Duration {
    Duration::from_micros(u64::try_from(then.as_micros() - now.as_micros()).unwrap_or(0))
}
