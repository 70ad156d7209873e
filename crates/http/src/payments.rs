//! `/subscription-payments`: money received for subscriptions. There is no list, as the interface has it.

use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::{External, Fields, SchemaWriter};
use crate::filters::schema;
use crate::headers::etag;
use crate::operation::{Access, Answers, Endpoint, Operation};
use crate::problem::Problem;
use crate::reply::{Reply, created};
use http::Method;
use perennial_app::error::Error;
use perennial_app::idempotency::StoredResponse;
use perennial_app::payments;
use perennial_domain::clients::Scope;
use perennial_domain::id::{PaymentId, SubscriptionId};
use perennial_domain::payments::{Payment, PaymentDraft, PaymentStatus};
use perennial_domain::time::Time;
use serde_json::{Value, json};

const COLLECTION: &str = "/subscription-payments";
const TAG: &str = "Subscription payments";

pub(crate) static CREATE: Operation = Operation {
    endpoint: Endpoint::CreatePayment,
    method: Method::POST,
    path: COLLECTION,
    id: "createPayment",
    tag: TAG,
    summary: "Create a payment",
    about: "With an `Idempotency-Key` a retry answers what the first request did.",
    access: Access::Scope(Scope::PaymentsWrite),
    query: &[],
    takes: Some(|| {
        let mut writer = SchemaWriter::default();
        draft(&mut writer);
        writer.finish()
    }),
    example: Some(|| {
        json!({
            "subscription_id": "sub_01h455vb4pex5vsknk084sn02q", "amount": 19.99, "currency": "USD",
            "external_payment_id": "ch_3OaBcD", "status": "completed"
        })
    }),
    answers: Answers::Created("Payment"),
    refuses: &[Code::ExternalIdTaken, Code::Contended],
};

pub(crate) static READ: Operation = Operation {
    endpoint: Endpoint::ReadPayment,
    method: Method::GET,
    path: "/subscription-payments/{payment_id}",
    id: "readPayment",
    tag: TAG,
    summary: "Read a payment",
    about: "`date` is when it last became completed.",
    access: Access::Own(Scope::PaymentsRead, Scope::PaymentsReadOwn),
    query: &[],
    takes: None,
    example: None,
    answers: Answers::Record("Payment"),
    refuses: &[],
};

pub(crate) static UPDATE: Operation = Operation {
    endpoint: Endpoint::UpdatePayment,
    method: Method::PUT,
    path: "/subscription-payments/{payment_id}",
    id: "updatePayment",
    tag: TAG,
    summary: "Update a payment",
    about: "Merges: what is left out stays as it is, a null clears what can be empty.",
    access: Access::Scope(Scope::PaymentsWrite),
    query: &[],
    takes: Some(|| {
        let mut writer = SchemaWriter::default();
        patch(&mut writer, None);
        writer.finish()
    }),
    example: Some(|| json!({ "status": "refunded" })),
    answers: Answers::Record("Payment"),
    refuses: &[Code::ExternalIdTaken, Code::InvalidTransition, Code::Contended],
};

pub(crate) static DELETE: Operation = Operation {
    endpoint: Endpoint::DeletePayment,
    method: Method::DELETE,
    path: "/subscription-payments/{payment_id}",
    id: "deletePayment",
    tag: TAG,
    summary: "Delete a payment",
    about: "Answers the payment as it was.",
    access: Access::Scope(Scope::PaymentsWrite),
    query: &[],
    takes: None,
    example: None,
    answers: Answers::Record("Payment"),
    refuses: &[Code::Contended],
};

pub(crate) async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    let (body, key) = call.keyed_body().await?;
    let (draft, faults) = body.read(|fields| draft(fields));
    let answer = payments::create(call.app, &call.caller, key.as_ref(), draft, faults, told).await?;
    Ok(Reply::answer(answer))
}

pub(crate) async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let payment = payments::read(call.app, &call.caller, id(&call.parameter)?).await?;
    Ok(record(&payment))
}

pub(crate) async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |payment: &Payment| body.read(|fields| patch(fields, Some(payment)));
    let payment = payments::update(call.app, &call.caller, id(&call.parameter)?, &if_match, read).await?;
    Ok(record(&payment))
}

pub(crate) async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    call.no_body().await?;
    let payment = payments::delete(call.app, &call.caller, id(&call.parameter)?, &if_match).await?;
    Ok(record(&payment))
}

/// The fields of a create.
pub(crate) fn draft(fields: &mut impl Fields) -> PaymentDraft {
    let draft = PaymentDraft {
        subscription_id: fields.required("/subscription_id", "The subscription it pays for."),
        amount: fields.required("/amount", "How much, with at most the currency's decimals."),
        currency: fields.required("/currency", "The amount's currency."),
        ..common(fields)
    };
    for at in ["/id", "/date", "/created_at", "/updated_at"] {
        fields.read_only(at);
    }
    draft
}

/// The fields of an update, and those that may be sent back as they stand.
pub(crate) fn patch(fields: &mut impl Fields, payment: Option<&Payment>) -> PaymentDraft {
    let patch = PaymentDraft {
        subscription_id: fields.optional("/subscription_id", "The subscription it pays for."),
        amount: fields.optional("/amount", "How much, with at most the currency's decimals."),
        currency: fields.optional("/currency", "The amount's currency."),
        ..common(fields)
    };
    fields.unchanged::<PaymentId>("/id", payment.map(|payment| &payment.id));
    fields.unchanged::<Time>("/created_at", payment.map(|payment| &payment.created_at));
    fields.ignored("/date");
    fields.ignored("/updated_at");
    patch
}

/// The fields that a create and an update read alike.
fn common(fields: &mut impl Fields) -> PaymentDraft {
    PaymentDraft {
        external_payment_id: fields
            .nullable::<External<255>>("/external_payment_id", "Its id in another system; the empty text is none.")
            .map(|sent| sent.and_then(|external| external.0)),
        status: fields.optional("/status", "Where it stands; pending unless given."),
        ..PaymentDraft::default()
    }
}

/// The schema of the record.
pub(crate) fn record_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<PaymentId>()),
        ("subscription_id", schema::id::<SubscriptionId>()),
        ("amount", json!({ "type": "number", "minimum": 0 })),
        ("currency", json!({ "type": "string", "pattern": "^[A-Z]{3}$" })),
        ("external_payment_id", json!({ "type": ["string", "null"] })),
        ("status", schema::words(&PaymentStatus::ALL.map(PaymentStatus::as_str))),
        ("date", schema::optional_instant()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

/// A record as it may be answered.
pub(crate) fn record_example() -> Value {
    json!({
        "id": "pay_01h455vb4pex5vsknk084sn02q", "subscription_id": "sub_01h455vb4pex5vsknk084sn02q", "amount": 19.99,
        "currency": "USD", "external_payment_id": "ch_3OaBcD", "status": "completed",
        "date": "2026-01-31T09:30:00.000000Z", "created_at": "2026-01-31T09:30:00.000000Z",
        "updated_at": "2026-01-31T09:30:00.000000Z"
    })
}

fn told(payment: &Payment) -> StoredResponse {
    created(payment, format!("{COLLECTION}/{}", payment.id), payment.revision, None)
}

fn record(payment: &Payment) -> Reply {
    Reply::record(payment, etag(payment.revision, None))
}

fn id(parameter: &str) -> Result<PaymentId, Problem> {
    parameter.parse().map_err(|_| Error::NotFound.into())
}
