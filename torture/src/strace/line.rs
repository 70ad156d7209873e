//! One line of a trace.

/// Which part of a call a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Begun,
    Ended,
    /// Nothing else was seen in between.
    Whole,
}

/// A system call, or its first or second half.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call<'a> {
    pub(crate) thread: u32,
    moment: Moment,
    pub(crate) name: &'a str,
    /// The arguments as strace prints them: sent data in the first half, received data in the second.
    pub(crate) text: &'a str,
    /// What it answered; nothing in the first half.
    pub(crate) result: Option<&'a str>,
}

impl<'a> Call<'a> {
    /// Nothing for signals, ends of threads and lines cut short.
    pub(crate) fn parse(line: &'a str) -> Option<Self> {
        let (thread, rest) = line.trim_end().split_once(' ')?;
        let (thread, rest) = (thread.parse().ok()?, rest.trim_start());
        if let Some(second_half) = rest.strip_prefix("<... ") {
            let (name, rest) = second_half.split_once(" resumed>")?;
            let (text, result) = rest.rsplit_once(" = ")?;
            return Some(Self { thread, moment: Moment::Ended, name, text, result: Some(result) });
        }
        let (name, rest) = rest.split_once('(')?;
        if let Some(text) = rest.strip_suffix("<unfinished ...>") {
            return Some(Self { thread, moment: Moment::Begun, name, text, result: None });
        }
        let (text, result) = rest.rsplit_once(" = ")?;
        Some(Self { thread, moment: Moment::Whole, name, text, result: Some(result) })
    }

    pub(crate) fn begins(&self) -> bool {
        self.moment != Moment::Ended
    }

    pub(crate) fn ends(&self) -> bool {
        self.moment != Moment::Begun
    }

    pub(crate) fn is_sync(&self) -> bool {
        matches!(self.name, "fsync" | "fdatasync")
    }

    /// Puts bytes into a file, a socket or a pipe.
    pub(crate) fn sends(&self) -> bool {
        matches!(self.name, "write" | "writev" | "sendto" | "sendmsg")
    }

    pub(crate) fn succeeded(&self) -> bool {
        self.result.is_some_and(|result| !result.starts_with('-'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read_whole_or_in_halves() {
        let whole = Call::parse("17069 fsync(19</data/perennial.db-wal>) = 0\n").unwrap();
        assert_eq!((whole.thread, whole.moment, whole.name), (17069, Moment::Whole, "fsync"));
        assert!(whole.is_sync() && whole.begins() && whole.ends() && whole.succeeded());
        let first = Call::parse("7 pwrite64(3</w>, \"a = b\", 5, 0 <unfinished ...>").unwrap();
        assert!(first.begins() && !first.ends() && first.text.contains("a = b"));
        let second = Call::parse("7 <... fdatasync resumed>) = -1 EIO (Input/output error) (INJECTED)").unwrap();
        assert_eq!((second.moment, second.name), (Moment::Ended, "fdatasync"));
        assert!(!second.succeeded());
    }

    #[test]
    fn what_is_no_call_is_passed_over() {
        assert_eq!(Call::parse("7 +++ exited with 0 +++"), None);
        assert_eq!(Call::parse("7 --- SIGTERM {si_signo=SIGTERM} ---"), None);
        assert_eq!(Call::parse("7 pwrite64(3</w>, \"cut o"), None);
    }
}
