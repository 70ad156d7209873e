//! Features: what an application checks, and how the values of several subscriptions become one.
//! The key, the kind, the meter and the period of a feature never change: grants and totals depend on them.

use crate::id::{EventId, FeatureId, MeterId, OrganizationId};
use crate::meters::{Aggregation, Meter, MeterKey};
use crate::plans::set;
use crate::slug::Slug;
use crate::text::{Line, Prose};
use crate::time::Time;
use crate::validation::{InvalidValue, ValidationCode, ValidationErrors};
use crate::words::words;

/// The most features of an organization.
pub const MAX_FEATURES: i64 = 500;

words! {
    /// What kind of values a feature has.
    #[derive(Hash)]
    FeatureKind {
        /// The feature is included or not.
        Boolean = "boolean",
        /// A number that the application compares with.
        Limit = "limit",
        /// A number of units of a meter in a period.
        Quota = "quota",
    }
}

words! {
    /// How the values of several subscriptions become one.
    Combine {
        /// True if one is true.
        Any = "any",
        /// The largest.
        Max = "max",
        /// The sum.
        Sum = "sum",
    }
}

words! {
    /// The period of a quota.
    #[derive(Hash, PartialOrd, Ord)]
    QuotaPeriod {
        /// The billing period of the subscription.
        Billing = "billing",
        /// The calendar day in UTC.
        Day = "day",
        /// The calendar month in UTC.
        Month = "month",
        /// The calendar year in UTC.
        Year = "year",
        /// No period: it never resets.
        Ever = "ever",
    }
}

impl FeatureKind {
    /// The ways to combine its values; the first is the default.
    pub const fn combines(self) -> &'static [Combine] {
        match self {
            Self::Boolean => &[Combine::Any],
            Self::Limit => &[Combine::Max, Combine::Sum],
            Self::Quota => &[Combine::Sum],
        }
    }
}

/// The name of a feature.
pub type FeatureName = Line<1, 255>;
/// The description of a feature.
pub type FeatureDescription = Prose<5_000>;

/// A feature's key, which cannot have the form of a feature's ID.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct FeatureKey(Slug);

impl FeatureKey {
    /// Parses a key.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        Slug::parse_unlike_id(text, FeatureId::PREFIX, "feature").map(Self)
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(text: String) -> Self {
        Self(Slug::from_stored(text))
    }

    /// The key's text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// How a caller names a feature: by its ID or by its key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FeatureReference {
    /// By ID.
    Id(FeatureId),
    /// By key.
    Key(FeatureKey),
}

impl FeatureReference {
    /// Parses a name; `None` if no feature can have it.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().map(Self::Id).ok().or_else(|| FeatureKey::parse(text).map(Self::Key).ok())
    }
}

/// A feature. It serializes as the record that the API returns.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct Feature {
    pub id: FeatureId,
    pub key: FeatureKey,
    pub name: FeatureName,
    pub description: FeatureDescription,
    pub kind: FeatureKind,
    pub combine: Combine,
    pub per_unit: bool,
    /// The meter of a quota.
    #[serde(rename = "meter")]
    pub meter_id: Option<MeterId>,
    /// The period of a quota.
    pub period: Option<QuotaPeriod>,
    pub is_active: bool,
    pub created_at: Time,
    pub updated_at: Time,
    #[serde(skip)]
    pub organization_id: OrganizationId,
    /// Its last event.
    #[serde(skip)]
    pub revision: EventId,
}

/// The fields of a create, or of an update, which changes neither key, kind, meter nor period. An omitted or invalid
/// field is `None`, a null `Some(None)`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct FeatureDraft {
    pub key: Option<FeatureKey>,
    pub name: Option<FeatureName>,
    pub description: Option<FeatureDescription>,
    pub kind: Option<FeatureKind>,
    pub combine: Option<Combine>,
    pub per_unit: Option<bool>,
    pub meter: Option<Option<MeterKey>>,
    pub period: Option<Option<QuotaPeriod>>,
    pub is_active: Option<bool>,
}

impl Feature {
    /// Whether it is a quota that counts.
    pub fn is_active_quota(&self) -> bool {
        self.is_active && self.kind == FeatureKind::Quota
    }

    /// The feature that a draft describes, or all its errors. `errors` are those found while parsing it; `meter` is the
    /// active meter that it names, if there is one.
    pub fn create(
        draft: FeatureDraft,
        mut errors: ValidationErrors,
        meter: Option<&Meter>,
        organization_id: OrganizationId,
        id: FeatureId,
        revision: EventId,
        now: Time,
    ) -> Result<Self, ValidationErrors> {
        if let Some(kind) = draft.kind {
            check_quota(kind, &draft, meter, &mut errors);
            check_values(kind, draft.combine, draft.per_unit, &mut errors);
        }
        let (Some(key), Some(name), Some(kind), true) = (draft.key, draft.name, draft.kind, errors.is_empty()) else {
            return Err(errors);
        };
        let is_quota = kind == FeatureKind::Quota;
        Ok(Self {
            id,
            key,
            name,
            description: draft.description.unwrap_or_default(),
            kind,
            combine: draft.combine.unwrap_or(kind.combines()[0]),
            per_unit: draft.per_unit.unwrap_or(false),
            meter_id: meter.filter(|_| is_quota).map(|meter| meter.id),
            period: is_quota.then(|| draft.period.flatten().unwrap_or(QuotaPeriod::Billing)),
            is_active: draft.is_active.unwrap_or(true),
            created_at: now,
            updated_at: now,
            organization_id,
            revision,
        })
    }

    /// The feature after an update, or all its errors.
    pub fn merge(&self, patch: FeatureDraft, mut errors: ValidationErrors) -> Result<Self, ValidationErrors> {
        check_values(self.kind, patch.combine, patch.per_unit, &mut errors);
        let mut merged = self.clone();
        set(&mut merged.name, patch.name);
        set(&mut merged.description, patch.description);
        set(&mut merged.combine, patch.combine);
        set(&mut merged.per_unit, patch.per_unit);
        set(&mut merged.is_active, patch.is_active);
        errors.into_result(merged)
    }
}

/// How values combine, and whether they are multiplied, must fit the kind.
fn check_values(kind: FeatureKind, combine: Option<Combine>, per_unit: Option<bool>, errors: &mut ValidationErrors) {
    let allowed = kind.combines();
    if combine.is_some_and(|combine| !allowed.contains(&combine)) {
        let words: Vec<&str> = allowed.iter().map(|combine| combine.as_str()).collect();
        let detail = format!("must be {} for a {} feature", words.join(" or "), kind.as_str());
        errors.note("/combine", ValidationCode::Inconsistent, detail);
    }
    if kind == FeatureKind::Boolean && per_unit == Some(true) {
        errors.note("/per_unit", ValidationCode::Inconsistent, "must be false for a boolean feature");
    }
}

/// Only a quota has a meter and a period.
fn check_quota(kind: FeatureKind, draft: &FeatureDraft, meter: Option<&Meter>, errors: &mut ValidationErrors) {
    if kind != FeatureKind::Quota {
        let sent =
            [("/meter", matches!(draft.meter, Some(Some(_)))), ("/period", matches!(draft.period, Some(Some(_))))];
        for (at, _) in sent.into_iter().filter(|(_, is_sent)| *is_sent) {
            errors.note(at, ValidationCode::Inconsistent, format!("must be omitted for a {} feature", kind.as_str()));
        }
        return;
    }
    match &draft.meter {
        None if !errors.touch("/meter") => errors.note("/meter", ValidationCode::Required, "is required for a quota"),
        Some(None) => errors.note("/meter", ValidationCode::NotNullable, "must not be null for a quota"),
        _ => {}
    }
    if draft.period == Some(None) {
        errors.note("/period", ValidationCode::NotNullable, "must not be null for a quota");
    }
    if meter.is_some_and(|meter| !can_be_limited(meter.aggregation)) {
        errors.note("/meter", ValidationCode::Inconsistent, "must have the aggregation sum or count");
    }
}

/// Whether a quota can limit what a meter with this aggregation counts.
pub const fn can_be_limited(aggregation: Aggregation) -> bool {
    matches!(aggregation, Aggregation::Sum | Aggregation::Count)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::meters::tests::meter;
    use crate::plans::tests::{event, instant};

    fn create(draft: FeatureDraft, meter: Option<&Meter>) -> Result<Feature, Vec<(String, ValidationCode)>> {
        let now = instant("2026-01-15T00:00:00Z");
        let first = draft.key.as_ref().map_or(0, |key| u64::from(key.as_str().bytes().last().unwrap()));
        let id = FeatureId::new(now, 4 * first);
        let organization = OrganizationId::new(now, 1);
        let created = Feature::create(draft, ValidationErrors::none(), meter, organization, id, event(1), now);
        created.map_err(|errors| errors.iter().map(|error| (error.pointer.to_string(), error.reason.code)).collect())
    }

    fn draft(key: &str, kind: FeatureKind) -> FeatureDraft {
        FeatureDraft {
            key: Some(FeatureKey::parse(key).unwrap()),
            name: Some(FeatureName::parse("Feature").unwrap()),
            kind: Some(kind),
            ..FeatureDraft::default()
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "the field of a draft")]
    fn metered(meter: &Meter) -> Option<Option<MeterKey>> {
        Some(Some(MeterKey::Id(meter.id)))
    }

    pub(crate) fn feature(key: &str, kind: FeatureKind) -> Feature {
        let meter = meter("calls", Aggregation::Sum);
        let is_quota = kind == FeatureKind::Quota;
        let draft = FeatureDraft { meter: metered(&meter).filter(|_| is_quota), ..draft(key, kind) };
        create(draft, is_quota.then_some(&meter)).unwrap()
    }

    #[test]
    fn a_feature_gets_the_defaults_of_its_kind() {
        let defaults = |kind| {
            let feature = feature("f", kind);
            (feature.combine, feature.period, feature.per_unit, feature.is_active)
        };
        assert_eq!(defaults(FeatureKind::Boolean), (Combine::Any, None, false, true));
        assert_eq!(defaults(FeatureKind::Limit), (Combine::Max, None, false, true));
        assert_eq!(defaults(FeatureKind::Quota), (Combine::Sum, Some(QuotaPeriod::Billing), false, true));
    }

    #[test]
    fn a_key_is_not_mistaken_for_an_id() {
        assert!(FeatureKey::parse("feat_sso").is_err());
        assert!(FeatureKey::parse("plan_sso").is_ok());
        assert_eq!(FeatureReference::parse("sso"), Some(FeatureReference::Key(FeatureKey::parse("sso").unwrap())));
        let id = feature("f", FeatureKind::Limit).id;
        assert_eq!(FeatureReference::parse(&id.to_string()), Some(FeatureReference::Id(id)));
        assert_eq!(FeatureReference::parse("No key"), None);
    }

    #[test]
    fn what_does_not_fit_the_kind_is_reported_at_once() {
        let meter = meter("calls", Aggregation::Sum);
        let all = |kind| FeatureDraft {
            combine: Some(Combine::Sum),
            per_unit: Some(true),
            meter: metered(&meter),
            period: Some(Some(QuotaPeriod::Day)),
            ..draft("f", kind)
        };
        let inconsistent = |at: &str| (at.to_owned(), ValidationCode::Inconsistent);
        let errors = create(all(FeatureKind::Boolean), Some(&meter)).unwrap_err();
        assert_eq!(errors, ["/meter", "/period", "/combine", "/per_unit"].map(inconsistent));
        let errors = create(all(FeatureKind::Limit), Some(&meter)).unwrap_err();
        assert_eq!(errors, ["/meter", "/period"].map(inconsistent));
        assert!(create(all(FeatureKind::Quota), Some(&meter)).is_ok());
        let max = FeatureDraft { combine: Some(Combine::Max), ..all(FeatureKind::Quota) };
        assert_eq!(create(max, Some(&meter)).unwrap_err(), ["/combine"].map(inconsistent));
    }

    #[test]
    fn a_quota_needs_a_meter_that_adds_up() {
        let required = create(draft("f", FeatureKind::Quota), None).unwrap_err();
        assert_eq!(required, [("/meter".to_owned(), ValidationCode::Required)]);
        let null = FeatureDraft { meter: Some(None), period: Some(None), ..draft("f", FeatureKind::Quota) };
        let errors = create(null, None).unwrap_err();
        assert_eq!(errors.iter().map(|(_, code)| *code).collect::<Vec<_>>(), [ValidationCode::NotNullable; 2]);
        for (aggregation, is_valid) in [
            (Aggregation::Sum, true),
            (Aggregation::Count, true),
            (Aggregation::Max, false),
            (Aggregation::Unique, false),
        ] {
            let meter = meter("calls", aggregation);
            let draft = FeatureDraft { meter: metered(&meter), ..draft("f", FeatureKind::Quota) };
            assert_eq!(create(draft, Some(&meter)).is_ok(), is_valid, "{aggregation:?}");
        }
    }

    #[test]
    fn an_update_changes_what_may_change() {
        let before = feature("f", FeatureKind::Limit);
        let patch = FeatureDraft {
            combine: Some(Combine::Sum),
            per_unit: Some(true),
            is_active: Some(false),
            kind: Some(FeatureKind::Boolean),
            ..FeatureDraft::default()
        };
        let after = before.merge(patch, ValidationErrors::none()).unwrap();
        assert_eq!((after.combine, after.per_unit, after.is_active), (Combine::Sum, true, false));
        assert_eq!((&after.key, after.kind), (&before.key, before.kind));
        let wrong = FeatureDraft { combine: Some(Combine::Any), ..FeatureDraft::default() };
        assert!(before.merge(wrong, ValidationErrors::none()).unwrap_err().touch("/combine"));
    }
}
