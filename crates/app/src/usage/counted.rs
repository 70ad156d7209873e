//! What meters counted in a span of time, for bills and reports.
//!
//! The store adds up what can be added. Only the events of other meters are read one by one.

use crate::context::App;
use crate::error::Error;
use perennial_domain::id::{MeterId, OrganizationId, SubscriptionId};
use perennial_domain::meters::Meter;
use perennial_domain::usage::{Aggregate, TimeSpan};
use perennial_store::usage_events;
use std::collections::HashMap;

/// As many events as can be added up without a noticeable pause.
const PART: usize = 150_000;
/// Events read at a time.
const PAGE: i64 = 5_000;

/// What these meters counted. A meter without events is not in it.
pub(crate) async fn counted(
    app: &App,
    organization: OrganizationId,
    subscription: SubscriptionId,
    span: TimeSpan,
    meters: impl Iterator<Item = &Meter>,
) -> Result<HashMap<MeterId, Aggregate>, Error> {
    let meters: HashMap<MeterId, Aggregate> =
        meters.map(|meter| (meter.id, Aggregate::new(meter.aggregation))).collect();
    let mut counted = HashMap::new();
    if meters.values().any(Aggregate::is_additive) {
        for (meter, part) in usage_events::sums(&app.db, organization, subscription, span, PART).await? {
            if let Some(none) = meters.get(&meter).filter(|aggregate| aggregate.is_additive()) {
                counted.entry(meter).or_insert_with(|| none.clone()).add_part(&part);
            }
        }
    }
    if meters.values().any(|aggregate| !aggregate.is_additive()) {
        let mut last = None;
        loop {
            let page = usage_events::within(&app.db, organization, subscription, span, last.as_ref(), PAGE).await?;
            for event in &page {
                if let Some(none) = meters.get(&event.meter_id).filter(|aggregate| !aggregate.is_additive()) {
                    counted.entry(event.meter_id).or_insert_with(|| none.clone()).add(event);
                }
            }
            if page.len() < usize::try_from(PAGE).unwrap_or(usize::MAX) {
                break;
            }
            last = page.into_iter().last();
        }
    }
    Ok(counted)
}
