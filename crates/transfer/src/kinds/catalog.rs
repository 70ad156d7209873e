//! What can be sold: plans and their versions, meters, features, coupons, tax rates.

use super::fields::{in_organization, needed, optional, own_id, stored_in, usual};
use crate::form::{
    Form, aggregation, charges, combine, country, coupon_code, coupon_duration, currency, cycle, feature_key,
    feature_kind, href, id, line, listed_id, meter_slug, named, prose, quota_period, slug, tax_behavior,
};
use crate::record::{Kind, Reference};
use crate::rules;
use perennial_domain::coupons::{MAX_PERIODS, MAX_REDEMPTIONS};
use perennial_domain::id::{CouponId, FeatureId, MeterId, PlanId, TaxRateId};
use perennial_domain::percent::MAX_PERCENT;
use perennial_domain::plans::MAX_VERSION;
use perennial_store::tables::{COUPONS, FEATURES, METERS, PLAN_VERSIONS, PLANS, TAX_RATES};
use std::sync::OnceLock;

pub(super) static PLAN: Kind = Kind {
    name: "plan",
    table: &PLANS,
    special: &[
        own_id(id!(PlanId)),
        needed("slug", Form::Text(slug)),
        needed("name", Form::Text(line::<1, 255>)),
        optional("product_id", Form::Text(line::<0, 255>)),
        usual("variants", Form::List(line::<1, 255>), "[]"),
        needed("price", Form::Money),
        needed("currency", Form::Text(currency)),
        optional("href", Form::Text(href)),
        needed("billing_cycle", Form::Text(cycle)),
        usual("description", Form::Text(prose::<5_000>), "\"\""),
        usual("features", Form::Text(prose::<10_000>), "\"\""),
        usual("is_active", Form::Bool, "true"),
        optional("billing", Form::Object),
        optional("entitlements", Form::Object),
    ],
    all: OnceLock::new(),
    references: &[in_organization()],
    unique: ("slug", "is another plan's"),
    check: rules::plan,
};

pub(super) static PLAN_VERSION: Kind = Kind {
    name: "plan_version",
    table: &PLAN_VERSIONS,
    special: &[
        stored_in("plan_id", needed("subscription_plan_id", named!(PlanId, slug))),
        needed("version", Form::Int { least: 1, most: MAX_VERSION }),
        needed("price", Form::Money),
        needed("currency", Form::Text(currency)),
        needed("billing_cycle", Form::Text(cycle)),
        optional("tax_behavior", Form::Text(tax_behavior)),
        optional("charges", Form::Text(charges)),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        Reference { field: "subscription_plan_id", table: &PLANS, is_live: false, fits: Some(rules::version_of_plan) },
    ],
    unique: ("version", "is that of another version of the plan, which differs from this one"),
    check: rules::plan_version,
};

pub(super) static METER: Kind = Kind {
    name: "meter",
    table: &METERS,
    special: &[
        own_id(id!(MeterId)),
        needed("slug", Form::Text(meter_slug)),
        needed("name", Form::Text(line::<1, 255>)),
        needed("aggregation", Form::Text(aggregation)),
        optional("unit", Form::Text(line::<1, 64>)),
        usual("is_active", Form::Bool, "true"),
    ],
    all: OnceLock::new(),
    references: &[in_organization()],
    unique: ("slug", "is another meter's"),
    check: |_, _| {},
};

pub(super) static FEATURE: Kind = Kind {
    name: "feature",
    table: &FEATURES,
    special: &[
        own_id(id!(FeatureId)),
        needed("key", Form::Text(feature_key)),
        needed("name", Form::Text(line::<1, 255>)),
        usual("description", Form::Text(prose::<5_000>), "\"\""),
        needed("kind", Form::Text(feature_kind)),
        needed("combine", Form::Text(combine)),
        stored_in("meter_id", optional("meter", named!(MeterId, meter_slug))),
        optional("period", Form::Text(quota_period)),
        usual("is_active", Form::Bool, "true"),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        Reference { field: "meter", table: &METERS, is_live: false, fits: Some(rules::feature_of_meter) },
    ],
    unique: ("key", "is another feature's"),
    check: rules::feature,
};

pub(super) static COUPON: Kind = Kind {
    name: "coupon",
    table: &COUPONS,
    special: &[
        own_id(id!(CouponId)),
        needed("code", Form::Text(coupon_code)),
        optional("percent", Form::Decimal { decimals: 4, least: 100, most: MAX_PERCENT }),
        optional("amount", Form::Money),
        optional("currency", Form::Text(currency)),
        needed("duration", Form::Text(coupon_duration)),
        optional("periods", Form::Int { least: 1, most: MAX_PERIODS }),
        usual("plan_ids", Form::List(listed_id::<PlanId>), "[]"),
        optional("max_redemptions", Form::Int { least: 1, most: MAX_REDEMPTIONS }),
        usual("is_active", Form::Bool, "true"),
    ],
    all: OnceLock::new(),
    references: &[in_organization()],
    unique: ("code", "is another coupon's"),
    check: rules::coupon,
};

pub(super) static TAX_RATE: Kind = Kind {
    name: "tax_rate",
    table: &TAX_RATES,
    special: &[
        needed("id", id!(TaxRateId)),
        needed("name", Form::Text(line::<1, 100>)),
        needed("percentage", Form::Decimal { decimals: 4, least: 0, most: MAX_PERCENT }),
        optional("country", Form::Text(country)),
        usual("is_active", Form::Bool, "true"),
    ],
    all: OnceLock::new(),
    references: &[in_organization()],
    unique: ("id", "is another tax rate's"),
    check: |_, _| {},
};
