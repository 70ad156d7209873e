//! The kinds of records that are exported and imported: their special fields, their references, and the field that must
//! be unique. Each kind comes before the kinds that refer to it.
//!
//! A field follows from its column if it is a time, a flag, or a number with a range. Only other fields are listed here:
//! texts with a format, IDs, fields with another name or default. A test fails for a column that is missing here.

use super::form::{
    Form, accent, aggregation, cancel_mode, change_mode, charges, combine, country, coupon_code, coupon_duration,
    credit_reason, currency, cycle, email, event_kind, feature_key, feature_kind, href, id, invoice_kind,
    invoice_status, line, listed_id, locale, meter_slug, mode, named, note_settlement, origin, payment_status, prose,
    quota_period, role, slug, subscription_status, tax_behavior, usage_event_id, words,
};
use super::record::{Absent, Field, Kind, Reference};
use super::rules;
use perennial_domain::coupons::{MAX_PERIODS, MAX_REDEMPTIONS};
use perennial_domain::credits::MAX_BALANCE;
use perennial_domain::id::{
    ClientId, ConnectionId, CouponId, CreditId, CreditNoteId, EventId, FeatureId, InvoiceId, MeterId, OperatorId,
    OrganizationId, PaymentId, PlanId, SubscriptionId, TaxRateId, UserId,
};
use perennial_domain::percent::MAX_PERCENT;
use perennial_domain::plans::MAX_VERSION;
use perennial_domain::usage::MAX_VALUE;
use perennial_store::tables::{
    BILLING_PROFILES, COUPONS, CREDIT_NOTES, CREDITS, EVENTS, FEATURES, INVOICES, METERS, NUMBER_SERIES, OPERATORS,
    ORGANIZATIONS, PAYMENTS, PLAN_VERSIONS, PLANS, SUBSCRIPTION_MEMBERS, SUBSCRIPTIONS, TAX_RATES, USAGE_EVENTS, USERS,
};
use std::sync::OnceLock;

const fn needed(name: &'static str, form: Form) -> Field {
    Field { name, column: name, form, absent: Absent::Required }
}

const fn optional(name: &'static str, form: Form) -> Field {
    Field { absent: Absent::Null, ..needed(name, form) }
}

const fn usual(name: &'static str, form: Form, json: &'static str) -> Field {
    Field { absent: Absent::Default(json), ..needed(name, form) }
}

const fn own_id(form: Form) -> Field {
    Field { absent: Absent::FromUniqueField, ..needed("id", form) }
}

/// A field whose column has another name.
const fn stored_in(column: &'static str, field: Field) -> Field {
    Field { column, ..field }
}

const fn in_organization() -> Reference {
    Reference { field: "organization_id", table: &ORGANIZATIONS, is_live: false, at_most: None }
}

pub(super) static ALL: [&Kind; 19] = [
    &ORGANIZATION,
    &USER,
    &PLAN,
    &PLAN_VERSION,
    &SUBSCRIPTION,
    &PAYMENT,
    &OPERATOR,
    &TAX_RATE,
    &METER,
    &FEATURE,
    &COUPON,
    &CREDIT,
    &BILLING_PROFILE,
    &MEMBER,
    &USAGE_EVENT,
    &INVOICE,
    &CREDIT_NOTE,
    &NUMBER_SERIES_KIND,
    &EVENT,
];

static ORGANIZATION: Kind = Kind {
    name: "organization",
    table: &ORGANIZATIONS,
    special: &[
        needed("id", id!(OrganizationId)),
        needed("name", Form::Text(line::<1, 255>)),
        needed("currency", Form::Text(currency)),
        optional("max_sessions", Form::Int { least: 1, most: 4_294_967_295 }),
        usual("mode", Form::Text(mode), "\"live\""),
        optional("billing", Form::Object),
        optional("portal_name", Form::Text(line::<1, 80>)),
        usual("portal_accent", Form::Text(accent), "\"#17734b\""),
        usual("portal_cancel", Form::Text(cancel_mode), "\"period_end\""),
        usual("portal_resume", Form::Bool, "true"),
        usual("portal_change", Form::Text(change_mode), "\"off\""),
        usual("portal_return_origins", Form::List(origin), "[]"),
    ],
    all: OnceLock::new(),
    references: &[],
    unique: ("name", "is another organization's here: import into a store that no server has run on, or use --into"),
    check: rules::organization,
};

static USER: Kind = Kind {
    name: "user",
    table: &USERS,
    special: &[
        own_id(id!(UserId)),
        optional("email", Form::Text(email)),
        optional("issuer", Form::Text(words)),
        optional("subject", Form::Text(words)),
        optional("auth_type", Form::Text(line::<0, 64>)),
        optional("username", Form::Text(line::<0, 255>)),
        optional("first_name", Form::Text(line::<0, 255>)),
        optional("last_name", Form::Text(line::<0, 255>)),
        usual("session_epoch", Form::Int { least: 0, most: i64::MAX }, "0"),
    ],
    all: OnceLock::new(),
    references: &[in_organization()],
    unique: ("email", "or the identity is another user's"),
    check: rules::user,
};

static PLAN: Kind = Kind {
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

static PLAN_VERSION: Kind = Kind {
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
        Reference {
            field: "subscription_plan_id",
            table: &PLANS,
            is_live: false,
            at_most: Some(("version", "version")),
        },
    ],
    unique: ("version", "is that of another version of the plan, which differs from this one"),
    check: rules::plan_version,
};

static SUBSCRIPTION: Kind = Kind {
    name: "subscription",
    table: &SUBSCRIPTIONS,
    special: &[
        own_id(id!(SubscriptionId)),
        needed("user_id", named!(UserId, email)),
        stored_in("plan_id", needed("subscription_plan_id", named!(PlanId, slug))),
        stored_in("external_id", optional("external_subscription_id", Form::Text(line::<1, 255>))),
        needed("billing_cycle", Form::Text(cycle)),
        needed("status", Form::Text(subscription_status)),
        needed("is_active", Form::Bool),
        optional("billing", Form::Object),
        optional("change_plan_id", id!(PlanId)),
        optional("entitlements", Form::Object),
        optional("managed_by", id!(ConnectionId)),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        // Subscriptions outlive an erased user. A plan cannot be deleted while it has live subscriptions.
        Reference { field: "user_id", table: &USERS, is_live: false, at_most: None },
        Reference {
            field: "subscription_plan_id",
            table: &PLANS,
            is_live: true,
            at_most: Some(("plan_version", "version")),
        },
        Reference { field: "change_plan_id", table: &PLANS, is_live: true, at_most: None },
    ],
    unique: ("external_subscription_id", "is another subscription's"),
    check: rules::subscription,
};

static PAYMENT: Kind = Kind {
    name: "payment",
    table: &PAYMENTS,
    special: &[
        own_id(id!(PaymentId)),
        needed("subscription_id", named!(SubscriptionId, line::<1, 255>)),
        needed("amount", Form::Money),
        needed("currency", Form::Text(currency)),
        stored_in("external_id", optional("external_payment_id", Form::Text(line::<1, 255>))),
        needed("status", Form::Text(payment_status)),
        stored_in("completed_at", optional("date", Form::Time)),
        optional("invoice_id", id!(InvoiceId)),
        optional("applied", Form::Money),
        optional("surplus", Form::Money),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        Reference { field: "subscription_id", table: &SUBSCRIPTIONS, is_live: false, at_most: None },
    ],
    unique: ("external_payment_id", "is another payment's"),
    check: rules::payment,
};

static OPERATOR: Kind = Kind {
    name: "operator",
    table: &OPERATORS,
    special: &[
        own_id(id!(OperatorId)),
        needed("name", Form::Text(line::<1, 255>)),
        needed("role", Form::Text(role)),
        optional("issuer", Form::Text(words)),
        optional("subject", Form::Text(words)),
        usual("is_active", Form::Bool, "true"),
    ],
    all: OnceLock::new(),
    references: &[in_organization()],
    unique: ("name", "or the identity is another operator's"),
    check: rules::identity,
};

static TAX_RATE: Kind = Kind {
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

static METER: Kind = Kind {
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

static FEATURE: Kind = Kind {
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
    references: &[in_organization(), Reference { field: "meter", table: &METERS, is_live: false, at_most: None }],
    unique: ("key", "is another feature's"),
    check: rules::feature,
};

static COUPON: Kind = Kind {
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

/// The balances are computed from the entries at the end of an import.
static CREDIT: Kind = Kind {
    name: "credit",
    table: &CREDITS,
    special: &[
        needed("id", id!(CreditId)),
        needed("user_id", named!(UserId, email)),
        needed("currency", Form::Text(currency)),
        needed("amount", Form::Decimal { decimals: 4, least: -MAX_BALANCE, most: MAX_BALANCE }),
        needed("reason", Form::Text(credit_reason)),
        optional("record_id", Form::Text(words)),
        optional("description", Form::Text(line::<1, 500>)),
    ],
    all: OnceLock::new(),
    references: &[in_organization(), Reference { field: "user_id", table: &USERS, is_live: false, at_most: None }],
    unique: ("id", "is another credit's"),
    check: |_, _| {},
};

static BILLING_PROFILE: Kind = Kind {
    name: "billing_profile",
    table: &BILLING_PROFILES,
    special: &[
        needed("user_id", named!(UserId, email)),
        optional("name", Form::Text(line::<1, 255>)),
        optional("email", Form::Text(email)),
        usual("address", Form::Lines(line::<1, 255>), "[]"),
        optional("country", Form::Text(country)),
        optional("tax_id", Form::Text(line::<1, 64>)),
        usual("tax_rate_ids", Form::List(listed_id::<TaxRateId>), "[]"),
        optional("locale", Form::Text(locale)),
        optional("note", Form::Text(line::<1, 500>)),
        // A profile without an event is not stored.
        needed("revision", id!(EventId)),
    ],
    all: OnceLock::new(),
    references: &[in_organization(), Reference { field: "user_id", table: &USERS, is_live: true, at_most: None }],
    unique: ("user_id", "has another billing profile"),
    check: |_, _| {},
};

static MEMBER: Kind = Kind {
    name: "member",
    table: &SUBSCRIPTION_MEMBERS,
    special: &[
        needed("subscription_id", named!(SubscriptionId, line::<1, 255>)),
        needed("user_id", named!(UserId, email)),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        Reference { field: "subscription_id", table: &SUBSCRIPTIONS, is_live: true, at_most: None },
        Reference { field: "user_id", table: &USERS, is_live: true, at_most: None },
    ],
    unique: ("user_id", "is a member of the subscription already"),
    check: |_, _| {},
};

static USAGE_EVENT: Kind = Kind {
    name: "usage_event",
    table: &USAGE_EVENTS,
    special: &[
        needed("subscription_id", named!(SubscriptionId, line::<1, 255>)),
        needed("event_id", Form::Text(usage_event_id)),
        needed("meter_id", named!(MeterId, meter_slug)),
        usual("value", Form::Decimal { decimals: 6, least: -MAX_VALUE, most: MAX_VALUE }, "1"),
        stored_in("counted_key", optional("key", Form::Text(line::<1, 255>))),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        Reference { field: "subscription_id", table: &SUBSCRIPTIONS, is_live: false, at_most: None },
        Reference { field: "meter_id", table: &METERS, is_live: false, at_most: None },
    ],
    unique: ("event_id", "is that of another usage event of the subscription"),
    check: |_, _| {},
};

/// Lines, sums and parties are one object, as they are stored.
static INVOICE: Kind = Kind {
    name: "invoice",
    table: &INVOICES,
    special: &[
        needed("id", id!(InvoiceId)),
        needed("subscription_id", named!(SubscriptionId, line::<1, 255>)),
        needed("user_id", named!(UserId, email)),
        optional("number", Form::Text(line::<1, 64>)),
        needed("kind", Form::Text(invoice_kind)),
        needed("status", Form::Text(invoice_status)),
        needed("currency", Form::Text(currency)),
        optional("source_invoice_id", id!(InvoiceId)),
        needed("content", Form::Object),
        // An invoice without an event has no history.
        needed("revision", id!(EventId)),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        Reference { field: "subscription_id", table: &SUBSCRIPTIONS, is_live: false, at_most: None },
        Reference { field: "user_id", table: &USERS, is_live: false, at_most: None },
    ],
    unique: ("id", "or its number is another invoice's"),
    check: rules::invoice,
};

static CREDIT_NOTE: Kind = Kind {
    name: "credit_note",
    table: &CREDIT_NOTES,
    special: &[
        needed("id", id!(CreditNoteId)),
        needed("number", Form::Text(line::<1, 64>)),
        optional("invoice_id", id!(InvoiceId)),
        needed("subscription_id", named!(SubscriptionId, line::<1, 255>)),
        needed("user_id", named!(UserId, email)),
        needed("currency", Form::Text(currency)),
        needed("settlement", Form::Text(note_settlement)),
        optional("source_invoice_id", id!(InvoiceId)),
        needed("content", Form::Object),
        needed("revision", id!(EventId)),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        Reference { field: "subscription_id", table: &SUBSCRIPTIONS, is_live: false, at_most: None },
        Reference { field: "user_id", table: &USERS, is_live: false, at_most: None },
    ],
    unique: ("id", "or its number is another credit note's"),
    check: rules::credit_note,
};

/// The counters of numbers, so that they continue without a gap.
static NUMBER_SERIES_KIND: Kind = Kind {
    name: "number_series",
    table: &NUMBER_SERIES,
    special: &[needed("series", Form::Text(line::<1, 64>)), needed("next", Form::Int { least: 1, most: i64::MAX })],
    all: OnceLock::new(),
    references: &[in_organization()],
    unique: ("series", "has another counter"),
    check: |_, _| {},
};

static EVENT: Kind = Kind {
    name: "event",
    table: &EVENTS,
    special: &[
        needed("id", id!(EventId)),
        needed("kind", Form::Text(event_kind)),
        needed("record_id", Form::Record),
        optional("client_id", id!(ClientId)),
        optional("operator_id", id!(OperatorId)),
        optional("request_id", Form::Text(words)),
        optional("previous_id", id!(EventId)),
        optional("before", Form::Object),
        optional("after", Form::Object),
    ],
    all: OnceLock::new(),
    references: &[in_organization()],
    unique: ("id", "is another event's"),
    check: rules::event,
};

/// The names of all kinds.
pub(super) fn names() -> String {
    ALL.map(|kind| kind.name).join(", ")
}

/// The kind that a line names.
pub(super) fn named_kind(name: &str) -> Option<&'static Kind> {
    ALL.into_iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_a_field_and_every_special_field_is_a_column() {
        for kind in ALL {
            let forms: Vec<_> = kind.fields().iter().map(|field| (field.column, field.form.kind())).collect();
            let columns: Vec<_> = kind.table.columns.iter().map(|column| (column.name, column.kind)).collect();
            assert_eq!(forms, columns, "{}", kind.name);
            for field in kind.special {
                assert!(kind.fields().iter().any(|known| known.name == field.name), "{}.{}", kind.name, field.name);
            }
            assert!(kind.references.iter().all(|reference| kind.fields().iter().any(|f| f.name == reference.field)));
            assert_eq!(named_kind(kind.name).map(|found| found.name), Some(kind.name));
        }
    }
}
