//! The versions of a plan, newest first.

use crate::caller::Caller;
use crate::context::App;
use crate::cursor;
use crate::error::Error;
use crate::plans;
use perennial_domain::plans::{Plan, PlanKey, PlanVersion, ReplacedVersion};
use perennial_store::{Page, Position, Value, plan_versions};

/// A page of the versions of a plan, and the cursor of the next page.
pub async fn list(
    app: &App,
    caller: &Caller,
    key: &PlanKey,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<PlanVersion>, Option<String>), Error> {
    let plan = plans::read(app, caller, key).await?;
    let name = cursor::plan_versions(plan.organization_id, plan.id);
    cursor::list(&app.keys, &name, cursor, async |after| page(app, &plan, after, limit).await).await
}

/// A page of the versions of a plan after a position.
pub async fn page(app: &App, plan: &Plan, after: Option<Position>, limit: usize) -> Result<Page<PlanVersion>, Error> {
    let current = plan.version.get();
    let below = match after.as_ref().and_then(|position| position.values.first()) {
        Some(Value::Int(version)) => Some(*version),
        _ => None,
    };
    let mut versions = Vec::new();
    if below.is_none_or(|below| below > current) {
        versions.push(ReplacedVersion::of(plan, plan.updated_at));
    }
    // One more than the page has: it shows whether there is a next page, and when the last version was created.
    versions.extend(plan_versions::below(&app.db, plan, below.unwrap_or(current).min(current), limit + 1).await?);
    let items: Vec<PlanVersion> =
        (0..versions.len().min(limit)).map(|place| versions[place].after(versions.get(place + 1), plan)).collect();
    let last = items.last().filter(|_| versions.len() > limit);
    let next = last.map(|last| Position { values: vec![last.version.get().into()] });
    Ok(Page { items, next })
}
