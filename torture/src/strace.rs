//! `strace` on running processes: what they asked of the kernel, in the order it happened.
//! One strace watches all of them, so that there is one order. A long call has two lines, where it
//! began and where it ended.

mod line;

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use perennial_harness::signal;

use crate::failure::{Failure, Result, could_not};
pub(crate) use line::Call;

const ATTACH_LIMIT: Duration = Duration::from_secs(20);
/// A page of either engine and its surroundings.
const BYTES: &str = "9000";
const CALLS: &str = "trace=fsync,fdatasync,pwrite64,pwritev,write,writev,sendto,sendmsg,recvfrom,shutdown";

/// A strace that is attached; dropping it lets the processes go.
pub(crate) struct Strace {
    child: Child,
    file: PathBuf,
}

impl Strace {
    /// Watches these processes and all that they start; `more` are further arguments. Nothing is missed from here on.
    pub(crate) fn attach(pids: &[u32], file: &Path, more: &[&str]) -> Result<Self> {
        let said = file.with_extension("strace.log");
        let stderr = File::create(&said).map_err(could_not(format!("create {}", said.display())))?;
        let child = Command::new("strace")
            .args(["-f", "-y", "-s", BYTES, "-e", CALLS])
            .args(more)
            .arg("-o")
            .arg(file)
            .args(pids.iter().flat_map(|pid| ["-p".to_owned(), pid.to_string()]))
            .stdin(Stdio::null())
            .stderr(stderr)
            .spawn()
            .map_err(|error| Failure::new(format!("could not run `strace`: {error}; `apt-get install strace`")))?;
        let mut strace = Self { child, file: file.to_path_buf() };
        strace.wait_until_attached(pids, &said)?;
        Ok(strace)
    }

    /// Lets the processes go and hands over each call that was seen.
    pub(crate) fn finish(mut self, mut each: impl FnMut(&Call<'_>)) -> Result {
        self.end().map_err(could_not("end `strace`"))?;
        let trace = File::open(&self.file).map_err(could_not(format!("open {}", self.file.display())))?;
        let mut trace = BufReader::with_capacity(1 << 20, trace);
        let mut text = Vec::new();
        loop {
            text.clear();
            if trace.read_until(b'\n', &mut text).map_err(could_not("read a trace"))? == 0 {
                return Ok(());
            }
            // strace writes ASCII; a line that was cut off is no call.
            if let Some(call) = std::str::from_utf8(&text).ok().and_then(Call::parse) {
                each(&call);
            }
        }
    }

    fn wait_until_attached(&mut self, pids: &[u32], said: &Path) -> Result {
        let deadline = Instant::now() + ATTACH_LIMIT;
        while Instant::now() < deadline {
            let text = fs::read_to_string(said).unwrap_or_default();
            if pids.iter().all(|pid| text.contains(&format!("Process {pid} attached"))) {
                return Ok(());
            }
            if self.child.try_wait().map_err(could_not("wait for `strace`"))?.is_some() {
                return Err(Failure::new(format!("`strace` may not look at the processes: {}", text.trim())));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(Failure::new("`strace` was not attached in time"))
    }

    fn end(&mut self) -> std::io::Result<ExitStatus> {
        if self.child.try_wait()?.is_none() {
            signal(self.child.id(), "TERM");
        }
        self.child.wait()
    }
}

impl Drop for Strace {
    fn drop(&mut self) {
        // A killed strace would leave its processes stopped for a moment; asked to end, it lets them go.
        let _ = self.end();
    }
}
