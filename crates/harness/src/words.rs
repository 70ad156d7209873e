//! The values of command-line options.

use std::path::PathBuf;
use std::str::FromStr;

use crate::failure::{Failure, Result, could_not};

pub fn number<N: FromStr>(text: &str) -> Result<N> {
    text.parse().map_err(|_| Failure::new(format!("`{text}` is not a whole number")))
}

/// Absolute, because the started programs run in other directories.
pub fn path(text: &str) -> Result<PathBuf> {
    std::path::absolute(text).map_err(could_not(format!("make sense of `{text}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_one_and_a_path_is_whole() {
        assert_eq!(number::<u64>("7").unwrap(), 7);
        assert!(number::<u64>("many").unwrap_err().to_string().contains("`many`"));
        assert!(number::<u8>("256").is_err());
        assert!(path("here").unwrap().is_absolute());
        assert!(path("").is_err());
    }
}
