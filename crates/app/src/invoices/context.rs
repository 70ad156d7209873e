//! Reads what drafts and issuing depend on: tax rates, the profile of the user, the balance, the plans.

use crate::catalog::Catalog;
use crate::context::App;
use crate::error::Error;
use perennial_domain::id::{PlanId, TaxRateId, UserId};
use perennial_domain::invoices::Amount;
use perennial_domain::invoices::issuing::IssueContext;
use perennial_domain::invoices::items::{ItemContext, TaxSource};
use perennial_domain::invoices::record::{Buyer, Invoice, InvoiceLine, Rates};
use perennial_domain::organizations::{Organization, OrganizationMode};
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::{billing_profiles, coupons, credits};
use std::collections::HashMap;
use std::sync::Arc;

/// Everything about taxes and parties that the documents of a user need.
pub(crate) struct Parties {
    pub(crate) organization: Arc<Organization>,
    pub(crate) source: TaxSource,
    pub(crate) rates: Rates,
    pub(crate) buyer: Buyer,
}

/// Reads the organization, the profile of a user and the tax rates.
pub(crate) async fn parties(catalog: &Catalog<'_>, user: UserId) -> Result<Parties, Error> {
    let organization = catalog.organization().await?.ok_or(Error::NotFound)?;
    let profile = billing_profiles::by_user(&catalog.app.db, organization.id, user).await?;
    let source = TaxSource {
        is_exempt: profile.as_ref().is_some_and(|profile| profile.fields.tax_exempt),
        profile: profile.as_ref().map(|profile| profile.fields.tax_rate_ids.clone()).unwrap_or_default(),
        organization: organization.settings().tax_rate_ids,
    };
    let buyer = profile.as_ref().map(Buyer::of).unwrap_or_default();
    Ok(Parties { organization, source, rates: catalog.rates().await?, buyer })
}

/// What the items of a subscription depend on. None: its plan does not exist.
pub(crate) async fn item_context(app: &App, subscription: Subscription) -> Result<Option<ItemContext>, Error> {
    let catalog = Catalog::new(app, subscription.organization_id);
    let Some(plan) = catalog.plan(subscription.plan_id).await? else { return Ok(None) };
    let parties = parties(&catalog, subscription.user_id).await?;
    Ok(Some(ItemContext {
        currency: plan.currency,
        plan_rates: plan.settings().tax_rate_ids,
        source: parties.source,
        rates: parties.rates,
        subscription,
    }))
}

/// What issuing a draft depends on.
pub(crate) async fn issue_context(
    catalog: &Catalog<'_>,
    subscription: &Subscription,
    draft: &Invoice,
    usage: Vec<InvoiceLine>,
    now: Time,
) -> Result<IssueContext, Error> {
    let (db, organization_id) = (&catalog.app.db, draft.organization_id);
    let Parties { organization, source, rates, buyer } = parties(catalog, draft.user_id).await?;
    let mut plan_rates: HashMap<PlanId, Vec<TaxRateId>> = HashMap::new();
    let (mut plan_terms, mut plan_dunning) = (None, None);
    let named = draft.lines.iter().chain(&usage).filter_map(|line| line.subscription_plan_id);
    for id in named.chain([subscription.plan_id]) {
        if plan_rates.contains_key(&id) && id != subscription.plan_id {
            continue;
        }
        let Some(plan) = catalog.plan(id).await? else { continue };
        let settings = plan.settings();
        if id == subscription.plan_id {
            plan_terms = settings.payment_terms_days.map(perennial_domain::number::Whole::get);
            plan_dunning = settings.dunning;
        }
        plan_rates.insert(id, settings.tax_rate_ids);
    }
    let coupon = match draft.coupon_id {
        Some(id) => coupons::by_id(db, organization_id, id).await?,
        None => None,
    };
    let balance = credits::balance(db, organization_id, draft.user_id, draft.currency).await?;
    Ok(IssueContext {
        now,
        usage,
        coupon,
        source,
        plan_rates,
        rates,
        balance: balance.map_or(Amount::ZERO, Amount::from),
        settings: organization.settings(),
        plan_terms,
        plan_dunning,
        is_test: organization.mode == OrganizationMode::Test,
        buyer,
    })
}
