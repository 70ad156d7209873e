//! The parameters that lists share: the page, and the range of creation.

use crate::filters;
use crate::query::{Parameter, Query};
use crate::schema;
use perennial_app::payments::Range;
use perennial_domain::time::Time;

/// `created_after`.
pub(crate) const CREATED_AFTER: Parameter =
    Parameter { name: "created_after", description: "Created at or after this time.", schema: schema::instant };

/// `created_before`.
pub(crate) const CREATED_BEFORE: Parameter =
    Parameter { name: "created_before", description: "Created before this time.", schema: schema::instant };

/// `cursor`.
pub(crate) const CURSOR: Parameter =
    Parameter { name: "cursor", description: "`next_cursor` of the previous page.", schema: schema::cursor };

/// `limit`, with the default of the list.
pub(crate) const fn limit<const DEFAULT: usize>() -> Parameter {
    Parameter {
        name: "limit",
        description: "The maximum number of records on a page.",
        schema: || schema::limit(DEFAULT),
    }
}

/// The filters of a list, and the page that was requested.
pub(crate) struct ListQuery<Filters> {
    pub(crate) filters: Filters,
    pub(crate) limit: usize,
    pub(crate) cursor: Option<String>,
}

impl<Filters> ListQuery<Filters> {
    /// Parses the page.
    pub(crate) fn parse(query: &mut Query, filters: Filters, default_limit: usize) -> Self {
        Self {
            filters,
            limit: query.get("limit", filters::limit).unwrap_or(default_limit),
            cursor: query.get("cursor", |text| Ok(text.to_owned())),
        }
    }
}

/// Parses the range of creation.
pub(crate) fn created(query: &mut Query) -> Range {
    Range { after: query.get("created_after", Time::parse), before: query.get("created_before", Time::parse) }
}
