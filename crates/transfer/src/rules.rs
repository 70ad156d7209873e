//! The rules between fields that are valid by themselves, and between a record and one that it names. The API enforces them when
//! it creates and changes records; an import must check them.

use super::record::{Named, Record};
use perennial_domain::coupons::Duration;
use perennial_domain::currency::Currency;
use perennial_domain::entitlements::Grants;
use perennial_domain::features::{Combine, FeatureKind, can_be_limited};
use perennial_domain::invoices::content::{CreditNoteContent, InvoiceContent};
use perennial_domain::lifecycle::billing::Billing;
use perennial_domain::meters::Aggregation;
use perennial_domain::money::Money;
use perennial_domain::organizations::billing::OrganizationBilling;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::plans::billing::PlanBilling;
use perennial_domain::subscriptions::{self, SubscriptionStatus};
use perennial_domain::users::Identity;
use perennial_domain::validation::{InvalidValue, ValidationCode, ValidationErrors};
use perennial_store::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The personal data of a user.
const PERSONAL: [&str; 9] =
    ["email", "issuer", "subject", "auth_type", "username", "first_name", "last_name", "terms", "notifications"];

/// An identity is complete, and an erased user stays erased.
pub(super) fn user(record: &Record, errors: &mut ValidationErrors) {
    identity(record, errors);
    let is_deleted = !record.at("deleted_at").is_null();
    for field in PERSONAL.into_iter().filter(|field| is_deleted && !record.at(field).is_null()) {
        errors.note(field, ValidationCode::Inconsistent, "must be null once the user is deleted");
    }
}

/// An identity is complete and can be stored on every engine.
pub(super) fn identity(record: &Record, errors: &mut ValidationErrors) {
    if record.at("issuer").is_null() != record.at("subject").is_null() {
        errors.note("subject", ValidationCode::Inconsistent, "and issuer come together or not at all");
    }
    if !Identity::fits(record.text("issuer"), record.text("subject")) {
        let detail = format!("and issuer must have at most {} bytes together", Identity::MAX_BYTES);
        errors.add("subject", InvalidValue::new(ValidationCode::TooLong, detail));
    }
}

pub(super) fn organization(record: &Record, errors: &mut ValidationErrors) {
    stored_object(record, errors, |text| OrganizationBilling::from_stored(text).is_some());
}

pub(super) fn plan(record: &Record, errors: &mut ValidationErrors) {
    amount(record, "price", errors);
    stored_object(record, errors, |text| PlanBilling::from_stored(text).is_some());
    grants(record, errors);
}

/// Grants are valid values. Whether their features exist is not checked: a feature can be imported later.
fn grants(record: &Record, errors: &mut ValidationErrors) {
    let text = record.text("entitlements");
    if !text.is_empty() && Grants::from_stored(text).is_none() {
        let detail = "must have feature keys, and true, false, a whole number or \"unlimited\" for each";
        errors.note("entitlements", ValidationCode::InvalidFormat, detail);
    }
}

/// What a feature has must fit its kind.
pub(super) fn feature(record: &Record, errors: &mut ValidationErrors) {
    let Some(kind) = FeatureKind::from_stored(record.text("kind")) else { return };
    let combine = Combine::from_stored(record.text("combine"));
    if combine.is_some_and(|combine| !kind.combines().contains(&combine)) {
        errors.note("combine", ValidationCode::Inconsistent, "must fit the kind");
    }
    if kind == FeatureKind::Boolean && *record.at("per_unit") == Value::Bool(true) {
        errors.note("per_unit", ValidationCode::Inconsistent, "must be false for a boolean feature");
    }
    for field in ["meter", "period"] {
        if record.at(field).is_null() == (kind == FeatureKind::Quota) {
            errors.note(field, ValidationCode::Inconsistent, "is required for a quota, and only for a quota");
        }
    }
}

/// A quota counts what can be added up.
pub(super) fn feature_of_meter(_: &Record, meter: &Named<'_>, errors: &mut ValidationErrors) {
    let Some(Value::Text(aggregation)) = meter.at("aggregation") else { return };
    if !Aggregation::from_stored(aggregation).is_some_and(can_be_limited) {
        errors.note("meter", ValidationCode::Inconsistent, "must name a meter with the aggregation sum or count");
    }
}

pub(super) fn plan_version(record: &Record, errors: &mut ValidationErrors) {
    amount(record, "price", errors);
}

pub(super) fn version_of_plan(record: &Record, plan: &Named<'_>, errors: &mut ValidationErrors) {
    at_most_current(record, "version", plan, errors);
}

pub(super) fn subscription_of_plan(record: &Record, plan: &Named<'_>, errors: &mut ValidationErrors) {
    at_most_current(record, "plan_version", plan, errors);
}

fn at_most_current(record: &Record, field: &'static str, plan: &Named<'_>, errors: &mut ValidationErrors) {
    if let (Value::Int(version), Some(Value::Int(current))) = (record.at(field), plan.at("version"))
        && version > current
    {
        let detail = format!("must be at most {current}, the current version of the plan");
        errors.note(field, ValidationCode::OutOfRange, detail);
    }
}

/// The owner has what the subscription grants already.
pub(super) fn member_of_subscription(record: &Record, subscription: &Named<'_>, errors: &mut ValidationErrors) {
    if subscription.at("user_id") == Some(record.at("user_id")) {
        errors.note("user_id", ValidationCode::Inconsistent, "must not be the owner of the subscription");
    }
}

/// Billing has the form in which an export writes it.
fn stored_object(record: &Record, errors: &mut ValidationErrors, is_valid: impl FnOnce(&str) -> bool) {
    let text = record.text("billing");
    if !text.is_empty() && !is_valid(text) {
        errors.note("billing", ValidationCode::InvalidFormat, "must have the form in which an export writes it");
    }
}

pub(super) fn subscription(record: &Record, errors: &mut ValidationErrors) {
    let status = SubscriptionStatus::from_stored(record.text("status"));
    if let (Some(status), Some(starts_at)) = (status, record.time("starts_at")) {
        let is_active = *record.at("is_active") == Value::Bool(true);
        let (renews_at, ends_at) = (record.time("renews_at"), record.time("ends_at"));
        subscriptions::check(status, is_active, starts_at, renews_at, ends_at, errors);
    }
    stored_object(record, errors, |text| Billing::from_stored(text, None).is_some());
    grants(record, errors);
    if record.at("billing").is_null() && !record.at("change_plan_id").is_null() {
        errors.note("change_plan_id", ValidationCode::Inconsistent, "must be null without billing");
    }
}

/// A coupon takes off a percentage or an amount, and only a repeating one has a number of periods.
pub(super) fn coupon(record: &Record, errors: &mut ValidationErrors) {
    let is_set = |field: &str| !record.at(field).is_null();
    if is_set("percent") == is_set("amount") || is_set("amount") != is_set("currency") {
        let detail = "must be there, or amount and currency, but not both";
        errors.note("percent", ValidationCode::Inconsistent, detail);
    }
    if is_set("periods") != (record.text("duration") == Duration::Repeating.as_str()) {
        errors.note("periods", ValidationCode::Inconsistent, "must be there with the duration repeating only");
    }
    amount(record, "amount", errors);
}

/// `date` is when a payment was completed: a completed payment has it, and one that never was has none.
pub(super) fn payment(record: &Record, errors: &mut ValidationErrors) {
    amount(record, "amount", errors);
    let is_dated = !record.at("date").is_null();
    match PaymentStatus::from_stored(record.text("status")) {
        Some(PaymentStatus::Completed) if !is_dated => {
            errors.note("date", ValidationCode::Inconsistent, "must be there once the status is completed");
        }
        Some(PaymentStatus::Pending | PaymentStatus::Processing | PaymentStatus::Failed) if is_dated => {
            errors.note("date", ValidationCode::Inconsistent, "must be null before the status is completed");
        }
        _ => {}
    }
}

/// An event about a user or a session stores IDs and field names only.
pub(super) fn event(record: &Record, errors: &mut ValidationErrors) {
    let allowed: &[&str] = match record.text("kind").split('.').next() {
        Some("user") => &["id", "fields"],
        Some("session") => &["id", "user_id", "client_id", "fields"],
        _ => return,
    };
    for field in ["before", "after"] {
        let stored: BTreeMap<String, &RawValue> = serde_json::from_str(record.text(field)).unwrap_or_default();
        if stored.keys().any(|name| !allowed.contains(&name.as_str())) {
            let detail = format!("must not contain more about a person than {}", allowed.join(", "));
            errors.add(field, InvalidValue::new(ValidationCode::Inconsistent, detail));
        }
    }
}

/// Whether an amount has no more decimals than its currency.
fn amount(record: &Record, field: &'static str, errors: &mut ValidationErrors) {
    let Value::Int(amount) = record.at(field) else { return };
    let currency = Currency::parse(record.text("currency"));
    if let (Some(money), Ok(currency)) = (Money::from_ten_thousandths(*amount), currency)
        && let Err(reason) = money.check(currency)
    {
        errors.add(field, reason);
    }
}

/// The content of an invoice is one that an export wrote.
pub(super) fn invoice(record: &Record, errors: &mut ValidationErrors) {
    if InvoiceContent::from_stored(record.text("content")).is_none() {
        errors.note("content", ValidationCode::InvalidFormat, "must be the content that an export wrote");
    }
}

/// The content of a credit note is one that an export wrote.
pub(super) fn credit_note(record: &Record, errors: &mut ValidationErrors) {
    if CreditNoteContent::from_stored(record.text("content")).is_none() {
        errors.note("content", ValidationCode::InvalidFormat, "must be the content that an export wrote");
    }
}
