//! Features in the store.

use std::sync::LazyLock;

use crate::change::{Change, Guard};
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::list::{Key, KeysetQuery, Order, Page, Position};
use crate::lock::Lock;
use crate::meters::METERS;
use crate::organizations::ORGANIZATIONS;
use crate::record::{self, Record, RowReader, RowWriter};
use crate::row::Row;
use crate::sql::Sql;
use crate::table::Table;
use crate::value::Type;
use perennial_domain::features::{
    Combine, Feature, FeatureKey, FeatureKind, FeatureReference, MAX_FEATURES, QuotaPeriod,
};
use perennial_domain::id::{EventId, FeatureId, MeterId, OrganizationId};
use perennial_domain::meters::Meter;
use perennial_domain::text::{Line, Prose};

/// The features.
pub static FEATURES: Table = Table::new(
    43,
    "features",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("id", Type::Uuid),
        Column::fixed("key", Type::Text).unique(),
        Column::mutable("name", Type::Text),
        Column::mutable("description", Type::Text),
        Column::fixed("kind", Type::Text),
        Column::mutable("combine", Type::Text),
        Column::mutable("per_unit", Type::Bool),
        Column::fixed("meter_id", Type::Uuid).nullable(),
        Column::fixed("period", Type::Text).nullable(),
        Column::mutable("is_active", Type::Bool),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::mutable("revision", Type::Uuid),
    ],
)
.under_clock();

/// The version of each organization's features: another value after every change of one. The key is the organization. Triggers write it,
/// so that it also changes when an import or a server of an earlier version writes a feature.
pub static FEATURE_VERSIONS: Table =
    Table::new(52, "feature_versions", &[Column::key("id", Type::Uuid), Column::mutable("version", Type::Uuid)])
        .transient();

/// The features of an organization and their version, in one snapshot.
pub(crate) static AT_VERSION: LazyLock<Sql> = LazyLock::new(|| {
    let feature = FEATURES.columns_of("f");
    Sql::built(format!(
        "SELECT {feature}, v.version
         FROM feature_versions AS v LEFT JOIN features AS f ON f.organization_id = $1
         WHERE v.id = $1"
    ))
});

pub(crate) static BY_KEY: LazyLock<Sql> = LazyLock::new(|| FEATURES.select("WHERE organization_id = $1 ORDER BY key"));

pub(crate) static UNDER_LIMIT: Sql =
    Sql::new("SELECT 1 WHERE (SELECT COUNT(*) FROM features WHERE organization_id = $1) < $2");

pub(crate) static METER_ACTIVE: Sql = Sql::new(
    "SELECT 1 FROM meters
     WHERE organization_id = $1 AND id = $2 AND revision = $3 AND is_active",
);

pub(crate) static METER_UNUSED: Sql = Sql::new(
    "SELECT 1 WHERE NOT EXISTS (
         SELECT 1 FROM features WHERE organization_id = $1 AND meter_id = $2 AND is_active)",
);

/// One row if no feature has the meter, active or not.
pub(crate) static METER_WITHOUT_FEATURE: Sql =
    Sql::new("SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM features WHERE organization_id = $1 AND meter_id = $2)");

impl Record for Feature {
    fn table() -> &'static Table {
        &FEATURES
    }

    fn write(&self, row: &mut RowWriter) {
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("id", self.id.bytes());
        row.text("key", self.key.as_str());
        row.text("name", self.name.as_str());
        row.text("description", self.description.as_str());
        row.text("kind", self.kind.as_str());
        row.text("combine", self.combine.as_str());
        row.bool("per_unit", self.per_unit);
        row.optional_uuid("meter_id", self.meter_id.map(MeterId::bytes));
        row.optional_text("period", self.period.map(QuotaPeriod::as_str));
        row.bool("is_active", self.is_active);
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            id: FeatureId::from_bytes(row.uuid("id")?),
            key: FeatureKey::from_stored(row.text("key")?),
            name: Line::from_stored(row.text("name")?),
            description: Prose::from_stored(row.text("description")?),
            kind: row.word("kind", FeatureKind::from_stored)?,
            combine: row.word("combine", Combine::from_stored)?,
            per_unit: row.bool("per_unit")?,
            meter_id: row.optional_uuid("meter_id")?.map(MeterId::from_bytes),
            period: row.optional_word("period", QuotaPeriod::from_stored)?,
            is_active: row.bool("is_active")?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The feature with this ID or key.
pub async fn find(db: &Db, organization: OrganizationId, named: &FeatureReference) -> Result<Option<Feature>, Error> {
    match named {
        FeatureReference::Id(id) => record::by_id(db, organization, id.bytes()).await,
        FeatureReference::Key(key) => record::by_unique(db, organization, key.as_str()).await,
    }
}

/// Every feature of an organization, by key. There are at most 500.
pub async fn all(db: &Db, organization: OrganizationId) -> Result<Vec<Feature>, Error> {
    db.all(&BY_KEY, &[organization.bytes().into()], record::read).await
}

/// The features of an organization at one version.
#[derive(Clone, Debug, Default)]
pub struct FeatureSet {
    /// The version. None: the organization never had a feature.
    pub version: Option<[u8; 16]>,
    /// The features, by key.
    pub features: Vec<Feature>,
}

impl FeatureSet {
    /// The feature with this key.
    pub fn by_key(&self, key: &FeatureKey) -> Option<&Feature> {
        let found = self.features.binary_search_by(|feature| feature.key.cmp(key)).ok()?;
        Some(&self.features[found])
    }

    /// The feature with this ID or key.
    pub fn find(&self, named: &FeatureReference) -> Option<&Feature> {
        match named {
            FeatureReference::Id(id) => self.features.iter().find(|feature| feature.id == *id),
            FeatureReference::Key(key) => self.by_key(key),
        }
    }
}

/// The features of an organization and their version.
pub async fn current(db: &Db, organization: OrganizationId) -> Result<FeatureSet, Error> {
    const ID: usize = 1;
    let read = |row: &Row<'_>| {
        let feature = row.optional_uuid(ID)?.map(|_| record::read::<Feature>(row)).transpose()?;
        Ok((feature, row.uuid(FEATURES.width())?))
    };
    let mut set = FeatureSet::default();
    for (feature, version) in db.all(&AT_VERSION, &[organization.bytes().into()], read).await? {
        set.version = Some(version);
        set.features.extend(feature);
    }
    set.features.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    Ok(set)
}

/// The filters of a list of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Features of this kind.
    pub kind: Option<FeatureKind>,
    /// Only active or only inactive features.
    pub is_active: Option<bool>,
}

static SORTED: &[Key] = &[Key::new("key", Type::Text)];

/// A page of an organization's features, by key.
pub async fn list(
    db: &Db,
    organization: OrganizationId,
    query: Query,
    after: Option<Position>,
    limit: usize,
) -> Result<Page<Feature>, Error> {
    compose(organization, query).after(after).limit(limit).page(db, record::read).await
}

pub(crate) fn compose(organization: OrganizationId, query: Query) -> KeysetQuery {
    let mut list = FEATURES.list(organization.bytes()).sort(SORTED, Order::Ascending);
    if let Some(kind) = query.kind {
        list = list.filter("kind = {}", vec![kind.as_str().into()]);
    }
    if let Some(is_active) = query.is_active {
        list = list.filter("is_active = {}", vec![is_active.into()]);
    }
    list
}

/// The position of a feature in such a list.
pub fn position(feature: &Feature) -> Position {
    Position { values: vec![feature.key.as_str().into()] }
}

/// A new feature; rejected with [`Violation::FeatureKey`] if its key is in use, with [`Violation::FeatureLimit`] if the
/// organization has the maximum number, and with [`Violation::Meter`] if the meter of a quota has changed. The lock on the
/// organization orders concurrent creates.
pub fn insert(change: Change, feature: &Feature, meter: Option<&Meter>) -> Change {
    let organization = feature.organization_id.bytes();
    let guard =
        |lock, sql, params, violation| Guard { table: &ORGANIZATIONS, key: organization, lock, sql, params, violation };
    let live = &ORGANIZATIONS.statements().live;
    let change = change.guard(guard(Lock::Exclusive, live, vec![organization.into()], Violation::Record));
    let limit = vec![organization.into(), MAX_FEATURES.into()];
    let change = change.guard(guard(Lock::None, &UNDER_LIMIT, limit, Violation::FeatureLimit));
    let change = guard_meter(change, meter);
    record::insert(change, feature, Violation::FeatureKey)
}

/// The feature as it is now, if it is still at the revision it was read at. `meter` is that of a quota that becomes active again;
/// rejected with [`Violation::Meter`] if it has changed.
pub fn update(change: Change, feature: &Feature, read_at: EventId, meter: Option<&Meter>) -> Change {
    record::update(guard_meter(change, meter), feature, read_at, Violation::Record)
}

/// Requires that the meter is active and as it was read. The lock orders the change and a deactivation of the meter.
fn guard_meter(change: Change, meter: Option<&Meter>) -> Change {
    let Some(meter) = meter else { return change };
    change.guard(Guard {
        table: &METERS,
        key: meter.id.bytes(),
        lock: Lock::Share,
        sql: &METER_ACTIVE,
        params: vec![meter.organization_id.bytes().into(), meter.id.bytes().into(), meter.revision.bytes().into()],
        violation: Violation::Meter,
    })
}

/// Requires that no feature has the meter, so that its events are in no total. Subscriptions must be guarded before it in the same
/// change: a total is created under an exclusive lock on its subscription.
pub fn guard_meter_without_feature(change: Change, organization: OrganizationId, meter: MeterId) -> Change {
    change.guard(Guard {
        table: &METERS,
        key: meter.bytes(),
        lock: Lock::None,
        sql: &METER_WITHOUT_FEATURE,
        params: vec![organization.bytes().into(), meter.bytes().into()],
        violation: Violation::UsageTotal,
    })
}

/// Requires that no active feature uses the meter. The meter must be guarded exclusively before it in the same change.
pub fn guard_meter_unused(change: Change, meter: &Meter) -> Change {
    change.guard(Guard {
        table: &METERS,
        key: meter.id.bytes(),
        lock: Lock::None,
        sql: &METER_UNUSED,
        params: vec![meter.organization_id.bytes().into(), meter.id.bytes().into()],
        violation: Violation::MeterInUse,
    })
}
