//! What a user has, as the portal shows it: the name of each feature, its value, and what is used of a quota.

use super::sessions::PortalSession;
use crate::context::App;
use crate::entitlements;
use crate::error::Error;
use perennial_domain::entitlements::{Entitlement, GrantValue, Terms, own_value};
use perennial_domain::features::Feature;
use perennial_domain::plans::Plan;
use perennial_domain::subscriptions::Subscription;
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

/// The features of the organization, by key.
pub async fn features(app: &App, known: &PortalSession) -> Result<Vec<Feature>, Error> {
    Ok(features::all(&app.db, known.caller("").organization()).await?)
}

/// What a subscription would have with a plan. What is denied is left out.
pub fn would_have<'a>(
    features: &'a [Feature],
    subscription: &Subscription,
    plan: &Plan,
) -> Vec<(&'a Feature, GrantValue)> {
    let active = features.iter().filter(|feature| feature.is_active);
    let terms = Terms::from(subscription);
    let granted = active.filter_map(|feature| Some((feature, own_value(feature, &terms, &plan.entitlements)?)));
    granted.filter(|(_, value)| !matches!(value, GrantValue::Flag(false) | GrantValue::Number(0))).collect()
}
