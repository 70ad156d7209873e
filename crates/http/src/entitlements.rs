//! `/users/{id}/entitlements`: what a user has now.

use crate::access::Access;
use crate::billing_profiles::user;
use crate::call::Call;
use crate::features::{self, TAG};
use crate::fields::Field;
use crate::filters;
use crate::operation::{Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::entitlements;
use perennial_domain::clients::Scope;
use perennial_domain::entitlements::{
    Check, Entitlement, GrantValue, MAX_VALUE, Reason, Remaining, Source, UserEntitlements,
};
use perennial_domain::features::{FeatureKey, FeatureKind};
use perennial_domain::id::{SubscriptionId, UserId};
use perennial_domain::usage::Quantity;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use serde_json::{Value, json};

static ENTITLEMENTS: Schema = Schema {
    name: "UserEntitlements",
    definition: entitlements_schema,
    example: || samples::json(sample()),
    refers_to: &[],
};

static CHECK: Schema = Schema {
    name: "EntitlementCheck",
    definition: check_schema,
    example: || samples::json(check_sample()),
    refers_to: &[],
};

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "readEntitlements",
        method: Method::GET,
        path: "/users/{id}/entitlements",
        tag: TAG,
        summary: "Read the entitlements of a user",
        description: "What the user has now, from the subscriptions with access that the user owns or is a member of: at most \
                      200, newest first, of the newest 1,000; `truncated` is true if there are more. The answer changes at \
                      `valid_until` by the clock alone. With a user's token, `me` is the user.",
        access: Access::Own(Scope::EntitlementsRead, Scope::EntitlementsReadOwn),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&ENTITLEMENTS),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "checkEntitlement",
        method: Method::GET,
        path: "/users/{id}/entitlements/{feature_key}",
        tag: TAG,
        summary: "Check one feature of a user",
        description: "Whether the user may use this much of a feature now, and if not, why. The status is 200 either way.",
        access: Access::Own(Scope::EntitlementsRead, Scope::EntitlementsReadOwn),
        query: QuerySpec {
            parameters: &[Parameter {
                name: "need",
                description: "How much is needed of a limit or quota.",
                schema: || json!({ "type": "integer", "minimum": 1, "maximum": MAX_VALUE, "default": 1 }),
            }],
            parse: |query| {
                parse_need(query);
            },
        },
        body: None,
        response: ResponseKind::Record(&CHECK),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(check(call))),
    },
];

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let found = entitlements::read(call.app, &call.caller, user(&call)?).await?;
    Ok(Reply::computed(&found))
}

async fn check(mut call: Call<'_>) -> Result<Reply, Problem> {
    let need = parse_need(&mut call.query);
    call.no_body().await?;
    let (user, feature) = (user(&call)?, features::named(&call.path_parameter(1))?);
    let found = entitlements::check(call.app, &call.caller, user, &feature, need).await?;
    Ok(Reply::computed(&found))
}

fn parse_need(query: &mut Query) -> i64 {
    let at_least_1 = |text: &str| {
        let wrong =
            || InvalidValue::new(ValidationCode::OutOfRange, format!("must be a whole number from 1 to {MAX_VALUE}"));
        filters::whole(text, MAX_VALUE).ok().filter(|need| *need >= 1).ok_or_else(wrong)
    };
    query.get("need", at_least_1).unwrap_or(1)
}

/// The grants of a plan or a subscription in a response.
pub(crate) fn grants_schema() -> Value {
    json!({ "type": "object", "additionalProperties": value_schema() })
}

/// The value of a feature.
fn value_schema() -> Value {
    json!({ "type": ["boolean", "integer", "string"], "minimum": 0, "maximum": MAX_VALUE, "pattern": "^unlimited$" })
}

/// What is left of a quota.
fn remaining_schema() -> Value {
    json!({ "type": ["number", "string", "null"], "minimum": 0, "pattern": "^unlimited$" })
}

fn optional_number() -> Value {
    json!({ "type": ["number", "null"] })
}

fn entitlements_schema() -> Value {
    let source = schema::record(&[
        ("subscription_id", schema::id::<SubscriptionId>()),
        ("value", value_schema()),
        ("used", optional_number()),
    ]);
    let entitlement = schema::record(&[
        ("kind", FeatureKind::schema()),
        ("value", value_schema()),
        ("used", optional_number()),
        ("remaining", remaining_schema()),
        ("resets_at", schema::optional_instant()),
        ("sources", json!({ "type": "array", "items": source })),
    ]);
    schema::record(&[
        ("user_id", schema::id::<UserId>()),
        ("valid_until", schema::optional_instant()),
        ("truncated", schema::boolean()),
        ("entitlements", json!({ "type": "object", "additionalProperties": entitlement })),
    ])
}

fn check_schema() -> Value {
    let mut value = value_schema();
    value["type"] = json!(["boolean", "integer", "string", "null"]);
    let reasons: Vec<Value> = Reason::ALL.iter().map(|reason| json!(reason)).chain([Value::Null]).collect();
    schema::record(&[
        ("user_id", schema::id::<UserId>()),
        ("feature", json!({ "type": "string" })),
        ("kind", FeatureKind::schema()),
        ("allowed", schema::boolean()),
        ("value", value),
        ("used", optional_number()),
        ("remaining", remaining_schema()),
        ("resets_at", schema::optional_instant()),
        ("need", json!({ "type": "integer", "minimum": 1 })),
        ("reason", json!({ "type": ["string", "null"], "enum": reasons })),
        ("valid_until", schema::optional_instant()),
    ])
}

fn quota_sample() -> Entitlement {
    let used = Some(Quantity::from_millionths(12_000_000));
    let value = GrantValue::Number(100);
    Entitlement {
        kind: FeatureKind::Quota,
        value,
        used,
        remaining: Some(Remaining::Amount(Quantity::from_millionths(88_000_000))),
        resets_at: Some(samples::now().plus_seconds(86_400)),
        sources: vec![Source { subscription_id: SubscriptionId::from_bytes(samples::ID), value, used }],
    }
}

fn sample() -> UserEntitlements {
    let key = FeatureKey::from_stored("api-calls".to_owned());
    UserEntitlements {
        user_id: UserId::from_bytes(samples::ID),
        valid_until: Some(samples::now().plus_seconds(86_400)),
        truncated: false,
        entitlements: [(key, quota_sample())].into(),
    }
}

fn check_sample() -> Check {
    let quota = quota_sample();
    Check {
        user_id: UserId::from_bytes(samples::ID),
        feature: FeatureKey::from_stored("api-calls".to_owned()),
        kind: quota.kind,
        allowed: true,
        value: Some(quota.value),
        used: quota.used,
        remaining: quota.remaining,
        resets_at: quota.resets_at,
        need: 1,
        reason: None,
        valid_until: quota.resets_at,
    }
}
