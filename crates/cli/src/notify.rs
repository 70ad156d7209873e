//! Notifications to the service manager (`sd_notify`): ready, stopping, watchdog.
//! Without `NOTIFY_SOCKET` nothing is sent. A failed notification does not stop the server.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The socket of the service manager, if there is one.
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

    /// Sends a state.
    pub(crate) fn send_state(&self, state: &str) {
        let Some(socket) = &self.socket else { return };
        if let Err(error) = socket.send(state.as_bytes()) {
            tracing::warn!(%error, state, "could not notify the service manager");
        }
    }

    /// The interval of watchdog notifications.
    pub(crate) fn heartbeat(&self) -> Option<Duration> {
        self.socket.as_ref().and(self.heartbeat)
    }
}

/// A name that begins with `@` is an abstract socket.
fn connect(name: &OsStr) -> io::Result<UnixDatagram> {
    let address = match name.as_bytes() {
        [b'@', name @ ..] => nameless(name)?,
        _ => SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    // A service manager that does not read must not block the server.
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

/// Half of the watchdog timeout, if this process is watched.
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
