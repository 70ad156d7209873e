//! The customer portal: an organization's settings, and how long sessions last. What it offers is in `portal_offers.rs`.
//!
//! A session of the portal is an ordinary session of the
//! user, without a client and without tokens.

use crate::clients::Origin;
use crate::text::Line;
use crate::time::Time;
use crate::validation::{InvalidValue, ValidationCode};

/// The name of the portal in lists of sessions, where other sessions have the name of their client.
pub const PORTAL_CLIENT_NAME: &str = "Customer portal";
/// How long a session of the portal lasts without a request.
pub const PORTAL_IDLE_SECONDS: i64 = 30 * 60;
/// How long a session of the portal lasts at most.
pub const PORTAL_MAX_SECONDS: i64 = 12 * 3600;
/// How long a one-time link works if its creator does not choose.
pub const PORTAL_LINK_SECONDS: i64 = 900;
/// The most origins that a link may return to.
pub const MAX_RETURN_ORIGINS: usize = 20;

/// The contrast of text that WCAG 2.2 AA requires.
const LEAST_CONTRAST: f64 = 4.5;

/// The name that customers see.
pub type PortalName = Line<1, 80>;

/// When a session of the portal expires that began and was used at these instants.
pub fn portal_expiry(signed_in_at: Time, used_at: Time) -> Time {
    used_at.plus_seconds(PORTAL_IDLE_SECONDS).min(signed_in_at.plus_seconds(PORTAL_MAX_SECONDS))
}

/// The settings of an organization's portal.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PortalSettings {
    /// The name that customers see. None: the organization's.
    pub name: Option<PortalName>,
    /// The color of buttons.
    pub accent: Accent,
    /// How customers cancel.
    pub cancel: CancelMode,
    /// Whether customers may resume a cancelled subscription before it ends.
    pub resume: bool,
    /// How customers change their plan.
    pub change: ChangeMode,
    /// The origins that a link may return to.
    pub return_origins: Vec<Origin>,
}

impl Default for PortalSettings {
    fn default() -> Self {
        Self {
            name: None,
            accent: Accent::default(),
            cancel: CancelMode::default(),
            resume: true,
            change: ChangeMode::default(),
            return_origins: Vec::new(),
        }
    }
}

impl PortalSettings {
    /// The settings after the changes.
    #[must_use]
    pub fn apply(&self, patch: PortalPatch) -> Self {
        Self {
            name: patch.name.unwrap_or_else(|| self.name.clone()),
            accent: patch.accent.unwrap_or_else(|| self.accent.clone()),
            cancel: patch.cancel.unwrap_or(self.cancel),
            resume: patch.resume.unwrap_or(self.resume),
            change: patch.change.unwrap_or(self.change),
            return_origins: patch.return_origins.unwrap_or_else(|| self.return_origins.clone()),
        }
    }
}

/// The changes to the settings. `None` leaves a member as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the members of the settings")]
pub struct PortalPatch {
    pub name: Option<Option<PortalName>>,
    pub accent: Option<Accent>,
    pub cancel: Option<CancelMode>,
    pub resume: Option<bool>,
    pub change: Option<ChangeMode>,
    pub return_origins: Option<Vec<Origin>>,
}

/// How customers cancel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelMode {
    /// At the end of the paid period.
    #[default]
    PeriodEnd,
    /// At once.
    Now,
    /// Not in the portal.
    Off,
}

/// How customers change their plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeMode {
    /// Not in the portal.
    #[default]
    Off,
    /// At the link of the plan.
    Link,
    /// In the portal, from the next period on.
    NextPeriod,
}

macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal),* }) => {
        impl $type {
            /// Every mode.
            pub const ALL: [Self; 3] = [$(Self::$variant),*];

            /// The word in the API and in the store.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            /// The mode of a stored word.
            pub fn from_stored(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|known| known.as_str() == word)
            }

            /// Parses a mode.
            pub fn parse(text: &str) -> Result<Self, InvalidValue> {
                Self::from_stored(text).ok_or_else(|| {
                    let known = Self::ALL.map(Self::as_str).join(", ");
                    InvalidValue::new(ValidationCode::UnknownValue, format!("must be one of {known}"))
                })
            }
        }
    };
}

words!(CancelMode { PeriodEnd = "period_end", Now = "now", Off = "off" });
words!(ChangeMode { Off = "off", Link = "link", NextPeriod = "next_period" });

/// A color on which white text can be read: `#rrggbb` in lower case.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Accent(String);

impl Default for Accent {
    fn default() -> Self {
        Self("#17734b".to_owned())
    }
}

impl Accent {
    /// Parses a color.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let color = text.to_ascii_lowercase();
        let digits =
            color.strip_prefix('#').filter(|rest| rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(rgb) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(InvalidValue::new(ValidationCode::InvalidFormat, "must be a color such as #17734b"));
        };
        if contrast_to_white(rgb) < LEAST_CONTRAST {
            let detail = "must have a contrast to white of at least 4.5: choose a darker color";
            return Err(InvalidValue::new(ValidationCode::OutOfRange, detail));
        }
        Ok(Self(color))
    }

    /// A stored value, which was validated by `parse` before it was stored.
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The color.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The contrast ratio of WCAG 2.2 between a color and white.
fn contrast_to_white(rgb: u32) -> f64 {
    let channel = |shift: u32| {
        let [.., byte] = (rgb >> shift).to_be_bytes();
        let part = f64::from(byte) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let luminance = 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0);
    1.05 / (luminance + 0.05)
}

/// An address that its owner recognizes and others learn little from: `a…@example.com`.
pub fn masked_email(email: &str) -> String {
    match email.split_once('@') {
        Some((local, domain)) => format!("{}…@{domain}", local.chars().take(1).collect::<String>()),
        None => "…".to_owned(),
    }
}
