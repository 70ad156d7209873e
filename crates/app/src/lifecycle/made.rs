//! What the engine has done, counted.

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Made {
    /// Actions of subscriptions.
    pub(crate) actions: usize,
    /// Steps of invoices.
    pub(crate) steps: usize,
}

impl Made {
    pub(super) const NOTHING: Self = Self { actions: 0, steps: 0 };

    pub(super) fn actions(is_made: bool) -> Self {
        Self { actions: usize::from(is_made), ..Self::NOTHING }
    }

    pub(super) fn steps(is_made: bool) -> Self {
        Self { steps: usize::from(is_made), ..Self::NOTHING }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self { actions: self.actions + other.actions, steps: self.steps + other.steps }
    }

    pub(crate) const fn is_nothing(self) -> bool {
        self.actions == 0 && self.steps == 0
    }
}
