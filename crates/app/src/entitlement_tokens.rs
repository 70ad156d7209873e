//! Entitlement tokens: what a user has now, signed, for an application that checks it offline.

pub mod options;

use crate::caller::Caller;
use crate::context::App;
use crate::entitlements::{self, Computed};
use crate::error::{Conflict, Error};
use crate::signing_keys;
use perennial_domain::entitlement_tokens::{MAX_TOKEN_BYTES, TokenLife};
use perennial_domain::entitlements::UserEntitlements;
use perennial_domain::id::UserId;
use perennial_domain::time::Time;
use perennial_identity::entitlement::{self, Entitled};
use perennial_identity::secret::Secret;
use serde_json::{Map, Value, json};

/// A token, and when it should be refreshed and expires.
pub struct Issued {
    /// The token.
    pub token: Secret,
    /// When it expires.
    pub expires_at: Time,
    /// When the application should fetch the next one.
    pub refresh_after: Time,
}

/// Issues a token of what a user has now, for at most `ttl_seconds`. Its times are those of the machine, because a device
/// verifies them; how long access lasts is computed in the time of the organization.
pub async fn issue(app: &App, caller: &Caller, user: UserId, ttl_seconds: i64) -> Result<Issued, Error> {
    let (Computed { entitlements, holdings }, business_now) = entitlements::of_caller(app, caller, user).await?;
    let until_change = holdings.next_change.map(|change| change.as_micros().saturating_sub(business_now.as_micros()));
    let now = app.clock.now();
    let life = TokenLife::new(now, ttl_seconds, until_change, app.options.entitlements.grace_seconds);
    let entitled = Entitled {
        organization: caller.organization(),
        user,
        issued_at: life.issued_at,
        expires_at: life.expires_at,
        refresh_after: life.refresh_after,
        values: values(&entitlements),
    };
    let (keys, tokens) = (signing_keys::current(app).await?, signing_keys::access_tokens(app).await?);
    let token = entitlement::issue(tokens.issuer(), &keys, &entitled, app.entropy.bytes(), now)
        .map_err(|error| Error::Internal(error.to_string()))?;
    let bytes = token.expose().len();
    if bytes > MAX_TOKEN_BYTES {
        return Err(Conflict::TokenTooLarge { bytes }.into());
    }
    app.entitlements.count_token();
    Ok(Issued { token, expires_at: life.expires_at, refresh_after: life.refresh_after })
}

/// The claim `ent`: the value of each feature, and of a quota its limit.
fn values(entitlements: &UserEntitlements) -> Map<String, Value> {
    entitlements.entitlements.iter().map(|(key, found)| (key.as_str().to_owned(), json!(found.value))).collect()
}
