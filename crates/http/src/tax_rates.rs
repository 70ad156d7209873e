//! `/tax-rates`: percentages that invoices refer to.

use crate::access::Access;
use crate::call::Call;
use crate::dry_run;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::headers::etag;
use crate::list_query::{self, ListQuery};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Query, QuerySpec};
use crate::reply::{Reply, StoredResponse, created};
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::error::Error;
use perennial_app::tax_rates;
use perennial_app::use_cases;
use perennial_domain::clients::Scope;
use perennial_domain::country::Country;
use perennial_domain::id::TaxRateId;
use perennial_domain::tax_rates::{TaxPercentage, TaxRate, TaxRateDraft, TaxRateName};
use perennial_domain::time::Time;
use serde_json::{Value, json};

const COLLECTION: &str = "/tax-rates";
const MEMBER: &str = "/tax-rates/{id}";
const DEFAULT_LIMIT: usize = 50;
const TAG: &str = "Tax rates";

pub(crate) static TAX_RATE: Schema =
    Schema { name: "TaxRate", definition: record_schema, example: || samples::json(sample()), refers_to: &[] };

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listTaxRates",
        method: Method::GET,
        path: COLLECTION,
        tag: TAG,
        summary: "List tax rates",
        description: "Newest first.",
        access: Access::Scope(Scope::PlansRead),
        query: QuerySpec {
            parameters: &[list_query::limit::<DEFAULT_LIMIT>(), list_query::CURSOR],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&TAX_RATE),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "createTaxRate",
        method: Method::POST,
        path: COLLECTION,
        tag: TAG,
        summary: "Create a tax rate",
        description: "With an `Idempotency-Key`, a retry returns the response of the first request.",
        access: Access::Scope(Scope::PlansWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: create_example,
        }),
        response: ResponseKind::Created(&TAX_RATE),
        errors: &[],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readTaxRate",
        method: Method::GET,
        path: MEMBER,
        tag: TAG,
        summary: "Read a tax rate",
        description: "",
        access: Access::Scope(Scope::PlansRead),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&TAX_RATE),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updateTaxRate",
        method: Method::PUT,
        path: MEMBER,
        tag: TAG,
        summary: "Update a tax rate",
        description: "Only `is_active` can change. An inactive rate cannot be referenced again; existing references continue.",
        access: Access::Scope(Scope::PlansWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: || json!({ "is_active": false }),
        }),
        response: ResponseKind::Record(&TAX_RATE),
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
    let (tax_rates, next) = tax_rates::list(call.app, &call.caller, cursor.as_deref(), limit).await?;
    Ok(Reply::list(&tax_rates, next.as_deref(), limit))
}

async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let (body, key) = call.keyed_body().await?;
    let (draft, errors) = body.read(|fields| draft(fields));
    let (is_dry_run, tried) = (call.caller.is_dry_run, call.caller.tried.clone());
    let render = |made: &TaxRate| if is_dry_run { dry_run::unstored(made, &tried) } else { created_response(made) };
    let stored = use_cases::create::<TaxRate>(call.app, &call.caller, key.as_ref(), draft, errors, render).await?;
    Ok(dry_run::created(&call, stored))
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let found = tax_rates::read(call.app, &call.caller, id(&call)?).await?;
    Ok(record(&found))
}

async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |stored: &TaxRate| body.read(|fields| patch(fields, Some(stored)));
    let updated = use_cases::update::<TaxRate>(call.app, &call.caller, &id(&call)?, &if_match, read).await?;
    Ok(if call.caller.is_dry_run { dry_run::reply(&call, &updated) } else { record(&updated) })
}

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> TaxRateDraft {
    let draft = TaxRateDraft {
        name: fields.required("/name", "The name that documents print."),
        percentage: fields.required("/percentage", "The percentage, with at most 4 decimals."),
        country: fields.nullable("/country", "The country whose tax it is.").flatten(),
        is_active: is_active(fields),
    };
    for at in ["/id", "/created_at", "/updated_at"] {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back unchanged.
fn patch(fields: &mut impl Fields, stored: Option<&TaxRate>) -> TaxRateDraft {
    let patch = TaxRateDraft { is_active: is_active(fields), ..TaxRateDraft::default() };
    fields.unchanged::<TaxRateId>("/id", stored.map(|stored| &stored.id));
    fields.unchanged::<TaxRateName>("/name", stored.map(|stored| &stored.name));
    fields.unchanged::<TaxPercentage>("/percentage", stored.map(|stored| &stored.percentage));
    fields.unchanged_or_null::<Country>("/country", stored.map(|stored| stored.country.as_ref()));
    fields.unchanged::<Time>("/created_at", stored.map(|stored| &stored.created_at));
    fields.ignored("/updated_at");
    patch
}

fn is_active(fields: &mut impl Fields) -> Option<bool> {
    fields.optional("/is_active", "Whether the tax rate can be referenced. True by default.")
}

fn record_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<TaxRateId>()),
        ("name", json!({ "type": "string" })),
        ("percentage", json!({ "type": "number", "minimum": 0, "maximum": 100 })),
        ("country", json!({ "type": ["string", "null"], "pattern": "^[A-Z]{2}$" })),
        ("is_active", schema::boolean()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

/// The record that the example of a create makes.
pub(crate) fn sample() -> TaxRate {
    let (draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let id = TaxRateId::from_bytes(samples::ID);
    TaxRate::create(draft, errors, samples::organization().id, id, samples::REVISION, samples::now())
        .expect("the example is valid")
}

fn created_response(created_record: &TaxRate) -> StoredResponse {
    created(created_record, format!("{COLLECTION}/{}", created_record.id), created_record.revision, None)
}

fn record(found: &TaxRate) -> Reply {
    Reply::record(found, etag(found.revision, None))
}

fn id(call: &Call<'_>) -> Result<TaxRateId, Problem> {
    call.path_parameter(0).parse().map_err(|_| Error::NotFound.into())
}

fn create_example() -> Value {
    json!({ "name": "VAT", "percentage": 19, "country": "DE" })
}
