//! What an operation is: its path, who may call it, what it takes and returns, and the function that handles it.
//!
//! The router, the access check, the metrics, the OpenAPI document and the fuzz targets all read this description, so
//! that an operation is added in one place.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::{AnyFields, SchemaWriter};
use crate::path::PathParameters;
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::Reply;
use crate::schema::Schema;
use crate::state::State;
use http::{Method, StatusCode};
use serde_json::Value;
use std::pin::Pin;

/// One operation: a method of a path.
pub(crate) struct Operation {
    /// The name in generated clients.
    pub(crate) id: &'static str,
    pub(crate) method: Method,
    /// The path; segments in braces are parameters, and `{*name}` at the end is the rest of the path.
    pub(crate) path: &'static str,
    pub(crate) tag: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    pub(crate) access: Access,
    pub(crate) query: QuerySpec,
    pub(crate) body: Option<BodySpec>,
    pub(crate) response: ResponseKind,
    /// The errors it may return in addition to those of every operation.
    pub(crate) errors: &'static [Code],
    pub(crate) handler: Handler,
}

/// What a handler returns. The future is in a box of its size: what hyper moves for every request is a pointer and
/// not the largest of the handlers' futures.
pub(crate) type Handling<'a> = Pin<Box<dyn Future<Output = Result<Reply, Problem>> + Send + 'a>>;

/// The function that handles an operation.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// Needs no client.
    Open(for<'a> fn(OpenCall<'a>) -> Handling<'a>),
    /// Changes nothing, whatever its method.
    Read(for<'a> fn(Call<'a>) -> Handling<'a>),
    Write(for<'a> fn(Call<'a>) -> Handling<'a>),
}

/// A request that needs no client.
pub(crate) struct OpenCall<'a> {
    pub(crate) state: &'a State,
    #[expect(dead_code, reason = "no open path has parameters yet; static assets under a wildcard will")]
    pub(crate) parameters: PathParameters<'a>,
}

/// The JSON body that an operation takes.
pub(crate) struct BodySpec {
    /// Names the fields: the schema is written from it, and the handler reads the body with the same function.
    pub(crate) fields: for<'a, 'b> fn(&'a mut AnyFields<'b>),
    pub(crate) example: fn() -> Value,
}

/// What a success looks like.
#[derive(Clone, Copy)]
pub(crate) enum ResponseKind {
    /// 200 with a record.
    Record(&'static Schema),
    /// 200 with a record after an action, which a caller may retry with an idempotency key.
    Acted(&'static Schema),
    /// 201 with a record and its location.
    Created(&'static Schema),
    /// The same, in a response that contains a secret. It is never stored, so there is no idempotency key.
    CreatedOnce(&'static Schema),
    /// 200 with a page of records.
    List(&'static Schema),
    /// The same, and one more member with this name about all of them.
    ListWith(&'static Schema, &'static str, &'static Schema),
    /// 200 with rows of figures, and with `meta` about them.
    Figures(&'static Schema),
    /// The same with a page of rows.
    FiguresPage(&'static Schema),
    /// This status with something that has no path.
    Value(StatusCode, &'static Schema),
    /// 200 with something of this media type.
    Media(&'static str),
    /// 200 with an invoice or credit note as HTML or PDF.
    Document,
    /// 303 to another page.
    Redirect,
}

impl Operation {
    /// Whether it may change something.
    pub(crate) const fn writes(&self) -> bool {
        matches!(self.handler, Handler::Write(_))
    }
}

impl BodySpec {
    /// The schema of the body.
    pub(crate) fn schema(&self) -> Value {
        let mut fields = AnyFields::Schema(SchemaWriter::default());
        (self.fields)(&mut fields);
        fields.into_schema()
    }
}

impl ResponseKind {
    /// The schema of the record or value, where there is one.
    pub(crate) const fn schema(self) -> Option<&'static Schema> {
        match self {
            Self::Record(schema)
            | Self::Acted(schema)
            | Self::Created(schema)
            | Self::CreatedOnce(schema)
            | Self::List(schema)
            | Self::ListWith(schema, ..)
            | Self::Figures(schema)
            | Self::FiguresPage(schema)
            | Self::Value(_, schema) => Some(schema),
            Self::Media(_) | Self::Document | Self::Redirect => None,
        }
    }
}
