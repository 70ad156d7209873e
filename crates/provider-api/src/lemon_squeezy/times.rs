//! Instants as Lemon Squeezy writes them.

use super::super::findings::Why;
use perennial_domain::time::Time;

pub(super) fn time(name: &str, text: Option<&str>) -> Result<Time, Why> {
    let text = text.ok_or_else(|| Why::missing(name))?;
    Time::parse(text).map_err(|reason| Why::field(name, &reason))
}

/// An instant that may be absent.
pub(super) fn optional_time(name: &str, text: Option<&str>) -> Result<Option<Time>, Why> {
    text.map(|text| time(name, Some(text))).transpose()
}

pub(super) fn updated(text: Option<&str>, created_at: Time) -> Time {
    text.and_then(|text| Time::parse(text).ok()).map_or(created_at, |updated| updated.max(created_at))
}
