//! Thieves of refresh tokens.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thief {
    /// Presents the first token of all, alone.
    Old,
    /// Presents it while the owner's callers refresh.
    OldAmongOthers,
    /// Comes with the tokens that the owner comes with, more than ten seconds after the owner.
    TakingTurns,
}

impl Thief {
    /// The thief of the owner at this place: three in twenty have one, two if no caller waits.
    pub(super) fn of(place: u64, with_waiting: bool) -> Option<Self> {
        match place % 20 {
            0 => Some(Self::Old),
            1 => Some(Self::OldAmongOthers),
            2 if with_waiting => Some(Self::TakingTurns),
            _ => None,
        }
    }
}
