//! The event types that an endpoint receives: types, all types of a record kind, or all.
//!
//! A stored pattern that this program does not know matches nothing: a newer program may have stored it.

use crate::events::EventKind;
use crate::validation::{InvalidValue, ValidationCode};

/// The most patterns of an endpoint.
pub const MAX_PATTERNS: usize = 50;

const ALL: &str = "*";

/// A type (`payment.created`), all types of a record kind (`payment.*`), or all (`*`).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct EventPattern(String);

impl EventPattern {
    /// Parses a pattern that matches at least one type.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let pattern = Self(text.to_owned());
        if EventKind::ALL.iter().any(|kind| pattern.matches(*kind)) {
            return Ok(pattern);
        }
        Err(InvalidValue::new(
            ValidationCode::UnknownValue,
            "must be an event type, such as payment.created, payment.* or *",
        ))
    }

    /// Whether an event of this kind matches.
    pub fn matches(&self, kind: EventKind) -> bool {
        match self.0.strip_suffix(".*") {
            Some(record) => kind.record_kind().as_str() == record,
            None => self.0 == ALL || kind.as_str() == self.0,
        }
    }

    /// The types that match any of the patterns, for a filter in which none means all.
    pub fn kinds(patterns: &[Self]) -> Vec<&'static str> {
        let matches = |kind: &&EventKind| patterns.iter().any(|pattern| pattern.matches(**kind));
        let kinds: Vec<_> = EventKind::ALL.iter().filter(matches).map(|kind| kind.as_str()).collect();
        match kinds.len() {
            count if count == EventKind::ALL.len() => Vec::new(),
            0 => vec![""],
            _ => kinds,
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The patterns of an endpoint. By default all types.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct EventTypes(Vec<EventPattern>);

impl Default for EventTypes {
    fn default() -> Self {
        Self(vec![EventPattern(ALL.to_owned())])
    }
}

impl EventTypes {
    /// These patterns, of which there must be at least one.
    pub fn new(patterns: Vec<EventPattern>) -> Result<Self, InvalidValue> {
        match patterns.len() {
            0 => Err(InvalidValue::new(ValidationCode::TooShort, "must have at least 1 item")),
            1..=MAX_PATTERNS => Ok(Self(patterns)),
            _ => {
                let detail = format!("must have at most {MAX_PATTERNS} items");
                Err(InvalidValue::new(ValidationCode::TooLong, detail))
            }
        }
    }

    /// Stored patterns, which were validated by `parse` before they were stored.
    pub fn from_stored(patterns: Vec<String>) -> Self {
        Self(patterns.into_iter().map(EventPattern).collect())
    }

    /// The patterns.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(EventPattern::as_str)
    }

    /// Whether an event of this kind is sent.
    pub fn matches(&self, kind: EventKind) -> bool {
        self.0.iter().any(|pattern| pattern.matches(kind))
    }

    /// The matching types, for a filter in which none means all.
    pub fn kinds(&self) -> Vec<&'static str> {
        EventPattern::kinds(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(patterns: &[&str]) -> EventTypes {
        EventTypes::new(patterns.iter().map(|text| EventPattern::parse(text).unwrap()).collect()).unwrap()
    }

    #[test]
    fn patterns_match_types_record_kinds_or_everything() {
        let some = types(&["payment.*", "plan.created", "plan.created"]);
        assert_eq!(
            some.kinds(),
            ["plan.created", "payment.created", "payment.updated", "payment.deleted", "payment.collection_failed"]
        );
        assert!(some.matches(EventKind::PaymentDeleted) && !some.matches(EventKind::PlanUpdated));
        assert!(types(&["plan.created", "*"]).kinds().is_empty(), "all types");
        assert!(EventTypes::default().matches(EventKind::UserCreated));
    }

    #[test]
    fn unknown_patterns_and_wrong_counts_are_rejected() {
        for text in ["", "plan", "plan.", ".*", "plan.eaten", "eaten.*", "**", "*.*", "plan.**", "Plan.created", " *"] {
            assert_eq!(
                EventPattern::parse(text).map_err(|invalid| invalid.code),
                Err(ValidationCode::UnknownValue),
                "{text}"
            );
        }
        assert_eq!(EventTypes::new(Vec::new()).map_err(|invalid| invalid.code), Err(ValidationCode::TooShort));
        let many = vec![EventPattern::parse("*").unwrap(); MAX_PATTERNS + 1];
        assert_eq!(EventTypes::new(many).map_err(|invalid| invalid.code), Err(ValidationCode::TooLong));
    }

    #[test]
    fn the_guide_to_webhooks_lists_every_type_once() {
        let guide = include_str!("../../../../docs/webhooks.md");
        let (_, rest) = guide.split_once("### Event types\n").unwrap();
        let (table, _) = rest.split_once("\n\nTo know").unwrap();
        // `plan.created`, `.updated`: a type that begins with a dot is of the record kind before it.
        let (mut record, mut listed) = ("", Vec::new());
        for word in table.split('`').skip(1).step_by(2) {
            let (kind, action) = word.split_once('.').unwrap();
            record = if kind.is_empty() { record } else { kind };
            listed.push(format!("{record}.{action}"));
        }
        let mut known: Vec<_> = EventKind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known);
    }

    #[test]
    fn a_stored_pattern_of_a_newer_program_matches_nothing() {
        let newer = EventTypes::from_stored(vec!["coupon.redeemed".to_owned()]);
        assert_eq!(newer.kinds(), [""], "no types would mean all types");
    }
}
