//! What a user has, as the portal shows it: the name of each feature, its value, and what is used of a quota.

use super::sessions::PortalSession;
use crate::context::App;
use crate::entitlements;
use crate::error::Error;
use perennial_domain::entitlements::Entitlement;
use perennial_domain::features::Feature;
use perennial_store::features;
use std::collections::HashMap;

/// A feature that the user has.
pub struct Included {
    /// The feature.
    pub feature: Feature,
    /// Its value for the user.
    pub entitlement: Entitlement,
}

/// The features that the user has, by key.
pub async fn list(app: &App, known: &PortalSession) -> Result<Vec<Included>, Error> {
    let caller = known.caller("");
    let found = entitlements::read(app, &caller, known.user.id).await?;
    if found.entitlements.is_empty() {
        return Ok(Vec::new());
    }
    let all = features::all(&app.db, caller.organization()).await?;
    let mut by_key: HashMap<_, _> = all.into_iter().map(|feature| (feature.key.clone(), feature)).collect();
    let included = found.entitlements.into_iter().filter_map(|(key, entitlement)| {
        let feature = by_key.remove(&key)?;
        Some(Included { feature, entitlement })
    });
    Ok(included.collect())
}
