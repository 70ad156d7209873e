//! Plans: what can be bought, and for how much.
//! The slug of a plan and the fields that identify its product never change.

pub mod billing;
pub mod charges;

use crate::currency::Currency;
use crate::cycle::BillingCycle;
use crate::entitlements::{Grants, GrantsDraft};
use crate::id::{EventId, OrganizationId, PlanId};
use crate::money::Money;
use crate::number::Whole;
use crate::organizations::Organization;
use crate::slug::Slug;
use crate::text::{Line, Prose};
use crate::time::Time;
use crate::validation::{InvalidValue, ValidationCode, ValidationErrors};
use billing::{PlanBilling, PlanBillingDraft, TaxBehavior};
use charges::Charge;

/// The name of the plan.
pub type PlanName = Line<1, 255>;
/// The ID of the plan's product in another system.
pub type ProductId = Line<0, 255>;
/// A variant of that product.
pub type Variant = Line<1, 255>;
/// The description of the plan.
pub type Description = Prose<5_000>;
/// A comma-separated list in one string, never split or trimmed.
pub type Features = Prose<10_000>;

/// The number of nodes that a plan includes.
pub type NodeQuota = Whole<0, MAX_NODE_QUOTA>;
/// The rank of a plan among all plans.
pub type Tier = Whole<0, MAX_TIER>;

/// The number of a plan's version. The first is 1.
pub type Version = Whole<1, MAX_VERSION>;

/// The most variants of a plan.
pub const MAX_VARIANTS: usize = 100;
/// The largest node quota.
pub const MAX_NODE_QUOTA: i64 = 2_147_483_647;
/// The greatest version.
pub const MAX_VERSION: i64 = 2_147_483_647;
/// The highest tier.
pub const MAX_TIER: i64 = 32_767;

/// A link to the plan: an http or https URL, stored as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Href(String);

impl Href {
    /// Parses a link.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let line = Line::<1, 2_048>::parse(text)?;
        // The parser corrects what a browser would, such as a missing slash. A link is stored as sent, so it must be
        // valid without corrections.
        let plain = line.as_str().split_once("://").is_some_and(|(scheme, rest)| {
            ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
                && !rest.starts_with(['/', '\\'])
                && !rest.contains(' ')
        });
        if plain && url::Url::parse(line.as_str()).is_ok() {
            Ok(Self(line.as_str().to_owned()))
        } else {
            Err(InvalidValue::new(ValidationCode::InvalidFormat, "must be an http or https URL"))
        }
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The link.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How a caller identifies a plan: by its id or by its slug.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PlanKey {
    /// By id.
    Id(PlanId),
    /// By slug.
    Slug(Slug),
}

impl PlanKey {
    /// Parses a key; `None` if no plan can have it.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().map(Self::Id).ok().or_else(|| Slug::parse(text).map(Self::Slug).ok())
    }
}

/// The product of the plans that `perennial demo` makes.
pub const DEMO_PRODUCT: &str = "perennial-demo";

/// A plan. It serializes as the record that the API returns.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Plan {
    pub id: PlanId,
    pub name: PlanName,
    pub product_id: Option<ProductId>,
    pub variants: Vec<Variant>,
    pub slug: Slug,
    pub price: Money,
    pub currency: Currency,
    pub href: Option<Href>,
    pub billing_cycle: BillingCycle,
    #[serde(flatten)]
    pub details: PlanDetails,
    pub is_active: bool,
    pub version: Version,
    /// None: all defaults.
    pub billing: Option<Box<PlanBilling>>,
    /// The values of features. They are no part of the version.
    pub entitlements: Grants,
    pub created_at: Time,
    pub updated_at: Time,
    #[serde(skip)]
    pub organization_id: OrganizationId,
    /// Its last event.
    #[serde(skip)]
    pub revision: EventId,
}

/// The fields of a plan that callers set freely: no rule depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct PlanDetails {
    pub description: Description,
    pub node_quota: NodeQuota,
    pub features: Features,
    pub most_popular: bool,
    pub tier: Tier,
}

/// The fields of a create; an omitted or invalid field is `None`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct PlanDraft {
    pub name: Option<PlanName>,
    pub product_id: Option<ProductId>,
    pub variants: Option<Vec<Variant>>,
    pub slug: Option<Slug>,
    pub price: Option<Money>,
    pub currency: Option<Currency>,
    pub href: Option<Href>,
    pub billing_cycle: Option<BillingCycle>,
    /// All details; in an update those that were not sent are as before.
    pub details: Option<PlanDetails>,
    pub is_active: Option<bool>,
    pub billing: Option<Option<PlanBillingDraft>>,
    /// Grants as they were sent. The use case checks them and sets the result, because they depend on the features.
    pub entitlements: Option<GrantsDraft>,
}

/// The fields of an update, which changes price, billing cycle, details and `is_active`; the other fields are fixed
/// when the plan is created.
pub type PlanPatch = PlanDraft;

impl Plan {
    /// The plan that a draft describes, or all its errors. `errors` are those found while parsing it.
    pub fn create(
        draft: PlanDraft,
        mut errors: ValidationErrors,
        organization: &Organization,
        id: PlanId,
        revision: EventId,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        let currency = draft.currency.unwrap_or(organization.currency);
        if let Some(price) = draft.price
            && !errors.touch("/currency")
            && let Err(reason) = price.check(currency)
        {
            errors.add("/price", reason);
        }
        let (Some(name), Some(slug), Some(price), Some(billing_cycle), true) =
            (draft.name, draft.slug, draft.price, draft.billing_cycle, errors.is_empty())
        else {
            return Err(errors);
        };
        Ok(Self {
            id,
            name,
            product_id: draft.product_id,
            variants: draft.variants.unwrap_or_default(),
            slug,
            price,
            currency,
            href: draft.href,
            billing_cycle,
            details: draft.details.unwrap_or_default(),
            is_active: draft.is_active.unwrap_or(true),
            version: Version::default(),
            billing: draft.billing.flatten().map(|sent| Box::new(sent.apply(PlanBilling::default()))),
            entitlements: Grants::default(),
            created_at: now,
            updated_at: now,
            organization_id: organization.id,
            revision,
        })
    }

    /// The plan after an update, or all its errors. Equal to the plan before if nothing changes.
    pub fn merge(&self, patch: PlanPatch, mut errors: ValidationErrors) -> Result<Self, ValidationErrors> {
        let mut merged = self.clone();
        set(&mut merged.price, patch.price);
        set(&mut merged.billing_cycle, patch.billing_cycle);
        set(&mut merged.details, patch.details);
        set(&mut merged.is_active, patch.is_active);
        match patch.billing {
            Some(Some(sent)) => merged.billing = Some(Box::new(sent.apply(self.settings()))),
            Some(None) => merged.billing = None,
            None => {}
        }
        let versioned = |plan: &Self| (plan.price, plan.billing_cycle, plan.tax_behavior(), plan.charges().to_vec());
        if versioned(&merged) != versioned(self) {
            merged.version = self.version.next();
        }
        if let Err(reason) = merged.price.check(merged.currency) {
            errors.add("/price", reason);
        }
        errors.into_result(merged)
    }

    /// How its subscriptions are billed.
    pub fn settings(&self) -> PlanBilling {
        self.billing.as_deref().cloned().unwrap_or_default()
    }

    /// The metered prices.
    pub fn charges(&self) -> &[Charge] {
        self.billing.as_deref().map_or(&[], |billing| &billing.charges)
    }

    /// Whether the price includes tax.
    pub fn tax_behavior(&self) -> TaxBehavior {
        self.billing.as_deref().map(|billing| billing.tax_behavior).unwrap_or_default()
    }
}

/// A version of a plan: what a subscription that is pinned to it pays, and how often. A version never changes. It serializes
/// as the record that the API returns.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct PlanVersion {
    pub version: Version,
    pub price: Money,
    pub currency: Currency,
    pub billing_cycle: BillingCycle,
    pub created_at: Time,
    pub tax_behavior: TaxBehavior,
    pub charges: Vec<Charge>,
}

/// A version that a later one has replaced. The current version of a plan is the plan itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedVersion {
    /// The number.
    pub version: Version,
    /// The price of the plan at that time.
    pub price: Money,
    /// The currency of the plan.
    pub currency: Currency,
    /// The billing cycle of the plan at that time.
    pub billing_cycle: BillingCycle,
    /// Whether the price included tax.
    pub tax_behavior: TaxBehavior,
    /// The metered prices of the plan at that time.
    pub charges: Vec<Charge>,
    /// When the next version was created.
    pub replaced_at: Time,
}

impl ReplacedVersion {
    /// The current version of a plan, which is replaced at this time.
    pub fn of(plan: &Plan, replaced_at: Time) -> Self {
        let Plan { version, price, currency, billing_cycle, .. } = *plan;
        Self {
            version,
            price,
            currency,
            billing_cycle,
            tax_behavior: plan.tax_behavior(),
            charges: plan.charges().to_vec(),
            replaced_at,
        }
    }

    /// The version, which was created when the version before it was replaced, or with the plan.
    pub fn after(&self, previous: Option<&Self>, plan: &Plan) -> PlanVersion {
        let Self { version, price, currency, billing_cycle, tax_behavior, .. } = *self;
        let created_at = previous.map_or(plan.created_at, |previous| previous.replaced_at);
        let charges = self.charges.clone();
        PlanVersion { version, price, currency, billing_cycle, created_at, tax_behavior, charges }
    }
}

/// Replaces a field that was sent; an omitted one stays as it is.
pub(crate) fn set<T>(field: &mut T, sent: Option<T>) {
    if let Some(sent) = sent {
        *field = sent;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::number::Number;
    use crate::organizations::OrganizationName;
    use crate::portal::PortalSettings;

    pub(crate) fn instant(text: &str) -> Time {
        Time::parse(text).unwrap()
    }

    pub(crate) fn event(number: u64) -> EventId {
        EventId::new(instant("2026-01-01T00:00:00Z"), number << 2)
    }

    fn organization(currency: &str) -> Organization {
        let now = instant("2026-01-01T00:00:00Z");
        Organization {
            id: OrganizationId::new(now, 1),
            name: OrganizationName::parse("default").unwrap(),
            currency: Currency::parse(currency).unwrap(),
            max_sessions: None,
            mode: crate::organizations::OrganizationMode::Live,
            billing: None,
            portal: PortalSettings::default(),
            created_at: now,
            updated_at: now,
            deleted_at: None,
            revision: event(1),
        }
    }

    fn money(text: &str) -> Money {
        Money::parse(Number::parse(text).unwrap()).unwrap()
    }

    fn draft(price: &str) -> PlanDraft {
        PlanDraft {
            name: Some(PlanName::parse("Pro").unwrap()),
            slug: Some(Slug::parse("pro").unwrap()),
            price: Some(money(price)),
            billing_cycle: Some(BillingCycle::Monthly),
            ..PlanDraft::default()
        }
    }

    pub(crate) fn create(draft: PlanDraft, errors: ValidationErrors, currency: &str) -> Result<Plan, ValidationErrors> {
        let now = instant("2026-01-15T00:00:00Z");
        Plan::create(draft, errors, &organization(currency), PlanId::new(now, 4), event(1), now)
    }

    pub(crate) fn plan() -> Plan {
        create(draft("9.5"), ValidationErrors::none(), "USD").unwrap()
    }

    #[test]
    fn a_draft_gets_the_defaults_of_the_contract() {
        let plan = plan();
        assert_eq!(plan.currency, Currency::USD);
        let details = &plan.details;
        assert_eq!((details.node_quota.get(), details.tier.get(), details.most_popular), (0, 0, false));
        assert_eq!((plan.is_active, details.description.as_str(), details.features.as_str()), (true, "", ""));
        assert_eq!((plan.product_id, plan.href, plan.variants), (None, None, vec![]));
        assert_eq!(plan.created_at, plan.updated_at);
    }

    #[test]
    fn the_currency_bounds_the_price_of_a_draft_and_of_an_update() {
        assert!(create(draft("9.5"), ValidationErrors::none(), "JPY").unwrap_err().touch("/price"));
        let yen = PlanDraft { currency: Some(Currency::parse("JPY").unwrap()), ..draft("9.5") };
        assert!(create(yen, ValidationErrors::none(), "USD").unwrap_err().touch("/price"));
        let patch = PlanPatch { price: Some(money("9.555")), ..PlanPatch::default() };
        assert!(plan().merge(patch, ValidationErrors::none()).unwrap_err().touch("/price"));
    }

    #[test]
    fn a_price_is_not_held_against_a_currency_that_is_wrong_itself() {
        let mut errors = ValidationErrors::none();
        errors.note("/currency", ValidationCode::UnknownValue, "");
        assert!(!create(draft("9.5"), errors, "JPY").unwrap_err().touch("/price"));
    }

    #[test]
    fn a_draft_with_faults_or_gaps_is_no_plan() {
        let mut errors = ValidationErrors::none();
        errors.note("/tier", ValidationCode::OutOfRange, "");
        assert_eq!(create(draft("1"), errors.clone(), "USD"), Err(errors));
        assert!(create(PlanDraft { slug: None, ..draft("1") }, ValidationErrors::none(), "USD").is_err());
    }

    #[test]
    fn an_update_touches_only_what_was_sent() {
        let before = plan();
        assert_eq!(before.merge(PlanPatch::default(), ValidationErrors::none()), Ok(before.clone()));
        let details =
            PlanDetails { description: Description::parse("d").unwrap(), most_popular: true, ..PlanDetails::default() };
        let patch = PlanPatch {
            price: Some(money("12")),
            billing_cycle: Some(BillingCycle::Yearly),
            details: Some(details.clone()),
            is_active: Some(false),
            ..PlanPatch::default()
        };
        let after = before.merge(patch, ValidationErrors::none()).unwrap();
        assert_eq!((after.price, after.billing_cycle), (money("12"), BillingCycle::Yearly));
        assert_eq!((after.details, after.is_active, after.version.get()), (details, false, 2));
        assert_eq!((after.slug, after.name, after.currency), (before.slug, before.name, before.currency));
    }

    #[test]
    fn another_price_or_cycle_is_another_version_and_nothing_else_is() {
        let before = plan();
        assert_eq!(before.version.get(), 1);
        let version = |patch| before.merge(patch, ValidationErrors::none()).unwrap().version.get();
        assert_eq!(version(PlanPatch { price: Some(money("9.50")), ..PlanPatch::default() }), 1, "the same price");
        assert_eq!(version(PlanPatch { price: Some(money("9.51")), ..PlanPatch::default() }), 2);
        assert_eq!(version(PlanPatch { billing_cycle: Some(BillingCycle::Monthly), ..PlanPatch::default() }), 1);
        assert_eq!(version(PlanPatch { billing_cycle: Some(BillingCycle::Weekly), ..PlanPatch::default() }), 2);
        assert_eq!(version(PlanPatch { is_active: Some(false), ..PlanPatch::default() }), 1);
        let details = Some(PlanDetails { most_popular: true, ..PlanDetails::default() });
        assert_eq!(version(PlanPatch { details, ..PlanPatch::default() }), 1);
        let billing = |tax| PlanBillingDraft { tax_behavior: Some(tax), ..PlanBillingDraft::default() };
        let taxed = |tax| PlanPatch { billing: Some(Some(billing(tax))), ..PlanPatch::default() };
        assert_eq!(version(taxed(TaxBehavior::Exclusive)), 1, "the default");
        assert_eq!(version(taxed(TaxBehavior::Inclusive)), 2);
    }

    #[test]
    fn links_are_http_urls_kept_as_sent() {
        for text in
            ["https://example.com", "http://localhost:3000/p?a=b#c", "https://example.com/Ä", "HTTPS://EXAMPLE.com"]
        {
            assert_eq!(Href::parse(text).unwrap().as_str(), text);
        }
        for text in [
            "",
            "example.com",
            "ftp://example.com",
            "javascript:alert(1)",
            "https://",
            "https://a b",
            "https://ex ample.com/",
            "https:example.com",
            "https:/example.com",
            "https:///example.com",
            "https://\\example.com",
            "https:\\\\example.com",
            " https://example.com",
            "https://example.com/ ",
        ] {
            assert!(Href::parse(text).is_err(), "{text}");
        }
        assert_eq!(
            Href::parse(&format!("https://e.com/{}", "a".repeat(2_048))).unwrap_err().code,
            ValidationCode::TooLong
        );
    }

    #[test]
    fn a_key_is_an_id_or_a_slug() {
        let id = plan().id;
        assert_eq!(PlanKey::parse(&id.to_string()), Some(PlanKey::Id(id)));
        assert_eq!(PlanKey::parse("pro"), Some(PlanKey::Slug(Slug::parse("pro").unwrap())));
        assert_eq!(PlanKey::parse("plan_pro"), None);
        assert_eq!(PlanKey::parse(".."), None);
    }
}
