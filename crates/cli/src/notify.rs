//! What a service manager is told, in the words of `sd_notify`: ready, stopping, alive.
//! Without `NOTIFY_SOCKET` nobody asked and nothing is said; a word that does not arrive is no reason not to serve.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The way to the service manager that started us, if it wants to know.
pub(crate) struct Notify {
    socket: Option<UnixDatagram>,
    heartbeat: Option<Duration>,
}

impl Notify {
    pub(crate) fn from_environment() -> Self {
        let socket = std::env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty());
        let socket = socket.and_then(|name| {
            let connected = connect(&name);
            connected.inspect_err(|error| tracing::warn!(%error, "NOTIFY_SOCKET cannot be used")).ok()
        });
        let variable = |name| std::env::var(name).ok();
        let heartbeat = heartbeat(variable("WATCHDOG_USEC"), variable("WATCHDOG_PID"), std::process::id());
        Self { socket, heartbeat }
    }

    /// Says it, if anyone listens.
    pub(crate) fn say(&self, state: &str) {
        let Some(socket) = &self.socket else { return };
        if let Err(error) = socket.send(state.as_bytes()) {
            tracing::warn!(%error, state, "the service manager was not told");
        }
    }

    /// How often it wants to hear that we live.
    pub(crate) fn heartbeat(&self) -> Option<Duration> {
        self.socket.as_ref().and(self.heartbeat)
    }
}

/// A name that begins with `@` is no path: it lives in the kernel alone.
fn connect(name: &OsStr) -> io::Result<UnixDatagram> {
    let address = match name.as_bytes() {
        [b'@', name @ ..] => nameless(name)?,
        _ => SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    // A manager that does not read must not hold us up.
    socket.set_nonblocking(true)?;
    socket.connect_addr(&address)?;
    Ok(socket)
}

#[cfg(target_os = "linux")]
fn nameless(name: &[u8]) -> io::Result<SocketAddr> {
    <SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(name)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_name: &[u8]) -> io::Result<SocketAddr> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Twice within the time after which we would be taken for dead, if it is us who is watched.
fn heartbeat(micros: Option<String>, watched: Option<String>, own: u32) -> Option<Duration> {
    let micros: u64 = micros?.parse().ok().filter(|micros| *micros > 0)?;
    let is_ours = watched.is_none_or(|pid| pid == own.to_string());
    is_ours.then(|| Duration::from_micros(micros / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heart_beats_twice_in_its_time_and_only_for_whom_is_watched() {
        let beat =
            |micros: &str, watched: Option<&str>| heartbeat(Some(micros.to_owned()), watched.map(str::to_owned), 7);
        assert_eq!(beat("30000000", None), Some(Duration::from_secs(15)));
        assert_eq!(beat("30000000", Some("7")), Some(Duration::from_secs(15)));
        assert_eq!(beat("30000000", Some("8")), None);
        assert_eq!(beat("0", None), None);
        assert_eq!(beat("soon", None), None);
        assert_eq!(heartbeat(None, None, 7), None);
    }
}
