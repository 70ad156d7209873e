//! What an endpoint is: its path, who may call it, what it takes and answers.
//! The router, the access check and the OpenAPI document all read the same description.

use crate::error_codes::Code;
use http::{Method, StatusCode};
use perennial_domain::clients::Scope;
use serde_json::Value;

/// One endpoint.
pub(crate) struct Operation {
    pub(crate) endpoint: Endpoint,
    pub(crate) method: Method,
    /// The path; a last segment in braces is a parameter.
    pub(crate) path: &'static str,
    /// The name generated clients call it by.
    pub(crate) id: &'static str,
    pub(crate) tag: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) about: &'static str,
    pub(crate) access: Access,
    pub(crate) query: &'static [Parameter],
    /// The schema of the body it takes.
    pub(crate) takes: Option<fn() -> Value>,
    /// An example of that body.
    pub(crate) example: Option<fn() -> Value>,
    pub(crate) answers: Answers,
    /// What it may refuse with, beyond what every endpoint may.
    pub(crate) refuses: &'static [Code],
}

/// Which handler serves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    ListPlans,
    CreatePlan,
    ReadPlan,
    UpdatePlan,
    DeletePlan,
    ListSubscriptions,
    CreateSubscription,
    ReadSubscription,
    UpdateSubscription,
    DeleteSubscription,
    CreatePayment,
    ReadPayment,
    UpdatePayment,
    DeletePayment,
    SignUp,
    SignIn,
    CheckSession,
    RefreshToken,
    ListTokens,
    Logout,
    RevokeAll,
    RevokeAllExceptCurrent,
    RevokeOne,
    DeleteAccount,
    /// One that needs no client.
    System(System),
}

/// The endpoints around the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Live,
    Ready,
    Document,
    Reference,
    ReferenceStyle,
    ReferenceScript,
    ReferenceStart,
    Catalogue,
    SigningKeys,
}

/// Who may call it.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// Anyone; no client is named.
    Open,
    /// A client that holds the scope.
    Scope(Scope),
    /// A client that holds the first scope; or the second, and then a user's token for the user's own records.
    Own(Scope, Scope),
    /// A client that holds `auth`, with the token of a live session.
    Session,
    /// The same, but the session may have ended.
    Token,
}

/// A query parameter.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) schema: fn() -> Value,
}

/// What a success looks like.
#[derive(Clone, Copy)]
pub(crate) enum Answers {
    /// 200 with a record of this name.
    Record(&'static str),
    /// 201 with a record of this name and where it is.
    Created(&'static str),
    /// 200 with a page of records of this name.
    List(&'static str),
    /// This status with something of this name that is no record of its own.
    Told(StatusCode, &'static str),
    /// 200 with something of this media type.
    Plain(&'static str),
}

impl Operation {
    /// Whether it is there to change something.
    pub(crate) fn writes(&self) -> bool {
        self.method != Method::GET && self.endpoint != Endpoint::CheckSession
    }

    /// The path up to its parameter, and whether it has one.
    pub(crate) fn split_path(&self) -> (&'static str, bool) {
        match self.path.find("/{") {
            Some(end) => (&self.path[..end], true),
            None => (self.path, false),
        }
    }
}
