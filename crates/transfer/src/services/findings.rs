//! What is to be told of an object that was not carried, or not all of it.

use perennial_domain::validation::InvalidValue;
use std::sync::Arc;

/// How much of an object is missing here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The store refused what became of it.
    Refused,
    /// It has no place here.
    LeftOut,
    /// It is here, without something it had there.
    Simplified,
}

/// Something that is to be told of an object.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// How much of it is missing.
    pub level: Level,
    /// The file it stood in.
    pub file: String,
    /// What the service calls its kind.
    pub object: String,
    /// What the service calls it.
    pub id: String,
    /// A code that a program can branch on.
    pub code: &'static str,
    /// A sentence that says why, and what to do if something can be done.
    pub detail: String,
    /// The record that was refused, as a line that `import` reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
}

/// Where something came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) file: Arc<str>,
    pub(super) object: &'static str,
    pub(super) id: String,
}

impl Source {
    pub(super) fn new(file: &Arc<str>, object: &'static str, id: impl Into<String>) -> Self {
        Self { file: Arc::clone(file), object, id: id.into() }
    }

    pub(super) fn find(&self, level: Level, why: Why) -> Finding {
        Finding {
            level,
            file: self.file.to_string(),
            object: self.object.to_owned(),
            id: self.id.clone(),
            code: why.code,
            detail: why.detail,
            record: None,
        }
    }
}

/// Why something is not carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Why {
    pub(super) code: &'static str,
    pub(super) detail: String,
}

impl Why {
    pub(super) fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }

    /// A field whose value has no place here.
    pub(super) fn field(name: &str, reason: &InvalidValue) -> Self {
        Self { code: reason.code.as_str(), detail: format!("{name} {}", reason.detail) }
    }

    /// A field that every such object has.
    pub(super) fn missing(name: &str) -> Self {
        Self::new("malformed", format!("{name} is missing: save the whole object"))
    }
}
