//! The installation's signing keys: read from the store, opened, and the next one made when it is due.
//! Every server does this for itself; the store lets one of them make a key and the others find it.

use crate::context::App;
use crate::error::Error;
use perennial_domain::time::Time;
use perennial_identity::access::AccessTokens;
use perennial_identity::key_set::{KeySet, TERM_SECONDS};
use perennial_identity::signing::{SealedKey, SigningKey};
use perennial_store::signing_keys::{self, Row};
use perennial_store::{self as store, Change, Miss, installation};
use std::sync::{Arc, PoisonError, RwLock};

/// A key is published a day before it signs, so that a set read a minute ago is never too old.
const LIFETIME_SECONDS: i64 = 60;

/// The keys as they were last read.
#[derive(Default)]
pub(crate) struct SigningKeys(RwLock<Option<(Arc<KeySet>, Time)>>);

/// The keys that sign and are published now.
pub async fn current(app: &App) -> Result<Arc<KeySet>, Error> {
    let now = app.clock.now();
    let kept = app.signing.0.read().unwrap_or_else(PoisonError::into_inner).clone();
    // A clock that stepped back makes a set old, not eternal.
    if let Some((keys, read_at)) = kept
        && read_at <= now
        && now < read_at.plus_seconds(LIFETIME_SECONDS)
    {
        return Ok(keys);
    }
    let keys = Arc::new(load(app, now).await?);
    *app.signing.0.write().unwrap_or_else(PoisonError::into_inner) = Some((Arc::clone(&keys), now));
    Ok(keys)
}

/// The public halves, as other services read them.
pub async fn published(app: &App) -> Result<String, Error> {
    Ok(current(app).await?.jwks_json(app.clock.now()))
}

/// How the keys stand, as far as their rows tell; nothing is opened, made or removed.
pub struct Standing {
    /// From when the newest one signs; none if there is no key.
    pub newest_from: Option<Time>,
    /// Whether the newest has signed past its term: a server that runs would have made the next one.
    pub is_overdue: bool,
}

/// Looks at the rows of the keys.
pub async fn standing(app: &App) -> Result<Standing, Error> {
    let newest_from = signing_keys::all(&app.db).await?.iter().map(|row| row.active_from).max();
    let is_overdue = newest_from.is_some_and(|from| from.plus_seconds(TERM_SECONDS) < app.clock.now());
    Ok(Standing { newest_from, is_overdue })
}

/// The tokens of this installation, under the name it issues them by.
pub(crate) async fn access_tokens(app: &App) -> Result<&AccessTokens, Error> {
    app.access_tokens.get_or_try_init(|| async { Ok(AccessTokens::new(issuer(app).await?)) }).await
}

/// What our tokens say in `iss`.
pub(crate) async fn issuer(app: &App) -> Result<String, Error> {
    if let Some(url) = &app.options.public_url {
        return Ok(url.clone());
    }
    let found = installation::find(&app.db).await?;
    found.map(|found| found.issuer).ok_or_else(|| Error::Internal("there has been no first run".into()))
}

/// The first key, as part of the first run.
pub(crate) fn prepare_first(app: &App, change: Change, now: Time) -> Result<Change, Error> {
    make(app, change, 1, now, now)
}

async fn load(app: &App, now: Time) -> Result<KeySet, Error> {
    loop {
        let rows = signing_keys::all(&app.db).await?;
        let sealed: Vec<SealedKey> = rows.iter().map(sealed).collect();
        let keys = KeySet::open(&sealed, &app.keys.wrapping)?;
        let spent = keys.spent(now);
        let mut change = Change::new();
        for row in rows.iter().filter(|row| spent.contains(&row.kid.as_str())) {
            change = signing_keys::remove(change, row.sequence);
        }
        if let Some(active_from) = keys.due(now) {
            let next = rows.last().map_or(1, |row| row.sequence + 1);
            change = make(app, change, next, active_from, now)?;
        }
        if change.is_empty() {
            return Ok(keys);
        }
        match app.db.commit(change).await {
            Ok(()) | Err(store::Error::Missed(Miss::Record)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn make(app: &App, change: Change, sequence: i64, active_from: Time, now: Time) -> Result<Change, Error> {
    let SealedKey { kid, active_from, sealed } = SigningKey::generate(active_from)?.seal(&app.keys.wrapping)?;
    Ok(signing_keys::insert(change, &Row { sequence, kid, active_from, sealed }, now))
}

fn sealed(row: &Row) -> SealedKey {
    SealedKey { kid: row.kid.clone(), active_from: row.active_from, sealed: row.sealed.clone() }
}
