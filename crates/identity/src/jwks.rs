//! The cache of providers' keys, shared by all organizations of the installation.
//! For any number of tokens, an issuer is requested at most once in 30 seconds beyond the regular refresh.

use crate::algorithm::Algorithm;
use crate::fetch::get;
use crate::json;
use crate::jwk::{IssuerKeys, PublicKey};
use crate::providers::{Source, SourceAt};
use perennial_domain::time::Time;
use perennial_outbound::{Endpoint, FetchError, OutboundClient};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

const FRESH_SECONDS: i64 = 600;
const SHORTEST_FRESH_SECONDS: i64 = 300;
const LONGEST_FRESH_SECONDS: i64 = 24 * 3600;
const STALE_SECONDS: i64 = 24 * 3600;
const PAUSE_SECONDS: i64 = 30;
/// Concurrent requests may have instants in another order than they run; a clock that steps back does so by more.
const JITTER_SECONDS: i64 = 60;

/// Providers' keys and the client that fetches them.
pub struct Keyring {
    client: Arc<OutboundClient>,
    issuers: Mutex<HashMap<Source, Arc<Issuer>>>,
}

/// Why there is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoKey {
    /// The issuer does not publish it.
    Unknown,
    /// The issuer cannot be reached.
    Unavailable,
}

/// One issuer's keys. `flight` is locked while they are fetched, so that they are fetched once.
#[derive(Default)]
struct Issuer {
    state: Mutex<State>,
    flight: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Default)]
struct State {
    kept: Option<Kept>,
    /// When a fetch for an unknown key last found nothing.
    missed_at: Option<Time>,
    /// When a fetch last failed, if none succeeded since.
    failed_at: Option<Time>,
}

#[derive(Clone)]
struct Kept {
    keys: Arc<IssuerKeys>,
    fetched_at: Time,
    fresh_until: Time,
}

/// How to obtain a key.
enum Step {
    Use(Arc<PublicKey>),
    Fetch { stale: Option<Arc<PublicKey>> },
    GiveUp(NoKey),
}

pub(crate) struct Fetched {
    pub(crate) keys: IssuerKeys,
    pub(crate) fresh_seconds: i64,
}

/// The names and algorithms of the usable keys of a document, or why it is unusable.
pub fn usable_keys(document: &[u8]) -> Result<Vec<(String, Vec<Algorithm>)>, &'static str> {
    IssuerKeys::read(document).map(|keys| keys.summary()).map_err(|malformed| malformed.0)
}

impl Keyring {
    /// An empty cache.
    pub fn new(client: Arc<OutboundClient>) -> Self {
        Self { client, issuers: Mutex::default() }
    }

    pub(crate) const fn client(&self) -> &Arc<OutboundClient> {
        &self.client
    }

    /// The issuer's key with this name. A cached key is returned without waiting, even while another task refreshes
    /// the cache.
    pub(crate) async fn key(&self, source: &Source, kid: Option<&str>, now: Time) -> Result<Arc<PublicKey>, NoKey> {
        let issuer = self.issuer(source);
        let stale = match issuer.step(kid, now) {
            Step::Use(key) => return Ok(key),
            Step::GiveUp(_) => None,
            Step::Fetch { stale } => stale,
        };
        let flight = Arc::clone(&issuer.flight);
        let flight = match stale {
            Some(key) => match flight.try_lock_owned() {
                Ok(flight) => flight,
                Err(_) => return Ok(key),
            },
            None => flight.lock_owned().await,
        };
        // The previous holder of the lock may have fetched the key, or found that it cannot be fetched.
        let stale = match issuer.step(kid, now) {
            Step::Use(key) => return Ok(key),
            Step::GiveUp(reason) => return Err(reason),
            Step::Fetch { stale } => stale,
        };
        // A separate task: a caller that disconnects must not end the fetch that others wait for.
        let (client, source, wanted) = (Arc::clone(&self.client), source.clone(), kid.map(str::to_owned));
        let task = tokio::spawn(async move {
            let outcome = fetch(&client, &source).await;
            if let Err(error) = &outcome {
                tracing::warn!(issuer = source.issuer, %error, "the keys of an identity provider cannot be fetched");
            }
            let found = issuer.keep(outcome, wanted.as_deref(), now);
            drop(flight);
            found
        });
        match (task.await.unwrap_or(Err(NoKey::Unavailable)), stale) {
            (Err(NoKey::Unavailable), Some(key)) => Ok(key),
            (found, _) => found,
        }
    }

    fn issuer(&self, source: &Source) -> Arc<Issuer> {
        let mut issuers = self.issuers.lock().unwrap_or_else(PoisonError::into_inner);
        match issuers.get(source) {
            Some(issuer) => Arc::clone(issuer),
            None => Arc::clone(issuers.entry(source.clone()).or_default()),
        }
    }
}

impl Issuer {
    fn step(&self, kid: Option<&str>, now: Time) -> Step {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).step(kid, now)
    }

    fn keep(
        &self,
        fetched: Result<Fetched, FetchError>,
        kid: Option<&str>,
        now: Time,
    ) -> Result<Arc<PublicKey>, NoKey> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).keep(fetched.ok(), kid, now)
    }
}

impl State {
    fn step(&self, kid: Option<&str>, now: Time) -> Step {
        let kept = self.kept.as_ref().filter(|kept| now < kept.fresh_until.plus_seconds(STALE_SECONDS));
        let found = kept.and_then(|kept| kept.keys.find(kid));
        let fresh =
            kept.is_some_and(|kept| kept.fetched_at <= now.plus_seconds(JITTER_SECONDS) && now < kept.fresh_until);
        let failed = is_recent(self.failed_at, now);
        match found {
            Some(key) if fresh || failed => Step::Use(key),
            found @ Some(_) => Step::Fetch { stale: found },
            None if failed => Step::GiveUp(NoKey::Unavailable),
            None if is_recent(self.missed_at, now) => Step::GiveUp(NoKey::Unknown),
            None => Step::Fetch { stale: None },
        }
    }

    fn keep(&mut self, fetched: Option<Fetched>, kid: Option<&str>, now: Time) -> Result<Arc<PublicKey>, NoKey> {
        let Some(fetched) = fetched else {
            self.failed_at = Some(now);
            return Err(NoKey::Unavailable);
        };
        let found = fetched.keys.find(kid);
        self.failed_at = None;
        if found.is_none() {
            self.missed_at = Some(now);
        }
        let fresh_until = now.plus_seconds(fetched.fresh_seconds);
        self.kept = Some(Kept { keys: Arc::new(fetched.keys), fetched_at: now, fresh_until });
        found.ok_or(NoKey::Unknown)
    }
}

/// Whether it happened within the pause. A clock that stepped back ends the pause.
fn is_recent(at: Option<Time>, now: Time) -> bool {
    at.is_some_and(|at| at <= now.plus_seconds(JITTER_SECONDS) && now < at.plus_seconds(PAUSE_SECONDS))
}

#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    jwks_uri: String,
}

pub(crate) async fn fetch(client: &OutboundClient, source: &Source) -> Result<Fetched, FetchError> {
    let answer = match &source.at {
        SourceAt::Keys(endpoint) => get(client, endpoint).await?,
        SourceAt::Discovery(endpoint) => {
            let document = get(client, endpoint).await?.body;
            get(client, &discovered(&document, source, endpoint)?).await?
        }
    };
    let fresh_seconds = answer
        .max_age_seconds
        .map_or(FRESH_SECONDS, |max_age| max_age.clamp(SHORTEST_FRESH_SECONDS, LONGEST_FRESH_SECONDS));
    let keys = IssuerKeys::read(&answer.body).map_err(|fault| FetchError::Malformed(fault.0))?;
    Ok(Fetched { keys, fresh_seconds })
}

/// The URL of the keys, if the document is the issuer's and the operator allows the URL.
fn discovered(document: &[u8], source: &Source, endpoint: &Endpoint) -> Result<Endpoint, FetchError> {
    let discovery: Discovery = json::object(document)
        .ok_or(FetchError::Malformed("is not a discovery document with `issuer` and `jwks_uri`"))?;
    if discovery.issuer != source.issuer {
        return Err(FetchError::Malformed("is the discovery document of another issuer"));
    }
    Endpoint::parse(&discovery.jwks_uri, endpoint.reach())
        .map_err(|_| FetchError::Malformed("names a `jwks_uri` that is not https"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::BASE64URL_NOPAD;
    use serde_json::json;

    fn at(seconds: i64) -> Time {
        Time::from_micros(seconds * 1_000_000).unwrap()
    }

    fn fetched(kid: &str, fresh_seconds: i64) -> Fetched {
        let key = json!({"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": BASE64URL_NOPAD.encode(&[7; 32])});
        let keys = IssuerKeys::read(json!({ "keys": [key] }).to_string().as_bytes()).unwrap();
        Fetched { keys, fresh_seconds }
    }

    fn step(state: &State, kid: &str, now: i64) -> &'static str {
        match state.step(Some(kid), at(now)) {
            Step::Use(_) => "use",
            Step::Fetch { stale: Some(_) } => "fetch, stale cached",
            Step::Fetch { stale: None } => "fetch",
            Step::GiveUp(NoKey::Unknown) => "unknown",
            Step::GiveUp(NoKey::Unavailable) => "unavailable",
        }
    }

    #[test]
    fn keys_are_fresh_then_stale_for_a_day_then_gone() {
        let mut state = State::default();
        assert_eq!(step(&state, "a", 1000), "fetch");
        state.keep(Some(fetched("a", 600)), Some("a"), at(1000)).unwrap_or_else(|_| unreachable!());
        assert_eq!(step(&state, "a", 1599), "use");
        assert_eq!(step(&state, "a", 1600), "fetch, stale cached");
        assert!(state.keep(None, Some("a"), at(1600)).is_err());
        assert_eq!(step(&state, "a", 1629), "use");
        assert_eq!(step(&state, "a", 1630), "fetch, stale cached");
        assert_eq!(step(&state, "a", 1600 + 86_399), "fetch, stale cached");
        assert_eq!(step(&state, "a", 1600 + 86_400), "fetch");
    }

    #[test]
    fn a_miss_and_a_failure_each_pause_for_thirty_seconds() {
        let mut state = State::default();
        assert!(state.keep(Some(fetched("a", 600)), Some("a"), at(1000)).is_ok());
        assert_eq!(step(&state, "b", 1001), "fetch");
        assert!(state.keep(Some(fetched("a", 600)), Some("b"), at(1001)).is_err());
        assert_eq!(step(&state, "c", 1030), "unknown");
        assert_eq!(step(&state, "a", 1030), "use");
        assert_eq!(step(&state, "c", 1031), "fetch");
        assert!(state.keep(None, Some("c"), at(1031)).is_err());
        assert_eq!(step(&state, "c", 1060), "unavailable");
        assert_eq!(step(&state, "a", 1060), "use");
        assert_eq!(step(&state, "c", 1061), "fetch");
    }

    #[test]
    fn a_clock_that_steps_back_makes_old_not_eternal() {
        let mut state = State::default();
        assert!(state.keep(Some(fetched("a", 600)), Some("b"), at(10_000)).is_err());
        assert_eq!(step(&state, "a", 9_950), "use");
        assert_eq!(step(&state, "a", 9_000), "fetch, stale cached");
        assert_eq!(step(&state, "b", 9_000), "fetch");
    }
}
