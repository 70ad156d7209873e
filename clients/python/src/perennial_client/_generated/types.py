"""The records of the API, and the words they are written with. Written from `openapi.json` by `cargo xtask clients`; do not edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from .._wire import instant, money, optional

__all__ = [
    "BillingCycle",
    "Client",
    "ClientKind",
    "ClientScopes",
    "Deleted",
    "DeletedUser",
    "Event",
    "EventType",
    "LoggedIn",
    "ManagedUser",
    "Method",
    "Operator",
    "OperatorConnection",
    "OperatorLink",
    "OperatorRole",
    "OperatorSession",
    "OperatorSessionOrganization",
    "OperatorSessionOrganizationPortal",
    "OperatorSessionRecord",
    "OperatorSignedOut",
    "Organization",
    "OrganizationPortal",
    "OrganizationPortalCancel",
    "OrganizationPortalChange",
    "Payment",
    "PaymentSort",
    "PaymentStatus",
    "Plan",
    "PlanSort",
    "PlanVersion",
    "PortalLink",
    "ProblemCode",
    "QueuedEvents",
    "Revoked",
    "SearchResult",
    "SearchResultKind",
    "SearchResultMatch",
    "Session",
    "Subscription",
    "SubscriptionSort",
    "SubscriptionStatus",
    "TokenList",
    "Tokens",
    "UndeliveredEvent",
    "UndeliveredEventState",
    "User",
    "UserSession",
    "WebhookAttempt",
    "WebhookAttemptError",
    "WebhookAttemptOutcome",
    "WebhookAttemptTrigger",
    "WebhookEndpoint",
    "WebhookEndpointDisabledReason",
    "WebhookEndpointPayload",
    "WebhookEndpointSignature",
    "WebhookEndpointState",
    "WebhookEndpointWithSecret",
]

BillingCycle: TypeAlias = Literal[
    "daily",
    "weekly",
    "biweekly",
    "monthly",
    "quarterly",
    "semiannual",
    "yearly",
    "biennial",
    "lifetime",
]

SubscriptionStatus: TypeAlias = Literal[
    "pending",
    "incomplete",
    "on_trial",
    "active",
    "past_due",
    "unpaid",
    "paused",
    "cancelled",
    "expired",
]

PaymentStatus: TypeAlias = Literal[
    "pending",
    "processing",
    "completed",
    "failed",
    "partially_refunded",
    "refunded",
    "disputed",
    "void",
]

SearchResultKind: TypeAlias = Literal[
    "user",
    "plan",
    "subscription",
    "payment",
]

SearchResultMatch: TypeAlias = Literal[
    "exact",
    "prefix",
]

ClientKind: TypeAlias = Literal[
    "public",
    "trusted",
]

OperatorRole: TypeAlias = Literal[
    "viewer",
    "support",
    "admin",
]

Method: TypeAlias = Literal[
    "link",
    "oidc",
]

EventType: TypeAlias = Literal[
    "organization.created",
    "organization.updated",
    "organization.deleted",
    "organization.keys_rotated",
    "client.created",
    "client.updated",
    "provider.created",
    "provider.deleted",
    "user.created",
    "user.updated",
    "user.deleted",
    "user.blocked",
    "user.unblocked",
    "user.relinked",
    "user.portal_link_created",
    "session.created",
    "session.revoked",
    "plan.created",
    "plan.updated",
    "plan.deleted",
    "subscription.created",
    "subscription.updated",
    "subscription.deleted",
    "subscription.access_changed",
    "payment.created",
    "payment.updated",
    "payment.deleted",
    "operator.created",
    "operator.updated",
    "operator.deleted",
    "operator.link_created",
    "operator_session.created",
    "operator_session.ended",
    "webhook_endpoint.created",
    "webhook_endpoint.updated",
    "webhook_endpoint.deleted",
    "webhook_endpoint.failing",
    "webhook_endpoint.recovered",
    "webhook_endpoint.disabled",
]

WebhookEndpointPayload: TypeAlias = Literal[
    "full",
    "thin",
]

WebhookEndpointSignature: TypeAlias = Literal[
    "hmac",
    "ed25519",
]

WebhookEndpointState: TypeAlias = Literal[
    "active",
    "failing",
    "disabled",
]

WebhookEndpointDisabledReason: TypeAlias = Literal[
    "manual",
    "gone",
    "failing",
    "copied",
]

WebhookAttemptTrigger: TypeAlias = Literal[
    "event",
    "retry",
    "resend",
    "probe",
    "ping",
]

WebhookAttemptOutcome: TypeAlias = Literal[
    "succeeded",
    "failed",
]

WebhookAttemptError: TypeAlias = Literal[
    "status",
    "redirect",
    "timeout",
    "connect_failed",
    "tls_failed",
    "dns_failed",
    "address_not_allowed",
    "protocol_error",
]

UndeliveredEventState: TypeAlias = Literal[
    "waiting",
    "given_up",
]

ProblemCode: TypeAlias = Literal[
    "address_not_allowed",
    "ambiguous",
    "ambiguous_credentials",
    "answer_timeout",
    "body_too_large",
    "client_disabled",
    "client_id_required",
    "client_id_taken",
    "client_not_for_browsers",
    "contended",
    "cross_site_request",
    "cursor_gone",
    "duplicate_item",
    "duplicate_key",
    "email_managed",
    "email_mismatch",
    "email_not_verified",
    "email_taken",
    "endpoint_disabled",
    "endpoint_limit",
    "external_id_taken",
    "fresh_sign_in_required",
    "headers_too_large",
    "idempotency_in_flight",
    "idempotency_key_reused",
    "identity_provider_unavailable",
    "inconsistent",
    "insufficient_scope",
    "internal",
    "invalid_client",
    "invalid_cursor",
    "invalid_format",
    "invalid_header",
    "invalid_identity_token",
    "invalid_input",
    "invalid_link",
    "invalid_parameter",
    "invalid_refresh_token",
    "invalid_text",
    "invalid_token",
    "invalid_transition",
    "invalid_type",
    "link_limit",
    "malformed_json",
    "method_not_allowed",
    "misdirected_request",
    "name_taken",
    "not_account_owner",
    "not_found",
    "not_nullable",
    "operator_disabled",
    "operator_session_required",
    "out_of_range",
    "outcome_unknown",
    "overloaded",
    "own_operator",
    "plan_in_use",
    "plan_inactive",
    "rate_limited",
    "read_only_field",
    "refresh_token_expired",
    "refresh_token_reused",
    "request_timeout",
    "required",
    "route_not_found",
    "secret_limit",
    "shutting_down",
    "slug_taken",
    "stale",
    "storage_unavailable",
    "target_too_long",
    "token_required",
    "too_long",
    "too_many_decimals",
    "too_short",
    "unknown_field",
    "unknown_parameter",
    "unknown_value",
    "unsupported_media_type",
    "url_not_allowed",
    "user_already_exists",
    "user_blocked",
    "user_not_found",
]

ClientScopes: TypeAlias = Literal[
    "auth",
    "plans:read",
    "plans:write",
    "subscriptions:read",
    "subscriptions:write",
    "payments:read",
    "payments:write",
    "subscriptions:read:own",
    "payments:read:own",
    "users:read",
    "users:write",
    "invoices:read",
    "invoices:write",
    "invoices:read:own",
    "events:read",
    "webhooks:write",
    "entitlements:read",
    "entitlements:read:own",
    "usage:write",
    "organization:read",
    "organization:write",
    "analytics:read",
    "clients:write",
]

OrganizationPortalCancel: TypeAlias = Literal[
    "period_end",
    "now",
    "off",
]

OrganizationPortalChange: TypeAlias = Literal[
    "off",
    "link",
    "next_period",
]

PlanSort: TypeAlias = Literal[
    "tier",
    "-tier",
    "price",
    "-price",
    "name",
    "-name",
    "created_at",
    "-created_at",
    "updated_at",
    "-updated_at",
]

SubscriptionSort: TypeAlias = Literal[
    "created_at",
    "-created_at",
    "renews_at",
    "-renews_at",
    "ends_at",
    "-ends_at",
]

PaymentSort: TypeAlias = Literal[
    "created_at",
    "-created_at",
]


@dataclass(frozen=True)
class Plan:
    """A `Plan` as the API answers it."""

    id: str
    name: str
    product_id: str | None
    variants: tuple[str, ...]
    slug: str
    price: Decimal
    currency: str
    href: str | None
    billing_cycle: BillingCycle
    #: A description of the plan.
    description: str
    #: The number of nodes that the plan includes.
    node_quota: int
    #: A comma-separated list in one string, stored unchanged.
    features: str
    #: Whether to mark the plan as the most popular one.
    most_popular: bool
    #: The rank of the plan among all plans.
    tier: int
    is_active: bool
    version: int
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Plan:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            name=members["name"],
            product_id=members["product_id"],
            variants=tuple(members["variants"]),
            slug=members["slug"],
            price=money(members["price"]),
            currency=members["currency"],
            href=members["href"],
            billing_cycle=members["billing_cycle"],
            description=members["description"],
            node_quota=members["node_quota"],
            features=members["features"],
            most_popular=members["most_popular"],
            tier=members["tier"],
            is_active=members["is_active"],
            version=members["version"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class PlanVersion:
    """A `PlanVersion` as the API answers it."""

    version: int
    price: Decimal
    currency: str
    billing_cycle: BillingCycle
    created_at: datetime

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PlanVersion:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            version=members["version"],
            price=money(members["price"]),
            currency=members["currency"],
            billing_cycle=members["billing_cycle"],
            created_at=instant(members["created_at"]),
        )


@dataclass(frozen=True)
class Subscription:
    """A `Subscription` as the API answers it."""

    id: str
    user_id: str
    subscription_plan_id: str
    plan_version: int
    #: The ID in another system. An empty text is the same as null.
    external_subscription_id: str | None
    #: The number of units of the plan. Defaults to 1.
    quantity: int
    billing_cycle: BillingCycle
    status: SubscriptionStatus
    is_active: bool
    has_access: bool
    renews_at: datetime | None
    starts_at: datetime
    ends_at: datetime | None
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Subscription:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            user_id=members["user_id"],
            subscription_plan_id=members["subscription_plan_id"],
            plan_version=members["plan_version"],
            external_subscription_id=members["external_subscription_id"],
            quantity=members["quantity"],
            billing_cycle=members["billing_cycle"],
            status=members["status"],
            is_active=members["is_active"],
            has_access=members["has_access"],
            renews_at=optional(instant, members["renews_at"]),
            starts_at=instant(members["starts_at"]),
            ends_at=optional(instant, members["ends_at"]),
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class Payment:
    """A `Payment` as the API answers it."""

    id: str
    subscription_id: str
    amount: Decimal
    currency: str
    external_payment_id: str | None
    status: PaymentStatus
    date: datetime | None
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Payment:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            subscription_id=members["subscription_id"],
            amount=money(members["amount"]),
            currency=members["currency"],
            external_payment_id=members["external_payment_id"],
            status=members["status"],
            date=optional(instant, members["date"]),
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class ManagedUser:
    """A `ManagedUser` as the API answers it."""

    id: str
    #: The user's ID at the identity provider. Null before the first sign-up.
    auth_id: str | None
    #: The issuer (`iss`) of the identity provider.
    auth_provider: str | None
    auth_type: str | None
    organization_id: str
    email: str | None
    username: str | None
    first_name: str | None
    last_name: str | None
    terms: bool | None
    notifications: bool | None
    role: Literal["user"]
    #: Whether the user is blocked and cannot sign in.
    is_blocked: bool
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> ManagedUser:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            auth_id=members["auth_id"],
            auth_provider=members["auth_provider"],
            auth_type=members["auth_type"],
            organization_id=members["organization_id"],
            email=members["email"],
            username=members["username"],
            first_name=members["first_name"],
            last_name=members["last_name"],
            terms=members["terms"],
            notifications=members["notifications"],
            role=members["role"],
            is_blocked=members["is_blocked"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class UserSession:
    """A `UserSession` as the API answers it."""

    id: str
    user_id: str
    #: The client that the user signed in with.
    client_id: str | None
    client_name: str | None
    issued_at: datetime
    expiration_time: datetime
    last_used_at: datetime
    ip_address: str | None
    user_agent: str | None
    revoked: bool
    created_at: datetime
    updated_at: datetime

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> UserSession:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            user_id=members["user_id"],
            client_id=members["client_id"],
            client_name=members["client_name"],
            issued_at=instant(members["issued_at"]),
            expiration_time=instant(members["expiration_time"]),
            last_used_at=instant(members["last_used_at"]),
            ip_address=members["ip_address"],
            user_agent=members["user_agent"],
            revoked=members["revoked"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
        )


@dataclass(frozen=True)
class SearchResult:
    """A `SearchResult` as the API answers it."""

    kind: SearchResultKind
    id: str
    #: A user's address, a plan's name, or an external ID; the ID where there is none.
    label: str
    match: SearchResultMatch

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> SearchResult:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            kind=members["kind"],
            id=members["id"],
            label=members["label"],
            match=members["match"],
        )


@dataclass(frozen=True)
class Client:
    """A `Client` as the API answers it."""

    id: str
    organization_id: str
    name: str
    kind: ClientKind
    client_id: str | None
    scopes: tuple[ClientScopes, ...]
    origins: tuple[str, ...]
    cidrs: tuple[str, ...]
    is_active: bool
    expires_at: datetime | None
    disabled_at: datetime | None
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Client:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            organization_id=members["organization_id"],
            name=members["name"],
            kind=members["kind"],
            client_id=members["client_id"],
            scopes=tuple(members["scopes"]),
            origins=tuple(members["origins"]),
            cidrs=tuple(members["cidrs"]),
            is_active=members["is_active"],
            expires_at=optional(instant, members["expires_at"]),
            disabled_at=optional(instant, members["disabled_at"]),
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class OrganizationPortal:
    """A `OrganizationPortal` as the API answers it."""

    #: The name that customers see. Null: the organization's.
    name: str | None
    accent: str
    cancel: OrganizationPortalCancel
    resume: bool
    change: OrganizationPortalChange
    return_origins: tuple[str, ...]

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OrganizationPortal:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            name=members["name"],
            accent=members["accent"],
            cancel=members["cancel"],
            resume=members["resume"],
            change=members["change"],
            return_origins=tuple(members["return_origins"]),
        )


@dataclass(frozen=True)
class Organization:
    """A `Organization` as the API answers it."""

    id: str
    name: str
    currency: str
    max_sessions: int | None
    portal: OrganizationPortal
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Organization:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            name=members["name"],
            currency=members["currency"],
            max_sessions=members["max_sessions"],
            portal=OrganizationPortal.read(members["portal"]),
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class Operator:
    """A `Operator` as the API answers it."""

    id: str
    organization_id: str
    name: str
    role: OperatorRole
    issuer: str | None
    subject: str | None
    is_active: bool
    last_sign_in_at: datetime | None
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Operator:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            organization_id=members["organization_id"],
            name=members["name"],
            role=members["role"],
            issuer=members["issuer"],
            subject=members["subject"],
            is_active=members["is_active"],
            last_sign_in_at=optional(instant, members["last_sign_in_at"]),
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class OperatorSessionRecord:
    """A `OperatorSessionRecord` as the API answers it."""

    id: str
    operator_id: str
    method: Method
    signed_in_at: datetime
    last_used_at: datetime
    idle_expires_at: datetime
    expires_at: datetime
    ip_address: str | None
    user_agent: str | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OperatorSessionRecord:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            operator_id=members["operator_id"],
            method=members["method"],
            signed_in_at=instant(members["signed_in_at"]),
            last_used_at=instant(members["last_used_at"]),
            idle_expires_at=instant(members["idle_expires_at"]),
            expires_at=instant(members["expires_at"]),
            ip_address=members["ip_address"],
            user_agent=members["user_agent"],
        )


@dataclass(frozen=True)
class Event:
    """A `Event` as the API answers it."""

    id: str
    type: EventType
    timestamp: datetime
    sequence: int
    record_id: str
    client_id: str | None
    operator_id: str | None
    request_id: str | None
    test: bool
    data: Mapping[str, Any] | None
    before: Mapping[str, Any] | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> Event:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            type=members["type"],
            timestamp=instant(members["timestamp"]),
            sequence=members["sequence"],
            record_id=members["record_id"],
            client_id=members["client_id"],
            operator_id=members["operator_id"],
            request_id=members["request_id"],
            test=members["test"],
            data=members["data"],
            before=members["before"],
        )


@dataclass(frozen=True)
class WebhookEndpoint:
    """A `WebhookEndpoint` as the API answers it."""

    id: str
    url: str
    description: str
    #: Each is an event type (`payment.created`), all types of a record (`payment.*`), or `*`.
    types: tuple[str, ...]
    payload: WebhookEndpointPayload
    signature: WebhookEndpointSignature
    is_active: bool
    state: WebhookEndpointState
    disabled_reason: WebhookEndpointDisabledReason | None
    created_at: datetime
    updated_at: datetime
    public_keys: tuple[str, ...]
    failing_since: datetime | None
    oldest_undelivered_at: datetime | None
    #: What to send as `if_match`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> WebhookEndpoint:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            url=members["url"],
            description=members["description"],
            types=tuple(members["types"]),
            payload=members["payload"],
            signature=members["signature"],
            is_active=members["is_active"],
            state=members["state"],
            disabled_reason=members["disabled_reason"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            public_keys=tuple(members["public_keys"]),
            failing_since=optional(instant, members["failing_since"]),
            oldest_undelivered_at=optional(instant, members["oldest_undelivered_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class WebhookEndpointWithSecret:
    """A `WebhookEndpointWithSecret` as the API answers it."""

    id: str
    url: str
    description: str
    #: Each is an event type (`payment.created`), all types of a record (`payment.*`), or `*`.
    types: tuple[str, ...]
    payload: WebhookEndpointPayload
    signature: WebhookEndpointSignature
    is_active: bool
    state: WebhookEndpointState
    disabled_reason: WebhookEndpointDisabledReason | None
    created_at: datetime
    updated_at: datetime
    public_keys: tuple[str, ...]
    failing_since: datetime | None
    oldest_undelivered_at: datetime | None
    secret: str | None = field(repr=False)
    #: What to send as `if_match`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> WebhookEndpointWithSecret:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            url=members["url"],
            description=members["description"],
            types=tuple(members["types"]),
            payload=members["payload"],
            signature=members["signature"],
            is_active=members["is_active"],
            state=members["state"],
            disabled_reason=members["disabled_reason"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            public_keys=tuple(members["public_keys"]),
            failing_since=optional(instant, members["failing_since"]),
            oldest_undelivered_at=optional(instant, members["oldest_undelivered_at"]),
            secret=members["secret"],
            etag=etag,
        )


@dataclass(frozen=True)
class WebhookAttempt:
    """A `WebhookAttempt` as the API answers it."""

    id: str
    endpoint_id: str
    event_id: str
    event_type: str
    trigger: WebhookAttemptTrigger
    number: int
    outcome: WebhookAttemptOutcome
    status: int | None
    error: WebhookAttemptError | None
    duration_ms: int
    response: str
    created_at: datetime

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> WebhookAttempt:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            endpoint_id=members["endpoint_id"],
            event_id=members["event_id"],
            event_type=members["event_type"],
            trigger=members["trigger"],
            number=members["number"],
            outcome=members["outcome"],
            status=members["status"],
            error=members["error"],
            duration_ms=members["duration_ms"],
            response=members["response"],
            created_at=instant(members["created_at"]),
        )


@dataclass(frozen=True)
class UndeliveredEvent:
    """A `UndeliveredEvent` as the API answers it."""

    event_id: str
    event_type: str
    record_id: str
    sequence: int
    state: UndeliveredEventState
    attempts: int
    next_attempt_at: datetime | None
    first_failed_at: datetime | None
    last_status: int | None
    last_error: WebhookAttemptError | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> UndeliveredEvent:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            event_id=members["event_id"],
            event_type=members["event_type"],
            record_id=members["record_id"],
            sequence=members["sequence"],
            state=members["state"],
            attempts=members["attempts"],
            next_attempt_at=optional(instant, members["next_attempt_at"]),
            first_failed_at=optional(instant, members["first_failed_at"]),
            last_status=members["last_status"],
            last_error=members["last_error"],
        )


@dataclass(frozen=True)
class User:
    """A `User` as the API answers it."""

    id: str
    #: The user's ID at the identity provider.
    auth_id: str | None
    #: The issuer (`iss`) of the identity provider.
    auth_provider: str | None
    auth_type: str | None
    auth_token_status_id: str
    organization_id: str
    email: str | None
    username: str | None
    first_name: str | None
    last_name: str | None
    terms: bool | None
    notifications: bool | None
    role: Literal["user"]
    created_at: datetime
    updated_at: datetime

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> User:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            auth_id=members["auth_id"],
            auth_provider=members["auth_provider"],
            auth_type=members["auth_type"],
            auth_token_status_id=members["auth_token_status_id"],
            organization_id=members["organization_id"],
            email=members["email"],
            username=members["username"],
            first_name=members["first_name"],
            last_name=members["last_name"],
            terms=members["terms"],
            notifications=members["notifications"],
            role=members["role"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
        )


@dataclass(frozen=True)
class Tokens:
    """A `Tokens` as the API answers it."""

    #: The access token, a JWT.
    token: str = field(repr=False)
    token_type: Literal["Bearer"]
    #: Lifetime of the access token in seconds.
    expires_in: int
    expires_at: datetime
    #: An opaque token that changes with each refresh.
    refresh_token: str = field(repr=False)
    #: Lifetime of the refresh token in seconds, if it is not used.
    refresh_expires_in: int
    user: User

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> Tokens:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            token=members["token"],
            token_type=members["token_type"],
            expires_in=members["expires_in"],
            expires_at=instant(members["expires_at"]),
            refresh_token=members["refresh_token"],
            refresh_expires_in=members["refresh_expires_in"],
            user=User.read(members["user"]),
        )


@dataclass(frozen=True)
class LoggedIn:
    """A `LoggedIn` as the API answers it."""

    user: User

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> LoggedIn:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            user=User.read(members["user"]),
        )


@dataclass(frozen=True)
class Session:
    """A `Session` as the API answers it."""

    id: str
    email: str | None
    client_name: str
    issued_at: datetime
    expiration_time: datetime
    last_used_at: datetime
    ip_address: str | None
    user_agent: str | None
    revoked: bool
    #: Whether this is the session of the access token.
    current: bool
    created_at: datetime
    updated_at: datetime

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> Session:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            email=members["email"],
            client_name=members["client_name"],
            issued_at=instant(members["issued_at"]),
            expiration_time=instant(members["expiration_time"]),
            last_used_at=instant(members["last_used_at"]),
            ip_address=members["ip_address"],
            user_agent=members["user_agent"],
            revoked=members["revoked"],
            current=members["current"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
        )


@dataclass(frozen=True)
class TokenList:
    """A `TokenList` as the API answers it."""

    tokens: tuple[Session, ...]
    should_revoke_tokens: bool
    number_of_tokens_to_revoke: int

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> TokenList:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            tokens=tuple(Session.read(item) for item in members["tokens"]),
            should_revoke_tokens=members["should_revoke_tokens"],
            number_of_tokens_to_revoke=members["number_of_tokens_to_revoke"],
        )


@dataclass(frozen=True)
class Revoked:
    """A `Revoked` as the API answers it."""

    success: Literal[True]
    #: The number of sessions that were ended.
    revoked: int

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> Revoked:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            success=members["success"],
            revoked=members["revoked"],
        )


@dataclass(frozen=True)
class Deleted:
    """A `Deleted` as the API answers it."""

    deleted: Literal[True]

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> Deleted:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            deleted=members["deleted"],
        )


@dataclass(frozen=True)
class DeletedUser:
    """A `DeletedUser` as the API answers it."""

    id: str
    deleted: Literal[True]
    #: What to send as `if_match`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> DeletedUser:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            deleted=members["deleted"],
            etag=etag,
        )


@dataclass(frozen=True)
class PortalLink:
    """A `PortalLink` as the API answers it."""

    url: str
    expires_at: datetime

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PortalLink:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            url=members["url"],
            expires_at=instant(members["expires_at"]),
        )


@dataclass(frozen=True)
class OperatorLink:
    """A `OperatorLink` as the API answers it."""

    url: str
    expires_at: datetime

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OperatorLink:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            url=members["url"],
            expires_at=instant(members["expires_at"]),
        )


@dataclass(frozen=True)
class OperatorSessionOrganizationPortal:
    """A `OperatorSessionOrganizationPortal` as the API answers it."""

    #: The name that customers see. Null: the organization's.
    name: str | None
    accent: str
    cancel: OrganizationPortalCancel
    resume: bool
    change: OrganizationPortalChange
    return_origins: tuple[str, ...]

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OperatorSessionOrganizationPortal:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            name=members["name"],
            accent=members["accent"],
            cancel=members["cancel"],
            resume=members["resume"],
            change=members["change"],
            return_origins=tuple(members["return_origins"]),
        )


@dataclass(frozen=True)
class OperatorSessionOrganization:
    """A `OperatorSessionOrganization` as the API answers it."""

    id: str
    name: str
    currency: str
    max_sessions: int | None
    portal: OperatorSessionOrganizationPortal
    created_at: datetime
    updated_at: datetime

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OperatorSessionOrganization:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            name=members["name"],
            currency=members["currency"],
            max_sessions=members["max_sessions"],
            portal=OperatorSessionOrganizationPortal.read(members["portal"]),
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
        )


@dataclass(frozen=True)
class OperatorSession:
    """A `OperatorSession` as the API answers it."""

    id: str
    operator: Operator
    organization: OperatorSessionOrganization
    scopes: tuple[str, ...]
    method: Method
    #: Whether the store was filled by `perennial demo`.
    demo: bool
    signed_in_at: datetime
    #: Until when the sign-in is recent.
    fresh_until: datetime
    idle_expires_at: datetime
    expires_at: datetime
    #: The build of the console's pages. Null if this server does not have them.
    build: str | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OperatorSession:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            operator=Operator.read(members["operator"]),
            organization=OperatorSessionOrganization.read(members["organization"]),
            scopes=tuple(members["scopes"]),
            method=members["method"],
            demo=members["demo"],
            signed_in_at=instant(members["signed_in_at"]),
            fresh_until=instant(members["fresh_until"]),
            idle_expires_at=instant(members["idle_expires_at"]),
            expires_at=instant(members["expires_at"]),
            build=members["build"],
        )


@dataclass(frozen=True)
class OperatorSignedOut:
    """A `OperatorSignedOut` as the API answers it."""

    success: bool

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OperatorSignedOut:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            success=members["success"],
        )


@dataclass(frozen=True)
class OperatorConnection:
    """A `OperatorConnection` as the API answers it."""

    url: str

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OperatorConnection:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            url=members["url"],
        )


@dataclass(frozen=True)
class QueuedEvents:
    """A `QueuedEvents` as the API answers it."""

    queued: int

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> QueuedEvents:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            queued=members["queued"],
        )
