//! The billing of a subscription: its fields in a request and in a response.

use crate::fields::{CouponReference, Field, Fields, PlanReference};
use crate::schema;
use perennial_domain::id::{ConnectionId, PlanId};
use perennial_domain::lifecycle::actions::Action;
use perennial_domain::lifecycle::billing::{
    BillingDraft, ChangeDraft, Collection, ParkReason, PaymentMethod, Quantity,
};
use perennial_domain::lifecycle::calendar::ZoneName;
use serde_json::{Value, json};

/// The members that only the service sets.
const COMPUTED: [&str; 7] = [
    "/billing/period_start",
    "/billing/paused_at",
    "/billing/discount",
    "/billing/overdue_invoices",
    "/billing/parked",
    "/billing/next_action",
    "/billing/next_action_at",
];

/// The fields of a create or an update. An update ignores the members that the service sets.
pub(super) fn draft(fields: &mut impl Fields, is_create: bool) -> Option<Option<Box<BillingDraft>>> {
    let about = "How the service bills the subscription. Null: other systems renew it. An update replaces the members \
                 that are sent.";
    fields.nullable_object("/billing", about, |fields| {
        let draft = BillingDraft {
            collection: fields.optional(
                "/billing/collection",
                "automatic: charge an invoice when it is issued, and retry. manual: the customer pays until it is due.",
            ),
            connection_id: fields.nullable(
                "/billing/connection_id",
                "The connection that charges each attempt. Null: your application charges and records the payments.",
            ),
            payment_method: payment_method(fields),
            time_zone: fields.optional(
                "/billing/time_zone",
                "The time zone of the calendar. Defaults to the organization's. It cannot be changed.",
            ),
            anchor_at: fields.optional(
                "/billing/anchor_at",
                "What periods are counted from. Defaults to the start, or the end of the trial. It cannot be changed.",
            ),
            trial_ends_at: fields.nullable(
                "/billing/trial_ends_at",
                "When the trial ends. Defaults to the plan's trial days after the start. Null: no trial.",
            ),
            resumes_at: fields.nullable("/billing/resumes_at", "When a paused subscription resumes."),
            change: change(fields),
            prorate: fields.optional(
                "/billing/prorate",
                "Whether a change that acts now bills and credits the rest of the period. Never returned.",
            ),
            coupon: fields
                .nullable::<CouponReference>(
                    "/billing/coupon",
                    "The ID or code of a coupon, which is redeemed. Null removes the discount. Never returned.",
                )
                .map(|sent| sent.map(|CouponReference(key)| key)),
        };
        for at in COMPUTED {
            if is_create {
                fields.read_only(at);
            } else {
                fields.ignored(at);
            }
        }
        Box::new(draft)
    })
}

/// An empty text is the same as null.
fn payment_method(fields: &mut impl Fields) -> Option<Option<PaymentMethod>> {
    let about = "What is charged, as your application or provider names it. An empty text is the same as null.";
    fields.nullable::<OptionalMethod>("/billing/payment_method", about).map(|sent| sent.and_then(|method| method.0))
}

struct OptionalMethod(Option<PaymentMethod>);

impl Field for OptionalMethod {
    fn read(
        json: crate::json::Json<'_>,
        at: &'static str,
        errors: &mut perennial_domain::validation::ValidationErrors,
    ) -> Option<Self> {
        match &json {
            crate::json::Json::Text(Some(text)) if text.is_empty() => Some(Self(None)),
            _ => PaymentMethod::read(json, at, errors).map(|method| Self(Some(method))),
        }
    }

    fn schema() -> Value {
        PaymentMethod::schema()
    }
}

fn change(fields: &mut impl Fields) -> Option<Option<ChangeDraft>> {
    let about = "What changes with the next period. It replaces the stored change as a whole.";
    fields.nullable_object("/billing/change", about, |fields| {
        let plan: Option<Option<PlanReference>> =
            fields.nullable("/billing/change/subscription_plan_id", "The plan from then on. Null: the same.");
        let quantity = fields.nullable("/billing/change/quantity", "The quantity from then on. Null: the same.");
        ChangeDraft { plan: plan.flatten().map(|plan| plan.0), quantity: quantity.flatten() }
    })
}

/// Billing in a response.
pub(super) fn definition() -> Value {
    let optional = |mut schema: Value| {
        schema["type"] = json!([schema["type"], "null"]);
        if let Some(Value::Array(words)) = schema.get_mut("enum") {
            words.push(Value::Null);
        }
        schema
    };
    let reasons: Vec<&str> = ParkReason::ALL.iter().map(|reason| reason.as_str()).collect();
    let zone = json!({ "type": "string", "description": ZoneName::schema()["description"] });
    schema::optional_record(&[
        ("collection", Collection::schema()),
        ("connection_id", optional(schema::id::<ConnectionId>())),
        ("payment_method", schema::optional_text()),
        ("time_zone", zone),
        ("anchor_at", schema::instant()),
        ("trial_ends_at", schema::optional_instant()),
        ("resumes_at", schema::optional_instant()),
        (
            "change",
            schema::optional_record(&[
                ("subscription_plan_id", optional(schema::id::<PlanId>())),
                ("quantity", optional(Quantity::schema())),
            ]),
        ),
        ("period_start", schema::optional_instant()),
        ("paused_at", schema::optional_instant()),
        ("discount", discount()),
        ("overdue_invoices", json!({ "type": "integer", "minimum": 0 })),
        ("parked", schema::optional_record(&[("at", schema::instant()), ("reason", schema::words(&reasons))])),
        ("next_action", optional(schema::words(&Action::ALL.map(Action::as_str)))),
        ("next_action_at", schema::optional_instant()),
    ])
}

fn discount() -> Value {
    schema::optional_record(&[
        ("coupon_id", json!({ "type": "string" })),
        ("periods_left", json!({ "type": ["integer", "null"] })),
    ])
}
