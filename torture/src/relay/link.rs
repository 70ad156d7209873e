//! One connection through the relay: two sockets and two threads that copy from one to the other.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::{Shared, lock};
use perennial_harness::SeededRandom;

/// What a COMMIT is on the wire, after the type of the message and its length.
const COMMIT: &[u8] = b"COMMIT\0";
/// The type and the length of the message.
const MESSAGE_HEAD: usize = 5;
/// Of a slow way: so many bytes, then a pause of so many milliseconds.
const PIECE: usize = 400;
const PAUSE_MS: (u64, u64) = (1, 4);
const BUFFER: usize = 16 * 1024;

pub(super) struct Link {
    client: TcpStream,
    server: TcpStream,
    port: u16,
    is_frozen: Mutex<bool>,
    thawed: Condvar,
    is_closed: AtomicBool,
}

impl Link {
    pub(super) fn new(client: TcpStream, server: TcpStream) -> io::Result<Self> {
        let port = server.local_addr()?.port();
        Ok(Self {
            client,
            server,
            port,
            is_frozen: Mutex::new(false),
            thawed: Condvar::new(),
            is_closed: AtomicBool::new(false),
        })
    }

    /// The port that the database sees as the client's.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Relaxed)
    }

    pub(super) fn freeze(&self) {
        *lock(&self.is_frozen) = true;
    }

    pub(super) fn thaw(&self) {
        *lock(&self.is_frozen) = false;
        self.thawed.notify_all();
    }

    pub(super) fn close(&self) {
        self.is_closed.store(true, Relaxed);
        // One that has ended already cannot be shut down again.
        let _ = self.client.shutdown(Shutdown::Both);
        let _ = self.server.shutdown(Shutdown::Both);
        self.thaw();
    }

    /// Copies from the client to the server until one of them ends the connection.
    pub(super) fn forward(self: &Arc<Self>, shared: &Shared, mut random: SeededRandom) {
        let _ = self.copy_forward(shared, &mut random);
        self.close();
    }

    /// Copies from the server to the client.
    pub(super) fn backward(&self) {
        let mut bytes = [0; BUFFER];
        while let Ok(count @ 1..) = (&self.server).read(&mut bytes) {
            if self.wait_while_frozen().and_then(|()| (&self.client).write_all(&bytes[..count])).is_err() {
                break;
            }
        }
        self.close();
    }

    fn copy_forward(self: &Arc<Self>, shared: &Shared, random: &mut SeededRandom) -> io::Result<()> {
        let mut bytes = [0; BUFFER];
        let mut is_marked = false;
        loop {
            let count = (&self.client).read(&mut bytes)?;
            if count == 0 {
                return Ok(());
            }
            self.wait_while_frozen()?;
            let mut rest = &bytes[..count];
            if let Some(marker) = shared.marker() {
                is_marked |= find(rest, &marker).is_some();
                if is_marked && let Some(at) = find(rest, COMMIT) {
                    let (before, held) = rest.split_at(at.saturating_sub(MESSAGE_HEAD));
                    (&self.server).write_all(before)?;
                    shared.hold(self);
                    self.wait_while_frozen()?;
                    (rest, is_marked) = (held, false);
                }
            }
            self.send(rest, shared, random)?;
        }
    }

    fn send(&self, bytes: &[u8], shared: &Shared, random: &mut SeededRandom) -> io::Result<()> {
        if !shared.is_slow() {
            return (&self.server).write_all(bytes);
        }
        for piece in bytes.chunks(PIECE) {
            (&self.server).write_all(piece)?;
            std::thread::sleep(Duration::from_millis(random.between(PAUSE_MS.0, PAUSE_MS.1)));
        }
        Ok(())
    }

    fn wait_while_frozen(&self) -> io::Result<()> {
        let mut is_frozen = lock(&self.is_frozen);
        while *is_frozen {
            is_frozen = self.thawed.wait(is_frozen).unwrap_or_else(PoisonError::into_inner);
        }
        if self.is_closed() { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(()) }
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
