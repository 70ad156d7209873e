//! Prices the usage of a window: every part is aggregated alone and priced by its plan version.

use super::versions::version;
use crate::catalog::Catalog;
use crate::error::Error;
use crate::usage::counted::counted;
use perennial_domain::id::SubscriptionId;
use perennial_domain::invoices::record::InvoiceLine;
use perennial_domain::invoices::{Amount, Decimal, LineKind};
use perennial_domain::lifecycle::bill::BilledPart;
use perennial_domain::lifecycle::billing::ParkReason;
use perennial_domain::plans::charges::ChargeModel;
use perennial_domain::time::Time;
use perennial_domain::usage::TimeSpan;
use perennial_store::meters;

/// The decimals of a quantity.
const DECIMALS: u8 = 6;

/// The usage lines of a window, before discount and tax. A quantity of 0 makes no line. `until` is where the last window
/// ends as far as its lines show.
pub(crate) async fn lines(
    catalog: &Catalog<'_>,
    subscription: SubscriptionId,
    parts: &[BilledPart],
    until: Time,
) -> Result<Vec<InvoiceLine>, Error> {
    let mut lines = Vec::new();
    for part in parts {
        let found = version(catalog, part.plan_id, part.version).await?;
        let priced = found.ok_or(Error::Unbillable(ParkReason::MissingPlan))?;
        if priced.charges.is_empty() {
            continue;
        }
        let span = TimeSpan { from: part.from, to: part.to.unwrap_or(Time::MAX) };
        let meters = meters::all(&catalog.app.db, catalog.organization_id).await?;
        let charged = meters.iter().filter(|meter| priced.charges.iter().any(|charge| charge.meter_id == meter.id));
        let counted = counted(catalog.app, catalog.organization_id, subscription, span, charged).await?;
        for charge in &priced.charges {
            let Some(quantity) = counted.get(&charge.meter_id).map(|counted| counted.quantity().billed()) else {
                continue;
            };
            let quantity = Decimal::new(quantity.millionths(), DECIMALS);
            if quantity.is_zero() {
                continue;
            }
            let model = charge.price_model()?;
            let amount = quantity.exact().and_then(|quantity| model.price(quantity, priced.currency))?;
            let unit_price = charge.unit_price.filter(|_| charge.model == ChargeModel::PerUnit);
            lines.push(InvoiceLine {
                kind: LineKind::Usage,
                description: charge.name.clone(),
                subscription_plan_id: Some(priced.plan_id),
                plan_version: Some(priced.version),
                meter_id: Some(charge.meter_id),
                quantity: Some(quantity),
                unit_price: unit_price.map(|rate| rate.0),
                amount,
                discount: Amount::ZERO,
                tax_behavior: priced.tax_behavior,
                tax_rate_ids: Vec::new(),
                period_start: Some(part.from),
                period_end: Some(part.to.unwrap_or(until.max(part.from))),
                source_invoice_id: None,
            });
        }
    }
    Ok(lines)
}
