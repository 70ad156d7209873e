//! `POST /subscription-payments/{payment_id}/collect`: collect a payment through a connection.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::headers::etag;
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::payments::PAYMENT;
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::Reply;
use http::Method;
use perennial_app::connections::collect::{self, CollectRequest};
use perennial_app::error::Error;
use perennial_domain::clients::Scope;
use perennial_domain::id::{ConnectionId, PaymentId};
use perennial_domain::lifecycle::billing::PaymentMethod;
use serde_json::{Value, json};

pub(crate) static OPERATIONS: &[Operation] = &[Operation {
    id: "collectPayment",
    method: Method::POST,
    path: "/subscription-payments/{payment_id}/collect",
    tag: "Subscription payments",
    summary: "Collect a payment",
    description: "Charges the customer through Stripe. The payment is `processing` until the result is known.",
    access: Access::Scope(Scope::PaymentsWrite),
    query: QuerySpec::NONE,
    body: Some(BodySpec {
        fields: |fields| {
            draft(fields);
        },
        example,
    }),
    response: ResponseKind::Record(&PAYMENT),
    errors: &[Code::InvalidTransition, Code::CollectingDisabled, Code::Contended, Code::ProviderManaged],
    handler: Handler::Write(|call| Box::pin(collect(call))),
}];

async fn collect(mut call: Call<'_>) -> Result<Reply, Problem> {
    let body = call.optional_body().await?;
    let id: PaymentId = call.path_parameter(0).parse().map_err(|_| Problem::from(Error::NotFound))?;
    let (request, errors) = body.read(|fields| draft(fields));
    let payment = collect::begin(call.app, &call.caller, id, &request, errors).await?;
    Ok(Reply::record(&payment, etag(payment.revision, None)))
}

fn draft(fields: &mut impl Fields) -> CollectRequest {
    let connection_id = fields.optional::<ConnectionId>("/connection_id", "The connection that collects.");
    let method = fields.optional::<PaymentMethod>(
        "/payment_method",
        "The ID of the payment method at the provider. Defaults to the subscription's, then to the customer's.",
    );
    CollectRequest { connection_id, payment_method: method.map(|method| method.as_str().to_owned()) }
}

fn example() -> Value {
    json!({ "connection_id": "con_01h455vb4pex5vsknk084sn02q", "payment_method": "pm_1OaBcD" })
}
