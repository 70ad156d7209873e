//! Whoever has got hold of a refresh token that is not theirs.

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
    /// Whom the owner at this place meets: three in twenty meet somebody, two where nobody waits.
    pub(super) fn of(place: u64, with_waiting: bool) -> Option<Self> {
        match place % 20 {
            0 => Some(Self::Old),
            1 => Some(Self::OldAmongOthers),
            2 if with_waiting => Some(Self::TakingTurns),
            _ => None,
        }
    }
}
