//! Reads what drafts and issuing depend on: tax rates, the profile of the user, the balance, the plans.

use crate::context::App;
use crate::error::Error;
use perennial_domain::id::{OrganizationId, PlanId, TaxRateId, UserId};
use perennial_domain::invoices::issuing::IssueContext;
use perennial_domain::invoices::items::{ItemContext, TaxSource};
use perennial_domain::invoices::record::{Buyer, Invoice, InvoiceLine, Rates};
use perennial_domain::invoices::{Amount, Percentage};
use perennial_domain::organizations::{Organization, OrganizationMode};
use perennial_domain::plans::{Plan, PlanKey};
use perennial_domain::subscriptions::Subscription;
use perennial_domain::time::Time;
use perennial_store::{billing_profiles, coupons, credits, organizations, plans, tax_rates};
use std::collections::HashMap;

/// Everything about taxes and parties that the documents of a user need.
pub(crate) struct Parties {
    pub(crate) organization: Organization,
    pub(crate) source: TaxSource,
    pub(crate) rates: Rates,
    pub(crate) buyer: Buyer,
}

/// Reads the organization, the profile of a user and the tax rates.
pub(crate) async fn parties(app: &App, organization: OrganizationId, user: UserId) -> Result<Parties, Error> {
    let found = organizations::by_id(&app.db, organization).await?.ok_or(Error::NotFound)?;
    let profile = billing_profiles::by_user(&app.db, organization, user).await?;
    let settings = found.settings();
    let source = TaxSource {
        is_exempt: profile.as_ref().is_some_and(|profile| profile.fields.tax_exempt),
        profile: profile.as_ref().map(|profile| profile.fields.tax_rate_ids.clone()).unwrap_or_default(),
        organization: settings.tax_rate_ids,
    };
    let buyer = profile.as_ref().map(Buyer::of).unwrap_or_default();
    Ok(Parties { organization: found, source, rates: rates(app, organization).await?, buyer })
}

/// The tax rates of an organization.
pub(crate) async fn rates(app: &App, organization: OrganizationId) -> Result<Rates, Error> {
    let found = tax_rates::all(&app.db, organization).await?;
    let rate = |rate: perennial_domain::tax_rates::TaxRate| {
        let percentage = Percentage::from_ten_thousandths(rate.percentage.ten_thousandths())?;
        Some((rate.id, (rate.name.as_str().to_owned(), percentage)))
    };
    Ok(found.into_iter().filter_map(rate).collect())
}

/// A plan, deleted or not used any more: its version stays billable.
pub(crate) async fn plan(app: &App, organization: OrganizationId, id: PlanId) -> Result<Option<Plan>, Error> {
    match plans::find(&app.db, organization, &PlanKey::Id(id)).await? {
        Some(plan) => Ok(Some(plan)),
        None => Ok(plans::ever(&app.db, organization, id).await?),
    }
}

/// What the items of a subscription depend on. None: its plan does not exist.
pub(crate) async fn item_context(app: &App, subscription: Subscription) -> Result<Option<ItemContext>, Error> {
    let organization = subscription.organization_id;
    let Some(plan) = plan(app, organization, subscription.plan_id).await? else { return Ok(None) };
    let parties = parties(app, organization, subscription.user_id).await?;
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
    app: &App,
    subscription: &Subscription,
    draft: &Invoice,
    usage: Vec<InvoiceLine>,
    now: Time,
) -> Result<IssueContext, Error> {
    let organization = draft.organization_id;
    let Parties { organization: found, source, rates, buyer } = parties(app, organization, draft.user_id).await?;
    let mut plan_rates: HashMap<PlanId, Vec<TaxRateId>> = HashMap::new();
    let (mut plan_terms, mut plan_dunning) = (None, None);
    let named = draft.lines.iter().chain(&usage).filter_map(|line| line.subscription_plan_id);
    for id in named.chain([subscription.plan_id]) {
        if plan_rates.contains_key(&id) && id != subscription.plan_id {
            continue;
        }
        let Some(plan) = plan(app, organization, id).await? else { continue };
        let settings = plan.settings();
        if id == subscription.plan_id {
            plan_terms = settings.payment_terms_days.map(perennial_domain::number::Whole::get);
            plan_dunning = settings.dunning;
        }
        plan_rates.insert(id, settings.tax_rate_ids);
    }
    let coupon = match draft.coupon_id {
        Some(id) => coupons::by_id(&app.db, organization, id).await?,
        None => None,
    };
    let balances = credits::balances(&app.db, organization, draft.user_id).await?;
    let balance = balances.iter().find(|balance| balance.currency == draft.currency);
    Ok(IssueContext {
        now,
        usage,
        coupon,
        source,
        plan_rates,
        rates,
        balance: balance.map_or(Amount::ZERO, |balance| balance.amount.into()),
        settings: found.settings(),
        plan_terms,
        plan_dunning,
        is_test: found.mode == OrganizationMode::Test,
        buyer,
    })
}
