"""The calls of the API, by what they are about. Written from `openapi.json` by `cargo xtask clients`; do not edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from .._operation import Caller, Operation
from .._pages import Figures, Page, figures, page, parts, walk
from .._wire import UNSET, Unset
from .types import (
    AnalyticsMeta,
    BillingCycle,
    BillingProfile,
    BillingProfileLocale,
    Client,
    ClientKind,
    ClientScopes,
    Cohort,
    Connection,
    Coupon,
    CouponDuration,
    Credit,
    CreditNote,
    CreditNoteSettlement,
    Deleted,
    DeletedUser,
    EntitlementCheck,
    EntitlementToken,
    Event,
    Feature,
    FeatureCombine,
    FeaturePeriod,
    InboxItem,
    InboxItemState,
    Invoice,
    InvoiceKind,
    Kind,
    LoggedIn,
    ManagedUser,
    Member,
    Meter,
    MeterAggregation,
    Movement,
    MovementKind,
    Operator,
    OperatorLink,
    OperatorRole,
    OperatorSessionRecord,
    Organization,
    Payment,
    PaymentPeriod,
    PaymentSort,
    PaymentStatus,
    Plan,
    PlanFigures,
    PlanSort,
    PlanVersion,
    PortalLink,
    QueuedEvents,
    RecordUsageEventsMode,
    RecordedUsage,
    RevenuePeriod,
    RevenuePeriodInterval,
    Revoked,
    SearchResult,
    Seats,
    Subscription,
    SubscriptionForecast,
    SubscriptionSort,
    SubscriptionStatus,
    SubscriptionUsage,
    TaxRate,
    TestClock,
    TestClockUpdateMode,
    TokenList,
    Tokens,
    TrialPeriod,
    UndeliveredEvent,
    UndeliveredEventState,
    UserEntitlements,
    UserSession,
    WebhookAttempt,
    WebhookAttemptOutcome,
    WebhookEndpoint,
    WebhookEndpointPayload,
    WebhookEndpointSignature,
    WebhookEndpointWithSecret,
)

SIGN_UP = Operation(id="signUp", method="POST", path="/authentication/sign-up", repeatable=False)
SIGN_IN = Operation(id="signIn", method="POST", path="/authentication/sign-in", repeatable=False)
USER_LOGGED_IN = Operation(id="userLoggedIn", method="POST", path="/authentication/user-logged-in", person="always")
REFRESH_TOKEN = Operation(id="refreshToken", method="POST", path="/authentication/refresh-token")
LIST_TOKENS = Operation(id="listTokens", method="GET", path="/authentication/tokens", person="always")
LOGOUT = Operation(id="logout", method="POST", path="/authentication/tokens/logout", person="always")
REVOKE_ALL_TOKENS = Operation(
    id="revokeAllTokens",
    method="POST",
    path="/authentication/tokens/revoke-all",
    person="always",
)
REVOKE_ALL_TOKENS_EXCEPT_CURRENT = Operation(
    id="revokeAllTokensExceptCurrent",
    method="POST",
    path="/authentication/tokens/revoke-all-except-current",
    person="always",
)
REVOKE_TOKEN = Operation(id="revokeToken", method="POST", path="/authentication/tokens/revoke/{id}", person="always")
DELETE_MY_ACCOUNT = Operation(
    id="deleteMyAccount",
    method="DELETE",
    path="/authentication/delete-my-account/{auth_id}",
    person="always",
)
LIST_PLANS = Operation(id="listPlans", method="GET", path="/subscription-plans")
CREATE_PLAN = Operation(id="createPlan", method="POST", path="/subscription-plans", takes_key=True)
READ_PLAN = Operation(id="readPlan", method="GET", path="/subscription-plans/{slug}")
UPDATE_PLAN = Operation(id="updatePlan", method="PUT", path="/subscription-plans/{slug}")
DELETE_PLAN = Operation(id="deletePlan", method="DELETE", path="/subscription-plans/{slug}")
LIST_PLAN_VERSIONS = Operation(id="listPlanVersions", method="GET", path="/subscription-plans/{slug}/versions")
LIST_SUBSCRIPTIONS = Operation(id="listSubscriptions", method="GET", path="/subscriptions", person="if_signed_in")
CREATE_SUBSCRIPTION = Operation(id="createSubscription", method="POST", path="/subscriptions", takes_key=True)
READ_SUBSCRIPTION = Operation(id="readSubscription", method="GET", path="/subscriptions/{id}", person="if_signed_in")
UPDATE_SUBSCRIPTION = Operation(id="updateSubscription", method="PUT", path="/subscriptions/{id}")
DELETE_SUBSCRIPTION = Operation(id="deleteSubscription", method="DELETE", path="/subscriptions/{id}")
FORECAST_SUBSCRIPTION = Operation(
    id="forecastSubscription",
    method="GET",
    path="/subscriptions/{id}/forecast",
    person="if_signed_in",
)
LIST_PAYMENTS = Operation(id="listPayments", method="GET", path="/subscription-payments", person="if_signed_in")
CREATE_PAYMENT = Operation(id="createPayment", method="POST", path="/subscription-payments", takes_key=True)
READ_PAYMENT = Operation(
    id="readPayment",
    method="GET",
    path="/subscription-payments/{payment_id}",
    person="if_signed_in",
)
UPDATE_PAYMENT = Operation(id="updatePayment", method="PUT", path="/subscription-payments/{payment_id}")
DELETE_PAYMENT = Operation(id="deletePayment", method="DELETE", path="/subscription-payments/{payment_id}")
COLLECT_PAYMENT = Operation(
    id="collectPayment",
    method="POST",
    path="/subscription-payments/{payment_id}/collect",
    repeatable=False,
)
LIST_USERS = Operation(id="listUsers", method="GET", path="/users")
CREATE_USER = Operation(id="createUser", method="POST", path="/users", takes_key=True)
READ_USER = Operation(id="readUser", method="GET", path="/users/{id}")
UPDATE_USER = Operation(id="updateUser", method="PUT", path="/users/{id}")
DELETE_USER = Operation(id="deleteUser", method="DELETE", path="/users/{id}")
CREATE_PORTAL_LINK = Operation(id="createPortalLink", method="POST", path="/users/{id}/portal-link", repeatable=False)
LIST_USER_SESSIONS = Operation(id="listUserSessions", method="GET", path="/users/{id}/sessions")
REVOKE_USER_SESSIONS = Operation(id="revokeUserSessions", method="DELETE", path="/users/{id}/sessions")
REVOKE_USER_SESSION = Operation(id="revokeUserSession", method="DELETE", path="/users/{id}/sessions/{session_id}")
SEARCH = Operation(id="search", method="GET", path="/search")
LIST_CLIENTS = Operation(id="listClients", method="GET", path="/clients")
CREATE_CLIENT = Operation(id="createClient", method="POST", path="/clients", repeatable=False)
READ_CLIENT = Operation(id="readClient", method="GET", path="/clients/{id}")
UPDATE_CLIENT = Operation(id="updateClient", method="PUT", path="/clients/{id}")
READ_ORGANIZATION = Operation(id="readOrganization", method="GET", path="/organization")
UPDATE_ORGANIZATION = Operation(id="updateOrganization", method="PUT", path="/organization")
READ_TEST_CLOCK = Operation(id="readTestClock", method="GET", path="/test-clock")
UPDATE_TEST_CLOCK = Operation(id="updateTestClock", method="PUT", path="/test-clock")
CREATE_TEST_CLOCK = Operation(id="createTestClock", method="POST", path="/test-clock", repeatable=False)
DELETE_TEST_CLOCK = Operation(id="deleteTestClock", method="DELETE", path="/test-clock")
LIST_OPERATORS = Operation(id="listOperators", method="GET", path="/operators")
CREATE_OPERATOR = Operation(id="createOperator", method="POST", path="/operators", takes_key=True)
READ_OPERATOR = Operation(id="readOperator", method="GET", path="/operators/{id}")
UPDATE_OPERATOR = Operation(id="updateOperator", method="PUT", path="/operators/{id}")
DELETE_OPERATOR = Operation(id="deleteOperator", method="DELETE", path="/operators/{id}")
LIST_OPERATOR_SESSIONS = Operation(id="listOperatorSessions", method="GET", path="/operators/{id}/sessions")
END_OPERATOR_SESSION = Operation(
    id="endOperatorSession",
    method="DELETE",
    path="/operators/{id}/sessions/{session_id}",
)
CREATE_OPERATOR_LINK = Operation(id="createOperatorLink", method="POST", path="/operators/{id}/link", repeatable=False)
LIST_EVENTS = Operation(id="listEvents", method="GET", path="/events")
READ_EVENT = Operation(id="readEvent", method="GET", path="/events/{id}")
LIST_WEBHOOK_ENDPOINTS = Operation(id="listWebhookEndpoints", method="GET", path="/webhook-endpoints")
CREATE_WEBHOOK_ENDPOINT = Operation(
    id="createWebhookEndpoint",
    method="POST",
    path="/webhook-endpoints",
    repeatable=False,
)
READ_WEBHOOK_ENDPOINT = Operation(id="readWebhookEndpoint", method="GET", path="/webhook-endpoints/{id}")
UPDATE_WEBHOOK_ENDPOINT = Operation(id="updateWebhookEndpoint", method="PUT", path="/webhook-endpoints/{id}")
DELETE_WEBHOOK_ENDPOINT = Operation(id="deleteWebhookEndpoint", method="DELETE", path="/webhook-endpoints/{id}")
ROTATE_WEBHOOK_SECRET = Operation(
    id="rotateWebhookSecret",
    method="POST",
    path="/webhook-endpoints/{id}/rotate-secret",
    repeatable=False,
)
PING_WEBHOOK_ENDPOINT = Operation(
    id="pingWebhookEndpoint",
    method="POST",
    path="/webhook-endpoints/{id}/ping",
    repeatable=False,
)
RETRY_WEBHOOK_EVENTS = Operation(
    id="retryWebhookEvents",
    method="POST",
    path="/webhook-endpoints/{id}/retry",
    repeatable=False,
)
SEEK_WEBHOOK_ENDPOINT = Operation(
    id="seekWebhookEndpoint",
    method="POST",
    path="/webhook-endpoints/{id}/seek",
    repeatable=False,
)
LIST_WEBHOOK_ATTEMPTS = Operation(id="listWebhookAttempts", method="GET", path="/webhook-endpoints/{id}/attempts")
LIST_WEBHOOK_UNDELIVERED = Operation(
    id="listWebhookUndelivered",
    method="GET",
    path="/webhook-endpoints/{id}/undelivered",
)
READ_REVENUE = Operation(id="readRevenue", method="GET", path="/analytics/revenue")
LIST_MOVEMENTS = Operation(id="listMovements", method="GET", path="/analytics/movements")
READ_COHORTS = Operation(id="readCohorts", method="GET", path="/analytics/cohorts")
READ_TRIALS = Operation(id="readTrials", method="GET", path="/analytics/trials")
READ_PAYMENT_FIGURES = Operation(id="readPaymentFigures", method="GET", path="/analytics/payments")
READ_PLAN_FIGURES = Operation(id="readPlanFigures", method="GET", path="/analytics/plans")
LIST_TAX_RATES = Operation(id="listTaxRates", method="GET", path="/tax-rates")
CREATE_TAX_RATE = Operation(id="createTaxRate", method="POST", path="/tax-rates", takes_key=True)
READ_TAX_RATE = Operation(id="readTaxRate", method="GET", path="/tax-rates/{id}")
UPDATE_TAX_RATE = Operation(id="updateTaxRate", method="PUT", path="/tax-rates/{id}")
LIST_COUPONS = Operation(id="listCoupons", method="GET", path="/coupons")
CREATE_COUPON = Operation(id="createCoupon", method="POST", path="/coupons", takes_key=True)
READ_COUPON = Operation(id="readCoupon", method="GET", path="/coupons/{id}")
UPDATE_COUPON = Operation(id="updateCoupon", method="PUT", path="/coupons/{id}")
LIST_METERS = Operation(id="listMeters", method="GET", path="/meters")
CREATE_METER = Operation(id="createMeter", method="POST", path="/meters", takes_key=True)
READ_METER = Operation(id="readMeter", method="GET", path="/meters/{id}")
UPDATE_METER = Operation(id="updateMeter", method="PUT", path="/meters/{id}")
LIST_FEATURES = Operation(id="listFeatures", method="GET", path="/features")
CREATE_FEATURE = Operation(id="createFeature", method="POST", path="/features", takes_key=True)
READ_FEATURE = Operation(id="readFeature", method="GET", path="/features/{key}")
UPDATE_FEATURE = Operation(id="updateFeature", method="PUT", path="/features/{key}")
READ_ENTITLEMENTS = Operation(
    id="readEntitlements",
    method="GET",
    path="/users/{id}/entitlements",
    person="if_signed_in",
)
CHECK_ENTITLEMENT = Operation(
    id="checkEntitlement",
    method="GET",
    path="/users/{id}/entitlements/{feature_key}",
    person="if_signed_in",
)
CREATE_ENTITLEMENT_TOKEN = Operation(
    id="createEntitlementToken",
    method="POST",
    path="/users/{id}/entitlement-token",
    person="if_signed_in",
)
LIST_MEMBERS = Operation(id="listMembers", method="GET", path="/subscriptions/{id}/members", person="if_signed_in")
ADD_MEMBER = Operation(id="addMember", method="POST", path="/subscriptions/{id}/members", takes_key=True)
REMOVE_MEMBER = Operation(id="removeMember", method="DELETE", path="/subscriptions/{id}/members/{user_id}")
RECORD_USAGE_EVENTS = Operation(id="recordUsageEvents", method="POST", path="/usage-events")
READ_SUBSCRIPTION_USAGE = Operation(
    id="readSubscriptionUsage",
    method="GET",
    path="/subscriptions/{id}/usage",
    person="if_signed_in",
)
READ_BILLING_PROFILE = Operation(
    id="readBillingProfile",
    method="GET",
    path="/users/{id}/billing-profile",
    person="if_signed_in",
)
UPDATE_BILLING_PROFILE = Operation(id="updateBillingProfile", method="PUT", path="/users/{id}/billing-profile")
LIST_CREDITS = Operation(id="listCredits", method="GET", path="/users/{id}/credits", person="if_signed_in")
CREATE_CREDIT = Operation(id="createCredit", method="POST", path="/users/{id}/credits", takes_key=True)
LIST_CONNECTIONS = Operation(id="listConnections", method="GET", path="/connections")
READ_CONNECTION = Operation(id="readConnection", method="GET", path="/connections/{id}")
LIST_CONNECTION_INBOX = Operation(id="listConnectionInbox", method="GET", path="/connections/{id}/inbox")
LIST_INVOICES = Operation(id="listInvoices", method="GET", path="/invoices", person="if_signed_in")
CREATE_INVOICE = Operation(id="createInvoice", method="POST", path="/invoices", takes_key=True)
READ_INVOICE = Operation(id="readInvoice", method="GET", path="/invoices/{id}", person="if_signed_in")
UPDATE_INVOICE = Operation(id="updateInvoice", method="PUT", path="/invoices/{id}")
DELETE_INVOICE = Operation(id="deleteInvoice", method="DELETE", path="/invoices/{id}")
FINALIZE_INVOICE = Operation(id="finalizeInvoice", method="POST", path="/invoices/{id}/finalize", takes_key=True)
VOID_INVOICE = Operation(id="voidInvoice", method="POST", path="/invoices/{id}/void", takes_key=True)
MARK_INVOICE_UNCOLLECTIBLE = Operation(
    id="markInvoiceUncollectible",
    method="POST",
    path="/invoices/{id}/mark-uncollectible",
    takes_key=True,
)
LIST_CREDIT_NOTES = Operation(id="listCreditNotes", method="GET", path="/credit-notes", person="if_signed_in")
CREATE_CREDIT_NOTE = Operation(id="createCreditNote", method="POST", path="/credit-notes", takes_key=True)
READ_CREDIT_NOTE = Operation(id="readCreditNote", method="GET", path="/credit-notes/{id}", person="if_signed_in")


@dataclass(frozen=True)
class MovementPage(Page[Movement]):
    """A page of `listMovements`."""

    meta: AnalyticsMeta


@dataclass(frozen=True)
class MemberPage(Page[Member]):
    """A page of `listMembers`."""

    seats: Seats


class Auth:
    """Calls about auth."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def sign_up(
        self,
        *,
        access_token: str,
        email: str,
        username: str | None | Unset = UNSET,
        first_name: str | None | Unset = UNSET,
        last_name: str | None | Unset = UNSET,
        terms: bool | None | Unset = UNSET,
        notifications: bool | None | Unset = UNSET,
        auth_type: str | None | Unset = UNSET,
    ) -> Tokens:
        """Sign up.

        `access_token` is a token of one of the organization's identity providers, `email` the address in it. A user that the operator created for this address is linked to the identity.

        The client needs the scope `auth`.

        - `access_token`: A token of one of your identity providers.
        - `email`: The e-mail address in that token.
        - `username`: The user name.
        - `first_name`: The given name.
        - `last_name`: The family name.
        - `terms`: Whether the user agreed to the terms.
        - `notifications`: Whether the user wants notifications.
        - `auth_type`: How the user signed up. Defaults to the kind of the identity provider.

        Raises `Problem` with one of 401, 403, 409, 429, 503, 400, 421, 408, 413, 414, 431, 500, 415, 422.
        """
        answer = self._caller.call(
            SIGN_UP,
            body={
                "access_token": access_token,
                "email": email,
                "username": username,
                "first_name": first_name,
                "last_name": last_name,
                "terms": terms,
                "notifications": notifications,
                "auth_type": auth_type,
            },
        )
        return Tokens.read(answer.body["data"])

    def sign_in(
        self,
        *,
        access_token: str,
        email: str,
    ) -> Tokens:
        """Sign in.

        Starts a new session. If the address has changed at the identity provider, the user's address is updated, unless another user has the new one.

        The client needs the scope `auth`.

        - `access_token`: A token of one of your identity providers.
        - `email`: The e-mail address in that token.

        Raises `Problem` with one of 401, 403, 404, 409, 429, 503, 400, 421, 408, 413, 414, 431, 500, 415, 422.
        """
        answer = self._caller.call(
            SIGN_IN,
            body={
                "access_token": access_token,
                "email": email,
            },
        )
        return Tokens.read(answer.body["data"])

    def user(self) -> LoggedIn:
        """Check a session.

        Returns the user of the access token. A revoked session is rejected immediately.

        The client needs the scope `auth`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            USER_LOGGED_IN,
        )
        return LoggedIn.read(answer.body["data"])

    def refresh(
        self,
        *,
        refresh_token: str,
    ) -> Tokens:
        """Refresh tokens.

        Exchanges a refresh token for a new access token and refresh token. Store only the newest refresh token: using an old one ends the session.

        The client needs the scope `auth`.

        - `refresh_token`: The newest refresh token of the session.

        Raises `Problem` with one of 401, 403, 409, 429, 400, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            REFRESH_TOKEN,
            body={"refresh_token": refresh_token},
        )
        return Tokens.read(answer.body["data"])


class Sessions:
    """Calls about sessions."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> TokenList:
        """List sessions.

        Returns the active sessions of the user with all clients, newest first. `number_of_tokens_to_revoke` is how many exceed the organization's limit.

        The client needs the scope `auth`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_TOKENS,
        )
        return TokenList.read(answer.body["data"])

    def logout(self) -> Revoked:
        """Log out.

        Ends the session of the access token. Repeated with the same token, it has no effect.

        The client needs the scope `auth`.

        Raises `Problem` with one of 503, 400, 401, 403, 421, 408, 413, 414, 431, 500.
        """
        answer = self._caller.call(
            LOGOUT,
        )
        return Revoked.read(answer.body["data"])

    def revoke_all(self) -> Revoked:
        """End all sessions.

        Ends all sessions of the user, including the current one. Their tokens stop working immediately.

        The client needs the scope `auth`.

        Raises `Problem` with one of 409, 503, 400, 401, 403, 421, 408, 413, 414, 431, 500.
        """
        answer = self._caller.call(
            REVOKE_ALL_TOKENS,
        )
        return Revoked.read(answer.body["data"])

    def revoke_others(self) -> Revoked:
        """End all other sessions.

        Ends all sessions of the user except the current one. Their tokens stop working immediately.

        The client needs the scope `auth`.

        Raises `Problem` with one of 409, 503, 400, 401, 403, 421, 408, 413, 414, 431, 500.
        """
        answer = self._caller.call(
            REVOKE_ALL_TOKENS_EXCEPT_CURRENT,
        )
        return Revoked.read(answer.body["data"])

    def revoke(self, id: str) -> Revoked:
        """End one session.

        Ends one session of the user. A session of another user is not found.

        The client needs the scope `auth`.

        Raises `Problem` with one of 503, 400, 401, 403, 421, 408, 413, 414, 431, 500, 404.
        """
        answer = self._caller.call(
            REVOKE_TOKEN,
            path={"id": id},
        )
        return Revoked.read(answer.body["data"])


class Account:
    """Calls about account."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def delete(self, auth_id: str) -> Deleted:
        """Delete my account.

        `auth_id` is the user's own `user.auth_id`, percent-encoded. Personal data is erased, all sessions end, subscriptions are cancelled immediately, payments remain. The account at the identity provider is not changed.

        The client needs the scope `auth`.

        Raises `Problem` with one of 403, 409, 503, 400, 401, 421, 408, 413, 414, 431, 500.
        """
        answer = self._caller.call(
            DELETE_MY_ACCOUNT,
            path={"auth_id": auth_id},
        )
        return Deleted.read(answer.body["data"])


class Plans:
    """Calls about plans."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        is_active: bool | Unset = UNSET,
        billing_cycle: BillingCycle | Unset = UNSET,
        tier: int | Unset = UNSET,
        most_popular: bool | Unset = UNSET,
        product_id: str | Unset = UNSET,
        variant: str | Unset = UNSET,
        sort: PlanSort | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[Plan]:
        """List plans.

        Returns the organization's plans, sorted by tier and slug by default.

        The client needs the scope `plans:read`.

        - `is_active`: Only active or only inactive plans.
        - `billing_cycle`: Plans with this billing cycle. Aliases are accepted.
        - `tier`: Plans of this tier.
        - `most_popular`: Plans that are marked as most popular, or that are not.
        - `product_id`: Plans of this product.
        - `variant`: Plans with this variant.
        - `sort`: The sort order. Prefix with `-` for descending order.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_PLANS,
            query={
                "is_active": is_active,
                "billing_cycle": billing_cycle,
                "tier": tier,
                "most_popular": most_popular,
                "product_id": product_id,
                "variant": variant,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, Plan.read)

    def each(
        self,
        *,
        is_active: bool | Unset = UNSET,
        billing_cycle: BillingCycle | Unset = UNSET,
        tier: int | Unset = UNSET,
        most_popular: bool | Unset = UNSET,
        product_id: str | Unset = UNSET,
        variant: str | Unset = UNSET,
        sort: PlanSort | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Plan]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Plan]:
            return self.list(
                is_active=is_active,
                billing_cycle=billing_cycle,
                tier=tier,
                most_popular=most_popular,
                product_id=product_id,
                variant=variant,
                sort=sort,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        name: str,
        slug: str,
        price: Decimal | int,
        billing_cycle: BillingCycle,
        dry_run: bool | Unset = UNSET,
        product_id: str | None | Unset = UNSET,
        variants: Sequence[str] | Unset = UNSET,
        currency: str | Unset = UNSET,
        href: str | None | Unset = UNSET,
        billing: Mapping[str, Any] | None | Unset = UNSET,
        description: str | Unset = UNSET,
        node_quota: int | Unset = UNSET,
        features: str | Unset = UNSET,
        most_popular: bool | Unset = UNSET,
        tier: int | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        entitlements: Mapping[str, Any] | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Plan:
        """Create a plan.

        With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `plans:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `name`: The name shown to customers.
        - `product_id`: The ID of the product in another system.
        - `variants`: The variants of the product.
        - `slug`: The name of the plan in paths. It cannot be changed.
        - `price`: The price per billing cycle, with at most as many decimals as the currency has.
        - `currency`: The currency of the price. Defaults to the organization's currency. An ISO 4217 code of a currency with minor units; upper or lower case.
        - `href`: A link to the plan. An http or https URL.
        - `billing_cycle`: How often the plan is billed. One of daily, weekly, biweekly, monthly, quarterly, semiannual, yearly, biennial, lifetime. Common aliases (month, year, annual, one_time …) are accepted, in upper or lower case.
        - `billing`: How subscriptions to the plan are billed. Null: all defaults. An update replaces the members that are sent.
        - `description`: A description of the plan.
        - `node_quota`: The number of nodes that the plan includes.
        - `features`: A comma-separated list in one string, stored unchanged.
        - `most_popular`: Whether to mark the plan as the most popular one.
        - `tier`: The rank of the plan among all plans.
        - `is_active`: Whether the plan accepts new subscriptions.
        - `entitlements`: Values of features by key. An update replaces the keys that are sent; null removes one. They are no part of the version.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_PLAN,
            query={"dry_run": dry_run},
            headers={"idempotency-key": idempotency_key},
            body={
                "name": name,
                "product_id": product_id,
                "variants": variants,
                "slug": slug,
                "price": price,
                "currency": currency,
                "href": href,
                "billing_cycle": billing_cycle,
                "billing": billing,
                "description": description,
                "node_quota": node_quota,
                "features": features,
                "most_popular": most_popular,
                "tier": tier,
                "is_active": is_active,
                "entitlements": entitlements,
            },
        )
        return Plan.read(answer.body["data"], answer.etag)

    def get(self, slug: str) -> Plan:
        """Read a plan.

        By slug or ID.

        The client needs the scope `plans:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_PLAN,
            path={"slug": slug},
        )
        return Plan.read(answer.body["data"], answer.etag)

    def get_if_changed(self, slug: str, etag: str) -> Plan | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_PLAN,
            path={"slug": slug},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else Plan.read(answer.body["data"], answer.etag)

    def update(
        self,
        slug: str,
        *,
        dry_run: bool | Unset = UNSET,
        price: Decimal | int | Unset = UNSET,
        billing_cycle: BillingCycle | Unset = UNSET,
        billing: Mapping[str, Any] | None | Unset = UNSET,
        description: str | Unset = UNSET,
        node_quota: int | Unset = UNSET,
        features: str | Unset = UNSET,
        most_popular: bool | Unset = UNSET,
        tier: int | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        entitlements: Mapping[str, Any] | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Plan:
        """Update a plan.

        Updates the fields that are sent; omitted fields do not change. The name, slug, product, variants, link and currency cannot be changed. Another price, billing cycle or tax behavior is a new version of the plan.

        The client needs the scope `plans:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `price`: The price per billing cycle, with at most as many decimals as the currency has.
        - `billing_cycle`: How often the plan is billed. One of daily, weekly, biweekly, monthly, quarterly, semiannual, yearly, biennial, lifetime. Common aliases (month, year, annual, one_time …) are accepted, in upper or lower case.
        - `billing`: How subscriptions to the plan are billed. Null: all defaults. An update replaces the members that are sent.
        - `description`: A description of the plan.
        - `node_quota`: The number of nodes that the plan includes.
        - `features`: A comma-separated list in one string, stored unchanged.
        - `most_popular`: Whether to mark the plan as the most popular one.
        - `tier`: The rank of the plan among all plans.
        - `is_active`: Whether the plan accepts new subscriptions.
        - `entitlements`: Values of features by key. An update replaces the keys that are sent; null removes one. They are no part of the version.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_PLAN,
            path={"slug": slug},
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
            body={
                "price": price,
                "billing_cycle": billing_cycle,
                "billing": billing,
                "description": description,
                "node_quota": node_quota,
                "features": features,
                "most_popular": most_popular,
                "tier": tier,
                "is_active": is_active,
                "entitlements": entitlements,
            },
        )
        return Plan.read(answer.body["data"], answer.etag)

    def delete(
        self,
        slug: str,
        *,
        dry_run: bool | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Plan:
        """Delete a plan.

        Allowed only if no subscription refers to the plan. Returns the deleted plan. Its slug can be used again.

        The client needs the scope `plans:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404, 412.
        """
        answer = self._caller.call(
            DELETE_PLAN,
            path={"slug": slug},
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
        )
        return Plan.read(answer.body["data"], answer.etag)


class PlanVersions:
    """Calls about plan versions."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        slug: str,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[PlanVersion]:
        """List the versions of a plan.

        Returns the newest version first, which is the current one. A change of the price, the billing cycle, `billing.tax_behavior` or `billing.charges` adds a version. A subscription stays on its version until it is moved.

        The client needs the scope `plans:read`.

        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            LIST_PLAN_VERSIONS,
            path={"slug": slug},
            query={
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, PlanVersion.read)

    def each(
        self,
        slug: str,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[PlanVersion]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[PlanVersion]:
            return self.list(
                slug=slug,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)


class Subscriptions:
    """Calls about subscriptions."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        user_id: str | Unset = UNSET,
        subscription_plan_id: str | Unset = UNSET,
        status: str | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        billing_cycle: BillingCycle | Unset = UNSET,
        external_subscription_id: str | Unset = UNSET,
        created_after: datetime | Unset = UNSET,
        created_before: datetime | Unset = UNSET,
        renews_after: datetime | Unset = UNSET,
        renews_before: datetime | Unset = UNSET,
        ends_after: datetime | Unset = UNSET,
        ends_before: datetime | Unset = UNSET,
        sort: SubscriptionSort | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[Subscription]:
        """List subscriptions.

        Returns the newest subscriptions first by default. With a filter that few records match, a page may be short although more pages follow.

        The client needs the scope `subscriptions:read`.

        - `user_id`: Subscriptions of this user.
        - `subscription_plan_id`: Subscriptions of this plan (ID or slug).
        - `status`: One status, or several separated by commas. Aliases are accepted.
        - `is_active`: Only active or only inactive subscriptions.
        - `billing_cycle`: Subscriptions with this billing cycle. Aliases are accepted.
        - `external_subscription_id`: The subscription with this external ID.
        - `created_after`: Created at or after this time.
        - `created_before`: Created before this time.
        - `renews_after`: Renewing at or after this time.
        - `renews_before`: Renewing before this time.
        - `ends_after`: Ending at or after this time.
        - `ends_before`: Ending before this time.
        - `sort`: The sort order. Prefix with `-` for descending order. Subscriptions without the time come last.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_SUBSCRIPTIONS,
            query={
                "user_id": user_id,
                "subscription_plan_id": subscription_plan_id,
                "status": status,
                "is_active": is_active,
                "billing_cycle": billing_cycle,
                "external_subscription_id": external_subscription_id,
                "created_after": created_after,
                "created_before": created_before,
                "renews_after": renews_after,
                "renews_before": renews_before,
                "ends_after": ends_after,
                "ends_before": ends_before,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, Subscription.read)

    def each(
        self,
        *,
        user_id: str | Unset = UNSET,
        subscription_plan_id: str | Unset = UNSET,
        status: str | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        billing_cycle: BillingCycle | Unset = UNSET,
        external_subscription_id: str | Unset = UNSET,
        created_after: datetime | Unset = UNSET,
        created_before: datetime | Unset = UNSET,
        renews_after: datetime | Unset = UNSET,
        renews_before: datetime | Unset = UNSET,
        ends_after: datetime | Unset = UNSET,
        ends_before: datetime | Unset = UNSET,
        sort: SubscriptionSort | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Subscription]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Subscription]:
            return self.list(
                user_id=user_id,
                subscription_plan_id=subscription_plan_id,
                status=status,
                is_active=is_active,
                billing_cycle=billing_cycle,
                external_subscription_id=external_subscription_id,
                created_after=created_after,
                created_before=created_before,
                renews_after=renews_after,
                renews_before=renews_before,
                ends_after=ends_after,
                ends_before=ends_before,
                sort=sort,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        user_id: str,
        subscription_plan_id: str,
        dry_run: bool | Unset = UNSET,
        external_subscription_id: str | None | Unset = UNSET,
        quantity: int | Unset = UNSET,
        billing_cycle: BillingCycle | Unset = UNSET,
        status: SubscriptionStatus | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        renews_at: datetime | None | Unset = UNSET,
        starts_at: datetime | Unset = UNSET,
        ends_at: datetime | None | Unset = UNSET,
        billing: Mapping[str, Any] | None | Unset = UNSET,
        entitlements: Mapping[str, Any] | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Subscription:
        """Create a subscription.

        With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `subscriptions:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `user_id`: The user who subscribes.
        - `subscription_plan_id`: The plan of the subscription. The ID or slug of a plan.
        - `external_subscription_id`: The ID in another system. An empty text is the same as null.
        - `quantity`: The number of units of the plan. Defaults to 1.
        - `billing_cycle`: How often the subscription is billed. Defaults to the plan's billing cycle. One of daily, weekly, biweekly, monthly, quarterly, semiannual, yearly, biennial, lifetime. Common aliases (month, year, annual, one_time …) are accepted, in upper or lower case.
        - `status`: The status of the subscription. One of pending, incomplete, on_trial, active, past_due, unpaid, paused, cancelled, expired. Aliases such as trialing and canceled are accepted, in upper or lower case.
        - `is_active`: Whether the subscription is active. Derived from `status` if omitted.
        - `renews_at`: When the subscription renews. Defaults to one billing cycle after the start. RFC 3339 with a UTC offset, between 1970 and 9999.
        - `starts_at`: When the subscription starts. Defaults to now. RFC 3339 with a UTC offset, between 1970 and 9999.
        - `ends_at`: When the subscription ends. RFC 3339 with a UTC offset, between 1970 and 9999.
        - `billing`: How the service bills the subscription. Null: other systems renew it. An update replaces the members that are sent.
        - `entitlements`: Values of features by key, in place of those of the plan. An update replaces the keys that are sent; null removes one.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_SUBSCRIPTION,
            query={"dry_run": dry_run},
            headers={"idempotency-key": idempotency_key},
            body={
                "user_id": user_id,
                "subscription_plan_id": subscription_plan_id,
                "external_subscription_id": external_subscription_id,
                "quantity": quantity,
                "billing_cycle": billing_cycle,
                "status": status,
                "is_active": is_active,
                "renews_at": renews_at,
                "starts_at": starts_at,
                "ends_at": ends_at,
                "billing": billing,
                "entitlements": entitlements,
            },
        )
        return Subscription.read(answer.body["data"], answer.etag)

    def get(self, id: str) -> Subscription:
        """Read a subscription.

        `has_access` is whether the user may use the plan now.

        The client needs the scope `subscriptions:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_SUBSCRIPTION,
            path={"id": id},
        )
        return Subscription.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> Subscription | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_SUBSCRIPTION,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else Subscription.read(answer.body["data"], answer.etag)

    def update(
        self,
        id: str,
        *,
        dry_run: bool | Unset = UNSET,
        plan_version: int | Unset = UNSET,
        user_id: str | Unset = UNSET,
        subscription_plan_id: str | Unset = UNSET,
        external_subscription_id: str | None | Unset = UNSET,
        quantity: int | Unset = UNSET,
        billing_cycle: BillingCycle | Unset = UNSET,
        status: SubscriptionStatus | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        renews_at: datetime | None | Unset = UNSET,
        starts_at: datetime | Unset = UNSET,
        ends_at: datetime | None | Unset = UNSET,
        billing: Mapping[str, Any] | None | Unset = UNSET,
        entitlements: Mapping[str, Any] | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Subscription:
        """Update a subscription.

        Updates the fields that are sent; omitted fields do not change. A null clears an optional field.

        The client needs the scope `subscriptions:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `plan_version`: The version of the plan. It may be sent back unchanged; the plan's current version moves the subscription to it.
        - `user_id`: The user who subscribes.
        - `subscription_plan_id`: The plan of the subscription. The ID or slug of a plan.
        - `external_subscription_id`: The ID in another system. An empty text is the same as null.
        - `quantity`: The number of units of the plan. Defaults to 1.
        - `billing_cycle`: How often the subscription is billed. Defaults to the plan's billing cycle. One of daily, weekly, biweekly, monthly, quarterly, semiannual, yearly, biennial, lifetime. Common aliases (month, year, annual, one_time …) are accepted, in upper or lower case.
        - `status`: The status of the subscription. One of pending, incomplete, on_trial, active, past_due, unpaid, paused, cancelled, expired. Aliases such as trialing and canceled are accepted, in upper or lower case.
        - `is_active`: Whether the subscription is active. Derived from `status` if omitted.
        - `renews_at`: When the subscription renews. Defaults to one billing cycle after the start. RFC 3339 with a UTC offset, between 1970 and 9999.
        - `starts_at`: When the subscription starts. Defaults to now. RFC 3339 with a UTC offset, between 1970 and 9999.
        - `ends_at`: When the subscription ends. RFC 3339 with a UTC offset, between 1970 and 9999.
        - `billing`: How the service bills the subscription. Null: other systems renew it. An update replaces the members that are sent.
        - `entitlements`: Values of features by key, in place of those of the plan. An update replaces the keys that are sent; null removes one.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_SUBSCRIPTION,
            path={"id": id},
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
            body={
                "plan_version": plan_version,
                "user_id": user_id,
                "subscription_plan_id": subscription_plan_id,
                "external_subscription_id": external_subscription_id,
                "quantity": quantity,
                "billing_cycle": billing_cycle,
                "status": status,
                "is_active": is_active,
                "renews_at": renews_at,
                "starts_at": starts_at,
                "ends_at": ends_at,
                "billing": billing,
                "entitlements": entitlements,
            },
        )
        return Subscription.read(answer.body["data"], answer.etag)

    def delete(
        self,
        id: str,
        *,
        dry_run: bool | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Subscription:
        """Delete a subscription.

        Returns the deleted subscription. Its payments are not deleted.

        The client needs the scope `subscriptions:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404, 412.
        """
        answer = self._caller.call(
            DELETE_SUBSCRIPTION,
            path={"id": id},
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
        )
        return Subscription.read(answer.body["data"], answer.etag)

    def forecast(
        self,
        id: str,
        *,
        count: int | Unset = UNSET,
    ) -> Page[SubscriptionForecast]:
        """Forecast a subscription.

        Returns the next actions of a billed subscription, if every invoice is paid. The list is shorter if actions end, and empty if the subscription is external, unpaid or parked.

        The client needs the scope `subscriptions:read`.

        - `count`: The number of actions.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            FORECAST_SUBSCRIPTION,
            path={"id": id},
            query={"count": count},
        )
        return page(answer.body, SubscriptionForecast.read)


class Payments:
    """Calls about payments."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        subscription_id: str | Unset = UNSET,
        invoice_id: str | Unset = UNSET,
        status: str | Unset = UNSET,
        external_payment_id: str | Unset = UNSET,
        currency: str | Unset = UNSET,
        date_after: datetime | Unset = UNSET,
        date_before: datetime | Unset = UNSET,
        sort: PaymentSort | Unset = UNSET,
        created_after: datetime | Unset = UNSET,
        created_before: datetime | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[Payment]:
        """List payments.

        Newest first by default. A page under a rare filter may be short and still have a next page.

        The client needs the scope `payments:read`.

        - `subscription_id`: Payments for this subscription.
        - `invoice_id`: Payments of this invoice.
        - `status`: One status, or several separated by commas.
        - `external_payment_id`: The payment with this external ID.
        - `currency`: Payments in this currency.
        - `date_after`: Last completed at or after this time.
        - `date_before`: Last completed before this time.
        - `sort`: The sort order. Prefix with `-` for descending order.
        - `created_after`: Created at or after this time.
        - `created_before`: Created before this time.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_PAYMENTS,
            query={
                "subscription_id": subscription_id,
                "invoice_id": invoice_id,
                "status": status,
                "external_payment_id": external_payment_id,
                "currency": currency,
                "date_after": date_after,
                "date_before": date_before,
                "sort": sort,
                "created_after": created_after,
                "created_before": created_before,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, Payment.read)

    def each(
        self,
        *,
        subscription_id: str | Unset = UNSET,
        invoice_id: str | Unset = UNSET,
        status: str | Unset = UNSET,
        external_payment_id: str | Unset = UNSET,
        currency: str | Unset = UNSET,
        date_after: datetime | Unset = UNSET,
        date_before: datetime | Unset = UNSET,
        sort: PaymentSort | Unset = UNSET,
        created_after: datetime | Unset = UNSET,
        created_before: datetime | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Payment]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Payment]:
            return self.list(
                subscription_id=subscription_id,
                invoice_id=invoice_id,
                status=status,
                external_payment_id=external_payment_id,
                currency=currency,
                date_after=date_after,
                date_before=date_before,
                sort=sort,
                created_after=created_after,
                created_before=created_before,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        subscription_id: str,
        amount: Decimal | int,
        currency: str,
        dry_run: bool | Unset = UNSET,
        invoice_id: str | None | Unset = UNSET,
        external_payment_id: str | None | Unset = UNSET,
        status: PaymentStatus | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Payment:
        """Create a payment.

        With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `payments:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `subscription_id`: The subscription that the payment is for.
        - `invoice_id`: The invoice that the payment pays. It can be set once.
        - `amount`: The amount, with at most as many decimals as the currency has.
        - `currency`: The currency of the amount. An ISO 4217 code of a currency with minor units; upper or lower case.
        - `external_payment_id`: The ID in another system. An empty text is the same as null.
        - `status`: The status of the payment. Defaults to `pending`. One of pending, processing, completed, failed, partially_refunded, refunded, disputed, void. Aliases such as paid and canceled are accepted, in upper or lower case.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_PAYMENT,
            query={"dry_run": dry_run},
            headers={"idempotency-key": idempotency_key},
            body={
                "subscription_id": subscription_id,
                "invoice_id": invoice_id,
                "amount": amount,
                "currency": currency,
                "external_payment_id": external_payment_id,
                "status": status,
            },
        )
        return Payment.read(answer.body["data"], answer.etag)

    def get(self, payment_id: str) -> Payment:
        """Read a payment.

        `date` is when the payment was last completed.

        The client needs the scope `payments:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_PAYMENT,
            path={"payment_id": payment_id},
        )
        return Payment.read(answer.body["data"], answer.etag)

    def get_if_changed(self, payment_id: str, etag: str) -> Payment | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_PAYMENT,
            path={"payment_id": payment_id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else Payment.read(answer.body["data"], answer.etag)

    def update(
        self,
        payment_id: str,
        *,
        dry_run: bool | Unset = UNSET,
        subscription_id: str | Unset = UNSET,
        invoice_id: str | None | Unset = UNSET,
        amount: Decimal | int | Unset = UNSET,
        currency: str | Unset = UNSET,
        external_payment_id: str | None | Unset = UNSET,
        status: PaymentStatus | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Payment:
        """Update a payment.

        Updates the fields that are sent; omitted fields do not change. A null clears an optional field.

        The client needs the scope `payments:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `subscription_id`: The subscription that the payment is for.
        - `invoice_id`: The invoice that the payment pays. It can be set once.
        - `amount`: The amount, with at most as many decimals as the currency has.
        - `currency`: The currency of the amount. An ISO 4217 code of a currency with minor units; upper or lower case.
        - `external_payment_id`: The ID in another system. An empty text is the same as null.
        - `status`: The status of the payment. Defaults to `pending`. One of pending, processing, completed, failed, partially_refunded, refunded, disputed, void. Aliases such as paid and canceled are accepted, in upper or lower case.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_PAYMENT,
            path={"payment_id": payment_id},
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
            body={
                "subscription_id": subscription_id,
                "invoice_id": invoice_id,
                "amount": amount,
                "currency": currency,
                "external_payment_id": external_payment_id,
                "status": status,
            },
        )
        return Payment.read(answer.body["data"], answer.etag)

    def delete(
        self,
        payment_id: str,
        *,
        dry_run: bool | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Payment:
        """Delete a payment.

        Returns the deleted payment.

        The client needs the scope `payments:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404, 412.
        """
        answer = self._caller.call(
            DELETE_PAYMENT,
            path={"payment_id": payment_id},
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
        )
        return Payment.read(answer.body["data"], answer.etag)

    def collect(
        self,
        payment_id: str,
        *,
        connection_id: str | Unset = UNSET,
        payment_method: str | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Payment:
        """Collect a payment.

        Charges the customer through Stripe. The payment is `processing` until the result is known.

        The client needs the scope `payments:write`.

        - `connection_id`: The connection that collects.
        - `payment_method`: The ID of the payment method at the provider. Defaults to the subscription's, then to the customer's. Never a card number.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            COLLECT_PAYMENT,
            path={"payment_id": payment_id},
            headers={"if-match": if_match},
            body={
                "connection_id": connection_id,
                "payment_method": payment_method,
            },
        )
        return Payment.read(answer.body["data"], answer.etag)


class Users:
    """Calls about users."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        id: str | Unset = UNSET,
        email: str | Unset = UNSET,
        email_prefix: str | Unset = UNSET,
        auth_id: str | Unset = UNSET,
        created_after: datetime | Unset = UNSET,
        created_before: datetime | Unset = UNSET,
        sort: PaymentSort | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[ManagedUser]:
        """List users.

        Newest first; with `email_prefix`, by address.

        The client needs the scope `users:read`.

        - `id`: One ID, or up to 200 separated by commas.
        - `email`: The user with this address, in upper or lower case.
        - `email_prefix`: Users whose address begins with this, sorted by address. At least 3 characters. Not with `sort`.
        - `auth_id`: Users with this ID at their identity provider.
        - `created_after`: Created at or after this time.
        - `created_before`: Created before this time.
        - `sort`: The sort order. Prefix with `-` for descending order.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_USERS,
            query={
                "id": id,
                "email": email,
                "email_prefix": email_prefix,
                "auth_id": auth_id,
                "created_after": created_after,
                "created_before": created_before,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, ManagedUser.read)

    def each(
        self,
        *,
        id: str | Unset = UNSET,
        email: str | Unset = UNSET,
        email_prefix: str | Unset = UNSET,
        auth_id: str | Unset = UNSET,
        created_after: datetime | Unset = UNSET,
        created_before: datetime | Unset = UNSET,
        sort: PaymentSort | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[ManagedUser]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[ManagedUser]:
            return self.list(
                id=id,
                email=email,
                email_prefix=email_prefix,
                auth_id=auth_id,
                created_after=created_after,
                created_before=created_before,
                sort=sort,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        email: str,
        username: str | None | Unset = UNSET,
        first_name: str | None | Unset = UNSET,
        last_name: str | None | Unset = UNSET,
        terms: bool | None | Unset = UNSET,
        notifications: bool | None | Unset = UNSET,
        auth_type: str | None | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> ManagedUser:
        """Create a user.

        Creates a user without an identity. The first sign-up with this verified address is linked to it. With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `users:write`.

        - `email`: The e-mail address, unique in the organization. A user with an identity keeps the identity provider's.
        - `username`: The user name.
        - `first_name`: The given name.
        - `last_name`: The family name.
        - `terms`: Whether the user agreed to the terms.
        - `notifications`: Whether the user wants notifications.
        - `auth_type`: How the user signs up.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_USER,
            headers={"idempotency-key": idempotency_key},
            body={
                "email": email,
                "username": username,
                "first_name": first_name,
                "last_name": last_name,
                "terms": terms,
                "notifications": notifications,
                "auth_type": auth_type,
            },
        )
        return ManagedUser.read(answer.body["data"], answer.etag)

    def get(self, id: str) -> ManagedUser:
        """Read a user.

        An erased user is not found.

        The client needs the scope `users:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_USER,
            path={"id": id},
        )
        return ManagedUser.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> ManagedUser | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_USER,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else ManagedUser.read(answer.body["data"], answer.etag)

    def update(
        self,
        id: str,
        *,
        email: str | None | Unset = UNSET,
        is_blocked: bool | Unset = UNSET,
        username: str | None | Unset = UNSET,
        first_name: str | None | Unset = UNSET,
        last_name: str | None | Unset = UNSET,
        terms: bool | None | Unset = UNSET,
        notifications: bool | None | Unset = UNSET,
        auth_type: str | None | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> ManagedUser:
        """Update a user.

        Updates the fields that are sent; omitted fields do not change. A null clears an optional field. `is_blocked` ends all sessions of the user and rejects sign-in, sign-up and refresh.

        The client needs the scope `users:write`.

        - `email`: The e-mail address, unique in the organization. A user with an identity keeps the identity provider's.
        - `is_blocked`: Whether the user is blocked: without sessions and unable to sign in.
        - `username`: The user name.
        - `first_name`: The given name.
        - `last_name`: The family name.
        - `terms`: Whether the user agreed to the terms.
        - `notifications`: Whether the user wants notifications.
        - `auth_type`: How the user signs up.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_USER,
            path={"id": id},
            headers={"if-match": if_match},
            body={
                "email": email,
                "is_blocked": is_blocked,
                "username": username,
                "first_name": first_name,
                "last_name": last_name,
                "terms": terms,
                "notifications": notifications,
                "auth_type": auth_type,
            },
        )
        return ManagedUser.read(answer.body["data"], answer.etag)

    def delete(
        self,
        id: str,
        *,
        if_match: str | None | Unset = UNSET,
    ) -> DeletedUser:
        """Erase a user.

        Erases personal data, ends all sessions and cancels the subscriptions, as `delete-my-account` does. Payments remain. This cannot be undone.

        The client needs the scope `users:write`.

        Raises `Problem` with one of 412, 409, 503, 400, 401, 403, 421, 408, 413, 414, 431, 500, 404.
        """
        answer = self._caller.call(
            DELETE_USER,
            path={"id": id},
            headers={"if-match": if_match},
        )
        return DeletedUser.read(answer.body["data"], answer.etag)

    def create_portal_link(
        self,
        id: str,
        *,
        return_url: str | None | Unset = UNSET,
        expires_in: int | Unset = UNSET,
    ) -> PortalLink:
        """Create a link to the customer portal.

        The link signs the user in to the portal once. Send it only to the user: its holder acts as the user. Not found while the portal is disabled.

        The client needs the scope `users:write`.

        - `return_url`: Where the portal links back to. Its origin must be one of the organization's `portal.return_origins`. An http or https URL.
        - `expires_in`: How many seconds the link works. 900 if omitted.

        Raises `Problem` with one of 409, 503, 400, 401, 403, 421, 408, 413, 414, 431, 500, 415, 422, 404.
        """
        answer = self._caller.call(
            CREATE_PORTAL_LINK,
            path={"id": id},
            body={
                "return_url": return_url,
                "expires_in": expires_in,
            },
        )
        return PortalLink.read(answer.body["data"])


class UserSessions:
    """Calls about user sessions."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, id: str) -> Page[UserSession]:
        """List the sessions of a user.

        Returns the live sessions with all clients, newest first. A user has at most 100.

        The client needs the scope `users:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            LIST_USER_SESSIONS,
            path={"id": id},
        )
        return page(answer.body, UserSession.read)

    def revoke_all(self, id: str) -> Revoked:
        """End all sessions of a user.

        Their tokens stop working immediately.

        The client needs the scope `users:write`.

        Raises `Problem` with one of 409, 503, 400, 401, 403, 421, 408, 413, 414, 431, 500, 404.
        """
        answer = self._caller.call(
            REVOKE_USER_SESSIONS,
            path={"id": id},
        )
        return Revoked.read(answer.body["data"])

    def revoke(self, id: str, session_id: str) -> UserSession:
        """End one session of a user.

        Its tokens stop working immediately. A session that has ended, or of another user, is not found.

        The client needs the scope `users:write`.

        Raises `Problem` with one of 503, 400, 401, 403, 421, 408, 413, 414, 431, 500, 404.
        """
        answer = self._caller.call(
            REVOKE_USER_SESSION,
            path={
                "id": id,
                "session_id": session_id,
            },
        )
        return UserSession.read(answer.body["data"])


class Search:
    """Calls about search."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def find(
        self,
        *,
        q: str,
        limit: int | Unset = UNSET,
    ) -> Page[SearchResult]:
        """Search.

        Finds records by an ID, an external subscription or payment ID, a plan's slug, an invoice's number, or an e-mail address or its beginning. Exact matches first, then by label. Only records that the client may read are found.

        - `q`: The text to search for: 3 to 255 characters. Space around it is ignored.
        - `limit`: The maximum number of results.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            SEARCH,
            query={
                "q": q,
                "limit": limit,
            },
        )
        return page(answer.body, SearchResult.read)


class Clients:
    """Calls about clients."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[Client]:
        """List clients.

        Newest first, disabled clients included. No response contains the credential of a trusted client.

        The client needs the scope `clients:write`.

        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_CLIENTS,
            query={
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, Client.read)

    def each(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Client]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Client]:
            return self.list(
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        name: str,
        kind: ClientKind,
        scopes: Sequence[ClientScopes],
        client_id: str | None | Unset = UNSET,
        origins: Sequence[str] | Unset = UNSET,
        cidrs: Sequence[str] | Unset = UNSET,
        expires_at: datetime | None | Unset = UNSET,
    ) -> Client:
        """Create a client.

        `client_id` in the response is the ID to send in the header `client-id`. For a trusted client it is a credential, which is returned only here. You can grant the scopes that you hold, and `auth` and the scopes that end with `:own`. An `Idempotency-Key` is ignored.

        The client needs the scope `clients:write`.

        - `name`: The display name.
        - `kind`: Whether the client can protect a secret.
        - `scopes`: The scopes of the client.
        - `client_id`: Public clients: the client ID. Generated if omitted.
        - `origins`: Public clients: the origins that browsers may call from. Each is scheme://host or scheme://host:port; the port may be *.
        - `cidrs`: Trusted clients: the networks that it may call from. Empty means any. Each is a range in CIDR notation, such as 10.0.0.0/8.
        - `expires_at`: Trusted clients: when the client stops working. RFC 3339 with a UTC offset, between 1970 and 9999.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_CLIENT,
            body={
                "name": name,
                "kind": kind,
                "scopes": scopes,
                "client_id": client_id,
                "origins": origins,
                "cidrs": cidrs,
                "expires_at": expires_at,
            },
        )
        return Client.read(answer.body["data"])

    def get(self, id: str) -> Client:
        """Read a client.

        `client_id` is null for a trusted client.

        The client needs the scope `clients:write`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_CLIENT,
            path={"id": id},
        )
        return Client.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> Client | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_CLIENT,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else Client.read(answer.body["data"], answer.etag)

    def update(
        self,
        id: str,
        *,
        name: str | Unset = UNSET,
        scopes: Sequence[ClientScopes] | Unset = UNSET,
        origins: Sequence[str] | Unset = UNSET,
        cidrs: Sequence[str] | Unset = UNSET,
        expires_at: datetime | None | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Client:
        """Update a client.

        Updates the fields that are sent; omitted fields do not change. The change takes effect within 5 seconds, also on the client that makes it. `is_active: false` disables the client for good.

        The client needs the scope `clients:write`.

        - `name`: The display name.
        - `scopes`: The scopes of the client. They replace the stored ones.
        - `origins`: Public clients: the origins that browsers may call from. Each is scheme://host or scheme://host:port; the port may be *.
        - `cidrs`: Trusted clients: the networks that it may call from. Empty means any. Each is a range in CIDR notation, such as 10.0.0.0/8.
        - `expires_at`: Trusted clients: when the client stops working. RFC 3339 with a UTC offset, between 1970 and 9999.
        - `is_active`: `false` disables the client for good.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_CLIENT,
            path={"id": id},
            headers={"if-match": if_match},
            body={
                "name": name,
                "scopes": scopes,
                "origins": origins,
                "cidrs": cidrs,
                "expires_at": expires_at,
                "is_active": is_active,
            },
        )
        return Client.read(answer.body["data"], answer.etag)


class Organizations:
    """Calls about organizations."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self) -> Organization:
        """Read the organization.

        Returns the organization that the client belongs to.

        The client needs the scope `organization:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            READ_ORGANIZATION,
        )
        return Organization.read(answer.body["data"], answer.etag)

    def get_if_changed(self, etag: str) -> Organization | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_ORGANIZATION,
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else Organization.read(answer.body["data"], answer.etag)

    def update(
        self,
        *,
        dry_run: bool | Unset = UNSET,
        max_sessions: int | None | Unset = UNSET,
        billing: Mapping[str, Any] | Unset = UNSET,
        portal: Mapping[str, Any] | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Organization:
        """Update the organization.

        Updates the fields that are sent; omitted fields do not change. A null clears an optional field.

        The client needs the scope `organization:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `max_sessions`: The number of sessions that a user should have at most. The list of sessions reports when there are more.
        - `billing`: How subscriptions are billed. An update replaces the members that are sent.
        - `portal`: The settings of the customer portal, merged by member.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 412.
        """
        answer = self._caller.call(
            UPDATE_ORGANIZATION,
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
            body={
                "max_sessions": max_sessions,
                "billing": billing,
                "portal": portal,
            },
        )
        return Organization.read(answer.body["data"], answer.etag)


class TestClocks:
    """Calls about test clocks."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self) -> TestClock:
        """Read the test clock.

        An advance has ended when the status is not `advancing`.

        The client needs the scope `organization:read`.

        Raises `Problem` with one of 404, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            READ_TEST_CLOCK,
        )
        return TestClock.read(answer.body["data"])

    def update(
        self,
        *,
        now: datetime | Unset = UNSET,
        mode: TestClockUpdateMode | Unset = UNSET,
    ) -> TestClock:
        """Advance the test clock.

        The clock moves forward only, by at most ten years. It moves from one due instant to the next, and the work of each is done there. With `mode: jump` it moves at once, as after an outage.

        The client needs the scope `organization:write`.

        - `now`: The time that the clock will show, at most ten years later. RFC 3339 with a UTC offset, between 1970 and 9999.
        - `mode`: How the clock moves. Defaults to `advance`.

        Raises `Problem` with one of 404, 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            UPDATE_TEST_CLOCK,
            body={
                "now": now,
                "mode": mode,
            },
        )
        return TestClock.read(answer.body["data"])

    def create(
        self,
        *,
        now: datetime,
    ) -> TestClock:
        """Create the test clock.

        From now on the clock is the time of the organization's plans, subscriptions, payments, invoices, credits, coupons, meters and usage. Only a test organization can have a clock, and only one.

        The client needs the scope `organization:write`.

        - `now`: The time that the clock shows. No record may be newer. RFC 3339 with a UTC offset, between 1970 and 9999.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_TEST_CLOCK,
            body={"now": now},
        )
        return TestClock.read(answer.body["data"])

    def delete(self) -> TestClock:
        """Delete the test clock.

        Removes the clock with all records of the organization that it governs, such as plans, subscriptions, payments and invoices, and their events. Users and clients stay. The status is `deleting` until then; afterwards there is no clock.

        The client needs the scope `organization:write`.

        Raises `Problem` with one of 404, 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            DELETE_TEST_CLOCK,
        )
        return TestClock.read(answer.body["data"])


class Operators:
    """Calls about operators."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[Operator]:
        """List operators.

        Returns the organization's operators, newest first.

        The client needs the scope `clients:write`.

        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_OPERATORS,
            query={
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, Operator.read)

    def each(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Operator]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Operator]:
            return self.list(
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        name: str,
        role: OperatorRole,
        idempotency_key: str | Unset = UNSET,
    ) -> Operator:
        """Create an operator.

        The role is a set of scopes; you must hold all of them. With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `clients:write`.

        - `name`: The name, unique in the organization.
        - `role`: The role: a set of scopes.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_OPERATOR,
            headers={"idempotency-key": idempotency_key},
            body={
                "name": name,
                "role": role,
            },
        )
        return Operator.read(answer.body["data"], answer.etag)

    def get(self, id: str) -> Operator:
        """Read an operator.

        The client needs the scope `clients:write`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_OPERATOR,
            path={"id": id},
        )
        return Operator.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> Operator | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_OPERATOR,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else Operator.read(answer.body["data"], answer.etag)

    def update(
        self,
        id: str,
        *,
        name: str | Unset = UNSET,
        role: OperatorRole | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Operator:
        """Update an operator.

        Updates the fields that are sent. A new role takes effect at once on every server. `is_active: false` ends all sessions. An operator can neither disable itself nor change its own role.

        The client needs the scope `clients:write`.

        - `name`: The name, unique in the organization.
        - `role`: The role: a set of scopes.
        - `is_active`: Whether the operator may sign in. `false` ends all sessions.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_OPERATOR,
            path={"id": id},
            headers={"if-match": if_match},
            body={
                "name": name,
                "role": role,
                "is_active": is_active,
            },
        )
        return Operator.read(answer.body["data"], answer.etag)

    def delete(
        self,
        id: str,
        *,
        if_match: str | None | Unset = UNSET,
    ) -> Operator:
        """Delete an operator.

        Ends all sessions and returns the deleted operator. Its name can be used again. An operator cannot delete itself.

        The client needs the scope `clients:write`.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404, 412.
        """
        answer = self._caller.call(
            DELETE_OPERATOR,
            path={"id": id},
            headers={"if-match": if_match},
        )
        return Operator.read(answer.body["data"], answer.etag)

    def list_sessions(self, id: str) -> Page[OperatorSessionRecord]:
        """List an operator's sessions.

        Returns the active sessions, newest first, at most 100.

        The client needs the scope `clients:write`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            LIST_OPERATOR_SESSIONS,
            path={"id": id},
        )
        return page(answer.body, OperatorSessionRecord.read)

    def end_session(self, id: str, session_id: str) -> OperatorSessionRecord:
        """End an operator's session.

        Ends the session at once on every server and returns it. A session that is not active is not found.

        The client needs the scope `clients:write`.

        Raises `Problem` with one of 409, 503, 400, 401, 403, 421, 408, 413, 414, 431, 500, 404.
        """
        answer = self._caller.call(
            END_OPERATOR_SESSION,
            path={
                "id": id,
                "session_id": session_id,
            },
        )
        return OperatorSessionRecord.read(answer.body["data"])

    def create_link(self, id: str) -> OperatorLink:
        """Create a one-time link.

        The link signs the operator in once, within ten minutes. You must hold all scopes of the operator's role. An operator has at most ten unused links.

        The client needs the scope `clients:write`.

        Raises `Problem` with one of 409, 503, 400, 401, 403, 421, 408, 413, 414, 431, 500, 404.
        """
        answer = self._caller.call(
            CREATE_OPERATOR_LINK,
            path={"id": id},
        )
        return OperatorLink.read(answer.body["data"])


class Feed:
    """Calls about feed."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        type: str | Unset = UNSET,
        record_id: str | Unset = UNSET,
        client_id: str | Unset = UNSET,
        operator_id: str | Unset = UNSET,
        start: str | Unset = UNSET,
        wait: int | Unset = UNSET,
        sort: Literal["-sequence"] | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[Event]:
        """Read the feed of events.

        Oldest first, in the order in which the changes were committed. `next_cursor` is never null: store it after every page, including empty ones. `has_more` is true if the page stopped before the end of the feed; under a rare filter a page can be empty and have more.

        The client needs the scope `events:read`.

        - `type`: Types of events, separated by commas: `payment.created`, `subscription.*`, or `*`.
        - `record_id`: Events of this record.
        - `client_id`: Events that this client caused.
        - `operator_id`: Events that this operator caused.
        - `start`: Where to begin without a cursor: `oldest`, `newest`, or a time, which means the first event that entered the feed at or after it.
        - `wait`: Seconds to wait for the next event if the page would be empty at the end of the feed.
        - `sort`: `-sequence` returns the newest events first. `next_cursor` is then null at the end, and works only with this order. It cannot be combined with `start` or `wait`.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 410, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_EVENTS,
            query={
                "type": type,
                "record_id": record_id,
                "client_id": client_id,
                "operator_id": operator_id,
                "start": start,
                "wait": wait,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, Event.read)

    def each(
        self,
        *,
        type: str | Unset = UNSET,
        record_id: str | Unset = UNSET,
        client_id: str | Unset = UNSET,
        operator_id: str | Unset = UNSET,
        start: str | Unset = UNSET,
        wait: int | Unset = UNSET,
        sort: Literal["-sequence"] | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Event]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Event]:
            return self.list(
                type=type,
                record_id=record_id,
                client_id=client_id,
                operator_id=operator_id,
                start=start,
                wait=wait,
                sort=sort,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def get(self, id: str) -> Event:
        """Read an event.

        A pruned event, and one that has no position in the feed yet, does not exist.

        The client needs the scope `events:read`.

        Raises `Problem` with one of 404, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            READ_EVENT,
            path={"id": id},
        )
        return Event.read(answer.body["data"])


class WebhookEndpoints:
    """Calls about webhook endpoints."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[WebhookEndpoint]:
        """List webhook endpoints.

        Newest first.

        The client needs the scope `webhooks:write`.

        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_WEBHOOK_ENDPOINTS,
            query={
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, WebhookEndpoint.read)

    def each(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[WebhookEndpoint]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[WebhookEndpoint]:
            return self.list(
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        url: str,
        signature: WebhookEndpointSignature | Unset = UNSET,
        description: str | Unset = UNSET,
        types: Sequence[str] | Unset = UNSET,
        payload: WebhookEndpointPayload | Unset = UNSET,
        is_active: bool | Unset = UNSET,
    ) -> WebhookEndpointWithSecret:
        """Create a webhook endpoint.

        Sends the events that are committed from now on. `secret` verifies the signatures and is returned only here; it is null for `ed25519`, where `public_keys` verify them. An organization has at most 50 endpoints. An `Idempotency-Key` is ignored.

        The client needs the scope `webhooks:write`.

        - `signature`: How requests are signed. It cannot change. `hmac` if omitted.
        - `url`: Where events are sent: an https URL of a public host.
        - `description`: What the endpoint is for. Empty if omitted.
        - `types`: The event types to send. All if omitted. Each is an event type (`payment.created`), all types of a record (`payment.*`), or `*`.
        - `payload`: `full`, or `thin`: `data` holds only the ID. `full` if omitted.
        - `is_active`: Whether events are sent. `true` if omitted.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_WEBHOOK_ENDPOINT,
            body={
                "signature": signature,
                "url": url,
                "description": description,
                "types": types,
                "payload": payload,
                "is_active": is_active,
            },
        )
        return WebhookEndpointWithSecret.read(answer.body["data"])

    def get(self, id: str) -> WebhookEndpoint:
        """Read a webhook endpoint.

        The client needs the scope `webhooks:write`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_WEBHOOK_ENDPOINT,
            path={"id": id},
        )
        return WebhookEndpoint.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> WebhookEndpoint | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_WEBHOOK_ENDPOINT,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else WebhookEndpoint.read(answer.body["data"], answer.etag)

    def update(
        self,
        id: str,
        *,
        url: str | Unset = UNSET,
        description: str | Unset = UNSET,
        types: Sequence[str] | Unset = UNSET,
        payload: WebhookEndpointPayload | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> WebhookEndpoint:
        """Update a webhook endpoint.

        Updates the fields that are sent; omitted fields do not change. A new `url` and `is_active: true` close the circuit of a failing endpoint and send at once. An endpoint that is enabled again continues where it stopped.

        The client needs the scope `webhooks:write`.

        - `url`: Where events are sent: an https URL of a public host.
        - `description`: What the endpoint is for. Empty if omitted.
        - `types`: The event types to send. All if omitted. Each is an event type (`payment.created`), all types of a record (`payment.*`), or `*`.
        - `payload`: `full`, or `thin`: `data` holds only the ID. `full` if omitted.
        - `is_active`: Whether events are sent. `true` if omitted.

        Raises `Problem` with one of 403, 409, 400, 401, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_WEBHOOK_ENDPOINT,
            path={"id": id},
            headers={"if-match": if_match},
            body={
                "url": url,
                "description": description,
                "types": types,
                "payload": payload,
                "is_active": is_active,
            },
        )
        return WebhookEndpoint.read(answer.body["data"], answer.etag)

    def delete(
        self,
        id: str,
        *,
        if_match: str | None | Unset = UNSET,
    ) -> WebhookEndpoint:
        """Delete a webhook endpoint.

        Stops the delivery, erases the secrets and returns the deleted endpoint.

        The client needs the scope `webhooks:write`.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404, 412.
        """
        answer = self._caller.call(
            DELETE_WEBHOOK_ENDPOINT,
            path={"id": id},
            headers={"if-match": if_match},
        )
        return WebhookEndpoint.read(answer.body["data"], answer.etag)

    def rotate_secret(
        self,
        id: str,
        *,
        overlap_seconds: int | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> WebhookEndpointWithSecret:
        """Rotate the secret of a webhook endpoint.

        Old secrets continue to sign until the overlap ends; 0 ends all of them at once. At most three secrets are valid at the same time. `secret` is returned only here.

        The client needs the scope `webhooks:write`.

        - `overlap_seconds`: How long the old secrets continue to sign. 86,400 if omitted.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            ROTATE_WEBHOOK_SECRET,
            path={"id": id},
            headers={"if-match": if_match},
            body={"overlap_seconds": overlap_seconds},
        )
        return WebhookEndpointWithSecret.read(answer.body["data"], answer.etag)

    def ping(
        self,
        id: str,
        *,
        type: str | Unset = UNSET,
    ) -> WebhookAttempt:
        """Send a sample to a webhook endpoint.

        Sends one sample with `test: true` now, also while the endpoint is disabled, and returns the attempt, whatever its outcome.

        The client needs the scope `webhooks:write`.

        - `type`: The type of the sample: an event type, or `webhook.ping`, which is the default.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404.
        """
        answer = self._caller.call(
            PING_WEBHOOK_ENDPOINT,
            path={"id": id},
            body={"type": type},
        )
        return WebhookAttempt.read(answer.body["data"])

    def retry(
        self,
        id: str,
        *,
        event_id: str | Unset = UNSET,
        since: datetime | Unset = UNSET,
        until: datetime | Unset = UNSET,
    ) -> QueuedEvents:
        """Send events again.

        Either one event, even if it was delivered, or all undelivered events that entered the feed from `since` to before `until`. Closes the circuit.

        The client needs the scope `webhooks:write`.

        - `event_id`: One event, even if it was delivered.
        - `since`: All undelivered events that entered the feed at or after this time. RFC 3339 with a UTC offset, between 1970 and 9999.
        - `until`: With `since`: and before this time. RFC 3339 with a UTC offset, between 1970 and 9999.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404.
        """
        answer = self._caller.call(
            RETRY_WEBHOOK_EVENTS,
            path={"id": id},
            body={
                "event_id": event_id,
                "since": since,
                "until": until,
            },
        )
        return QueuedEvents.read(answer.body["data"])

    def seek(
        self,
        id: str,
        *,
        to: str,
        if_match: str | None | Unset = UNSET,
    ) -> WebhookEndpoint:
        """Continue at another position of the feed.

        Moves the endpoint to `oldest`, `newest`, or the first event that entered the feed at or after a time. Drops waiting retries and closes the circuit.

        The client needs the scope `webhooks:write`.

        - `to`: `oldest`, `newest`, or a time.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            SEEK_WEBHOOK_ENDPOINT,
            path={"id": id},
            headers={"if-match": if_match},
            body={"to": to},
        )
        return WebhookEndpoint.read(answer.body["data"], answer.etag)

    def list_attempts(
        self,
        id: str,
        *,
        event_id: str | Unset = UNSET,
        outcome: WebhookAttemptOutcome | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[WebhookAttempt]:
        """List attempts to deliver events.

        Newest first.

        The client needs the scope `webhooks:write`.

        - `event_id`: Attempts for this event.
        - `outcome`: Attempts with this outcome.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            LIST_WEBHOOK_ATTEMPTS,
            path={"id": id},
            query={
                "event_id": event_id,
                "outcome": outcome,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, WebhookAttempt.read)

    def each_attempts(
        self,
        id: str,
        *,
        event_id: str | Unset = UNSET,
        outcome: WebhookAttemptOutcome | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[WebhookAttempt]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[WebhookAttempt]:
            return self.list_attempts(
                id=id,
                event_id=event_id,
                outcome=outcome,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def list_undelivered(
        self,
        id: str,
        *,
        state: UndeliveredEventState | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[UndeliveredEvent]:
        """List undelivered events.

        Events that were attempted, or that wait behind such an event of their record. Oldest first.

        The client needs the scope `webhooks:write`.

        - `state`: Events in this state.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            LIST_WEBHOOK_UNDELIVERED,
            path={"id": id},
            query={
                "state": state,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, UndeliveredEvent.read)

    def each_undelivered(
        self,
        id: str,
        *,
        state: UndeliveredEventState | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[UndeliveredEvent]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[UndeliveredEvent]:
            return self.list_undelivered(
                id=id,
                state=state,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)


class Analytics:
    """Calls about analytics."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def revenue(
        self,
        *,
        currency: str | Unset = UNSET,
        interval: RevenuePeriodInterval | Unset = UNSET,
        from_: str | Unset = UNSET,
        to: str | Unset = UNSET,
    ) -> Figures[RevenuePeriod]:
        """Read revenue by period.

        Monthly recurring revenue (MRR), its movements and rates, oldest period first. Each amount is exact and rounded once. Rates are fractions: 0.25 is 25 %. The last five fields are null for days.

        The client needs the scope `analytics:read`.

        - `currency`: The currency, by default that of the organization. Currencies are never added.
        - `interval`: The length of a period.
        - `from_`: The first period: a day or a month. By default 11 months before the last one, or 29 days.
        - `to`: The last period: a day or a month. At most, and by default, the current one.

        Raises `Problem` with one of 404, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            READ_REVENUE,
            query={
                "currency": currency,
                "interval": interval,
                "from": from_,
                "to": to,
            },
        )
        return figures(answer.body, RevenuePeriod.read)

    def list_movements(
        self,
        *,
        currency: str | Unset = UNSET,
        from_: str | Unset = UNSET,
        to: str | Unset = UNSET,
        kind: MovementKind | Unset = UNSET,
        user_id: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> MovementPage:
        """List movements of customers.

        Changes of the MRR of customers from one day to the next. Newest day first, then by user ID.

        The client needs the scope `analytics:read`.

        - `currency`: The currency, by default that of the organization. Currencies are never added.
        - `from_`: The first period: a day or a month. By default 11 months before the last one, or 29 days.
        - `to`: The last period: a day or a month. At most, and by default, the current one.
        - `kind`: Movements of this kind.
        - `user_id`: Movements of this user.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 404, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_MOVEMENTS,
            query={
                "currency": currency,
                "from": from_,
                "to": to,
                "kind": kind,
                "user_id": user_id,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return MovementPage(*parts(answer.body, Movement.read), AnalyticsMeta.read(answer.body["meta"]))

    def each_movements(
        self,
        *,
        currency: str | Unset = UNSET,
        from_: str | Unset = UNSET,
        to: str | Unset = UNSET,
        kind: MovementKind | Unset = UNSET,
        user_id: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Movement]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Movement]:
            return self.list_movements(
                currency=currency,
                from_=from_,
                to=to,
                kind=kind,
                user_id=user_id,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def cohorts(
        self,
        *,
        currency: str | Unset = UNSET,
        from_: str | Unset = UNSET,
        to: str | Unset = UNSET,
    ) -> Figures[Cohort]:
        """Read cohorts.

        Customers by the month in which they were new: how many of them, and how much of their MRR, remain at the close of each later month. `from` and `to` are months of cohorts.

        The client needs the scope `analytics:read`.

        - `currency`: The currency, by default that of the organization. Currencies are never added.
        - `from_`: The first period: a day or a month. By default 11 months before the last one, or 29 days.
        - `to`: The last period: a day or a month. At most, and by default, the current one.

        Raises `Problem` with one of 404, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            READ_COHORTS,
            query={
                "currency": currency,
                "from": from_,
                "to": to,
            },
        )
        return figures(answer.body, Cohort.read)

    def trials(
        self,
        *,
        from_: str | Unset = UNSET,
        to: str | Unset = UNSET,
    ) -> Figures[TrialPeriod]:
        """Read trials by month.

        Trials by the month in which they began, and what became of them. All currencies together.

        The client needs the scope `analytics:read`.

        - `from_`: The first period: a day or a month. By default 11 months before the last one, or 29 days.
        - `to`: The last period: a day or a month. At most, and by default, the current one.

        Raises `Problem` with one of 404, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            READ_TRIALS,
            query={
                "from": from_,
                "to": to,
            },
        )
        return figures(answer.body, TrialPeriod.read)

    def payments(
        self,
        *,
        currency: str | Unset = UNSET,
        interval: RevenuePeriodInterval | Unset = UNSET,
        from_: str | Unset = UNSET,
        to: str | Unset = UNSET,
    ) -> Figures[PaymentPeriod]:
        """Read payments by period.

        Payments by their status now: collected and refunded ones by their date, failed ones by their creation.

        The client needs the scope `analytics:read`.

        - `currency`: The currency, by default that of the organization. Currencies are never added.
        - `interval`: The length of a period.
        - `from_`: The first period: a day or a month. By default 11 months before the last one, or 29 days.
        - `to`: The last period: a day or a month. At most, and by default, the current one.

        Raises `Problem` with one of 404, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            READ_PAYMENT_FIGURES,
            query={
                "currency": currency,
                "interval": interval,
                "from": from_,
                "to": to,
            },
        )
        return figures(answer.body, PaymentPeriod.read)

    def plans(
        self,
        *,
        currency: str | Unset = UNSET,
        date: str | Unset = UNSET,
    ) -> Figures[PlanFigures]:
        """Read revenue by plan.

        The plans with revenue at the close of a day. Highest MRR first, then by slug.

        The client needs the scope `analytics:read`.

        - `currency`: The currency, by default that of the organization. Currencies are never added.
        - `date`: The day. At most, and by default, today.

        Raises `Problem` with one of 404, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            READ_PLAN_FIGURES,
            query={
                "currency": currency,
                "date": date,
            },
        )
        return figures(answer.body, PlanFigures.read)


class TaxRates:
    """Calls about tax rates."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[TaxRate]:
        """List tax rates.

        Newest first.

        The client needs the scope `plans:read`.

        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_TAX_RATES,
            query={
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, TaxRate.read)

    def each(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[TaxRate]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[TaxRate]:
            return self.list(
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        name: str,
        percentage: Decimal | int,
        dry_run: bool | Unset = UNSET,
        country: str | None | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> TaxRate:
        """Create a tax rate.

        With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `plans:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `name`: The name that documents print.
        - `percentage`: The percentage, with at most 4 decimals.
        - `country`: The country whose tax it is. An ISO 3166 alpha-2 code; upper or lower case.
        - `is_active`: Whether the tax rate can be referenced. True by default.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 409.
        """
        answer = self._caller.call(
            CREATE_TAX_RATE,
            query={"dry_run": dry_run},
            headers={"idempotency-key": idempotency_key},
            body={
                "name": name,
                "percentage": percentage,
                "country": country,
                "is_active": is_active,
            },
        )
        return TaxRate.read(answer.body["data"], answer.etag)

    def get(self, id: str) -> TaxRate:
        """Read a tax rate.

        The client needs the scope `plans:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_TAX_RATE,
            path={"id": id},
        )
        return TaxRate.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> TaxRate | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_TAX_RATE,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else TaxRate.read(answer.body["data"], answer.etag)

    def update(
        self,
        id: str,
        *,
        dry_run: bool | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> TaxRate:
        """Update a tax rate.

        Only `is_active` can change. An inactive rate cannot be referenced again; existing references continue.

        The client needs the scope `plans:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `is_active`: Whether the tax rate can be referenced. True by default.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_TAX_RATE,
            path={"id": id},
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
            body={"is_active": is_active},
        )
        return TaxRate.read(answer.body["data"], answer.etag)


class Coupons:
    """Calls about coupons."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[Coupon]:
        """List coupons.

        Newest first.

        The client needs the scope `plans:read`.

        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_COUPONS,
            query={
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, Coupon.read)

    def each(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Coupon]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Coupon]:
            return self.list(
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        code: str,
        duration: CouponDuration,
        dry_run: bool | Unset = UNSET,
        percent: Decimal | int | None | Unset = UNSET,
        amount: Decimal | int | None | Unset = UNSET,
        currency: str | None | Unset = UNSET,
        periods: int | None | Unset = UNSET,
        plan_ids: Sequence[str] | Unset = UNSET,
        redeem_by: datetime | None | Unset = UNSET,
        max_redemptions: int | None | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Coupon:
        """Create a coupon.

        Send `percent`, or `amount` and `currency`. With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `plans:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `code`: The code, unique in the organization in upper or lower case.
        - `percent`: The percentage that is taken off, with at most 2 decimals.
        - `amount`: The amount that is taken off each period.
        - `currency`: The currency of the amount. An ISO 4217 code of a currency with minor units; upper or lower case.
        - `duration`: How long the coupon discounts.
        - `periods`: The number of periods, with the duration `repeating` only.
        - `plan_ids`: The plans that the coupon discounts. Empty for all.
        - `redeem_by`: The last instant at which it can be redeemed. RFC 3339 with a UTC offset, between 1970 and 9999.
        - `max_redemptions`: How often it can be redeemed.
        - `is_active`: Whether the coupon can be redeemed. True by default.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_COUPON,
            query={"dry_run": dry_run},
            headers={"idempotency-key": idempotency_key},
            body={
                "code": code,
                "percent": percent,
                "amount": amount,
                "currency": currency,
                "duration": duration,
                "periods": periods,
                "plan_ids": plan_ids,
                "redeem_by": redeem_by,
                "max_redemptions": max_redemptions,
                "is_active": is_active,
            },
        )
        return Coupon.read(answer.body["data"], answer.etag)

    def get(self, id: str) -> Coupon:
        """Read a coupon.

        The client needs the scope `plans:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_COUPON,
            path={"id": id},
        )
        return Coupon.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> Coupon | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_COUPON,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else Coupon.read(answer.body["data"], answer.etag)

    def update(
        self,
        id: str,
        *,
        dry_run: bool | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Coupon:
        """Update a coupon.

        Only `is_active` can change. An inactive coupon cannot be redeemed; subscriptions that redeemed it keep their discount.

        The client needs the scope `plans:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `is_active`: Whether the coupon can be redeemed. True by default.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_COUPON,
            path={"id": id},
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
            body={"is_active": is_active},
        )
        return Coupon.read(answer.body["data"], answer.etag)


class Meters:
    """Calls about meters."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[Meter]:
        """List meters.

        Newest first.

        The client needs the scope `plans:read`.

        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_METERS,
            query={
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, Meter.read)

    def each(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Meter]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Meter]:
            return self.list(
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        slug: str,
        aggregation: MeterAggregation,
        name: str,
        dry_run: bool | Unset = UNSET,
        unit: str | None | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Meter:
        """Create a meter.

        With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `plans:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `slug`: The name of the meter in usage events. It cannot be changed.
        - `aggregation`: How events become one quantity. It cannot be changed.
        - `name`: The name shown to customers.
        - `unit`: What the meter counts, such as `call` or `GB`.
        - `is_active`: Whether the meter accepts events. True by default.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_METER,
            query={"dry_run": dry_run},
            headers={"idempotency-key": idempotency_key},
            body={
                "slug": slug,
                "aggregation": aggregation,
                "name": name,
                "unit": unit,
                "is_active": is_active,
            },
        )
        return Meter.read(answer.body["data"], answer.etag)

    def get(self, id: str) -> Meter:
        """Read a meter.

        The client needs the scope `plans:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_METER,
            path={"id": id},
        )
        return Meter.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> Meter | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_METER,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else Meter.read(answer.body["data"], answer.etag)

    def update(
        self,
        id: str,
        *,
        dry_run: bool | Unset = UNSET,
        name: str | Unset = UNSET,
        unit: str | None | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Meter:
        """Update a meter.

        Updates the fields that are sent; omitted fields do not change. The slug and the aggregation cannot be changed. An inactive meter accepts no events. A meter that an active feature uses cannot be deactivated.

        The client needs the scope `plans:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `name`: The name shown to customers.
        - `unit`: What the meter counts, such as `call` or `GB`.
        - `is_active`: Whether the meter accepts events. True by default.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_METER,
            path={"id": id},
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
            body={
                "name": name,
                "unit": unit,
                "is_active": is_active,
            },
        )
        return Meter.read(answer.body["data"], answer.etag)


class Features:
    """Calls about features."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        kind: Kind | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[Feature]:
        """List features.

        Sorted by key.

        The client needs the scope `plans:read`.

        - `kind`: Features of this kind.
        - `is_active`: Only active features, or only inactive ones.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_FEATURES,
            query={
                "kind": kind,
                "is_active": is_active,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, Feature.read)

    def each(
        self,
        *,
        kind: Kind | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Feature]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Feature]:
            return self.list(
                kind=kind,
                is_active=is_active,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        key: str,
        name: str,
        kind: Kind,
        meter: str | None | Unset = UNSET,
        period: FeaturePeriod | None | Unset = UNSET,
        description: str | Unset = UNSET,
        combine: FeatureCombine | Unset = UNSET,
        per_unit: bool | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Feature:
        """Create a feature.

        An organization has at most 500 features. With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `plans:write`.

        - `meter`: The meter of a quota, with the aggregation sum or count. It cannot be changed. The ID or slug of an active meter.
        - `key`: The name of the feature in grants and checks. It cannot be changed.
        - `name`: The name shown to people.
        - `kind`: What kind of values the feature has. It cannot be changed.
        - `period`: The period of a quota; billing by default. It cannot be changed.
        - `description`: A description of the feature.
        - `combine`: How the values of several subscriptions become one. boolean: any. limit: max (default) or sum. quota: sum.
        - `per_unit`: Whether a number is multiplied by the quantity of the subscription. False by default; not for boolean.
        - `is_active`: Whether the feature is granted to users. True by default.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_FEATURE,
            headers={"idempotency-key": idempotency_key},
            body={
                "meter": meter,
                "key": key,
                "name": name,
                "kind": kind,
                "period": period,
                "description": description,
                "combine": combine,
                "per_unit": per_unit,
                "is_active": is_active,
            },
        )
        return Feature.read(answer.body["data"], answer.etag)

    def get(self, key: str) -> Feature:
        """Read a feature.

        By key or ID.

        The client needs the scope `plans:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_FEATURE,
            path={"key": key},
        )
        return Feature.read(answer.body["data"], answer.etag)

    def get_if_changed(self, key: str, etag: str) -> Feature | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_FEATURE,
            path={"key": key},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else Feature.read(answer.body["data"], answer.etag)

    def update(
        self,
        key: str,
        *,
        name: str | Unset = UNSET,
        description: str | Unset = UNSET,
        combine: FeatureCombine | Unset = UNSET,
        per_unit: bool | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Feature:
        """Update a feature.

        Updates the fields that are sent; omitted fields do not change. The key, the kind, the meter and the period cannot be changed. A feature cannot be deleted: an inactive one is no longer granted.

        The client needs the scope `plans:write`.

        - `name`: The name shown to people.
        - `description`: A description of the feature.
        - `combine`: How the values of several subscriptions become one. boolean: any. limit: max (default) or sum. quota: sum.
        - `per_unit`: Whether a number is multiplied by the quantity of the subscription. False by default; not for boolean.
        - `is_active`: Whether the feature is granted to users. True by default.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_FEATURE,
            path={"key": key},
            headers={"if-match": if_match},
            body={
                "name": name,
                "description": description,
                "combine": combine,
                "per_unit": per_unit,
                "is_active": is_active,
            },
        )
        return Feature.read(answer.body["data"], answer.etag)


class Entitlements:
    """Calls about entitlements."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, id: str) -> UserEntitlements:
        """Read the entitlements of a user.

        What the user has now, from the subscriptions with access that the user owns or is a member of: at most 200, newest first, of the newest 1,000; `truncated` is true if there are more. The answer changes at `valid_until` by the clock alone. With a user's token, `me` is the user.

        The client needs the scope `entitlements:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_ENTITLEMENTS,
            path={"id": id},
        )
        return UserEntitlements.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> UserEntitlements | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_ENTITLEMENTS,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else UserEntitlements.read(answer.body["data"], answer.etag)

    def check(
        self,
        id: str,
        feature_key: str,
        *,
        need: int | Unset = UNSET,
    ) -> EntitlementCheck:
        """Check one feature of a user.

        Whether the user may use this much of a feature now, and if not, why. The status is 200 either way.

        The client needs the scope `entitlements:read`.

        - `need`: How much is needed of a limit or quota.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            CHECK_ENTITLEMENT,
            path={
                "id": id,
                "feature_key": feature_key,
            },
            query={"need": need},
        )
        return EntitlementCheck.read(answer.body["data"], answer.etag)

    def check_if_changed(self, id: str, feature_key: str, etag: str, *, need: int | Unset = UNSET) -> EntitlementCheck | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            CHECK_ENTITLEMENT,
            path={
                "id": id,
                "feature_key": feature_key,
            },
            query={"need": need},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else EntitlementCheck.read(answer.body["data"], answer.etag)

    def create_token(
        self,
        id: str,
        *,
        ttl_seconds: int | Unset = UNSET,
    ) -> EntitlementToken:
        """Issue an entitlement token.

        A signed token with the value of each feature, and of a quota its limit, for an application that checks them offline. It expires at the latest when access changes by the clock alone, plus the grace that the operator has set. It cannot be revoked: `ttl_seconds` is how old the values may be. With a user's token, `me` is the user, and the token lives for a day at most.

        The client needs the scope `entitlements:read`.

        - `ttl_seconds`: How long the token lives at most, in seconds. 86,400 if omitted, which is the most with a user's token.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404.
        """
        answer = self._caller.call(
            CREATE_ENTITLEMENT_TOKEN,
            path={"id": id},
            body={"ttl_seconds": ttl_seconds},
        )
        return EntitlementToken.read(answer.body["data"])


class Members:
    """Calls about members."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        id: str,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> MemberPage:
        """List the members of a subscription.

        The members by user, and in `seats` how many there may be. The owner has a seat and is not listed. With a user's token, only the owner can read them.

        The client needs the scope `subscriptions:read`.

        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            LIST_MEMBERS,
            path={"id": id},
            query={
                "limit": limit,
                "cursor": cursor,
            },
        )
        return MemberPage(*parts(answer.body, Member.read), Seats.read(answer.body["seats"]))

    def each(
        self,
        id: str,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Member]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Member]:
            return self.list(
                id=id,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def add(
        self,
        id: str,
        *,
        user_id: str,
        idempotency_key: str | Unset = UNSET,
    ) -> Member:
        """Add a member to a subscription.

        The user gets what the subscription grants, except `seats`. With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `subscriptions:write`.

        - `user_id`: The user who becomes a member.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404.
        """
        answer = self._caller.call(
            ADD_MEMBER,
            path={"id": id},
            headers={"idempotency-key": idempotency_key},
            body={"user_id": user_id},
        )
        return Member.read(answer.body["data"])

    def remove(self, id: str, user_id: str) -> Member:
        """Remove a member from a subscription.

        Returns the member that was removed.

        The client needs the scope `subscriptions:write`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            REMOVE_MEMBER,
            path={
                "id": id,
                "user_id": user_id,
            },
        )
        return Member.read(answer.body["data"])


class Usage:
    """Calls about usage."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def record(
        self,
        *,
        events: Sequence[Mapping[str, Any]],
        mode: RecordUsageEventsMode | Unset = UNSET,
    ) -> RecordedUsage:
        """Record usage events.

        Stores all new events of the call, or none if one of them is invalid. An event that is stored already is a duplicate and counts once, so a call can be repeated. An event with the ID of another one that differs is a conflict. An event that is too late is not stored: one from before the end of the last closed window, one of an external subscription from more than 35 days ago, or one after the end of an expired subscription. With `mode: enforce` all new events are stored or none: the call is rejected if it would exceed a quota of a subscription in the period of an event.

        The client needs the scope `usage:write`.

        - `events`: The events.
        - `mode`: `record` stores every valid event. `enforce` rejects the call if it would exceed a quota.

        Raises `Problem` with one of 409, 503, 400, 401, 403, 421, 408, 413, 414, 431, 500, 415, 422.
        """
        answer = self._caller.call(
            RECORD_USAGE_EVENTS,
            body={
                "events": events,
                "mode": mode,
            },
        )
        return RecordedUsage.read(answer.body["data"])

    def get(
        self,
        id: str,
        *,
        from_: datetime | Unset = UNSET,
        to: datetime | Unset = UNSET,
    ) -> SubscriptionUsage:
        """Read the usage of a subscription.

        Returns the quantity of each active meter, by slug, and of inactive ones that counted something. `from` is included, `to` is not. Both together cover at most 13 months.

        The client needs the scope `subscriptions:read`.

        - `from_`: The first instant. Defaults to `billing.period_start` of the subscription, or to `starts_at` without one; at most 13 months before `to`.
        - `to`: The first instant after the report. Defaults to now, with what was recorded at this instant.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_SUBSCRIPTION_USAGE,
            path={"id": id},
            query={
                "from": from_,
                "to": to,
            },
        )
        return SubscriptionUsage.read(answer.body["data"])


class BillingProfiles:
    """Calls about billing profiles."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, id: str) -> BillingProfile:
        """Read the billing profile of a user.

        Every user has one, empty at first. With a user's token, `me` is the user.

        The client needs the scope `invoices:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_BILLING_PROFILE,
            path={"id": id},
        )
        return BillingProfile.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> BillingProfile | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_BILLING_PROFILE,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else BillingProfile.read(answer.body["data"], answer.etag)

    def update(
        self,
        id: str,
        *,
        dry_run: bool | Unset = UNSET,
        name: str | None | Unset = UNSET,
        email: str | None | Unset = UNSET,
        address: Sequence[str] | Unset = UNSET,
        country: str | None | Unset = UNSET,
        tax_id: str | None | Unset = UNSET,
        tax_exempt: bool | Unset = UNSET,
        tax_rate_ids: Sequence[str] | Unset = UNSET,
        locale: BillingProfileLocale | None | Unset = UNSET,
        note: str | None | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> BillingProfile:
        """Update the billing profile of a user.

        Updates the fields that are sent; omitted fields do not change, and a null clears a field. A tax rate that is named for the first time must be active.

        The client needs the scope `invoices:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `name`: The name of the buyer.
        - `email`: The e-mail address for documents.
        - `address`: The lines of the postal address.
        - `country`: The country of the buyer. An ISO 3166 alpha-2 code; upper or lower case.
        - `tax_id`: The buyer's tax ID.
        - `tax_exempt`: Whether no tax is charged. False by default.
        - `tax_rate_ids`: Tax rates in place of those of the plan. Empty for none.
        - `locale`: The language of documents.
        - `note`: A note that documents print, such as "Reverse charge".

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_BILLING_PROFILE,
            path={"id": id},
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
            body={
                "name": name,
                "email": email,
                "address": address,
                "country": country,
                "tax_id": tax_id,
                "tax_exempt": tax_exempt,
                "tax_rate_ids": tax_rate_ids,
                "locale": locale,
                "note": note,
            },
        )
        return BillingProfile.read(answer.body["data"], answer.etag)


class Credits:
    """Calls about credits."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        id: str,
        *,
        currency: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[Credit]:
        """List the credits of a user.

        The entries of the ledger, newest first. Their sum in a currency is the balance. With a user's token, `me` is the user.

        The client needs the scope `invoices:read`.

        - `currency`: Entries of this currency.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            LIST_CREDITS,
            path={"id": id},
            query={
                "currency": currency,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, Credit.read)

    def each(
        self,
        id: str,
        *,
        currency: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Credit]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Credit]:
            return self.list(
                id=id,
                currency=currency,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        id: str,
        *,
        currency: str,
        amount: Decimal | int,
        dry_run: bool | Unset = UNSET,
        description: str | None | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Credit:
        """Change the balance of a user.

        Adds an entry to the ledger. A negative amount is taken from the balance, which is never negative. With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `invoices:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `currency`: The currency of the balance. An ISO 4217 code of a currency with minor units; upper or lower case.
        - `amount`: The amount that is added to the balance; negative to take it.
        - `description`: Why the balance changes. No personal data: events contain it.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404.
        """
        answer = self._caller.call(
            CREATE_CREDIT,
            path={"id": id},
            query={"dry_run": dry_run},
            headers={"idempotency-key": idempotency_key},
            body={
                "currency": currency,
                "amount": amount,
                "description": description,
            },
        )
        return Credit.read(answer.body["data"])


class Connections:
    """Calls about connections."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[Connection]:
        """List connections to payment providers.

        Newest first. Connections are created with `perennial connection add`.

        The client needs the scope `organization:read`.

        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_CONNECTIONS,
            query={
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, Connection.read)

    def each(
        self,
        *,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Connection]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Connection]:
            return self.list(
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def get(self, id: str) -> Connection:
        """Read a connection to a payment provider.

        `last_received_at` and `last_swept_at` are not part of the ETag.

        The client needs the scope `organization:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_CONNECTION,
            path={"id": id},
        )
        return Connection.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> Connection | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_CONNECTION,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else Connection.read(answer.body["data"], answer.etag)

    def list_inbox(
        self,
        id: str,
        *,
        state: InboxItemState | Unset = UNSET,
        type: str | Unset = UNSET,
        object_id: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[InboxItem]:
        """List received webhooks of a connection.

        Newest first, each with what became of it.

        The client needs the scope `organization:read`.

        - `state`: Webhooks in this state.
        - `type`: Webhooks of this type.
        - `object_id`: Webhooks about the object with this ID at the provider.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            LIST_CONNECTION_INBOX,
            path={"id": id},
            query={
                "state": state,
                "type": type,
                "object_id": object_id,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, InboxItem.read)

    def each_inbox(
        self,
        id: str,
        *,
        state: InboxItemState | Unset = UNSET,
        type: str | Unset = UNSET,
        object_id: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[InboxItem]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[InboxItem]:
            return self.list_inbox(
                id=id,
                state=state,
                type=type,
                object_id=object_id,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)


class Invoices:
    """Calls about invoices."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        user_id: str | Unset = UNSET,
        subscription_id: str | Unset = UNSET,
        number: str | Unset = UNSET,
        status: str | Unset = UNSET,
        kind: InvoiceKind | Unset = UNSET,
        overdue: bool | Unset = UNSET,
        issued_after: datetime | Unset = UNSET,
        issued_before: datetime | Unset = UNSET,
        due_after: datetime | Unset = UNSET,
        due_before: datetime | Unset = UNSET,
        created_after: datetime | Unset = UNSET,
        created_before: datetime | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[Invoice]:
        """List invoices.

        Newest first. A page under a rare filter may be short and still have a next page.

        The client needs the scope `invoices:read`.

        - `user_id`: Invoices of this user.
        - `subscription_id`: Invoices of this subscription.
        - `number`: The invoice with this number.
        - `status`: One status, or several separated by commas.
        - `kind`: Invoices of this kind.
        - `overdue`: Whether they are overdue.
        - `issued_after`: Issued at or after this time.
        - `issued_before`: Issued before this time.
        - `due_after`: Due at or after this time.
        - `due_before`: Due before this time.
        - `created_after`: Created at or after this time.
        - `created_before`: Created before this time.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_INVOICES,
            query={
                "user_id": user_id,
                "subscription_id": subscription_id,
                "number": number,
                "status": status,
                "kind": kind,
                "overdue": overdue,
                "issued_after": issued_after,
                "issued_before": issued_before,
                "due_after": due_after,
                "due_before": due_before,
                "created_after": created_after,
                "created_before": created_before,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, Invoice.read)

    def each(
        self,
        *,
        user_id: str | Unset = UNSET,
        subscription_id: str | Unset = UNSET,
        number: str | Unset = UNSET,
        status: str | Unset = UNSET,
        kind: InvoiceKind | Unset = UNSET,
        overdue: bool | Unset = UNSET,
        issued_after: datetime | Unset = UNSET,
        issued_before: datetime | Unset = UNSET,
        due_after: datetime | Unset = UNSET,
        due_before: datetime | Unset = UNSET,
        created_after: datetime | Unset = UNSET,
        created_before: datetime | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[Invoice]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[Invoice]:
            return self.list(
                user_id=user_id,
                subscription_id=subscription_id,
                number=number,
                status=status,
                kind=kind,
                overdue=overdue,
                issued_after=issued_after,
                issued_before=issued_before,
                due_after=due_after,
                due_before=due_before,
                created_after=created_after,
                created_before=created_before,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        subscription_id: str,
        lines: Sequence[Mapping[str, Any]],
        dry_run: bool | Unset = UNSET,
        memo: str | None | Unset = UNSET,
        payment_terms_days: int | None | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Invoice:
        """Create an invoice.

        Creates a `one_off` draft for a billed subscription. With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `invoices:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `subscription_id`: The billed subscription that the invoice is for.
        - `lines`: What is billed.
        - `memo`: A text for the user.
        - `payment_terms_days`: Days until it is due, with manual collection. Null: the plan's value.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_INVOICE,
            query={"dry_run": dry_run},
            headers={"idempotency-key": idempotency_key},
            body={
                "subscription_id": subscription_id,
                "lines": lines,
                "memo": memo,
                "payment_terms_days": payment_terms_days,
            },
        )
        return Invoice.read(answer.body["data"], answer.etag)

    def get(self, id: str) -> Invoice:
        """Read an invoice.

        The client needs the scope `invoices:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_INVOICE,
            path={"id": id},
        )
        return Invoice.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> Invoice | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_INVOICE,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else Invoice.read(answer.body["data"], answer.etag)

    def update(
        self,
        id: str,
        *,
        dry_run: bool | Unset = UNSET,
        memo: str | None | Unset = UNSET,
        finalizes_at: datetime | None | Unset = UNSET,
        lines: Sequence[Mapping[str, Any]] | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Invoice:
        """Update a draft.

        Changes the memo of a draft; of a `one_off` draft also its lines and `finalizes_at`. An issued invoice is final.

        The client needs the scope `invoices:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `memo`: A text for the user.
        - `finalizes_at`: When the service issues a `one_off` draft. Null: never. RFC 3339 with a UTC offset, between 1970 and 9999.
        - `lines`: What is billed, of a `one_off` draft.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422, 404, 412.
        """
        answer = self._caller.call(
            UPDATE_INVOICE,
            path={"id": id},
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
            body={
                "memo": memo,
                "finalizes_at": finalizes_at,
                "lines": lines,
            },
        )
        return Invoice.read(answer.body["data"], answer.etag)

    def delete(
        self,
        id: str,
        *,
        dry_run: bool | Unset = UNSET,
        if_match: str | None | Unset = UNSET,
    ) -> Invoice:
        """Delete a draft.

        Deletes a `one_off` draft and returns it.

        The client needs the scope `invoices:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404, 412.
        """
        answer = self._caller.call(
            DELETE_INVOICE,
            path={"id": id},
            query={"dry_run": dry_run},
            headers={"if-match": if_match},
        )
        return Invoice.read(answer.body["data"], answer.etag)

    def finalize(
        self,
        id: str,
        *,
        dry_run: bool | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Invoice:
        """Finalize a draft.

        Issues the draft now: it gets its number and becomes final. With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `invoices:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404, 422.
        """
        answer = self._caller.call(
            FINALIZE_INVOICE,
            path={"id": id},
            query={"dry_run": dry_run},
            headers={"idempotency-key": idempotency_key},
        )
        return Invoice.read(answer.body["data"], answer.etag)

    def void(
        self,
        id: str,
        *,
        dry_run: bool | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Invoice:
        """Void an invoice.

        Nothing is due any more. What the balance paid returns to it. With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `invoices:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404, 422.
        """
        answer = self._caller.call(
            VOID_INVOICE,
            path={"id": id},
            query={"dry_run": dry_run},
            headers={"idempotency-key": idempotency_key},
        )
        return Invoice.read(answer.body["data"], answer.etag)

    def mark_uncollectible(
        self,
        id: str,
        *,
        dry_run: bool | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Invoice:
        """Mark an invoice as uncollectible.

        Dunning ends. A payment still settles the invoice. With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `invoices:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404, 422.
        """
        answer = self._caller.call(
            MARK_INVOICE_UNCOLLECTIBLE,
            path={"id": id},
            query={"dry_run": dry_run},
            headers={"idempotency-key": idempotency_key},
        )
        return Invoice.read(answer.body["data"], answer.etag)


class CreditNotes:
    """Calls about credit notes."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(
        self,
        *,
        user_id: str | Unset = UNSET,
        subscription_id: str | Unset = UNSET,
        invoice_id: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Page[CreditNote]:
        """List credit notes.

        Newest first.

        The client needs the scope `invoices:read`.

        - `user_id`: Credit notes of this user.
        - `subscription_id`: Credit notes of this subscription.
        - `invoice_id`: Credit notes of this invoice.
        - `limit`: The maximum number of records on a page.
        - `cursor`: `next_cursor` of the previous page.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503.
        """
        answer = self._caller.call(
            LIST_CREDIT_NOTES,
            query={
                "user_id": user_id,
                "subscription_id": subscription_id,
                "invoice_id": invoice_id,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return page(answer.body, CreditNote.read)

    def each(
        self,
        *,
        user_id: str | Unset = UNSET,
        subscription_id: str | Unset = UNSET,
        invoice_id: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        cursor: str | Unset = UNSET,
    ) -> Iterator[CreditNote]:
        """Every one of them, page after page; `limit` is the size of a page."""

        def fetch(after: str | Unset) -> Page[CreditNote]:
            return self.list(
                user_id=user_id,
                subscription_id=subscription_id,
                invoice_id=invoice_id,
                limit=limit,
                cursor=after,
            )

        return walk(cursor, fetch)

    def create(
        self,
        *,
        invoice_id: str,
        dry_run: bool | Unset = UNSET,
        amount: Decimal | int | Unset = UNSET,
        lines: Sequence[Mapping[str, Any]] | Unset = UNSET,
        reason: str | None | Unset = UNSET,
        settlement: CreditNoteSettlement | Unset = UNSET,
        refund_reference: str | None | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> CreditNote:
        """Create a credit note.

        Credits an invoice that is open, uncollectible or paid. Send `amount` or `lines`. The note first reduces what is due; the rest goes to the balance, or is refunded by you. With an `Idempotency-Key`, a retry returns the response of the first request.

        The client needs the scope `invoices:write`.

        - `dry_run`: Decide and return the result with status 200, but write nothing. IDs in the result refer to nothing.
        - `invoice_id`: The invoice that is credited.
        - `amount`: The amount before exclusive tax and with inclusive tax. It is spread over the tax rates of the invoice.
        - `lines`: Amounts of lines, in place of `amount`.
        - `reason`: Why the invoice is credited. The document prints it.
        - `settlement`: Where the rest goes that reduces no amount due: `balance` (default), or `refund` by you.
        - `refund_reference`: Your reference of the refund.

        Raises `Problem` with one of 409, 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 415, 422.
        """
        answer = self._caller.call(
            CREATE_CREDIT_NOTE,
            query={"dry_run": dry_run},
            headers={"idempotency-key": idempotency_key},
            body={
                "invoice_id": invoice_id,
                "amount": amount,
                "lines": lines,
                "reason": reason,
                "settlement": settlement,
                "refund_reference": refund_reference,
            },
        )
        return CreditNote.read(answer.body["data"], answer.etag)

    def get(self, id: str) -> CreditNote:
        """Read a credit note.

        The client needs the scope `invoices:read`.

        Raises `Problem` with one of 400, 401, 403, 421, 408, 413, 414, 431, 500, 503, 404.
        """
        answer = self._caller.call(
            READ_CREDIT_NOTE,
            path={"id": id},
        )
        return CreditNote.read(answer.body["data"], answer.etag)

    def get_if_changed(self, id: str, etag: str) -> CreditNote | None:
        """The same, or `None` if the record still has this `etag`."""
        answer = self._caller.call(
            READ_CREDIT_NOTE,
            path={"id": id},
            headers={"if-none-match": etag},
        )
        return None if answer.not_modified else CreditNote.read(answer.body["data"], answer.etag)


class Resources:
    """Everything that can be called."""

    def __init__(self, caller: Caller) -> None:
        self.auth = Auth(caller)
        self.sessions = Sessions(caller)
        self.account = Account(caller)
        self.plans = Plans(caller)
        self.plan_versions = PlanVersions(caller)
        self.subscriptions = Subscriptions(caller)
        self.payments = Payments(caller)
        self.users = Users(caller)
        self.user_sessions = UserSessions(caller)
        self.search = Search(caller)
        self.clients = Clients(caller)
        self.organizations = Organizations(caller)
        self.test_clocks = TestClocks(caller)
        self.operators = Operators(caller)
        self.feed = Feed(caller)
        self.webhook_endpoints = WebhookEndpoints(caller)
        self.analytics = Analytics(caller)
        self.tax_rates = TaxRates(caller)
        self.coupons = Coupons(caller)
        self.meters = Meters(caller)
        self.features = Features(caller)
        self.entitlements = Entitlements(caller)
        self.members = Members(caller)
        self.usage = Usage(caller)
        self.billing_profiles = BillingProfiles(caller)
        self.credits = Credits(caller)
        self.connections = Connections(caller)
        self.invoices = Invoices(caller)
        self.credit_notes = CreditNotes(caller)
