//! The actions of the engine by name.

use serde::Serialize;

/// A change that the engine makes. At the same instant the smaller one comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The subscription starts.
    Start,
    /// It ends.
    End,
    /// Its trial ends.
    TrialEnd,
    /// It resumes after a pause.
    Resume,
    /// A new period begins.
    Renew,
    /// The first payment did not arrive.
    GiveUp,
    /// The end of the trial or of the period is near.
    Notice,
}

impl Action {
    /// Every action, in the order of precedence.
    pub const ALL: [Self; 7] =
        [Self::Start, Self::End, Self::TrialEnd, Self::Resume, Self::Renew, Self::GiveUp, Self::Notice];

    /// The word in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::End => "end",
            Self::TrialEnd => "trial_end",
            Self::Resume => "resume",
            Self::Renew => "renew",
            Self::GiveUp => "give_up",
            Self::Notice => "notice",
        }
    }
}
