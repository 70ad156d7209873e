//! Credentials as values that can be neither printed nor serialized by accident.

/// A token or a secret. It has no `Debug`, no `Display` and no `Serialize`; `expose` is the only access to its text.
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
    /// Wraps a confidential text.
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The text. Pass it to its recipient only.
    pub fn expose(&self) -> &str {
        &self.0
    }
}
