//! A process ends with the one that started it, however that one ends: a shell holds the other end of a pipe, and when
//! the pipe closes without a word it kills. Neither a signal nor a crash of an instrument leaves a server behind.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// A word means that the process has ended, and that its id may be another's by now.
const KEEPER: &str = "trap '' HUP INT TERM; read -r over || kill -s KILL \"$1\" 2>/dev/null";

/// What ties a process to this one. To be dropped only after the process was waited for.
#[derive(Debug)]
pub struct Tether {
    keeper: Child,
}

impl Tether {
    pub fn to(pid: u32) -> io::Result<Self> {
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER, "tether"]).arg(pid.to_string());
        // Ctrl-C goes to the foreground group; the keeper must outlive it.
        let keeper = keeper.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self { keeper: keeper.spawn()? })
    }
}

impl Drop for Tether {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.keeper.stdin.take() {
            // Who does not hear it is gone already.
            let _ = pipe.write_all(b"over\n");
        }
        let _ = self.keeper.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::signal;
    use std::io::{BufRead, BufReader};
    use std::time::{Duration, Instant};

    const CHILD: &str = "PERENNIAL_TEST_TETHERED";
    const SLEEP: Duration = Duration::from_secs(20);

    fn sleeper() -> Child {
        Command::new("sleep").arg(SLEEP.as_secs().to_string()).spawn().unwrap()
    }

    /// Not a test by itself: the instrument that the test below ends.
    #[test]
    fn an_instrument_to_be_ended() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        let mut server = sleeper();
        let _tether = Tether::to(server.id()).unwrap();
        writeln!(io::stdout(), "\nstarted").unwrap();
        server.wait().unwrap();
    }

    #[test]
    fn a_server_ends_with_its_instrument_however_that_ends() {
        for end in ["TERM", "KILL"] {
            let mut instrument = Command::new(std::env::current_exe().unwrap())
                .args(["tether::tests::an_instrument_to_be_ended", "--exact", "--nocapture"])
                .env(CHILD, "1")
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut lines = BufReader::new(instrument.stdout.take().unwrap()).lines();
            assert!(lines.any(|line| line.unwrap() == "started"));
            let start = Instant::now();
            assert!(signal(instrument.id(), end));
            assert!(!instrument.wait().unwrap().success());
            // The server writes to the same pipe: it ends when both have.
            assert_eq!(lines.count(), 0);
            assert!(start.elapsed() < SLEEP / 2, "SIG{end} left a server behind");
        }
    }

    #[test]
    fn a_process_is_let_go_with_a_word() {
        let mut sleeper = sleeper();
        drop(Tether::to(sleeper.id()).unwrap());
        assert_eq!(sleeper.try_wait().unwrap(), None, "it lives");
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
    }
}
