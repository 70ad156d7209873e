//! What the decisions on an organization's subscriptions share: its settings, its tax rates and its plans.
//!
//! A catalog lives for one change, or for the changes that the engine makes at the same time, and reads each record once.

use crate::context::App;
use crate::error::Error;
use perennial_domain::id::{OrganizationId, PlanId};
use perennial_domain::invoices::Percentage;
use perennial_domain::invoices::record::Rates;
use perennial_domain::organizations::Organization;
use perennial_domain::plans::{Plan, PlanKey};
use perennial_store::{organizations, plans, tax_rates};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

type Found<T> = OnceCell<Option<Arc<T>>>;

/// What is known of an organization.
pub(crate) struct Catalog<'a> {
    pub(crate) app: &'a App,
    pub(crate) organization_id: OrganizationId,
    organization: Found<Organization>,
    rates: OnceCell<Rates>,
    plans: Mutex<HashMap<PlanId, Arc<Found<Plan>>>>,
}

impl<'a> Catalog<'a> {
    pub(crate) fn new(app: &'a App, organization_id: OrganizationId) -> Self {
        let (organization, rates, plans) = (OnceCell::new(), OnceCell::new(), Mutex::default());
        Self { app, organization_id, organization, rates, plans }
    }

    /// The organization. None: it was deleted.
    pub(crate) async fn organization(&self) -> Result<Option<Arc<Organization>>, Error> {
        let read =
            async || Ok::<_, Error>(organizations::by_id(&self.app.db, self.organization_id).await?.map(Arc::new));
        Ok(self.organization.get_or_try_init(read).await?.clone())
    }

    /// The tax rates of the organization.
    pub(crate) async fn rates(&self) -> Result<Rates, Error> {
        let read = async || {
            let found = tax_rates::all(&self.app.db, self.organization_id).await?;
            let rate = |rate: perennial_domain::tax_rates::TaxRate| {
                let percentage = Percentage::from_ten_thousandths(rate.percentage.ten_thousandths())?;
                Some((rate.id, (rate.name.as_str().to_owned(), percentage)))
            };
            Ok::<_, Error>(found.into_iter().filter_map(rate).collect())
        };
        Ok(self.rates.get_or_try_init(read).await?.clone())
    }

    /// A plan, deleted or not: its versions stay billable.
    pub(crate) async fn plan(&self, id: PlanId) -> Result<Option<Arc<Plan>>, Error> {
        let found = {
            let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(plans.entry(id).or_default())
        };
        let read = async || {
            let (db, organization) = (&self.app.db, self.organization_id);
            let plan = match plans::find(db, organization, &PlanKey::Id(id)).await? {
                Some(plan) => Some(plan),
                None => plans::ever(db, organization, id).await?,
            };
            Ok::<_, Error>(plan.map(Arc::new))
        };
        Ok(found.get_or_try_init(read).await?.clone())
    }
}
