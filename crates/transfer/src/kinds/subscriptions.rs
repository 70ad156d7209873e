//! Subscriptions, and what belongs to one: payments, members, usage; and the events of all records.

use super::fields::{in_organization, needed, optional, own_id, stored_in, usual};
use crate::form::{
    Form, currency, cycle, email, event_kind, id, line, meter_slug, named, payment_status, slug, subscription_status,
    usage_event_id, words,
};
use crate::record::{Kind, Reference};
use crate::rules;
use perennial_domain::id::{
    ClientId, ConnectionId, EventId, InvoiceId, MeterId, OperatorId, PaymentId, PlanId, SubscriptionId, UserId,
};
use perennial_domain::usage::MAX_VALUE;
use perennial_store::tables::{
    EVENTS, METERS, PAYMENTS, PLANS, SUBSCRIPTION_MEMBERS, SUBSCRIPTIONS, USAGE_EVENTS, USERS,
};
use std::sync::OnceLock;

pub(super) static SUBSCRIPTION: Kind = Kind {
    name: "subscription",
    table: &SUBSCRIPTIONS,
    special: &[
        own_id(id!(SubscriptionId)),
        needed("user_id", named!(UserId, email)),
        stored_in("plan_id", needed("subscription_plan_id", named!(PlanId, slug))),
        stored_in("external_id", optional("external_subscription_id", Form::Text(line::<1, 255>))),
        needed("billing_cycle", Form::Text(cycle)),
        needed("status", Form::Text(subscription_status)),
        needed("is_active", Form::Bool),
        optional("billing", Form::Object),
        optional("change_plan_id", id!(PlanId)),
        optional("entitlements", Form::Object),
        optional("managed_by", id!(ConnectionId)),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        // Subscriptions outlive an erased user. A plan cannot be deleted while it has live subscriptions.
        Reference { field: "user_id", table: &USERS, is_live: false, fits: None },
        Reference {
            field: "subscription_plan_id",
            table: &PLANS,
            is_live: true,
            fits: Some(rules::subscription_of_plan),
        },
        Reference { field: "change_plan_id", table: &PLANS, is_live: true, fits: None },
    ],
    unique: ("external_subscription_id", "is another subscription's"),
    check: rules::subscription,
};

pub(super) static PAYMENT: Kind = Kind {
    name: "payment",
    table: &PAYMENTS,
    special: &[
        own_id(id!(PaymentId)),
        needed("subscription_id", named!(SubscriptionId, line::<1, 255>)),
        needed("amount", Form::Money),
        needed("currency", Form::Text(currency)),
        stored_in("external_id", optional("external_payment_id", Form::Text(line::<1, 255>))),
        needed("status", Form::Text(payment_status)),
        stored_in("completed_at", optional("date", Form::Time)),
        optional("invoice_id", id!(InvoiceId)),
        optional("applied", Form::Money),
        optional("surplus", Form::Money),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        Reference { field: "subscription_id", table: &SUBSCRIPTIONS, is_live: false, fits: None },
    ],
    unique: ("external_payment_id", "is another payment's"),
    check: rules::payment,
};

pub(super) static MEMBER: Kind = Kind {
    name: "member",
    table: &SUBSCRIPTION_MEMBERS,
    special: &[
        needed("subscription_id", named!(SubscriptionId, line::<1, 255>)),
        needed("user_id", named!(UserId, email)),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        // First, so that the owner of the subscription is compared with an ID.
        Reference { field: "user_id", table: &USERS, is_live: true, fits: None },
        Reference {
            field: "subscription_id",
            table: &SUBSCRIPTIONS,
            is_live: true,
            fits: Some(rules::member_of_subscription),
        },
    ],
    unique: ("user_id", "is a member of the subscription already"),
    check: |_, _| {},
};

pub(super) static USAGE_EVENT: Kind = Kind {
    name: "usage_event",
    table: &USAGE_EVENTS,
    special: &[
        needed("subscription_id", named!(SubscriptionId, line::<1, 255>)),
        needed("event_id", Form::Text(usage_event_id)),
        needed("meter_id", named!(MeterId, meter_slug)),
        usual("value", Form::Decimal { decimals: 6, least: -MAX_VALUE, most: MAX_VALUE }, "1"),
        stored_in("counted_key", optional("key", Form::Text(line::<1, 255>))),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        Reference { field: "subscription_id", table: &SUBSCRIPTIONS, is_live: false, fits: None },
        Reference { field: "meter_id", table: &METERS, is_live: false, fits: None },
    ],
    unique: ("event_id", "is that of another usage event of the subscription"),
    check: |_, _| {},
};

pub(super) static EVENT: Kind = Kind {
    name: "event",
    table: &EVENTS,
    special: &[
        needed("id", id!(EventId)),
        needed("kind", Form::Text(event_kind)),
        needed("record_id", Form::Record),
        optional("client_id", id!(ClientId)),
        optional("operator_id", id!(OperatorId)),
        optional("request_id", Form::Text(words)),
        optional("previous_id", id!(EventId)),
        optional("before", Form::Object),
        optional("after", Form::Object),
    ],
    all: OnceLock::new(),
    references: &[in_organization()],
    unique: ("id", "is another event's"),
    check: rules::event,
};
