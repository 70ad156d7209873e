//! Credentials as values: what is in one of these can be neither printed nor serialised by accident.

/// A token or a secret. It has no `Debug`, no `Display` and no `Serialize`; `expose` is the one way out.
///
/// ```compile_fail
/// format!("{:?}", perennial_identity::secret::Secret::new("s3cret".into()));
/// ```
///
/// ```compile_fail
/// format!("{}", perennial_identity::secret::Secret::new("s3cret".into()));
/// ```
///
/// ```compile_fail
/// serde_json::to_string(&perennial_identity::secret::Secret::new("s3cret".into()));
/// ```
///
/// ```
/// assert_eq!(perennial_identity::secret::Secret::new("s3cret".into()).expose(), "s3cret");
/// ```
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text that must not be seen.
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The text, for whoever it is meant for and nobody else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}
