//! The kinds of records that are exported and imported: their special fields, their references, and the field that must
//! be unique. Each kind comes before the kinds that refer to it.
//!
//! A field follows from its column if it is a time, a flag, or a number with a range. Only other fields are listed here:
//! texts with a format, IDs, fields with another name or default. A test fails for a column that is missing here.

mod catalog;
mod fields;
mod invoices;
mod people;
mod subscriptions;

use super::record::Kind;
use catalog::{COUPON, FEATURE, METER, PLAN, PLAN_VERSION, TAX_RATE};
use invoices::{BILLING_PROFILE, CREDIT, CREDIT_NOTE, INVOICE, NUMBER_SERIES_KIND};
use people::{OPERATOR, ORGANIZATION, USER};
use subscriptions::{EVENT, MEMBER, PAYMENT, SUBSCRIPTION, USAGE_EVENT};

pub(super) static ALL: [&Kind; 19] = [
    &ORGANIZATION,
    &USER,
    &PLAN,
    &PLAN_VERSION,
    &SUBSCRIPTION,
    &PAYMENT,
    &OPERATOR,
    &TAX_RATE,
    &METER,
    &FEATURE,
    &COUPON,
    &CREDIT,
    &BILLING_PROFILE,
    &MEMBER,
    &USAGE_EVENT,
    &INVOICE,
    &CREDIT_NOTE,
    &NUMBER_SERIES_KIND,
    &EVENT,
];

/// The names of all kinds.
pub(super) fn names() -> String {
    ALL.map(|kind| kind.name).join(", ")
}

/// The kind that a line names.
pub(super) fn named_kind(name: &str) -> Option<&'static Kind> {
    ALL.into_iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_a_field_and_every_special_field_is_a_column() {
        for kind in ALL {
            let forms: Vec<_> = kind.fields().iter().map(|field| (field.column, field.form.kind())).collect();
            let columns: Vec<_> = kind.table.columns.iter().map(|column| (column.name, column.kind)).collect();
            assert_eq!(forms, columns, "{}", kind.name);
            for field in kind.special {
                assert!(kind.fields().iter().any(|known| known.name == field.name), "{}.{}", kind.name, field.name);
            }
            assert!(kind.references.iter().all(|reference| kind.fields().iter().any(|f| f.name == reference.field)));
            assert_eq!(named_kind(kind.name).map(|found| found.name), Some(kind.name));
        }
    }
}
