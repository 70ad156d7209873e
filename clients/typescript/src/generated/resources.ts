// Generated from openapi.json by `cargo xtask clients`: what is changed here is lost.

import type { Caller, Operation } from "../caller.js";
import type { CallOptions, ChangeOptions, CreateOptions, ReadOptions } from "../options.js";
import { each, type FiguresOf, type PageOf } from "../pages.js";
import type {
  AddMember,
  AnalyticsMeta,
  BillingProfile,
  BillingProfileUpdate,
  Client,
  ClientCreate,
  ClientQuery,
  ClientUpdate,
  Cohort,
  CohortQuery,
  CollectPayment,
  Connection,
  ConnectionQuery,
  Coupon,
  CouponCreate,
  CouponQuery,
  CouponUpdate,
  Credit,
  CreditCreate,
  CreditNote,
  CreditNoteCreate,
  CreditNoteQuery,
  CreditQuery,
  Deleted,
  DeletedUser,
  EntitlementCheck,
  EntitlementCheckQuery,
  EntitlementToken,
  EntitlementTokenCreate,
  Event,
  EventQuery,
  Feature,
  FeatureCreate,
  FeatureQuery,
  FeatureUpdate,
  InboxItem,
  InboxItemQuery,
  Invoice,
  InvoiceCreate,
  InvoiceQuery,
  InvoiceUpdate,
  LoggedIn,
  ManagedUser,
  ManagedUserQuery,
  Member,
  MemberQuery,
  Meter,
  MeterCreate,
  MeterQuery,
  MeterUpdate,
  Movement,
  MovementQuery,
  Operator,
  OperatorCreate,
  OperatorLink,
  OperatorQuery,
  OperatorSessionRecord,
  OperatorUpdate,
  Organization,
  OrganizationUpdate,
  Payment,
  PaymentCreate,
  PaymentPeriod,
  PaymentPeriodQuery,
  PaymentQuery,
  PaymentUpdate,
  PingWebhookEndpoint,
  Plan,
  PlanCreate,
  PlanFigures,
  PlanFiguresQuery,
  PlanQuery,
  PlanUpdate,
  PlanVersion,
  PlanVersionQuery,
  PortalLink,
  PortalLinkCreate,
  QueuedEvents,
  RecordUsageEvents,
  RecordedUsage,
  RefreshToken,
  RetryWebhookEvents,
  RevenuePeriod,
  RevenuePeriodQuery,
  Revoked,
  RotateWebhookSecret,
  SearchResult,
  SearchResultQuery,
  Seats,
  SeekWebhookEndpoint,
  SignIn,
  SignUp,
  Subscription,
  SubscriptionCreate,
  SubscriptionForecast,
  SubscriptionForecastQuery,
  SubscriptionQuery,
  SubscriptionUpdate,
  SubscriptionUsage,
  SubscriptionUsageQuery,
  TaxRate,
  TaxRateCreate,
  TaxRateQuery,
  TaxRateUpdate,
  TestClock,
  TestClockCreate,
  TestClockUpdate,
  TokenList,
  Tokens,
  TrialPeriod,
  TrialPeriodQuery,
  UndeliveredEvent,
  UndeliveredEventQuery,
  UserCreate,
  UserEntitlements,
  UserSession,
  UserUpdate,
  WebhookAttempt,
  WebhookAttemptQuery,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointQuery,
  WebhookEndpointUpdate,
  WebhookEndpointWithSecret,
} from "./types.js";

const signUp: Operation = {
  id: "signUp",
  method: "POST",
  path: "/authentication/sign-up",
  access: "client",
  keyed: false,
  repeatable: false,
};

const signIn: Operation = {
  id: "signIn",
  method: "POST",
  path: "/authentication/sign-in",
  access: "client",
  keyed: false,
  repeatable: false,
};

const userLoggedIn: Operation = {
  id: "userLoggedIn",
  method: "POST",
  path: "/authentication/user-logged-in",
  access: "user",
  keyed: false,
  repeatable: true,
};

const refreshToken: Operation = {
  id: "refreshToken",
  method: "POST",
  path: "/authentication/refresh-token",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listTokens: Operation = {
  id: "listTokens",
  method: "GET",
  path: "/authentication/tokens",
  access: "user",
  keyed: false,
  repeatable: true,
};

const logout: Operation = {
  id: "logout",
  method: "POST",
  path: "/authentication/tokens/logout",
  access: "user",
  keyed: false,
  repeatable: true,
};

const revokeAllTokens: Operation = {
  id: "revokeAllTokens",
  method: "POST",
  path: "/authentication/tokens/revoke-all",
  access: "user",
  keyed: false,
  repeatable: true,
};

const revokeAllTokensExceptCurrent: Operation = {
  id: "revokeAllTokensExceptCurrent",
  method: "POST",
  path: "/authentication/tokens/revoke-all-except-current",
  access: "user",
  keyed: false,
  repeatable: true,
};

const revokeToken: Operation = {
  id: "revokeToken",
  method: "POST",
  path: "/authentication/tokens/revoke/{id}",
  access: "user",
  keyed: false,
  repeatable: true,
};

const deleteMyAccount: Operation = {
  id: "deleteMyAccount",
  method: "DELETE",
  path: "/authentication/delete-my-account/{auth_id}",
  access: "user",
  keyed: false,
  repeatable: true,
};

const listPlans: Operation = {
  id: "listPlans",
  method: "GET",
  path: "/subscription-plans",
  access: "client",
  keyed: false,
  repeatable: true,
};

const createPlan: Operation = {
  id: "createPlan",
  method: "POST",
  path: "/subscription-plans",
  access: "client",
  keyed: true,
  repeatable: true,
};

const readPlan: Operation = {
  id: "readPlan",
  method: "GET",
  path: "/subscription-plans/{slug}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const updatePlan: Operation = {
  id: "updatePlan",
  method: "PUT",
  path: "/subscription-plans/{slug}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const deletePlan: Operation = {
  id: "deletePlan",
  method: "DELETE",
  path: "/subscription-plans/{slug}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listPlanVersions: Operation = {
  id: "listPlanVersions",
  method: "GET",
  path: "/subscription-plans/{slug}/versions",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listSubscriptions: Operation = {
  id: "listSubscriptions",
  method: "GET",
  path: "/subscriptions",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const createSubscription: Operation = {
  id: "createSubscription",
  method: "POST",
  path: "/subscriptions",
  access: "client",
  keyed: true,
  repeatable: true,
};

const readSubscription: Operation = {
  id: "readSubscription",
  method: "GET",
  path: "/subscriptions/{id}",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const updateSubscription: Operation = {
  id: "updateSubscription",
  method: "PUT",
  path: "/subscriptions/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const deleteSubscription: Operation = {
  id: "deleteSubscription",
  method: "DELETE",
  path: "/subscriptions/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const forecastSubscription: Operation = {
  id: "forecastSubscription",
  method: "GET",
  path: "/subscriptions/{id}/forecast",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const listPayments: Operation = {
  id: "listPayments",
  method: "GET",
  path: "/subscription-payments",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const createPayment: Operation = {
  id: "createPayment",
  method: "POST",
  path: "/subscription-payments",
  access: "client",
  keyed: true,
  repeatable: true,
};

const readPayment: Operation = {
  id: "readPayment",
  method: "GET",
  path: "/subscription-payments/{payment_id}",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const updatePayment: Operation = {
  id: "updatePayment",
  method: "PUT",
  path: "/subscription-payments/{payment_id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const deletePayment: Operation = {
  id: "deletePayment",
  method: "DELETE",
  path: "/subscription-payments/{payment_id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const collectPayment: Operation = {
  id: "collectPayment",
  method: "POST",
  path: "/subscription-payments/{payment_id}/collect",
  access: "client",
  keyed: false,
  repeatable: false,
};

const listUsers: Operation = {
  id: "listUsers",
  method: "GET",
  path: "/users",
  access: "client",
  keyed: false,
  repeatable: true,
};

const createUser: Operation = {
  id: "createUser",
  method: "POST",
  path: "/users",
  access: "client",
  keyed: true,
  repeatable: true,
};

const readUser: Operation = {
  id: "readUser",
  method: "GET",
  path: "/users/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const updateUser: Operation = {
  id: "updateUser",
  method: "PUT",
  path: "/users/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const deleteUser: Operation = {
  id: "deleteUser",
  method: "DELETE",
  path: "/users/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const createPortalLink: Operation = {
  id: "createPortalLink",
  method: "POST",
  path: "/users/{id}/portal-link",
  access: "client",
  keyed: false,
  repeatable: false,
};

const listUserSessions: Operation = {
  id: "listUserSessions",
  method: "GET",
  path: "/users/{id}/sessions",
  access: "client",
  keyed: false,
  repeatable: true,
};

const revokeUserSessions: Operation = {
  id: "revokeUserSessions",
  method: "DELETE",
  path: "/users/{id}/sessions",
  access: "client",
  keyed: false,
  repeatable: true,
};

const revokeUserSession: Operation = {
  id: "revokeUserSession",
  method: "DELETE",
  path: "/users/{id}/sessions/{session_id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const search: Operation = {
  id: "search",
  method: "GET",
  path: "/search",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listClients: Operation = {
  id: "listClients",
  method: "GET",
  path: "/clients",
  access: "client",
  keyed: false,
  repeatable: true,
};

const createClient: Operation = {
  id: "createClient",
  method: "POST",
  path: "/clients",
  access: "client",
  keyed: false,
  repeatable: false,
};

const readClient: Operation = {
  id: "readClient",
  method: "GET",
  path: "/clients/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const updateClient: Operation = {
  id: "updateClient",
  method: "PUT",
  path: "/clients/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const readOrganization: Operation = {
  id: "readOrganization",
  method: "GET",
  path: "/organization",
  access: "client",
  keyed: false,
  repeatable: true,
};

const updateOrganization: Operation = {
  id: "updateOrganization",
  method: "PUT",
  path: "/organization",
  access: "client",
  keyed: false,
  repeatable: true,
};

const readTestClock: Operation = {
  id: "readTestClock",
  method: "GET",
  path: "/test-clock",
  access: "client",
  keyed: false,
  repeatable: true,
};

const updateTestClock: Operation = {
  id: "updateTestClock",
  method: "PUT",
  path: "/test-clock",
  access: "client",
  keyed: false,
  repeatable: true,
};

const createTestClock: Operation = {
  id: "createTestClock",
  method: "POST",
  path: "/test-clock",
  access: "client",
  keyed: false,
  repeatable: false,
};

const deleteTestClock: Operation = {
  id: "deleteTestClock",
  method: "DELETE",
  path: "/test-clock",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listOperators: Operation = {
  id: "listOperators",
  method: "GET",
  path: "/operators",
  access: "client",
  keyed: false,
  repeatable: true,
};

const createOperator: Operation = {
  id: "createOperator",
  method: "POST",
  path: "/operators",
  access: "client",
  keyed: true,
  repeatable: true,
};

const readOperator: Operation = {
  id: "readOperator",
  method: "GET",
  path: "/operators/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const updateOperator: Operation = {
  id: "updateOperator",
  method: "PUT",
  path: "/operators/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const deleteOperator: Operation = {
  id: "deleteOperator",
  method: "DELETE",
  path: "/operators/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listOperatorSessions: Operation = {
  id: "listOperatorSessions",
  method: "GET",
  path: "/operators/{id}/sessions",
  access: "client",
  keyed: false,
  repeatable: true,
};

const endOperatorSession: Operation = {
  id: "endOperatorSession",
  method: "DELETE",
  path: "/operators/{id}/sessions/{session_id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const createOperatorLink: Operation = {
  id: "createOperatorLink",
  method: "POST",
  path: "/operators/{id}/link",
  access: "client",
  keyed: false,
  repeatable: false,
};

const listEvents: Operation = {
  id: "listEvents",
  method: "GET",
  path: "/events",
  access: "client",
  keyed: false,
  repeatable: true,
};

const readEvent: Operation = {
  id: "readEvent",
  method: "GET",
  path: "/events/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listWebhookEndpoints: Operation = {
  id: "listWebhookEndpoints",
  method: "GET",
  path: "/webhook-endpoints",
  access: "client",
  keyed: false,
  repeatable: true,
};

const createWebhookEndpoint: Operation = {
  id: "createWebhookEndpoint",
  method: "POST",
  path: "/webhook-endpoints",
  access: "client",
  keyed: false,
  repeatable: false,
};

const readWebhookEndpoint: Operation = {
  id: "readWebhookEndpoint",
  method: "GET",
  path: "/webhook-endpoints/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const updateWebhookEndpoint: Operation = {
  id: "updateWebhookEndpoint",
  method: "PUT",
  path: "/webhook-endpoints/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const deleteWebhookEndpoint: Operation = {
  id: "deleteWebhookEndpoint",
  method: "DELETE",
  path: "/webhook-endpoints/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const rotateWebhookSecret: Operation = {
  id: "rotateWebhookSecret",
  method: "POST",
  path: "/webhook-endpoints/{id}/rotate-secret",
  access: "client",
  keyed: false,
  repeatable: false,
};

const pingWebhookEndpoint: Operation = {
  id: "pingWebhookEndpoint",
  method: "POST",
  path: "/webhook-endpoints/{id}/ping",
  access: "client",
  keyed: false,
  repeatable: false,
};

const retryWebhookEvents: Operation = {
  id: "retryWebhookEvents",
  method: "POST",
  path: "/webhook-endpoints/{id}/retry",
  access: "client",
  keyed: false,
  repeatable: false,
};

const seekWebhookEndpoint: Operation = {
  id: "seekWebhookEndpoint",
  method: "POST",
  path: "/webhook-endpoints/{id}/seek",
  access: "client",
  keyed: false,
  repeatable: false,
};

const listWebhookAttempts: Operation = {
  id: "listWebhookAttempts",
  method: "GET",
  path: "/webhook-endpoints/{id}/attempts",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listWebhookUndelivered: Operation = {
  id: "listWebhookUndelivered",
  method: "GET",
  path: "/webhook-endpoints/{id}/undelivered",
  access: "client",
  keyed: false,
  repeatable: true,
};

const readRevenue: Operation = {
  id: "readRevenue",
  method: "GET",
  path: "/analytics/revenue",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listMovements: Operation = {
  id: "listMovements",
  method: "GET",
  path: "/analytics/movements",
  access: "client",
  keyed: false,
  repeatable: true,
};

const readCohorts: Operation = {
  id: "readCohorts",
  method: "GET",
  path: "/analytics/cohorts",
  access: "client",
  keyed: false,
  repeatable: true,
};

const readTrials: Operation = {
  id: "readTrials",
  method: "GET",
  path: "/analytics/trials",
  access: "client",
  keyed: false,
  repeatable: true,
};

const readPaymentFigures: Operation = {
  id: "readPaymentFigures",
  method: "GET",
  path: "/analytics/payments",
  access: "client",
  keyed: false,
  repeatable: true,
};

const readPlanFigures: Operation = {
  id: "readPlanFigures",
  method: "GET",
  path: "/analytics/plans",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listTaxRates: Operation = {
  id: "listTaxRates",
  method: "GET",
  path: "/tax-rates",
  access: "client",
  keyed: false,
  repeatable: true,
};

const createTaxRate: Operation = {
  id: "createTaxRate",
  method: "POST",
  path: "/tax-rates",
  access: "client",
  keyed: true,
  repeatable: true,
};

const readTaxRate: Operation = {
  id: "readTaxRate",
  method: "GET",
  path: "/tax-rates/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const updateTaxRate: Operation = {
  id: "updateTaxRate",
  method: "PUT",
  path: "/tax-rates/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listCoupons: Operation = {
  id: "listCoupons",
  method: "GET",
  path: "/coupons",
  access: "client",
  keyed: false,
  repeatable: true,
};

const createCoupon: Operation = {
  id: "createCoupon",
  method: "POST",
  path: "/coupons",
  access: "client",
  keyed: true,
  repeatable: true,
};

const readCoupon: Operation = {
  id: "readCoupon",
  method: "GET",
  path: "/coupons/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const updateCoupon: Operation = {
  id: "updateCoupon",
  method: "PUT",
  path: "/coupons/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listMeters: Operation = {
  id: "listMeters",
  method: "GET",
  path: "/meters",
  access: "client",
  keyed: false,
  repeatable: true,
};

const createMeter: Operation = {
  id: "createMeter",
  method: "POST",
  path: "/meters",
  access: "client",
  keyed: true,
  repeatable: true,
};

const readMeter: Operation = {
  id: "readMeter",
  method: "GET",
  path: "/meters/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const updateMeter: Operation = {
  id: "updateMeter",
  method: "PUT",
  path: "/meters/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listFeatures: Operation = {
  id: "listFeatures",
  method: "GET",
  path: "/features",
  access: "client",
  keyed: false,
  repeatable: true,
};

const createFeature: Operation = {
  id: "createFeature",
  method: "POST",
  path: "/features",
  access: "client",
  keyed: true,
  repeatable: true,
};

const readFeature: Operation = {
  id: "readFeature",
  method: "GET",
  path: "/features/{key}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const updateFeature: Operation = {
  id: "updateFeature",
  method: "PUT",
  path: "/features/{key}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const readEntitlements: Operation = {
  id: "readEntitlements",
  method: "GET",
  path: "/users/{id}/entitlements",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const checkEntitlement: Operation = {
  id: "checkEntitlement",
  method: "GET",
  path: "/users/{id}/entitlements/{feature_key}",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const createEntitlementToken: Operation = {
  id: "createEntitlementToken",
  method: "POST",
  path: "/users/{id}/entitlement-token",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const listMembers: Operation = {
  id: "listMembers",
  method: "GET",
  path: "/subscriptions/{id}/members",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const addMember: Operation = {
  id: "addMember",
  method: "POST",
  path: "/subscriptions/{id}/members",
  access: "client",
  keyed: true,
  repeatable: true,
};

const removeMember: Operation = {
  id: "removeMember",
  method: "DELETE",
  path: "/subscriptions/{id}/members/{user_id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const recordUsageEvents: Operation = {
  id: "recordUsageEvents",
  method: "POST",
  path: "/usage-events",
  access: "client",
  keyed: false,
  repeatable: true,
};

const readSubscriptionUsage: Operation = {
  id: "readSubscriptionUsage",
  method: "GET",
  path: "/subscriptions/{id}/usage",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const readBillingProfile: Operation = {
  id: "readBillingProfile",
  method: "GET",
  path: "/users/{id}/billing-profile",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const updateBillingProfile: Operation = {
  id: "updateBillingProfile",
  method: "PUT",
  path: "/users/{id}/billing-profile",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listCredits: Operation = {
  id: "listCredits",
  method: "GET",
  path: "/users/{id}/credits",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const createCredit: Operation = {
  id: "createCredit",
  method: "POST",
  path: "/users/{id}/credits",
  access: "client",
  keyed: true,
  repeatable: true,
};

const listConnections: Operation = {
  id: "listConnections",
  method: "GET",
  path: "/connections",
  access: "client",
  keyed: false,
  repeatable: true,
};

const readConnection: Operation = {
  id: "readConnection",
  method: "GET",
  path: "/connections/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listConnectionInbox: Operation = {
  id: "listConnectionInbox",
  method: "GET",
  path: "/connections/{id}/inbox",
  access: "client",
  keyed: false,
  repeatable: true,
};

const listInvoices: Operation = {
  id: "listInvoices",
  method: "GET",
  path: "/invoices",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const createInvoice: Operation = {
  id: "createInvoice",
  method: "POST",
  path: "/invoices",
  access: "client",
  keyed: true,
  repeatable: true,
};

const readInvoice: Operation = {
  id: "readInvoice",
  method: "GET",
  path: "/invoices/{id}",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const updateInvoice: Operation = {
  id: "updateInvoice",
  method: "PUT",
  path: "/invoices/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const deleteInvoice: Operation = {
  id: "deleteInvoice",
  method: "DELETE",
  path: "/invoices/{id}",
  access: "client",
  keyed: false,
  repeatable: true,
};

const finalizeInvoice: Operation = {
  id: "finalizeInvoice",
  method: "POST",
  path: "/invoices/{id}/finalize",
  access: "client",
  keyed: true,
  repeatable: true,
};

const voidInvoice: Operation = {
  id: "voidInvoice",
  method: "POST",
  path: "/invoices/{id}/void",
  access: "client",
  keyed: true,
  repeatable: true,
};

const markInvoiceUncollectible: Operation = {
  id: "markInvoiceUncollectible",
  method: "POST",
  path: "/invoices/{id}/mark-uncollectible",
  access: "client",
  keyed: true,
  repeatable: true,
};

const listCreditNotes: Operation = {
  id: "listCreditNotes",
  method: "GET",
  path: "/credit-notes",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

const createCreditNote: Operation = {
  id: "createCreditNote",
  method: "POST",
  path: "/credit-notes",
  access: "client",
  keyed: true,
  repeatable: true,
};

const readCreditNote: Operation = {
  id: "readCreditNote",
  method: "GET",
  path: "/credit-notes/{id}",
  access: "clientOrUser",
  keyed: false,
  repeatable: true,
};

export class Auth {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Sign up. `access_token` is a token of one of the organization's identity providers, `email` the address in it. A
   * user that the operator created for this address is linked to the identity.
   *
   * Scope: `auth`.
   */
  signUp(body: SignUp, options: CallOptions = {}): Promise<Tokens> {
    return this.#caller.one<Tokens>(signUp, { body }, options);
  }

  /**
   * Sign in. Starts a new session. If the address has changed at the identity provider, the user's address is updated,
   * unless another user has the new one.
   *
   * Scope: `auth`.
   */
  signIn(body: SignIn, options: CallOptions = {}): Promise<Tokens> {
    return this.#caller.one<Tokens>(signIn, { body }, options);
  }

  /**
   * Check a session. Returns the user of the access token. A revoked session is rejected immediately. A user must be
   * signed in.
   *
   * Scope: `auth`.
   */
  user(options: CallOptions = {}): Promise<LoggedIn> {
    return this.#caller.one<LoggedIn>(userLoggedIn, {}, options);
  }

  /**
   * Refresh tokens. Exchanges a refresh token for a new access token and refresh token. Store only the newest refresh
   * token: using an old one ends the session.
   *
   * Scope: `auth`.
   */
  refresh(body: RefreshToken, options: CallOptions = {}): Promise<Tokens> {
    return this.#caller.one<Tokens>(refreshToken, { body }, options);
  }
}

export class Sessions {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List sessions. Returns the active sessions of the user with all clients, newest first. `number_of_tokens_to_revoke`
   * is how many exceed the organization's limit. A user must be signed in.
   *
   * Scope: `auth`.
   */
  list(options: CallOptions = {}): Promise<TokenList> {
    return this.#caller.one<TokenList>(listTokens, {}, options);
  }

  /**
   * Log out. Ends the session of the access token. Repeated with the same token, it has no effect. A user must be
   * signed in.
   *
   * Scope: `auth`.
   */
  logout(options: CallOptions = {}): Promise<Revoked> {
    return this.#caller.one<Revoked>(logout, {}, options);
  }

  /**
   * End all sessions. Ends all sessions of the user, including the current one. Their tokens stop working immediately.
   * A user must be signed in.
   *
   * Scope: `auth`.
   */
  revokeAll(options: CallOptions = {}): Promise<Revoked> {
    return this.#caller.one<Revoked>(revokeAllTokens, {}, options);
  }

  /**
   * End all other sessions. Ends all sessions of the user except the current one. Their tokens stop working
   * immediately. A user must be signed in.
   *
   * Scope: `auth`.
   */
  revokeOthers(options: CallOptions = {}): Promise<Revoked> {
    return this.#caller.one<Revoked>(revokeAllTokensExceptCurrent, {}, options);
  }

  /**
   * End one session. Ends one session of the user. A session of another user is not found. A user must be signed in.
   *
   * Scope: `auth`.
   */
  revoke(id: string, options: CallOptions = {}): Promise<Revoked> {
    return this.#caller.one<Revoked>(revokeToken, { path: { id } }, options);
  }
}

export class Account {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Delete my account. `auth_id` is the user's own `user.auth_id`. Personal data is erased, all sessions end,
   * subscriptions are cancelled immediately, payments remain. The account at the identity provider is not changed. A
   * user must be signed in.
   *
   * Scope: `auth`.
   */
  delete(authId: string, options: CallOptions = {}): Promise<Deleted> {
    return this.#caller.one<Deleted>(deleteMyAccount, { path: { auth_id: authId } }, options);
  }
}

export class Plans {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List plans. Returns the organization's plans, sorted by tier and slug by default.
   *
   * Scope: `plans:read`.
   */
  list(query: PlanQuery = {}, options: CallOptions = {}): Promise<PageOf<Plan>> {
    return this.#caller.page<Plan>(listPlans, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: PlanQuery = {}, options: CallOptions = {}): AsyncGenerator<Plan, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create a plan. With an `Idempotency-Key`, a retry returns the response of the first request.
   *
   * Scope: `plans:write`.
   */
  create(body: PlanCreate, options: CreateOptions = {}): Promise<Plan> {
    return this.#caller.one<Plan>(createPlan, { body }, options);
  }

  /**
   * Read a plan. By slug or ID.
   *
   * Scope: `plans:read`.
   */
  get(slug: string, options: ReadOptions<Plan> = {}): Promise<Plan> {
    return this.#caller.one<Plan>(readPlan, { path: { slug } }, options);
  }

  /**
   * Update a plan. Updates the fields that are sent; omitted fields do not change. The name, slug, product, variants,
   * link and currency cannot be changed. Another price, billing cycle or tax behavior is a new version of the plan.
   *
   * Scope: `plans:write`.
   */
  update(slug: string, body: PlanUpdate, options: ChangeOptions = {}): Promise<Plan> {
    return this.#caller.one<Plan>(updatePlan, { path: { slug }, body }, options);
  }

  /**
   * Delete a plan. Allowed only if no subscription refers to the plan. Returns the deleted plan. Its slug can be used
   * again.
   *
   * Scope: `plans:write`.
   */
  delete(slug: string, options: ChangeOptions = {}): Promise<Plan> {
    return this.#caller.one<Plan>(deletePlan, { path: { slug } }, options);
  }
}

export class PlanVersions {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List the versions of a plan. Returns the newest version first, which is the current one. A change of the price, the
   * billing cycle, `billing.tax_behavior` or `billing.charges` adds a version. A subscription stays on its version
   * until it is moved.
   *
   * Scope: `plans:read`.
   */
  list(slug: string, query: PlanVersionQuery = {}, options: CallOptions = {}): Promise<PageOf<PlanVersion>> {
    return this.#caller.page<PlanVersion>(listPlanVersions, { path: { slug }, query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(slug: string, query: PlanVersionQuery = {}, options: CallOptions = {}): AsyncGenerator<PlanVersion, void, undefined> {
    return each((cursor) => this.list(slug, { ...query, cursor }, options), query.cursor);
  }
}

export class Subscriptions {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List subscriptions. Returns the newest subscriptions first by default. With a filter that few records match, a page
   * may be short although more pages follow. A public client can read the records of the signed-in user.
   *
   * Scope: `subscriptions:read`.
   */
  list(query: SubscriptionQuery = {}, options: CallOptions = {}): Promise<PageOf<Subscription>> {
    return this.#caller.page<Subscription>(listSubscriptions, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: SubscriptionQuery = {}, options: CallOptions = {}): AsyncGenerator<Subscription, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create a subscription. With an `Idempotency-Key`, a retry returns the response of the first request.
   *
   * Scope: `subscriptions:write`.
   */
  create(body: SubscriptionCreate, options: CreateOptions = {}): Promise<Subscription> {
    return this.#caller.one<Subscription>(createSubscription, { body }, options);
  }

  /**
   * Read a subscription. `has_access` is whether the user may use the plan now. A public client can read the records of
   * the signed-in user.
   *
   * Scope: `subscriptions:read`.
   */
  get(id: string, options: ReadOptions<Subscription> = {}): Promise<Subscription> {
    return this.#caller.one<Subscription>(readSubscription, { path: { id } }, options);
  }

  /**
   * Update a subscription. Updates the fields that are sent; omitted fields do not change. A null clears an optional
   * field.
   *
   * Scope: `subscriptions:write`.
   */
  update(id: string, body: SubscriptionUpdate, options: ChangeOptions = {}): Promise<Subscription> {
    return this.#caller.one<Subscription>(updateSubscription, { path: { id }, body }, options);
  }

  /**
   * Delete a subscription. Returns the deleted subscription. Its payments are not deleted.
   *
   * Scope: `subscriptions:write`.
   */
  delete(id: string, options: ChangeOptions = {}): Promise<Subscription> {
    return this.#caller.one<Subscription>(deleteSubscription, { path: { id } }, options);
  }

  /**
   * Forecast a subscription. Returns the next actions of a billed subscription, if every invoice is paid. The list is
   * shorter if actions end, and empty if the subscription is external, unpaid or parked. A public client can read the
   * records of the signed-in user.
   *
   * Scope: `subscriptions:read`.
   */
  forecast(id: string, query: SubscriptionForecastQuery = {}, options: CallOptions = {}): Promise<PageOf<SubscriptionForecast>> {
    return this.#caller.page<SubscriptionForecast>(forecastSubscription, { path: { id }, query }, options);
  }
}

export class Payments {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List payments. Newest first by default. A page under a rare filter may be short and still have a next page. A
   * public client can read the records of the signed-in user.
   *
   * Scope: `payments:read`.
   */
  list(query: PaymentQuery = {}, options: CallOptions = {}): Promise<PageOf<Payment>> {
    return this.#caller.page<Payment>(listPayments, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: PaymentQuery = {}, options: CallOptions = {}): AsyncGenerator<Payment, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create a payment. With an `Idempotency-Key`, a retry returns the response of the first request.
   *
   * Scope: `payments:write`.
   */
  create(body: PaymentCreate, options: CreateOptions = {}): Promise<Payment> {
    return this.#caller.one<Payment>(createPayment, { body }, options);
  }

  /**
   * Read a payment. `date` is when the payment was last completed. A public client can read the records of the
   * signed-in user.
   *
   * Scope: `payments:read`.
   */
  get(paymentId: string, options: ReadOptions<Payment> = {}): Promise<Payment> {
    return this.#caller.one<Payment>(readPayment, { path: { payment_id: paymentId } }, options);
  }

  /**
   * Update a payment. Updates the fields that are sent; omitted fields do not change. A null clears an optional field.
   *
   * Scope: `payments:write`.
   */
  update(paymentId: string, body: PaymentUpdate, options: ChangeOptions = {}): Promise<Payment> {
    return this.#caller.one<Payment>(updatePayment, { path: { payment_id: paymentId }, body }, options);
  }

  /**
   * Delete a payment. Returns the deleted payment.
   *
   * Scope: `payments:write`.
   */
  delete(paymentId: string, options: ChangeOptions = {}): Promise<Payment> {
    return this.#caller.one<Payment>(deletePayment, { path: { payment_id: paymentId } }, options);
  }

  /**
   * Collect a payment. Charges the customer through Stripe. The payment is `processing` until the result is known.
   *
   * Scope: `payments:write`.
   */
  collect(paymentId: string, body: CollectPayment, options: ChangeOptions = {}): Promise<Payment> {
    return this.#caller.one<Payment>(collectPayment, { path: { payment_id: paymentId }, body }, options);
  }
}

export class Users {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List users. Newest first; with `email_prefix`, by address.
   *
   * Scope: `users:read`.
   */
  list(query: ManagedUserQuery = {}, options: CallOptions = {}): Promise<PageOf<ManagedUser>> {
    return this.#caller.page<ManagedUser>(listUsers, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: ManagedUserQuery = {}, options: CallOptions = {}): AsyncGenerator<ManagedUser, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create a user. Creates a user without an identity. The first sign-up with this verified address is linked to it.
   * With an `Idempotency-Key`, a retry returns the response of the first request.
   *
   * Scope: `users:write`.
   */
  create(body: UserCreate, options: CreateOptions = {}): Promise<ManagedUser> {
    return this.#caller.one<ManagedUser>(createUser, { body }, options);
  }

  /**
   * Read a user. An erased user is not found.
   *
   * Scope: `users:read`.
   */
  get(id: string, options: ReadOptions<ManagedUser> = {}): Promise<ManagedUser> {
    return this.#caller.one<ManagedUser>(readUser, { path: { id } }, options);
  }

  /**
   * Update a user. Updates the fields that are sent; omitted fields do not change. A null clears an optional field.
   * `is_blocked` ends all sessions of the user and rejects sign-in, sign-up and refresh.
   *
   * Scope: `users:write`.
   */
  update(id: string, body: UserUpdate, options: ChangeOptions = {}): Promise<ManagedUser> {
    return this.#caller.one<ManagedUser>(updateUser, { path: { id }, body }, options);
  }

  /**
   * Erase a user. Erases personal data, ends all sessions and cancels the subscriptions, as `delete-my-account` does.
   * Payments remain. This cannot be undone.
   *
   * Scope: `users:write`.
   */
  delete(id: string, options: ChangeOptions = {}): Promise<DeletedUser> {
    return this.#caller.one<DeletedUser>(deleteUser, { path: { id } }, options);
  }

  /**
   * Create a link to the customer portal. The link signs the user in to the portal once. Send it only to the user: its
   * holder acts as the user. Not found while the portal is disabled.
   *
   * Scope: `users:write`.
   */
  createPortalLink(id: string, body: PortalLinkCreate, options: CallOptions = {}): Promise<PortalLink> {
    return this.#caller.one<PortalLink>(createPortalLink, { path: { id }, body }, options);
  }
}

export class UserSessions {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List the sessions of a user. Returns the live sessions with all clients, newest first. A user has at most 100.
   *
   * Scope: `users:read`.
   */
  list(id: string, options: CallOptions = {}): Promise<PageOf<UserSession>> {
    return this.#caller.page<UserSession>(listUserSessions, { path: { id } }, options);
  }

  /**
   * End all sessions of a user. Their tokens stop working immediately.
   *
   * Scope: `users:write`.
   */
  revokeAll(id: string, options: CallOptions = {}): Promise<Revoked> {
    return this.#caller.one<Revoked>(revokeUserSessions, { path: { id } }, options);
  }

  /**
   * End one session of a user. Its tokens stop working immediately. A session that has ended, or of another user, is
   * not found.
   *
   * Scope: `users:write`.
   */
  revoke(id: string, sessionId: string, options: CallOptions = {}): Promise<UserSession> {
    return this.#caller.one<UserSession>(revokeUserSession, { path: { id, session_id: sessionId } }, options);
  }
}

export class Search {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Search. Finds records by an ID, an external subscription or payment ID, a plan's slug, an invoice's number, or an
   * e-mail address or its beginning. Exact matches first, then by label. Only records that the client may read are
   * found.
   */
  find(query: SearchResultQuery, options: CallOptions = {}): Promise<PageOf<SearchResult>> {
    return this.#caller.page<SearchResult>(search, { query }, options);
  }
}

export class Clients {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List clients. Newest first, disabled clients included. No response contains the credential of a trusted client.
   *
   * Scope: `clients:write`.
   */
  list(query: ClientQuery = {}, options: CallOptions = {}): Promise<PageOf<Client>> {
    return this.#caller.page<Client>(listClients, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: ClientQuery = {}, options: CallOptions = {}): AsyncGenerator<Client, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create a client. `client_id` in the response is the ID to send in the header `client-id`. For a trusted client it
   * is a credential, which is returned only here. You can grant the scopes that you hold, and `auth` and the scopes
   * that end with `:own`. An `Idempotency-Key` is ignored.
   *
   * Scope: `clients:write`.
   */
  create(body: ClientCreate, options: CallOptions = {}): Promise<Client> {
    return this.#caller.one<Client>(createClient, { body }, options);
  }

  /**
   * Read a client. `client_id` is null for a trusted client.
   *
   * Scope: `clients:write`.
   */
  get(id: string, options: ReadOptions<Client> = {}): Promise<Client> {
    return this.#caller.one<Client>(readClient, { path: { id } }, options);
  }

  /**
   * Update a client. Updates the fields that are sent; omitted fields do not change. The change takes effect within 5
   * seconds, also on the client that makes it. `is_active: false` disables the client for good.
   *
   * Scope: `clients:write`.
   */
  update(id: string, body: ClientUpdate, options: ChangeOptions = {}): Promise<Client> {
    return this.#caller.one<Client>(updateClient, { path: { id }, body }, options);
  }
}

export class Organizations {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Read the organization. Returns the organization that the client belongs to.
   *
   * Scope: `organization:read`.
   */
  get(options: ReadOptions<Organization> = {}): Promise<Organization> {
    return this.#caller.one<Organization>(readOrganization, {}, options);
  }

  /**
   * Update the organization. Updates the fields that are sent; omitted fields do not change. A null clears an optional
   * field.
   *
   * Scope: `organization:write`.
   */
  update(body: OrganizationUpdate, options: ChangeOptions = {}): Promise<Organization> {
    return this.#caller.one<Organization>(updateOrganization, { body }, options);
  }
}

export class TestClocks {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Read the test clock. An advance has ended when the status is not `advancing`.
   *
   * Scope: `organization:read`.
   */
  get(options: CallOptions = {}): Promise<TestClock> {
    return this.#caller.one<TestClock>(readTestClock, {}, options);
  }

  /**
   * Advance the test clock. The clock moves forward only, by at most ten years. It moves from one due instant to the
   * next, and the work of each is done there. With `mode: jump` it moves at once, as after an outage.
   *
   * Scope: `organization:write`.
   */
  update(body: TestClockUpdate, options: CallOptions = {}): Promise<TestClock> {
    return this.#caller.one<TestClock>(updateTestClock, { body }, options);
  }

  /**
   * Create the test clock. From now on the clock is the time of the organization's plans, subscriptions, payments,
   * invoices, credits, coupons, meters and usage. Only a test organization can have a clock, and only one.
   *
   * Scope: `organization:write`.
   */
  create(body: TestClockCreate, options: CallOptions = {}): Promise<TestClock> {
    return this.#caller.one<TestClock>(createTestClock, { body }, options);
  }

  /**
   * Delete the test clock. Removes the clock with all records of the organization that it governs, such as plans,
   * subscriptions, payments and invoices, and their events. Users and clients stay. The status is `deleting` until
   * then; afterwards there is no clock.
   *
   * Scope: `organization:write`.
   */
  delete(options: CallOptions = {}): Promise<TestClock> {
    return this.#caller.one<TestClock>(deleteTestClock, {}, options);
  }
}

export class Operators {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List operators. Returns the organization's operators, newest first.
   *
   * Scope: `clients:write`.
   */
  list(query: OperatorQuery = {}, options: CallOptions = {}): Promise<PageOf<Operator>> {
    return this.#caller.page<Operator>(listOperators, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: OperatorQuery = {}, options: CallOptions = {}): AsyncGenerator<Operator, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create an operator. The role is a set of scopes; you must hold all of them. With an `Idempotency-Key`, a retry
   * returns the response of the first request.
   *
   * Scope: `clients:write`.
   */
  create(body: OperatorCreate, options: CreateOptions = {}): Promise<Operator> {
    return this.#caller.one<Operator>(createOperator, { body }, options);
  }

  /**
   * Read an operator.
   *
   * Scope: `clients:write`.
   */
  get(id: string, options: ReadOptions<Operator> = {}): Promise<Operator> {
    return this.#caller.one<Operator>(readOperator, { path: { id } }, options);
  }

  /**
   * Update an operator. Updates the fields that are sent. A new role takes effect at once on every server. `is_active:
   * false` ends all sessions. An operator can neither disable itself nor change its own role.
   *
   * Scope: `clients:write`.
   */
  update(id: string, body: OperatorUpdate, options: ChangeOptions = {}): Promise<Operator> {
    return this.#caller.one<Operator>(updateOperator, { path: { id }, body }, options);
  }

  /**
   * Delete an operator. Ends all sessions and returns the deleted operator. Its name can be used again. An operator
   * cannot delete itself.
   *
   * Scope: `clients:write`.
   */
  delete(id: string, options: ChangeOptions = {}): Promise<Operator> {
    return this.#caller.one<Operator>(deleteOperator, { path: { id } }, options);
  }

  /**
   * List an operator's sessions. Returns the active sessions, newest first, at most 100.
   *
   * Scope: `clients:write`.
   */
  listSessions(id: string, options: CallOptions = {}): Promise<PageOf<OperatorSessionRecord>> {
    return this.#caller.page<OperatorSessionRecord>(listOperatorSessions, { path: { id } }, options);
  }

  /**
   * End an operator's session. Ends the session at once on every server and returns it. A session that is not active is
   * not found.
   *
   * Scope: `clients:write`.
   */
  endSession(id: string, sessionId: string, options: CallOptions = {}): Promise<OperatorSessionRecord> {
    return this.#caller.one<OperatorSessionRecord>(endOperatorSession, { path: { id, session_id: sessionId } }, options);
  }

  /**
   * Create a one-time link. The link signs the operator in once, within ten minutes. You must hold all scopes of the
   * operator's role. An operator has at most ten unused links.
   *
   * Scope: `clients:write`.
   */
  createLink(id: string, options: CallOptions = {}): Promise<OperatorLink> {
    return this.#caller.one<OperatorLink>(createOperatorLink, { path: { id } }, options);
  }
}

export class Feed {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Read the feed of events. Oldest first, in the order in which the changes were committed. `next_cursor` is never
   * null: store it after every page, including empty ones. `has_more` is true if the page stopped before the end of the
   * feed; under a rare filter a page can be empty and have more.
   *
   * Scope: `events:read`.
   */
  list(query: EventQuery = {}, options: CallOptions = {}): Promise<PageOf<Event>> {
    return this.#caller.page<Event>(listEvents, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: EventQuery = {}, options: CallOptions = {}): AsyncGenerator<Event, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Read an event. A pruned event, and one that has no position in the feed yet, does not exist.
   *
   * Scope: `events:read`.
   */
  get(id: string, options: CallOptions = {}): Promise<Event> {
    return this.#caller.one<Event>(readEvent, { path: { id } }, options);
  }
}

export class WebhookEndpoints {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List webhook endpoints. Newest first.
   *
   * Scope: `webhooks:write`.
   */
  list(query: WebhookEndpointQuery = {}, options: CallOptions = {}): Promise<PageOf<WebhookEndpoint>> {
    return this.#caller.page<WebhookEndpoint>(listWebhookEndpoints, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: WebhookEndpointQuery = {}, options: CallOptions = {}): AsyncGenerator<WebhookEndpoint, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create a webhook endpoint. Sends the events that are committed from now on. `secret` verifies the signatures and is
   * returned only here; it is null for `ed25519`, where `public_keys` verify them. An organization has at most 50
   * endpoints. An `Idempotency-Key` is ignored.
   *
   * Scope: `webhooks:write`.
   */
  create(body: WebhookEndpointCreate, options: CallOptions = {}): Promise<WebhookEndpointWithSecret> {
    return this.#caller.one<WebhookEndpointWithSecret>(createWebhookEndpoint, { body }, options);
  }

  /**
   * Read a webhook endpoint.
   *
   * Scope: `webhooks:write`.
   */
  get(id: string, options: ReadOptions<WebhookEndpoint> = {}): Promise<WebhookEndpoint> {
    return this.#caller.one<WebhookEndpoint>(readWebhookEndpoint, { path: { id } }, options);
  }

  /**
   * Update a webhook endpoint. Updates the fields that are sent; omitted fields do not change. A new `url` and
   * `is_active: true` close the circuit of a failing endpoint and send at once. An endpoint that is enabled again
   * continues where it stopped.
   *
   * Scope: `webhooks:write`.
   */
  update(id: string, body: WebhookEndpointUpdate, options: ChangeOptions = {}): Promise<WebhookEndpoint> {
    return this.#caller.one<WebhookEndpoint>(updateWebhookEndpoint, { path: { id }, body }, options);
  }

  /**
   * Delete a webhook endpoint. Stops the delivery, erases the secrets and returns the deleted endpoint.
   *
   * Scope: `webhooks:write`.
   */
  delete(id: string, options: ChangeOptions = {}): Promise<WebhookEndpoint> {
    return this.#caller.one<WebhookEndpoint>(deleteWebhookEndpoint, { path: { id } }, options);
  }

  /**
   * Rotate the secret of a webhook endpoint. Old secrets continue to sign until the overlap ends; 0 ends all of them at
   * once. At most three secrets are valid at the same time. `secret` is returned only here.
   *
   * Scope: `webhooks:write`.
   */
  rotateSecret(id: string, body: RotateWebhookSecret, options: ChangeOptions = {}): Promise<WebhookEndpointWithSecret> {
    return this.#caller.one<WebhookEndpointWithSecret>(rotateWebhookSecret, { path: { id }, body }, options);
  }

  /**
   * Send a sample to a webhook endpoint. Sends one sample with `test: true` now, also while the endpoint is disabled,
   * and returns the attempt, whatever its outcome.
   *
   * Scope: `webhooks:write`.
   */
  ping(id: string, body: PingWebhookEndpoint, options: CallOptions = {}): Promise<WebhookAttempt> {
    return this.#caller.one<WebhookAttempt>(pingWebhookEndpoint, { path: { id }, body }, options);
  }

  /**
   * Send events again. Either one event, even if it was delivered, or all undelivered events that entered the feed from
   * `since` to before `until`. Closes the circuit.
   *
   * Scope: `webhooks:write`.
   */
  retry(id: string, body: RetryWebhookEvents, options: CallOptions = {}): Promise<QueuedEvents> {
    return this.#caller.one<QueuedEvents>(retryWebhookEvents, { path: { id }, body }, options);
  }

  /**
   * Continue at another position of the feed. Moves the endpoint to `oldest`, `newest`, or the first event that entered
   * the feed at or after a time. Drops waiting retries and closes the circuit.
   *
   * Scope: `webhooks:write`.
   */
  seek(id: string, body: SeekWebhookEndpoint, options: ChangeOptions = {}): Promise<WebhookEndpoint> {
    return this.#caller.one<WebhookEndpoint>(seekWebhookEndpoint, { path: { id }, body }, options);
  }

  /**
   * List attempts to deliver events. Newest first.
   *
   * Scope: `webhooks:write`.
   */
  listAttempts(id: string, query: WebhookAttemptQuery = {}, options: CallOptions = {}): Promise<PageOf<WebhookAttempt>> {
    return this.#caller.page<WebhookAttempt>(listWebhookAttempts, { path: { id }, query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  eachAttempts(id: string, query: WebhookAttemptQuery = {}, options: CallOptions = {}): AsyncGenerator<WebhookAttempt, void, undefined> {
    return each((cursor) => this.listAttempts(id, { ...query, cursor }, options), query.cursor);
  }

  /**
   * List undelivered events. Events that were attempted, or that wait behind such an event of their record. Oldest
   * first.
   *
   * Scope: `webhooks:write`.
   */
  listUndelivered(id: string, query: UndeliveredEventQuery = {}, options: CallOptions = {}): Promise<PageOf<UndeliveredEvent>> {
    return this.#caller.page<UndeliveredEvent>(listWebhookUndelivered, { path: { id }, query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  eachUndelivered(id: string, query: UndeliveredEventQuery = {}, options: CallOptions = {}): AsyncGenerator<UndeliveredEvent, void, undefined> {
    return each((cursor) => this.listUndelivered(id, { ...query, cursor }, options), query.cursor);
  }
}

export class Analytics {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Read revenue by period. Monthly recurring revenue (MRR), its movements and rates, oldest period first. Each amount
   * is exact and rounded once. Rates are fractions: 0.25 is 25 %. The last five fields are null for days.
   *
   * Scope: `analytics:read`.
   */
  revenue(query: RevenuePeriodQuery = {}, options: CallOptions = {}): Promise<FiguresOf<RevenuePeriod>> {
    return this.#caller.figures<RevenuePeriod>(readRevenue, { query }, options);
  }

  /**
   * List movements of customers. Changes of the MRR of customers from one day to the next. Newest day first, then by
   * user ID.
   *
   * Scope: `analytics:read`.
   */
  listMovements(query: MovementQuery = {}, options: CallOptions = {}): Promise<PageOf<Movement> & { meta: AnalyticsMeta }> {
    return this.#caller.page<Movement, { meta: AnalyticsMeta }>(listMovements, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  eachMovements(query: MovementQuery = {}, options: CallOptions = {}): AsyncGenerator<Movement, void, undefined> {
    return each((cursor) => this.listMovements({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Read cohorts. Customers by the month in which they were new: how many of them, and how much of their MRR, remain at
   * the close of each later month. `from` and `to` are months of cohorts.
   *
   * Scope: `analytics:read`.
   */
  cohorts(query: CohortQuery = {}, options: CallOptions = {}): Promise<FiguresOf<Cohort>> {
    return this.#caller.figures<Cohort>(readCohorts, { query }, options);
  }

  /**
   * Read trials by month. Trials by the month in which they began, and what became of them. All currencies together.
   *
   * Scope: `analytics:read`.
   */
  trials(query: TrialPeriodQuery = {}, options: CallOptions = {}): Promise<FiguresOf<TrialPeriod>> {
    return this.#caller.figures<TrialPeriod>(readTrials, { query }, options);
  }

  /**
   * Read payments by period. Payments by their status now: collected and refunded ones by their date, failed ones by
   * their creation.
   *
   * Scope: `analytics:read`.
   */
  payments(query: PaymentPeriodQuery = {}, options: CallOptions = {}): Promise<FiguresOf<PaymentPeriod>> {
    return this.#caller.figures<PaymentPeriod>(readPaymentFigures, { query }, options);
  }

  /**
   * Read revenue by plan. The plans with revenue at the close of a day. Highest MRR first, then by slug.
   *
   * Scope: `analytics:read`.
   */
  plans(query: PlanFiguresQuery = {}, options: CallOptions = {}): Promise<FiguresOf<PlanFigures>> {
    return this.#caller.figures<PlanFigures>(readPlanFigures, { query }, options);
  }
}

export class TaxRates {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List tax rates. Newest first.
   *
   * Scope: `plans:read`.
   */
  list(query: TaxRateQuery = {}, options: CallOptions = {}): Promise<PageOf<TaxRate>> {
    return this.#caller.page<TaxRate>(listTaxRates, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: TaxRateQuery = {}, options: CallOptions = {}): AsyncGenerator<TaxRate, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create a tax rate. With an `Idempotency-Key`, a retry returns the response of the first request.
   *
   * Scope: `plans:write`.
   */
  create(body: TaxRateCreate, options: CreateOptions = {}): Promise<TaxRate> {
    return this.#caller.one<TaxRate>(createTaxRate, { body }, options);
  }

  /**
   * Read a tax rate.
   *
   * Scope: `plans:read`.
   */
  get(id: string, options: ReadOptions<TaxRate> = {}): Promise<TaxRate> {
    return this.#caller.one<TaxRate>(readTaxRate, { path: { id } }, options);
  }

  /**
   * Update a tax rate. Only `is_active` can change. An inactive rate cannot be referenced again; existing references
   * continue.
   *
   * Scope: `plans:write`.
   */
  update(id: string, body: TaxRateUpdate, options: ChangeOptions = {}): Promise<TaxRate> {
    return this.#caller.one<TaxRate>(updateTaxRate, { path: { id }, body }, options);
  }
}

export class Coupons {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List coupons. Newest first.
   *
   * Scope: `plans:read`.
   */
  list(query: CouponQuery = {}, options: CallOptions = {}): Promise<PageOf<Coupon>> {
    return this.#caller.page<Coupon>(listCoupons, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: CouponQuery = {}, options: CallOptions = {}): AsyncGenerator<Coupon, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create a coupon. Send `percent`, or `amount` and `currency`. With an `Idempotency-Key`, a retry returns the
   * response of the first request.
   *
   * Scope: `plans:write`.
   */
  create(body: CouponCreate, options: CreateOptions = {}): Promise<Coupon> {
    return this.#caller.one<Coupon>(createCoupon, { body }, options);
  }

  /**
   * Read a coupon.
   *
   * Scope: `plans:read`.
   */
  get(id: string, options: ReadOptions<Coupon> = {}): Promise<Coupon> {
    return this.#caller.one<Coupon>(readCoupon, { path: { id } }, options);
  }

  /**
   * Update a coupon. Only `is_active` can change. An inactive coupon cannot be redeemed; subscriptions that redeemed it
   * keep their discount.
   *
   * Scope: `plans:write`.
   */
  update(id: string, body: CouponUpdate, options: ChangeOptions = {}): Promise<Coupon> {
    return this.#caller.one<Coupon>(updateCoupon, { path: { id }, body }, options);
  }
}

export class Meters {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List meters. Newest first.
   *
   * Scope: `plans:read`.
   */
  list(query: MeterQuery = {}, options: CallOptions = {}): Promise<PageOf<Meter>> {
    return this.#caller.page<Meter>(listMeters, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: MeterQuery = {}, options: CallOptions = {}): AsyncGenerator<Meter, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create a meter. With an `Idempotency-Key`, a retry returns the response of the first request.
   *
   * Scope: `plans:write`.
   */
  create(body: MeterCreate, options: CreateOptions = {}): Promise<Meter> {
    return this.#caller.one<Meter>(createMeter, { body }, options);
  }

  /**
   * Read a meter.
   *
   * Scope: `plans:read`.
   */
  get(id: string, options: ReadOptions<Meter> = {}): Promise<Meter> {
    return this.#caller.one<Meter>(readMeter, { path: { id } }, options);
  }

  /**
   * Update a meter. Updates the fields that are sent; omitted fields do not change. The slug and the aggregation cannot
   * be changed. An inactive meter accepts no events. A meter that an active feature uses cannot be deactivated.
   *
   * Scope: `plans:write`.
   */
  update(id: string, body: MeterUpdate, options: ChangeOptions = {}): Promise<Meter> {
    return this.#caller.one<Meter>(updateMeter, { path: { id }, body }, options);
  }
}

export class Features {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List features. Sorted by key.
   *
   * Scope: `plans:read`.
   */
  list(query: FeatureQuery = {}, options: CallOptions = {}): Promise<PageOf<Feature>> {
    return this.#caller.page<Feature>(listFeatures, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: FeatureQuery = {}, options: CallOptions = {}): AsyncGenerator<Feature, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create a feature. An organization has at most 500 features. With an `Idempotency-Key`, a retry returns the response
   * of the first request.
   *
   * Scope: `plans:write`.
   */
  create(body: FeatureCreate, options: CreateOptions = {}): Promise<Feature> {
    return this.#caller.one<Feature>(createFeature, { body }, options);
  }

  /**
   * Read a feature. By key or ID.
   *
   * Scope: `plans:read`.
   */
  get(key: string, options: ReadOptions<Feature> = {}): Promise<Feature> {
    return this.#caller.one<Feature>(readFeature, { path: { key } }, options);
  }

  /**
   * Update a feature. Updates the fields that are sent; omitted fields do not change. The key, the kind, the meter and
   * the period cannot be changed. A feature cannot be deleted: an inactive one is no longer granted.
   *
   * Scope: `plans:write`.
   */
  update(key: string, body: FeatureUpdate, options: ChangeOptions = {}): Promise<Feature> {
    return this.#caller.one<Feature>(updateFeature, { path: { key }, body }, options);
  }
}

export class Entitlements {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Read the entitlements of a user. What the user has now, from the subscriptions with access that the user owns or is
   * a member of: at most 200, newest first, of the newest 1,000; `truncated` is true if there are more. The answer
   * changes at `valid_until` by the clock alone. With a user's token, `me` is the user. A public client can read the
   * records of the signed-in user.
   *
   * Scope: `entitlements:read`.
   */
  get(id: string, options: ReadOptions<UserEntitlements> = {}): Promise<UserEntitlements> {
    return this.#caller.one<UserEntitlements>(readEntitlements, { path: { id } }, options);
  }

  /**
   * Check one feature of a user. Whether the user may use this much of a feature now, and if not, why. The status is
   * 200 either way. A public client can read the records of the signed-in user.
   *
   * Scope: `entitlements:read`.
   */
  check(id: string, featureKey: string, query: EntitlementCheckQuery = {}, options: ReadOptions<EntitlementCheck> = {}): Promise<EntitlementCheck> {
    return this.#caller.one<EntitlementCheck>(checkEntitlement, { path: { id, feature_key: featureKey }, query }, options);
  }

  /**
   * Issue an entitlement token. A signed token with the value of each feature, and of a quota its limit, for an
   * application that checks them offline. It expires at the latest when access changes by the clock alone, plus the
   * grace that the operator has set. It cannot be revoked: `ttl_seconds` is how old the values may be. With a user's
   * token, `me` is the user, and the token lives for a day at most. A public client can read the records of the
   * signed-in user.
   *
   * Scope: `entitlements:read`.
   */
  createToken(id: string, body: EntitlementTokenCreate, options: CallOptions = {}): Promise<EntitlementToken> {
    return this.#caller.one<EntitlementToken>(createEntitlementToken, { path: { id }, body }, options);
  }
}

export class Members {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List the members of a subscription. The members by user, and in `seats` how many there may be. The owner has a seat
   * and is not listed. With a user's token, only the owner can read them. A public client can read the records of the
   * signed-in user.
   *
   * Scope: `subscriptions:read`.
   */
  list(id: string, query: MemberQuery = {}, options: CallOptions = {}): Promise<PageOf<Member> & { seats: Seats }> {
    return this.#caller.page<Member, { seats: Seats }>(listMembers, { path: { id }, query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(id: string, query: MemberQuery = {}, options: CallOptions = {}): AsyncGenerator<Member, void, undefined> {
    return each((cursor) => this.list(id, { ...query, cursor }, options), query.cursor);
  }

  /**
   * Add a member to a subscription. The user gets what the subscription grants, except `seats`. With an
   * `Idempotency-Key`, a retry returns the response of the first request.
   *
   * Scope: `subscriptions:write`.
   */
  add(id: string, body: AddMember, options: CreateOptions = {}): Promise<Member> {
    return this.#caller.one<Member>(addMember, { path: { id }, body }, options);
  }

  /**
   * Remove a member from a subscription. Returns the member that was removed.
   *
   * Scope: `subscriptions:write`.
   */
  remove(id: string, userId: string, options: CallOptions = {}): Promise<Member> {
    return this.#caller.one<Member>(removeMember, { path: { id, user_id: userId } }, options);
  }
}

export class Usage {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Record usage events. Stores all new events of the call, or none if one of them is invalid. An event that is stored
   * already is a duplicate and counts once, so a call can be repeated. An event with the ID of another one that differs
   * is a conflict. An event that is too late is not stored: one from before the end of the last closed window, one of
   * an external subscription from more than 35 days ago, or one after the end of an expired subscription. With `mode:
   * enforce` all new events are stored or none: the call is rejected if it would exceed a quota of a subscription in
   * the period of an event.
   *
   * Scope: `usage:write`.
   */
  record(body: RecordUsageEvents, options: CallOptions = {}): Promise<RecordedUsage> {
    return this.#caller.one<RecordedUsage>(recordUsageEvents, { body }, options);
  }

  /**
   * Read the usage of a subscription. Returns the quantity of each active meter, by slug, and of inactive ones that
   * counted something. `from` is included, `to` is not. Both together cover at most 13 months. A public client can read
   * the records of the signed-in user.
   *
   * Scope: `subscriptions:read`.
   */
  get(id: string, query: SubscriptionUsageQuery = {}, options: CallOptions = {}): Promise<SubscriptionUsage> {
    return this.#caller.one<SubscriptionUsage>(readSubscriptionUsage, { path: { id }, query }, options);
  }
}

export class BillingProfiles {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Read the billing profile of a user. Every user has one, empty at first. With a user's token, `me` is the user. A
   * public client can read the records of the signed-in user.
   *
   * Scope: `invoices:read`.
   */
  get(id: string, options: ReadOptions<BillingProfile> = {}): Promise<BillingProfile> {
    return this.#caller.one<BillingProfile>(readBillingProfile, { path: { id } }, options);
  }

  /**
   * Update the billing profile of a user. Updates the fields that are sent; omitted fields do not change, and a null
   * clears a field. A tax rate that is named for the first time must be active.
   *
   * Scope: `invoices:write`.
   */
  update(id: string, body: BillingProfileUpdate, options: ChangeOptions = {}): Promise<BillingProfile> {
    return this.#caller.one<BillingProfile>(updateBillingProfile, { path: { id }, body }, options);
  }
}

export class Credits {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List the credits of a user. The entries of the ledger, newest first. Their sum in a currency is the balance. With a
   * user's token, `me` is the user. A public client can read the records of the signed-in user.
   *
   * Scope: `invoices:read`.
   */
  list(id: string, query: CreditQuery = {}, options: CallOptions = {}): Promise<PageOf<Credit>> {
    return this.#caller.page<Credit>(listCredits, { path: { id }, query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(id: string, query: CreditQuery = {}, options: CallOptions = {}): AsyncGenerator<Credit, void, undefined> {
    return each((cursor) => this.list(id, { ...query, cursor }, options), query.cursor);
  }

  /**
   * Change the balance of a user. Adds an entry to the ledger. A negative amount is taken from the balance, which is
   * never negative. With an `Idempotency-Key`, a retry returns the response of the first request.
   *
   * Scope: `invoices:write`.
   */
  create(id: string, body: CreditCreate, options: CreateOptions = {}): Promise<Credit> {
    return this.#caller.one<Credit>(createCredit, { path: { id }, body }, options);
  }
}

export class Connections {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List connections to payment providers. Newest first. Connections are created with `perennial connection add`.
   *
   * Scope: `organization:read`.
   */
  list(query: ConnectionQuery = {}, options: CallOptions = {}): Promise<PageOf<Connection>> {
    return this.#caller.page<Connection>(listConnections, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: ConnectionQuery = {}, options: CallOptions = {}): AsyncGenerator<Connection, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Read a connection to a payment provider. `last_received_at` and `last_swept_at` are not part of the ETag.
   *
   * Scope: `organization:read`.
   */
  get(id: string, options: ReadOptions<Connection> = {}): Promise<Connection> {
    return this.#caller.one<Connection>(readConnection, { path: { id } }, options);
  }

  /**
   * List received webhooks of a connection. Newest first, each with what became of it.
   *
   * Scope: `organization:read`.
   */
  listInbox(id: string, query: InboxItemQuery = {}, options: CallOptions = {}): Promise<PageOf<InboxItem>> {
    return this.#caller.page<InboxItem>(listConnectionInbox, { path: { id }, query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  eachInbox(id: string, query: InboxItemQuery = {}, options: CallOptions = {}): AsyncGenerator<InboxItem, void, undefined> {
    return each((cursor) => this.listInbox(id, { ...query, cursor }, options), query.cursor);
  }
}

export class Invoices {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List invoices. Newest first. A page under a rare filter may be short and still have a next page. A public client
   * can read the records of the signed-in user.
   *
   * Scope: `invoices:read`.
   */
  list(query: InvoiceQuery = {}, options: CallOptions = {}): Promise<PageOf<Invoice>> {
    return this.#caller.page<Invoice>(listInvoices, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: InvoiceQuery = {}, options: CallOptions = {}): AsyncGenerator<Invoice, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create an invoice. Creates a `one_off` draft for a billed subscription. With an `Idempotency-Key`, a retry returns
   * the response of the first request.
   *
   * Scope: `invoices:write`.
   */
  create(body: InvoiceCreate, options: CreateOptions = {}): Promise<Invoice> {
    return this.#caller.one<Invoice>(createInvoice, { body }, options);
  }

  /**
   * Read an invoice. A public client can read the records of the signed-in user.
   *
   * Scope: `invoices:read`.
   */
  get(id: string, options: ReadOptions<Invoice> = {}): Promise<Invoice> {
    return this.#caller.one<Invoice>(readInvoice, { path: { id } }, options);
  }

  /**
   * Update a draft. Changes the memo of a draft; of a `one_off` draft also its lines and `finalizes_at`. An issued
   * invoice is final.
   *
   * Scope: `invoices:write`.
   */
  update(id: string, body: InvoiceUpdate, options: ChangeOptions = {}): Promise<Invoice> {
    return this.#caller.one<Invoice>(updateInvoice, { path: { id }, body }, options);
  }

  /**
   * Delete a draft. Deletes a `one_off` draft and returns it.
   *
   * Scope: `invoices:write`.
   */
  delete(id: string, options: ChangeOptions = {}): Promise<Invoice> {
    return this.#caller.one<Invoice>(deleteInvoice, { path: { id } }, options);
  }

  /**
   * Finalize a draft. Issues the draft now: it gets its number and becomes final. With an `Idempotency-Key`, a retry
   * returns the response of the first request.
   *
   * Scope: `invoices:write`.
   */
  finalize(id: string, options: CreateOptions = {}): Promise<Invoice> {
    return this.#caller.one<Invoice>(finalizeInvoice, { path: { id } }, options);
  }

  /**
   * Void an invoice. Nothing is due any more. What the balance paid returns to it. With an `Idempotency-Key`, a retry
   * returns the response of the first request.
   *
   * Scope: `invoices:write`.
   */
  void(id: string, options: CreateOptions = {}): Promise<Invoice> {
    return this.#caller.one<Invoice>(voidInvoice, { path: { id } }, options);
  }

  /**
   * Mark an invoice as uncollectible. Dunning ends. A payment still settles the invoice. With an `Idempotency-Key`, a
   * retry returns the response of the first request.
   *
   * Scope: `invoices:write`.
   */
  markUncollectible(id: string, options: CreateOptions = {}): Promise<Invoice> {
    return this.#caller.one<Invoice>(markInvoiceUncollectible, { path: { id } }, options);
  }
}

export class CreditNotes {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List credit notes. Newest first. A public client can read the records of the signed-in user.
   *
   * Scope: `invoices:read`.
   */
  list(query: CreditNoteQuery = {}, options: CallOptions = {}): Promise<PageOf<CreditNote>> {
    return this.#caller.page<CreditNote>(listCreditNotes, { query }, options);
  }

  /** The same, record by record: asks for the next page when the last one is used up. */
  each(query: CreditNoteQuery = {}, options: CallOptions = {}): AsyncGenerator<CreditNote, void, undefined> {
    return each((cursor) => this.list({ ...query, cursor }, options), query.cursor);
  }

  /**
   * Create a credit note. Credits an invoice that is open, uncollectible or paid. Send `amount` or `lines`. The note
   * first reduces what is due; the rest goes to the balance, or is refunded by you. With an `Idempotency-Key`, a retry
   * returns the response of the first request.
   *
   * Scope: `invoices:write`.
   */
  create(body: CreditNoteCreate, options: CreateOptions = {}): Promise<CreditNote> {
    return this.#caller.one<CreditNote>(createCreditNote, { body }, options);
  }

  /**
   * Read a credit note. A public client can read the records of the signed-in user.
   *
   * Scope: `invoices:read`.
   */
  get(id: string, options: ReadOptions<CreditNote> = {}): Promise<CreditNote> {
    return this.#caller.one<CreditNote>(readCreditNote, { path: { id } }, options);
  }
}

/** Every group of calls, over one caller. */
export class Resources {
  readonly auth: Auth;
  readonly sessions: Sessions;
  readonly account: Account;
  readonly plans: Plans;
  readonly planVersions: PlanVersions;
  readonly subscriptions: Subscriptions;
  readonly payments: Payments;
  readonly users: Users;
  readonly userSessions: UserSessions;
  readonly search: Search;
  readonly clients: Clients;
  readonly organizations: Organizations;
  readonly testClocks: TestClocks;
  readonly operators: Operators;
  readonly feed: Feed;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly analytics: Analytics;
  readonly taxRates: TaxRates;
  readonly coupons: Coupons;
  readonly meters: Meters;
  readonly features: Features;
  readonly entitlements: Entitlements;
  readonly members: Members;
  readonly usage: Usage;
  readonly billingProfiles: BillingProfiles;
  readonly credits: Credits;
  readonly connections: Connections;
  readonly invoices: Invoices;
  readonly creditNotes: CreditNotes;

  constructor(caller: Caller) {
    this.auth = new Auth(caller);
    this.sessions = new Sessions(caller);
    this.account = new Account(caller);
    this.plans = new Plans(caller);
    this.planVersions = new PlanVersions(caller);
    this.subscriptions = new Subscriptions(caller);
    this.payments = new Payments(caller);
    this.users = new Users(caller);
    this.userSessions = new UserSessions(caller);
    this.search = new Search(caller);
    this.clients = new Clients(caller);
    this.organizations = new Organizations(caller);
    this.testClocks = new TestClocks(caller);
    this.operators = new Operators(caller);
    this.feed = new Feed(caller);
    this.webhookEndpoints = new WebhookEndpoints(caller);
    this.analytics = new Analytics(caller);
    this.taxRates = new TaxRates(caller);
    this.coupons = new Coupons(caller);
    this.meters = new Meters(caller);
    this.features = new Features(caller);
    this.entitlements = new Entitlements(caller);
    this.members = new Members(caller);
    this.usage = new Usage(caller);
    this.billingProfiles = new BillingProfiles(caller);
    this.credits = new Credits(caller);
    this.connections = new Connections(caller);
    this.invoices = new Invoices(caller);
    this.creditNotes = new CreditNotes(caller);
  }
}
