//! How a guard locks its row. SQLite has one writer and needs no row locks.

/// The lock that a guard takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lock {
    /// None: the guard relies on a lock that an earlier guard of the same change has taken.
    None,
    /// The row cannot change. Others can lock it in the same way.
    Share,
    /// This change alters the row.
    Exclusive,
}
