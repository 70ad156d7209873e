//! `/authentication/delete-my-account`: users delete their own account.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::operation::{Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use crate::sessions::TAG;
use http::{Method, StatusCode};
use perennial_app::accounts;
use serde::Serialize;
use serde_json::json;

pub(crate) static OPERATIONS: &[Operation] = &[Operation {
    id: "deleteMyAccount",
    method: Method::DELETE,
    path: "/authentication/delete-my-account/{auth_id}",
    tag: TAG,
    summary: "Delete my account",
    description: "`auth_id` is the user's own `user.auth_id`, percent-encoded. Personal data is erased, all sessions end, \
            subscriptions are cancelled immediately, payments remain. The account at the identity provider is not changed.",
    access: Access::Session,
    query: QuerySpec::NONE,
    body: None,
    response: ResponseKind::Value(StatusCode::OK, &DELETED),
    errors: &[Code::NotAccountOwner, Code::FreshSignInRequired, Code::Contended, Code::OutcomeUnknown],
    handler: Handler::Write(|call| Box::pin(delete(call))),
}];

pub(crate) async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    accounts::delete(call.app, &call.caller, call.signed_in()?, &call.path_parameter(0)).await?;
    Ok(Reply::value(StatusCode::OK, Deleted { deleted: true }))
}

#[derive(Serialize)]
struct Deleted {
    deleted: bool,
}

static DELETED: Schema = Schema {
    name: "Deleted",
    definition: || schema::record(&[("deleted", json!({ "type": "boolean", "enum": [true] }))]),
    example: || samples::json(Deleted { deleted: true }),
    refers_to: &[],
};
