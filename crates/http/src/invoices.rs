//! `/invoices`: what users owe.

use crate::access::Access;
use crate::call::Call;
use crate::documents;
use crate::dry_run;
use crate::error_codes::Code;
use crate::filters::boolean;
use crate::headers::{etag_with, fingerprint};
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::organization::seller_definition;
use crate::problem::Problem;
use crate::query::{Parameter, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use crate::samples;
use crate::schema::{self, Schema};
use body::{draft, patch, read_patch};
use http::Method;
use perennial_app::error::Error;
use perennial_app::invoices::{self, Query};
use perennial_app::payments::Range;
use perennial_app::use_cases;
use perennial_domain::clients::Scope;
use perennial_domain::currency::Currency;
use perennial_domain::id::{InvoiceId, SubscriptionId, UserId};
use perennial_domain::invoices::LineKind;
use perennial_domain::invoices::items::{ItemContext, TaxSource};
use perennial_domain::invoices::record::{Invoice, InvoiceEvent, InvoiceKind, InvoiceNext};
use perennial_domain::invoices::status::{InvoiceAction, InvoiceStatus};
use perennial_domain::lifecycle::billing::Billing;
use perennial_domain::lifecycle::calendar::ZoneName;
use perennial_domain::plans::billing::TaxBehavior;
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use serde_json::{Value, json};

mod body;

const COLLECTION: &str = "/invoices";
const MEMBER: &str = "/invoices/{id}";
const DEFAULT_LIMIT: usize = 50;
const TAG: &str = "Invoices";

pub(crate) static INVOICE: Schema =
    Schema { name: "Invoice", definition: record_schema, example: || samples::json(sample()), refers_to: &[] };

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listInvoices",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List invoices",
        description: "Newest first. A page under a rare filter may be short and still have a next page.",
        access: Access::Own(Scope::InvoicesRead, Scope::InvoicesReadOwn),
        query: QuerySpec {
            parameters: &[
                Parameter { name: "user_id", description: "Invoices of this user.", schema: schema::id::<UserId> },
                Parameter {
                    name: "subscription_id",
                    description: "Invoices of this subscription.",
                    schema: schema::id::<SubscriptionId>,
                },
                Parameter { name: "number", description: "The invoice with this number.", schema: schema::text },
                Parameter {
                    name: "status",
                    description: "One status, or several separated by commas.",
                    schema: schema::text,
                },
                Parameter {
                    name: "kind",
                    description: "Invoices of this kind.",
                    schema: || schema::words(&InvoiceKind::ALL.map(InvoiceKind::as_str)),
                },
                Parameter { name: "overdue", description: "Whether they are overdue.", schema: schema::boolean },
                Parameter {
                    name: "issued_after",
                    description: "Issued at or after this time.",
                    schema: schema::instant,
                },
                Parameter { name: "issued_before", description: "Issued before this time.", schema: schema::instant },
                Parameter { name: "due_after", description: "Due at or after this time.", schema: schema::instant },
                Parameter { name: "due_before", description: "Due before this time.", schema: schema::instant },
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
        response: ResponseKind::List(&INVOICE),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createInvoice",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create an invoice",
        description: "Creates a `one_off` draft for a billed subscription. With an `Idempotency-Key`, a retry returns the response of \
                      the first request.",
        access: Access::Scope(Scope::InvoicesWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::Created(&INVOICE),
        errors: &[Code::LifecycleBehind, Code::Contended],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readInvoice",
        method: Method::GET,
        path: MEMBER,
        tag: TAG,
        summary: "Read an invoice",
        description: "",
        access: Access::Own(Scope::InvoicesRead, Scope::InvoicesReadOwn),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&INVOICE),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "readInvoiceDocument",
        method: Method::GET,
        path: "/invoices/{id}/document",
        tag: TAG,
        summary: "Read the document of an invoice",
        description: "The document to send to the customer. It is the same at any later time. A draft has none.",
        access: Access::Own(Scope::InvoicesRead, Scope::InvoicesReadOwn),
        query: documents::QUERY,
        body: None,
        response: ResponseKind::Document,
        errors: &[Code::InvoiceNotFinal],
        handler: Handler::Read(|call| Box::pin(document(call))),
    },
    Operation {
        id: "updateInvoice",
        method: Method::PUT,
        path: MEMBER,
        tag: TAG,
        summary: "Update a draft",
        description: "Changes the memo of a draft; of a `one_off` draft also its lines and `finalizes_at`. An issued invoice is final.",
        access: Access::Scope(Scope::InvoicesWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: || json!({ "memo": "Thank you for your order." }),
        }),
        response: ResponseKind::Record(&INVOICE),
        errors: &[Code::InvoiceFinal, Code::LifecycleBehind, Code::Contended],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
    Operation {
        id: "deleteInvoice",
        method: Method::DELETE,
        path: MEMBER,
        tag: TAG,
        summary: "Delete a draft",
        description: "Deletes a `one_off` draft and returns it.",
        access: Access::Scope(Scope::InvoicesWrite),
        query: dry_run::QUERY,
        body: None,
        response: ResponseKind::Record(&INVOICE),
        errors: &[Code::InvoiceFinal, Code::LifecycleBehind, Code::Contended],
        handler: Handler::Write(|call| Box::pin(delete(call))),
    },
    Operation {
        id: "finalizeInvoice",
        method: Method::POST,
        path: "/invoices/{id}/finalize",
        tag: TAG,
        summary: "Finalize a draft",
        description: "Issues the draft now: it gets its number and becomes final. With an `Idempotency-Key`, a retry returns the \
                      response of the first request.",
        access: Access::Scope(Scope::InvoicesWrite),
        query: dry_run::QUERY,
        body: None,
        response: ResponseKind::Acted(&INVOICE),
        errors: &[Code::InvalidTransition, Code::LifecycleBehind, Code::Contended],
        handler: Handler::Write(|call| Box::pin(act(call, InvoiceAction::Finalize))),
    },
    Operation {
        id: "voidInvoice",
        method: Method::POST,
        path: "/invoices/{id}/void",
        tag: TAG,
        summary: "Void an invoice",
        description: "Nothing is due any more. What the balance paid returns to it. With an `Idempotency-Key`, a retry returns the \
                      response of the first request.",
        access: Access::Scope(Scope::InvoicesWrite),
        query: dry_run::QUERY,
        body: None,
        response: ResponseKind::Acted(&INVOICE),
        errors: &[Code::InvalidTransition, Code::HasPayments, Code::LifecycleBehind, Code::Contended],
        handler: Handler::Write(|call| Box::pin(act(call, InvoiceAction::Void))),
    },
    Operation {
        id: "markInvoiceUncollectible",
        method: Method::POST,
        path: "/invoices/{id}/mark-uncollectible",
        tag: TAG,
        summary: "Mark an invoice as uncollectible",
        description: "Dunning ends. A payment still settles the invoice. With an `Idempotency-Key`, a retry returns the response of the \
                      first request.",
        access: Access::Scope(Scope::InvoicesWrite),
        query: dry_run::QUERY,
        body: None,
        response: ResponseKind::Acted(&INVOICE),
        errors: &[Code::InvalidTransition, Code::LifecycleBehind, Code::Contended],
        handler: Handler::Write(|call| Box::pin(act(call, InvoiceAction::MarkUncollectible))),
    },
];

/// Parses the parameters of a list.
fn parse_list_query(query: &mut crate::query::Query) -> ListQuery<Query> {
    let invalid = |what: &str| InvalidValue::new(ValidationCode::InvalidFormat, format!("must be a {what}'s ID"));
    let unknown = |words: &[&str]| {
        InvalidValue::new(ValidationCode::UnknownValue, format!("must be one of {}", words.join(", ")))
    };
    let status = |text: &str| {
        InvoiceStatus::from_stored(text).ok_or_else(|| unknown(&InvoiceStatus::ALL.map(InvoiceStatus::as_str)))
    };
    let range = |query: &mut crate::query::Query, after, before| Range {
        after: query.get(after, Time::parse),
        before: query.get(before, Time::parse),
    };
    let filters = Query {
        user_id: query.get("user_id", |text| text.parse().map_err(|_| invalid("user"))),
        subscription_id: query.get("subscription_id", |text| text.parse().map_err(|_| invalid("subscription"))),
        number: query.get("number", |text| Line::<1, 255>::parse(text).map(|line| line.as_str().to_owned())),
        statuses: query.get("status", |text| text.split(',').map(status).collect::<Result<_, _>>()).unwrap_or_default(),
        kind: query.get("kind", |text| {
            InvoiceKind::from_stored(text).ok_or_else(|| unknown(&InvoiceKind::ALL.map(InvoiceKind::as_str)))
        }),
        overdue: query.get("overdue", boolean),
        issued: range(query, "issued_after", "issued_before"),
        due: range(query, "due_after", "due_before"),
        created: list_query::created(query),
    };
    ListQuery::parse(query, filters, DEFAULT_LIMIT)
}

async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { filters, limit, cursor } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let (found, next) = invoices::list(call.app, &call.caller, filters, cursor.as_deref(), limit).await?;
    Ok(Reply::list(&found, next.as_deref(), limit))
}

async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let (body, key) = call.keyed_body().await?;
    let (draft, errors) = body.read(|fields| draft(fields));
    let (is_dry_run, tried) = (call.caller.is_dry_run, call.caller.tried.clone());
    let render =
        |invoice: &Invoice| if is_dry_run { dry_run::unstored(invoice, &tried) } else { created_response(invoice) };
    let stored = use_cases::create::<Invoice>(call.app, &call.caller, key.as_ref(), draft, errors, render).await?;
    Ok(dry_run::created(&call, stored))
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    Ok(record(&invoices::read(call.app, &call.caller, id(&call)?).await?))
}

async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |invoice: &Invoice| read_patch(&body, invoice);
    let updated = use_cases::update::<Invoice>(call.app, &call.caller, &id(&call)?, &if_match, read).await?;
    Ok(if call.caller.is_dry_run { dry_run::reply(&call, &updated) } else { record(&updated) })
}

async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let if_match = call.if_match();
    call.no_body().await?;
    let deleted = use_cases::delete::<Invoice>(call.app, &call.caller, &id(&call)?, &if_match).await?;
    Ok(if call.caller.is_dry_run { dry_run::reply(&call, &deleted) } else { record(&deleted) })
}

async fn act(mut call: Call<'_>, action: InvoiceAction) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let key = call.key_without_body().await?;
    let (is_dry_run, tried) = (call.caller.is_dry_run, call.caller.tried.clone());
    let render = |invoice: &Invoice| {
        if is_dry_run {
            return dry_run::unstored(invoice, &tried);
        }
        StoredResponse { status: 200, location: String::new(), ..created_response(invoice) }
    };
    let id = id(&call)?;
    let stored = Box::pin(invoices::act(call.app, &call.caller, key.as_ref(), id, action, render)).await?;
    Ok(dry_run::created(&call, stored))
}

fn record_schema() -> Value {
    let amount = || json!({ "type": "number" });
    let optional_word = |words: &[&str]| {
        let mut schema = schema::words(words);
        schema["type"] = json!(["string", "null"]);
        if let Some(Value::Array(words)) = schema.get_mut("enum") {
            words.push(Value::Null);
        }
        schema
    };
    schema::record(&[
        ("id", schema::id::<InvoiceId>()),
        ("number", schema::optional_text()),
        ("kind", schema::words(&InvoiceKind::ALL.map(InvoiceKind::as_str))),
        ("status", schema::words(&InvoiceStatus::ALL.map(InvoiceStatus::as_str))),
        ("user_id", schema::id::<UserId>()),
        ("subscription_id", schema::id::<SubscriptionId>()),
        ("currency", json!({ "type": "string", "pattern": "^[A-Z]{3}$" })),
        ("collection", optional_word(&["automatic", "manual"])),
        ("cycle_at", schema::optional_instant()),
        ("period_start", schema::optional_instant()),
        ("period_end", schema::optional_instant()),
        ("lines", json!({ "type": "array", "items": line_definition() })),
        ("subtotal", amount()),
        ("discount", amount()),
        ("taxes", json!({ "type": "array", "items": tax_definition() })),
        ("tax", amount()),
        ("tax_included", amount()),
        ("total", amount()),
        ("credit_applied", amount()),
        ("amount_paid", amount()),
        ("amount_credited", amount()),
        ("credited_total", amount()),
        ("amount_due", amount()),
        ("coupon_id", schema::optional_text()),
        ("memo", schema::optional_text()),
        ("attempts", json!({ "type": "integer", "minimum": 0 })),
        ("overdue", schema::boolean()),
        ("next_action", optional_word(&InvoiceNext::ALL.map(InvoiceNext::as_str))),
        ("next_action_at", schema::optional_instant()),
        ("finalizes_at", schema::optional_instant()),
        ("issued_at", schema::optional_instant()),
        ("due_at", schema::optional_instant()),
        ("paid_at", schema::optional_instant()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
        ("seller", schema::optional_record(&seller_definition())),
        ("buyer", schema::optional_record(&buyer_definition())),
    ])
}

/// The buyer of an invoice or a credit note.
pub(crate) fn buyer_definition() -> Vec<(&'static str, Value)> {
    let mut buyer = seller_definition().to_vec();
    buyer.push(("tax_exempt", schema::boolean()));
    buyer.push(("locale", schema::optional_text()));
    buyer
}

/// A line of an invoice or a credit note.
pub(crate) fn line_definition() -> Value {
    let number = || json!({ "type": ["number", "null"] });
    schema::record(&[
        ("kind", schema::words(&LineKind::ALL.map(LineKind::as_str))),
        ("description", schema::text()),
        ("subscription_plan_id", schema::optional_text()),
        ("plan_version", json!({ "type": ["integer", "null"] })),
        ("meter_id", schema::optional_text()),
        ("quantity", number()),
        ("unit_price", number()),
        ("amount", json!({ "type": "number" })),
        ("discount", json!({ "type": "number" })),
        ("tax_behavior", schema::id::<TaxBehavior>()),
        ("tax_rate_ids", json!({ "type": "array", "items": { "type": "string" } })),
        ("period_start", schema::optional_instant()),
        ("period_end", schema::optional_instant()),
        ("source_invoice_id", schema::optional_text()),
    ])
}

/// The tax of an invoice or a credit note.
pub(crate) fn tax_definition() -> Value {
    schema::record(&[
        ("tax_rate_id", schema::text()),
        ("name", schema::text()),
        ("percentage", json!({ "type": "number" })),
        ("tax_behavior", schema::id::<TaxBehavior>()),
        ("base", json!({ "type": "number" })),
        ("amount", json!({ "type": "number" })),
    ])
}

/// The record that the example of a create makes.
pub(crate) fn sample() -> Invoice {
    let (draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let context = ItemContext {
        subscription: perennial_domain::subscriptions::Subscription {
            billing: Some(Box::new(Billing::new(ZoneName::default(), samples::now()))),
            ..crate::subscriptions::sample()
        },
        currency: Currency::USD,
        plan_rates: Vec::new(),
        source: TaxSource::default(),
        rates: std::collections::HashMap::new(),
    };
    let id = InvoiceId::from_bytes(samples::ID);
    Invoice::create(draft, errors, Some(&context), id, samples::REVISION, samples::now()).expect("the example is valid")
}

/// An invoice in an event.
pub(crate) fn event_sample() -> Value {
    samples::json(InvoiceEvent { invoice: &sample(), has_lines: false })
}

async fn document(mut call: Call<'_>) -> Result<Reply, Problem> {
    let format = documents::format(&mut call.query);
    call.no_body().await?;
    let invoice = invoices::read(call.app, &call.caller, id(&call)?).await?;
    Ok(documents::reply(perennial_app::documents::of_invoice(&invoice, format).await?))
}

fn created_response(invoice: &Invoice) -> StoredResponse {
    let response = created(invoice, format!("{COLLECTION}/{}", invoice.id), invoice.revision, None);
    StoredResponse { etag: etag(invoice), ..response }
}

fn record(invoice: &Invoice) -> Reply {
    Reply::record(invoice, etag(invoice))
}

/// The next action changes without an event: an attempt is skipped, or the user is erased.
fn etag(invoice: &Invoice) -> String {
    let next = invoice.next_action().into_iter();
    let bytes = next.flat_map(|(action, at)| action.as_str().bytes().chain(at.as_micros().to_le_bytes()));
    etag_with(invoice.revision, fingerprint(bytes))
}

fn id(call: &Call<'_>) -> Result<InvoiceId, Problem> {
    call.path_parameter(0).parse().map_err(|_| Error::NotFound.into())
}

fn create_example() -> Value {
    json!({
        "subscription_id": "sub_01h455vb4pex5vsknk084sn02q",
        "lines": [{ "description": "Set-up", "quantity": 2, "unit_price": 49.5 }],
        "memo": "Thank you for your order."
    })
}
