//! The kinds of records that travel as lines: their fields in the order of their columns, what they refer to, and what
//! must be unique about them. Each kind comes before those that refer to it.

use super::form::{
    Form, currency, cycle, email, event_kind, href, id, line, named, payment_status, prefix_of, prose, slug,
    subscription_status, words,
};
use super::record::Record;
use super::rules;
use perennial_domain::id::{ClientId, EventId, OrganizationId, PaymentId, PlanId, SubscriptionId, UserId};
use perennial_domain::plans::{MAX_NODE_QUOTA, MAX_TIER};
use perennial_domain::validation::ValidationErrors;
use perennial_store::Table;
use perennial_store::tables::{EVENTS, ORGANIZATIONS, PAYMENTS, PLANS, SUBSCRIPTIONS, USERS};

/// A kind of record.
pub(super) struct Kind {
    /// What a line says it is.
    pub(super) name: &'static str,
    pub(super) table: &'static Table,
    pub(super) fields: &'static [Field],
    /// The fields that name other records, which must be there.
    pub(super) references: &'static [Reference],
    /// The field that no other record may share, and what to say of it.
    pub(super) unique: (&'static str, &'static str),
    pub(super) check: fn(&Record, &mut ValidationErrors),
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
    /// Refused, unless the import goes into one organization.
    Home,
    Null,
    /// What the API would take it for, as JSON.
    Usual(&'static str),
    /// What `created_at` is.
    Created,
    /// What follows from the unique field, if there is one: the same each time.
    FromName,
    /// The bytes of the record's id: a revision like any other, and the same each time. An event gets the same id.
    OwnId,
}

/// A field that names another record.
pub(super) struct Reference {
    pub(super) field: &'static str,
    pub(super) table: &'static Table,
    /// Whether a record that is live may name only one that is.
    pub(super) is_live: bool,
}

const fn needed(name: &'static str, form: Form) -> Field {
    Field { name, form, absent: Absent::Refused }
}

const fn optional(name: &'static str, form: Form) -> Field {
    Field { name, form, absent: Absent::Null }
}

const fn usual(name: &'static str, form: Form, json: &'static str) -> Field {
    Field { name, form, absent: Absent::Usual(json) }
}

const fn own_id(form: Form) -> Field {
    Field { name: "id", form, absent: Absent::FromName }
}

const fn updated_at() -> Field {
    Field { name: "updated_at", form: Form::Time, absent: Absent::Created }
}

const fn revision() -> Field {
    Field { name: "revision", form: id!(EventId), absent: Absent::OwnId }
}

const fn organization() -> Field {
    Field { name: "organization_id", form: id!(OrganizationId), absent: Absent::Home }
}

const fn in_organization() -> Reference {
    Reference { field: "organization_id", table: &ORGANIZATIONS, is_live: false }
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
        updated_at(),
        optional("deleted_at", Form::Time),
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
        own_id(id!(UserId)),
        optional("email", Form::Text(email)),
        optional("issuer", Form::Text(words)),
        optional("subject", Form::Text(words)),
        optional("auth_type", Form::Text(line::<0, 64>)),
        optional("username", Form::Text(line::<0, 255>)),
        optional("first_name", Form::Text(line::<0, 255>)),
        optional("last_name", Form::Text(line::<0, 255>)),
        optional("terms", Form::Bool),
        optional("notifications", Form::Bool),
        usual("session_epoch", Form::Int { least: 0, most: i64::MAX }, "0"),
        optional("blocked_at", Form::Time),
        needed("created_at", Form::Time),
        updated_at(),
        optional("deleted_at", Form::Time),
        revision(),
    ],
    references: &[in_organization()],
    unique: ("email", "or the identity is another user's"),
    check: rules::user,
};

static PLAN: Kind = Kind {
    name: "plan",
    table: &PLANS,
    fields: &[
        organization(),
        own_id(id!(PlanId)),
        needed("slug", Form::Text(slug)),
        needed("name", Form::Text(line::<1, 255>)),
        optional("product_id", Form::Text(line::<0, 255>)),
        usual("variants", Form::List(line::<1, 255>), "[]"),
        needed("price", Form::Money),
        needed("currency", Form::Text(currency)),
        optional("href", Form::Text(href)),
        needed("billing_cycle", Form::Text(cycle)),
        usual("description", Form::Text(prose::<5_000>), "\"\""),
        usual("node_quota", Form::Int { least: 0, most: MAX_NODE_QUOTA }, "0"),
        usual("features", Form::Text(prose::<10_000>), "\"\""),
        usual("most_popular", Form::Bool, "false"),
        usual("tier", Form::Int { least: 0, most: MAX_TIER }, "0"),
        usual("is_active", Form::Bool, "true"),
        needed("created_at", Form::Time),
        updated_at(),
        optional("deleted_at", Form::Time),
        revision(),
    ],
    references: &[in_organization()],
    unique: ("slug", "is another plan's"),
    check: rules::plan,
};

static SUBSCRIPTION: Kind = Kind {
    name: "subscription",
    table: &SUBSCRIPTIONS,
    fields: &[
        organization(),
        own_id(id!(SubscriptionId)),
        needed("user_id", named!(UserId, email)),
        needed("subscription_plan_id", named!(PlanId, slug)),
        optional("external_subscription_id", Form::Text(line::<1, 255>)),
        needed("billing_cycle", Form::Text(cycle)),
        needed("status", Form::Text(subscription_status)),
        needed("is_active", Form::Bool),
        needed("starts_at", Form::Time),
        optional("renews_at", Form::Time),
        optional("ends_at", Form::Time),
        needed("created_at", Form::Time),
        updated_at(),
        optional("deleted_at", Form::Time),
        revision(),
    ],
    references: &[
        in_organization(),
        // Of a person who is erased the subscriptions stay; a plan cannot be deleted while it has live ones.
        Reference { field: "user_id", table: &USERS, is_live: false },
        Reference { field: "subscription_plan_id", table: &PLANS, is_live: true },
    ],
    unique: ("external_subscription_id", "is another subscription's"),
    check: rules::subscription,
};

static PAYMENT: Kind = Kind {
    name: "payment",
    table: &PAYMENTS,
    fields: &[
        organization(),
        own_id(id!(PaymentId)),
        needed("subscription_id", named!(SubscriptionId, line::<1, 255>)),
        needed("amount", Form::Money),
        needed("currency", Form::Text(currency)),
        optional("external_payment_id", Form::Text(line::<1, 255>)),
        needed("status", Form::Text(payment_status)),
        optional("date", Form::Time),
        needed("created_at", Form::Time),
        updated_at(),
        optional("deleted_at", Form::Time),
        revision(),
    ],
    references: &[in_organization(), Reference { field: "subscription_id", table: &SUBSCRIPTIONS, is_live: false }],
    unique: ("external_payment_id", "is another payment's"),
    check: rules::payment,
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
    check: rules::event,
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
            let columns: Vec<_> = kind.table.columns.iter().map(|column| column.kind).collect();
            assert_eq!(kinds, columns, "{}", kind.name);
            for (field, column) in kind.fields.iter().zip(kind.table.columns.iter().map(|column| column.name)) {
                let same = field.name == column
                    || matches!(
                        (field.name, column),
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
