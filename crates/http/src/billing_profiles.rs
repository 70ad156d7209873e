//! `/users/{id}/billing-profile`: what documents print about a user, and the user's balances.

use crate::access::{Access, Person};
use crate::call::Call;
use crate::dry_run;
use crate::error_codes::Code;
use crate::fields::{Address, Fields};
use crate::headers::{etag_with, fingerprint};
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::billing_profiles::{self, ProfileRecord, ProfileWithBalances};
use perennial_app::error::Error;
use perennial_domain::billing_profiles::{BillingProfile, Locale, ProfileFields, ProfilePatch};
use perennial_domain::clients::Scope;
use perennial_domain::credits::Balance;
use perennial_domain::currency::Currency;
use perennial_domain::id::{TaxRateId, UserId};
use perennial_domain::money::Money;
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use serde_json::{Value, json};

const PATH: &str = "/users/{id}/billing-profile";
const TAG: &str = "Billing profiles and credits";

pub(crate) static BILLING_PROFILE: Schema =
    Schema { name: "BillingProfile", definition: record_schema, example: sample, refers_to: &[] };

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "readBillingProfile",
        method: Method::GET,
        path: PATH,
        tag: TAG,
        summary: "Read the billing profile of a user",
        description: "Every user has one, empty at first. With a user's token, `me` is the user.",
        access: Access::Own(Scope::InvoicesRead, Scope::InvoicesReadOwn),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&BILLING_PROFILE),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updateBillingProfile",
        method: Method::PUT,
        path: PATH,
        tag: TAG,
        summary: "Update the billing profile of a user",
        description: "Updates the fields that are sent; omitted fields do not change, and a null clears a field. A tax rate that \
                      is named for the first time must be active.",
        access: Access::Scope(Scope::InvoicesWrite),
        query: dry_run::QUERY,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: update_example,
        }),
        response: ResponseKind::Record(&BILLING_PROFILE),
        errors: &[Code::Contended],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
];

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let found = billing_profiles::read(call.app, &call.caller, user(&call)?).await?;
    Ok(record(&found))
}

async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    dry_run::read(&mut call);
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |profile: &BillingProfile| body.read(|fields| patch(fields, Some(profile)));
    let updated = billing_profiles::update(call.app, &call.caller, user(&call)?, &if_match, read).await?;
    Ok(if call.caller.is_dry_run { dry_run::reply(&call, ProfileRecord::of(&updated)) } else { record(&updated) })
}

/// The user that the path names: by ID, or by `me` with the user's token.
pub(crate) fn user(call: &Call<'_>) -> Result<UserId, Problem> {
    let named = call.path_parameter(0);
    match (&*named, &call.person) {
        ("me", Person::SignedIn(signed_in)) => Ok(signed_in.user.id),
        _ => named.parse().map_err(|_| Error::NotFound.into()),
    }
}

/// The fields of an update, and those that may be sent back unchanged.
fn patch(fields: &mut impl Fields, profile: Option<&BillingProfile>) -> ProfilePatch {
    let patch = ProfilePatch {
        name: fields.nullable("/name", "The name of the buyer."),
        email: fields.nullable("/email", "The e-mail address for documents."),
        address: fields.optional("/address", "The lines of the postal address.").map(|Address(lines)| lines),
        country: fields.nullable("/country", "The country of the buyer."),
        tax_id: fields.nullable("/tax_id", "The buyer's tax ID."),
        tax_exempt: fields.optional("/tax_exempt", "Whether no tax is charged. False by default."),
        tax_rate_ids: fields.optional("/tax_rate_ids", "Tax rates in place of those of the plan. Empty for none."),
        locale: fields.nullable("/locale", "The language of documents."),
        note: fields.nullable("/note", "A note that documents print, such as \"Reverse charge\"."),
    };
    fields.unchanged::<UserId>("/user_id", profile.map(|profile| &profile.user_id));
    fields.unchanged::<Time>("/created_at", profile.map(|profile| &profile.created_at));
    // The balances may have changed since the caller read the profile.
    fields.ignored("/balances");
    fields.ignored("/updated_at");
    patch
}

fn record(found: &ProfileWithBalances) -> Reply {
    Reply::record(ProfileRecord::of(found), etag_with(found.profile.revision, balances_number(&found.balances)))
}

/// A number that changes with the balances, which are no part of the revision.
fn balances_number(balances: &[Balance]) -> u64 {
    fingerprint(balances.iter().flat_map(|Balance { currency, amount }| {
        currency.as_str().bytes().chain(amount.ten_thousandths().to_be_bytes()).collect::<Vec<u8>>()
    }))
}

fn record_schema() -> Value {
    let locales: Vec<Value> = Locale::ALL.iter().map(|locale| json!(locale)).chain([Value::Null]).collect();
    let balance = schema::record(&[
        ("currency", json!({ "type": "string", "pattern": "^[A-Z]{3}$" })),
        ("amount", json!({ "type": "number", "minimum": 0 })),
    ]);
    schema::record(&[
        ("user_id", schema::id::<UserId>()),
        ("name", schema::optional_text()),
        ("email", schema::optional_text()),
        ("address", json!({ "type": "array", "items": { "type": "string" } })),
        ("country", json!({ "type": ["string", "null"], "pattern": "^[A-Z]{2}$" })),
        ("tax_id", schema::optional_text()),
        ("tax_exempt", schema::boolean()),
        ("tax_rate_ids", json!({ "type": "array", "items": schema::id::<TaxRateId>() })),
        ("locale", json!({ "type": ["string", "null"], "enum": locales })),
        ("note", schema::optional_text()),
        ("balances", json!({ "type": "array", "items": balance })),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

fn sample() -> Value {
    let (patch, errors) = samples::read(&update_example(), |fields| patch(fields, None));
    debug_assert_eq!(errors, ValidationErrors::none());
    let empty = BillingProfile {
        organization_id: samples::organization().id,
        user_id: UserId::from_bytes(samples::ID),
        fields: ProfileFields::default(),
        created_at: samples::now(),
        updated_at: samples::now(),
        revision: samples::REVISION,
    };
    let profile = empty.merge(patch, errors).expect("the example is valid");
    let amount = Money::from_ten_thousandths(150_000).expect("the amount is valid");
    let balances = vec![Balance { currency: Currency::USD, amount }];
    samples::json(ProfileRecord::of(&ProfileWithBalances { profile, balances }))
}

fn update_example() -> Value {
    json!({
        "name": "Example Ltd", "email": "billing@example.com", "address": ["12 High Street", "London"], "country": "GB",
        "tax_id": "GB123456789", "tax_exempt": false, "locale": "en", "note": "Reverse charge"
    })
}
