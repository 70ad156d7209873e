//! The error codes: each with its status, its title and a remedy.
//! `docs/errors.md` and the page that a problem's `type` links to are generated from them.

use http::StatusCode;
use perennial_domain::validation::ValidationCode;
use std::fmt::Write as _;

/// The page that a problem's `type` links to.
pub(crate) const ERRORS_PATH: &str = "/docs/errors";

/// The description of a code.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) code: &'static str,
    pub(crate) status: StatusCode,
    pub(crate) title: &'static str,
    pub(crate) remedy: &'static str,
}

macro_rules! error_codes {
    ($($code:ident $name:literal $status:ident $title:literal $remedy:literal;)*) => {
        /// The codes of problems.
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

error_codes! {
    MalformedJson "malformed_json" BAD_REQUEST "Malformed JSON"
        "Send one JSON value in UTF-8, nested no deeper than the limit.";
    DuplicateKey "duplicate_key" BAD_REQUEST "Duplicate JSON key"
        "Send each member of an object once.";
    InvalidParameter "invalid_parameter" BAD_REQUEST "Invalid query parameter"
        "Correct the parameters listed in `errors`. Send each parameter once, and encode `+` in a value as `%2B`.";
    UnknownParameter "unknown_parameter" BAD_REQUEST "Unknown query parameter"
        "Remove the parameters listed in `errors`, or look up their names in the reference.";
    InvalidCursor "invalid_cursor" BAD_REQUEST "Invalid cursor"
        "Send `next_cursor` unchanged with the same filters and sort order, or start again without a cursor.";
    CursorGone "cursor_gone" GONE "Cursor no longer valid"
        "Read your records again, then read the feed with `start=oldest`. `restored` is true if the store was restored to an earlier state.";
    InvalidHeader "invalid_header" BAD_REQUEST "Invalid header"
        "Correct the headers listed in `errors`.";
    AmbiguousCredentials "ambiguous_credentials" BAD_REQUEST "Ambiguous credentials"
        "Send `client-id` or `x-perennial-console`, not both.";
    ClientIdRequired "client_id_required" UNAUTHORIZED "Client ID required"
        "Send your client's ID in the header `client-id`.";
    InvalidClient "invalid_client" UNAUTHORIZED "Invalid client"
        "Check the ID. The operator can check with `perennial client list` whether the client is disabled or expired.";
    TokenRequired "token_required" UNAUTHORIZED "Access token required"
        "Send a user's access token as `Authorization: Bearer …`.";
    InvalidToken "invalid_token" UNAUTHORIZED "Invalid access token"
        "Refresh the token or sign in again. A token works with the client it was issued to, and with trusted clients that hold `auth`.";
    InvalidIdentityToken "invalid_identity_token" UNAUTHORIZED "Invalid identity token"
        "Send a fresh token of one of the organization's identity providers, issued for its audience. The server's log has the reason.";
    EmailMismatch "email_mismatch" UNAUTHORIZED "E-mail address mismatch"
        "Send the address that is in the identity provider's token.";
    EmailNotVerified "email_not_verified" UNAUTHORIZED "E-mail address not verified"
        "Have the user verify the address at the identity provider first.";
    InvalidRefreshToken "invalid_refresh_token" UNAUTHORIZED "Invalid refresh token"
        "Sign in again. A refresh token works with the client it was issued to, until its session ends.";
    RefreshTokenExpired "refresh_token_expired" UNAUTHORIZED "Session expired"
        "Sign in again. A session ends after 30 days without a refresh, and after 90 days in any case.";
    RefreshTokenReused "refresh_token_reused" UNAUTHORIZED "Refresh token reused"
        "Sign in again and store only the newest refresh token. The session was ended because the token may have been stolen.";
    OperatorSessionRequired "operator_session_required" UNAUTHORIZED "Operator session required"
        "Sign in with a one-time link (`perennial console open`) or at the identity provider in `provider`.";
    InvalidLink "invalid_link" UNAUTHORIZED "Invalid one-time link"
        "Create another link. A link works once, for ten minutes.";
    InvalidSignature "invalid_signature" UNAUTHORIZED "Invalid signature"
        "Check the webhook secret of the connection (`perennial connection rotate`) and the clocks of both sides.";
    InsufficientScope "insufficient_scope" FORBIDDEN "Insufficient scope"
        "Use a client that holds the scope in `required_scope`, or an operator whose role has it. No caller can grant a scope that it does not hold.";
    ClientNotForBrowsers "client_not_for_browsers" FORBIDDEN "Trusted client not allowed in a browser"
        "Call from a server, and use a public client in browsers. If the ID was exposed to browsers, rotate it.";
    AddressNotAllowed "address_not_allowed" FORBIDDEN "IP address not allowed"
        "Call from an address on the client's list, or have the operator extend the list.";
    CrossSiteRequest "cross_site_request" FORBIDDEN "Cross-site request not allowed"
        "Call from a page of the console, with `x-perennial-console: 1`.";
    NotAccountOwner "not_account_owner" FORBIDDEN "Account of another user"
        "Send the caller's own `auth_id`, as `user-logged-in` returns it.";
    FreshSignInRequired "fresh_sign_in_required" FORBIDDEN "Recent sign-in required"
        "Sign in again and repeat the call: within 24 hours as a user, within 15 minutes as an operator. A refresh does not count as a sign-in.";
    UserBlocked "user_blocked" FORBIDDEN "User blocked"
        "Contact the operator, who can unblock the user with `perennial user unblock`.";
    RouteNotFound "route_not_found" NOT_FOUND "Path not found"
        "Look up the path in the reference at `/docs`.";
    NotFound "not_found" NOT_FOUND "Record not found"
        "Check the ID or slug. The record may have been deleted, or belong to another user or organization.";
    UserNotFound "user_not_found" NOT_FOUND "User not found"
        "Call sign-up first.";
    MethodNotAllowed "method_not_allowed" METHOD_NOT_ALLOWED "Method not allowed"
        "Use one of the methods in the header `Allow`.";
    RequestTimeout "request_timeout" REQUEST_TIMEOUT "Request timeout"
        "Send the whole body without pauses, then retry.";
    AnswerTimeout "answer_timeout" SERVICE_UNAVAILABLE "Response timeout"
        "Retry after the seconds in `Retry-After`. For a create, send the same `Idempotency-Key`.";
    SlugTaken "slug_taken" CONFLICT "Slug already in use"
        "Choose another slug, or update the record that uses it.";
    PlanInUse "plan_in_use" CONFLICT "Plan in use"
        "Retire the plan with `is_active: false`. You can delete it once no subscription refers to it.";
    PlanInactive "plan_inactive" CONFLICT "Plan inactive"
        "Choose an active plan, or activate this one first.";
    ExternalIdTaken "external_id_taken" CONFLICT "External ID already in use"
        "Update the record in `conflicting_id`, or send another external ID.";
    InvalidTransition "invalid_transition" CONFLICT "Status transition not allowed"
        "Send one of the statuses in `allowed`.";
    ManagedStatus "managed_status" CONFLICT "Status set by the service"
        "Omit `status`, or send one of those in `allowed`. The service sets the status of a billed subscription.";
    ChangeNotAllowed "change_not_allowed" CONFLICT "Change of plan or quantity not allowed"
        "Change the plan or the quantity while the subscription is pending, on_trial, active or past_due, or send `billing.change`.";
    TooManyChanges "too_many_changes" CONFLICT "Too many plan changes"
        "Wait for the next period, or send `billing.change`.";
    LifecycleBehind "lifecycle_behind" CONFLICT "Lifecycle behind"
        "Retry after a moment. If the organization is held, the operator can release it with `perennial lifecycle resume`.";
    ProviderManaged "provider_managed" CONFLICT "Record managed by a payment provider"
        "Change the record at the payment provider, or disable the connection in `connection_id` with `perennial connection disable`.";
    CollectingDisabled "collecting_disabled" CONFLICT "Collecting disabled"
        "Allow the connection to collect with `perennial connection update --collect`.";
    ConnectionInUse "connection_in_use" CONFLICT "Connection in use"
        "Remove the connection with `perennial connection remove --release`, which clears `managed_by` first.";
    UserAlreadyExists "user_already_exists" CONFLICT "User already exists"
        "Call sign-in instead.";
    EmailTaken "email_taken" CONFLICT "E-mail address already in use"
        "Sign in with the identity that first used the address. Accounts are never linked by e-mail address.";
    EmailManaged "email_managed" CONFLICT "E-mail address managed by the identity provider"
        "Change the address at the identity provider. The next sign-in stores it.";
    ClientIdTaken "client_id_taken" CONFLICT "Client ID already in use"
        "Choose another `client_id`, or omit it. Client IDs are unique in the installation.";
    ClientDisabled "client_disabled" CONFLICT "Client disabled"
        "Create another client. The operator can enable this one with `perennial client enable`.";
    NameTaken "name_taken" CONFLICT "Name already in use"
        "Choose another name.";
    OwnOperator "own_operator" CONFLICT "Change of the own operator not allowed"
        "Have another operator or the command line change the role, disable or delete this operator.";
    OperatorDisabled "operator_disabled" CONFLICT "Operator disabled"
        "Enable the operator first with `is_active: true`.";
    LinkLimit "link_limit" CONFLICT "Too many unused links"
        "Use one of the links, or wait until they expire after ten minutes.";
    EndpointLimit "endpoint_limit" CONFLICT "Too many webhook endpoints"
        "Delete an endpoint, or send more event types to one of them.";
    EndpointDisabled "endpoint_disabled" CONFLICT "Webhook endpoint disabled"
        "Enable the endpoint first with `is_active: true`.";
    SecretLimit "secret_limit" CONFLICT "Too many valid secrets"
        "Wait until an old secret expires, or send `overlap_seconds: 0` to end all old ones.";
    NotATestOrganization "not_a_test_organization" CONFLICT "Not a test organization"
        "Create a test organization with `perennial org create --test`. An organization is live or test permanently.";
    ClockExists "clock_exists" CONFLICT "Test clock exists"
        "Use the clock of the organization, or delete it first with its records.";
    ClockAdvancing "clock_advancing" CONFLICT "Test clock advancing"
        "Read `/test-clock` until its `status` is neither `advancing` nor `deleting`, then repeat the request.";
    MeterInUse "meter_in_use" CONFLICT "Meter in use"
        "Remove the charges of the meter from all plans and deactivate the features that use it first.";
    FeatureKeyTaken "key_taken" CONFLICT "Feature key already in use"
        "Choose another key, or update the feature that uses it.";
    FeatureLimit "feature_limit" CONFLICT "Too many features"
        "Use one of the existing features. An organization has at most 500, active or not.";
    AlreadyMember "already_member" CONFLICT "Already a member"
        "Read `/subscriptions/{id}/members`. The owner of a subscription is never one of its members.";
    SeatLimit "seat_limit" CONFLICT "No seat left"
        "Remove a member, or grant the subscription more `seats`. The owner has one of them, and there are at most 1,000 members.";
    TokenTooLarge "token_too_large" CONFLICT "Token too large"
        "Deactivate features that your application does not check, or read `/users/{id}/entitlements` instead.";
    QuotaExceeded "quota_exceeded" CONFLICT "Quota exceeded"
        "Wait for the next period, or raise the quota. `quotas` lists every quota that the call would exceed; nothing was stored.";
    CouponCodeTaken "code_taken" CONFLICT "Coupon code already in use"
        "Choose another code. Codes are compared without regard to upper and lower case.";
    InsufficientBalance "insufficient_balance" CONFLICT "Insufficient balance"
        "Send an amount that the balance in `balances` of the billing profile covers.";
    HasPayments "has_payments" CONFLICT "Invoice with payments or credits"
        "Create a credit note, or void the payments first. An invoice that a credit line of another document names cannot become void.";
    PaymentApplied "payment_applied" CONFLICT "Payment applied to an invoice"
        "Set the status of the payment to `void` first, or create a credit note.";
    InvoiceFinal "invoice_final" CONFLICT "Invoice final"
        "Create a credit note or another invoice. Only drafts change, and only `one_off` drafts can be deleted.";
    InvoiceNotFinal "invoice_not_final" CONFLICT "Invoice not final"
        "Finalize the invoice first.";
    CreditExceedsInvoice "credit_exceeds_invoice" CONFLICT "Credit exceeds the invoice"
        "Credit at most what earlier credit notes left of the invoice.";
    CouponUnavailable "coupon_unavailable" CONFLICT "Coupon unavailable"
        "Use a coupon that is active, not past `redeem_by` and not used up.";
    HasOpenInvoices "has_open_invoices" CONFLICT "Draft or open invoices"
        "Pay, void or delete the drafts and open invoices of the subscription first.";
    IdempotencyInFlight "idempotency_in_flight" CONFLICT "Idempotency key in use by a running request"
        "Wait a moment and retry with the same key.";
    Contended "contended" CONFLICT "Too many concurrent changes"
        "Retry. Nothing was changed.";
    Stale "stale" PRECONDITION_FAILED "Record changed"
        "Read the record again, review the change, and send the new ETag in `If-Match`.";
    BodyTooLarge "body_too_large" PAYLOAD_TOO_LARGE "Body too large"
        "Send a smaller body.";
    TargetTooLong "target_too_long" URI_TOO_LONG "Path and query too long"
        "Send a shorter path and query.";
    UnsupportedMediaType "unsupported_media_type" UNSUPPORTED_MEDIA_TYPE "Unsupported media type"
        "Send `Content-Type: application/json` and no `Content-Encoding`.";
    MisdirectedRequest "misdirected_request" MISDIRECTED_REQUEST "Unknown host"
        "Call a host of the console: that of `public_url`, one in `[console] hosts`, or the listen address.";
    InvalidInput "invalid_input" UNPROCESSABLE_ENTITY "Invalid input"
        "Correct all fields listed in `errors`.";
    IdempotencyKeyReused "idempotency_key_reused" UNPROCESSABLE_ENTITY "Idempotency key reused"
        "Use a new key for a new request. A retry must repeat the body byte for byte.";
    RateLimited "rate_limited" TOO_MANY_REQUESTS "Too many attempts"
        "Retry after the seconds in `Retry-After`.";
    HeadersTooLarge "headers_too_large" REQUEST_HEADER_FIELDS_TOO_LARGE "Headers too large"
        "Send fewer or smaller headers.";
    Internal "internal" INTERNAL_SERVER_ERROR "Internal error"
        "Retry. If the error persists, send the `request_id` to the operator.";
    Overloaded "overloaded" SERVICE_UNAVAILABLE "Server overloaded"
        "Retry after the seconds in `Retry-After`. Nothing was changed.";
    ShuttingDown "shutting_down" SERVICE_UNAVAILABLE "Server shutting down"
        "Retry; another server handles the request. Nothing was changed.";
    StorageUnavailable "storage_unavailable" SERVICE_UNAVAILABLE "Database unavailable"
        "Retry after the seconds in `Retry-After`. Nothing was changed.";
    IdentityProviderUnavailable "identity_provider_unavailable" SERVICE_UNAVAILABLE "Identity provider unavailable"
        "Retry after the seconds in `Retry-After`. The operator can find the reason with `perennial provider check`.";
    OutcomeUnknown "outcome_unknown" SERVICE_UNAVAILABLE "Outcome unknown"
        "Retry with the same `Idempotency-Key`, or read the record. The change may or may not have been made.";
}

/// The description of a validation error.
pub(crate) const fn validation_entry(code: ValidationCode) -> Entry {
    let (title, remedy) = match code {
        ValidationCode::Required => ("Required field missing", "Send the field."),
        ValidationCode::NotNullable => ("Null not allowed", "Send a value, or omit the field."),
        ValidationCode::InvalidType => {
            ("Wrong JSON type", "Send the type shown in the reference. Send numbers as numbers, not as strings.")
        }
        ValidationCode::TooShort => ("Text too short", "Send a longer text."),
        ValidationCode::TooLong => ("Text or list too long", "Send a shorter text or list."),
        ValidationCode::OutOfRange => ("Value out of range", "Send a value within the limits in `detail`."),
        ValidationCode::TooManyDecimals => ("Too many decimals", "Send at most as many decimals as the currency has."),
        ValidationCode::InvalidText => {
            ("Character not allowed", "Remove control characters and characters that reorder text.")
        }
        ValidationCode::InvalidFormat => ("Invalid format", "Send the format shown in `detail`."),
        ValidationCode::UnknownValue => ("Unknown value", "Send one of the values listed in `detail`."),
        ValidationCode::Ambiguous => ("Ambiguous value", "Send the value that states which meaning you intend."),
        ValidationCode::DuplicateItem => ("Duplicate item", "Send each item once."),
        ValidationCode::NotFound => ("Referenced record not found", "Send the ID of an existing record."),
        ValidationCode::Inconsistent => ("Inconsistent fields", "Change one of the fields, as described in `detail`."),
        ValidationCode::UnknownField => ("Unknown field", "Remove the field, or look up its name in the reference."),
        ValidationCode::UrlNotAllowed => {
            ("URL not allowed", "Send the https URL of a public host, or have the operator allow its private network.")
        }
        ValidationCode::ReadOnlyField => ("Read-only field", "Omit the field, or send it unchanged."),
    };
    Entry { code: code.as_str(), status: StatusCode::UNPROCESSABLE_ENTITY, title, remedy }
}

/// All codes, sorted by status and code. A code with two statuses has two entries.
pub(crate) fn entries() -> Vec<Entry> {
    let mut entries: Vec<Entry> = Code::ALL.iter().map(|code| code.entry()).collect();
    entries.extend(ValidationCode::ALL.map(validation_entry));
    entries.sort_by_key(|entry| (entry.status.as_u16(), entry.code));
    entries
}

/// The codes as Markdown.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Errors\n\n\
         Every error is an `application/problem+json` document (RFC 9457) with a stable `code`. Validation errors are listed\n\
         in `errors`, all at once. If they have the same code, the problem has that code; otherwise it has `invalid_input`.\n\
         `errors` has at most 100 items. If there are more, `errors_omitted` is the number of those that are not listed.\n\n\
         This page is generated from the code by `cargo xtask openapi`.\n",
    );
    let mut status = None;
    for entry in entries() {
        if status != Some(entry.status) {
            status = Some(entry.status);
            let _ = write!(page, "\n## {}\n\n| Code | Title | Remedy |\n|---|---|---|\n", entry.status);
        }
        let _ = writeln!(page, "| `{}` | {} | {} |", entry.code, entry.title, entry.remedy);
    }
    page
}

/// The codes as an HTML page with an anchor for each code.
pub(crate) fn html() -> String {
    let mut page = String::from(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Perennial: errors</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;\
         padding:0 1rem;color:#1c2b24}section{padding:.5rem 1rem;border-left:3px solid #cfe3d6;margin:1rem 0}\
         section:target{border-color:#1f7a4d;background:#eef7f1}h2{font-size:1rem;margin:0}code{font-size:1rem}\
         small{color:#5b6f65}p{margin:.25rem 0}</style><h1>Errors</h1>",
    );
    let mut listed = Vec::new();
    for Entry { code, status, title, remedy } in entries() {
        // A code with two statuses has one anchor.
        let anchor = if listed.contains(&code) { String::new() } else { format!(" id=\"{code}\"") };
        listed.push(code);
        let (status, remedy) = (status.as_u16(), code_marked(remedy));
        let _ = write!(
            page,
            "<section{anchor}><h2><code>{code}</code> <small>{status}</small></h2><p>{title}.</p><p>{remedy}</p></section>"
        );
    }
    page
}

/// Text as HTML, with text between backticks as code.
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
    fn a_code_has_one_entry_per_status() {
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
