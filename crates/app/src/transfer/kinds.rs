//! The kinds of records that travel as lines: their fields in the order of their columns, what they refer to, and what
//! must be unique about them. Each kind comes before those that refer to it.

use super::form::{
    Form, currency, cycle, email, event_kind, href, id, line, payment_status, prefix_of, prose, slug,
    subscription_status, words,
};
use super::record::Record;
use perennial_domain::fault::{FaultCode, Faults};
use perennial_domain::id::{ClientId, EventId, OrganizationId, PaymentId, PlanId, SubscriptionId, UserId};
use perennial_domain::plans::{MAX_NODE_QUOTA, MAX_TIER};
use perennial_domain::subscriptions::{self, SubscriptionStatus};
use perennial_store::Value;
use perennial_store::portable::{EVENTS, ORGANIZATIONS, PAYMENTS, PLANS, Portable, SUBSCRIPTIONS, USERS};

/// A kind of record.
pub(super) struct Kind {
    /// What a line says it is.
    pub(super) name: &'static str,
    pub(super) table: &'static Portable,
    pub(super) fields: &'static [Field],
    /// The fields that name other records, which must be there.
    pub(super) references: &'static [Reference],
    /// The field that no other record may share, and what to say of it.
    pub(super) unique: (&'static str, &'static str),
    pub(super) check: fn(&Record, &mut Faults),
}

/// A field of a line, which is a column of the table.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) absent: Absent,
}

/// What a field is that was left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    Refused,
    Null,
    Zero,
    /// The bytes of the record's id: a revision like any other, and the same each time.
    OwnId,
}

/// A field that names another record.
pub(super) struct Reference {
    pub(super) field: &'static str,
    pub(super) table: &'static Portable,
}

const fn needed(name: &'static str, form: Form) -> Field {
    Field { name, form, absent: Absent::Refused }
}

const fn optional(name: &'static str, form: Form) -> Field {
    Field { name, form, absent: Absent::Null }
}

const fn revision() -> Field {
    Field { name: "revision", form: id!(EventId), absent: Absent::OwnId }
}

const fn organization() -> Field {
    needed("organization_id", id!(OrganizationId))
}

const fn in_organization() -> Reference {
    Reference { field: "organization_id", table: &ORGANIZATIONS }
}

pub(super) static ALL: [&Kind; 6] = [&ORGANIZATION, &USER, &PLAN, &SUBSCRIPTION, &PAYMENT, &EVENT];

static ORGANIZATION: Kind = Kind {
    name: "organization",
    table: &ORGANIZATIONS,
    fields: &[
        needed("id", id!(OrganizationId)),
        needed("name", Form::Text(line::<1, 255>)),
        needed("currency", Form::Text(currency)),
        optional("max_sessions", Form::Int { least: 1, most: 4_294_967_295 }),
        needed("created_at", Form::Time),
        needed("updated_at", Form::Time),
        revision(),
    ],
    references: &[],
    unique: ("name", "is another organization's here: import into a store that no server has run on, or use --into"),
    check: |_, _| {},
};

static USER: Kind = Kind {
    name: "user",
    table: &USERS,
    fields: &[
        organization(),
        needed("id", id!(UserId)),
        optional("email", Form::Text(email)),
        optional("issuer", Form::Text(words)),
        optional("subject", Form::Text(words)),
        optional("auth_type", Form::Text(line::<0, 64>)),
        optional("username", Form::Text(line::<0, 255>)),
        optional("first_name", Form::Text(line::<0, 255>)),
        optional("last_name", Form::Text(line::<0, 255>)),
        optional("terms", Form::Bool),
        optional("notifications", Form::Bool),
        Field { name: "session_epoch", form: Form::Int { least: 0, most: i64::MAX }, absent: Absent::Zero },
        needed("created_at", Form::Time),
        needed("updated_at", Form::Time),
        optional("deleted_at", Form::Time),
        revision(),
    ],
    references: &[in_organization()],
    unique: ("email", "or the identity is another user's"),
    check: |record, faults| {
        if record.at("issuer").is_null() != record.at("subject").is_null() {
            faults.note("subject", FaultCode::Inconsistent, "and issuer come together or not at all");
        }
    },
};

static PLAN: Kind = Kind {
    name: "plan",
    table: &PLANS,
    fields: &[
        organization(),
        needed("id", id!(PlanId)),
        needed("slug", Form::Text(slug)),
        needed("name", Form::Text(line::<1, 255>)),
        optional("product_id", Form::Text(line::<0, 255>)),
        needed("variants", Form::List(line::<1, 255>)),
        needed("price", Form::Money),
        needed("currency", Form::Text(currency)),
        optional("href", Form::Text(href)),
        needed("billing_cycle", Form::Text(cycle)),
        needed("description", Form::Text(prose::<5_000>)),
        needed("node_quota", Form::Int { least: 0, most: MAX_NODE_QUOTA }),
        needed("features", Form::Text(prose::<10_000>)),
        needed("most_popular", Form::Bool),
        needed("tier", Form::Int { least: 0, most: MAX_TIER }),
        needed("is_active", Form::Bool),
        needed("created_at", Form::Time),
        needed("updated_at", Form::Time),
        optional("deleted_at", Form::Time),
        revision(),
    ],
    references: &[in_organization()],
    unique: ("slug", "is another plan's"),
    check: |record, faults| record.check_amount("price", faults),
};

static SUBSCRIPTION: Kind = Kind {
    name: "subscription",
    table: &SUBSCRIPTIONS,
    fields: &[
        organization(),
        needed("id", id!(SubscriptionId)),
        needed("user_id", id!(UserId)),
        needed("subscription_plan_id", id!(PlanId)),
        optional("external_subscription_id", Form::Text(line::<1, 255>)),
        needed("billing_cycle", Form::Text(cycle)),
        needed("status", Form::Text(subscription_status)),
        needed("is_active", Form::Bool),
        needed("starts_at", Form::Time),
        optional("renews_at", Form::Time),
        optional("ends_at", Form::Time),
        needed("created_at", Form::Time),
        needed("updated_at", Form::Time),
        optional("deleted_at", Form::Time),
        revision(),
    ],
    references: &[
        in_organization(),
        Reference { field: "user_id", table: &USERS },
        Reference { field: "subscription_plan_id", table: &PLANS },
    ],
    unique: ("external_subscription_id", "is another subscription's"),
    check: |record, faults| {
        let status = SubscriptionStatus::kept(record.text("status"));
        if let (Some(status), Some(starts_at)) = (status, record.time("starts_at")) {
            let is_active = *record.at("is_active") == Value::Bool(true);
            let (renews_at, ends_at) = (record.time("renews_at"), record.time("ends_at"));
            subscriptions::check(status, is_active, starts_at, renews_at, ends_at, faults);
        }
    },
};

static PAYMENT: Kind = Kind {
    name: "payment",
    table: &PAYMENTS,
    fields: &[
        organization(),
        needed("id", id!(PaymentId)),
        needed("subscription_id", id!(SubscriptionId)),
        needed("amount", Form::Money),
        needed("currency", Form::Text(currency)),
        optional("external_payment_id", Form::Text(line::<1, 255>)),
        needed("status", Form::Text(payment_status)),
        optional("date", Form::Time),
        needed("created_at", Form::Time),
        needed("updated_at", Form::Time),
        optional("deleted_at", Form::Time),
        revision(),
    ],
    references: &[in_organization(), Reference { field: "subscription_id", table: &SUBSCRIPTIONS }],
    unique: ("external_payment_id", "is another payment's"),
    check: |record, faults| record.check_amount("amount", faults),
};

static EVENT: Kind = Kind {
    name: "event",
    table: &EVENTS,
    fields: &[
        organization(),
        needed("id", id!(EventId)),
        needed("kind", Form::Text(event_kind)),
        needed("record_id", Form::Record),
        optional("client_id", id!(ClientId)),
        optional("request_id", Form::Text(words)),
        needed("at", Form::Time),
        optional("before", Form::Object),
        optional("after", Form::Object),
    ],
    references: &[in_organization()],
    unique: ("id", "is another event's"),
    check: |_, _| {},
};

impl Kind {
    /// The kind that a line names.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        ALL.into_iter().find(|kind| kind.name == name)
    }

    /// Where a field stands.
    pub(super) fn place(&self, field: &str) -> usize {
        self.fields.iter().position(|known| known.name == field).unwrap_or_default()
    }

    /// Whether an event of this kind tells of a record with such an id.
    pub(super) fn fits(&self, kind: &str, record_id: &str) -> bool {
        let prefix = prefix_of(kind);
        self.name != "event" || prefix.is_none_or(|prefix| record_id.split('_').next() == Some(prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_where_their_columns_stand() {
        for kind in ALL {
            let kinds: Vec<_> = kind.fields.iter().map(|field| field.form.kind()).collect();
            let columns: Vec<_> = kind.table.columns.iter().map(|(_, of)| *of).collect();
            assert_eq!(kinds, columns, "{}", kind.name);
            for (field, (column, _)) in kind.fields.iter().zip(kind.table.columns) {
                let same = field.name == *column
                    || matches!(
                        (field.name, *column),
                        ("subscription_plan_id", "plan_id")
                            | ("external_subscription_id" | "external_payment_id", "external_id")
                            | ("date", "completed_at")
                    );
                assert!(same, "{} is not {column}", field.name);
            }
            assert!(kind.references.iter().all(|reference| kind.fields.iter().any(|f| f.name == reference.field)));
            assert_eq!(Kind::named(kind.name).map(|found| found.name), Some(kind.name));
        }
    }
}
