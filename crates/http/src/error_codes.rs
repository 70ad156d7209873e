//! The error catalogue: every code the service answers with, its status, what it means and what the caller does.
//! `docs/errors.md` and the page behind a problem's `type` are written from it.

use http::StatusCode;
use perennial_domain::validation::ValidationCode;
use std::fmt::Write as _;

/// Where a problem's `type` points.
pub(crate) const CATALOGUE_PATH: &str = "/docs/errors";

/// What the catalogue says of a code.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) code: &'static str,
    pub(crate) status: StatusCode,
    pub(crate) title: &'static str,
    pub(crate) remedy: &'static str,
}

macro_rules! catalogue {
    ($($code:ident $name:literal $status:ident $title:literal $remedy:literal;)*) => {
        /// The codes of whole answers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Code { $($code),* }

        impl Code {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$code),*];

            pub(crate) const fn entry(self) -> Entry {
                match self {
                    $(Self::$code => Entry { code: $name, status: StatusCode::$status, title: $title, remedy: $remedy }),*
                }
            }
        }
    };
}

catalogue! {
    MalformedJson "malformed_json" BAD_REQUEST "The body is not JSON"
        "Send one JSON value in UTF-8, nested no deeper than the limit.";
    DuplicateKey "duplicate_key" BAD_REQUEST "A JSON key stands twice"
        "Send each member of an object once.";
    InvalidParameter "invalid_parameter" BAD_REQUEST "A query parameter is wrong"
        "Correct the parameters named in `errors`; each is sent once, and `+` in a value is written `%2B`.";
    UnknownParameter "unknown_parameter" BAD_REQUEST "A query parameter is unknown"
        "Leave out the parameters named in `errors`, or look for their right names in the reference.";
    InvalidCursor "invalid_cursor" BAD_REQUEST "The cursor does not belong here"
        "Send `next_cursor` as it was given, with the same filters and sort; or start again without a cursor.";
    InvalidHeader "invalid_header" BAD_REQUEST "A header is wrong"
        "Correct the headers named in `errors`.";
    ClientIdRequired "client_id_required" UNAUTHORIZED "No client named"
        "Send the header `client-id` with your client's id.";
    InvalidClient "invalid_client" UNAUTHORIZED "The client is not known"
        "Check the id; the operator sees with `perennial client list` whether the client is disabled or expired.";
    TokenRequired "token_required" UNAUTHORIZED "A user must be signed in"
        "Send `Authorization: Bearer …` with a user's access token.";
    InvalidToken "invalid_token" UNAUTHORIZED "The access token is not good here"
        "Refresh it, or sign in again; a token works with the client it was issued to and with trusted ones that hold `auth`.";
    InvalidIdentityToken "invalid_identity_token" UNAUTHORIZED "The identity provider's token is not accepted"
        "Send a fresh token of a provider this organization has, made for its audience; the log says what is wrong.";
    EmailMismatch "email_mismatch" UNAUTHORIZED "The token is for another e-mail address"
        "Send the address that the identity provider put into the token.";
    EmailNotVerified "email_not_verified" UNAUTHORIZED "The e-mail address is not verified"
        "Have the person confirm the address at the identity provider first.";
    InvalidRefreshToken "invalid_refresh_token" UNAUTHORIZED "The refresh token is not good here"
        "Sign in again; a refresh token works with the client it was issued to, until its session ends.";
    RefreshTokenExpired "refresh_token_expired" UNAUTHORIZED "The session has expired"
        "Sign in again: a session ends after 30 days without a refresh, and after 90 in any case.";
    RefreshTokenReused "refresh_token_reused" UNAUTHORIZED "The refresh token was used twice"
        "The session has been ended, in case the token was stolen. Sign in again, and keep the newest token.";
    InsufficientScope "insufficient_scope" FORBIDDEN "The client may not do this"
        "Use a client that holds the scope in `required_scope`, or have the operator grant it.";
    ClientNotForBrowsers "client_not_for_browsers" FORBIDDEN "A trusted client must not be used from a browser"
        "Call from a server; a browser uses a public client. If the id was shipped to browsers, rotate it.";
    AddressNotAllowed "address_not_allowed" FORBIDDEN "The client may not call from this address"
        "Call from an address on the client's list, or have the operator extend it.";
    NotAccountOwner "not_account_owner" FORBIDDEN "The account is not the caller's"
        "Send the caller's own `auth_id`, as `user-logged-in` answers it.";
    FreshSignInRequired "fresh_sign_in_required" FORBIDDEN "The person signed in too long ago"
        "Sign in again, then repeat the call within 24 hours; refreshing does not count.";
    UserBlocked "user_blocked" FORBIDDEN "User blocked"
        "Contact the operator, who can unblock the user with `perennial user unblock`.";
    RouteNotFound "route_not_found" NOT_FOUND "There is nothing at this path"
        "Look for the path in the reference at `/docs`.";
    NotFound "not_found" NOT_FOUND "There is no such record"
        "Check the id or slug; the record may have been deleted, or belong to someone else.";
    UserNotFound "user_not_found" NOT_FOUND "Nobody has signed up with this identity"
        "Call sign-up first.";
    MethodNotAllowed "method_not_allowed" METHOD_NOT_ALLOWED "The path does not take this method"
        "Use one of the methods in the header `Allow`.";
    RequestTimeout "request_timeout" REQUEST_TIMEOUT "The request took too long to arrive"
        "Send the whole body in one go, then try again.";
    AnswerTimeout "answer_timeout" SERVICE_UNAVAILABLE "The answer took too long"
        "Try again after the seconds in `Retry-After`; send the same `Idempotency-Key` if it was a create.";
    SlugTaken "slug_taken" CONFLICT "Another plan has this slug"
        "Choose another slug, or update the plan that has it.";
    PlanInUse "plan_in_use" CONFLICT "Subscriptions refer to the plan"
        "Retire the plan with `is_active: false`; it can be deleted once no subscription refers to it.";
    PlanInactive "plan_inactive" CONFLICT "The plan is retired"
        "Choose an active plan, or activate this one first.";
    ExternalIdTaken "external_id_taken" CONFLICT "Another record has this external id"
        "The record in `conflicting_id` has it: update that one, or send another external id.";
    InvalidTransition "invalid_transition" CONFLICT "The status does not lead there"
        "Send one of the statuses in `allowed`.";
    UserAlreadyExists "user_already_exists" CONFLICT "The person has signed up before"
        "Call sign-in instead.";
    EmailTaken "email_taken" CONFLICT "Another identity has this e-mail address"
        "Sign in the way the address was first used; accounts are never linked by an address.";
    IdempotencyInFlight "idempotency_in_flight" CONFLICT "The same request is still being answered"
        "Wait a moment and send it again with the same key.";
    Contended "contended" CONFLICT "Too many writers at this record at once"
        "Nothing was changed. Try again.";
    Stale "stale" PRECONDITION_FAILED "The record has changed meanwhile"
        "Read it again, look at what changed, and send the new ETag in `If-Match`.";
    BodyTooLarge "body_too_large" PAYLOAD_TOO_LARGE "The body is too large"
        "Send a smaller body.";
    TargetTooLong "target_too_long" URI_TOO_LONG "The path and query are too long"
        "Send a shorter target.";
    UnsupportedMediaType "unsupported_media_type" UNSUPPORTED_MEDIA_TYPE "The body is not application/json"
        "Send `Content-Type: application/json` and no `Content-Encoding`.";
    InvalidInput "invalid_input" UNPROCESSABLE_ENTITY "Several fields are wrong"
        "Correct all the fields named in `errors`.";
    IdempotencyKeyReused "idempotency_key_reused" UNPROCESSABLE_ENTITY "The key belongs to another request"
        "Use a new key for a new request; a retry repeats the body byte for byte.";
    RateLimited "rate_limited" TOO_MANY_REQUESTS "Too many attempts"
        "Try again after the seconds in `Retry-After`.";
    HeadersTooLarge "headers_too_large" REQUEST_HEADER_FIELDS_TOO_LARGE "The headers are too large"
        "Send fewer or smaller headers.";
    Internal "internal" INTERNAL_SERVER_ERROR "Something went wrong on our side"
        "Try again; if it stays, give the operator the `request_id`.";
    Overloaded "overloaded" SERVICE_UNAVAILABLE "The server has more work than it can do"
        "Nothing was changed. Try again after the seconds in `Retry-After`.";
    ShuttingDown "shutting_down" SERVICE_UNAVAILABLE "The server is stopping"
        "Nothing was changed. Try again: another server will answer.";
    StorageUnavailable "storage_unavailable" SERVICE_UNAVAILABLE "The database cannot be reached"
        "Nothing was changed. Try again after the seconds in `Retry-After`.";
    IdentityProviderUnavailable "identity_provider_unavailable" SERVICE_UNAVAILABLE "No identity provider can be asked"
        "Try again after the seconds in `Retry-After`; the operator sees why with `perennial provider check`.";
    OutcomeUnknown "outcome_unknown" SERVICE_UNAVAILABLE "The database was lost while it was committing"
        "The change was made or it was not: send it again with the same `Idempotency-Key`, or read the record.";
}

/// What the catalogue says of one fault in an input.
pub(crate) const fn fault_entry(fault: ValidationCode) -> Entry {
    let (title, remedy) = match fault {
        ValidationCode::Required => ("A required field is missing", "Send the field."),
        ValidationCode::NotNullable => ("A field cannot be null", "Send a value, or leave the field out."),
        ValidationCode::InvalidType => {
            ("A field has the wrong JSON type", "Send the type the reference shows; a number is not sent as text.")
        }
        ValidationCode::TooShort => ("A text is too short", "Send a longer text."),
        ValidationCode::TooLong => ("A text or a list is too long", "Send a shorter one."),
        ValidationCode::OutOfRange => {
            ("A value is out of range", "Send a value within the bounds that `detail` names.")
        }
        ValidationCode::TooManyDecimals => {
            ("An amount has too many decimals", "Send no more decimals than the currency has.")
        }
        ValidationCode::InvalidText => {
            ("A text holds a character it must not", "Leave out control characters and marks that reorder text.")
        }
        ValidationCode::InvalidFormat => ("A text is not of the field's form", "Send the form that `detail` shows."),
        ValidationCode::UnknownValue => {
            ("A word is not in the vocabulary", "Send one of the words that `detail` lists.")
        }
        ValidationCode::Ambiguous => ("A word is read in two ways", "Send the word that says which one you mean."),
        ValidationCode::DuplicateItem => ("An item stands twice in a list", "Send each item once."),
        ValidationCode::NotFound => ("A reference leads nowhere", "Send the id of a record that exists."),
        ValidationCode::Inconsistent => ("Two fields contradict each other", "Change one of them, as `detail` says."),
        ValidationCode::UnknownField => {
            ("A field is unknown", "Leave the field out, or look for its right name in the reference.")
        }
        ValidationCode::ReadOnlyField => ("A field cannot be set", "Leave the field out, or send it as it stands."),
    };
    Entry { code: fault.as_str(), status: StatusCode::UNPROCESSABLE_ENTITY, title, remedy }
}

/// The catalogue's entries, by status and then by code. A name that answers with two statuses has two entries.
pub(crate) fn entries() -> Vec<Entry> {
    let mut entries: Vec<Entry> = Code::ALL.iter().map(|code| code.entry()).collect();
    entries.extend(ValidationCode::ALL.map(fault_entry));
    entries.sort_by_key(|entry| (entry.status.as_u16(), entry.code));
    entries
}

/// The catalogue as Markdown.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Errors\n\n\
         Every refusal is an `application/problem+json` document (RFC 9457) with a stable `code`. Bad input lists all its\n\
         faults at once in `errors`; where they share one code, the problem carries that code, else `invalid_input`.\n\
         `errors` has at most 100 items. If there are more, `errors_omitted` is the number of those that are not listed.\n\n\
         This page is generated from the code: `cargo xtask openapi`.\n",
    );
    let mut status = None;
    for entry in entries() {
        if status != Some(entry.status) {
            status = Some(entry.status);
            let _ = write!(page, "\n## {}\n\n| Code | What it means | What to do |\n|---|---|---|\n", entry.status);
        }
        let _ = writeln!(page, "| `{}` | {} | {} |", entry.code, entry.title, entry.remedy);
    }
    page
}

/// The catalogue as a page, each code an anchor.
pub(crate) fn html() -> String {
    let mut page = String::from(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Perennial: errors</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;\
         padding:0 1rem;color:#1c2b24}section{padding:.5rem 1rem;border-left:3px solid #cfe3d6;margin:1rem 0}\
         section:target{border-color:#1f7a4d;background:#eef7f1}h2{font-size:1rem;margin:0}code{font-size:1rem}\
         small{color:#5b6f65}p{margin:.25rem 0}</style><h1>Errors</h1>",
    );
    let mut told = Vec::new();
    for Entry { code, status, title, remedy } in entries() {
        // A name with two statuses is one place to link to.
        let anchor = if told.contains(&code) { String::new() } else { format!(" id=\"{code}\"") };
        told.push(code);
        let (status, remedy) = (status.as_u16(), code_marked(remedy));
        let _ = write!(
            page,
            "<section{anchor}><h2><code>{code}</code> <small>{status}</small></h2><p>{title}.</p><p>{remedy}</p></section>"
        );
    }
    page
}

/// Text as HTML, what stands between backticks as code.
fn code_marked(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let pieces = escaped.split('`').enumerate();
    pieces
        .map(|(place, piece)| if place % 2 == 1 { format!("<code>{piece}</code>") } else { piece.to_owned() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_one_entry_a_status() {
        let entries = entries();
        for pair in entries.windows(2) {
            assert_ne!((pair[0].status, pair[0].code), (pair[1].status, pair[1].code));
        }
        assert!(entries.iter().all(|entry| entry.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')));
    }

    #[test]
    fn both_pages_hold_every_code() {
        for entry in entries() {
            assert!(markdown().contains(&format!("| `{}` |", entry.code)), "{}", entry.code);
            assert!(html().contains(&format!("id=\"{}\"", entry.code)), "{}", entry.code);
        }
    }
}
