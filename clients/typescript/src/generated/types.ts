// Generated from openapi.json by `cargo xtask clients`: what is changed here is lost.

/** An instant as text, RFC 3339. Answers have it in UTC with six digits: `2026-01-31T09:30:00.000000Z`. */
export type Instant = string;

/**
 * Money, in the currency's own unit: 19.99. A number holds it exactly as long as nothing is computed with it; for sums see
 * `toMinorUnits`.
 */
export type Amount = number;

export type BillingCycle =
  | "daily"
  | "weekly"
  | "biweekly"
  | "monthly"
  | "quarterly"
  | "semiannual"
  | "yearly"
  | "biennial"
  | "lifetime";

export type PlanVersionTaxBehavior = "exclusive" | "inclusive";

export type SubscriptionStatus =
  | "pending"
  | "incomplete"
  | "on_trial"
  | "active"
  | "past_due"
  | "unpaid"
  | "paused"
  | "cancelled"
  | "expired";

export type SubscriptionForecastAction = "start" | "end" | "trial_end" | "resume" | "renew" | "give_up" | "notice";

export type PaymentStatus =
  | "pending"
  | "processing"
  | "completed"
  | "failed"
  | "partially_refunded"
  | "refunded"
  | "disputed"
  | "void";

export type SearchResultKind = "user" | "plan" | "subscription" | "payment" | "invoice";

export type SearchResultMatch = "exact" | "prefix";

export type ClientKind = "public" | "trusted";

export type Mode = "live" | "test";

export type OperatorRole = "viewer" | "support" | "admin";

export type Method = "link" | "oidc";

export type EventType =
  | "organization.created"
  | "organization.updated"
  | "organization.deleted"
  | "organization.keys_rotated"
  | "client.created"
  | "client.updated"
  | "provider.created"
  | "provider.deleted"
  | "user.created"
  | "user.updated"
  | "user.deleted"
  | "user.blocked"
  | "user.unblocked"
  | "user.relinked"
  | "user.portal_link_created"
  | "session.created"
  | "session.revoked"
  | "plan.created"
  | "plan.updated"
  | "plan.deleted"
  | "subscription.created"
  | "subscription.updated"
  | "subscription.deleted"
  | "subscription.access_changed"
  | "subscription.started"
  | "subscription.trial_ending"
  | "subscription.trial_ended"
  | "subscription.renewal_upcoming"
  | "subscription.renewed"
  | "subscription.resumed"
  | "subscription.expired"
  | "subscription.parked"
  | "subscription.past_due"
  | "subscription.recovered"
  | "subscription.unpaid"
  | "subscription.activated"
  | "payment.created"
  | "payment.updated"
  | "payment.deleted"
  | "payment.collection_failed"
  | "operator.created"
  | "operator.updated"
  | "operator.deleted"
  | "operator.link_created"
  | "operator_session.created"
  | "operator_session.ended"
  | "webhook_endpoint.created"
  | "webhook_endpoint.updated"
  | "webhook_endpoint.deleted"
  | "webhook_endpoint.failing"
  | "webhook_endpoint.recovered"
  | "webhook_endpoint.disabled"
  | "test_clock.created"
  | "test_clock.advanced"
  | "test_clock.deleted"
  | "tax_rate.created"
  | "tax_rate.updated"
  | "coupon.created"
  | "coupon.updated"
  | "meter.created"
  | "meter.updated"
  | "credit.created"
  | "invoice.created"
  | "invoice.updated"
  | "invoice.finalized"
  | "invoice.payment_due"
  | "invoice.overdue"
  | "invoice.paid"
  | "invoice.reopened"
  | "invoice.voided"
  | "invoice.uncollectible"
  | "invoice.deleted"
  | "credit_note.created"
  | "billing_profile.updated"
  | "feature.created"
  | "feature.updated"
  | "usage.threshold_reached"
  | "connection.created"
  | "connection.updated"
  | "connection.deleted"
  | "connection.failing"
  | "connection.recovered"
  | "connection.drift"
  | "member.created"
  | "member.deleted";

export type WebhookEndpointPayload = "full" | "thin";

export type WebhookEndpointSignature = "hmac" | "ed25519";

export type WebhookEndpointState = "active" | "failing" | "disabled";

export type WebhookEndpointDisabledReason = "manual" | "gone" | "failing" | "copied";

export type WebhookAttemptTrigger = "event" | "retry" | "resend" | "probe" | "ping";

export type WebhookAttemptOutcome = "succeeded" | "failed";

export type WebhookAttemptError =
  | "status"
  | "redirect"
  | "timeout"
  | "connect_failed"
  | "tls_failed"
  | "dns_failed"
  | "address_not_allowed"
  | "protocol_error";

export type UndeliveredEventState = "waiting" | "given_up";

export type MovementKind = "new" | "expansion" | "reactivation" | "contraction" | "churned";

export type CouponDuration = "once" | "repeating" | "forever";

export type MeterAggregation = "sum" | "count" | "max" | "last" | "unique";

export type Kind = "boolean" | "limit" | "quota";

export type FeatureCombine = "any" | "max" | "sum";

export type FeaturePeriod = "billing" | "day" | "month" | "year" | "ever";

export type EntitlementCheckReason = "feature_inactive" | "no_subscription" | "not_granted" | "limit_reached";

export type BillingProfileLocale = "en" | "de" | "fr" | "es" | "ja";

export type CreditReason = "adjustment" | "surplus" | "surplus_reversed" | "credit_note" | "applied" | "returned";

export type ConnectionKind = "stripe" | "lemon_squeezy" | "paddle";

export type ConnectionDrift = "repair" | "alert";

export type ConnectionState = "ok" | "failing" | "disabled";

export type InboxItemObject = "customer" | "price" | "subscription" | "payment";

export type InboxItemState = "waiting" | "applied" | "unchanged" | "ignored" | "failed";

export type InvoiceKind = "cycle" | "change" | "one_off";

export type InvoiceStatus = "draft" | "open" | "paid" | "uncollectible" | "void";

export type InvoiceCollection = "automatic" | "manual";

export type InvoiceNextAction = "finalize" | "attempt" | "overdue" | "deadline";

export type CreditNoteSettlement = "balance" | "refund";

export type TestClockStatus = "ready" | "working" | "advancing" | "held" | "deleting";

export type ProblemCode =
  | "address_not_allowed"
  | "already_member"
  | "ambiguous"
  | "ambiguous_credentials"
  | "answer_timeout"
  | "body_too_large"
  | "change_not_allowed"
  | "client_disabled"
  | "client_id_required"
  | "client_id_taken"
  | "client_not_for_browsers"
  | "clock_advancing"
  | "clock_exists"
  | "code_taken"
  | "collecting_disabled"
  | "connection_in_use"
  | "contended"
  | "coupon_unavailable"
  | "credit_exceeds_invoice"
  | "cross_site_request"
  | "cursor_gone"
  | "duplicate_item"
  | "duplicate_key"
  | "email_managed"
  | "email_mismatch"
  | "email_not_verified"
  | "email_taken"
  | "endpoint_disabled"
  | "endpoint_limit"
  | "external_id_taken"
  | "feature_limit"
  | "fresh_sign_in_required"
  | "has_open_invoices"
  | "has_payments"
  | "headers_too_large"
  | "idempotency_in_flight"
  | "idempotency_key_reused"
  | "identity_provider_unavailable"
  | "inconsistent"
  | "insufficient_balance"
  | "insufficient_scope"
  | "internal"
  | "invalid_client"
  | "invalid_cursor"
  | "invalid_format"
  | "invalid_header"
  | "invalid_identity_token"
  | "invalid_input"
  | "invalid_link"
  | "invalid_parameter"
  | "invalid_refresh_token"
  | "invalid_signature"
  | "invalid_text"
  | "invalid_token"
  | "invalid_transition"
  | "invalid_type"
  | "invoice_final"
  | "invoice_not_final"
  | "key_taken"
  | "lifecycle_behind"
  | "link_limit"
  | "malformed_json"
  | "managed_status"
  | "meter_in_use"
  | "method_not_allowed"
  | "misdirected_request"
  | "name_taken"
  | "not_a_test_organization"
  | "not_account_owner"
  | "not_found"
  | "not_nullable"
  | "operator_disabled"
  | "operator_session_required"
  | "out_of_range"
  | "outcome_unknown"
  | "overloaded"
  | "own_operator"
  | "payment_applied"
  | "plan_in_use"
  | "plan_inactive"
  | "provider_managed"
  | "quota_exceeded"
  | "rate_limited"
  | "read_only_field"
  | "refresh_token_expired"
  | "refresh_token_reused"
  | "request_timeout"
  | "required"
  | "route_not_found"
  | "seat_limit"
  | "secret_limit"
  | "shutting_down"
  | "slug_taken"
  | "stale"
  | "storage_unavailable"
  | "target_too_long"
  | "token_required"
  | "token_too_large"
  | "too_long"
  | "too_many_changes"
  | "too_many_decimals"
  | "too_short"
  | "unknown_field"
  | "unknown_parameter"
  | "unknown_value"
  | "unsupported_media_type"
  | "url_not_allowed"
  | "user_already_exists"
  | "user_blocked"
  | "user_not_found";

export type AnalyticsMetaState = "current" | "catching_up" | "rebuilding";

export type PlanBillingTrialEndBehavior = "pause" | "cancel" | "bill";

export type PlanBillingDunningThen = "unpaid" | "expire";

export type PlanBillingChargesModel = "per_unit" | "graduated" | "volume" | "package";

export type SubscriptionBillingParkedReason = "out_of_range" | "missing_plan" | "failing";

export type ClientScopes =
  | "auth"
  | "plans:read"
  | "plans:write"
  | "subscriptions:read"
  | "subscriptions:write"
  | "payments:read"
  | "payments:write"
  | "subscriptions:read:own"
  | "payments:read:own"
  | "users:read"
  | "users:write"
  | "invoices:read"
  | "invoices:write"
  | "invoices:read:own"
  | "events:read"
  | "webhooks:write"
  | "entitlements:read"
  | "entitlements:read:own"
  | "usage:write"
  | "organization:read"
  | "organization:write"
  | "analytics:read"
  | "clients:write";

export type OrganizationPortalCancel = "period_end" | "now" | "off";

export type OrganizationPortalChange = "off" | "link" | "next_period";

export type InvoiceLinesKind = "fee" | "usage" | "proration_credit" | "proration_charge" | "item";

export type PlanSort =
  | "tier"
  | "-tier"
  | "price"
  | "-price"
  | "name"
  | "-name"
  | "created_at"
  | "-created_at"
  | "updated_at"
  | "-updated_at";

export type SubscriptionSort = "created_at" | "-created_at" | "renews_at" | "-renews_at" | "ends_at" | "-ends_at";

export type PaymentSort = "created_at" | "-created_at";

export type TestClockUpdateMode = "advance" | "jump";

export type RevenuePeriodInterval = "month" | "day";

export type RecordUsageEventsMode = "record" | "enforce";

/** The statuses that a code comes with, and what it means. */
export const problemCatalogue = [
  { code: "ambiguous_credentials", status: 400, title: "Ambiguous credentials" },
  { code: "duplicate_key", status: 400, title: "Duplicate JSON key" },
  { code: "invalid_cursor", status: 400, title: "Invalid cursor" },
  { code: "invalid_header", status: 400, title: "Invalid header" },
  { code: "invalid_parameter", status: 400, title: "Invalid query parameter" },
  { code: "malformed_json", status: 400, title: "Malformed JSON" },
  { code: "unknown_parameter", status: 400, title: "Unknown query parameter" },
  { code: "client_id_required", status: 401, title: "Client ID required" },
  { code: "email_mismatch", status: 401, title: "E-mail address mismatch" },
  { code: "email_not_verified", status: 401, title: "E-mail address not verified" },
  { code: "invalid_client", status: 401, title: "Invalid client" },
  { code: "invalid_identity_token", status: 401, title: "Invalid identity token" },
  { code: "invalid_link", status: 401, title: "Invalid one-time link" },
  { code: "invalid_refresh_token", status: 401, title: "Invalid refresh token" },
  { code: "invalid_signature", status: 401, title: "Invalid signature" },
  { code: "invalid_token", status: 401, title: "Invalid access token" },
  { code: "operator_session_required", status: 401, title: "Operator session required" },
  { code: "refresh_token_expired", status: 401, title: "Session expired" },
  { code: "refresh_token_reused", status: 401, title: "Refresh token reused" },
  { code: "token_required", status: 401, title: "Access token required" },
  { code: "address_not_allowed", status: 403, title: "IP address not allowed" },
  { code: "client_not_for_browsers", status: 403, title: "Trusted client not allowed in a browser" },
  { code: "cross_site_request", status: 403, title: "Cross-site request not allowed" },
  { code: "fresh_sign_in_required", status: 403, title: "Recent sign-in required" },
  { code: "insufficient_scope", status: 403, title: "Insufficient scope" },
  { code: "not_account_owner", status: 403, title: "Account of another user" },
  { code: "user_blocked", status: 403, title: "User blocked" },
  { code: "not_found", status: 404, title: "Record not found" },
  { code: "route_not_found", status: 404, title: "Path not found" },
  { code: "user_not_found", status: 404, title: "User not found" },
  { code: "method_not_allowed", status: 405, title: "Method not allowed" },
  { code: "request_timeout", status: 408, title: "Request timeout" },
  { code: "already_member", status: 409, title: "Already a member" },
  { code: "change_not_allowed", status: 409, title: "Change of plan or quantity not allowed" },
  { code: "client_disabled", status: 409, title: "Client disabled" },
  { code: "client_id_taken", status: 409, title: "Client ID already in use" },
  { code: "clock_advancing", status: 409, title: "Test clock advancing" },
  { code: "clock_exists", status: 409, title: "Test clock exists" },
  { code: "code_taken", status: 409, title: "Coupon code already in use" },
  { code: "collecting_disabled", status: 409, title: "Collecting disabled" },
  { code: "connection_in_use", status: 409, title: "Connection in use" },
  { code: "contended", status: 409, title: "Too many concurrent changes" },
  { code: "coupon_unavailable", status: 409, title: "Coupon unavailable" },
  { code: "credit_exceeds_invoice", status: 409, title: "Credit exceeds the invoice" },
  { code: "email_managed", status: 409, title: "E-mail address managed by the identity provider" },
  { code: "email_taken", status: 409, title: "E-mail address already in use" },
  { code: "endpoint_disabled", status: 409, title: "Webhook endpoint disabled" },
  { code: "endpoint_limit", status: 409, title: "Too many webhook endpoints" },
  { code: "external_id_taken", status: 409, title: "External ID already in use" },
  { code: "feature_limit", status: 409, title: "Too many features" },
  { code: "has_open_invoices", status: 409, title: "Draft or open invoices" },
  { code: "has_payments", status: 409, title: "Invoice with payments or credits" },
  { code: "idempotency_in_flight", status: 409, title: "Idempotency key in use by a running request" },
  { code: "insufficient_balance", status: 409, title: "Insufficient balance" },
  { code: "invalid_transition", status: 409, title: "Status transition not allowed" },
  { code: "invoice_final", status: 409, title: "Invoice final" },
  { code: "invoice_not_final", status: 409, title: "Invoice not final" },
  { code: "key_taken", status: 409, title: "Feature key already in use" },
  { code: "lifecycle_behind", status: 409, title: "Lifecycle behind" },
  { code: "link_limit", status: 409, title: "Too many unused links" },
  { code: "managed_status", status: 409, title: "Status set by the service" },
  { code: "meter_in_use", status: 409, title: "Meter in use" },
  { code: "name_taken", status: 409, title: "Name already in use" },
  { code: "not_a_test_organization", status: 409, title: "Not a test organization" },
  { code: "operator_disabled", status: 409, title: "Operator disabled" },
  { code: "own_operator", status: 409, title: "Change of the own operator not allowed" },
  { code: "payment_applied", status: 409, title: "Payment applied to an invoice" },
  { code: "plan_in_use", status: 409, title: "Plan in use" },
  { code: "plan_inactive", status: 409, title: "Plan inactive" },
  { code: "provider_managed", status: 409, title: "Record managed by a payment provider" },
  { code: "quota_exceeded", status: 409, title: "Quota exceeded" },
  { code: "seat_limit", status: 409, title: "No seat left" },
  { code: "secret_limit", status: 409, title: "Too many valid secrets" },
  { code: "slug_taken", status: 409, title: "Slug already in use" },
  { code: "token_too_large", status: 409, title: "Token too large" },
  { code: "too_many_changes", status: 409, title: "Too many plan changes" },
  { code: "user_already_exists", status: 409, title: "User already exists" },
  { code: "cursor_gone", status: 410, title: "Cursor no longer valid" },
  { code: "stale", status: 412, title: "Record changed" },
  { code: "body_too_large", status: 413, title: "Body too large" },
  { code: "target_too_long", status: 414, title: "Path and query too long" },
  { code: "unsupported_media_type", status: 415, title: "Unsupported media type" },
  { code: "misdirected_request", status: 421, title: "Unknown host" },
  { code: "ambiguous", status: 422, title: "Ambiguous value" },
  { code: "duplicate_item", status: 422, title: "Duplicate item" },
  { code: "idempotency_key_reused", status: 422, title: "Idempotency key reused" },
  { code: "inconsistent", status: 422, title: "Inconsistent fields" },
  { code: "invalid_format", status: 422, title: "Invalid format" },
  { code: "invalid_input", status: 422, title: "Invalid input" },
  { code: "invalid_text", status: 422, title: "Character not allowed" },
  { code: "invalid_type", status: 422, title: "Wrong JSON type" },
  { code: "not_found", status: 422, title: "Referenced record not found" },
  { code: "not_nullable", status: 422, title: "Null not allowed" },
  { code: "out_of_range", status: 422, title: "Value out of range" },
  { code: "read_only_field", status: 422, title: "Read-only field" },
  { code: "required", status: 422, title: "Required field missing" },
  { code: "too_long", status: 422, title: "Text or list too long" },
  { code: "too_many_decimals", status: 422, title: "Too many decimals" },
  { code: "too_short", status: 422, title: "Text too short" },
  { code: "unknown_field", status: 422, title: "Unknown field" },
  { code: "unknown_value", status: 422, title: "Unknown value" },
  { code: "url_not_allowed", status: 422, title: "URL not allowed" },
  { code: "rate_limited", status: 429, title: "Too many attempts" },
  { code: "headers_too_large", status: 431, title: "Headers too large" },
  { code: "internal", status: 500, title: "Internal error" },
  { code: "answer_timeout", status: 503, title: "Response timeout" },
  { code: "identity_provider_unavailable", status: 503, title: "Identity provider unavailable" },
  { code: "outcome_unknown", status: 503, title: "Outcome unknown" },
  { code: "overloaded", status: 503, title: "Server overloaded" },
  { code: "shutting_down", status: 503, title: "Server shutting down" },
  { code: "storage_unavailable", status: 503, title: "Database unavailable" },
] as const satisfies readonly { code: ProblemCode; status: number; title: string }[];

export interface PlanBillingDunning {
  retry_days: number[];
  grace_days: number;
  then: PlanBillingDunningThen;
}

export interface PlanBillingChargesTiers {
  up_to: Amount | null;
  unit_price: Amount;
  flat_price: Amount;
}

export interface PlanBillingChargesPackage {
  size: Amount;
  price: Amount;
}

export interface PlanBillingCharges {
  meter_id: string;
  name: string;
  model: PlanBillingChargesModel;
  unit_price?: Amount | undefined;
  tiers?: PlanBillingChargesTiers[] | undefined;
  package?: PlanBillingChargesPackage | undefined;
}

export interface PlanBilling {
  trial_days: number;
  trial_end_behavior: PlanBillingTrialEndBehavior;
  incomplete_hours: number;
  payment_terms_days: number | null;
  dunning: PlanBillingDunning | null;
  tax_behavior: PlanVersionTaxBehavior;
  tax_rate_ids: string[];
  charges: PlanBillingCharges[];
}

export interface Plan {
  id: string;
  name: string;
  product_id: string | null;
  variants: string[];
  slug: string;
  price: Amount;
  currency: string;
  href: string | null;
  billing_cycle: BillingCycle;
  /** A description of the plan. */
  description: string;
  /** The number of nodes that the plan includes. */
  node_quota: number;
  /** A comma-separated list in one string, stored unchanged. */
  features: string;
  /** Whether to mark the plan as the most popular one. */
  most_popular: boolean;
  /** The rank of the plan among all plans. */
  tier: number;
  is_active: boolean;
  version: number;
  billing: PlanBilling | null;
  entitlements: Record<string, unknown>;
  created_at: Instant;
  updated_at: Instant;
}

export interface PlanVersionChargesTiers {
  up_to: Amount | null;
  unit_price: Amount;
  flat_price: Amount;
}

export interface PlanVersionChargesPackage {
  size: Amount;
  price: Amount;
}

export interface PlanVersionCharges {
  meter_id: string;
  name: string;
  model: PlanBillingChargesModel;
  unit_price?: Amount | undefined;
  tiers?: PlanVersionChargesTiers[] | undefined;
  package?: PlanVersionChargesPackage | undefined;
}

export interface PlanVersion {
  version: number;
  price: Amount;
  currency: string;
  billing_cycle: BillingCycle;
  created_at: Instant;
  tax_behavior: PlanVersionTaxBehavior;
  charges: PlanVersionCharges[];
}

export interface SubscriptionBillingChange {
  subscription_plan_id: string | null;
  quantity: number | null;
}

export interface SubscriptionBillingDiscount {
  coupon_id: string;
  periods_left: number | null;
}

export interface SubscriptionBillingParked {
  at: Instant;
  reason: SubscriptionBillingParkedReason;
}

export interface SubscriptionBilling {
  collection: InvoiceCollection;
  connection_id: string | null;
  payment_method: string | null;
  /** The name of a time zone in the IANA database. */
  time_zone: string;
  anchor_at: Instant;
  trial_ends_at: Instant | null;
  resumes_at: Instant | null;
  change: SubscriptionBillingChange | null;
  period_start: Instant | null;
  paused_at: Instant | null;
  discount: SubscriptionBillingDiscount | null;
  overdue_invoices: number;
  parked: SubscriptionBillingParked | null;
  next_action: SubscriptionForecastAction | null;
  next_action_at: Instant | null;
}

export interface Subscription {
  id: string;
  user_id: string;
  subscription_plan_id: string;
  plan_version: number;
  /** The ID in another system. An empty text is the same as null. */
  external_subscription_id: string | null;
  /** The number of units of the plan. Defaults to 1. */
  quantity: number;
  billing_cycle: BillingCycle;
  status: SubscriptionStatus;
  is_active: boolean;
  has_access: boolean;
  renews_at: Instant | null;
  starts_at: Instant;
  ends_at: Instant | null;
  billing: SubscriptionBilling | null;
  entitlements: Record<string, unknown>;
  managed_by: string | null;
  created_at: Instant;
  updated_at: Instant;
}

export interface SubscriptionForecast {
  at: Instant;
  action: SubscriptionForecastAction;
  event: string;
  status: SubscriptionStatus;
  invoice: Record<string, unknown> | null;
  subscription: Subscription;
}

export interface Payment {
  id: string;
  subscription_id: string;
  invoice_id: string | null;
  amount: Amount;
  currency: string;
  external_payment_id: string | null;
  status: PaymentStatus;
  date: Instant | null;
  created_at: Instant;
  updated_at: Instant;
}

export interface ManagedUser {
  id: string;
  /** The user's ID at the identity provider. Null before the first sign-up. */
  auth_id: string | null;
  /** The issuer (`iss`) of the identity provider. */
  auth_provider: string | null;
  auth_type: string | null;
  organization_id: string;
  email: string | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  terms: boolean | null;
  notifications: boolean | null;
  role: "user";
  /** Whether the user is blocked and cannot sign in. */
  is_blocked: boolean;
  created_at: Instant;
  updated_at: Instant;
}

export interface UserSession {
  id: string;
  user_id: string;
  /** The client that the user signed in with. */
  client_id: string | null;
  client_name: string | null;
  issued_at: Instant;
  expiration_time: Instant;
  last_used_at: Instant;
  ip_address: string | null;
  user_agent: string | null;
  revoked: boolean;
  created_at: Instant;
  updated_at: Instant;
}

export interface SearchResult {
  kind: SearchResultKind;
  id: string;
  /** A user's address, a plan's name, an invoice's number, or an external ID; the ID where there is none. */
  label: string;
  match: SearchResultMatch;
}

export interface Client {
  id: string;
  organization_id: string;
  name: string;
  kind: ClientKind;
  client_id: string | null;
  scopes: ClientScopes[];
  origins: string[];
  cidrs: string[];
  is_active: boolean;
  expires_at: Instant | null;
  disabled_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
}

export interface OrganizationBillingDunning {
  retry_days: number[];
  grace_days: number;
  then: PlanBillingDunningThen;
}

export interface OrganizationBillingSeller {
  name: string | null;
  address: string[];
  country: string | null;
  tax_id: string | null;
  email: string | null;
  note: string | null;
}

export interface OrganizationBilling {
  /** The name of a time zone in the IANA database. */
  time_zone: string;
  payment_terms_days: number;
  dunning: OrganizationBillingDunning;
  draft_hours: number;
  tax_rate_ids: string[];
  seller: OrganizationBillingSeller;
  invoice_prefix: string;
  credit_note_prefix: string;
  yearly_numbers: boolean;
  spread_minutes: number;
  renewal_notice_days: number;
}

export interface OrganizationPortal {
  /** The name that customers see. Null: the organization's. */
  name: string | null;
  accent: string;
  cancel: OrganizationPortalCancel;
  resume: boolean;
  change: OrganizationPortalChange;
  return_origins: string[];
}

export interface Organization {
  id: string;
  name: string;
  currency: string;
  max_sessions: number | null;
  mode: Mode;
  billing: OrganizationBilling;
  portal: OrganizationPortal;
  created_at: Instant;
  updated_at: Instant;
}

export interface Operator {
  id: string;
  organization_id: string;
  name: string;
  role: OperatorRole;
  issuer: string | null;
  subject: string | null;
  is_active: boolean;
  last_sign_in_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
}

export interface OperatorSessionRecord {
  id: string;
  operator_id: string;
  method: Method;
  signed_in_at: Instant;
  last_used_at: Instant;
  idle_expires_at: Instant;
  expires_at: Instant;
  ip_address: string | null;
  user_agent: string | null;
}

export interface Event {
  id: string;
  type: EventType | (string & {});
  timestamp: Instant;
  sequence: number;
  record_id: string;
  client_id: string | null;
  operator_id: string | null;
  request_id: string | null;
  test: boolean;
  data: Record<string, unknown> | null;
  before: Record<string, unknown> | null;
}

export interface WebhookEndpoint {
  id: string;
  url: string;
  description: string;
  /** Each is an event type (`payment.created`), all types of a record (`payment.*`), or `*`. */
  types: string[];
  payload: WebhookEndpointPayload;
  signature: WebhookEndpointSignature;
  is_active: boolean;
  state: WebhookEndpointState;
  disabled_reason: WebhookEndpointDisabledReason | null;
  created_at: Instant;
  updated_at: Instant;
  public_keys: string[];
  failing_since: Instant | null;
  oldest_undelivered_at: Instant | null;
}

export interface WebhookEndpointWithSecret {
  id: string;
  url: string;
  description: string;
  /** Each is an event type (`payment.created`), all types of a record (`payment.*`), or `*`. */
  types: string[];
  payload: WebhookEndpointPayload;
  signature: WebhookEndpointSignature;
  is_active: boolean;
  state: WebhookEndpointState;
  disabled_reason: WebhookEndpointDisabledReason | null;
  created_at: Instant;
  updated_at: Instant;
  public_keys: string[];
  failing_since: Instant | null;
  oldest_undelivered_at: Instant | null;
  secret: string | null;
}

export interface WebhookAttempt {
  id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  trigger: WebhookAttemptTrigger;
  number: number;
  outcome: WebhookAttemptOutcome;
  status: number | null;
  error: WebhookAttemptError | null;
  duration_ms: number;
  response: string;
  created_at: Instant;
}

export interface UndeliveredEvent {
  event_id: string;
  event_type: string;
  record_id: string;
  sequence: number;
  state: UndeliveredEventState;
  attempts: number;
  next_attempt_at: Instant | null;
  first_failed_at: Instant | null;
  last_status: number | null;
  last_error: WebhookAttemptError | null;
}

export interface RevenuePeriod {
  /** A month or a day: `2026-04` or `2026-04-05`. */
  period: string;
  start: Amount;
  new: Amount;
  expansion: Amount;
  reactivation: Amount;
  contraction: Amount;
  churned: Amount;
  end: Amount;
  committed: Amount;
  arr: Amount;
  customers_start: number;
  customers_new: number;
  customers_reactivated: number;
  customers_churned: number;
  customers_end: number;
  subscriptions: number;
  arpu: Amount | null;
  logo_churn: Amount | null;
  gross_churn: Amount | null;
  nrr: Amount | null;
  grr: Amount | null;
  ltv: Amount | null;
}

export interface Movement {
  date: string;
  user_id: string;
  kind: MovementKind;
  amount: Amount;
  mrr: Amount;
}

export interface CohortCell {
  /** Months after the month of the cohort. */
  month: number;
  customers: number;
  mrr: Amount;
  customer_retention: Amount | null;
  revenue_retention: Amount | null;
}

export interface Cohort {
  /** A month: `2026-04`. */
  cohort: string;
  customers: number;
  mrr: Amount;
  cells: CohortCell[];
}

export interface TrialPeriod {
  /** A month or a day: `2026-04` or `2026-04-05`. */
  period: string;
  started: number;
  converted: number;
  lost: number;
  open: number;
  rate: Amount | null;
}

export interface PaymentFigure {
  count: number;
  amount: Amount;
}

export interface PaymentPeriod {
  /** A month or a day: `2026-04` or `2026-04-05`. */
  period: string;
  collected: PaymentFigure;
  refunded: PaymentFigure;
  failed: PaymentFigure;
  failure_rate: Amount | null;
}

export interface PlanFigures {
  subscription_plan_id: string;
  slug: string | null;
  name: string | null;
  subscriptions: number;
  mrr: Amount;
}

export interface TaxRate {
  id: string;
  name: string;
  percentage: Amount;
  country: string | null;
  is_active: boolean;
  created_at: Instant;
  updated_at: Instant;
}

export interface Coupon {
  id: string;
  code: string;
  percent: Amount | null;
  amount: Amount | null;
  currency: string | null;
  duration: CouponDuration;
  periods: number | null;
  plan_ids: string[];
  redeem_by: Instant | null;
  max_redemptions: number | null;
  redemptions: number;
  is_active: boolean;
  created_at: Instant;
  updated_at: Instant;
}

export interface Meter {
  id: string;
  slug: string;
  name: string;
  aggregation: MeterAggregation;
  unit: string | null;
  is_active: boolean;
  created_at: Instant;
  updated_at: Instant;
}

export interface Feature {
  id: string;
  key: string;
  name: string;
  description: string;
  kind: Kind;
  combine: FeatureCombine;
  per_unit: boolean;
  meter: string | null;
  period: FeaturePeriod | null;
  is_active: boolean;
  created_at: Instant;
  updated_at: Instant;
}

export interface UserEntitlements {
  user_id: string;
  valid_until: Instant | null;
  truncated: boolean;
  entitlements: Record<string, unknown>;
}

export interface EntitlementCheck {
  user_id: string;
  feature: string;
  kind: Kind;
  allowed: boolean;
  value: unknown | null;
  used: Amount | null;
  remaining: unknown | null;
  resets_at: Instant | null;
  need: number;
  reason: EntitlementCheckReason | null;
  valid_until: Instant | null;
}

export interface Member {
  subscription_id: string;
  user_id: string;
  created_at: Instant;
}

export interface BillingProfileBalances {
  currency: string;
  amount: Amount;
}

export interface BillingProfile {
  user_id: string;
  name: string | null;
  email: string | null;
  address: string[];
  country: string | null;
  tax_id: string | null;
  tax_exempt: boolean;
  tax_rate_ids: string[];
  locale: BillingProfileLocale | null;
  note: string | null;
  balances: BillingProfileBalances[];
  created_at: Instant;
  updated_at: Instant;
}

export interface Credit {
  id: string;
  user_id: string;
  currency: string;
  amount: Amount;
  reason: CreditReason;
  record_id: string | null;
  description: string | null;
  created_at: Instant;
}

export interface Connection {
  id: string;
  kind: ConnectionKind;
  name: string;
  mode: Mode;
  account: string | null;
  base_url: string;
  drift: ConnectionDrift;
  collect: boolean;
  requests_per_minute: number;
  is_enabled: boolean;
  state: ConnectionState;
  webhook_path: string;
  last_received_at: Instant | null;
  last_swept_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
}

export interface InboxItem {
  key: string;
  type: string | null;
  object: InboxItemObject | null;
  object_id: string | null;
  state: InboxItemState;
  code: string | null;
  attempts: number;
  next_attempt_at: Instant | null;
  occurred_at: Instant | null;
  received_at: Instant;
}

export interface InvoiceLines {
  kind: InvoiceLinesKind;
  description: string;
  subscription_plan_id: string | null;
  plan_version: number | null;
  meter_id: string | null;
  quantity: Amount | null;
  unit_price: Amount | null;
  amount: Amount;
  discount: Amount;
  tax_behavior: PlanVersionTaxBehavior;
  tax_rate_ids: string[];
  period_start: Instant | null;
  period_end: Instant | null;
  source_invoice_id: string | null;
}

export interface InvoiceTaxes {
  tax_rate_id: string;
  name: string;
  percentage: Amount;
  tax_behavior: PlanVersionTaxBehavior;
  base: Amount;
  amount: Amount;
}

export interface InvoiceSeller {
  name: string | null;
  address: string[];
  country: string | null;
  tax_id: string | null;
  email: string | null;
  note: string | null;
}

export interface InvoiceBuyer {
  name: string | null;
  address: string[];
  country: string | null;
  tax_id: string | null;
  email: string | null;
  note: string | null;
  tax_exempt: boolean;
  locale: string | null;
}

export interface Invoice {
  id: string;
  number: string | null;
  kind: InvoiceKind;
  status: InvoiceStatus;
  user_id: string;
  subscription_id: string;
  currency: string;
  collection: InvoiceCollection | null;
  cycle_at: Instant | null;
  period_start: Instant | null;
  period_end: Instant | null;
  lines: InvoiceLines[];
  subtotal: Amount;
  discount: Amount;
  taxes: InvoiceTaxes[];
  tax: Amount;
  tax_included: Amount;
  total: Amount;
  credit_applied: Amount;
  amount_paid: Amount;
  amount_credited: Amount;
  credited_total: Amount;
  amount_due: Amount;
  coupon_id: string | null;
  memo: string | null;
  attempts: number;
  overdue: boolean;
  next_action: InvoiceNextAction | null;
  next_action_at: Instant | null;
  finalizes_at: Instant | null;
  issued_at: Instant | null;
  due_at: Instant | null;
  paid_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
  seller: InvoiceSeller | null;
  buyer: InvoiceBuyer | null;
}

export interface CreditNoteLines {
  kind: InvoiceLinesKind;
  description: string;
  subscription_plan_id: string | null;
  plan_version: number | null;
  meter_id: string | null;
  quantity: Amount | null;
  unit_price: Amount | null;
  amount: Amount;
  discount: Amount;
  tax_behavior: PlanVersionTaxBehavior;
  tax_rate_ids: string[];
  period_start: Instant | null;
  period_end: Instant | null;
  source_invoice_id: string | null;
}

export interface CreditNoteTaxes {
  tax_rate_id: string;
  name: string;
  percentage: Amount;
  tax_behavior: PlanVersionTaxBehavior;
  base: Amount;
  amount: Amount;
}

export interface CreditNoteSeller {
  name: string | null;
  address: string[];
  country: string | null;
  tax_id: string | null;
  email: string | null;
  note: string | null;
}

export interface CreditNoteBuyer {
  name: string | null;
  address: string[];
  country: string | null;
  tax_id: string | null;
  email: string | null;
  note: string | null;
  tax_exempt: boolean;
  locale: string | null;
}

export interface CreditNote {
  id: string;
  number: string;
  invoice_id: string | null;
  invoice_number: string | null;
  subscription_id: string;
  user_id: string;
  currency: string;
  lines: CreditNoteLines[];
  subtotal: Amount;
  discount: Amount;
  taxes: CreditNoteTaxes[];
  tax: Amount;
  tax_included: Amount;
  total: Amount;
  reason: string | null;
  settlement: CreditNoteSettlement;
  refund_reference: string | null;
  applied_amount: Amount;
  balance_amount: Amount;
  issued_at: Instant;
  seller: CreditNoteSeller | null;
  buyer: CreditNoteBuyer | null;
  created_at: Instant;
}

export interface User {
  id: string;
  /** The user's ID at the identity provider. */
  auth_id: string | null;
  /** The issuer (`iss`) of the identity provider. */
  auth_provider: string | null;
  auth_type: string | null;
  auth_token_status_id: string;
  organization_id: string;
  email: string | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  terms: boolean | null;
  notifications: boolean | null;
  role: "user";
  created_at: Instant;
  updated_at: Instant;
}

export interface Tokens {
  /** The access token, a JWT. */
  token: string;
  token_type: "Bearer";
  /** Lifetime of the access token in seconds. */
  expires_in: number;
  expires_at: Instant;
  /** An opaque token that changes with each refresh. */
  refresh_token: string;
  /** Lifetime of the refresh token in seconds, if it is not used. */
  refresh_expires_in: number;
  user: User;
}

export interface LoggedIn {
  user: User;
}

export interface Session {
  id: string;
  email: string | null;
  client_name: string;
  issued_at: Instant;
  expiration_time: Instant;
  last_used_at: Instant;
  ip_address: string | null;
  user_agent: string | null;
  revoked: boolean;
  /** Whether this is the session of the access token. */
  current: boolean;
  created_at: Instant;
  updated_at: Instant;
}

export interface TokenList {
  tokens: Session[];
  should_revoke_tokens: boolean;
  number_of_tokens_to_revoke: number;
}

export interface Revoked {
  success: true;
  /** The number of sessions that were ended. */
  revoked: number;
}

export interface Deleted {
  deleted: true;
}

export interface DeletedUser {
  id: string;
  deleted: true;
}

export interface PortalLink {
  url: string;
  expires_at: Instant;
}

export interface TestClock {
  /** The time of the organization. */
  now: Instant;
  /** Where the clock moves to. Null unless it is advancing. */
  target: Instant | null;
  status: TestClockStatus;
  /** The number of actions in the current or last advance. */
  transitions: number;
  /** Whether the last advance stopped after 100,000 actions. */
  limit_reached: boolean;
}

export interface OperatorLink {
  url: string;
  expires_at: Instant;
}

export interface OperatorSessionOrganizationBillingDunning {
  retry_days: number[];
  grace_days: number;
  then: PlanBillingDunningThen;
}

export interface OperatorSessionOrganizationBillingSeller {
  name: string | null;
  address: string[];
  country: string | null;
  tax_id: string | null;
  email: string | null;
  note: string | null;
}

export interface OperatorSessionOrganizationBilling {
  /** The name of a time zone in the IANA database. */
  time_zone: string;
  payment_terms_days: number;
  dunning: OperatorSessionOrganizationBillingDunning;
  draft_hours: number;
  tax_rate_ids: string[];
  seller: OperatorSessionOrganizationBillingSeller;
  invoice_prefix: string;
  credit_note_prefix: string;
  yearly_numbers: boolean;
  spread_minutes: number;
  renewal_notice_days: number;
}

export interface OperatorSessionOrganizationPortal {
  /** The name that customers see. Null: the organization's. */
  name: string | null;
  accent: string;
  cancel: OrganizationPortalCancel;
  resume: boolean;
  change: OrganizationPortalChange;
  return_origins: string[];
}

export interface OperatorSessionOrganization {
  id: string;
  name: string;
  currency: string;
  max_sessions: number | null;
  mode: Mode;
  billing: OperatorSessionOrganizationBilling;
  portal: OperatorSessionOrganizationPortal;
  created_at: Instant;
  updated_at: Instant;
}

export interface OperatorSession {
  id: string;
  operator: Operator;
  organization: OperatorSessionOrganization;
  scopes: string[];
  method: Method;
  /** Whether the store was filled by `perennial demo`. */
  demo: boolean;
  signed_in_at: Instant;
  /** Until when the sign-in is recent. */
  fresh_until: Instant;
  idle_expires_at: Instant;
  expires_at: Instant;
  /** The build of the console's pages. Null if this server does not have them. */
  build: string | null;
}

export interface OperatorSignedOut {
  success: boolean;
}

export interface OperatorConnection {
  url: string;
}

export interface QueuedEvents {
  queued: number;
}

export interface EntitlementToken {
  /** A JWT with `typ` `ent+jwt`. */
  token: string;
  expires_at: Instant;
  refresh_after: Instant;
}

export interface RecordedUsage {
  accepted: number;
  duplicates: number;
  conflicts: string[];
  late: string[];
}

export interface SubscriptionUsageMeters {
  meter_id: string;
  slug: string;
  aggregation: MeterAggregation;
  quantity: Amount;
}

export interface SubscriptionUsage {
  from: Instant;
  to: Instant;
  meters: SubscriptionUsageMeters[];
}

export interface ReceivedWebhook {
  received: boolean;
}

export interface Page {
  /** The cursor of the next page. */
  next_cursor: string | null;
  has_more: boolean;
  limit: number;
}

export interface Fault {
  /** A JSON pointer into the body. */
  pointer?: string | undefined;
  parameter?: string | undefined;
  header?: string | undefined;
  code: string;
  detail: string;
}

/** An error (RFC 9457). */
export interface Problem {
  /** A link to the description of the code. */
  type: string;
  title: string;
  status: number;
  /** What is wrong in this case. */
  detail: string;
  code: ProblemCode;
  request_id: string;
  errors?: Fault[] | undefined;
  /** The number of further errors that are not listed in `errors`. Absent if all are listed. */
  errors_omitted?: number | undefined;
  required_scope?: string | undefined;
  /** The host of the identity provider that operators can sign in with. */
  provider?: string | null | undefined;
  conflicting_id?: string | undefined;
  subscriptions?: number | undefined;
  /** How many are allowed (`seat_limit`, `quota_exceeded`). */
  limit?: number | undefined;
  /** How many are used (`seat_limit`, `quota_exceeded`). */
  used?: Amount | undefined;
  allowed?: string[] | undefined;
  /** When the oldest event entered the feed (`cursor_gone`). */
  oldest?: Instant | null | undefined;
  /** Whether the store was restored to an earlier state (`cursor_gone`). If false, the events were pruned. */
  restored?: boolean | undefined;
}

export interface AnalyticsMeta {
  /** The figures are complete up to this time. */
  as_of: Instant;
  /** The last position of the feed that they include. */
  sequence: number;
  lag_seconds: number;
  state: AnalyticsMetaState;
  /** Null if the figures are of all currencies. */
  currency: string | null;
  /** Currencies with a movement. */
  currencies: string[];
}

export interface Seats {
  limit: number | "unlimited" | null;
  used: number;
  over_limit: boolean;
}

export interface SignUp {
  /** A token of one of your identity providers. */
  access_token: string;
  /** The e-mail address in that token. */
  email: string;
  /** The user name. */
  username?: string | null | undefined;
  /** The given name. */
  first_name?: string | null | undefined;
  /** The family name. */
  last_name?: string | null | undefined;
  /** Whether the user agreed to the terms. */
  terms?: boolean | null | undefined;
  /** Whether the user wants notifications. */
  notifications?: boolean | null | undefined;
  /** How the user signed up. Defaults to the kind of the identity provider. */
  auth_type?: string | null | undefined;
}

export interface SignIn {
  /** A token of one of your identity providers. */
  access_token: string;
  /** The e-mail address in that token. */
  email: string;
}

export interface RefreshToken {
  /** The newest refresh token of the session. */
  refresh_token: string;
}

/** When payment of an invoice is retried, and what follows. Null: the organization's value. */
export interface PlanCreateBillingDunning {
  /** The days after the invoice was issued on which payment is retried. In ascending order. */
  retry_days: number[];
  /** Days between the last attempt and the deadline. */
  grace_days: number;
  /** What happens to the subscription at the deadline. */
  then: PlanBillingDunningThen;
}

export interface PlanCreateBillingChargesTiers {
  /** The largest quantity of the tier. Null: the last tier. At most 6 decimals. */
  up_to?: Amount | null | undefined;
  /** The price of a unit in the tier. 0 by default. At most 10 decimals. */
  unit_price?: Amount | undefined;
  /** A price that is added once. 0 by default. At most 10 decimals. */
  flat_price?: Amount | undefined;
}

/** The package, with the model `package`. */
export interface PlanCreateBillingChargesPackage {
  /** The number of units in a package. At most 6 decimals. */
  size: Amount;
  /** The price of a package. At most 10 decimals. */
  price: Amount;
}

export interface PlanCreateBillingCharges {
  /** The meter, by its ID or slug. The ID or slug of an active meter. */
  meter_id: string;
  /** The name, as documents print it. */
  name: string;
  /** How the quantity is priced. */
  model: PlanBillingChargesModel;
  /** The price of a unit, with the model `per_unit`. At most 10 decimals. */
  unit_price?: Amount | null | undefined;
  /** The tiers, with the models `graduated` and `volume`. */
  tiers?: PlanCreateBillingChargesTiers[] | null | undefined;
  /** The package, with the model `package`. */
  package?: PlanCreateBillingChargesPackage | null | undefined;
}

/** How subscriptions to the plan are billed. Null: all defaults. An update replaces the members that are sent. */
export interface PlanCreateBilling {
  /** Days of the trial of a new subscription. Defaults to 0. */
  trial_days?: number | undefined;
  /** What follows a trial if collection is automatic and nothing can be charged. Defaults to pause. */
  trial_end_behavior?: PlanBillingTrialEndBehavior | undefined;
  /** Hours until an incomplete subscription expires. Defaults to 23. */
  incomplete_hours?: number | undefined;
  /** Days until an invoice of manual collection is due. Null: the organization's value. */
  payment_terms_days?: number | null | undefined;
  /** When payment of an invoice is retried, and what follows. Null: the organization's value. */
  dunning?: PlanCreateBillingDunning | null | undefined;
  /** Whether tax is added to the price or included in it. Defaults to exclusive. */
  tax_behavior?: PlanVersionTaxBehavior | undefined;
  /** The tax rates of the plan. Empty: the organization's. */
  tax_rate_ids?: string[] | undefined;
  /** The metered prices of the plan. */
  charges?: PlanCreateBillingCharges[] | undefined;
}

export interface PlanCreate {
  /** The name shown to customers. */
  name: string;
  /** The ID of the product in another system. */
  product_id?: string | null | undefined;
  /** The variants of the product. */
  variants?: string[] | undefined;
  /** The name of the plan in paths. It cannot be changed. */
  slug: string;
  /** The price per billing cycle, with at most as many decimals as the currency has. */
  price: Amount;
  /**
   * The currency of the price. Defaults to the organization's currency. An ISO 4217 code of a currency with minor
   * units; upper or lower case.
   */
  currency?: string | undefined;
  /** A link to the plan. An http or https URL. */
  href?: string | null | undefined;
  /**
   * How often the plan is billed. One of daily, weekly, biweekly, monthly, quarterly, semiannual, yearly, biennial,
   * lifetime. Common aliases (month, year, annual, one_time …) are accepted, in upper or lower case.
   */
  billing_cycle: BillingCycle | (string & {});
  /** How subscriptions to the plan are billed. Null: all defaults. An update replaces the members that are sent. */
  billing?: PlanCreateBilling | null | undefined;
  /** A description of the plan. */
  description?: string | undefined;
  /** The number of nodes that the plan includes. */
  node_quota?: number | undefined;
  /** A comma-separated list in one string, stored unchanged. */
  features?: string | undefined;
  /** Whether to mark the plan as the most popular one. */
  most_popular?: boolean | undefined;
  /** The rank of the plan among all plans. */
  tier?: number | undefined;
  /** Whether the plan accepts new subscriptions. */
  is_active?: boolean | undefined;
  /**
   * Values of features by key. An update replaces the keys that are sent; null removes one. They are no part of the
   * version.
   */
  entitlements?: Record<string, unknown> | undefined;
}

/** When payment of an invoice is retried, and what follows. Null: the organization's value. */
export interface PlanUpdateBillingDunning {
  /** The days after the invoice was issued on which payment is retried. In ascending order. */
  retry_days: number[];
  /** Days between the last attempt and the deadline. */
  grace_days: number;
  /** What happens to the subscription at the deadline. */
  then: PlanBillingDunningThen;
}

export interface PlanUpdateBillingChargesTiers {
  /** The largest quantity of the tier. Null: the last tier. At most 6 decimals. */
  up_to?: Amount | null | undefined;
  /** The price of a unit in the tier. 0 by default. At most 10 decimals. */
  unit_price?: Amount | undefined;
  /** A price that is added once. 0 by default. At most 10 decimals. */
  flat_price?: Amount | undefined;
}

/** The package, with the model `package`. */
export interface PlanUpdateBillingChargesPackage {
  /** The number of units in a package. At most 6 decimals. */
  size: Amount;
  /** The price of a package. At most 10 decimals. */
  price: Amount;
}

export interface PlanUpdateBillingCharges {
  /** The meter, by its ID or slug. The ID or slug of an active meter. */
  meter_id: string;
  /** The name, as documents print it. */
  name: string;
  /** How the quantity is priced. */
  model: PlanBillingChargesModel;
  /** The price of a unit, with the model `per_unit`. At most 10 decimals. */
  unit_price?: Amount | null | undefined;
  /** The tiers, with the models `graduated` and `volume`. */
  tiers?: PlanUpdateBillingChargesTiers[] | null | undefined;
  /** The package, with the model `package`. */
  package?: PlanUpdateBillingChargesPackage | null | undefined;
}

/** How subscriptions to the plan are billed. Null: all defaults. An update replaces the members that are sent. */
export interface PlanUpdateBilling {
  /** Days of the trial of a new subscription. Defaults to 0. */
  trial_days?: number | undefined;
  /** What follows a trial if collection is automatic and nothing can be charged. Defaults to pause. */
  trial_end_behavior?: PlanBillingTrialEndBehavior | undefined;
  /** Hours until an incomplete subscription expires. Defaults to 23. */
  incomplete_hours?: number | undefined;
  /** Days until an invoice of manual collection is due. Null: the organization's value. */
  payment_terms_days?: number | null | undefined;
  /** When payment of an invoice is retried, and what follows. Null: the organization's value. */
  dunning?: PlanUpdateBillingDunning | null | undefined;
  /** Whether tax is added to the price or included in it. Defaults to exclusive. */
  tax_behavior?: PlanVersionTaxBehavior | undefined;
  /** The tax rates of the plan. Empty: the organization's. */
  tax_rate_ids?: string[] | undefined;
  /** The metered prices of the plan. */
  charges?: PlanUpdateBillingCharges[] | undefined;
}

export interface PlanUpdate {
  /** The price per billing cycle, with at most as many decimals as the currency has. */
  price?: Amount | undefined;
  /**
   * How often the plan is billed. One of daily, weekly, biweekly, monthly, quarterly, semiannual, yearly, biennial,
   * lifetime. Common aliases (month, year, annual, one_time …) are accepted, in upper or lower case.
   */
  billing_cycle?: BillingCycle | (string & {}) | undefined;
  /** How subscriptions to the plan are billed. Null: all defaults. An update replaces the members that are sent. */
  billing?: PlanUpdateBilling | null | undefined;
  /** A description of the plan. */
  description?: string | undefined;
  /** The number of nodes that the plan includes. */
  node_quota?: number | undefined;
  /** A comma-separated list in one string, stored unchanged. */
  features?: string | undefined;
  /** Whether to mark the plan as the most popular one. */
  most_popular?: boolean | undefined;
  /** The rank of the plan among all plans. */
  tier?: number | undefined;
  /** Whether the plan accepts new subscriptions. */
  is_active?: boolean | undefined;
  /**
   * Values of features by key. An update replaces the keys that are sent; null removes one. They are no part of the
   * version.
   */
  entitlements?: Record<string, unknown> | undefined;
  /** Read-only. It may be sent back unchanged. */
  id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  slug?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  name?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  product_id?: string | null | undefined;
  /** Read-only. It may be sent back unchanged. */
  variants?: string[] | undefined;
  /** Read-only. It may be sent back unchanged. An http or https URL. */
  href?: string | null | undefined;
  /** Read-only. It may be sent back unchanged. An ISO 4217 code of a currency with minor units; upper or lower case. */
  currency?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  version?: number | undefined;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

/** What changes with the next period. It replaces the stored change as a whole. */
export interface SubscriptionCreateBillingChange {
  /** The plan from then on. Null: the same. The ID or slug of a plan. */
  subscription_plan_id?: string | null | undefined;
  /** The quantity from then on. Null: the same. */
  quantity?: number | null | undefined;
}

/**
 * How the service bills the subscription. Null: other systems renew it. An update replaces the members that are sent.
 */
export interface SubscriptionCreateBilling {
  /** automatic: charge an invoice when it is issued, and retry. manual: the customer pays until it is due. */
  collection?: InvoiceCollection | undefined;
  /** The connection that charges each attempt. Null: your application charges and records the payments. */
  connection_id?: string | null | undefined;
  /**
   * What is charged, as your application or provider names it. An empty text is the same as null. Never a card number.
   */
  payment_method?: string | null | undefined;
  /**
   * The time zone of the calendar. Defaults to the organization's. It cannot be changed. The name of a time zone in the
   * IANA database.
   */
  time_zone?: string | undefined;
  /**
   * What periods are counted from. Defaults to the start, or the end of the trial. It cannot be changed. RFC 3339 with
   * a UTC offset, between 1970 and 9999.
   */
  anchor_at?: Instant | undefined;
  /**
   * When the trial ends. Defaults to the plan's trial days after the start. Null: no trial. RFC 3339 with a UTC offset,
   * between 1970 and 9999.
   */
  trial_ends_at?: Instant | null | undefined;
  /** When a paused subscription resumes. RFC 3339 with a UTC offset, between 1970 and 9999. */
  resumes_at?: Instant | null | undefined;
  /** What changes with the next period. It replaces the stored change as a whole. */
  change?: SubscriptionCreateBillingChange | null | undefined;
  /** Whether a change that acts now bills and credits the rest of the period. Never returned. */
  prorate?: boolean | undefined;
  /**
   * The ID or code of a coupon, which is redeemed. Null removes the discount. Never returned. The ID or code of a
   * coupon.
   */
  coupon?: string | null | undefined;
}

export interface SubscriptionCreate {
  /** The user who subscribes. */
  user_id: string;
  /** The plan of the subscription. The ID or slug of a plan. */
  subscription_plan_id: string;
  /** The ID in another system. An empty text is the same as null. */
  external_subscription_id?: string | null | undefined;
  /** The number of units of the plan. Defaults to 1. */
  quantity?: number | undefined;
  /**
   * How often the subscription is billed. Defaults to the plan's billing cycle. One of daily, weekly, biweekly,
   * monthly, quarterly, semiannual, yearly, biennial, lifetime. Common aliases (month, year, annual, one_time …) are
   * accepted, in upper or lower case.
   */
  billing_cycle?: BillingCycle | (string & {}) | undefined;
  /**
   * The status of the subscription. One of pending, incomplete, on_trial, active, past_due, unpaid, paused, cancelled,
   * expired. Aliases such as trialing and canceled are accepted, in upper or lower case.
   */
  status?: SubscriptionStatus | (string & {}) | undefined;
  /** Whether the subscription is active. Derived from `status` if omitted. */
  is_active?: boolean | undefined;
  /**
   * When the subscription renews. Defaults to one billing cycle after the start. RFC 3339 with a UTC offset, between
   * 1970 and 9999.
   */
  renews_at?: Instant | null | undefined;
  /** When the subscription starts. Defaults to now. RFC 3339 with a UTC offset, between 1970 and 9999. */
  starts_at?: Instant | undefined;
  /** When the subscription ends. RFC 3339 with a UTC offset, between 1970 and 9999. */
  ends_at?: Instant | null | undefined;
  /**
   * How the service bills the subscription. Null: other systems renew it. An update replaces the members that are sent.
   */
  billing?: SubscriptionCreateBilling | null | undefined;
  /**
   * Values of features by key, in place of those of the plan. An update replaces the keys that are sent; null removes
   * one.
   */
  entitlements?: Record<string, unknown> | undefined;
}

/** What changes with the next period. It replaces the stored change as a whole. */
export interface SubscriptionUpdateBillingChange {
  /** The plan from then on. Null: the same. The ID or slug of a plan. */
  subscription_plan_id?: string | null | undefined;
  /** The quantity from then on. Null: the same. */
  quantity?: number | null | undefined;
}

/**
 * How the service bills the subscription. Null: other systems renew it. An update replaces the members that are sent.
 */
export interface SubscriptionUpdateBilling {
  /** automatic: charge an invoice when it is issued, and retry. manual: the customer pays until it is due. */
  collection?: InvoiceCollection | undefined;
  /** The connection that charges each attempt. Null: your application charges and records the payments. */
  connection_id?: string | null | undefined;
  /**
   * What is charged, as your application or provider names it. An empty text is the same as null. Never a card number.
   */
  payment_method?: string | null | undefined;
  /**
   * The time zone of the calendar. Defaults to the organization's. It cannot be changed. The name of a time zone in the
   * IANA database.
   */
  time_zone?: string | undefined;
  /**
   * What periods are counted from. Defaults to the start, or the end of the trial. It cannot be changed. RFC 3339 with
   * a UTC offset, between 1970 and 9999.
   */
  anchor_at?: Instant | undefined;
  /**
   * When the trial ends. Defaults to the plan's trial days after the start. Null: no trial. RFC 3339 with a UTC offset,
   * between 1970 and 9999.
   */
  trial_ends_at?: Instant | null | undefined;
  /** When a paused subscription resumes. RFC 3339 with a UTC offset, between 1970 and 9999. */
  resumes_at?: Instant | null | undefined;
  /** What changes with the next period. It replaces the stored change as a whole. */
  change?: SubscriptionUpdateBillingChange | null | undefined;
  /** Whether a change that acts now bills and credits the rest of the period. Never returned. */
  prorate?: boolean | undefined;
  /**
   * The ID or code of a coupon, which is redeemed. Null removes the discount. Never returned. The ID or code of a
   * coupon.
   */
  coupon?: string | null | undefined;
  /** Ignored. It may be sent back with any value. */
  period_start?: unknown;
  /** Ignored. It may be sent back with any value. */
  paused_at?: unknown;
  /** Ignored. It may be sent back with any value. */
  discount?: unknown;
  /** Ignored. It may be sent back with any value. */
  overdue_invoices?: unknown;
  /** Ignored. It may be sent back with any value. */
  parked?: unknown;
  /** Ignored. It may be sent back with any value. */
  next_action?: unknown;
  /** Ignored. It may be sent back with any value. */
  next_action_at?: unknown;
}

export interface SubscriptionUpdate {
  /**
   * The version of the plan. It may be sent back unchanged; the plan's current version moves the subscription to it.
   */
  plan_version?: number | undefined;
  /** The user who subscribes. */
  user_id?: string | undefined;
  /** The plan of the subscription. The ID or slug of a plan. */
  subscription_plan_id?: string | undefined;
  /** The ID in another system. An empty text is the same as null. */
  external_subscription_id?: string | null | undefined;
  /** The number of units of the plan. Defaults to 1. */
  quantity?: number | undefined;
  /**
   * How often the subscription is billed. Defaults to the plan's billing cycle. One of daily, weekly, biweekly,
   * monthly, quarterly, semiannual, yearly, biennial, lifetime. Common aliases (month, year, annual, one_time …) are
   * accepted, in upper or lower case.
   */
  billing_cycle?: BillingCycle | (string & {}) | undefined;
  /**
   * The status of the subscription. One of pending, incomplete, on_trial, active, past_due, unpaid, paused, cancelled,
   * expired. Aliases such as trialing and canceled are accepted, in upper or lower case.
   */
  status?: SubscriptionStatus | (string & {}) | undefined;
  /** Whether the subscription is active. Derived from `status` if omitted. */
  is_active?: boolean | undefined;
  /**
   * When the subscription renews. Defaults to one billing cycle after the start. RFC 3339 with a UTC offset, between
   * 1970 and 9999.
   */
  renews_at?: Instant | null | undefined;
  /** When the subscription starts. Defaults to now. RFC 3339 with a UTC offset, between 1970 and 9999. */
  starts_at?: Instant | undefined;
  /** When the subscription ends. RFC 3339 with a UTC offset, between 1970 and 9999. */
  ends_at?: Instant | null | undefined;
  /**
   * How the service bills the subscription. Null: other systems renew it. An update replaces the members that are sent.
   */
  billing?: SubscriptionUpdateBilling | null | undefined;
  /**
   * Values of features by key, in place of those of the plan. An update replaces the keys that are sent; null removes
   * one.
   */
  entitlements?: Record<string, unknown> | undefined;
  /** Read-only. It may be sent back unchanged. */
  id?: string | undefined;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Read-only. It may be sent back unchanged. */
  managed_by?: string | null | undefined;
  /** Ignored. It may be sent back with any value. */
  has_access?: unknown;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

export interface PaymentCreate {
  /** The subscription that the payment is for. */
  subscription_id: string;
  /** The invoice that the payment pays. It can be set once. */
  invoice_id?: string | null | undefined;
  /** The amount, with at most as many decimals as the currency has. */
  amount: Amount;
  /** The currency of the amount. An ISO 4217 code of a currency with minor units; upper or lower case. */
  currency: string;
  /** The ID in another system. An empty text is the same as null. */
  external_payment_id?: string | null | undefined;
  /**
   * The status of the payment. Defaults to `pending`. One of pending, processing, completed, failed,
   * partially_refunded, refunded, disputed, void. Aliases such as paid and canceled are accepted, in upper or lower
   * case.
   */
  status?: PaymentStatus | (string & {}) | undefined;
}

export interface PaymentUpdate {
  /** The subscription that the payment is for. */
  subscription_id?: string | undefined;
  /** The invoice that the payment pays. It can be set once. */
  invoice_id?: string | null | undefined;
  /** The amount, with at most as many decimals as the currency has. */
  amount?: Amount | undefined;
  /** The currency of the amount. An ISO 4217 code of a currency with minor units; upper or lower case. */
  currency?: string | undefined;
  /** The ID in another system. An empty text is the same as null. */
  external_payment_id?: string | null | undefined;
  /**
   * The status of the payment. Defaults to `pending`. One of pending, processing, completed, failed,
   * partially_refunded, refunded, disputed, void. Aliases such as paid and canceled are accepted, in upper or lower
   * case.
   */
  status?: PaymentStatus | (string & {}) | undefined;
  /** Read-only. It may be sent back unchanged. */
  id?: string | undefined;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored. It may be sent back with any value. */
  date?: unknown;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

export interface CollectPayment {
  /** The connection that collects. */
  connection_id?: string | undefined;
  /**
   * The ID of the payment method at the provider. Defaults to the subscription's, then to the customer's. Never a card
   * number.
   */
  payment_method?: string | undefined;
}

export interface UserCreate {
  /** The e-mail address, unique in the organization. A user with an identity keeps the identity provider's. */
  email: string;
  /** The user name. */
  username?: string | null | undefined;
  /** The given name. */
  first_name?: string | null | undefined;
  /** The family name. */
  last_name?: string | null | undefined;
  /** Whether the user agreed to the terms. */
  terms?: boolean | null | undefined;
  /** Whether the user wants notifications. */
  notifications?: boolean | null | undefined;
  /** How the user signs up. */
  auth_type?: string | null | undefined;
}

export interface UserUpdate {
  /** The e-mail address, unique in the organization. A user with an identity keeps the identity provider's. */
  email?: string | null | undefined;
  /** Whether the user is blocked: without sessions and unable to sign in. */
  is_blocked?: boolean | undefined;
  /** The user name. */
  username?: string | null | undefined;
  /** The given name. */
  first_name?: string | null | undefined;
  /** The family name. */
  last_name?: string | null | undefined;
  /** Whether the user agreed to the terms. */
  terms?: boolean | null | undefined;
  /** Whether the user wants notifications. */
  notifications?: boolean | null | undefined;
  /** How the user signs up. */
  auth_type?: string | null | undefined;
  /** Read-only. It may be sent back unchanged. */
  id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  auth_id?: string | null | undefined;
  /** Read-only. It may be sent back unchanged. */
  auth_provider?: string | null | undefined;
  /** Read-only. It may be sent back unchanged. */
  organization_id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  role?: string | undefined;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

export interface PortalLinkCreate {
  /**
   * Where the portal links back to. Its origin must be one of the organization's `portal.return_origins`. An http or
   * https URL.
   */
  return_url?: string | null | undefined;
  /** How many seconds the link works. 900 if omitted. */
  expires_in?: number | undefined;
}

export interface ClientCreate {
  /** The display name. */
  name: string;
  /** Whether the client can protect a secret. */
  kind: ClientKind;
  /** The scopes of the client. */
  scopes: ClientScopes[];
  /** Public clients: the client ID. Generated if omitted. */
  client_id?: string | null | undefined;
  /**
   * Public clients: the origins that browsers may call from. Each is scheme://host or scheme://host:port; the port may
   * be *.
   */
  origins?: string[] | undefined;
  /**
   * Trusted clients: the networks that it may call from. Empty means any. Each is a range in CIDR notation, such as
   * 10.0.0.0/8.
   */
  cidrs?: string[] | undefined;
  /** Trusted clients: when the client stops working. RFC 3339 with a UTC offset, between 1970 and 9999. */
  expires_at?: Instant | null | undefined;
}

export interface ClientUpdate {
  /** The display name. */
  name?: string | undefined;
  /** The scopes of the client. They replace the stored ones. */
  scopes?: ClientScopes[] | undefined;
  /**
   * Public clients: the origins that browsers may call from. Each is scheme://host or scheme://host:port; the port may
   * be *.
   */
  origins?: string[] | undefined;
  /**
   * Trusted clients: the networks that it may call from. Empty means any. Each is a range in CIDR notation, such as
   * 10.0.0.0/8.
   */
  cidrs?: string[] | undefined;
  /** Trusted clients: when the client stops working. RFC 3339 with a UTC offset, between 1970 and 9999. */
  expires_at?: Instant | null | undefined;
  /** `false` disables the client for good. */
  is_active?: boolean | undefined;
  /** Read-only. It may be sent back unchanged. */
  id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  organization_id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  kind?: ClientKind | undefined;
  /** Read-only. It may be sent back unchanged. */
  client_id?: string | null | undefined;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  disabled_at?: Instant | null | undefined;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

/** When payment of an invoice is retried, and what follows. */
export interface OrganizationUpdateBillingDunning {
  /** The days after the invoice was issued on which payment is retried. In ascending order. */
  retry_days: number[];
  /** Days between the last attempt and the deadline. */
  grace_days: number;
  /** What happens to the subscription at the deadline. */
  then: PlanBillingDunningThen;
}

/** What documents print about the seller. */
export interface OrganizationUpdateBillingSeller {
  /** The name. */
  name?: string | null | undefined;
  /** The lines of the address. */
  address?: string[] | undefined;
  /** The country. An ISO 3166 alpha-2 code; upper or lower case. */
  country?: string | null | undefined;
  /** The tax ID. */
  tax_id?: string | null | undefined;
  /** The e-mail address. */
  email?: string | null | undefined;
  /** A note that documents print. */
  note?: string | null | undefined;
}

/** How subscriptions are billed. An update replaces the members that are sent. */
export interface OrganizationUpdateBilling {
  /** The time zone of new subscriptions. Defaults to UTC. The name of a time zone in the IANA database. */
  time_zone?: string | undefined;
  /** Days until an invoice of manual collection is due. Defaults to 14. */
  payment_terms_days?: number | undefined;
  /** When payment of an invoice is retried, and what follows. */
  dunning?: OrganizationUpdateBillingDunning | undefined;
  /** Hours between the end of a period with metered usage and its invoice. Defaults to 1. */
  draft_hours?: number | undefined;
  /** The tax rates of lines whose plan and user have none. */
  tax_rate_ids?: string[] | undefined;
  /** What documents print about the seller. */
  seller?: OrganizationUpdateBillingSeller | undefined;
  /** The text in front of invoice numbers. Defaults to INV. */
  invoice_prefix?: string | undefined;
  /** The text in front of credit note numbers. Defaults to CRN. */
  credit_note_prefix?: string | undefined;
  /** Whether each year has its own numbers. Defaults to false. */
  yearly_numbers?: boolean | undefined;
  /** Minutes over which the engine spreads renewals of the same instant. Defaults to 0. */
  spread_minutes?: number | undefined;
  /**
   * Days between `subscription.renewal_upcoming` and the renewal. 0: no event. It applies to a subscription from its
   * next change or period on.
   */
  renewal_notice_days?: number | undefined;
}

/** The settings of the customer portal, merged by member. */
export interface OrganizationUpdatePortal {
  /** The name that customers see. Null: the organization's. */
  name?: string | null | undefined;
  /** The color of buttons, on which white text can be read. */
  accent?: string | undefined;
  /** How customers cancel: at the end of the paid period, now, or not here. */
  cancel?: OrganizationPortalCancel | undefined;
  /** Whether customers may resume a cancelled subscription before it ends. */
  resume?: boolean | undefined;
  /** How customers change their plan: not here, at its link, or for the next period. */
  change?: OrganizationPortalChange | undefined;
  /**
   * The origins that links to the portal may return to. Each is scheme://host or scheme://host:port; the port may be *.
   */
  return_origins?: string[] | undefined;
}

export interface OrganizationUpdate {
  /** The number of sessions that a user should have at most. The list of sessions reports when there are more. */
  max_sessions?: number | null | undefined;
  /** How subscriptions are billed. An update replaces the members that are sent. */
  billing?: OrganizationUpdateBilling | undefined;
  /** The settings of the customer portal, merged by member. */
  portal?: OrganizationUpdatePortal | undefined;
  /** Read-only. It may be sent back unchanged. */
  id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  name?: string | undefined;
  /** Read-only. It may be sent back unchanged. An ISO 4217 code of a currency with minor units; upper or lower case. */
  currency?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  mode?: Mode | undefined;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

export interface TestClockUpdate {
  /** The time that the clock will show, at most ten years later. RFC 3339 with a UTC offset, between 1970 and 9999. */
  now?: Instant | undefined;
  /** How the clock moves. Defaults to `advance`. */
  mode?: TestClockUpdateMode | undefined;
  /** Ignored. It may be sent back with any value. */
  target?: unknown;
  /** Ignored. It may be sent back with any value. */
  status?: unknown;
  /** Ignored. It may be sent back with any value. */
  transitions?: unknown;
  /** Ignored. It may be sent back with any value. */
  limit_reached?: unknown;
}

export interface TestClockCreate {
  /** The time that the clock shows. No record may be newer. RFC 3339 with a UTC offset, between 1970 and 9999. */
  now: Instant;
}

export interface OperatorCreate {
  /** The name, unique in the organization. */
  name: string;
  /** The role: a set of scopes. */
  role: OperatorRole;
}

export interface OperatorUpdate {
  /** The name, unique in the organization. */
  name?: string | undefined;
  /** The role: a set of scopes. */
  role?: OperatorRole | undefined;
  /** Whether the operator may sign in. `false` ends all sessions. */
  is_active?: boolean | undefined;
  /** Read-only. It may be sent back unchanged. */
  id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  organization_id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  issuer?: string | null | undefined;
  /** Read-only. It may be sent back unchanged. */
  subject?: string | null | undefined;
  /** Ignored. It may be sent back with any value. */
  last_sign_in_at?: unknown;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

export interface WebhookEndpointCreate {
  /** How requests are signed. It cannot change. `hmac` if omitted. */
  signature?: WebhookEndpointSignature | undefined;
  /** Where events are sent: an https URL of a public host. */
  url: string;
  /** What the endpoint is for. Empty if omitted. */
  description?: string | undefined;
  /**
   * The event types to send. All if omitted. Each is an event type (`payment.created`), all types of a record
   * (`payment.*`), or `*`.
   */
  types?: string[] | undefined;
  /** `full`, or `thin`: `data` holds only the ID. `full` if omitted. */
  payload?: WebhookEndpointPayload | undefined;
  /** Whether events are sent. `true` if omitted. */
  is_active?: boolean | undefined;
}

export interface WebhookEndpointUpdate {
  /** Where events are sent: an https URL of a public host. */
  url?: string | undefined;
  /** What the endpoint is for. Empty if omitted. */
  description?: string | undefined;
  /**
   * The event types to send. All if omitted. Each is an event type (`payment.created`), all types of a record
   * (`payment.*`), or `*`.
   */
  types?: string[] | undefined;
  /** `full`, or `thin`: `data` holds only the ID. `full` if omitted. */
  payload?: WebhookEndpointPayload | undefined;
  /** Whether events are sent. `true` if omitted. */
  is_active?: boolean | undefined;
  /** Read-only. It may be sent back unchanged. */
  id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  signature?: WebhookEndpointSignature | undefined;
  /** Ignored. It may be sent back with any value. */
  state?: unknown;
  /** Ignored. It may be sent back with any value. */
  disabled_reason?: unknown;
  /** Ignored. It may be sent back with any value. */
  failing_since?: unknown;
  /** Ignored. It may be sent back with any value. */
  public_keys?: unknown;
  /** Ignored. It may be sent back with any value. */
  oldest_undelivered_at?: unknown;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

export interface RotateWebhookSecret {
  /** How long the old secrets continue to sign. 86,400 if omitted. */
  overlap_seconds?: number | undefined;
}

export interface PingWebhookEndpoint {
  /** The type of the sample: an event type, or `webhook.ping`, which is the default. */
  type?: string | undefined;
}

export interface RetryWebhookEvents {
  /** One event, even if it was delivered. */
  event_id?: string | undefined;
  /**
   * All undelivered events that entered the feed at or after this time. RFC 3339 with a UTC offset, between 1970 and
   * 9999.
   */
  since?: Instant | undefined;
  /** With `since`: and before this time. RFC 3339 with a UTC offset, between 1970 and 9999. */
  until?: Instant | undefined;
}

export interface SeekWebhookEndpoint {
  /** `oldest`, `newest`, or a time. */
  to: string;
}

export interface TaxRateCreate {
  /** The name that documents print. */
  name: string;
  /** The percentage, with at most 4 decimals. */
  percentage: Amount;
  /** The country whose tax it is. An ISO 3166 alpha-2 code; upper or lower case. */
  country?: string | null | undefined;
  /** Whether the tax rate can be referenced. True by default. */
  is_active?: boolean | undefined;
}

export interface TaxRateUpdate {
  /** Whether the tax rate can be referenced. True by default. */
  is_active?: boolean | undefined;
  /** Read-only. It may be sent back unchanged. */
  id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  name?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  percentage?: Amount | undefined;
  /** Read-only. It may be sent back unchanged. An ISO 3166 alpha-2 code; upper or lower case. */
  country?: string | null | undefined;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

export interface CouponCreate {
  /** The code, unique in the organization in upper or lower case. */
  code: string;
  /** The percentage that is taken off, with at most 2 decimals. */
  percent?: Amount | null | undefined;
  /** The amount that is taken off each period. */
  amount?: Amount | null | undefined;
  /** The currency of the amount. An ISO 4217 code of a currency with minor units; upper or lower case. */
  currency?: string | null | undefined;
  /** How long the coupon discounts. */
  duration: CouponDuration;
  /** The number of periods, with the duration `repeating` only. */
  periods?: number | null | undefined;
  /** The plans that the coupon discounts. Empty for all. */
  plan_ids?: string[] | undefined;
  /** The last instant at which it can be redeemed. RFC 3339 with a UTC offset, between 1970 and 9999. */
  redeem_by?: Instant | null | undefined;
  /** How often it can be redeemed. */
  max_redemptions?: number | null | undefined;
  /** Whether the coupon can be redeemed. True by default. */
  is_active?: boolean | undefined;
}

export interface CouponUpdate {
  /** Whether the coupon can be redeemed. True by default. */
  is_active?: boolean | undefined;
  /** Read-only. It may be sent back unchanged. */
  id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  code?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  percent?: Amount | null | undefined;
  /** Read-only. It may be sent back unchanged. */
  amount?: Amount | null | undefined;
  /** Read-only. It may be sent back unchanged. An ISO 4217 code of a currency with minor units; upper or lower case. */
  currency?: string | null | undefined;
  /** Read-only. It may be sent back unchanged. */
  duration?: CouponDuration | undefined;
  /** Read-only. It may be sent back unchanged. */
  periods?: number | null | undefined;
  /** Read-only. It may be sent back unchanged. */
  plan_ids?: string[] | undefined;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  redeem_by?: Instant | null | undefined;
  /** Read-only. It may be sent back unchanged. */
  max_redemptions?: number | null | undefined;
  /** Ignored. It may be sent back with any value. */
  redemptions?: unknown;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

export interface MeterCreate {
  /** The name of the meter in usage events. It cannot be changed. */
  slug: string;
  /** How events become one quantity. It cannot be changed. */
  aggregation: MeterAggregation;
  /** The name shown to customers. */
  name: string;
  /** What the meter counts, such as `call` or `GB`. */
  unit?: string | null | undefined;
  /** Whether the meter accepts events. True by default. */
  is_active?: boolean | undefined;
}

export interface MeterUpdate {
  /** The name shown to customers. */
  name?: string | undefined;
  /** What the meter counts, such as `call` or `GB`. */
  unit?: string | null | undefined;
  /** Whether the meter accepts events. True by default. */
  is_active?: boolean | undefined;
  /** Read-only. It may be sent back unchanged. */
  id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  slug?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  aggregation?: MeterAggregation | undefined;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

export interface FeatureCreate {
  /**
   * The meter of a quota, with the aggregation sum or count. It cannot be changed. The ID or slug of an active meter.
   */
  meter?: string | null | undefined;
  /** The name of the feature in grants and checks. It cannot be changed. */
  key: string;
  /** The name shown to people. */
  name: string;
  /** What kind of values the feature has. It cannot be changed. */
  kind: Kind;
  /** The period of a quota; billing by default. It cannot be changed. */
  period?: FeaturePeriod | null | undefined;
  /** A description of the feature. */
  description?: string | undefined;
  /** How the values of several subscriptions become one. boolean: any. limit: max (default) or sum. quota: sum. */
  combine?: FeatureCombine | undefined;
  /** Whether a number is multiplied by the quantity of the subscription. False by default; not for boolean. */
  per_unit?: boolean | undefined;
  /** Whether the feature is granted to users. True by default. */
  is_active?: boolean | undefined;
}

export interface FeatureUpdate {
  /** Read-only. It may be sent back unchanged. */
  meter?: string | null | undefined;
  /** The name shown to people. */
  name?: string | undefined;
  /** A description of the feature. */
  description?: string | undefined;
  /** How the values of several subscriptions become one. boolean: any. limit: max (default) or sum. quota: sum. */
  combine?: FeatureCombine | undefined;
  /** Whether a number is multiplied by the quantity of the subscription. False by default; not for boolean. */
  per_unit?: boolean | undefined;
  /** Whether the feature is granted to users. True by default. */
  is_active?: boolean | undefined;
  /** Read-only. It may be sent back unchanged. */
  id?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  key?: string | undefined;
  /** Read-only. It may be sent back unchanged. */
  kind?: Kind | undefined;
  /** Read-only. It may be sent back unchanged. */
  period?: FeaturePeriod | null | undefined;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

export interface EntitlementTokenCreate {
  /** How long the token lives at most, in seconds. 86,400 if omitted, which is the most with a user's token. */
  ttl_seconds?: number | undefined;
}

export interface AddMember {
  /** The user who becomes a member. */
  user_id: string;
}

export interface RecordUsageEventsEvents {
  /** Your ID of the event, unique in its subscription. */
  id: string;
  /** The subscription that used something. */
  subscription_id?: string | undefined;
  /**
   * The user who used something, in place of `subscription_id`. The user must have exactly one subscription with access
   * and a quota or a charge for the meter.
   */
  user_id?: string | undefined;
  /** The meter that counts the event. The ID or slug of an active meter. */
  meter: string;
  /**
   * When it happened, at most 5 minutes in the future. Now by default. RFC 3339 with a UTC offset, between 1970 and
   * 9999.
   */
  at?: Instant | undefined;
  /**
   * The value, with at most 6 decimals. 1 by default. Only `sum` takes negative values; `count` and `unique` ignore
   * values.
   */
  value?: Amount | undefined;
  /** What a `unique` meter counts. Required by such a meter. */
  key?: string | undefined;
}

export interface RecordUsageEvents {
  /** The events. */
  events: RecordUsageEventsEvents[];
  /** `record` stores every valid event. `enforce` rejects the call if it would exceed a quota. */
  mode?: RecordUsageEventsMode | undefined;
}

export interface BillingProfileUpdate {
  /** The name of the buyer. */
  name?: string | null | undefined;
  /** The e-mail address for documents. */
  email?: string | null | undefined;
  /** The lines of the postal address. */
  address?: string[] | undefined;
  /** The country of the buyer. An ISO 3166 alpha-2 code; upper or lower case. */
  country?: string | null | undefined;
  /** The buyer's tax ID. */
  tax_id?: string | null | undefined;
  /** Whether no tax is charged. False by default. */
  tax_exempt?: boolean | undefined;
  /** Tax rates in place of those of the plan. Empty for none. */
  tax_rate_ids?: string[] | undefined;
  /** The language of documents. */
  locale?: BillingProfileLocale | null | undefined;
  /** A note that documents print, such as "Reverse charge". */
  note?: string | null | undefined;
  /** Read-only. It may be sent back unchanged. */
  user_id?: string | undefined;
  /** Read-only. It may be sent back unchanged. RFC 3339 with a UTC offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored. It may be sent back with any value. */
  balances?: unknown;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

export interface CreditCreate {
  /** The currency of the balance. An ISO 4217 code of a currency with minor units; upper or lower case. */
  currency: string;
  /** The amount that is added to the balance; negative to take it. */
  amount: Amount;
  /** Why the balance changes. No personal data: events contain it. */
  description?: string | null | undefined;
}

export interface InvoiceCreateLines {
  /** What is billed. */
  description: string;
  /** How many. 1 by default. */
  quantity?: number | undefined;
  /** The price of one, with at most as many decimals as the currency has. */
  unit_price: Amount;
  /** Whether tax is added or included. Defaults to exclusive. */
  tax_behavior?: PlanVersionTaxBehavior | undefined;
  /** The tax rates. By default those of the user, plan or organization. */
  tax_rate_ids?: string[] | undefined;
}

export interface InvoiceCreate {
  /** The billed subscription that the invoice is for. */
  subscription_id: string;
  /** What is billed. */
  lines: InvoiceCreateLines[];
  /** A text for the user. */
  memo?: string | null | undefined;
  /** Days until it is due, with manual collection. Null: the plan's value. */
  payment_terms_days?: number | null | undefined;
}

export interface InvoiceUpdateLines {
  /** What is billed. */
  description: string;
  /** How many. 1 by default. */
  quantity?: number | undefined;
  /** The price of one, with at most as many decimals as the currency has. */
  unit_price: Amount;
  /** Whether tax is added or included. Defaults to exclusive. */
  tax_behavior?: PlanVersionTaxBehavior | undefined;
  /** The tax rates. By default those of the user, plan or organization. */
  tax_rate_ids?: string[] | undefined;
  /** Ignored. It may be sent back with any value. */
  kind?: unknown;
  /** Ignored. It may be sent back with any value. */
  subscription_plan_id?: unknown;
  /** Ignored. It may be sent back with any value. */
  plan_version?: unknown;
  /** Ignored. It may be sent back with any value. */
  meter_id?: unknown;
  /** Ignored. It may be sent back with any value. */
  amount?: unknown;
  /** Ignored. It may be sent back with any value. */
  discount?: unknown;
  /** Ignored. It may be sent back with any value. */
  period_start?: unknown;
  /** Ignored. It may be sent back with any value. */
  period_end?: unknown;
  /** Ignored. It may be sent back with any value. */
  source_invoice_id?: unknown;
}

export interface InvoiceUpdate {
  /** A text for the user. */
  memo?: string | null | undefined;
  /** When the service issues a `one_off` draft. Null: never. RFC 3339 with a UTC offset, between 1970 and 9999. */
  finalizes_at?: Instant | null | undefined;
  /** What is billed, of a `one_off` draft. */
  lines?: InvoiceUpdateLines[] | undefined;
  /** Read-only. It may be sent back unchanged. */
  number?: unknown;
  /** Read-only. It may be sent back unchanged. */
  kind?: unknown;
  /** Read-only. It may be sent back unchanged. */
  status?: unknown;
  /** Read-only. It may be sent back unchanged. */
  user_id?: unknown;
  /** Read-only. It may be sent back unchanged. */
  currency?: unknown;
  /** Read-only. It may be sent back unchanged. */
  collection?: unknown;
  /** Read-only. It may be sent back unchanged. */
  cycle_at?: unknown;
  /** Read-only. It may be sent back unchanged. */
  period_start?: unknown;
  /** Read-only. It may be sent back unchanged. */
  period_end?: unknown;
  /** Read-only. It may be sent back unchanged. */
  subtotal?: unknown;
  /** Read-only. It may be sent back unchanged. */
  discount?: unknown;
  /** Read-only. It may be sent back unchanged. */
  taxes?: unknown;
  /** Read-only. It may be sent back unchanged. */
  tax?: unknown;
  /** Read-only. It may be sent back unchanged. */
  tax_included?: unknown;
  /** Read-only. It may be sent back unchanged. */
  total?: unknown;
  /** Read-only. It may be sent back unchanged. */
  credit_applied?: unknown;
  /** Read-only. It may be sent back unchanged. */
  amount_paid?: unknown;
  /** Read-only. It may be sent back unchanged. */
  amount_credited?: unknown;
  /** Read-only. It may be sent back unchanged. */
  credited_total?: unknown;
  /** Read-only. It may be sent back unchanged. */
  amount_due?: unknown;
  /** Read-only. It may be sent back unchanged. */
  coupon_id?: unknown;
  /** Read-only. It may be sent back unchanged. */
  attempts?: unknown;
  /** Read-only. It may be sent back unchanged. */
  overdue?: unknown;
  /** Read-only. It may be sent back unchanged. */
  next_action?: unknown;
  /** Read-only. It may be sent back unchanged. */
  next_action_at?: unknown;
  /** Read-only. It may be sent back unchanged. */
  issued_at?: unknown;
  /** Read-only. It may be sent back unchanged. */
  due_at?: unknown;
  /** Read-only. It may be sent back unchanged. */
  paid_at?: unknown;
  /** Read-only. It may be sent back unchanged. */
  seller?: unknown;
  /** Read-only. It may be sent back unchanged. */
  buyer?: unknown;
  /** Read-only. It may be sent back unchanged. */
  id?: unknown;
  /** Read-only. It may be sent back unchanged. */
  created_at?: unknown;
  /** Read-only. It may be sent back unchanged. */
  subscription_id?: unknown;
  /** Ignored. It may be sent back with any value. */
  updated_at?: unknown;
}

export interface CreditNoteCreateLines {
  /** The index of a line of the invoice, from 0. Its amount is positive. */
  line: number;
  /** What is credited of it. */
  amount: Amount;
}

export interface CreditNoteCreate {
  /** The invoice that is credited. */
  invoice_id: string;
  /** The amount before exclusive tax and with inclusive tax. It is spread over the tax rates of the invoice. */
  amount?: Amount | undefined;
  /** Amounts of lines, in place of `amount`. */
  lines?: CreditNoteCreateLines[] | undefined;
  /** Why the invoice is credited. The document prints it. */
  reason?: string | null | undefined;
  /** Where the rest goes that reduces no amount due: `balance` (default), or `refund` by you. */
  settlement?: CreditNoteSettlement | undefined;
  /** Your reference of the refund. */
  refund_reference?: string | null | undefined;
}

/** What listPlans asks for. */
export interface PlanQuery {
  /** Only active or only inactive plans. */
  is_active?: boolean | undefined;
  /** Plans with this billing cycle. Aliases are accepted. */
  billing_cycle?: BillingCycle | (string & {}) | undefined;
  /** Plans of this tier. */
  tier?: number | undefined;
  /** Plans that are marked as most popular, or that are not. */
  most_popular?: boolean | undefined;
  /** Plans of this product. */
  product_id?: string | undefined;
  /** Plans with this variant. */
  variant?: string | undefined;
  /** The sort order. Prefix with `-` for descending order. */
  sort?: PlanSort | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listPlanVersions asks for. */
export interface PlanVersionQuery {
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listSubscriptions asks for. */
export interface SubscriptionQuery {
  /** Subscriptions of this user. */
  user_id?: string | undefined;
  /** Subscriptions of this plan (ID or slug). */
  subscription_plan_id?: string | undefined;
  /** One status, or several separated by commas. Aliases are accepted. */
  status?: string | undefined;
  /** Only active or only inactive subscriptions. */
  is_active?: boolean | undefined;
  /** Subscriptions with this billing cycle. Aliases are accepted. */
  billing_cycle?: BillingCycle | (string & {}) | undefined;
  /** The subscription with this external ID. */
  external_subscription_id?: string | undefined;
  /** Created at or after this time. */
  created_after?: Instant | undefined;
  /** Created before this time. */
  created_before?: Instant | undefined;
  /** Renewing at or after this time. */
  renews_after?: Instant | undefined;
  /** Renewing before this time. */
  renews_before?: Instant | undefined;
  /** Ending at or after this time. */
  ends_after?: Instant | undefined;
  /** Ending before this time. */
  ends_before?: Instant | undefined;
  /** The sort order. Prefix with `-` for descending order. Subscriptions without the time come last. */
  sort?: SubscriptionSort | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What forecastSubscription asks for. */
export interface SubscriptionForecastQuery {
  /** The number of actions. */
  count?: number | undefined;
}

/** What listPayments asks for. */
export interface PaymentQuery {
  /** Payments for this subscription. */
  subscription_id?: string | undefined;
  /** Payments of this invoice. */
  invoice_id?: string | undefined;
  /** One status, or several separated by commas. */
  status?: string | undefined;
  /** The payment with this external ID. */
  external_payment_id?: string | undefined;
  /** Payments in this currency. */
  currency?: string | undefined;
  /** Last completed at or after this time. */
  date_after?: Instant | undefined;
  /** Last completed before this time. */
  date_before?: Instant | undefined;
  /** The sort order. Prefix with `-` for descending order. */
  sort?: PaymentSort | undefined;
  /** Created at or after this time. */
  created_after?: Instant | undefined;
  /** Created before this time. */
  created_before?: Instant | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listUsers asks for. */
export interface ManagedUserQuery {
  /** One ID, or up to 200 separated by commas. */
  id?: string | undefined;
  /** The user with this address, in upper or lower case. */
  email?: string | undefined;
  /** Users whose address begins with this, sorted by address. At least 3 characters. Not with `sort`. */
  email_prefix?: string | undefined;
  /** Users with this ID at their identity provider. */
  auth_id?: string | undefined;
  /** Created at or after this time. */
  created_after?: Instant | undefined;
  /** Created before this time. */
  created_before?: Instant | undefined;
  /** The sort order. Prefix with `-` for descending order. */
  sort?: PaymentSort | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What search asks for. */
export interface SearchResultQuery {
  /** The text to search for: 3 to 255 characters. Space around it is ignored. */
  q: string;
  /** The maximum number of results. */
  limit?: number | undefined;
}

/** What listClients asks for. */
export interface ClientQuery {
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listOperators asks for. */
export interface OperatorQuery {
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listEvents asks for. */
export interface EventQuery {
  /** Types of events, separated by commas: `payment.created`, `subscription.*`, or `*`. */
  type?: string | undefined;
  /** Events of this record. */
  record_id?: string | undefined;
  /** Events that this client caused. */
  client_id?: string | undefined;
  /** Events that this operator caused. */
  operator_id?: string | undefined;
  /**
   * Where to begin without a cursor: `oldest`, `newest`, or a time, which means the first event that entered the feed
   * at or after it.
   */
  start?: string | undefined;
  /** Seconds to wait for the next event if the page would be empty at the end of the feed. */
  wait?: number | undefined;
  /**
   * `-sequence` returns the newest events first. `next_cursor` is then null at the end, and works only with this order.
   * It cannot be combined with `start` or `wait`.
   */
  sort?: "-sequence" | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listWebhookEndpoints asks for. */
export interface WebhookEndpointQuery {
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listWebhookAttempts asks for. */
export interface WebhookAttemptQuery {
  /** Attempts for this event. */
  event_id?: string | undefined;
  /** Attempts with this outcome. */
  outcome?: WebhookAttemptOutcome | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listWebhookUndelivered asks for. */
export interface UndeliveredEventQuery {
  /** Events in this state. */
  state?: UndeliveredEventState | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What readRevenue asks for. */
export interface RevenuePeriodQuery {
  /** The currency, by default that of the organization. Currencies are never added. */
  currency?: string | undefined;
  /** The length of a period. */
  interval?: RevenuePeriodInterval | undefined;
  /** The first period: a day or a month. By default 11 months before the last one, or 29 days. */
  from?: string | undefined;
  /** The last period: a day or a month. At most, and by default, the current one. */
  to?: string | undefined;
}

/** What listMovements asks for. */
export interface MovementQuery {
  /** The currency, by default that of the organization. Currencies are never added. */
  currency?: string | undefined;
  /** The first period: a day or a month. By default 11 months before the last one, or 29 days. */
  from?: string | undefined;
  /** The last period: a day or a month. At most, and by default, the current one. */
  to?: string | undefined;
  /** Movements of this kind. */
  kind?: MovementKind | undefined;
  /** Movements of this user. */
  user_id?: string | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What readCohorts asks for. */
export interface CohortQuery {
  /** The currency, by default that of the organization. Currencies are never added. */
  currency?: string | undefined;
  /** The first period: a day or a month. By default 11 months before the last one, or 29 days. */
  from?: string | undefined;
  /** The last period: a day or a month. At most, and by default, the current one. */
  to?: string | undefined;
}

/** What readTrials asks for. */
export interface TrialPeriodQuery {
  /** The first period: a day or a month. By default 11 months before the last one, or 29 days. */
  from?: string | undefined;
  /** The last period: a day or a month. At most, and by default, the current one. */
  to?: string | undefined;
}

/** What readPaymentFigures asks for. */
export interface PaymentPeriodQuery {
  /** The currency, by default that of the organization. Currencies are never added. */
  currency?: string | undefined;
  /** The length of a period. */
  interval?: RevenuePeriodInterval | undefined;
  /** The first period: a day or a month. By default 11 months before the last one, or 29 days. */
  from?: string | undefined;
  /** The last period: a day or a month. At most, and by default, the current one. */
  to?: string | undefined;
}

/** What readPlanFigures asks for. */
export interface PlanFiguresQuery {
  /** The currency, by default that of the organization. Currencies are never added. */
  currency?: string | undefined;
  /** The day. At most, and by default, today. */
  date?: string | undefined;
}

/** What listTaxRates asks for. */
export interface TaxRateQuery {
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listCoupons asks for. */
export interface CouponQuery {
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listMeters asks for. */
export interface MeterQuery {
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listFeatures asks for. */
export interface FeatureQuery {
  /** Features of this kind. */
  kind?: Kind | undefined;
  /** Only active features, or only inactive ones. */
  is_active?: boolean | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What checkEntitlement asks for. */
export interface EntitlementCheckQuery {
  /** How much is needed of a limit or quota. */
  need?: number | undefined;
}

/** What listMembers asks for. */
export interface MemberQuery {
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What readSubscriptionUsage asks for. */
export interface SubscriptionUsageQuery {
  /**
   * The first instant. Defaults to `billing.period_start` of the subscription, or to `starts_at` without one; at most
   * 13 months before `to`.
   */
  from?: Instant | undefined;
  /** The first instant after the report. Defaults to now, with what was recorded at this instant. */
  to?: Instant | undefined;
}

/** What listCredits asks for. */
export interface CreditQuery {
  /** Entries of this currency. */
  currency?: string | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listConnections asks for. */
export interface ConnectionQuery {
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listConnectionInbox asks for. */
export interface InboxItemQuery {
  /** Webhooks in this state. */
  state?: InboxItemState | undefined;
  /** Webhooks of this type. */
  type?: string | undefined;
  /** Webhooks about the object with this ID at the provider. */
  object_id?: string | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listInvoices asks for. */
export interface InvoiceQuery {
  /** Invoices of this user. */
  user_id?: string | undefined;
  /** Invoices of this subscription. */
  subscription_id?: string | undefined;
  /** The invoice with this number. */
  number?: string | undefined;
  /** One status, or several separated by commas. */
  status?: string | undefined;
  /** Invoices of this kind. */
  kind?: InvoiceKind | undefined;
  /** Whether they are overdue. */
  overdue?: boolean | undefined;
  /** Issued at or after this time. */
  issued_after?: Instant | undefined;
  /** Issued before this time. */
  issued_before?: Instant | undefined;
  /** Due at or after this time. */
  due_after?: Instant | undefined;
  /** Due before this time. */
  due_before?: Instant | undefined;
  /** Created at or after this time. */
  created_after?: Instant | undefined;
  /** Created before this time. */
  created_before?: Instant | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** What listCreditNotes asks for. */
export interface CreditNoteQuery {
  /** Credit notes of this user. */
  user_id?: string | undefined;
  /** Credit notes of this subscription. */
  subscription_id?: string | undefined;
  /** Credit notes of this invoice. */
  invoice_id?: string | undefined;
  /** The maximum number of records on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}
