//! Invoices and credit notes with their numbers; the profiles and the balances of users.

use super::fields::{in_organization, needed, optional, usual};
use crate::form::{
    Form, country, credit_reason, currency, email, id, invoice_kind, invoice_status, line, listed_id, locale, named,
    note_settlement, words,
};
use crate::record::{Kind, Reference};
use crate::rules;
use perennial_domain::credits::MAX_BALANCE;
use perennial_domain::id::{CreditId, CreditNoteId, EventId, InvoiceId, SubscriptionId, TaxRateId, UserId};
use perennial_store::tables::{BILLING_PROFILES, CREDIT_NOTES, CREDITS, INVOICES, NUMBER_SERIES, SUBSCRIPTIONS, USERS};
use std::sync::OnceLock;

/// Lines, sums and parties are one object, as they are stored.
pub(super) static INVOICE: Kind = Kind {
    name: "invoice",
    table: &INVOICES,
    special: &[
        needed("id", id!(InvoiceId)),
        needed("subscription_id", named!(SubscriptionId, line::<1, 255>)),
        needed("user_id", named!(UserId, email)),
        optional("number", Form::Text(line::<1, 64>)),
        needed("kind", Form::Text(invoice_kind)),
        needed("status", Form::Text(invoice_status)),
        needed("currency", Form::Text(currency)),
        optional("source_invoice_id", id!(InvoiceId)),
        needed("content", Form::Object),
        // An invoice without an event has no history.
        needed("revision", id!(EventId)),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        Reference { field: "subscription_id", table: &SUBSCRIPTIONS, is_live: false, fits: None },
        Reference { field: "user_id", table: &USERS, is_live: false, fits: None },
    ],
    unique: ("id", "or its number is another invoice's"),
    check: rules::invoice,
};

pub(super) static CREDIT_NOTE: Kind = Kind {
    name: "credit_note",
    table: &CREDIT_NOTES,
    special: &[
        needed("id", id!(CreditNoteId)),
        needed("number", Form::Text(line::<1, 64>)),
        optional("invoice_id", id!(InvoiceId)),
        needed("subscription_id", named!(SubscriptionId, line::<1, 255>)),
        needed("user_id", named!(UserId, email)),
        needed("currency", Form::Text(currency)),
        needed("settlement", Form::Text(note_settlement)),
        optional("source_invoice_id", id!(InvoiceId)),
        needed("content", Form::Object),
        needed("revision", id!(EventId)),
    ],
    all: OnceLock::new(),
    references: &[
        in_organization(),
        Reference { field: "subscription_id", table: &SUBSCRIPTIONS, is_live: false, fits: None },
        Reference { field: "user_id", table: &USERS, is_live: false, fits: None },
    ],
    unique: ("id", "or its number is another credit note's"),
    check: rules::credit_note,
};

/// The counters of numbers, so that they continue without a gap.
pub(super) static NUMBER_SERIES_KIND: Kind = Kind {
    name: "number_series",
    table: &NUMBER_SERIES,
    special: &[needed("series", Form::Text(line::<1, 64>)), needed("next", Form::Int { least: 1, most: i64::MAX })],
    all: OnceLock::new(),
    references: &[in_organization()],
    unique: ("series", "has another counter"),
    check: |_, _| {},
};

/// The balances are computed from the entries at the end of an import.
pub(super) static CREDIT: Kind = Kind {
    name: "credit",
    table: &CREDITS,
    special: &[
        needed("id", id!(CreditId)),
        needed("user_id", named!(UserId, email)),
        needed("currency", Form::Text(currency)),
        needed("amount", Form::Decimal { decimals: 4, least: -MAX_BALANCE, most: MAX_BALANCE }),
        needed("reason", Form::Text(credit_reason)),
        optional("record_id", Form::Text(words)),
        optional("description", Form::Text(line::<1, 500>)),
    ],
    all: OnceLock::new(),
    references: &[in_organization(), Reference { field: "user_id", table: &USERS, is_live: false, fits: None }],
    unique: ("id", "is another credit's"),
    check: |_, _| {},
};

pub(super) static BILLING_PROFILE: Kind = Kind {
    name: "billing_profile",
    table: &BILLING_PROFILES,
    special: &[
        needed("user_id", named!(UserId, email)),
        optional("name", Form::Text(line::<1, 255>)),
        optional("email", Form::Text(email)),
        usual("address", Form::Lines(line::<1, 255>), "[]"),
        optional("country", Form::Text(country)),
        optional("tax_id", Form::Text(line::<1, 64>)),
        usual("tax_rate_ids", Form::List(listed_id::<TaxRateId>), "[]"),
        optional("locale", Form::Text(locale)),
        optional("note", Form::Text(line::<1, 500>)),
        // A profile without an event is not stored.
        needed("revision", id!(EventId)),
    ],
    all: OnceLock::new(),
    references: &[in_organization(), Reference { field: "user_id", table: &USERS, is_live: true, fits: None }],
    unique: ("user_id", "has another billing profile"),
    check: |_, _| {},
};
