//! Meters: what usage is measured by, and how the events of a window become one quantity.
//! The slug and the aggregation of a meter never change: stored events depend on them.

use crate::id::{EventId, MeterId, OrganizationId};
use crate::plans::set;
use crate::slug::Slug;
use crate::text::Line;
use crate::time::Time;
use crate::validation::{InvalidValue, ValidationErrors};
use crate::words::words;

words! {
    /// How the events of a window become one quantity.
    #[derive(Hash)]
    Aggregation {
        /// The sum of the values.
        Sum = "sum",
        /// The number of events.
        Count = "count",
        /// The greatest value.
        Max = "max",
        /// The value of the latest event.
        Last = "last",
        /// The number of different keys.
        Unique = "unique",
    }
}

impl Aggregation {
    /// Whether the values of events count.
    pub const fn reads_values(self) -> bool {
        matches!(self, Self::Sum | Self::Max | Self::Last)
    }
}

/// The name of a meter.
pub type MeterName = Line<1, 255>;
/// What a meter counts, such as `request` or `GB`.
pub type MeterUnit = Line<1, 64>;

/// A meter's slug, which cannot have the form of a meter's id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct MeterSlug(Slug);

impl MeterSlug {
    /// Parses a slug.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        Slug::parse_unlike_id(text, MeterId::PREFIX, "meter").map(Self)
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(text: String) -> Self {
        Self(Slug::from_stored(text))
    }

    /// The slug's text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// How a caller identifies a meter: by its id or by its slug.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MeterKey {
    /// By id.
    Id(MeterId),
    /// By slug.
    Slug(MeterSlug),
}

impl MeterKey {
    /// Parses a key; `None` if no meter can have it.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().map(Self::Id).ok().or_else(|| MeterSlug::parse(text).map(Self::Slug).ok())
    }
}

/// A meter. It serializes as the record that the API returns.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Meter {
    pub id: MeterId,
    pub slug: MeterSlug,
    pub name: MeterName,
    pub aggregation: Aggregation,
    pub unit: Option<MeterUnit>,
    pub is_active: bool,
    pub created_at: Time,
    pub updated_at: Time,
    #[serde(skip)]
    pub organization_id: OrganizationId,
    /// Its last event.
    #[serde(skip)]
    pub revision: EventId,
}

/// The fields of a create, or of an update, which changes neither the slug nor the aggregation. An omitted or invalid
/// field is `None`, a cleared one `Some(None)`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct MeterDraft {
    pub slug: Option<MeterSlug>,
    pub name: Option<MeterName>,
    pub aggregation: Option<Aggregation>,
    pub unit: Option<Option<MeterUnit>>,
    pub is_active: Option<bool>,
}

impl Meter {
    /// The meter that a draft describes, or all its errors. `errors` are those found while parsing it.
    pub fn create(
        draft: MeterDraft,
        errors: ValidationErrors,
        organization_id: OrganizationId,
        id: MeterId,
        revision: EventId,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        let (Some(slug), Some(name), Some(aggregation), true) =
            (draft.slug, draft.name, draft.aggregation, errors.is_empty())
        else {
            return Err(errors);
        };
        Ok(Self {
            id,
            slug,
            name,
            aggregation,
            unit: draft.unit.flatten(),
            is_active: draft.is_active.unwrap_or(true),
            created_at: now,
            updated_at: now,
            organization_id,
            revision,
        })
    }

    /// The meter after an update, or all its errors.
    pub fn merge(&self, patch: MeterDraft, errors: ValidationErrors) -> Result<Self, ValidationErrors> {
        let mut merged = self.clone();
        set(&mut merged.name, patch.name);
        set(&mut merged.unit, patch.unit);
        set(&mut merged.is_active, patch.is_active);
        errors.into_result(merged)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::plans::tests::{event, instant};

    pub(crate) fn meter(slug: &str, aggregation: Aggregation) -> Meter {
        let now = instant("2026-01-15T00:00:00Z");
        let draft = MeterDraft {
            slug: Some(MeterSlug::parse(slug).unwrap()),
            name: Some(MeterName::parse("Requests").unwrap()),
            aggregation: Some(aggregation),
            ..MeterDraft::default()
        };
        let id = MeterId::new(now, 4 * u64::from(slug.as_bytes()[0]));
        Meter::create(draft, ValidationErrors::none(), OrganizationId::new(now, 1), id, event(1), now).unwrap()
    }

    #[test]
    fn a_meter_is_active_by_default_and_has_no_unit() {
        let meter = meter("requests", Aggregation::Sum);
        assert_eq!((meter.is_active, meter.unit), (true, None));
    }

    #[test]
    fn a_slug_is_not_mistaken_for_an_id() {
        assert!(MeterSlug::parse("mtr_calls").is_err());
        assert!(MeterSlug::parse("plan_calls").is_ok());
        assert_eq!(MeterKey::parse("calls"), Some(MeterKey::Slug(MeterSlug::parse("calls").unwrap())));
        let id = meter("a", Aggregation::Sum).id;
        assert_eq!(MeterKey::parse(&id.to_string()), Some(MeterKey::Id(id)));
        assert_eq!(MeterKey::parse("No slug"), None);
    }

    #[test]
    fn an_update_changes_neither_slug_nor_aggregation() {
        let before = meter("requests", Aggregation::Sum);
        let patch = MeterDraft {
            slug: Some(MeterSlug::parse("other").unwrap()),
            aggregation: Some(Aggregation::Max),
            name: Some(MeterName::parse("Calls").unwrap()),
            unit: Some(Some(MeterUnit::parse("call").unwrap())),
            is_active: Some(false),
        };
        let after = before.merge(patch, ValidationErrors::none()).unwrap();
        assert_eq!((&after.slug, after.aggregation), (&before.slug, before.aggregation));
        assert_eq!((after.name.as_str(), after.is_active), ("Calls", false));
        let cleared = MeterDraft { unit: Some(None), ..MeterDraft::default() };
        assert_eq!(after.merge(cleared, ValidationErrors::none()).unwrap().unit, None);
        assert_eq!(before.merge(MeterDraft::default(), ValidationErrors::none()), Ok(before));
    }
}
