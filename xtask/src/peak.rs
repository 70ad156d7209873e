//! The most memory that a process has held, watched while it runs: the kernel keeps the figure and forgets it with the
//! process, so what is taken in its last moments may be missed.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const EVERY: Duration = Duration::from_millis(10);

pub(crate) struct Peak {
    is_over: Arc<AtomicBool>,
    watcher: JoinHandle<u64>,
}

impl Peak {
    pub(crate) fn of(pid: u32) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let watcher = thread::spawn(move || {
            let mut peak = 0;
            while !over.load(Ordering::Relaxed) {
                let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
                peak = peak.max(kibibytes(&status).unwrap_or(0));
                thread::sleep(EVERY);
            }
            peak
        });
        Self { is_over, watcher }
    }

    /// In KiB, once the process has ended; 0 where the system does not tell.
    pub(crate) fn end(self) -> u64 {
        self.is_over.store(true, Ordering::Relaxed);
        self.watcher.join().unwrap_or(0)
    }
}

fn kibibytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_status() {
        assert_eq!(kibibytes("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n"), Some(2048));
        assert_eq!(kibibytes("Name:\tx\n"), None, "of a process that has ended");
    }

    #[test]
    fn a_process_is_watched_until_it_ends() {
        let peak = Peak::of(std::process::id());
        thread::sleep(3 * EVERY);
        assert!(peak.end() > 0 || !cfg!(target_os = "linux"));
    }
}
