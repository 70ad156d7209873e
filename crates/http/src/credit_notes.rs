//! `/credit-notes`: credits of issued invoices. A note never changes.

use crate::access::Access;
use crate::call::Call;
use crate::documents;
use crate::dry_run;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::headers::etag;
use crate::invoices::{buyer_definition, line_definition, tax_definition};
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::organization::seller_definition;
use crate::problem::Problem;
use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::credit_notes;
use perennial_app::error::Error;
use perennial_domain::clients::Scope;
use perennial_domain::id::{CreditNoteId, InvoiceId, SubscriptionId, UserId};
use perennial_domain::invoices::credit_note::{CreditNote, NoteSettlement};
use perennial_domain::invoices::crediting::NoteDraft;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use serde_json::{Value, json};
use std::str::FromStr;

pub(crate) mod sample;

const COLLECTION: &str = "/credit-notes";
const DEFAULT_LIMIT: usize = 50;
const TAG: &str = "Credit notes";

pub(crate) static CREDIT_NOTE: Schema =
    Schema { name: "CreditNote", definition: record_schema, example: sample::json, refers_to: &[] };

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listCreditNotes",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List credit notes",
        description: "Newest first.",
        access: Access::Own(Scope::InvoicesRead, Scope::InvoicesReadOwn),
        query: QuerySpec {
            parameters: &[
                Parameter { name: "user_id", description: "Credit notes of this user.", schema: schema::id::<UserId> },
                Parameter {
                    name: "subscription_id",
                    description: "Credit notes of this subscription.",
                    schema: schema::id::<SubscriptionId>,
                },
                Parameter {
                    name: "invoice_id",
                    description: "Credit notes of this invoice.",
                    schema: schema::id::<InvoiceId>,
                },
                list_query::limit::<DEFAULT_LIMIT>(),
                list_query::CURSOR,
            ],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&CREDIT_NOTE),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createCreditNote",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create a credit note",
        description: "Credits an invoice that is open, uncollectible or paid. Send `amount` or `lines`. The note first reduces \
                      what is due; the rest goes to the balance, or is refunded by you. With an `Idempotency-Key`, a retry \
                      returns the response of the first request.",
        access: Access::Scope(Scope::InvoicesWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: sample::create,
        }),
        response: ResponseKind::Created(&CREDIT_NOTE),
        errors: &[Code::CreditExceedsInvoice, Code::LifecycleBehind, Code::Contended],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readCreditNote",
        method: Method::GET,
        path: "/credit-notes/{id}",
        tag: TAG,
        summary: "Read a credit note",
        description: "",
        access: Access::Own(Scope::InvoicesRead, Scope::InvoicesReadOwn),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&CREDIT_NOTE),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "readCreditNoteDocument",
        method: Method::GET,
        path: "/credit-notes/{id}/document",
        tag: TAG,
        summary: "Read the document of a credit note",
        description: "The document to send to the customer. It is the same at any later time.",
        access: Access::Own(Scope::InvoicesRead, Scope::InvoicesReadOwn),
        query: documents::QUERY,
        body: None,
        response: ResponseKind::Document,
        errors: &[],
        handler: Handler::Read(|call| Box::pin(document(call))),
    },
];

fn parse_id<T: FromStr>(text: &str) -> Result<T, InvalidValue> {
    text.parse().map_err(|_| InvalidValue::new(ValidationCode::InvalidFormat, "must be an ID of this kind of record"))
}

fn parse_list_query(query: &mut Query) -> ListQuery<credit_notes::Query> {
    let filters = credit_notes::Query {
        user_id: query.get("user_id", parse_id),
        subscription_id: query.get("subscription_id", parse_id),
        invoice_id: query.get("invoice_id", parse_id),
    };
    ListQuery::parse(query, filters, DEFAULT_LIMIT)
}

async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { filters, limit, cursor } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let (notes, next) = credit_notes::list(call.app, &call.caller, filters, cursor.as_deref(), limit).await?;
    Ok(Reply::list(&notes, next.as_deref(), limit))
}

async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let (body, key) = call.keyed_body().await?;
    let parsed = body.read(|fields| draft(fields));
    let (is_dry_run, tried) = (call.caller.is_dry_run, call.caller.tried.clone());
    let render = |note: &CreditNote| {
        if !is_dry_run {
            return created_response(note);
        }
        // The number is drawn by the commit only.
        let mut shown = json!(note);
        shown["number"] = Value::Null;
        dry_run::unstored(shown, &tried)
    };
    let stored = credit_notes::create(call.app, &call.caller, key.as_ref(), parsed, render).await?;
    Ok(dry_run::created(&call, stored))
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let note = credit_notes::read(call.app, &call.caller, id(&call)?).await?;
    let tag = etag(note.revision, None);
    Ok(Reply::record(note, tag))
}

async fn document(mut call: Call<'_>) -> Result<Reply, Problem> {
    let format = documents::format(&mut call.query);
    call.no_body().await?;
    let note = credit_notes::read(call.app, &call.caller, id(&call)?).await?;
    Ok(documents::reply(perennial_app::documents::of_credit_note(&note, format).await?))
}

fn id(call: &Call<'_>) -> Result<CreditNoteId, Problem> {
    call.path_parameter(0).parse().map_err(|_| Error::NotFound.into())
}

/// The fields of a create.
fn draft(fields: &mut impl Fields) -> NoteDraft {
    let draft = NoteDraft {
        invoice_id: fields.required("/invoice_id", "The invoice that is credited."),
        amount: fields.optional(
            "/amount",
            "The amount before exclusive tax and with inclusive tax. It is spread over the tax rates of the invoice.",
        ),
        lines: fields.optional("/lines", "Amounts of lines, in place of `amount`."),
        reason: fields.nullable("/reason", "Why the invoice is credited. The document prints it.").flatten(),
        settlement: fields.optional(
            "/settlement",
            "Where the rest goes that reduces no amount due: `balance` (default), or `refund` by you.",
        ),
        refund_reference: fields.nullable("/refund_reference", "Your reference of the refund.").flatten(),
    };
    for at in READ_ONLY {
        fields.read_only(at);
    }
    draft
}

const READ_ONLY: &[&str] = &[
    "/id",
    "/number",
    "/invoice_number",
    "/subscription_id",
    "/user_id",
    "/currency",
    "/subtotal",
    "/discount",
    "/taxes",
    "/tax",
    "/tax_included",
    "/total",
    "/applied_amount",
    "/balance_amount",
    "/issued_at",
    "/seller",
    "/buyer",
    "/created_at",
];

fn created_response(note: &CreditNote) -> StoredResponse {
    created(note, format!("{COLLECTION}/{}", note.id), note.revision, None)
}

fn record_schema() -> Value {
    let settlements: Vec<&str> = NoteSettlement::ALL.iter().map(|settlement| settlement.as_str()).collect();
    let amount = || json!({ "type": "number" });
    schema::record(&[
        ("id", schema::id::<CreditNoteId>()),
        ("number", json!({ "type": "string" })),
        ("invoice_id", schema::optional_text()),
        ("invoice_number", schema::optional_text()),
        ("subscription_id", schema::id::<SubscriptionId>()),
        ("user_id", schema::id::<UserId>()),
        ("currency", json!({ "type": "string", "pattern": "^[A-Z]{3}$" })),
        ("lines", json!({ "type": "array", "items": line_definition() })),
        ("subtotal", amount()),
        ("discount", amount()),
        ("taxes", json!({ "type": "array", "items": tax_definition() })),
        ("tax", amount()),
        ("tax_included", amount()),
        ("total", amount()),
        ("reason", schema::optional_text()),
        ("settlement", schema::words(&settlements)),
        ("refund_reference", schema::optional_text()),
        ("applied_amount", amount()),
        ("balance_amount", amount()),
        ("issued_at", schema::instant()),
        ("seller", schema::optional_record(&seller_definition())),
        ("buyer", schema::optional_record(&buyer_definition())),
        ("created_at", schema::instant()),
    ])
}
