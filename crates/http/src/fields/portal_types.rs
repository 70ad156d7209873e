//! The JSON representation of the settings of the customer portal.

use super::traits::{Field, Fields};
use super::types::{list, text};
use crate::json::Json;
use perennial_domain::clients::Origin;
use perennial_domain::portal::{Accent, CancelMode, ChangeMode, MAX_RETURN_ORIGINS, PortalPatch};
use perennial_domain::validation::ValidationErrors;
use serde_json::{Value, json};

/// The settings of the portal in an update of the organization.
pub(crate) fn portal(fields: &mut impl Fields) -> Option<PortalPatch> {
    fields.optional_object("/portal", "The settings of the customer portal, merged by member.", members)
}

fn members(fields: &mut impl Fields) -> PortalPatch {
    let origins = "The origins that links to the portal may return to.";
    PortalPatch {
        name: fields.nullable("/portal/name", "The name that customers see. Null: the organization's."),
        accent: fields.optional("/portal/accent", "The color of buttons, on which white text can be read."),
        cancel: fields
            .optional("/portal/cancel", "How customers cancel: at the end of the paid period, now, or not here."),
        resume: fields
            .optional("/portal/resume", "Whether customers may resume a cancelled subscription before it ends."),
        change: fields.optional(
            "/portal/change",
            "How customers change their plan: not here, at its link, or for the next period.",
        ),
        return_origins: fields.optional("/portal/return_origins", origins).map(|ReturnOrigins(origins)| origins),
    }
}

impl Field for Accent {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "pattern": "^#[0-9A-Fa-f]{6}$", "examples": ["#17734b"] })
    }
}

impl Field for CancelMode {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
    }
}

impl Field for ChangeMode {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        text(&json, at, errors, Self::parse)
    }

    fn schema() -> Value {
        json!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
    }
}

/// Fewer origins than a client has.
struct ReturnOrigins(Vec<Origin>);

impl Field for ReturnOrigins {
    fn read(json: Json<'_>, at: &'static str, errors: &mut ValidationErrors) -> Option<Self> {
        list(json, at, errors, MAX_RETURN_ORIGINS, Origin::parse).map(Self)
    }

    fn schema() -> Value {
        json!({
            "type": "array", "maxItems": MAX_RETURN_ORIGINS, "uniqueItems": true, "items": { "type": "string" },
            "description": "Each is scheme://host or scheme://host:port; the port may be *."
        })
    }
}
