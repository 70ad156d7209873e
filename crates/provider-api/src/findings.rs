//! Reports about objects that were not imported, or not completely.

use perennial_domain::validation::InvalidValue;
use std::sync::Arc;

/// How much of an object is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The store rejected its record.
    Refused,
    /// It was not imported.
    LeftOut,
    /// It was imported without some of its values.
    Simplified,
}

/// A report about an object.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// How much of it is missing.
    pub level: Level,
    /// Its file.
    pub file: String,
    /// The service's name of its kind.
    pub object: String,
    /// Its ID at the service.
    pub id: String,
    /// A code for programs.
    pub code: &'static str,
    /// The reason, and what to do if something can be done.
    pub detail: String,
    /// The rejected record, as a line that `import` reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
}

/// The origin of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what it is called")]
pub struct Source {
    pub file: Arc<str>,
    pub object: &'static str,
    pub id: String,
}

impl Source {
    /// An object of a file.
    pub fn new(file: &Arc<str>, object: &'static str, id: impl Into<String>) -> Self {
        Self { file: Arc::clone(file), object, id: id.into() }
    }

    /// A report about it.
    pub fn find(&self, level: Level, why: Why) -> Finding {
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

/// Why something is not imported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "as in a report")]
pub struct Why {
    pub code: &'static str,
    pub detail: String,
}

impl Why {
    /// A reason with its code.
    pub fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }

    /// A field with a value that is invalid here.
    pub fn field(name: &str, reason: &InvalidValue) -> Self {
        Self { code: reason.code.as_str(), detail: format!("{name} {}", reason.detail) }
    }

    /// A missing field that every such object has.
    pub fn missing(name: &str) -> Self {
        Self::new("malformed", format!("{name} is missing: save the whole object"))
    }
}
