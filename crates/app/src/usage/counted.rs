//! What meters counted in a span of time, for bills and reports.
//!
//! The store adds up what can be added, a part of the span at a time. Only the events of other meters are read one by one.

use crate::context::App;
use crate::error::Error;
use futures_util::stream::{self, Stream, TryStreamExt as _};
use perennial_domain::id::{MeterId, OrganizationId, SubscriptionId};
use perennial_domain::meters::Meter;
use perennial_domain::usage::{Aggregate, TimeSpan, UsagePart};
use perennial_store::usage_events::{self, EventKey};
use perennial_store::{self as store, Db};
use std::collections::HashMap;
use std::pin::pin;

/// Events of one part: as many as can be added up without a noticeable pause.
const PART: i64 = 20_000;
/// Parts that are added up at the same time.
const AT_ONCE: usize = 2;
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
        let mut sums = pin!(sums_of_parts(&app.db, organization, subscription, span));
        while let Some(part) = sums.try_next().await? {
            for (meter, part) in part {
                if let Some(none) = meters.get(&meter).filter(|aggregate| aggregate.is_additive()) {
                    counted.entry(meter).or_insert_with(|| none.clone()).add_part(&part);
                }
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

/// What each part of a span adds up to by meter, in any order of the parts.
fn sums_of_parts(
    db: &Db,
    organization: OrganizationId,
    subscription: SubscriptionId,
    span: TimeSpan,
) -> impl Stream<Item = Result<Vec<(MeterId, UsagePart)>, store::Error>> {
    let parts = stream::try_unfold(Some(EventKey::before(span.from)), move |start| async move {
        let Some(from) = start else { return Ok(None) };
        let next = usage_events::end_of_part(db, organization, subscription, &from, span.to, PART).await?;
        let to = next.clone().unwrap_or_else(|| EventKey::before(span.to));
        Ok(Some(((from, to), next)))
    });
    let sums = move |(from, to)| async move { usage_events::sums(db, organization, subscription, &from, &to).await };
    parts.map_ok(sums).try_buffer_unordered(AT_ONCE)
}
