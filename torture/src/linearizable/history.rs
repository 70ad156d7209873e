//! One client's call and its response.

use std::fmt;

/// A record with two fields, each as the number of the write that brought it.
pub(crate) type Value = [u32; 2];

/// When the response comes to an operation that never got one.
pub(crate) const NEVER: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Read,
    /// Sets some fields and keeps the others, whatever they are; or only if the record still is as `expecting`.
    Write {
        set: [Option<u32>; 2],
        expecting: Option<Value>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The record as it was read, or as it is after the write.
    Saw(Value),
    /// The record was not as the write expected.
    Stale,
    /// Refused with the promise that nothing was changed.
    Nothing,
    /// There was no response, or one that leaves it open.
    Unknown,
}

/// Times count from the beginning of the history, in any unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) client: u16,
    pub(crate) invoked: u64,
    pub(crate) returned: u64,
    pub(crate) action: Action,
    pub(crate) outcome: Outcome,
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.returned {
            NEVER => write!(formatter, "{:>12} ..{:>12}", self.invoked, "")?,
            returned => write!(formatter, "{:>12} ..{returned:>12}", self.invoked)?,
        }
        write!(formatter, "  client {:>2}  ", self.client)?;
        match self.action {
            Action::Read => write!(formatter, "read")?,
            Action::Write { set, expecting } => {
                write!(formatter, "write {}", fields(set))?;
                if let Some(expected) = expecting {
                    write!(formatter, " if {}", fields(expected.map(Some)))?;
                }
            }
        }
        match self.outcome {
            Outcome::Saw(value) => write!(formatter, " -> {}", fields(value.map(Some))),
            Outcome::Stale => write!(formatter, " -> stale"),
            Outcome::Nothing => write!(formatter, " -> refused"),
            Outcome::Unknown => write!(formatter, " -> ?"),
        }
    }
}

fn fields(fields: [Option<u32>; 2]) -> String {
    let shown = fields.map(|field| field.map_or_else(|| "_".to_owned(), |number| number.to_string()));
    format!("({})", shown.join(", "))
}
