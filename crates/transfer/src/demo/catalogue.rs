//! The twelve plans of a demo, and how often each is bought.

use super::dice::Dice;
use perennial_app::audit::{json, system_event};
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle::{self, Lifetime, Monthly, Quarterly, Weekly, Yearly};
use perennial_domain::entitlements::Grants;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId, PlanId};
use perennial_domain::money::Money;
use perennial_domain::number::Whole;
use perennial_domain::plans::{Description, Features, Plan, PlanDetails, PlanName, ProductId, Version};
use perennial_domain::slug::Slug;
use perennial_domain::time::Time;

/// The product of every plan of a demo, which identifies a demo store.
pub(super) use perennial_domain::plans::DEMO_PRODUCT as PRODUCT;

/// Name, cycle, price in cents, tier, nodes, and how many of a hundred buyers choose it.
const PLANS: [(&str, BillingCycle, i64, i64, i64, u64); 12] = [
    ("Starter", Monthly, 900, 1, 3, 24),
    ("Starter", Yearly, 9_000, 1, 3, 8),
    ("Pro", Monthly, 2_900, 2, 25, 26),
    ("Pro", Yearly, 29_000, 2, 25, 10),
    ("Team", Monthly, 7_900, 3, 100, 10),
    ("Team", Yearly, 79_000, 3, 100, 5),
    ("Enterprise", Monthly, 49_900, 4, 1_000, 2),
    ("Enterprise", Yearly, 499_000, 4, 1_000, 2),
    ("Studio", Quarterly, 11_900, 2, 50, 4),
    ("Pass", Weekly, 450, 0, 1, 3),
    ("Founder", Lifetime, 39_900, 2, 25, 2),
    ("Legacy", Monthly, 1_995, 1, 10, 4),
];

/// The plans with their share of the buyers.
pub(super) fn plans(organization_id: OrganizationId, seed: u64, now: Time) -> Vec<(Plan, u64)> {
    let mut dice = Dice::new(seed, "plans", 0);
    let plan = |(name, billing_cycle, cents, tier, node_quota, share): (&str, BillingCycle, i64, i64, i64, u64)| {
        let slug = format!("{}-{}", name.to_lowercase(), billing_cycle.as_str());
        let plan = Plan {
            id: PlanId::new(now, dice.roll()),
            name: PlanName::from_stored(name.to_owned()),
            product_id: Some(ProductId::from_stored(PRODUCT.to_owned())),
            variants: Vec::new(),
            slug: Slug::from_stored(slug),
            price: Money::from_ten_thousandths(cents * 100).expect("the prices of the demo are within bounds"),
            currency: Currency::USD,
            href: None,
            billing_cycle,
            details: PlanDetails {
                description: Description::from_stored(format!("{name}, billed {}.", billing_cycle.as_str())),
                node_quota: Whole::from_stored(node_quota),
                features: Features::from_stored(format!("{node_quota} nodes,Support by e-mail,Backups")),
                most_popular: (name, billing_cycle) == ("Pro", Monthly),
                tier: Whole::from_stored(tier),
                ..PlanDetails::default()
            },
            // Not sold any more, but still used by its subscribers.
            is_active: name != "Legacy",
            version: Version::default(),
            billing: None,
            entitlements: Grants::default(),
            created_at: now,
            updated_at: now,
            organization_id,
            revision: EventId::new(now, dice.roll()),
        };
        (plan, share)
    };
    PLANS.into_iter().map(plan).collect()
}

pub(super) fn created(plan: &Plan) -> Event {
    let (id, at) = (plan.id.bytes(), plan.created_at);
    let event = system_event(plan.organization_id, EventKind::PlanCreated, id, plan.revision, at);
    Event { after: Some(json(plan)), ..event }
}
