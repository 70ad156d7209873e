//! `/coupons`: discounts that a code redeems.

use crate::access::Access;
use crate::call::Call;
use crate::dry_run;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::headers::etag_with;
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Query, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::coupons;
use perennial_app::error::Error;
use perennial_app::use_cases;
use perennial_domain::clients::Scope;
use perennial_domain::coupons::{Coupon, CouponCode, CouponDraft, CouponPercent, Duration, MaxRedemptions, Periods};
use perennial_domain::currency::Currency;
use perennial_domain::id::{CouponId, PlanId};
use perennial_domain::money::Money;
use perennial_domain::time::Time;
use serde_json::{Value, json};

const COLLECTION: &str = "/coupons";
const MEMBER: &str = "/coupons/{id}";
const DEFAULT_LIMIT: usize = 50;
const TAG: &str = "Coupons";

pub(crate) static COUPON: Schema =
    Schema { name: "Coupon", definition: record_schema, example: || samples::json(sample()), refers_to: &[] };

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listCoupons",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List coupons",
        description: "Newest first.",
        access: Access::Scope(Scope::PlansRead),
        query: QuerySpec {
            parameters: &[list_query::limit::<DEFAULT_LIMIT>(), list_query::CURSOR],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&COUPON),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createCoupon",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create a coupon",
        description: "Send `percent`, or `amount` and `currency`. With an `Idempotency-Key`, a retry returns the response of the first request.",
        access: Access::Scope(Scope::PlansWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::Created(&COUPON),
        errors: &[Code::CouponCodeTaken],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readCoupon",
        method: Method::GET,
        path: MEMBER,
        tag: TAG,
        summary: "Read a coupon",
        description: "",
        access: Access::Scope(Scope::PlansRead),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&COUPON),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updateCoupon",
        method: Method::PUT,
        path: MEMBER,
        tag: TAG,
        summary: "Update a coupon",
        description: "Only `is_active` can change. An inactive coupon cannot be redeemed; subscriptions that redeemed it keep their discount.",
        access: Access::Scope(Scope::PlansWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: || json!({ "is_active": false }),
        }),
        response: ResponseKind::Record(&COUPON),
        errors: &[Code::Contended],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
];

fn parse_list_query(query: &mut Query) -> ListQuery<()> {
    ListQuery::parse(query, (), DEFAULT_LIMIT)
}

async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { limit, cursor, .. } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let (coupons, next) = coupons::list(call.app, &call.caller, cursor.as_deref(), limit).await?;
    Ok(Reply::list(&coupons, next.as_deref(), limit))
}

async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let (body, key) = call.keyed_body().await?;
    let (draft, errors) = body.read(|fields| draft(fields));
    let (is_dry_run, tried) = (call.caller.is_dry_run, call.caller.tried.clone());
    let render = |made: &Coupon| if is_dry_run { dry_run::unstored(made, &tried) } else { created_response(made) };
    let stored = use_cases::create::<Coupon>(call.app, &call.caller, key.as_ref(), draft, errors, render).await?;
    Ok(dry_run::created(&call, stored))
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let found = coupons::read(call.app, &call.caller, id(&call)?).await?;
    Ok(record(&found))
}

async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |stored: &Coupon| body.read(|fields| patch(fields, Some(stored)));
    let updated = use_cases::update::<Coupon>(call.app, &call.caller, &id(&call)?, &if_match, read).await?;
    Ok(if call.caller.is_dry_run { dry_run::reply(&call, &updated) } else { record(&updated) })
}

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> CouponDraft {
    let draft = CouponDraft {
        code: fields.required("/code", "The code, unique in the organization in upper or lower case."),
        percent: fields.nullable("/percent", "The percentage that is taken off, with at most 2 decimals.").flatten(),
        amount: fields.nullable("/amount", "The amount that is taken off each period.").flatten(),
        currency: fields.nullable("/currency", "The currency of the amount.").flatten(),
        duration: fields.required("/duration", "How long the coupon discounts."),
        periods: fields.nullable("/periods", "The number of periods, with the duration `repeating` only.").flatten(),
        plan_ids: fields.optional("/plan_ids", "The plans that the coupon discounts. Empty for all."),
        redeem_by: fields.nullable("/redeem_by", "The last instant at which it can be redeemed.").flatten(),
        max_redemptions: fields.nullable("/max_redemptions", "How often it can be redeemed.").flatten(),
        is_active: is_active(fields),
    };
    for at in ["/id", "/redemptions", "/created_at", "/updated_at"] {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back unchanged.
fn patch(fields: &mut impl Fields, stored: Option<&Coupon>) -> CouponDraft {
    let patch = CouponDraft { is_active: is_active(fields), ..CouponDraft::default() };
    fields.unchanged::<CouponId>("/id", stored.map(|stored| &stored.id));
    fields.unchanged::<CouponCode>("/code", stored.map(|stored| &stored.code));
    fields.unchanged_or_null::<CouponPercent>("/percent", stored.map(|stored| stored.percent.as_ref()));
    fields.unchanged_or_null::<Money>("/amount", stored.map(|stored| stored.amount.as_ref()));
    fields.unchanged_or_null::<Currency>("/currency", stored.map(|stored| stored.currency.as_ref()));
    fields.unchanged::<Duration>("/duration", stored.map(|stored| &stored.duration));
    fields.unchanged_or_null::<Periods>("/periods", stored.map(|stored| stored.periods.as_ref()));
    fields.unchanged::<Vec<PlanId>>("/plan_ids", stored.map(|stored| &stored.plan_ids));
    fields.unchanged_or_null::<Time>("/redeem_by", stored.map(|stored| stored.redeem_by.as_ref()));
    let limit = stored.map(|stored| stored.max_redemptions.as_ref());
    fields.unchanged_or_null::<MaxRedemptions>("/max_redemptions", limit);
    // Another redemption may have been counted since the caller read the record.
    fields.ignored("/redemptions");
    fields.unchanged::<Time>("/created_at", stored.map(|stored| &stored.created_at));
    fields.ignored("/updated_at");
    patch
}

fn is_active(fields: &mut impl Fields) -> Option<bool> {
    fields.optional("/is_active", "Whether the coupon can be redeemed. True by default.")
}

fn record_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<CouponId>()),
        ("code", json!({ "type": "string" })),
        ("percent", json!({ "type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 100 })),
        ("amount", json!({ "type": ["number", "null"], "exclusiveMinimum": 0 })),
        ("currency", json!({ "type": ["string", "null"], "pattern": "^[A-Z]{3}$" })),
        ("duration", schema::id::<Duration>()),
        ("periods", json!({ "type": ["integer", "null"], "minimum": 1, "maximum": 120 })),
        ("plan_ids", json!({ "type": "array", "items": schema::id::<PlanId>() })),
        ("redeem_by", schema::optional_instant()),
        ("max_redemptions", json!({ "type": ["integer", "null"], "minimum": 1 })),
        ("redemptions", json!({ "type": "integer", "minimum": 0 })),
        ("is_active", schema::boolean()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

/// The record that the example of a create makes.
pub(crate) fn sample() -> Coupon {
    let (draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let id = CouponId::from_bytes(samples::ID);
    Coupon::create(draft, errors, samples::organization().id, id, samples::REVISION, samples::now())
        .expect("the example is valid")
}

fn created_response(coupon: &Coupon) -> StoredResponse {
    let response = created(coupon, format!("{COLLECTION}/{}", coupon.id), coupon.revision, None);
    StoredResponse { etag: etag_with(coupon.revision, 0), ..response }
}

fn record(found: &Coupon) -> Reply {
    Reply::record(found, etag_with(found.revision, found.redemptions.unsigned_abs()))
}

fn id(call: &Call<'_>) -> Result<CouponId, Problem> {
    call.path_parameter(0).parse().map_err(|_| Error::NotFound.into())
}

fn create_example() -> Value {
    json!({ "code": "SPRING-25", "percent": 25, "duration": "repeating", "periods": 3, "max_redemptions": 100 })
}
