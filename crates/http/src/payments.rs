//! `/subscription-payments`: payments for subscriptions.

use crate::access::Access;
use crate::call::Call;
use crate::dry_run;
use crate::error_codes::Code;
use crate::fields::{External, Field, Fields};
use crate::filters;
use crate::headers::etag;
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Parameter, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::error::Error;
use perennial_app::payments::{self, Query, Range};
use perennial_app::use_cases;
use perennial_domain::clients::Scope;
use perennial_domain::currency::Currency;
use perennial_domain::id::{InvoiceId, OrganizationId, PaymentId, SubscriptionId};
use perennial_domain::payments::{ExternalPaymentId, Payment, PaymentDraft, PaymentStatus};
use perennial_domain::time::Time;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use serde_json::{Value, json};

const COLLECTION: &str = "/subscription-payments";
const TAG: &str = "Subscription payments";

pub(crate) static PAYMENT: Schema =
    Schema { name: "Payment", definition: record_schema, example: || samples::json(sample()), refers_to: &[] };

const DEFAULT_LIMIT: usize = 50;

const SORTS: &[(&str, ())] = &[("created_at", ())];

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listPayments",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List payments",
        description: "Newest first by default. A page under a rare filter may be short and still have a next page.",
        access: Access::Own(Scope::PaymentsRead, Scope::PaymentsReadOwn),
        query: QuerySpec {
            parameters: &[
                Parameter {
                    name: "subscription_id",
                    description: "Payments for this subscription.",
                    schema: schema::id::<SubscriptionId>,
                },
                Parameter {
                    name: "invoice_id",
                    description: "Payments of this invoice.",
                    schema: schema::id::<InvoiceId>,
                },
                Parameter {
                    name: "status",
                    description: "One status, or several separated by commas.",
                    schema: schema::text,
                },
                Parameter {
                    name: "external_payment_id",
                    description: "The payment with this external ID.",
                    schema: schema::text,
                },
                Parameter { name: "currency", description: "Payments in this currency.", schema: Currency::schema },
                Parameter {
                    name: "date_after",
                    description: "Last completed at or after this time.",
                    schema: schema::instant,
                },
                Parameter {
                    name: "date_before",
                    description: "Last completed before this time.",
                    schema: schema::instant,
                },
                Parameter {
                    name: "sort",
                    description: "The sort order. Prefix with `-` for descending order.",
                    schema: || filters::sort_schema(SORTS, "-created_at"),
                },
                list_query::CREATED_AFTER,
                list_query::CREATED_BEFORE,
                list_query::limit::<DEFAULT_LIMIT>(),
                list_query::CURSOR,
            ],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&PAYMENT),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createPayment",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create a payment",
        description: "With an `Idempotency-Key`, a retry returns the response of the first request.",
        access: Access::Scope(Scope::PaymentsWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::Created(&PAYMENT),
        errors: &[Code::ExternalIdTaken, Code::Contended],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readPayment",
        method: Method::GET,
        path: "/subscription-payments/{payment_id}",
        tag: TAG,
        summary: "Read a payment",
        description: "`date` is when the payment was last completed.",
        access: Access::Own(Scope::PaymentsRead, Scope::PaymentsReadOwn),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&PAYMENT),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updatePayment",
        method: Method::PUT,
        path: "/subscription-payments/{payment_id}",
        tag: TAG,
        summary: "Update a payment",
        description: "Updates the fields that are sent; omitted fields do not change. A null clears an optional field.",
        access: Access::Scope(Scope::PaymentsWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: update_example,
        }),
        response: ResponseKind::Record(&PAYMENT),
        errors: &[Code::ExternalIdTaken, Code::InvalidTransition, Code::Contended, Code::ProviderManaged],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
    Operation {
        id: "deletePayment",
        method: Method::DELETE,
        path: "/subscription-payments/{payment_id}",
        tag: TAG,
        summary: "Delete a payment",
        description: "Returns the deleted payment.",
        access: Access::Scope(Scope::PaymentsWrite),
        query: dry_run::QUERY,
        body: None,
        response: ResponseKind::Record(&PAYMENT),
        errors: &[Code::Contended, Code::ProviderManaged],
        handler: Handler::Write(|call| Box::pin(delete(call))),
    },
];

pub(crate) async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { filters, limit, cursor } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let (payments, next) = payments::list(call.app, &call.caller, filters, cursor.as_deref(), limit).await?;
    Ok(Reply::list(&payments, next.as_deref(), limit))
}

/// Parses the parameters of a list.
pub(crate) fn parse_list_query(query: &mut crate::query::Query) -> ListQuery<Query> {
    let filters = Query {
        subscription_id: query.get("subscription_id", |text| {
            text.parse().map_err(|_| InvalidValue::new(ValidationCode::InvalidFormat, "must be a subscription's ID"))
        }),
        invoice_id: query.get("invoice_id", |text| {
            text.parse().map_err(|_| InvalidValue::new(ValidationCode::InvalidFormat, "must be an invoice's ID"))
        }),
        user_id: None,
        statuses: query
            .get("status", |text| text.split(',').map(PaymentStatus::parse).collect::<Result<_, _>>())
            .unwrap_or_default(),
        external_id: query
            .get("external_payment_id", |text| ExternalPaymentId::parse(text).map(|id| id.as_str().to_owned())),
        currency: query.get("currency", Currency::parse),
        created: list_query::created(query),
        completed: Range { after: query.get("date_after", Time::parse), before: query.get("date_before", Time::parse) },
        is_ascending: query.get("sort", |text| filters::sort(text, SORTS)).is_some_and(|((), descending)| !descending),
    };
    ListQuery::parse(query, filters, DEFAULT_LIMIT)
}

pub(crate) async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let (body, key) = call.keyed_body().await?;
    let (draft, errors) = body.read(|fields| draft(fields));
    let (is_dry_run, tried) = (call.caller.is_dry_run, call.caller.tried.clone());
    let render =
        |payment: &Payment| if is_dry_run { dry_run::unstored(payment, &tried) } else { created_response(payment) };
    let stored = use_cases::create::<Payment>(call.app, &call.caller, key.as_ref(), draft, errors, render).await?;
    Ok(dry_run::created(&call, stored))
}

pub(crate) async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let payment = payments::read(call.app, &call.caller, id(&call.path_parameter(0))?).await?;
    Ok(record(&payment))
}

pub(crate) async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |payment: &Payment| body.read(|fields| patch(fields, Some(payment)));
    let payment =
        use_cases::update::<Payment>(call.app, &call.caller, &id(&call.path_parameter(0))?, &if_match, read).await?;
    Ok(if call.caller.is_dry_run { dry_run::reply(&call, &payment) } else { record(&payment) })
}

pub(crate) async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let if_match = call.if_match();
    call.no_body().await?;
    let payment =
        use_cases::delete::<Payment>(call.app, &call.caller, &id(&call.path_parameter(0))?, &if_match).await?;
    Ok(if call.caller.is_dry_run { dry_run::reply(&call, &payment) } else { record(&payment) })
}

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> PaymentDraft {
    let draft = common(fields, true);
    for at in ["/id", "/date", "/created_at", "/updated_at"] {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back unchanged.
pub(crate) fn patch(fields: &mut impl Fields, payment: Option<&Payment>) -> PaymentDraft {
    let patch = common(fields, false);
    fields.unchanged::<PaymentId>("/id", payment.map(|payment| &payment.id));
    fields.unchanged::<Time>("/created_at", payment.map(|payment| &payment.created_at));
    fields.ignored("/date");
    fields.ignored("/updated_at");
    patch
}

/// The fields that a create and an update share. An update requires none of them.
fn common(fields: &mut impl Fields, is_create: bool) -> PaymentDraft {
    PaymentDraft {
        subscription_id: fields.required_if(is_create, "/subscription_id", "The subscription that the payment is for."),
        invoice_id: fields.nullable("/invoice_id", "The invoice that the payment pays. It can be set once."),
        amount: fields.required_if(
            is_create,
            "/amount",
            "The amount, with at most as many decimals as the currency has.",
        ),
        currency: fields.required_if(is_create, "/currency", "The currency of the amount."),
        external_payment_id: fields
            .nullable::<External<255>>(
                "/external_payment_id",
                "The ID in another system. An empty text is the same as null.",
            )
            .map(|sent| sent.and_then(|external| external.0)),
        status: fields.optional("/status", "The status of the payment. Defaults to `pending`."),
    }
}

fn record_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<PaymentId>()),
        ("subscription_id", schema::id::<SubscriptionId>()),
        ("invoice_id", schema::optional_text()),
        ("amount", json!({ "type": "number", "minimum": 0 })),
        ("currency", json!({ "type": "string", "pattern": "^[A-Z]{3}$" })),
        ("external_payment_id", json!({ "type": ["string", "null"] })),
        ("status", schema::words(&PaymentStatus::ALL.map(PaymentStatus::as_str))),
        ("date", schema::optional_instant()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

/// The record that the example of a create makes.
pub(crate) fn sample() -> Payment {
    let (draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let (organization, id) = (OrganizationId::from_bytes(samples::ID), PaymentId::from_bytes(samples::ID));
    Payment::create(draft, errors, organization, id, samples::REVISION, samples::now()).expect("the example is valid")
}

fn created_response(payment: &Payment) -> StoredResponse {
    created(payment, format!("{COLLECTION}/{}", payment.id), payment.revision, None)
}

fn record(payment: &Payment) -> Reply {
    Reply::record(payment, etag(payment.revision, None))
}

fn id(parameter: &str) -> Result<PaymentId, Problem> {
    parameter.parse().map_err(|_| Error::NotFound.into())
}

fn create_example() -> Value {
    {
        json!({
            "subscription_id": "sub_01h455vb4pex5vsknk084sn02q", "amount": 19.99, "currency": "USD",
            "external_payment_id": "ch_3OaBcD", "status": "completed"
        })
    }
}

fn update_example() -> Value {
    json!({ "status": "refunded" })
}
