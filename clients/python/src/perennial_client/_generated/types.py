"""The records of the API, and the words they are written with. Written from `openapi.json` by `cargo xtask clients`; do not edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from .._wire import instant, money, optional

__all__ = [
    "AnalyticsMeta",
    "AnalyticsMetaState",
    "BillingCycle",
    "BillingProfile",
    "BillingProfileBalances",
    "BillingProfileLocale",
    "Client",
    "ClientKind",
    "ClientScopes",
    "Cohort",
    "CohortCell",
    "Connection",
    "ConnectionDrift",
    "ConnectionKind",
    "ConnectionState",
    "Coupon",
    "CouponDuration",
    "Credit",
    "CreditNote",
    "CreditNoteBuyer",
    "CreditNoteLines",
    "CreditNoteSeller",
    "CreditNoteSettlement",
    "CreditNoteTaxes",
    "CreditReason",
    "Deleted",
    "DeletedUser",
    "EntitlementCheck",
    "EntitlementCheckReason",
    "EntitlementToken",
    "Event",
    "EventType",
    "Feature",
    "FeatureCombine",
    "FeaturePeriod",
    "InboxItem",
    "InboxItemObject",
    "InboxItemState",
    "Invoice",
    "InvoiceBuyer",
    "InvoiceCollection",
    "InvoiceKind",
    "InvoiceLines",
    "InvoiceLinesKind",
    "InvoiceNextAction",
    "InvoiceSeller",
    "InvoiceStatus",
    "InvoiceTaxes",
    "Kind",
    "LoggedIn",
    "ManagedUser",
    "Member",
    "Meter",
    "MeterAggregation",
    "Method",
    "Mode",
    "Movement",
    "MovementKind",
    "Operator",
    "OperatorConnection",
    "OperatorLink",
    "OperatorRole",
    "OperatorSession",
    "OperatorSessionOrganization",
    "OperatorSessionOrganizationBilling",
    "OperatorSessionOrganizationBillingDunning",
    "OperatorSessionOrganizationBillingSeller",
    "OperatorSessionOrganizationPortal",
    "OperatorSessionRecord",
    "OperatorSignedOut",
    "Organization",
    "OrganizationBilling",
    "OrganizationBillingDunning",
    "OrganizationBillingSeller",
    "OrganizationPortal",
    "OrganizationPortalCancel",
    "OrganizationPortalChange",
    "Payment",
    "PaymentFigure",
    "PaymentPeriod",
    "PaymentSort",
    "PaymentStatus",
    "Plan",
    "PlanBilling",
    "PlanBillingCharges",
    "PlanBillingChargesModel",
    "PlanBillingChargesPackage",
    "PlanBillingChargesTiers",
    "PlanBillingDunning",
    "PlanBillingDunningThen",
    "PlanBillingTrialEndBehavior",
    "PlanFigures",
    "PlanSort",
    "PlanVersion",
    "PlanVersionCharges",
    "PlanVersionChargesPackage",
    "PlanVersionChargesTiers",
    "PlanVersionTaxBehavior",
    "PortalLink",
    "ProblemCode",
    "QueuedEvents",
    "ReceivedWebhook",
    "RecordUsageEventsMode",
    "RecordedUsage",
    "RevenuePeriod",
    "RevenuePeriodInterval",
    "Revoked",
    "SearchResult",
    "SearchResultKind",
    "SearchResultMatch",
    "Seats",
    "Session",
    "Subscription",
    "SubscriptionBilling",
    "SubscriptionBillingChange",
    "SubscriptionBillingDiscount",
    "SubscriptionBillingParked",
    "SubscriptionBillingParkedReason",
    "SubscriptionForecast",
    "SubscriptionForecastAction",
    "SubscriptionSort",
    "SubscriptionStatus",
    "SubscriptionUsage",
    "SubscriptionUsageMeters",
    "TaxRate",
    "TestClock",
    "TestClockStatus",
    "TestClockUpdateMode",
    "TokenList",
    "Tokens",
    "TrialPeriod",
    "UndeliveredEvent",
    "UndeliveredEventState",
    "User",
    "UserEntitlements",
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

PlanVersionTaxBehavior: TypeAlias = Literal[
    "exclusive",
    "inclusive",
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

SubscriptionForecastAction: TypeAlias = Literal[
    "start",
    "end",
    "trial_end",
    "resume",
    "renew",
    "give_up",
    "notice",
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
    "invoice",
]

SearchResultMatch: TypeAlias = Literal[
    "exact",
    "prefix",
]

ClientKind: TypeAlias = Literal[
    "public",
    "trusted",
]

Mode: TypeAlias = Literal[
    "live",
    "test",
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
    "subscription.started",
    "subscription.trial_ending",
    "subscription.trial_ended",
    "subscription.renewal_upcoming",
    "subscription.renewed",
    "subscription.resumed",
    "subscription.expired",
    "subscription.parked",
    "subscription.past_due",
    "subscription.recovered",
    "subscription.unpaid",
    "subscription.activated",
    "payment.created",
    "payment.updated",
    "payment.deleted",
    "payment.collection_failed",
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
    "test_clock.created",
    "test_clock.advanced",
    "test_clock.deleted",
    "tax_rate.created",
    "tax_rate.updated",
    "coupon.created",
    "coupon.updated",
    "meter.created",
    "meter.updated",
    "credit.created",
    "invoice.created",
    "invoice.updated",
    "invoice.finalized",
    "invoice.payment_due",
    "invoice.overdue",
    "invoice.paid",
    "invoice.reopened",
    "invoice.voided",
    "invoice.uncollectible",
    "invoice.deleted",
    "credit_note.created",
    "billing_profile.updated",
    "feature.created",
    "feature.updated",
    "usage.threshold_reached",
    "connection.created",
    "connection.updated",
    "connection.deleted",
    "connection.failing",
    "connection.recovered",
    "connection.drift",
    "member.created",
    "member.deleted",
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

MovementKind: TypeAlias = Literal[
    "new",
    "expansion",
    "reactivation",
    "contraction",
    "churned",
]

CouponDuration: TypeAlias = Literal[
    "once",
    "repeating",
    "forever",
]

MeterAggregation: TypeAlias = Literal[
    "sum",
    "count",
    "max",
    "last",
    "unique",
]

Kind: TypeAlias = Literal[
    "boolean",
    "limit",
    "quota",
]

FeatureCombine: TypeAlias = Literal[
    "any",
    "max",
    "sum",
]

FeaturePeriod: TypeAlias = Literal[
    "billing",
    "day",
    "month",
    "year",
    "ever",
]

EntitlementCheckReason: TypeAlias = Literal[
    "feature_inactive",
    "no_subscription",
    "not_granted",
    "limit_reached",
]

BillingProfileLocale: TypeAlias = Literal[
    "en",
    "de",
    "fr",
    "es",
    "ja",
]

CreditReason: TypeAlias = Literal[
    "adjustment",
    "surplus",
    "surplus_reversed",
    "credit_note",
    "applied",
    "returned",
]

ConnectionKind: TypeAlias = Literal[
    "stripe",
    "lemon_squeezy",
    "paddle",
]

ConnectionDrift: TypeAlias = Literal[
    "repair",
    "alert",
]

ConnectionState: TypeAlias = Literal[
    "ok",
    "failing",
    "disabled",
]

InboxItemObject: TypeAlias = Literal[
    "customer",
    "price",
    "subscription",
    "payment",
]

InboxItemState: TypeAlias = Literal[
    "waiting",
    "applied",
    "unchanged",
    "ignored",
    "failed",
]

InvoiceKind: TypeAlias = Literal[
    "cycle",
    "change",
    "one_off",
]

InvoiceStatus: TypeAlias = Literal[
    "draft",
    "open",
    "paid",
    "uncollectible",
    "void",
]

InvoiceCollection: TypeAlias = Literal[
    "automatic",
    "manual",
]

InvoiceNextAction: TypeAlias = Literal[
    "finalize",
    "attempt",
    "overdue",
    "deadline",
]

CreditNoteSettlement: TypeAlias = Literal[
    "balance",
    "refund",
]

TestClockStatus: TypeAlias = Literal[
    "ready",
    "working",
    "advancing",
    "held",
    "deleting",
]

ProblemCode: TypeAlias = Literal[
    "address_not_allowed",
    "already_member",
    "ambiguous",
    "ambiguous_credentials",
    "answer_timeout",
    "body_too_large",
    "change_not_allowed",
    "client_disabled",
    "client_id_required",
    "client_id_taken",
    "client_not_for_browsers",
    "clock_advancing",
    "clock_exists",
    "code_taken",
    "collecting_disabled",
    "connection_in_use",
    "contended",
    "coupon_unavailable",
    "credit_exceeds_invoice",
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
    "feature_limit",
    "fresh_sign_in_required",
    "has_open_invoices",
    "has_payments",
    "headers_too_large",
    "idempotency_in_flight",
    "idempotency_key_reused",
    "identity_provider_unavailable",
    "inconsistent",
    "insufficient_balance",
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
    "invalid_signature",
    "invalid_text",
    "invalid_token",
    "invalid_transition",
    "invalid_type",
    "invoice_final",
    "invoice_not_final",
    "key_taken",
    "lifecycle_behind",
    "link_limit",
    "malformed_json",
    "managed_status",
    "meter_in_use",
    "method_not_allowed",
    "misdirected_request",
    "name_taken",
    "not_a_test_organization",
    "not_account_owner",
    "not_found",
    "not_nullable",
    "operator_disabled",
    "operator_session_required",
    "out_of_range",
    "outcome_unknown",
    "overloaded",
    "own_operator",
    "payment_applied",
    "plan_in_use",
    "plan_inactive",
    "provider_managed",
    "quota_exceeded",
    "rate_limited",
    "read_only_field",
    "refresh_token_expired",
    "refresh_token_reused",
    "request_timeout",
    "required",
    "route_not_found",
    "seat_limit",
    "secret_limit",
    "shutting_down",
    "slug_taken",
    "stale",
    "storage_unavailable",
    "target_too_long",
    "token_required",
    "token_too_large",
    "too_long",
    "too_many_changes",
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

AnalyticsMetaState: TypeAlias = Literal[
    "current",
    "catching_up",
    "rebuilding",
]

PlanBillingTrialEndBehavior: TypeAlias = Literal[
    "pause",
    "cancel",
    "bill",
]

PlanBillingDunningThen: TypeAlias = Literal[
    "unpaid",
    "expire",
]

PlanBillingChargesModel: TypeAlias = Literal[
    "per_unit",
    "graduated",
    "volume",
    "package",
]

SubscriptionBillingParkedReason: TypeAlias = Literal[
    "out_of_range",
    "missing_plan",
    "failing",
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

InvoiceLinesKind: TypeAlias = Literal[
    "fee",
    "usage",
    "proration_credit",
    "proration_charge",
    "item",
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

TestClockUpdateMode: TypeAlias = Literal[
    "advance",
    "jump",
]

RevenuePeriodInterval: TypeAlias = Literal[
    "month",
    "day",
]

RecordUsageEventsMode: TypeAlias = Literal[
    "record",
    "enforce",
]


@dataclass(frozen=True)
class PlanBillingDunning:
    """A `PlanBillingDunning` as the API answers it."""

    retry_days: tuple[int, ...]
    grace_days: int
    then: PlanBillingDunningThen

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PlanBillingDunning:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            retry_days=tuple(members["retry_days"]),
            grace_days=members["grace_days"],
            then=members["then"],
        )


@dataclass(frozen=True)
class PlanBillingChargesTiers:
    """A `PlanBillingChargesTiers` as the API answers it."""

    up_to: Decimal | None
    unit_price: Decimal
    flat_price: Decimal

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PlanBillingChargesTiers:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            up_to=optional(money, members["up_to"]),
            unit_price=money(members["unit_price"]),
            flat_price=money(members["flat_price"]),
        )


@dataclass(frozen=True)
class PlanBillingChargesPackage:
    """A `PlanBillingChargesPackage` as the API answers it."""

    size: Decimal
    price: Decimal

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PlanBillingChargesPackage:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            size=money(members["size"]),
            price=money(members["price"]),
        )


@dataclass(frozen=True)
class PlanBillingCharges:
    """A `PlanBillingCharges` as the API answers it."""

    meter_id: str
    name: str
    model: PlanBillingChargesModel
    unit_price: Decimal
    tiers: tuple[PlanBillingChargesTiers, ...]
    package: PlanBillingChargesPackage

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PlanBillingCharges:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            meter_id=members["meter_id"],
            name=members["name"],
            model=members["model"],
            unit_price=money(members["unit_price"]),
            tiers=tuple(PlanBillingChargesTiers.read(item) for item in members["tiers"]),
            package=PlanBillingChargesPackage.read(members["package"]),
        )


@dataclass(frozen=True)
class PlanBilling:
    """A `PlanBilling` as the API answers it."""

    trial_days: int
    trial_end_behavior: PlanBillingTrialEndBehavior
    incomplete_hours: int
    payment_terms_days: int | None
    dunning: PlanBillingDunning | None
    tax_behavior: PlanVersionTaxBehavior
    tax_rate_ids: tuple[str, ...]
    charges: tuple[PlanBillingCharges, ...]

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PlanBilling:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            trial_days=members["trial_days"],
            trial_end_behavior=members["trial_end_behavior"],
            incomplete_hours=members["incomplete_hours"],
            payment_terms_days=members["payment_terms_days"],
            dunning=optional(PlanBillingDunning.read, members["dunning"]),
            tax_behavior=members["tax_behavior"],
            tax_rate_ids=tuple(members["tax_rate_ids"]),
            charges=tuple(PlanBillingCharges.read(item) for item in members["charges"]),
        )


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
    billing: PlanBilling | None
    entitlements: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
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
            billing=optional(PlanBilling.read, members["billing"]),
            entitlements=members["entitlements"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class PlanVersionChargesTiers:
    """A `PlanVersionChargesTiers` as the API answers it."""

    up_to: Decimal | None
    unit_price: Decimal
    flat_price: Decimal

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PlanVersionChargesTiers:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            up_to=optional(money, members["up_to"]),
            unit_price=money(members["unit_price"]),
            flat_price=money(members["flat_price"]),
        )


@dataclass(frozen=True)
class PlanVersionChargesPackage:
    """A `PlanVersionChargesPackage` as the API answers it."""

    size: Decimal
    price: Decimal

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PlanVersionChargesPackage:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            size=money(members["size"]),
            price=money(members["price"]),
        )


@dataclass(frozen=True)
class PlanVersionCharges:
    """A `PlanVersionCharges` as the API answers it."""

    meter_id: str
    name: str
    model: PlanBillingChargesModel
    unit_price: Decimal
    tiers: tuple[PlanVersionChargesTiers, ...]
    package: PlanVersionChargesPackage

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PlanVersionCharges:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            meter_id=members["meter_id"],
            name=members["name"],
            model=members["model"],
            unit_price=money(members["unit_price"]),
            tiers=tuple(PlanVersionChargesTiers.read(item) for item in members["tiers"]),
            package=PlanVersionChargesPackage.read(members["package"]),
        )


@dataclass(frozen=True)
class PlanVersion:
    """A `PlanVersion` as the API answers it."""

    version: int
    price: Decimal
    currency: str
    billing_cycle: BillingCycle
    created_at: datetime
    tax_behavior: PlanVersionTaxBehavior
    charges: tuple[PlanVersionCharges, ...]

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PlanVersion:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            version=members["version"],
            price=money(members["price"]),
            currency=members["currency"],
            billing_cycle=members["billing_cycle"],
            created_at=instant(members["created_at"]),
            tax_behavior=members["tax_behavior"],
            charges=tuple(PlanVersionCharges.read(item) for item in members["charges"]),
        )


@dataclass(frozen=True)
class SubscriptionBillingChange:
    """A `SubscriptionBillingChange` as the API answers it."""

    subscription_plan_id: str | None
    quantity: int | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> SubscriptionBillingChange:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            subscription_plan_id=members["subscription_plan_id"],
            quantity=members["quantity"],
        )


@dataclass(frozen=True)
class SubscriptionBillingDiscount:
    """A `SubscriptionBillingDiscount` as the API answers it."""

    coupon_id: str
    periods_left: int | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> SubscriptionBillingDiscount:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            coupon_id=members["coupon_id"],
            periods_left=members["periods_left"],
        )


@dataclass(frozen=True)
class SubscriptionBillingParked:
    """A `SubscriptionBillingParked` as the API answers it."""

    at: datetime
    reason: SubscriptionBillingParkedReason

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> SubscriptionBillingParked:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            at=instant(members["at"]),
            reason=members["reason"],
        )


@dataclass(frozen=True)
class SubscriptionBilling:
    """A `SubscriptionBilling` as the API answers it."""

    collection: InvoiceCollection
    connection_id: str | None
    payment_method: str | None
    #: The name of a time zone in the IANA database.
    time_zone: str
    anchor_at: datetime
    trial_ends_at: datetime | None
    resumes_at: datetime | None
    change: SubscriptionBillingChange | None
    period_start: datetime | None
    paused_at: datetime | None
    discount: SubscriptionBillingDiscount | None
    overdue_invoices: int
    parked: SubscriptionBillingParked | None
    next_action: SubscriptionForecastAction | None
    next_action_at: datetime | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> SubscriptionBilling:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            collection=members["collection"],
            connection_id=members["connection_id"],
            payment_method=members["payment_method"],
            time_zone=members["time_zone"],
            anchor_at=instant(members["anchor_at"]),
            trial_ends_at=optional(instant, members["trial_ends_at"]),
            resumes_at=optional(instant, members["resumes_at"]),
            change=optional(SubscriptionBillingChange.read, members["change"]),
            period_start=optional(instant, members["period_start"]),
            paused_at=optional(instant, members["paused_at"]),
            discount=optional(SubscriptionBillingDiscount.read, members["discount"]),
            overdue_invoices=members["overdue_invoices"],
            parked=optional(SubscriptionBillingParked.read, members["parked"]),
            next_action=members["next_action"],
            next_action_at=optional(instant, members["next_action_at"]),
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
    billing: SubscriptionBilling | None
    entitlements: Mapping[str, Any]
    managed_by: str | None
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
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
            billing=optional(SubscriptionBilling.read, members["billing"]),
            entitlements=members["entitlements"],
            managed_by=members["managed_by"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class SubscriptionForecast:
    """A `SubscriptionForecast` as the API answers it."""

    at: datetime
    action: SubscriptionForecastAction
    event: str
    status: SubscriptionStatus
    invoice: Mapping[str, Any] | None
    subscription: Subscription

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> SubscriptionForecast:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            at=instant(members["at"]),
            action=members["action"],
            event=members["event"],
            status=members["status"],
            invoice=members["invoice"],
            subscription=Subscription.read(members["subscription"]),
        )


@dataclass(frozen=True)
class Payment:
    """A `Payment` as the API answers it."""

    id: str
    subscription_id: str
    invoice_id: str | None
    amount: Decimal
    currency: str
    external_payment_id: str | None
    status: PaymentStatus
    date: datetime | None
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Payment:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            subscription_id=members["subscription_id"],
            invoice_id=members["invoice_id"],
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
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
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
    #: A user's address, a plan's name, an invoice's number, or an external ID; the ID where there is none.
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
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
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
class OrganizationBillingDunning:
    """A `OrganizationBillingDunning` as the API answers it."""

    retry_days: tuple[int, ...]
    grace_days: int
    then: PlanBillingDunningThen

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OrganizationBillingDunning:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            retry_days=tuple(members["retry_days"]),
            grace_days=members["grace_days"],
            then=members["then"],
        )


@dataclass(frozen=True)
class OrganizationBillingSeller:
    """A `OrganizationBillingSeller` as the API answers it."""

    name: str | None
    address: tuple[str, ...]
    country: str | None
    tax_id: str | None
    email: str | None
    note: str | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OrganizationBillingSeller:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            name=members["name"],
            address=tuple(members["address"]),
            country=members["country"],
            tax_id=members["tax_id"],
            email=members["email"],
            note=members["note"],
        )


@dataclass(frozen=True)
class OrganizationBilling:
    """A `OrganizationBilling` as the API answers it."""

    #: The name of a time zone in the IANA database.
    time_zone: str
    payment_terms_days: int
    dunning: OrganizationBillingDunning
    draft_hours: int
    tax_rate_ids: tuple[str, ...]
    seller: OrganizationBillingSeller
    invoice_prefix: str
    credit_note_prefix: str
    yearly_numbers: bool
    spread_minutes: int
    renewal_notice_days: int

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OrganizationBilling:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            time_zone=members["time_zone"],
            payment_terms_days=members["payment_terms_days"],
            dunning=OrganizationBillingDunning.read(members["dunning"]),
            draft_hours=members["draft_hours"],
            tax_rate_ids=tuple(members["tax_rate_ids"]),
            seller=OrganizationBillingSeller.read(members["seller"]),
            invoice_prefix=members["invoice_prefix"],
            credit_note_prefix=members["credit_note_prefix"],
            yearly_numbers=members["yearly_numbers"],
            spread_minutes=members["spread_minutes"],
            renewal_notice_days=members["renewal_notice_days"],
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
    mode: Mode
    billing: OrganizationBilling
    portal: OrganizationPortal
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Organization:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            name=members["name"],
            currency=members["currency"],
            max_sessions=members["max_sessions"],
            mode=members["mode"],
            billing=OrganizationBilling.read(members["billing"]),
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
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
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
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
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
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
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
class RevenuePeriod:
    """A `RevenuePeriod` as the API answers it."""

    #: A month or a day: `2026-04` or `2026-04-05`.
    period: str
    start: Decimal
    new: Decimal
    expansion: Decimal
    reactivation: Decimal
    contraction: Decimal
    churned: Decimal
    end: Decimal
    committed: Decimal
    arr: Decimal
    customers_start: int
    customers_new: int
    customers_reactivated: int
    customers_churned: int
    customers_end: int
    subscriptions: int
    arpu: Decimal | None
    logo_churn: Decimal | None
    gross_churn: Decimal | None
    nrr: Decimal | None
    grr: Decimal | None
    ltv: Decimal | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> RevenuePeriod:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            period=members["period"],
            start=money(members["start"]),
            new=money(members["new"]),
            expansion=money(members["expansion"]),
            reactivation=money(members["reactivation"]),
            contraction=money(members["contraction"]),
            churned=money(members["churned"]),
            end=money(members["end"]),
            committed=money(members["committed"]),
            arr=money(members["arr"]),
            customers_start=members["customers_start"],
            customers_new=members["customers_new"],
            customers_reactivated=members["customers_reactivated"],
            customers_churned=members["customers_churned"],
            customers_end=members["customers_end"],
            subscriptions=members["subscriptions"],
            arpu=optional(money, members["arpu"]),
            logo_churn=optional(money, members["logo_churn"]),
            gross_churn=optional(money, members["gross_churn"]),
            nrr=optional(money, members["nrr"]),
            grr=optional(money, members["grr"]),
            ltv=optional(money, members["ltv"]),
        )


@dataclass(frozen=True)
class Movement:
    """A `Movement` as the API answers it."""

    date: str
    user_id: str
    kind: MovementKind
    amount: Decimal
    mrr: Decimal

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> Movement:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            date=members["date"],
            user_id=members["user_id"],
            kind=members["kind"],
            amount=money(members["amount"]),
            mrr=money(members["mrr"]),
        )


@dataclass(frozen=True)
class CohortCell:
    """A `CohortCell` as the API answers it."""

    #: Months after the month of the cohort.
    month: int
    customers: int
    mrr: Decimal
    customer_retention: Decimal | None
    revenue_retention: Decimal | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> CohortCell:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            month=members["month"],
            customers=members["customers"],
            mrr=money(members["mrr"]),
            customer_retention=optional(money, members["customer_retention"]),
            revenue_retention=optional(money, members["revenue_retention"]),
        )


@dataclass(frozen=True)
class Cohort:
    """A `Cohort` as the API answers it."""

    #: A month: `2026-04`.
    cohort: str
    customers: int
    mrr: Decimal
    cells: tuple[CohortCell, ...]

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> Cohort:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            cohort=members["cohort"],
            customers=members["customers"],
            mrr=money(members["mrr"]),
            cells=tuple(CohortCell.read(item) for item in members["cells"]),
        )


@dataclass(frozen=True)
class TrialPeriod:
    """A `TrialPeriod` as the API answers it."""

    #: A month or a day: `2026-04` or `2026-04-05`.
    period: str
    started: int
    converted: int
    lost: int
    open: int
    rate: Decimal | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> TrialPeriod:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            period=members["period"],
            started=members["started"],
            converted=members["converted"],
            lost=members["lost"],
            open=members["open"],
            rate=optional(money, members["rate"]),
        )


@dataclass(frozen=True)
class PaymentFigure:
    """A `PaymentFigure` as the API answers it."""

    count: int
    amount: Decimal

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PaymentFigure:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            count=members["count"],
            amount=money(members["amount"]),
        )


@dataclass(frozen=True)
class PaymentPeriod:
    """A `PaymentPeriod` as the API answers it."""

    #: A month or a day: `2026-04` or `2026-04-05`.
    period: str
    collected: PaymentFigure
    refunded: PaymentFigure
    failed: PaymentFigure
    failure_rate: Decimal | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PaymentPeriod:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            period=members["period"],
            collected=PaymentFigure.read(members["collected"]),
            refunded=PaymentFigure.read(members["refunded"]),
            failed=PaymentFigure.read(members["failed"]),
            failure_rate=optional(money, members["failure_rate"]),
        )


@dataclass(frozen=True)
class PlanFigures:
    """A `PlanFigures` as the API answers it."""

    subscription_plan_id: str
    slug: str | None
    name: str | None
    subscriptions: int
    mrr: Decimal

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> PlanFigures:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            subscription_plan_id=members["subscription_plan_id"],
            slug=members["slug"],
            name=members["name"],
            subscriptions=members["subscriptions"],
            mrr=money(members["mrr"]),
        )


@dataclass(frozen=True)
class TaxRate:
    """A `TaxRate` as the API answers it."""

    id: str
    name: str
    percentage: Decimal
    country: str | None
    is_active: bool
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> TaxRate:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            name=members["name"],
            percentage=money(members["percentage"]),
            country=members["country"],
            is_active=members["is_active"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class Coupon:
    """A `Coupon` as the API answers it."""

    id: str
    code: str
    percent: Decimal | None
    amount: Decimal | None
    currency: str | None
    duration: CouponDuration
    periods: int | None
    plan_ids: tuple[str, ...]
    redeem_by: datetime | None
    max_redemptions: int | None
    redemptions: int
    is_active: bool
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Coupon:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            code=members["code"],
            percent=optional(money, members["percent"]),
            amount=optional(money, members["amount"]),
            currency=members["currency"],
            duration=members["duration"],
            periods=members["periods"],
            plan_ids=tuple(members["plan_ids"]),
            redeem_by=optional(instant, members["redeem_by"]),
            max_redemptions=members["max_redemptions"],
            redemptions=members["redemptions"],
            is_active=members["is_active"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class Meter:
    """A `Meter` as the API answers it."""

    id: str
    slug: str
    name: str
    aggregation: MeterAggregation
    unit: str | None
    is_active: bool
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Meter:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            slug=members["slug"],
            name=members["name"],
            aggregation=members["aggregation"],
            unit=members["unit"],
            is_active=members["is_active"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class Feature:
    """A `Feature` as the API answers it."""

    id: str
    key: str
    name: str
    description: str
    kind: Kind
    combine: FeatureCombine
    per_unit: bool
    meter: str | None
    period: FeaturePeriod | None
    is_active: bool
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Feature:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            key=members["key"],
            name=members["name"],
            description=members["description"],
            kind=members["kind"],
            combine=members["combine"],
            per_unit=members["per_unit"],
            meter=members["meter"],
            period=members["period"],
            is_active=members["is_active"],
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class UserEntitlements:
    """A `UserEntitlements` as the API answers it."""

    user_id: str
    valid_until: datetime | None
    truncated: bool
    entitlements: Mapping[str, Any]
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> UserEntitlements:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            user_id=members["user_id"],
            valid_until=optional(instant, members["valid_until"]),
            truncated=members["truncated"],
            entitlements=members["entitlements"],
            etag=etag,
        )


@dataclass(frozen=True)
class EntitlementCheck:
    """A `EntitlementCheck` as the API answers it."""

    user_id: str
    feature: str
    kind: Kind
    allowed: bool
    value: Any | None
    used: Decimal | None
    remaining: Any | None
    resets_at: datetime | None
    need: int
    reason: EntitlementCheckReason | None
    valid_until: datetime | None
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> EntitlementCheck:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            user_id=members["user_id"],
            feature=members["feature"],
            kind=members["kind"],
            allowed=members["allowed"],
            value=members["value"],
            used=optional(money, members["used"]),
            remaining=members["remaining"],
            resets_at=optional(instant, members["resets_at"]),
            need=members["need"],
            reason=members["reason"],
            valid_until=optional(instant, members["valid_until"]),
            etag=etag,
        )


@dataclass(frozen=True)
class Member:
    """A `Member` as the API answers it."""

    subscription_id: str
    user_id: str
    created_at: datetime

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> Member:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            subscription_id=members["subscription_id"],
            user_id=members["user_id"],
            created_at=instant(members["created_at"]),
        )


@dataclass(frozen=True)
class BillingProfileBalances:
    """A `BillingProfileBalances` as the API answers it."""

    currency: str
    amount: Decimal

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> BillingProfileBalances:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            currency=members["currency"],
            amount=money(members["amount"]),
        )


@dataclass(frozen=True)
class BillingProfile:
    """A `BillingProfile` as the API answers it."""

    user_id: str
    name: str | None
    email: str | None
    address: tuple[str, ...]
    country: str | None
    tax_id: str | None
    tax_exempt: bool
    tax_rate_ids: tuple[str, ...]
    locale: BillingProfileLocale | None
    note: str | None
    balances: tuple[BillingProfileBalances, ...]
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> BillingProfile:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            user_id=members["user_id"],
            name=members["name"],
            email=members["email"],
            address=tuple(members["address"]),
            country=members["country"],
            tax_id=members["tax_id"],
            tax_exempt=members["tax_exempt"],
            tax_rate_ids=tuple(members["tax_rate_ids"]),
            locale=members["locale"],
            note=members["note"],
            balances=tuple(BillingProfileBalances.read(item) for item in members["balances"]),
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class Credit:
    """A `Credit` as the API answers it."""

    id: str
    user_id: str
    currency: str
    amount: Decimal
    reason: CreditReason
    record_id: str | None
    description: str | None
    created_at: datetime

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> Credit:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            user_id=members["user_id"],
            currency=members["currency"],
            amount=money(members["amount"]),
            reason=members["reason"],
            record_id=members["record_id"],
            description=members["description"],
            created_at=instant(members["created_at"]),
        )


@dataclass(frozen=True)
class Connection:
    """A `Connection` as the API answers it."""

    id: str
    kind: ConnectionKind
    name: str
    mode: Mode
    account: str | None
    base_url: str
    drift: ConnectionDrift
    collect: bool
    requests_per_minute: int
    is_enabled: bool
    state: ConnectionState
    webhook_path: str
    last_received_at: datetime | None
    last_swept_at: datetime | None
    created_at: datetime
    updated_at: datetime
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Connection:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            kind=members["kind"],
            name=members["name"],
            mode=members["mode"],
            account=members["account"],
            base_url=members["base_url"],
            drift=members["drift"],
            collect=members["collect"],
            requests_per_minute=members["requests_per_minute"],
            is_enabled=members["is_enabled"],
            state=members["state"],
            webhook_path=members["webhook_path"],
            last_received_at=optional(instant, members["last_received_at"]),
            last_swept_at=optional(instant, members["last_swept_at"]),
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            etag=etag,
        )


@dataclass(frozen=True)
class InboxItem:
    """A `InboxItem` as the API answers it."""

    key: str
    type: str | None
    object: InboxItemObject | None
    object_id: str | None
    state: InboxItemState
    code: str | None
    attempts: int
    next_attempt_at: datetime | None
    occurred_at: datetime | None
    received_at: datetime

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> InboxItem:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            key=members["key"],
            type=members["type"],
            object=members["object"],
            object_id=members["object_id"],
            state=members["state"],
            code=members["code"],
            attempts=members["attempts"],
            next_attempt_at=optional(instant, members["next_attempt_at"]),
            occurred_at=optional(instant, members["occurred_at"]),
            received_at=instant(members["received_at"]),
        )


@dataclass(frozen=True)
class InvoiceLines:
    """A `InvoiceLines` as the API answers it."""

    kind: InvoiceLinesKind
    description: str
    subscription_plan_id: str | None
    plan_version: int | None
    meter_id: str | None
    quantity: Decimal | None
    unit_price: Decimal | None
    amount: Decimal
    discount: Decimal
    tax_behavior: PlanVersionTaxBehavior
    tax_rate_ids: tuple[str, ...]
    period_start: datetime | None
    period_end: datetime | None
    source_invoice_id: str | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> InvoiceLines:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            kind=members["kind"],
            description=members["description"],
            subscription_plan_id=members["subscription_plan_id"],
            plan_version=members["plan_version"],
            meter_id=members["meter_id"],
            quantity=optional(money, members["quantity"]),
            unit_price=optional(money, members["unit_price"]),
            amount=money(members["amount"]),
            discount=money(members["discount"]),
            tax_behavior=members["tax_behavior"],
            tax_rate_ids=tuple(members["tax_rate_ids"]),
            period_start=optional(instant, members["period_start"]),
            period_end=optional(instant, members["period_end"]),
            source_invoice_id=members["source_invoice_id"],
        )


@dataclass(frozen=True)
class InvoiceTaxes:
    """A `InvoiceTaxes` as the API answers it."""

    tax_rate_id: str
    name: str
    percentage: Decimal
    tax_behavior: PlanVersionTaxBehavior
    base: Decimal
    amount: Decimal

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> InvoiceTaxes:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            tax_rate_id=members["tax_rate_id"],
            name=members["name"],
            percentage=money(members["percentage"]),
            tax_behavior=members["tax_behavior"],
            base=money(members["base"]),
            amount=money(members["amount"]),
        )


@dataclass(frozen=True)
class InvoiceSeller:
    """A `InvoiceSeller` as the API answers it."""

    name: str | None
    address: tuple[str, ...]
    country: str | None
    tax_id: str | None
    email: str | None
    note: str | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> InvoiceSeller:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            name=members["name"],
            address=tuple(members["address"]),
            country=members["country"],
            tax_id=members["tax_id"],
            email=members["email"],
            note=members["note"],
        )


@dataclass(frozen=True)
class InvoiceBuyer:
    """A `InvoiceBuyer` as the API answers it."""

    name: str | None
    address: tuple[str, ...]
    country: str | None
    tax_id: str | None
    email: str | None
    note: str | None
    tax_exempt: bool
    locale: str | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> InvoiceBuyer:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            name=members["name"],
            address=tuple(members["address"]),
            country=members["country"],
            tax_id=members["tax_id"],
            email=members["email"],
            note=members["note"],
            tax_exempt=members["tax_exempt"],
            locale=members["locale"],
        )


@dataclass(frozen=True)
class Invoice:
    """A `Invoice` as the API answers it."""

    id: str
    number: str | None
    kind: InvoiceKind
    status: InvoiceStatus
    user_id: str
    subscription_id: str
    currency: str
    collection: InvoiceCollection | None
    cycle_at: datetime | None
    period_start: datetime | None
    period_end: datetime | None
    lines: tuple[InvoiceLines, ...]
    subtotal: Decimal
    discount: Decimal
    taxes: tuple[InvoiceTaxes, ...]
    tax: Decimal
    tax_included: Decimal
    total: Decimal
    credit_applied: Decimal
    amount_paid: Decimal
    amount_credited: Decimal
    credited_total: Decimal
    amount_due: Decimal
    coupon_id: str | None
    memo: str | None
    attempts: int
    overdue: bool
    next_action: InvoiceNextAction | None
    next_action_at: datetime | None
    finalizes_at: datetime | None
    issued_at: datetime | None
    due_at: datetime | None
    paid_at: datetime | None
    created_at: datetime
    updated_at: datetime
    seller: InvoiceSeller | None
    buyer: InvoiceBuyer | None
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> Invoice:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            number=members["number"],
            kind=members["kind"],
            status=members["status"],
            user_id=members["user_id"],
            subscription_id=members["subscription_id"],
            currency=members["currency"],
            collection=members["collection"],
            cycle_at=optional(instant, members["cycle_at"]),
            period_start=optional(instant, members["period_start"]),
            period_end=optional(instant, members["period_end"]),
            lines=tuple(InvoiceLines.read(item) for item in members["lines"]),
            subtotal=money(members["subtotal"]),
            discount=money(members["discount"]),
            taxes=tuple(InvoiceTaxes.read(item) for item in members["taxes"]),
            tax=money(members["tax"]),
            tax_included=money(members["tax_included"]),
            total=money(members["total"]),
            credit_applied=money(members["credit_applied"]),
            amount_paid=money(members["amount_paid"]),
            amount_credited=money(members["amount_credited"]),
            credited_total=money(members["credited_total"]),
            amount_due=money(members["amount_due"]),
            coupon_id=members["coupon_id"],
            memo=members["memo"],
            attempts=members["attempts"],
            overdue=members["overdue"],
            next_action=members["next_action"],
            next_action_at=optional(instant, members["next_action_at"]),
            finalizes_at=optional(instant, members["finalizes_at"]),
            issued_at=optional(instant, members["issued_at"]),
            due_at=optional(instant, members["due_at"]),
            paid_at=optional(instant, members["paid_at"]),
            created_at=instant(members["created_at"]),
            updated_at=instant(members["updated_at"]),
            seller=optional(InvoiceSeller.read, members["seller"]),
            buyer=optional(InvoiceBuyer.read, members["buyer"]),
            etag=etag,
        )


@dataclass(frozen=True)
class CreditNoteLines:
    """A `CreditNoteLines` as the API answers it."""

    kind: InvoiceLinesKind
    description: str
    subscription_plan_id: str | None
    plan_version: int | None
    meter_id: str | None
    quantity: Decimal | None
    unit_price: Decimal | None
    amount: Decimal
    discount: Decimal
    tax_behavior: PlanVersionTaxBehavior
    tax_rate_ids: tuple[str, ...]
    period_start: datetime | None
    period_end: datetime | None
    source_invoice_id: str | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> CreditNoteLines:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            kind=members["kind"],
            description=members["description"],
            subscription_plan_id=members["subscription_plan_id"],
            plan_version=members["plan_version"],
            meter_id=members["meter_id"],
            quantity=optional(money, members["quantity"]),
            unit_price=optional(money, members["unit_price"]),
            amount=money(members["amount"]),
            discount=money(members["discount"]),
            tax_behavior=members["tax_behavior"],
            tax_rate_ids=tuple(members["tax_rate_ids"]),
            period_start=optional(instant, members["period_start"]),
            period_end=optional(instant, members["period_end"]),
            source_invoice_id=members["source_invoice_id"],
        )


@dataclass(frozen=True)
class CreditNoteTaxes:
    """A `CreditNoteTaxes` as the API answers it."""

    tax_rate_id: str
    name: str
    percentage: Decimal
    tax_behavior: PlanVersionTaxBehavior
    base: Decimal
    amount: Decimal

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> CreditNoteTaxes:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            tax_rate_id=members["tax_rate_id"],
            name=members["name"],
            percentage=money(members["percentage"]),
            tax_behavior=members["tax_behavior"],
            base=money(members["base"]),
            amount=money(members["amount"]),
        )


@dataclass(frozen=True)
class CreditNoteSeller:
    """A `CreditNoteSeller` as the API answers it."""

    name: str | None
    address: tuple[str, ...]
    country: str | None
    tax_id: str | None
    email: str | None
    note: str | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> CreditNoteSeller:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            name=members["name"],
            address=tuple(members["address"]),
            country=members["country"],
            tax_id=members["tax_id"],
            email=members["email"],
            note=members["note"],
        )


@dataclass(frozen=True)
class CreditNoteBuyer:
    """A `CreditNoteBuyer` as the API answers it."""

    name: str | None
    address: tuple[str, ...]
    country: str | None
    tax_id: str | None
    email: str | None
    note: str | None
    tax_exempt: bool
    locale: str | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> CreditNoteBuyer:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            name=members["name"],
            address=tuple(members["address"]),
            country=members["country"],
            tax_id=members["tax_id"],
            email=members["email"],
            note=members["note"],
            tax_exempt=members["tax_exempt"],
            locale=members["locale"],
        )


@dataclass(frozen=True)
class CreditNote:
    """A `CreditNote` as the API answers it."""

    id: str
    number: str
    invoice_id: str | None
    invoice_number: str | None
    subscription_id: str
    user_id: str
    currency: str
    lines: tuple[CreditNoteLines, ...]
    subtotal: Decimal
    discount: Decimal
    taxes: tuple[CreditNoteTaxes, ...]
    tax: Decimal
    tax_included: Decimal
    total: Decimal
    reason: str | None
    settlement: CreditNoteSettlement
    refund_reference: str | None
    applied_amount: Decimal
    balance_amount: Decimal
    issued_at: datetime
    seller: CreditNoteSeller | None
    buyer: CreditNoteBuyer | None
    created_at: datetime
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
    etag: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, members: Mapping[str, Any], etag: str | None = None) -> CreditNote:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            id=members["id"],
            number=members["number"],
            invoice_id=members["invoice_id"],
            invoice_number=members["invoice_number"],
            subscription_id=members["subscription_id"],
            user_id=members["user_id"],
            currency=members["currency"],
            lines=tuple(CreditNoteLines.read(item) for item in members["lines"]),
            subtotal=money(members["subtotal"]),
            discount=money(members["discount"]),
            taxes=tuple(CreditNoteTaxes.read(item) for item in members["taxes"]),
            tax=money(members["tax"]),
            tax_included=money(members["tax_included"]),
            total=money(members["total"]),
            reason=members["reason"],
            settlement=members["settlement"],
            refund_reference=members["refund_reference"],
            applied_amount=money(members["applied_amount"]),
            balance_amount=money(members["balance_amount"]),
            issued_at=instant(members["issued_at"]),
            seller=optional(CreditNoteSeller.read, members["seller"]),
            buyer=optional(CreditNoteBuyer.read, members["buyer"]),
            created_at=instant(members["created_at"]),
            etag=etag,
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
    #: What to send as `if_match` or `etag`; `None` in a list, which has no entity tags.
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
class TestClock:
    """A `TestClock` as the API answers it."""

    #: The time of the organization.
    now: datetime
    #: Where the clock moves to. Null unless it is advancing.
    target: datetime | None
    status: TestClockStatus
    #: The number of actions in the current or last advance.
    transitions: int
    #: Whether the last advance stopped after 100,000 actions.
    limit_reached: bool

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> TestClock:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            now=instant(members["now"]),
            target=optional(instant, members["target"]),
            status=members["status"],
            transitions=members["transitions"],
            limit_reached=members["limit_reached"],
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
class OperatorSessionOrganizationBillingDunning:
    """A `OperatorSessionOrganizationBillingDunning` as the API answers it."""

    retry_days: tuple[int, ...]
    grace_days: int
    then: PlanBillingDunningThen

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OperatorSessionOrganizationBillingDunning:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            retry_days=tuple(members["retry_days"]),
            grace_days=members["grace_days"],
            then=members["then"],
        )


@dataclass(frozen=True)
class OperatorSessionOrganizationBillingSeller:
    """A `OperatorSessionOrganizationBillingSeller` as the API answers it."""

    name: str | None
    address: tuple[str, ...]
    country: str | None
    tax_id: str | None
    email: str | None
    note: str | None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OperatorSessionOrganizationBillingSeller:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            name=members["name"],
            address=tuple(members["address"]),
            country=members["country"],
            tax_id=members["tax_id"],
            email=members["email"],
            note=members["note"],
        )


@dataclass(frozen=True)
class OperatorSessionOrganizationBilling:
    """A `OperatorSessionOrganizationBilling` as the API answers it."""

    #: The name of a time zone in the IANA database.
    time_zone: str
    payment_terms_days: int
    dunning: OperatorSessionOrganizationBillingDunning
    draft_hours: int
    tax_rate_ids: tuple[str, ...]
    seller: OperatorSessionOrganizationBillingSeller
    invoice_prefix: str
    credit_note_prefix: str
    yearly_numbers: bool
    spread_minutes: int
    renewal_notice_days: int

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> OperatorSessionOrganizationBilling:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            time_zone=members["time_zone"],
            payment_terms_days=members["payment_terms_days"],
            dunning=OperatorSessionOrganizationBillingDunning.read(members["dunning"]),
            draft_hours=members["draft_hours"],
            tax_rate_ids=tuple(members["tax_rate_ids"]),
            seller=OperatorSessionOrganizationBillingSeller.read(members["seller"]),
            invoice_prefix=members["invoice_prefix"],
            credit_note_prefix=members["credit_note_prefix"],
            yearly_numbers=members["yearly_numbers"],
            spread_minutes=members["spread_minutes"],
            renewal_notice_days=members["renewal_notice_days"],
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
    mode: Mode
    billing: OperatorSessionOrganizationBilling
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
            mode=members["mode"],
            billing=OperatorSessionOrganizationBilling.read(members["billing"]),
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


@dataclass(frozen=True)
class EntitlementToken:
    """A `EntitlementToken` as the API answers it."""

    #: A JWT with `typ` `ent+jwt`.
    token: str = field(repr=False)
    expires_at: datetime
    refresh_after: datetime

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> EntitlementToken:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            token=members["token"],
            expires_at=instant(members["expires_at"]),
            refresh_after=instant(members["refresh_after"]),
        )


@dataclass(frozen=True)
class RecordedUsage:
    """A `RecordedUsage` as the API answers it."""

    accepted: int
    duplicates: int
    conflicts: tuple[str, ...]
    late: tuple[str, ...]

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> RecordedUsage:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            accepted=members["accepted"],
            duplicates=members["duplicates"],
            conflicts=tuple(members["conflicts"]),
            late=tuple(members["late"]),
        )


@dataclass(frozen=True)
class SubscriptionUsageMeters:
    """A `SubscriptionUsageMeters` as the API answers it."""

    meter_id: str
    slug: str
    aggregation: MeterAggregation
    quantity: Decimal

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> SubscriptionUsageMeters:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            meter_id=members["meter_id"],
            slug=members["slug"],
            aggregation=members["aggregation"],
            quantity=money(members["quantity"]),
        )


@dataclass(frozen=True)
class SubscriptionUsage:
    """A `SubscriptionUsage` as the API answers it."""

    from_: datetime
    to: datetime
    meters: tuple[SubscriptionUsageMeters, ...]

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> SubscriptionUsage:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            from_=instant(members["from"]),
            to=instant(members["to"]),
            meters=tuple(SubscriptionUsageMeters.read(item) for item in members["meters"]),
        )


@dataclass(frozen=True)
class ReceivedWebhook:
    """A `ReceivedWebhook` as the API answers it."""

    received: bool

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> ReceivedWebhook:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            received=members["received"],
        )


@dataclass(frozen=True)
class AnalyticsMeta:
    """A `AnalyticsMeta` as the API answers it."""

    #: The figures are complete up to this time.
    as_of: datetime
    #: The last position of the feed that they include.
    sequence: int
    lag_seconds: int
    state: AnalyticsMetaState
    #: Null if the figures are of all currencies.
    currency: str | None
    #: Currencies with a movement.
    currencies: tuple[str, ...]

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> AnalyticsMeta:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            as_of=instant(members["as_of"]),
            sequence=members["sequence"],
            lag_seconds=members["lag_seconds"],
            state=members["state"],
            currency=members["currency"],
            currencies=tuple(members["currencies"]),
        )


@dataclass(frozen=True)
class Seats:
    """A `Seats` as the API answers it."""

    limit: int | Literal["unlimited"] | None
    used: int
    over_limit: bool

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> Seats:
        """From the members of its JSON; those that are not known here are left out."""
        return cls(
            limit=members["limit"],
            used=members["used"],
            over_limit=members["over_limit"],
        )
