//! What a process has used of the processor, itself and in the kernel.

use std::fs;

use crate::failure::{Failure, Result, could_not};

/// Linux counts in hundredths of a second for everyone, whatever it counts in itself.
const TICK_SECONDS: f64 = 0.01;

/// In seconds, since it began.
pub(crate) fn used(pid: u32) -> Result<f64> {
    let stat =
        fs::read_to_string(format!("/proc/{pid}/stat")).map_err(could_not("look at the server's processor time"))?;
    ticks(&stat)
        .map(|ticks| TICK_SECONDS * f64::from(ticks))
        .ok_or_else(|| Failure::new("the kernel does not say what the server used"))
}

/// The two numbers after eleven others, behind a name that may hold anything.
fn ticks(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11).map(|field| field.parse::<u32>().ok());
    Some(fields.next()?? + fields.next()??)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_times_are_found_behind_any_name() {
        let stat = "7 (a) b (c)) S 1 7 7 0 -1 4194560 11 22 33 44 250 50 0 0 20 0 5 0 100 0 0";
        assert_eq!(ticks(stat), Some(300));
        assert_eq!(ticks("7 (a) S 1 2"), None);
    }
}
