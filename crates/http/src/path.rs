//! Path templates (`/subscriptions/{id}`, `/console/{*path}`) and the values of their parameters.

use crate::query::decode_percent;
use std::borrow::Cow;

/// The most parameters that a path has.
pub(crate) const MAX_PARAMETERS: usize = 4;

/// One segment of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    Literal(&'static str),
    /// Any one segment that is not empty.
    Parameter(&'static str),
    /// The rest of the path, if it is not empty.
    Wildcard(&'static str),
}

/// The segments of a template.
pub(crate) fn segments(template: &'static str) -> impl DoubleEndedIterator<Item = Segment> {
    template.trim_start_matches('/').split('/').map(|segment| {
        match segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) => name.strip_prefix('*').map_or(Segment::Parameter(name), Segment::Wildcard),
            None => Segment::Literal(segment),
        }
    })
}

/// The names of a template's parameters.
pub(crate) fn parameter_names(template: &'static str) -> impl Iterator<Item = &'static str> {
    segments(template).filter_map(|segment| match segment {
        Segment::Literal(_) => None,
        Segment::Parameter(name) | Segment::Wildcard(name) => Some(name),
    })
}

/// The values of a path's parameters as they were sent, in the order of the template. They borrow the path: finding a
/// route allocates nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PathParameters<'a> {
    values: [&'a str; MAX_PARAMETERS],
    count: usize,
}

impl<'a> PathParameters<'a> {
    /// The value at a position, percent-decoded; empty if it cannot be decoded, and nothing has an empty name.
    pub(crate) fn get(&self, position: usize) -> Cow<'a, str> {
        let sent = self.sent().get(position).copied().unwrap_or_default();
        if sent.contains('%') { Cow::Owned(decode_percent(sent).unwrap_or_default()) } else { Cow::Borrowed(sent) }
    }

    /// The values as they were sent.
    pub(crate) fn sent(&self) -> &[&'a str] {
        &self.values[..self.count]
    }

    pub(crate) fn push(&mut self, value: &'a str) {
        self.values[self.count] = value;
        self.count += 1;
    }

    pub(crate) fn pop(&mut self) {
        self.count -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_has_literals_parameters_and_a_wildcard() {
        let parsed: Vec<Segment> = segments("/a/{b}/c/{*d}").collect();
        let expected = [Segment::Literal("a"), Segment::Parameter("b"), Segment::Literal("c"), Segment::Wildcard("d")];
        assert_eq!(parsed, expected);
        assert_eq!(parameter_names("/a/{b}/c/{*d}").collect::<Vec<_>>(), ["b", "d"]);
    }

    #[test]
    fn values_are_decoded_when_they_are_read() {
        let mut parameters = PathParameters::default();
        for value in ["plain", "a%20b", "%zz"] {
            parameters.push(value);
        }
        assert_eq!([0, 1, 2, 3].map(|position| parameters.get(position)), ["plain", "a b", "", ""]);
    }
}
