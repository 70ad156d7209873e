//! Entitlements: what a user has now. Subscriptions, plans and usage are read for each request, together with the version of the
//! organization's features. Features in memory are used at this version only, so that a write that one server has answered is in the
//! next answer of every server.

pub(crate) mod feature_cache;

use crate::business_time;
use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use futures_util::future::try_join_all;
use perennial_domain::entitlements::{
    self as rules, Check, Grants, Holding, Holdings, TotalKey, Usage, UserEntitlements,
};
use perennial_domain::features::{Feature, FeatureKey, FeatureReference};
use perennial_domain::id::{OrganizationId, PlanId, UserId};
use perennial_domain::time::Time;
use perennial_store::features::{self, FeatureSet};
use perennial_store::subscriptions::{self, Considered, Held, HeldUsage};
use perennial_store::{self as store, usage_totals, users};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What a user has at an instant, and what it was computed from.
pub struct Computed {
    /// What the API returns.
    pub entitlements: UserEntitlements,
    /// The subscriptions that count.
    pub holdings: Holdings,
}

/// What a user has now. A user that does not exist, is erased, or is not the caller's is not found.
pub async fn read(app: &App, caller: &Caller, user: UserId) -> Result<UserEntitlements, Error> {
    Ok(of_caller(app, caller, user).await?.0.entitlements)
}

/// What a user has now and what it was computed from, under the rules of [`read`], and the instant.
pub(crate) async fn of_caller(app: &App, caller: &Caller, user: UserId) -> Result<(Computed, Time), Error> {
    check_user(caller, user)?;
    let organization = caller.organization();
    let now = business_time::now(app, caller).await?;
    let (holdings, read, features) = of_existing(app, organization, user, now, Considered::All).await?;
    let granted: Vec<&Feature> = granted(&holdings).into_iter().filter_map(|key| features.by_key(key)).collect();
    let usage = usage(app, organization, &read, rules::totals(&holdings, &granted, now)).await?;
    let entitlements = rules::compute(user, &holdings, &granted, &usage, now);
    Ok((Computed { entitlements, holdings }, now))
}

/// Rejects a user that does not exist, is erased, or is not the caller's.
pub async fn check_user_exists(app: &App, caller: &Caller, user: UserId) -> Result<(), Error> {
    check_user(caller, user)?;
    if users::exists(&app.db, caller.organization(), user).await? { Ok(()) } else { Err(Error::NotFound) }
}

/// Whether a user may use this much of a feature now.
pub async fn check(
    app: &App,
    caller: &Caller,
    user: UserId,
    named: &FeatureReference,
    need: i64,
) -> Result<Check, Error> {
    check_user(caller, user)?;
    let organization = caller.organization();
    let now = business_time::now(app, caller).await?;
    // What was last known of the features shows whether usage is needed. If it was wrong, usage is read after this.
    let known = app.features.get(organization);
    let is_quota = known.is_some_and(|known| known.find(named).is_some_and(Feature::is_active_quota));
    let considered = if is_quota { Considered::MayHaveAccessWithUsage } else { Considered::MayHaveAccess };
    let (holdings, read, features) = of_existing(app, organization, user, now, considered).await?;
    let feature = features.find(named).ok_or(Error::NotFound)?;
    let usage = usage(app, organization, &read, rules::totals(&holdings, &[feature], now)).await?;
    // The resets of quotas end the validity of a check.
    let quotas = features.features.iter().filter(|other| other.is_active_quota() && other.id != feature.id);
    let with_quotas: Vec<&Feature> = quotas.chain([feature]).collect();
    let entitlements = rules::compute(user, &holdings, &with_quotas, &usage, now);
    Ok(rules::check(feature, &entitlements, !holdings.with_access.is_empty(), need))
}

/// The subscriptions of a user that count at an instant, what they used, and the features of the organization. A user that does not
/// exist or is erased is not found.
async fn of_existing(
    app: &App,
    organization: OrganizationId,
    user: UserId,
    now: Time,
    considered: Considered,
) -> Result<(Holdings, HeldUsage, Arc<FeatureSet>), Error> {
    let holder = subscriptions::held(&app.db, organization, user, now, considered).await?;
    if !holder.exists {
        return Err(Error::NotFound);
    }
    let features = features_at(app, organization, holder.features_version).await?;
    Ok((selected(holder.held, now)?, holder.usage, features))
}

/// The features of an organization at a version that was just read, or at a later one.
async fn features_at(
    app: &App,
    organization: OrganizationId,
    version: Option<[u8; 16]>,
) -> Result<Arc<FeatureSet>, Error> {
    if version.is_none() {
        return Ok(Arc::default());
    }
    if let Some(known) = app.features.get(organization).filter(|known| known.version == version) {
        return Ok(known);
    }
    let current = Arc::new(Box::pin(features::current(&app.db, organization)).await?);
    app.features.put(organization, &current);
    Ok(current)
}

/// The features that the subscriptions name, whether or not they exist.
fn granted(holdings: &Holdings) -> BTreeSet<&FeatureKey> {
    let grants = holdings.with_access.iter().flat_map(|holding| [&*holding.plan, &holding.subscription.entitlements]);
    grants.flat_map(Grants::iter).map(|(key, _)| key).collect()
}

/// The subscriptions of a user that count at an instant.
pub(crate) async fn holdings(
    app: &App,
    organization: OrganizationId,
    user: UserId,
    now: Time,
) -> Result<Holdings, Error> {
    let considered = Considered::MayHaveAccess;
    selected(subscriptions::held(&app.db, organization, user, now, considered).await?.held, now)
}

fn selected(held: Vec<Held>, now: Time) -> Result<Holdings, Error> {
    // Many subscriptions have the same plan, and most plans have no grants.
    let nothing = Arc::new(Grants::default());
    let mut plans: HashMap<PlanId, Arc<Grants>> = HashMap::new();
    let mut newest = Vec::with_capacity(held.len());
    for found in held {
        let plan = match (plans.get(&found.subscription.plan_id), &found.plan_grants) {
            (Some(known), _) => Arc::clone(known),
            (None, None) => Arc::clone(&nothing),
            (None, Some(text)) => Arc::new(stored_grants(text)?),
        };
        plans.insert(found.subscription.plan_id, Arc::clone(&plan));
        newest.push(Holding { subscription: found.subscription, plan, is_member: found.is_member });
    }
    Ok(Holdings::select(newest, now))
}

/// The usage of these totals. What was not read with the subscriptions is read now.
async fn usage(app: &App, organization: OrganizationId, read: &HeldUsage, keys: Vec<TotalKey>) -> Result<Usage, Error> {
    let used = async |key: TotalKey| {
        let quantity = match read.of(&key) {
            Some(quantity) => quantity,
            None => usage_totals::used(&app.db, organization, key).await?,
        };
        Ok::<_, store::Error>((key, quantity))
    };
    Ok(try_join_all(keys.into_iter().map(used)).await?.into_iter().collect())
}

fn check_user(caller: &Caller, user: UserId) -> Result<(), Error> {
    if caller.may_see(user) { Ok(()) } else { Err(Error::NotFound) }
}

fn stored_grants(text: &str) -> Result<Grants, Error> {
    Grants::from_stored(text).ok_or_else(|| Error::Internal("the stored grants of a plan are invalid".to_owned()))
}
