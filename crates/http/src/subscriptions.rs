//! `/subscriptions`: who has bought what, and whether they may use it.

use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::{External, Fields, PlanReference, SchemaWriter};
use crate::filters::{self, boolean, limit, schema};
use crate::headers::etag;
use crate::operation::{Access, Answers, Endpoint, Operation, Parameter};
use crate::problem::Problem;
use crate::reply::{Reply, created};
use http::Method;
use perennial_app::error::Error;
use perennial_app::subscriptions::{self, Query, Range, Sort};
use perennial_domain::clients::Scope;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{PlanId, SubscriptionId, UserId};
use perennial_domain::plans::PlanKey;
use perennial_domain::subscriptions::{ExternalSubscriptionId, Subscription, SubscriptionDraft, SubscriptionStatus};
use perennial_domain::time::Time;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use serde::Serialize;
use serde_json::{Value, json};

const COLLECTION: &str = "/subscriptions";
const DEFAULT_LIMIT: usize = 50;
const TAG: &str = "Subscriptions";

pub(crate) static LIST: Operation = Operation {
    endpoint: Endpoint::ListSubscriptions,
    method: Method::GET,
    path: COLLECTION,
    id: "listSubscriptions",
    tag: TAG,
    summary: "List subscriptions",
    about: "Newest first unless asked otherwise. A page under a rare filter may be short and still have more.",
    access: Access::Own(Scope::SubscriptionsRead, Scope::SubscriptionsReadOwn),
    query: &[
        Parameter { name: "user_id", about: "Subscriptions of this user.", schema: schema::id::<UserId> },
        Parameter {
            name: "subscription_plan_id",
            about: "Subscriptions of this plan, by id or slug.",
            schema: schema::text,
        },
        Parameter {
            name: "status",
            about: "One status, or several separated by commas; aliases are read too.",
            schema: schema::text,
        },
        Parameter { name: "is_active", about: "Active or inactive ones only.", schema: schema::boolean },
        Parameter { name: "billing_cycle", about: "Those that bill so; aliases are read too.", schema: schema::cycle },
        Parameter { name: "external_subscription_id", about: "The one with this external id.", schema: schema::text },
        Parameter { name: "created_after", about: "Created at this instant or later.", schema: schema::instant },
        Parameter { name: "created_before", about: "Created before this instant.", schema: schema::instant },
        Parameter { name: "renews_after", about: "Renewing at this instant or later.", schema: schema::instant },
        Parameter { name: "renews_before", about: "Renewing before this instant.", schema: schema::instant },
        Parameter { name: "ends_after", about: "Ending at this instant or later.", schema: schema::instant },
        Parameter { name: "ends_before", about: "Ending before this instant.", schema: schema::instant },
        Parameter {
            name: "sort",
            about: "The order; a - before the name turns it round. Those without the instant come last.",
            schema: || filters::sort_schema(&["created_at", "renews_at", "ends_at"], "-created_at"),
        },
        Parameter {
            name: "limit",
            about: "The most subscriptions on a page.",
            schema: || schema::limit(DEFAULT_LIMIT),
        },
        Parameter { name: "cursor", about: "`next_cursor` of the page before.", schema: schema::cursor },
    ],
    takes: None,
    example: None,
    answers: Answers::List("Subscription"),
    refuses: &[Code::InvalidCursor],
};

pub(crate) static CREATE: Operation = Operation {
    endpoint: Endpoint::CreateSubscription,
    method: Method::POST,
    path: COLLECTION,
    id: "createSubscription",
    tag: TAG,
    summary: "Create a subscription",
    about: "With an `Idempotency-Key` a retry answers what the first request did.",
    access: Access::Scope(Scope::SubscriptionsWrite),
    query: &[],
    takes: Some(|| {
        let mut writer = SchemaWriter::default();
        draft(&mut writer);
        writer.finish()
    }),
    example: Some(|| {
        json!({
            "user_id": "usr_01h455vb4pex5vsknk084sn02q", "subscription_plan_id": "pro-monthly",
            "external_subscription_id": "sub_1OaBcD", "billing_cycle": "monthly", "status": "active", "is_active": true,
            "starts_at": "2026-01-31T09:30:00Z", "renews_at": "2026-02-28T09:30:00Z", "ends_at": null
        })
    }),
    answers: Answers::Created("Subscription"),
    refuses: &[Code::PlanInactive, Code::ExternalIdTaken, Code::Contended],
};

pub(crate) static READ: Operation = Operation {
    endpoint: Endpoint::ReadSubscription,
    method: Method::GET,
    path: "/subscriptions/{id}",
    id: "readSubscription",
    tag: TAG,
    summary: "Read a subscription",
    about: "`has_access` says whether the user may use the plan at this moment.",
    access: Access::Own(Scope::SubscriptionsRead, Scope::SubscriptionsReadOwn),
    query: &[],
    takes: None,
    example: None,
    answers: Answers::Record("Subscription"),
    refuses: &[],
};

pub(crate) static UPDATE: Operation = Operation {
    endpoint: Endpoint::UpdateSubscription,
    method: Method::PUT,
    path: "/subscriptions/{id}",
    id: "updateSubscription",
    tag: TAG,
    summary: "Update a subscription",
    about: "Merges: what is left out stays as it is, a null clears what can be empty.",
    access: Access::Scope(Scope::SubscriptionsWrite),
    query: &[],
    takes: Some(|| {
        let mut writer = SchemaWriter::default();
        patch(&mut writer, None);
        writer.finish()
    }),
    example: Some(|| json!({ "status": "cancelled" })),
    answers: Answers::Record("Subscription"),
    refuses: &[Code::PlanInactive, Code::ExternalIdTaken, Code::InvalidTransition, Code::Contended],
};

pub(crate) static DELETE: Operation = Operation {
    endpoint: Endpoint::DeleteSubscription,
    method: Method::DELETE,
    path: "/subscriptions/{id}",
    id: "deleteSubscription",
    tag: TAG,
    summary: "Delete a subscription",
    about: "Answers the subscription as it was. Its payments stay.",
    access: Access::Scope(Scope::SubscriptionsWrite),
    query: &[],
    takes: None,
    example: None,
    answers: Answers::Record("Subscription"),
    refuses: &[Code::Contended],
};

pub(crate) async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let Wanted { query, plan, limit, cursor } = wanted(&mut call.query);
    call.no_body().await?;
    let (found, next) =
        subscriptions::list(call.app, &call.caller, plan.as_ref(), query, cursor.as_deref(), limit).await?;
    let now = call.app.clock.now();
    let views: Vec<SubscriptionView<'_>> =
        found.iter().map(|subscription| SubscriptionView::at(subscription, now)).collect();
    Ok(Reply::list(&views, next.as_deref(), limit))
}

/// What a list was asked for.
pub(crate) struct Wanted {
    query: Query,
    plan: Option<PlanKey>,
    limit: usize,
    cursor: Option<String>,
}

/// Reads the parameters of a list.
pub(crate) fn wanted(query: &mut crate::query::Query) -> Wanted {
    let sort = query.get("sort", |text| {
        filters::sort(text, &[("created_at", Sort::Created), ("renews_at", Sort::Renews), ("ends_at", Sort::Ends)])
    });
    let (sort, descending) = sort.unwrap_or((Sort::Created, true));
    let plan = query.get("subscription_plan_id", |text| {
        PlanKey::parse(text)
            .ok_or_else(|| InvalidValue::new(ValidationCode::InvalidFormat, "must be a plan's id or slug"))
    });
    let wanted = Query {
        user_id: query.get("user_id", |text| {
            text.parse().map_err(|_| InvalidValue::new(ValidationCode::InvalidFormat, "must be a user's id"))
        }),
        plan_id: None,
        statuses: query.get("status", statuses).unwrap_or_default(),
        is_active: query.get("is_active", boolean),
        billing_cycle: query.get("billing_cycle", BillingCycle::parse),
        external_id: query.get("external_subscription_id", |text| {
            ExternalSubscriptionId::parse(text).map(|id| id.as_str().to_owned())
        }),
        created: Range {
            after: query.get("created_after", Time::parse),
            before: query.get("created_before", Time::parse),
        },
        renews: Range {
            after: query.get("renews_after", Time::parse),
            before: query.get("renews_before", Time::parse),
        },
        ends: Range { after: query.get("ends_after", Time::parse), before: query.get("ends_before", Time::parse) },
        sort,
        descending,
    };
    Wanted {
        query: wanted,
        plan,
        limit: query.get("limit", limit).unwrap_or(DEFAULT_LIMIT),
        cursor: query.get("cursor", |text| Ok(text.to_owned())),
    }
}

pub(crate) async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    let (body, key) = call.keyed_body().await?;
    let (draft, faults) = body.read(|fields| draft(fields));
    let now = call.app.clock.now();
    let told = |subscription: &Subscription| {
        let location = format!("{COLLECTION}/{}", subscription.id);
        let view = SubscriptionView::at(subscription, now.max(subscription.created_at));
        let has_access = view.has_access;
        created(view, location, subscription.revision, Some(has_access))
    };
    let answer = subscriptions::create(call.app, &call.caller, key.as_ref(), draft, faults, told).await?;
    Ok(Reply::answer(answer))
}

pub(crate) async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let subscription = subscriptions::read(call.app, &call.caller, id(&call.parameter)?).await?;
    Ok(record(&subscription, call.app.clock.now()))
}

pub(crate) async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |subscription: &Subscription| body.read(|fields| patch(fields, Some(subscription)));
    let subscription = subscriptions::update(call.app, &call.caller, id(&call.parameter)?, &if_match, read).await?;
    Ok(record(&subscription, call.app.clock.now()))
}

pub(crate) async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    call.no_body().await?;
    let subscription = subscriptions::delete(call.app, &call.caller, id(&call.parameter)?, &if_match).await?;
    Ok(record(&subscription, call.app.clock.now()))
}

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> SubscriptionDraft {
    let draft = SubscriptionDraft {
        user_id: fields.required("/user_id", "The user who subscribes."),
        plan: fields.required::<PlanReference>("/subscription_plan_id", "The plan subscribed to.").map(|plan| plan.0),
        ..common(fields)
    };
    for at in ["/id", "/has_access", "/created_at", "/updated_at"] {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back as they stand.
pub(crate) fn patch(fields: &mut impl Fields, subscription: Option<&Subscription>) -> SubscriptionDraft {
    let patch = SubscriptionDraft {
        user_id: fields.optional("/user_id", "The user who subscribes."),
        plan: fields.optional::<PlanReference>("/subscription_plan_id", "The plan subscribed to.").map(|plan| plan.0),
        ..common(fields)
    };
    fields.unchanged::<SubscriptionId>("/id", subscription.map(|subscription| &subscription.id));
    fields.unchanged::<Time>("/created_at", subscription.map(|subscription| &subscription.created_at));
    fields.ignored("/has_access");
    fields.ignored("/updated_at");
    patch
}

/// The fields that a create and an update read alike.
fn common(fields: &mut impl Fields) -> SubscriptionDraft {
    SubscriptionDraft {
        external_subscription_id: fields
            .nullable::<External<255>>("/external_subscription_id", "Its id in another system; the empty text is none.")
            .map(|sent| sent.and_then(|external| external.0)),
        billing_cycle: fields.optional("/billing_cycle", "How often it bills; the plan's cycle unless given."),
        status: fields.optional("/status", "Where it stands."),
        is_active: fields.optional("/is_active", "Whether it counts; by its status unless given."),
        renews_at: fields.nullable("/renews_at", "When it renews; one cycle after the start unless given."),
        starts_at: fields.optional("/starts_at", "When it starts; now unless given."),
        ends_at: fields.nullable("/ends_at", "When it ends."),
        ..SubscriptionDraft::default()
    }
}

/// A subscription as it is answered: the record and the access it gives at this moment.
#[derive(Serialize)]
pub(crate) struct SubscriptionView<'a> {
    id: SubscriptionId,
    user_id: UserId,
    subscription_plan_id: PlanId,
    external_subscription_id: Option<&'a ExternalSubscriptionId>,
    billing_cycle: BillingCycle,
    status: SubscriptionStatus,
    is_active: bool,
    has_access: bool,
    renews_at: Option<Time>,
    starts_at: Time,
    ends_at: Option<Time>,
    created_at: Time,
    updated_at: Time,
}

impl<'a> SubscriptionView<'a> {
    pub(crate) fn at(subscription: &'a Subscription, now: Time) -> Self {
        Self {
            id: subscription.id,
            user_id: subscription.user_id,
            subscription_plan_id: subscription.plan_id,
            external_subscription_id: subscription.external_subscription_id.as_ref(),
            billing_cycle: subscription.billing_cycle,
            status: subscription.status,
            is_active: subscription.is_active,
            has_access: subscription.has_access(now),
            renews_at: subscription.renews_at,
            starts_at: subscription.starts_at,
            ends_at: subscription.ends_at,
            created_at: subscription.created_at,
            updated_at: subscription.updated_at,
        }
    }
}

/// The schema of the record.
pub(crate) fn record_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<SubscriptionId>()),
        ("user_id", schema::id::<UserId>()),
        ("subscription_plan_id", schema::id::<PlanId>()),
        ("external_subscription_id", json!({ "type": ["string", "null"] })),
        ("billing_cycle", schema::words(&BillingCycle::ALL.map(BillingCycle::as_str))),
        ("status", schema::words(&SubscriptionStatus::ALL.map(SubscriptionStatus::as_str))),
        ("is_active", json!({ "type": "boolean" })),
        ("has_access", json!({ "type": "boolean" })),
        ("renews_at", schema::optional_instant()),
        ("starts_at", schema::instant()),
        ("ends_at", schema::optional_instant()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

/// A record as it may be answered.
pub(crate) fn record_example() -> Value {
    json!({
        "id": "sub_01h455vb4pex5vsknk084sn02q", "user_id": "usr_01h455vb4pex5vsknk084sn02q",
        "subscription_plan_id": "plan_01h455vb4pex5vsknk084sn02q", "external_subscription_id": "sub_1OaBcD",
        "billing_cycle": "monthly", "status": "active", "is_active": true, "has_access": true,
        "renews_at": "2026-02-28T09:30:00.000000Z", "starts_at": "2026-01-31T09:30:00.000000Z", "ends_at": null,
        "created_at": "2026-01-31T09:30:00.000000Z", "updated_at": "2026-01-31T09:30:00.000000Z"
    })
}

fn record(subscription: &Subscription, now: Time) -> Reply {
    let view = SubscriptionView::at(subscription, now);
    let etag = etag(subscription.revision, Some(view.has_access));
    Reply::record(view, etag)
}

fn statuses(text: &str) -> Result<Vec<SubscriptionStatus>, InvalidValue> {
    text.split(',').map(SubscriptionStatus::parse).collect()
}

fn id(parameter: &str) -> Result<SubscriptionId, Problem> {
    parameter.parse().map_err(|_| Error::NotFound.into())
}
