//! The plan versions that documents are priced by. A version never changes, whatever became of its plan.

use crate::catalog::Catalog;
use crate::error::Error;
use perennial_domain::currency::Currency;
use perennial_domain::id::PlanId;
use perennial_domain::invoices::fees::Price;
use perennial_domain::money::Money;
use perennial_domain::plans::Version;
use perennial_domain::plans::billing::TaxBehavior;
use perennial_domain::plans::charges::Charge;
use perennial_store::plan_versions;

/// A plan version, as far as documents depend on it.
#[derive(Clone, Debug)]
pub(crate) struct Priced {
    pub(crate) plan_id: PlanId,
    pub(crate) version: Version,
    pub(crate) name: String,
    pub(crate) price: Money,
    pub(crate) currency: Currency,
    pub(crate) tax_behavior: TaxBehavior,
    pub(crate) charges: Vec<Charge>,
}

impl Priced {
    /// The price of a number of units.
    pub(crate) fn units(&self, quantity: i64) -> Price {
        Price { price: self.price, quantity, currency: self.currency }
    }
}

/// A version of a plan. None: it does not exist.
pub(crate) async fn version(catalog: &Catalog<'_>, id: PlanId, version: Version) -> Result<Option<Priced>, Error> {
    let Some(plan) = catalog.plan(id).await? else { return Ok(None) };
    let name = plan.name.as_str().to_owned();
    if plan.version == version {
        return Ok(Some(Priced {
            plan_id: id,
            version,
            name,
            price: plan.price,
            currency: plan.currency,
            tax_behavior: plan.tax_behavior(),
            charges: plan.charges().to_vec(),
        }));
    }
    let replaced = plan_versions::by_number(&catalog.app.db, &plan, version).await?;
    Ok(replaced.map(|replaced| Priced {
        plan_id: id,
        version,
        name,
        price: replaced.price,
        currency: replaced.currency,
        tax_behavior: replaced.tax_behavior,
        charges: replaced.charges,
    }))
}
