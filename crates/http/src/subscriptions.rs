//! `/subscriptions`: the plans that users have subscribed to, and whether they have access.

use crate::access::Access;
use crate::call::Call;
use crate::dry_run;
use crate::error_codes::Code;
use crate::fields::{External, Fields, PlanReference};
use crate::filters::{self, boolean};
use crate::headers::etag;
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::plans;
use crate::problem::Problem;
use crate::query::{Parameter, QuerySpec};
use crate::reply::{Reply, created};
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::error::Error;
use perennial_app::subscriptions::{self, Query, Range, Sort};
use perennial_app::use_cases;
use perennial_domain::clients::Scope;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{ConnectionId, SubscriptionId, UserId};
use perennial_domain::lifecycle::Known;
use perennial_domain::lifecycle::billing::{BillingDraft, PaymentMethod};
use perennial_domain::plans::PlanKey;
use perennial_domain::subscriptions::{
    ExternalSubscriptionId, Subscription, SubscriptionDetails, SubscriptionDraft, SubscriptionStatus,
};
use perennial_domain::time::Time;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use serde_json::{Value, json};

mod billing;
mod forecast;
mod view;

pub(crate) use view::SubscriptionView;

const COLLECTION: &str = "/subscriptions";
const DEFAULT_LIMIT: usize = 50;
pub(crate) const TAG: &str = "Subscriptions";

pub(crate) static SUBSCRIPTION: Schema = Schema {
    name: "Subscription",
    definition: view::definition,
    example: || samples::json(SubscriptionView::at(&sample(), samples::now())),
    refers_to: &[],
};

const SORTS: &[(&str, Sort)] = &[("created_at", Sort::Created), ("renews_at", Sort::Renews), ("ends_at", Sort::Ends)];

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listSubscriptions",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List subscriptions",
        description: "Returns the newest subscriptions first by default. With a filter that few records match, a page may be \
                      short although more pages follow.",
        access: Access::Own(Scope::SubscriptionsRead, Scope::SubscriptionsReadOwn),
        query: QuerySpec {
            parameters: &[
                Parameter { name: "user_id", description: "Subscriptions of this user.", schema: schema::id::<UserId> },
                Parameter {
                    name: "subscription_plan_id",
                    description: "Subscriptions of this plan (ID or slug).",
                    schema: schema::text,
                },
                Parameter {
                    name: "status",
                    description: "One status, or several separated by commas. Aliases are accepted.",
                    schema: schema::text,
                },
                Parameter {
                    name: "is_active",
                    description: "Only active or only inactive subscriptions.",
                    schema: schema::boolean,
                },
                Parameter {
                    name: "billing_cycle",
                    description: "Subscriptions with this billing cycle. Aliases are accepted.",
                    schema: schema::cycle,
                },
                Parameter {
                    name: "external_subscription_id",
                    description: "The subscription with this external ID.",
                    schema: schema::text,
                },
                list_query::CREATED_AFTER,
                list_query::CREATED_BEFORE,
                Parameter {
                    name: "renews_after",
                    description: "Renewing at or after this time.",
                    schema: schema::instant,
                },
                Parameter { name: "renews_before", description: "Renewing before this time.", schema: schema::instant },
                Parameter { name: "ends_after", description: "Ending at or after this time.", schema: schema::instant },
                Parameter { name: "ends_before", description: "Ending before this time.", schema: schema::instant },
                Parameter {
                    name: "sort",
                    description: "The sort order. Prefix with `-` for descending order. Subscriptions without the time come last.",
                    schema: || filters::sort_schema(SORTS, "-created_at"),
                },
                list_query::limit::<DEFAULT_LIMIT>(),
                list_query::CURSOR,
            ],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&SUBSCRIPTION),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createSubscription",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create a subscription",
        description: "With an `Idempotency-Key`, a retry returns the response of the first request.",
        access: Access::Scope(Scope::SubscriptionsWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::Created(&SUBSCRIPTION),
        errors: &[
            Code::PlanInactive,
            Code::ExternalIdTaken,
            Code::ManagedStatus,
            Code::CollectingDisabled,
            Code::Contended,
        ],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readSubscription",
        method: Method::GET,
        path: "/subscriptions/{id}",
        tag: TAG,
        summary: "Read a subscription",
        description: "`has_access` is whether the user may use the plan now.",
        access: Access::Own(Scope::SubscriptionsRead, Scope::SubscriptionsReadOwn),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&SUBSCRIPTION),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updateSubscription",
        method: Method::PUT,
        path: "/subscriptions/{id}",
        tag: TAG,
        summary: "Update a subscription",
        description: "Updates the fields that are sent; omitted fields do not change. A null clears an optional field.",
        access: Access::Scope(Scope::SubscriptionsWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: update_example,
        }),
        response: ResponseKind::Record(&SUBSCRIPTION),
        errors: &[
            Code::PlanInactive,
            Code::ExternalIdTaken,
            Code::InvalidTransition,
            Code::ManagedStatus,
            Code::CollectingDisabled,
            Code::ChangeNotAllowed,
            Code::TooManyChanges,
            Code::LifecycleBehind,
            Code::Contended,
            Code::ProviderManaged,
        ],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
    Operation {
        id: "deleteSubscription",
        method: Method::DELETE,
        path: "/subscriptions/{id}",
        tag: TAG,
        summary: "Delete a subscription",
        description: "Returns the deleted subscription. Its payments are not deleted.",
        access: Access::Scope(Scope::SubscriptionsWrite),
        query: dry_run::QUERY,
        body: None,
        response: ResponseKind::Record(&SUBSCRIPTION),
        errors: &[Code::LifecycleBehind, Code::Contended, Code::ProviderManaged],
        handler: Handler::Write(|call| Box::pin(delete(call))),
    },
    forecast::OPERATION,
];

pub(crate) async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { filters: (query, plan), limit, cursor } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let (found, next) =
        subscriptions::list(call.app, &call.caller, plan.as_ref(), query, cursor.as_deref(), limit).await?;
    let now = call.now().await?;
    let views: Vec<SubscriptionView<'_>> =
        found.iter().map(|subscription| SubscriptionView::at(subscription, now)).collect();
    Ok(Reply::list(&views, next.as_deref(), limit))
}

/// Parses the parameters of a list.
pub(crate) fn parse_list_query(query: &mut crate::query::Query) -> ListQuery<(Query, Option<PlanKey>)> {
    let sort = query.get("sort", |text| filters::sort(text, SORTS));
    let (sort, descending) = sort.unwrap_or((Sort::Created, true));
    let plan = query.get("subscription_plan_id", |text| {
        PlanKey::parse(text)
            .ok_or_else(|| InvalidValue::new(ValidationCode::InvalidFormat, "must be the ID or slug of a plan"))
    });
    let filters = Query {
        user_id: query.get("user_id", |text| {
            text.parse().map_err(|_| InvalidValue::new(ValidationCode::InvalidFormat, "must be the ID of a user"))
        }),
        plan_id: None,
        statuses: query.get("status", statuses).unwrap_or_default(),
        is_active: query.get("is_active", boolean),
        billing_cycle: query.get("billing_cycle", BillingCycle::parse),
        external_id: query.get("external_subscription_id", |text| {
            ExternalSubscriptionId::parse(text).map(|id| id.as_str().to_owned())
        }),
        created: list_query::created(query),
        renews: Range {
            after: query.get("renews_after", Time::parse),
            before: query.get("renews_before", Time::parse),
        },
        ends: Range { after: query.get("ends_after", Time::parse), before: query.get("ends_before", Time::parse) },
        sort,
        descending,
    };
    ListQuery::parse(query, (filters, plan), DEFAULT_LIMIT)
}

pub(crate) async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let (body, key) = call.keyed_body().await?;
    let (draft, errors) = body.read(|fields| draft(fields));
    let (now, is_dry_run) = (call.now().await?, call.caller.is_dry_run);
    let tried = call.caller.tried.clone();
    let render = |subscription: &Subscription| {
        let location = format!("{COLLECTION}/{}", subscription.id);
        let view = SubscriptionView::at(subscription, now.max(subscription.created_at));
        if is_dry_run {
            return dry_run::unstored(view, &tried);
        }
        let has_access = view.has_access;
        created(view, location, subscription.revision, Some(has_access))
    };
    let stored = use_cases::create::<Subscription>(call.app, &call.caller, key.as_ref(), draft, errors, render).await?;
    Ok(dry_run::created(&call, stored))
}

pub(crate) async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let subscription = subscriptions::read(call.app, &call.caller, id(&call.path_parameter(0))?).await?;
    Ok(record(&subscription, call.now().await?))
}

pub(crate) async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |subscription: &Subscription| body.read(|fields| patch(fields, Some(subscription)));
    let subscription =
        use_cases::update::<Subscription>(call.app, &call.caller, &id(&call.path_parameter(0))?, &if_match, read)
            .await?;
    changed(&call, &subscription).await
}

pub(crate) async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let if_match = call.if_match();
    call.no_body().await?;
    let subscription =
        use_cases::delete::<Subscription>(call.app, &call.caller, &id(&call.path_parameter(0))?, &if_match).await?;
    changed(&call, &subscription).await
}

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> SubscriptionDraft {
    let draft = common(fields, true, SubscriptionDetails::default());
    for at in ["/id", "/plan_version", "/has_access", "/managed_by", "/created_at", "/updated_at"] {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back unchanged.
pub(crate) fn patch(fields: &mut impl Fields, subscription: Option<&Subscription>) -> SubscriptionDraft {
    let details = subscription.map(|subscription| subscription.details.clone()).unwrap_or_default();
    let about = "The version of the plan. It may be sent back unchanged; the plan's current version moves the subscription to it.";
    let patch =
        SubscriptionDraft { plan_version: fields.optional("/plan_version", about), ..common(fields, false, details) };
    fields.unchanged::<SubscriptionId>("/id", subscription.map(|subscription| &subscription.id));
    fields.unchanged::<Time>("/created_at", subscription.map(|subscription| &subscription.created_at));
    let managed_by = subscription.map(|subscription| subscription.managed_by.as_ref());
    fields.unchanged_or_null::<ConnectionId>("/managed_by", managed_by);
    fields.ignored("/has_access");
    fields.ignored("/updated_at");
    patch
}

/// The fields that a create and an update share. An update requires none of them.
fn common(fields: &mut impl Fields, is_create: bool, stored: SubscriptionDetails) -> SubscriptionDraft {
    SubscriptionDraft {
        user_id: fields.required_if(is_create, "/user_id", "The user who subscribes."),
        plan: fields
            .required_if::<PlanReference>(is_create, "/subscription_plan_id", "The plan of the subscription.")
            .map(|plan| plan.0),
        plan_version: None,
        details: Some(details(fields, stored)),
        billing_cycle: fields
            .optional("/billing_cycle", "How often the subscription is billed. Defaults to the plan's billing cycle."),
        status: fields.optional("/status", "The status of the subscription."),
        is_active: fields
            .optional("/is_active", "Whether the subscription is active. Derived from `status` if omitted."),
        renews_at: fields
            .nullable("/renews_at", "When the subscription renews. Defaults to one billing cycle after the start."),
        starts_at: fields.optional("/starts_at", "When the subscription starts. Defaults to now."),
        ends_at: fields.nullable("/ends_at", "When the subscription ends."),
        billing: billing::draft(fields, is_create),
        entitlements: fields.optional("/entitlements", OVERRIDES),
    }
}

const OVERRIDES: &str = "Values of features by key, in place of those of the plan. An update replaces the keys that are sent; \
                         null removes one.";

/// The details that are sent replace the stored ones.
fn details(fields: &mut impl Fields, mut details: SubscriptionDetails) -> SubscriptionDetails {
    let about = "The ID in another system. An empty text is the same as null.";
    if let Some(sent) = fields.nullable::<External<255>>("/external_subscription_id", about) {
        details.external_subscription_id = sent.and_then(|external| external.0);
    }
    fields.set("/quantity", "The number of units of the plan. Defaults to 1.", &mut details.quantity);
    details
}

/// The record that the example of a create makes if the service bills it.
pub(crate) fn sample() -> Subscription {
    let (mut draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let payment_method = Some(PaymentMethod::parse("pm_1OaBcD").ok());
    draft.billing = Some(Some(Box::new(BillingDraft { payment_method, ..BillingDraft::default() })));
    let id = SubscriptionId::from_bytes(samples::ID);
    let (plan, known) = (plans::sample(), Known::default());
    Subscription::create_billed(draft, errors, Some(&plan), id, samples::REVISION, samples::now(), &known)
        .expect("the example is valid")
}

/// A record after a write, or what it would be after one that was tried.
async fn changed(call: &Call<'_>, subscription: &Subscription) -> Result<Reply, Problem> {
    let now = call.now().await?;
    if call.caller.is_dry_run {
        return Ok(dry_run::reply(call, SubscriptionView::at(subscription, now)));
    }
    Ok(record(subscription, now))
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

fn create_example() -> Value {
    {
        json!({
            "user_id": "usr_01h455vb4pex5vsknk084sn02q", "subscription_plan_id": "pro-monthly",
            "external_subscription_id": "sub_1OaBcD", "billing_cycle": "monthly", "status": "active", "is_active": true,
            "starts_at": "2026-01-31T09:30:00Z", "renews_at": "2026-02-28T09:30:00Z", "ends_at": null
        })
    }
}

fn update_example() -> Value {
    json!({ "status": "cancelled" })
}
