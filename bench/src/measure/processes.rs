//! What processes cost, from /proc: processor time of a whole family, memory of one process.
//! A family is a process with all that descend from it, the ended ones included: its parent keeps their sums.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

/// The kernel reports times in ticks of a hundredth of a second, on every Linux that we know of.
const TICKS_PER_SECOND: u64 = 100;

/// One line of `/proc/<pid>/stat`, as far as we care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    parent: u32,
    /// Its own time in both modes, and that of children it has waited for.
    ticks: u64,
}

/// The processor time that these processes and all their descendants have used so far.
pub(crate) fn family_time(roots: &[u32]) -> Duration {
    let all = all_processes();
    let ticks: u64 = all.iter().filter(|(pid, _)| descends(**pid, roots, &all)).map(|(_, stat)| stat.ticks).sum();
    Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND)
}

/// The processor time of one process alone, without any children.
pub(crate) fn own_time(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = fields(&stat);
    let ticks = field(&fields, 14).unwrap_or(0) + field(&fields, 15).unwrap_or(0);
    Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND)
}

/// The memory that a process holds in RAM, in bytes.
pub(crate) fn resident_bytes(pid: u32) -> Option<u64> {
    status_bytes(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmRSS:")
}

/// The most it ever held.
pub(crate) fn peak_bytes(pid: u32) -> Option<u64> {
    status_bytes(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmHWM:")
}

fn all_processes() -> HashMap<u32, Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            let text = fs::read_to_string(entry.path().join("stat")).ok()?;
            Some((pid, parse(&text)?))
        })
        .collect()
}

fn descends(pid: u32, roots: &[u32], all: &HashMap<u32, Stat>) -> bool {
    let mut current = pid;
    // The tree is read while it changes; a bound keeps a reused pid from closing a circle.
    for _ in 0..64 {
        if roots.contains(&current) {
            return true;
        }
        match all.get(&current) {
            Some(stat) if stat.parent > 1 => current = stat.parent,
            _ => return false,
        }
    }
    false
}

fn parse(text: &str) -> Option<Stat> {
    let fields = fields(text);
    let field = |number| field(&fields, number);
    let ticks = field(14)? + field(15)? + field(16)? + field(17)?;
    Some(Stat { parent: u32::try_from(field(4)?).ok()?, ticks })
}

/// The fields from the third on.
fn fields(text: &str) -> Vec<&str> {
    // The second field is a name in parentheses that may hold anything; the last one closes it.
    text.rfind(')').map_or_else(Vec::new, |end| text[end + 1..].split_whitespace().collect())
}

/// A field by the number that the manual gives it.
fn field(fields: &[&str], number: usize) -> Option<u64> {
    fields.get(number - 3)?.parse().ok()
}

fn status_bytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "4242 (post) gres: w) S 77 4242 4242 0 -1 4194304 500 0 0 0 11 22 33 44 20 0 1 0 99 0 0";

    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_shift_the_fields() {
        assert_eq!(parse(LINE), Some(Stat { parent: 77, ticks: 110 }));
        assert_eq!(parse("4242 (short) S 77"), None);
    }

    #[test]
    fn a_family_is_the_root_and_what_descends_from_it() {
        let all: HashMap<u32, Stat> = [(10, 1), (11, 10), (12, 11), (13, 1)]
            .into_iter()
            .map(|(pid, parent)| (pid, Stat { parent, ticks: 1 }))
            .collect();
        let family: Vec<bool> = [10, 11, 12, 13].into_iter().map(|pid| descends(pid, &[10], &all)).collect();
        assert_eq!(family, [true, true, true, false]);
    }

    #[test]
    fn memory_is_read_in_bytes() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(status_bytes(status, "VmRSS:"), Some(1 << 20));
        assert_eq!(status_bytes(status, "VmSwap:"), None);
    }

    #[test]
    fn this_process_has_memory() {
        assert!(resident_bytes(std::process::id()).is_some_and(|bytes| bytes > 0));
        assert!(peak_bytes(std::process::id()).is_some_and(|bytes| bytes > 0));
    }
}
