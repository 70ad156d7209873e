//! The billing of a plan: its fields in a request and in a response.

use crate::fields::{Charges, Field, Fields, PlanRates, charge_definition};
use crate::schema;
use perennial_domain::id::TaxRateId;
use perennial_domain::plans::billing::{
    AfterDunning, Dunning, GraceDays, IncompleteHours, PaymentTermsDays, PlanBillingDraft, RetryDay, TaxBehavior,
    TrialDays, TrialEndBehavior,
};
use serde_json::{Value, json};

/// The fields of a create and of an update, which replaces those that are sent.
pub(super) fn draft(fields: &mut impl Fields) -> Option<Option<PlanBillingDraft>> {
    let about =
        "How subscriptions to the plan are billed. Null: all defaults. An update replaces the members that are sent.";
    fields.nullable_object("/billing", about, |fields| PlanBillingDraft {
        trial_days: fields.optional("/billing/trial_days", "Days of the trial of a new subscription. Defaults to 0."),
        trial_end_behavior: fields.optional(
            "/billing/trial_end_behavior",
            "What follows a trial if collection is automatic and nothing can be charged. Defaults to pause.",
        ),
        incomplete_hours: fields
            .optional("/billing/incomplete_hours", "Hours until an incomplete subscription expires. Defaults to 23."),
        payment_terms_days: fields.nullable(
            "/billing/payment_terms_days",
            "Days until an invoice of manual collection is due. Null: the organization's value.",
        ),
        dunning: dunning(fields, "/billing/dunning"),
        tax_behavior: fields.optional(
            "/billing/tax_behavior",
            "Whether tax is added to the price or included in it. Defaults to exclusive.",
        ),
        tax_rate_ids: fields
            .optional("/billing/tax_rate_ids", "The tax rates of the plan. Empty: the organization's.")
            .map(|PlanRates(rates)| rates),
        charge_drafts: fields
            .optional("/billing/charges", "The metered prices of the plan.")
            .map(|Charges(charges)| charges),
        charges: None,
    })
}

fn dunning(fields: &mut impl Fields, at: &'static str) -> Option<Option<Dunning>> {
    let about = "When payment of an invoice is retried, and what follows. Null: the organization's value.";
    let sent = fields.nullable_object(at, about, |fields| {
        members(fields, ["/billing/dunning/retry_days", "/billing/dunning/grace_days", "/billing/dunning/then"])
    });
    match sent {
        Some(Some(None)) => None,
        other => other.map(Option::flatten),
    }
}

/// The members of dunning, all of which are required.
pub(crate) fn members(fields: &mut impl Fields, at: [&'static str; 3]) -> Option<Dunning> {
    let retry_days = fields.required(at[0], "The days after the invoice was issued on which payment is retried.");
    let grace_days = fields.required(at[1], "Days between the last attempt and the deadline.");
    let then = fields.required(at[2], "What happens to the subscription at the deadline.");
    Some(Dunning { retry_days: retry_days?, grace_days: grace_days?, then: then? })
}

/// Dunning in a response.
pub(crate) fn dunning_schema() -> [(&'static str, Value); 3] {
    [
        ("retry_days", json!({ "type": "array", "items": RetryDay::schema() })),
        ("grace_days", GraceDays::schema()),
        ("then", AfterDunning::schema()),
    ]
}

/// The billing of a plan in a response.
pub(super) fn definition() -> Value {
    let mut terms = PaymentTermsDays::schema();
    terms["type"] = json!(["integer", "null"]);
    schema::optional_record(&[
        ("trial_days", TrialDays::schema()),
        ("trial_end_behavior", TrialEndBehavior::schema()),
        ("incomplete_hours", IncompleteHours::schema()),
        ("payment_terms_days", terms),
        ("dunning", schema::optional_record(&dunning_schema())),
        ("tax_behavior", TaxBehavior::schema()),
        ("tax_rate_ids", json!({ "type": "array", "items": TaxRateId::schema() })),
        ("charges", json!({ "type": "array", "items": charge_definition() })),
    ])
}
