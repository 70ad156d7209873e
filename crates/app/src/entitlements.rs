//! Entitlements: what a user has now. The records are read for each request, and nothing is cached, so that a write that one
//! server has answered is in the next answer of every server.

use crate::business_time;
use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use futures_util::future::try_join_all;
use perennial_domain::entitlements::{
    self as rules, Check, Grants, Holding, Holdings, TotalKey, Usage, UserEntitlements,
};
use perennial_domain::features::{Feature, FeatureReference};
use perennial_domain::id::{OrganizationId, PlanId, UserId};
use perennial_domain::time::Time;
use perennial_store::subscriptions::{self, Holder, WithFeatures};
use perennial_store::{self as store, usage_totals, users};
use std::collections::HashMap;
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
    let (holdings, features) = of_existing(app, organization, user, now, WithFeatures::All).await?;
    let usage = usage(app, organization, rules::totals(&holdings, &features, now)).await?;
    let entitlements = rules::compute(user, &holdings, &features, &usage, now);
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
    let (holdings, with_quotas) = of_existing(app, organization, user, now, WithFeatures::ForCheck(named)).await?;
    let feature = with_quotas.iter().find(|feature| named.names(feature)).ok_or(Error::NotFound)?;
    let own_totals = rules::totals(&holdings, std::slice::from_ref(feature), now);
    let usage = usage(app, organization, own_totals).await?;
    let entitlements = rules::compute(user, &holdings, &with_quotas, &usage, now);
    Ok(rules::check(feature, &entitlements, !holdings.with_access.is_empty(), need))
}

/// The subscriptions of a user that count at an instant, and features. A user that does not exist or is erased is not found.
async fn of_existing(
    app: &App,
    organization: OrganizationId,
    user: UserId,
    now: Time,
    features: WithFeatures<'_>,
) -> Result<(Holdings, Vec<Feature>), Error> {
    let mut holder = subscriptions::held(&app.db, organization, user, now, features).await?;
    let features = std::mem::take(&mut holder.features);
    if holder.exists { Ok((selected(holder, now)?, features)) } else { Err(Error::NotFound) }
}

/// The subscriptions of a user that count at an instant.
pub(crate) async fn holdings(
    app: &App,
    organization: OrganizationId,
    user: UserId,
    now: Time,
) -> Result<Holdings, Error> {
    selected(subscriptions::held(&app.db, organization, user, now, WithFeatures::None).await?, now)
}

fn selected(holder: Holder, now: Time) -> Result<Holdings, Error> {
    // Many subscriptions have the same plan, and most plans have no grants.
    let nothing = Arc::new(Grants::default());
    let mut plans: HashMap<PlanId, Arc<Grants>> = HashMap::new();
    let mut newest = Vec::with_capacity(holder.held.len());
    for found in holder.held {
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

async fn usage(app: &App, organization: OrganizationId, keys: Vec<TotalKey>) -> Result<Usage, Error> {
    let read =
        async |key: TotalKey| Ok::<_, store::Error>((key, usage_totals::used(&app.db, organization, key).await?));
    Ok(try_join_all(keys.into_iter().map(read)).await?.into_iter().collect())
}

fn check_user(caller: &Caller, user: UserId) -> Result<(), Error> {
    if caller.may_see(user) { Ok(()) } else { Err(Error::NotFound) }
}

fn stored_grants(text: &str) -> Result<Grants, Error> {
    Grants::from_stored(text).ok_or_else(|| Error::Internal("the stored grants of a plan are invalid".to_owned()))
}
