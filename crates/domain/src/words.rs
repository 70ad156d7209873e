//! Enums that are words in the API and in the store.

/// Defines an enum whose values have a word each: it serializes as the word, and is parsed and stored as it.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $value:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
        pub enum $name { $($(#[$about])* #[serde(rename = $word)] $value),* }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$value),*];

            /// The word in the API and in the store.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$value => $word),* }
            }

            /// The value of a stored word.
            pub fn from_stored(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == word)
            }

            /// Parses a word.
            pub fn parse(text: &str) -> Result<Self, $crate::validation::InvalidValue> {
                Self::from_stored(text).ok_or_else(|| {
                    let known: Vec<&str> = Self::ALL.iter().map(|known| known.as_str()).collect();
                    let detail = format!("must be one of {}", known.join(", "));
                    $crate::validation::InvalidValue::new($crate::validation::ValidationCode::UnknownValue, detail)
                })
            }
        }
    };
}

pub(crate) use words;
