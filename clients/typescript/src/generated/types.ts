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

export type PaymentStatus =
  | "pending"
  | "processing"
  | "completed"
  | "failed"
  | "partially_refunded"
  | "refunded"
  | "disputed"
  | "void";

export type ProblemCode =
  | "address_not_allowed"
  | "ambiguous"
  | "answer_timeout"
  | "body_too_large"
  | "client_id_required"
  | "client_not_for_browsers"
  | "contended"
  | "duplicate_item"
  | "duplicate_key"
  | "email_mismatch"
  | "email_not_verified"
  | "email_taken"
  | "external_id_taken"
  | "fresh_sign_in_required"
  | "headers_too_large"
  | "idempotency_in_flight"
  | "idempotency_key_reused"
  | "identity_provider_unavailable"
  | "inconsistent"
  | "insufficient_scope"
  | "internal"
  | "invalid_client"
  | "invalid_cursor"
  | "invalid_format"
  | "invalid_header"
  | "invalid_identity_token"
  | "invalid_input"
  | "invalid_parameter"
  | "invalid_refresh_token"
  | "invalid_text"
  | "invalid_token"
  | "invalid_transition"
  | "invalid_type"
  | "malformed_json"
  | "method_not_allowed"
  | "not_account_owner"
  | "not_found"
  | "not_nullable"
  | "out_of_range"
  | "outcome_unknown"
  | "overloaded"
  | "plan_in_use"
  | "plan_inactive"
  | "rate_limited"
  | "read_only_field"
  | "refresh_token_expired"
  | "refresh_token_reused"
  | "request_timeout"
  | "required"
  | "route_not_found"
  | "shutting_down"
  | "slug_taken"
  | "stale"
  | "storage_unavailable"
  | "target_too_long"
  | "token_required"
  | "too_long"
  | "too_many_decimals"
  | "too_short"
  | "unknown_field"
  | "unknown_parameter"
  | "unknown_value"
  | "unsupported_media_type"
  | "user_already_exists"
  | "user_blocked"
  | "user_not_found";

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

/** The statuses that a code comes with, and what it means. */
export const problemCatalogue = [
  { code: "duplicate_key", status: 400, title: "A JSON key stands twice" },
  { code: "invalid_cursor", status: 400, title: "The cursor does not belong here" },
  { code: "invalid_header", status: 400, title: "A header is wrong" },
  { code: "invalid_parameter", status: 400, title: "A query parameter is wrong" },
  { code: "malformed_json", status: 400, title: "The body is not JSON" },
  { code: "unknown_parameter", status: 400, title: "A query parameter is unknown" },
  { code: "client_id_required", status: 401, title: "No client named" },
  { code: "email_mismatch", status: 401, title: "The token is for another e-mail address" },
  { code: "email_not_verified", status: 401, title: "The e-mail address is not verified" },
  { code: "invalid_client", status: 401, title: "The client is not known" },
  { code: "invalid_identity_token", status: 401, title: "The identity provider's token is not accepted" },
  { code: "invalid_refresh_token", status: 401, title: "The refresh token is not good here" },
  { code: "invalid_token", status: 401, title: "The access token is not good here" },
  { code: "refresh_token_expired", status: 401, title: "The session has expired" },
  { code: "refresh_token_reused", status: 401, title: "The refresh token was used twice" },
  { code: "token_required", status: 401, title: "A user must be signed in" },
  { code: "address_not_allowed", status: 403, title: "The client may not call from this address" },
  { code: "client_not_for_browsers", status: 403, title: "A trusted client must not be used from a browser" },
  { code: "fresh_sign_in_required", status: 403, title: "The person signed in too long ago" },
  { code: "insufficient_scope", status: 403, title: "The client may not do this" },
  { code: "not_account_owner", status: 403, title: "The account is not the caller's" },
  { code: "user_blocked", status: 403, title: "User blocked" },
  { code: "not_found", status: 404, title: "There is no such record" },
  { code: "route_not_found", status: 404, title: "There is nothing at this path" },
  { code: "user_not_found", status: 404, title: "Nobody has signed up with this identity" },
  { code: "method_not_allowed", status: 405, title: "The path does not take this method" },
  { code: "request_timeout", status: 408, title: "The request took too long to arrive" },
  { code: "contended", status: 409, title: "Too many writers at this record at once" },
  { code: "email_taken", status: 409, title: "Another identity has this e-mail address" },
  { code: "external_id_taken", status: 409, title: "Another record has this external id" },
  { code: "idempotency_in_flight", status: 409, title: "The same request is still being answered" },
  { code: "invalid_transition", status: 409, title: "The status does not lead there" },
  { code: "plan_in_use", status: 409, title: "Subscriptions refer to the plan" },
  { code: "plan_inactive", status: 409, title: "The plan is retired" },
  { code: "slug_taken", status: 409, title: "Another plan has this slug" },
  { code: "user_already_exists", status: 409, title: "The person has signed up before" },
  { code: "stale", status: 412, title: "The record has changed meanwhile" },
  { code: "body_too_large", status: 413, title: "The body is too large" },
  { code: "target_too_long", status: 414, title: "The path and query are too long" },
  { code: "unsupported_media_type", status: 415, title: "The body is not application/json" },
  { code: "ambiguous", status: 422, title: "A word is read in two ways" },
  { code: "duplicate_item", status: 422, title: "An item stands twice in a list" },
  { code: "idempotency_key_reused", status: 422, title: "The key belongs to another request" },
  { code: "inconsistent", status: 422, title: "Two fields contradict each other" },
  { code: "invalid_format", status: 422, title: "A text is not of the field's form" },
  { code: "invalid_input", status: 422, title: "Several fields are wrong" },
  { code: "invalid_text", status: 422, title: "A text holds a character it must not" },
  { code: "invalid_type", status: 422, title: "A field has the wrong JSON type" },
  { code: "not_found", status: 422, title: "A reference leads nowhere" },
  { code: "not_nullable", status: 422, title: "A field cannot be null" },
  { code: "out_of_range", status: 422, title: "A value is out of range" },
  { code: "read_only_field", status: 422, title: "A field cannot be set" },
  { code: "required", status: 422, title: "A required field is missing" },
  { code: "too_long", status: 422, title: "A text or a list is too long" },
  { code: "too_many_decimals", status: 422, title: "An amount has too many decimals" },
  { code: "too_short", status: 422, title: "A text is too short" },
  { code: "unknown_field", status: 422, title: "A field is unknown" },
  { code: "unknown_value", status: 422, title: "A word is not in the vocabulary" },
  { code: "rate_limited", status: 429, title: "Too many attempts" },
  { code: "headers_too_large", status: 431, title: "The headers are too large" },
  { code: "internal", status: 500, title: "Something went wrong on our side" },
  { code: "answer_timeout", status: 503, title: "The answer took too long" },
  { code: "identity_provider_unavailable", status: 503, title: "No identity provider can be asked" },
  { code: "outcome_unknown", status: 503, title: "The database was lost while it was committing" },
  { code: "overloaded", status: 503, title: "The server has more work than it can do" },
  { code: "shutting_down", status: 503, title: "The server is stopping" },
  { code: "storage_unavailable", status: 503, title: "The database cannot be reached" },
] as const satisfies readonly { code: ProblemCode; status: number; title: string }[];

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
  description: string;
  node_quota: number;
  features: string;
  most_popular: boolean;
  tier: number;
  is_active: boolean;
  created_at: Instant;
  updated_at: Instant;
}

export interface Subscription {
  id: string;
  user_id: string;
  subscription_plan_id: string;
  external_subscription_id: string | null;
  billing_cycle: BillingCycle;
  status: SubscriptionStatus;
  is_active: boolean;
  has_access: boolean;
  renews_at: Instant | null;
  starts_at: Instant;
  ends_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
}

export interface Payment {
  id: string;
  subscription_id: string;
  amount: Amount;
  currency: string;
  external_payment_id: string | null;
  status: PaymentStatus;
  date: Instant | null;
  created_at: Instant;
  updated_at: Instant;
}

export interface User {
  id: string;
  /** The person's id at the identity provider. */
  auth_id: string | null;
  /** The identity provider's `iss`. */
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
  /** The access token: a JWT. */
  token: string;
  token_type: "Bearer";
  /** Seconds. */
  expires_in: number;
  expires_at: Instant;
  /** Opaque; it changes with each refresh. */
  refresh_token: string;
  /** Seconds, if it is not used. */
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
  /** Whether it is the session of this token. */
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
  /** How many sessions were ended. */
  revoked: number;
}

export interface Deleted {
  deleted: true;
}

export interface Page {
  /** Where the next page begins. */
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

/** A refusal (RFC 9457). */
export interface Problem {
  /** Where the code is explained. */
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
  conflicting_id?: string | undefined;
  subscriptions?: number | undefined;
  allowed?: string[] | undefined;
}

export interface SignUp {
  /** A token of one of your identity providers. */
  access_token: string;
  /** The address in that token. */
  email: string;
  /** What the person is called here. */
  username?: string | null | undefined;
  /** The given name. */
  first_name?: string | null | undefined;
  /** The family name. */
  last_name?: string | null | undefined;
  /** Whether the person agreed to the terms. */
  terms?: boolean | null | undefined;
  /** Whether the person wants to hear from you. */
  notifications?: boolean | null | undefined;
  /** How they signed up; the provider's kind unless given. */
  auth_type?: string | null | undefined;
}

export interface SignIn {
  /** A token of one of your identity providers. */
  access_token: string;
  /** The address in that token. */
  email: string;
}

export interface RefreshToken {
  /** The newest refresh token of the session. */
  refresh_token: string;
}

export interface PlanCreate {
  /** What customers call the plan. */
  name: string;
  /** The product it sells, in another system's words. */
  product_id?: string | null | undefined;
  /** Variants of that product. */
  variants?: string[] | undefined;
  /** The plan's name in paths; it never changes. */
  slug: string;
  /** What one cycle costs, with at most the currency's decimals. */
  price: Amount;
  /** The price's currency; the organization's unless given. An ISO 4217 code that has minor units, in any case. */
  currency?: string | undefined;
  /** A link to the plan. An http or https URL. */
  href?: string | null | undefined;
  /**
   * How often it bills. One of daily, weekly, biweekly, monthly, quarterly, semiannual, yearly, biennial, lifetime. Its
   * usual aliases (month, year, annual, one_time …) are read too, in any case.
   */
  billing_cycle: BillingCycle | (string & {});
  /** What it is, in prose. */
  description?: string | undefined;
  /** How many nodes it includes. */
  node_quota?: number | undefined;
  /** A comma-separated list in one string, kept as it is. */
  features?: string | undefined;
  /** Whether to mark it as the usual choice. */
  most_popular?: boolean | undefined;
  /** Its rank among the plans. */
  tier?: number | undefined;
  /** Whether it takes new subscriptions. */
  is_active?: boolean | undefined;
}

export interface PlanUpdate {
  /** What one cycle costs, with at most the currency's decimals. */
  price?: Amount | undefined;
  /**
   * How often it bills. One of daily, weekly, biweekly, monthly, quarterly, semiannual, yearly, biennial, lifetime. Its
   * usual aliases (month, year, annual, one_time …) are read too, in any case.
   */
  billing_cycle?: BillingCycle | (string & {}) | undefined;
  /** What it is, in prose. */
  description?: string | undefined;
  /** How many nodes it includes. */
  node_quota?: number | undefined;
  /** A comma-separated list in one string, kept as it is. */
  features?: string | undefined;
  /** Whether to mark it as the usual choice. */
  most_popular?: boolean | undefined;
  /** Its rank among the plans. */
  tier?: number | undefined;
  /** Whether it takes new subscriptions. */
  is_active?: boolean | undefined;
  /** May be sent back as it stands; it cannot be changed. */
  id?: string | undefined;
  /** May be sent back as it stands; it cannot be changed. */
  slug?: string | undefined;
  /** May be sent back as it stands; it cannot be changed. */
  name?: string | undefined;
  /** May be sent back as it stands; it cannot be changed. */
  product_id?: string | null | undefined;
  /** May be sent back as it stands; it cannot be changed. */
  variants?: string[] | undefined;
  /** May be sent back as it stands; it cannot be changed. An http or https URL. */
  href?: string | null | undefined;
  /** May be sent back as it stands; it cannot be changed. An ISO 4217 code that has minor units, in any case. */
  currency?: string | undefined;
  /** May be sent back as it stands; it cannot be changed. An RFC 3339 instant with an offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored: it may be sent back, whatever it holds. */
  updated_at?: unknown;
}

export interface SubscriptionCreate {
  /** The user who subscribes. */
  user_id: string;
  /** The plan subscribed to. A plan's id or its slug. */
  subscription_plan_id: string;
  /** Its id in another system; the empty text is none. */
  external_subscription_id?: string | null | undefined;
  /**
   * How often it bills; the plan's cycle unless given. One of daily, weekly, biweekly, monthly, quarterly, semiannual,
   * yearly, biennial, lifetime. Its usual aliases (month, year, annual, one_time …) are read too, in any case.
   */
  billing_cycle?: BillingCycle | (string & {}) | undefined;
  /**
   * Where it stands. One of pending, incomplete, on_trial, active, past_due, unpaid, paused, cancelled, expired.
   * Aliases such as trialing and canceled are read too, in any case.
   */
  status?: SubscriptionStatus | (string & {}) | undefined;
  /** Whether it counts; by its status unless given. */
  is_active?: boolean | undefined;
  /**
   * When it renews; one cycle after the start unless given. An RFC 3339 instant with an offset, between 1970 and 9999.
   */
  renews_at?: Instant | null | undefined;
  /** When it starts; now unless given. An RFC 3339 instant with an offset, between 1970 and 9999. */
  starts_at?: Instant | undefined;
  /** When it ends. An RFC 3339 instant with an offset, between 1970 and 9999. */
  ends_at?: Instant | null | undefined;
}

export interface SubscriptionUpdate {
  /** The user who subscribes. */
  user_id?: string | undefined;
  /** The plan subscribed to. A plan's id or its slug. */
  subscription_plan_id?: string | undefined;
  /** Its id in another system; the empty text is none. */
  external_subscription_id?: string | null | undefined;
  /**
   * How often it bills; the plan's cycle unless given. One of daily, weekly, biweekly, monthly, quarterly, semiannual,
   * yearly, biennial, lifetime. Its usual aliases (month, year, annual, one_time …) are read too, in any case.
   */
  billing_cycle?: BillingCycle | (string & {}) | undefined;
  /**
   * Where it stands. One of pending, incomplete, on_trial, active, past_due, unpaid, paused, cancelled, expired.
   * Aliases such as trialing and canceled are read too, in any case.
   */
  status?: SubscriptionStatus | (string & {}) | undefined;
  /** Whether it counts; by its status unless given. */
  is_active?: boolean | undefined;
  /**
   * When it renews; one cycle after the start unless given. An RFC 3339 instant with an offset, between 1970 and 9999.
   */
  renews_at?: Instant | null | undefined;
  /** When it starts; now unless given. An RFC 3339 instant with an offset, between 1970 and 9999. */
  starts_at?: Instant | undefined;
  /** When it ends. An RFC 3339 instant with an offset, between 1970 and 9999. */
  ends_at?: Instant | null | undefined;
  /** May be sent back as it stands; it cannot be changed. */
  id?: string | undefined;
  /** May be sent back as it stands; it cannot be changed. An RFC 3339 instant with an offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored: it may be sent back, whatever it holds. */
  has_access?: unknown;
  /** Ignored: it may be sent back, whatever it holds. */
  updated_at?: unknown;
}

export interface PaymentCreate {
  /** The subscription it pays for. */
  subscription_id: string;
  /** How much, with at most the currency's decimals. */
  amount: Amount;
  /** The amount's currency. An ISO 4217 code that has minor units, in any case. */
  currency: string;
  /** Its id in another system; the empty text is none. */
  external_payment_id?: string | null | undefined;
  /**
   * Where it stands; pending unless given. One of pending, processing, completed, failed, partially_refunded, refunded,
   * disputed, void. Aliases such as paid and canceled are read too, in any case.
   */
  status?: PaymentStatus | (string & {}) | undefined;
}

export interface PaymentUpdate {
  /** The subscription it pays for. */
  subscription_id?: string | undefined;
  /** How much, with at most the currency's decimals. */
  amount?: Amount | undefined;
  /** The amount's currency. An ISO 4217 code that has minor units, in any case. */
  currency?: string | undefined;
  /** Its id in another system; the empty text is none. */
  external_payment_id?: string | null | undefined;
  /**
   * Where it stands; pending unless given. One of pending, processing, completed, failed, partially_refunded, refunded,
   * disputed, void. Aliases such as paid and canceled are read too, in any case.
   */
  status?: PaymentStatus | (string & {}) | undefined;
  /** May be sent back as it stands; it cannot be changed. */
  id?: string | undefined;
  /** May be sent back as it stands; it cannot be changed. An RFC 3339 instant with an offset, between 1970 and 9999. */
  created_at?: Instant | undefined;
  /** Ignored: it may be sent back, whatever it holds. */
  date?: unknown;
  /** Ignored: it may be sent back, whatever it holds. */
  updated_at?: unknown;
}

/** What listPlans asks for. */
export interface PlanQuery {
  /** Active or retired plans only. */
  is_active?: boolean | undefined;
  /** Plans that bill so; aliases are read too. */
  billing_cycle?: BillingCycle | (string & {}) | undefined;
  /** Plans of this tier. */
  tier?: number | undefined;
  /** Plans marked as most popular, or not. */
  most_popular?: boolean | undefined;
  /** Plans of this product. */
  product_id?: string | undefined;
  /** Plans that name this variant. */
  variant?: string | undefined;
  /** The order; a - before the name turns it round. */
  sort?: PlanSort | undefined;
  /** The most plans on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** What listSubscriptions asks for. */
export interface SubscriptionQuery {
  /** Subscriptions of this user. */
  user_id?: string | undefined;
  /** Subscriptions of this plan, by id or slug. */
  subscription_plan_id?: string | undefined;
  /** One status, or several separated by commas; aliases are read too. */
  status?: string | undefined;
  /** Active or inactive ones only. */
  is_active?: boolean | undefined;
  /** Those that bill so; aliases are read too. */
  billing_cycle?: BillingCycle | (string & {}) | undefined;
  /** The one with this external id. */
  external_subscription_id?: string | undefined;
  /** Created at this instant or later. */
  created_after?: Instant | undefined;
  /** Created before this instant. */
  created_before?: Instant | undefined;
  /** Renewing at this instant or later. */
  renews_after?: Instant | undefined;
  /** Renewing before this instant. */
  renews_before?: Instant | undefined;
  /** Ending at this instant or later. */
  ends_after?: Instant | undefined;
  /** Ending before this instant. */
  ends_before?: Instant | undefined;
  /** The order; a - before the name turns it round. Those without the instant come last. */
  sort?: SubscriptionSort | undefined;
  /** The most subscriptions on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** What listPayments asks for. */
export interface PaymentQuery {
  /** Payments for this subscription. */
  subscription_id?: string | undefined;
  /** One status, or several separated by commas. */
  status?: string | undefined;
  /** The payment with this external ID. */
  external_payment_id?: string | undefined;
  /** Created at this instant or later. */
  created_after?: Instant | undefined;
  /** Created before this instant. */
  created_before?: Instant | undefined;
  /** The maximum number of payments on a page. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}
