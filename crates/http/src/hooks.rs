//! `/hooks/{connection_id}`: the receiver of webhooks from payment providers. It needs no client: the signature of the raw
//! body is the credential. A valid signature is never limited; behind a proxy an attacker may share the provider's address.

use crate::access::Access;
use crate::call::Call;
use crate::connections::connection_id;
use crate::error_codes::Code;
use crate::limits;
use crate::operation::{Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use http::{Method, StatusCode};
use perennial_app::connections::receive::{self, Received};
use serde::Serialize;

pub(crate) static OPERATIONS: &[Operation] = &[Operation {
    id: "receiveProviderWebhook",
    method: Method::POST,
    path: "/hooks/{connection_id}",
    tag: "Connections",
    summary: "Receive a webhook of a payment provider",
    description: "For payment providers. The raw body is verified with the provider's signature header: \
                  `Stripe-Signature`, `X-Signature` or `Paddle-Signature`. Any `Content-Type` is accepted. The response is \
                  sent after the webhook is stored.",
    access: Access::Open,
    query: QuerySpec::NONE,
    body: None,
    response: ResponseKind::Value(StatusCode::OK, &RECEIVED),
    errors: &[Code::InvalidSignature, Code::BodyTooLarge, Code::RateLimited, Code::StorageUnavailable],
    handler: Handler::Write(|call| Box::pin(receive(call))),
}];

static RECEIVED: Schema = Schema {
    name: "ReceivedWebhook",
    definition: || schema::record(&[("received", schema::boolean())]),
    example: || samples::json(ReceivedView { received: true }),
    refers_to: &[],
};

#[derive(Serialize)]
struct ReceivedView {
    received: bool,
}

async fn receive(mut call: Call<'_>) -> Result<Reply, Problem> {
    let id = connection_id(&call)?;
    let header = receive::signature_header(call.app, id).await?;
    let mut values = call.parts.headers.get_all(header).iter();
    let signature = values.next().and_then(|value| value.to_str().ok()).map(str::to_owned);
    // Two headers would leave open which of them is meant.
    let signature = signature.filter(|_| values.next().is_none());
    let body = call.raw_body().await?;
    match receive::receive(call.app, id, signature.as_deref(), &body).await? {
        Received::Stored => Ok(Reply::value(StatusCode::OK, ReceivedView { received: true })),
        Received::InvalidSignature => {
            limits::admit_invalid_signature(&call).await?;
            Err(Problem::new(
                Code::InvalidSignature,
                "The signature is missing or wrong, or its time differs by more than 300 seconds.",
            ))
        }
    }
}
