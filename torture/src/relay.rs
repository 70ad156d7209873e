//! A TCP relay in front of `PostgreSQL`: the virtual IP address of a cluster, and the network that fails.
//!
//! New connections go to whatever server is current. The way to the server can be slow, so that the statements of one
//! transaction arrive over a longer time. One connection can be held right before the COMMIT of a marked transaction: its
//! sockets stay open and no byte passes in either direction, as if a network device had lost the connection silently.

mod link;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::failure::{Result, could_not};
use link::Link;
use perennial_harness::SeededRandom;

pub(crate) struct Relay {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    target: Mutex<SocketAddr>,
    slow: AtomicBool,
    is_over: AtomicBool,
    hold: Mutex<Hold>,
    held: Condvar,
    links: Mutex<Vec<Arc<Link>>>,
}

/// Which COMMIT does not pass.
#[derive(Clone, Default)]
enum Hold {
    #[default]
    Nothing,
    /// The next one on a connection that carried these bytes.
    After(Vec<u8>),
    On(Arc<Link>),
}

impl Relay {
    pub(crate) fn start(target: SocketAddr, seed: u64) -> Result<Self> {
        let complaint = || could_not("start a relay");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(complaint())?;
        let address = listener.local_addr().map_err(complaint())?;
        let shared = Arc::new(Shared {
            target: Mutex::new(target),
            slow: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            hold: Mutex::default(),
            held: Condvar::new(),
            links: Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || accepting.accept(&listener, &SeededRandom::new(seed)));
        Ok(Self { address, shared })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// A plain URL with one host, as one gives it for a virtual IP address.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@{}/postgres", self.address)
    }

    /// From now on new connections lead there. Existing connections stay where they are.
    pub(crate) fn switch_to(&self, target: SocketAddr) {
        *lock(&self.shared.target) = target;
    }

    /// Lets bytes to the server pass in small pieces with pauses in between, or at once.
    pub(crate) fn set_slow(&self, slow: bool) {
        self.shared.slow.store(slow, Relaxed);
    }

    /// Holds the connection that sends these bytes, right before its next COMMIT.
    pub(crate) fn hold_commit_after(&self, marker: &str) {
        *lock(&self.shared.hold) = Hold::After(marker.as_bytes().to_vec());
    }

    /// Waits until a connection is held; returns the port by which the database knows it.
    pub(crate) fn wait_until_held(&self, limit: Duration) -> Option<u16> {
        let deadline = Instant::now() + limit;
        let mut hold = lock(&self.shared.hold);
        loop {
            if let Hold::On(link) = &*hold {
                return Some(link.port());
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            hold = self.shared.held.wait_timeout(hold, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Lets the held connection continue.
    pub(crate) fn release(&self) {
        if let Hold::On(link) = std::mem::take(&mut *lock(&self.shared.hold)) {
            link.thaw();
        }
    }

    /// Closes the held connection; what was held is never sent.
    pub(crate) fn cut(&self) {
        if let Hold::On(link) = std::mem::take(&mut *lock(&self.shared.hold)) {
            link.close();
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Relaxed);
        for link in lock(&self.shared.links).drain(..) {
            link.close();
        }
        // The accepting thread looks at the flag when a connection comes.
        drop(TcpStream::connect(self.address));
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, listener: &TcpListener, random: &SeededRandom) {
        for (number, client) in (0..).zip(listener.incoming()) {
            if self.is_over.load(Relaxed) {
                return;
            }
            // A database that is away refuses: the caller's connection ends, as behind a virtual IP address.
            let Ok(link) = client.and_then(|client| self.connect(client)) else { continue };
            let mut links = lock(&self.links);
            links.retain(|link| !link.is_closed());
            links.push(Arc::clone(&link));
            drop(links);
            let (shared, back, random) = (Arc::clone(self), Arc::clone(&link), random.part(number));
            std::thread::spawn(move || link.forward(&shared, random));
            std::thread::spawn(move || back.backward());
        }
    }

    fn connect(&self, client: TcpStream) -> io::Result<Arc<Link>> {
        let target = *lock(&self.target);
        let server = TcpStream::connect_timeout(&target, Duration::from_secs(5))?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        Ok(Arc::new(Link::new(client, server)?))
    }

    fn is_slow(&self) -> bool {
        self.slow.load(Relaxed)
    }

    fn marker(&self) -> Option<Vec<u8>> {
        match &*lock(&self.hold) {
            Hold::After(marker) => Some(marker.clone()),
            Hold::Nothing | Hold::On(_) => None,
        }
    }

    /// Freezes the connection if no other one is held already.
    fn hold(&self, link: &Arc<Link>) {
        let mut hold = lock(&self.hold);
        if matches!(*hold, Hold::After(_)) {
            link.freeze();
            *hold = Hold::On(Arc::clone(link));
            self.held.notify_all();
        }
    }
}

/// A thread that panicked leaves nothing half changed here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    const LIMIT: Duration = Duration::from_secs(10);

    /// A relay, the client's end of a connection through it, and the server's.
    fn connected() -> (Relay, TcpStream, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let relay = Relay::start(listener.local_addr().unwrap(), 1).unwrap();
        let client = TcpStream::connect(relay.address()).unwrap();
        let (server, _) = listener.accept().unwrap();
        for end in [&client, &server] {
            end.set_read_timeout(Some(LIMIT)).unwrap();
        }
        (relay, client, server)
    }

    fn received(from: &mut TcpStream, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        from.read_exact(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn bytes_pass_both_ways_and_a_slow_way_loses_none() {
        let (relay, mut client, mut server) = connected();
        relay.set_slow(true);
        let many: Vec<u8> = (0..5_000_u32).map(|at| u8::try_from(at % 251).unwrap()).collect();
        client.write_all(&many).unwrap();
        assert_eq!(received(&mut server, many.len()), many);
        server.write_all(b"answer").unwrap();
        assert_eq!(received(&mut client, 6), b"answer");
        drop(server);
        assert_eq!(client.read(&mut [0; 1]).unwrap(), 0, "the end of one side is the end of the other");
    }

    #[test]
    fn only_the_commit_after_the_mark_is_held_and_passes_when_released() {
        let (relay, mut client, mut server) = connected();
        relay.hold_commit_after("victim");
        client.write_all(b"Q\0\0\0\x0bCOMMIT\0").unwrap();
        assert_eq!(received(&mut server, 12), b"Q\0\0\0\x0bCOMMIT\0");
        client.write_all(b"a victim").unwrap();
        assert_eq!(received(&mut server, 8), b"a victim");
        client.write_all(b"moreQ\0\0\0\x0bCOMMIT\0").unwrap();
        assert_eq!(received(&mut server, 4), b"more");
        let port = relay.wait_until_held(LIMIT).unwrap();
        assert_eq!(port, server.peer_addr().unwrap().port());
        relay.release();
        assert_eq!(received(&mut server, 12), b"Q\0\0\0\x0bCOMMIT\0");
    }

    #[test]
    fn what_was_held_is_never_sent_once_the_connection_is_cut() {
        let (relay, mut client, mut server) = connected();
        relay.hold_commit_after("victim");
        client.write_all(b"victimQ\0\0\0\x0bCOMMIT\0").unwrap();
        relay.wait_until_held(LIMIT).unwrap();
        relay.cut();
        let mut rest = Vec::new();
        // A reset is an end as well.
        let _ = server.read_to_end(&mut rest);
        assert_eq!(rest, b"victim");
        assert_eq!(relay.wait_until_held(Duration::ZERO), None);
    }
}
