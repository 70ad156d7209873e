//! A call: one authorized request in a handler.
//! Its parts are checked in the documented order: query and headers, then the body, then the record.

use crate::access::Person;
use crate::deadline::Deadline;
use crate::error_codes::Code;
use crate::excerpt::excerpt;
use crate::fields::{AnyFields, Reader};
use crate::headers;
use crate::json::{self, Unreadable};
use crate::operator_access::Visit;
use crate::options::BodyLimits;
use crate::path::PathParameters;
use crate::problem::Problem;
use crate::query::{Query, decode};
use bytes::Bytes;
use http::HeaderName;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, USER_AGENT};
use http::request::Parts;
use perennial_app::business_time;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::idempotency::{Key, fingerprint};
use perennial_app::revision::IfMatch;
use perennial_app::sessions::{Device, SignedIn};
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use perennial_server::{BodyError, RequestBody};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::net::IpAddr;

/// The most fields of a form that are read.
const MAX_FORM_FIELDS: usize = 20;

/// One request.
pub(crate) struct Call<'a> {
    pub(crate) app: &'a App,
    pub(crate) caller: Caller,
    /// The caller's address, for sessions and rate limits.
    pub(crate) address: IpAddr,
    pub(crate) parameters: PathParameters<'a>,
    pub(crate) query: Query,
    /// The user.
    pub(crate) person: Person,
    pub(crate) parts: &'a Parts,
    pub(crate) limits: &'a BodyLimits,
    pub(crate) unread: Option<Unread<'a>>,
    /// Where a request of the console was sent. None: the request of a client.
    pub(crate) visit: Option<Visit<'a>>,
}

/// A body that was not read yet, and the deadline of the response.
pub(crate) struct Unread<'a> {
    pub(crate) body: RequestBody,
    pub(crate) deadline: &'a Deadline,
}

/// A body that is JSON.
pub(crate) struct Body(Bytes);

impl<'a> Call<'a> {
    /// The path's parameter at a position, decoded.
    pub(crate) fn path_parameter(&self, position: usize) -> Cow<'a, str> {
        self.parameters.get(position)
    }

    /// The user with an active session, if the operation needs one.
    pub(crate) fn signed_in(&self) -> Result<&SignedIn, Problem> {
        match &self.person {
            Person::SignedIn(signed_in) => Ok(signed_in),
            _ => Err(Problem::internal("the operation does not require a session")),
        }
    }

    /// The instant that is now for the caller's organization.
    pub(crate) async fn now(&self) -> Result<Time, Problem> {
        Ok(business_time::now(self.app, &self.caller).await?)
    }

    /// Where a request of the console was sent.
    pub(crate) fn visit(&self) -> Result<Visit<'a>, Problem> {
        self.visit.ok_or_else(|| Problem::internal("the operation is not one of the console"))
    }

    /// The device of a sign-in.
    pub(crate) fn device(&self) -> Device {
        const MAX_USER_AGENT: usize = 512;
        let user_agent = self.header(&USER_AGENT).map(|text| text.chars().take(MAX_USER_AGENT).collect());
        Device { ip_address: self.address.to_string(), user_agent }
    }

    /// The text of a header, if it exists and is text.
    pub(crate) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.parts.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The caller's condition on the record's revision.
    pub(crate) fn if_match(&mut self) -> IfMatch {
        headers::if_match(&self.parts.headers).unwrap_or_else(|detail| {
            self.query.header_error("if-match", detail);
            IfMatch::Unconditional
        })
    }

    /// Completes a request without a body. A body that was sent is read and discarded, within the limits.
    pub(crate) async fn no_body(&mut self) -> Result<(), Problem> {
        if let Err(detail) = headers::check_none_match(&self.parts.headers) {
            self.query.header_error("if-none-match", detail);
        }
        self.finish_query()?;
        self.bytes().await.map(|_| ())
    }

    /// The body, after checking its size, media type and syntax.
    pub(crate) async fn body(&mut self) -> Result<Body, Problem> {
        self.finish_query()?;
        let bytes = self.bytes().await?;
        self.check_type()?;
        Body::parse(bytes, self.limits.depth).map_err(|unreadable| match unreadable {
            Unreadable::Malformed(detail) => {
                Problem::new(Code::MalformedJson, format!("The body is not valid JSON: {detail}."))
            }
            Unreadable::TooDeep => Problem::new(
                Code::MalformedJson,
                format!("The body is nested deeper than {} levels.", self.limits.depth),
            ),
            Unreadable::DuplicateKey(key) => {
                Problem::new(Code::DuplicateKey, format!("The key {:?} occurs twice in one object.", excerpt(&key)))
            }
        })
    }

    /// The fields of a submitted form.
    pub(crate) async fn form(&mut self) -> Result<Vec<(String, String)>, Problem> {
        let bytes = self.bytes().await?;
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decode(name)?, decode(value)?))
        };
        Ok(text.split('&').take(MAX_FORM_FIELDS).filter_map(pair).collect())
    }

    /// The body, or an empty object if none was sent.
    pub(crate) async fn optional_body(&mut self) -> Result<Body, Problem> {
        let is_empty = self.unread.as_ref().is_none_or(|unread| unread.body.is_empty());
        if !is_empty {
            return self.body().await;
        }
        self.finish_query()?;
        Ok(Body(Bytes::from_static(b"{}")))
    }

    /// The body of a create, and its idempotency key.
    pub(crate) async fn keyed_body(&mut self) -> Result<(Body, Option<Key>), Problem> {
        let key = self.key();
        let body = self.body().await?;
        let key = key.map(|key| Key {
            key,
            fingerprint: fingerprint(self.parts.method.as_str(), self.parts.uri.path(), &body.0),
        });
        Ok((body, key))
    }

    /// The idempotency key. A dry run ignores a valid one.
    fn key(&mut self) -> Option<String> {
        let key = headers::idempotency_key(&self.parts.headers).unwrap_or_else(|detail| {
            self.query.header_error("idempotency-key", detail);
            None
        });
        key.filter(|_| !self.caller.is_dry_run)
    }

    /// The idempotency key of an action without a body.
    pub(crate) async fn key_without_body(&mut self) -> Result<Option<Key>, Problem> {
        let key = self.key();
        self.no_body().await?;
        let fingerprint = |key| Key {
            key,
            fingerprint: fingerprint(self.parts.method.as_str(), self.parts.uri.path(), &Bytes::new()),
        };
        Ok(key.map(fingerprint))
    }

    /// The body as it was sent, of any media type.
    pub(crate) async fn raw_body(&mut self) -> Result<Bytes, Problem> {
        self.finish_query()?;
        self.bytes().await
    }

    fn finish_query(&mut self) -> Result<(), Problem> {
        std::mem::replace(&mut self.query, Query::new(None, &[])).finish()
    }

    async fn bytes(&mut self) -> Result<Bytes, Problem> {
        let Some(Unread { body, deadline }) = self.unread.take() else { return Ok(Bytes::new()) };
        if body.is_empty() {
            return Ok(Bytes::new());
        }
        let body = body.read(self.limits.bytes, self.limits.timeout);
        deadline.while_arriving(body).await.map_err(|error| match error {
            BodyError::TooLarge => {
                Problem::new(Code::BodyTooLarge, format!("The body is larger than {} bytes.", self.limits.bytes))
            }
            BodyError::TimedOut => Problem::new(Code::RequestTimeout, "The body did not arrive in time."),
            BodyError::TooMany => Problem::new(Code::Overloaded, "Too many requests wait for a slow body."),
            BodyError::Aborted => Problem::new(Code::MalformedJson, "The body ended before it was complete."),
        })
    }

    fn check_type(&self) -> Result<(), Problem> {
        let headers = &self.parts.headers;
        let is_json = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|text| {
            let essence = text.split(';').next().unwrap_or_default().trim();
            essence.eq_ignore_ascii_case("application/json")
        });
        if headers.contains_key(CONTENT_ENCODING) {
            return Err(Problem::new(Code::UnsupportedMediaType, "A body with a Content-Encoding is not supported."));
        }
        if !is_json {
            return Err(Problem::new(Code::UnsupportedMediaType, "The body must be sent as application/json."));
        }
        Ok(())
    }
}

impl Body {
    /// Parses JSON that is nested no deeper than this.
    pub(crate) fn parse(bytes: Bytes, depth: usize) -> Result<Self, Unreadable> {
        json::read(&bytes, depth)?;
        Ok(Self(bytes))
    }

    /// Reads the fields of the body and collects all validation errors.
    pub(crate) fn read<T>(&self, fields: impl FnOnce(&mut Reader<'_>) -> T) -> (T, ValidationErrors) {
        let mut reader = Reader::new(self.raw());
        let value = fields(&mut reader);
        (value, reader.finish())
    }

    /// The validation errors of the body.
    pub(crate) fn errors(&self, fields: fn(&mut AnyFields<'_>)) -> ValidationErrors {
        let mut reader = AnyFields::Read(Reader::new(self.raw()));
        fields(&mut reader);
        reader.into_errors()
    }

    fn raw(&self) -> &RawValue {
        serde_json::from_slice(&self.0).expect("the body was parsed before")
    }
}
