//! `/users/{id}/credits`: the ledger of a user's balance.

use crate::access::Access;
use crate::billing_profiles::user;
use crate::call::Call;
use crate::dry_run;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::credits;
use perennial_domain::clients::Scope;
use perennial_domain::credits::{Credit, CreditDraft, CreditReason};
use perennial_domain::currency::Currency;
use perennial_domain::id::{CreditId, EventId, UserId};
use serde_json::{Value, json};

const PATH: &str = "/users/{id}/credits";
const DEFAULT_LIMIT: usize = 50;
const TAG: &str = "Billing profiles and credits";

pub(crate) static CREDIT: Schema =
    Schema { name: "Credit", definition: record_schema, example: || samples::json(sample()), refers_to: &[] };

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listCredits",
        method: Method::GET,
        path: PATH,
        tag: TAG,
        summary: "List the credits of a user",
        description: "The entries of the ledger, newest first. Their sum in a currency is the balance. With a user's token, \
                      `me` is the user.",
        access: Access::Own(Scope::InvoicesRead, Scope::InvoicesReadOwn),
        query: QuerySpec {
            parameters: &[
                Parameter {
                    name: "currency",
                    description: "Entries of this currency.",
                    schema: || json!({ "type": "string", "pattern": "^[A-Za-z]{3}$" }),
                },
                list_query::limit::<DEFAULT_LIMIT>(),
                list_query::CURSOR,
            ],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&CREDIT),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createCredit",
        method: Method::POST,
        path: PATH,
        tag: TAG,
        summary: "Change the balance of a user",
        description: "Adds an entry to the ledger. A negative amount is taken from the balance, which is never negative. With an \
                      `Idempotency-Key`, a retry returns the response of the first request.",
        access: Access::Scope(Scope::InvoicesWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::Created(&CREDIT),
        errors: &[Code::InsufficientBalance],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
];

fn parse_list_query(query: &mut Query) -> ListQuery<Option<Currency>> {
    let currency = query.get("currency", Currency::parse);
    ListQuery::parse(query, currency, DEFAULT_LIMIT)
}

async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { filters: currency, limit, cursor } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let query = credits::Query { user_id: user(&call)?, currency };
    let (entries, next) = credits::list(call.app, &call.caller, query, cursor.as_deref(), limit).await?;
    Ok(Reply::list(&entries, next.as_deref(), limit))
}

async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let (body, key) = call.keyed_body().await?;
    let parsed = body.read(|fields| draft(fields));
    let user = user(&call)?;
    let (is_dry_run, tried) = (call.caller.is_dry_run, call.caller.tried.clone());
    let render = |credit: &Credit, revision| {
        if is_dry_run { dry_run::unstored(credit, &tried) } else { created_response(credit, revision) }
    };
    let stored = credits::adjust(call.app, &call.caller, key.as_ref(), user, parsed, render).await?;
    Ok(dry_run::created(&call, stored))
}

fn draft(fields: &mut impl Fields) -> CreditDraft {
    let draft = CreditDraft {
        currency: fields.required("/currency", "The currency of the balance."),
        amount: fields.required("/amount", "The amount that is added to the balance; negative to take it."),
        description: fields
            .nullable("/description", "Why the balance changes. No personal data: events contain it.")
            .flatten(),
    };
    for at in ["/id", "/user_id", "/reason", "/record_id", "/created_at"] {
        fields.read_only(at);
    }
    draft
}

/// An entry never changes and has no separate path: the location is the ledger.
fn created_response(credit: &Credit, revision: EventId) -> StoredResponse {
    created(credit, format!("/users/{}/credits", credit.user_id), revision, None)
}

fn record_schema() -> Value {
    let reasons: Vec<&str> = CreditReason::ALL.iter().map(|reason| reason.as_str()).collect();
    schema::record(&[
        ("id", schema::id::<CreditId>()),
        ("user_id", schema::id::<UserId>()),
        ("currency", json!({ "type": "string", "pattern": "^[A-Z]{3}$" })),
        ("amount", json!({ "type": "number" })),
        ("reason", schema::words(&reasons)),
        ("record_id", schema::optional_text()),
        ("description", schema::optional_text()),
        ("created_at", schema::instant()),
    ])
}

fn sample() -> Credit {
    let (draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let (id, user) = (CreditId::from_bytes(samples::ID), UserId::from_bytes(samples::ID));
    Credit::adjust(draft, errors, samples::organization().id, user, id, samples::now()).expect("the example is valid")
}

fn create_example() -> Value {
    json!({ "currency": "USD", "amount": 15, "description": "Compensation for the outage" })
}
