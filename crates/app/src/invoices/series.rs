//! The series of numbers, for the operator.

use super::numbers::series_of;
use crate::business_time;
use crate::context::App;
use crate::error::Error;
use perennial_domain::id::OrganizationId;
use perennial_domain::organizations::Organization;
use perennial_store::{self as store, Change, Violation, number_series};

/// Every series of an organization, with its next number.
pub async fn all(app: &App, organization: OrganizationId) -> Result<Vec<(String, i64)>, Error> {
    Ok(number_series::all(&app.db, organization).await?)
}

/// Raises the next number of a series, by default that of the next invoice. False: it is higher already.
pub async fn raise(app: &App, organization: &Organization, series: Option<&str>, next: i64) -> Result<bool, Error> {
    let now = business_time::now_of(app, organization.id).await?;
    let usual = series_of(organization, &organization.settings().invoice_prefix, now);
    let series = series.unwrap_or_else(|| usual.as_str());
    match app.db.commit(number_series::raise(Change::new(), organization.id, series, next.max(1))).await {
        Ok(()) => Ok(next >= 1),
        Err(store::Error::Violated(Violation::Number)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
