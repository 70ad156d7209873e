//! `/authentication/delete-my-account`: a person's account is theirs to delete, and nobody else's.

use crate::call::Call;
use crate::error_codes::Code;
use crate::filters::schema;
use crate::operation::{Access, Answers, Endpoint, Operation};
use crate::problem::Problem;
use crate::reply::Reply;
use crate::sessions::TAG;
use http::{Method, StatusCode};
use perennial_app::accounts;
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) static DELETE: Operation = Operation {
    endpoint: Endpoint::DeleteAccount,
    method: Method::DELETE,
    path: "/authentication/delete-my-account/{auth_id}",
    id: "deleteMyAccount",
    tag: TAG,
    summary: "Delete my account",
    about: "`auth_id` is the caller's own `user.auth_id`, percent-encoded. The person is erased, every session ends, \
            subscriptions are cancelled as of now, payments stay. The account at the identity provider is not touched.",
    access: Access::Session,
    query: &[],
    takes: None,
    example: None,
    answers: Answers::Told(StatusCode::OK, "Deleted"),
    refuses: &[Code::NotAccountOwner, Code::FreshSignInRequired, Code::Contended, Code::OutcomeUnknown],
};

pub(crate) async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    accounts::delete(call.app, &call.caller, call.signed_in()?, &call.parameter).await?;
    Ok(Reply::told(StatusCode::OK, Deleted { deleted: true }))
}

#[derive(Serialize)]
struct Deleted {
    deleted: bool,
}

/// The schema of what it answers.
pub(crate) fn deleted_schema() -> Value {
    schema::record(&[("deleted", json!({ "type": "boolean", "enum": [true] }))])
}

/// What it answers.
pub(crate) fn deleted_example() -> Value {
    json!({ "deleted": true })
}
