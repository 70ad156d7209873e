//! Operators in the store. A name is unique in its organization, an identity in the installation.

use std::sync::LazyLock;

use crate::change::{Change, Guard};
use crate::codec;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{BY_CREATION, KeysetQuery, Order, Page, Position};
use crate::lock::Lock;
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::value::{Type, Value};
use perennial_domain::id::{EventId, OperatorId, OrganizationId};
use perennial_domain::operators::{Operator, Role};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::users::Identity;

/// The operators: people who manage one organization. A deleted organization has none.
pub static OPERATORS: Table = Table::new(
    14,
    "operators",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::mutable("name", Type::Text).unique(),
        Column::mutable("role", Type::Text),
        Column::fixed("issuer", Type::Text).nullable(),
        Column::fixed("subject", Type::Text).nullable(),
        Column::mutable("is_active", Type::Bool),
        Column::fixed("last_sign_in_at", Type::Time).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::deleted_at(),
        Column::mutable("revision", Type::Uuid),
    ],
)
.personal()
.small();

pub(crate) static BY_IDENTITY: LazyLock<Sql> = LazyLock::new(|| {
    OPERATORS.select("WHERE issuer = $1 AND subject = $2 AND subject IS NOT NULL AND deleted_at IS NULL")
});

/// The operator of a sign-in or a link.
pub(crate) static ACTIVE: Sql = Sql::new(
    "SELECT 1 FROM operators
     WHERE organization_id = $1 AND id = $2 AND is_active = $3 AND deleted_at IS NULL",
);

/// The operator who requests a change.
pub(crate) static IN_ROLE: Sql = Sql::new(
    "SELECT 1 FROM operators
     WHERE organization_id = $1 AND id = $2 AND role = $3 AND deleted_at IS NULL",
);

pub(crate) static CONNECT: Sql = Sql::new(
    "UPDATE operators
     SET issuer = $3, subject = $4, updated_at = $5, revision = $6
     WHERE organization_id = $1 AND id = $2 AND revision = $7",
);

pub(crate) static SIGNED_IN: Sql = Sql::new(
    "UPDATE operators
     SET last_sign_in_at = $3
     WHERE organization_id = $1 AND id = $2",
);

pub(crate) static REMOVE_ALL: Sql = Sql::new("DELETE FROM operators WHERE organization_id = $1");

impl Record for Operator {
    fn table() -> &'static Table {
        &OPERATORS
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.text("name", self.name.as_str());
        row.text("role", self.role.as_str());
        row.optional_text("issuer", self.identity.as_ref().map(|identity| identity.issuer.as_str()));
        row.optional_text("subject", self.identity.as_ref().map(|identity| identity.subject.as_str()));
        row.bool("is_active", self.is_active);
        row.optional_time("last_sign_in_at", self.last_sign_in_at);
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: OperatorId::from_bytes(row.uuid("id")?),
            name: Line::from_stored(row.text("name")?),
            role: row.word("role", Role::from_stored)?,
            identity: match (row.optional_text("issuer")?, row.optional_text("subject")?) {
                (Some(issuer), Some(subject)) => Some(Identity { issuer, subject }),
                _ => None,
            },
            is_active: row.bool("is_active")?,
            last_sign_in_at: row.optional_time("last_sign_in_at")?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The live operator with this id.
pub async fn by_id(db: &Db, organization: OrganizationId, id: OperatorId) -> Result<Option<Operator>, Error> {
    record::by_id(db, organization, id.bytes()).await
}

/// The live operator with this name.
pub async fn by_name(db: &Db, organization: OrganizationId, name: &str) -> Result<Option<Operator>, Error> {
    record::by_unique(db, organization, name).await
}

/// The live operator of the installation with this identity.
pub async fn by_identity(db: &Db, identity: &Identity) -> Result<Option<Operator>, Error> {
    db.find(&BY_IDENTITY, [identity.issuer.as_str().into(), identity.subject.as_str().into()], record::read).await
}

/// A page of an organization's operators, newest first.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Operator>, Error> {
    compose(organization).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId) -> KeysetQuery {
    OPERATORS.list(organization.bytes()).sort(BY_CREATION, Order::Descending)
}

/// A new operator; rejected with [`Violation::Name`] if its name is in use.
pub fn insert(change: Change, operator: &Operator) -> Change {
    record::insert(change, operator, Violation::Name)
}

/// The operator as it is now, if it is still at the revision it was read at; rejected with [`Violation::Name`] if its
/// name is in use.
pub fn update(change: Change, operator: &Operator, read_at: EventId) -> Change {
    record::update(change, operator, read_at, Violation::Name)
}

/// Soft-deletes the operator.
pub fn delete(change: Change, operator: &Operator, at: Time, revision: EventId) -> Change {
    record::delete(change, operator, operator.revision, (at, revision), Violation::Record)
}

/// Connects the operator to its identity; rejected with [`Violation::Identity`] if another operator has it.
pub fn connect(change: Change, operator: &Operator, identity: &Identity, read_at: EventId) -> Change {
    let mut values = key(operator.organization_id, operator.id);
    values.extend([
        identity.issuer.as_str().into(),
        identity.subject.as_str().into(),
        codec::time(operator.updated_at),
        operator.revision.bytes().into(),
        read_at.bytes().into(),
    ]);
    record::at_revision(change, operator, read_at).execute(&CONNECT, values, Violation::Identity)
}

/// Records a sign-in. The operator must be guarded with [`guard_active`].
pub fn signed_in(change: Change, operator: &Operator, at: Time) -> Change {
    let mut values = key(operator.organization_id, operator.id);
    values.push(codec::time(at));
    change.execute(&SIGNED_IN, values, Violation::Operator)
}

/// Locks the operator, live and active, until the change is committed; rejected with [`Violation::Operator`] otherwise.
pub fn guard_active(change: Change, operator: &Operator) -> Change {
    let mut params = key(operator.organization_id, operator.id);
    params.push(true.into());
    let (key, lock) = (operator.id.bytes(), Lock::Exclusive);
    change.guard(Guard { table: &OPERATORS, key, lock, sql: &ACTIVE, params, violation: Violation::Operator })
}

/// Locks the operator who requests the change in its role; rejected with [`Violation::CallerRole`] if it has another.
/// If the change is about the same operator, that lock is enough.
pub fn guard_role(change: Change, operator: &Operator) -> Change {
    let mut params = key(operator.organization_id, operator.id);
    params.push(operator.role.as_str().into());
    let key = operator.id.bytes();
    let lock = change.additional_lock(&OPERATORS, key);
    change.guard(Guard { table: &OPERATORS, key, lock, sql: &IN_ROLE, params, violation: Violation::CallerRole })
}

/// Removes every operator of an organization.
pub fn remove_all(change: Change, organization: OrganizationId) -> Change {
    change.execute_any(&REMOVE_ALL, vec![organization.bytes().into()])
}

fn key(organization: OrganizationId, id: OperatorId) -> Vec<Value> {
    vec![organization.bytes().into(), id.bytes().into()]
}
