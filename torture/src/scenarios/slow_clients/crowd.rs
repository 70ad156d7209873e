//! The crowd: connections that are idle, that send a byte a second, or that ask and do not read.
//! The server cuts them in its own time, and they come again: there are always as many as there were.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::failure::{Result, could_not};
use crate::home::CLIENT_ID;

/// The number of groups that act at the same moment; all groups together take a second.
const GROUPS: usize = 200;
const BETWEEN_GROUPS: Duration = Duration::from_millis(5);

pub(super) struct Sizes {
    pub(super) idle: usize,
    pub(super) slow_heads: usize,
    pub(super) slow_bodies: usize,
    pub(super) not_reading: usize,
}

impl Sizes {
    pub(super) fn all(&self) -> usize {
        self.idle + self.slow_heads + self.slow_bodies + self.not_reading
    }
}

#[derive(Clone, Copy)]
enum Manner {
    /// Asked once, got its response, and has nothing more to say.
    Idle,
    /// A byte of a head that never ends, each second.
    SlowHead,
    /// A byte of a long body, each second.
    SlowBody,
    /// Asks for large responses, as many as the socket takes, and reads none.
    NotReading,
}

struct Member {
    manner: Manner,
    stream: TcpStream,
}

pub(super) struct Crowd {
    address: SocketAddr,
    members: Vec<Member>,
    made_again: usize,
}

impl Crowd {
    /// No connection yet.
    pub(super) fn new(address: SocketAddr) -> Self {
        Self { address, members: Vec::new(), made_again: 0 }
    }

    pub(super) fn gather(&mut self, sizes: &Sizes) -> Result {
        for (manner, count) in [
            (Manner::Idle, sizes.idle),
            (Manner::SlowHead, sizes.slow_heads),
            (Manner::SlowBody, sizes.slow_bodies),
            (Manner::NotReading, sizes.not_reading),
        ] {
            for _ in 0..count {
                let stream = manner.begin(self.address).map_err(could_not("join the crowd"))?;
                self.members.push(Member { manner, stream });
            }
        }
        Ok(())
    }

    pub(super) fn size(&self) -> usize {
        self.members.len()
    }

    pub(super) fn made_again(&self) -> usize {
        self.made_again
    }

    /// Each connection acts once a second until the end. The actions are spread over the second: independent clients do not act
    /// together, and if they did it would be this program that had no time for anything else.
    pub(super) fn keep(&mut self, over: &AtomicBool) {
        let group = self.members.len().div_ceil(GROUPS).max(1);
        let mut next = Instant::now();
        loop {
            for members in self.members.chunks_mut(group) {
                std::thread::sleep(next.saturating_duration_since(Instant::now()));
                next += BETWEEN_GROUPS;
                if over.load(Relaxed) {
                    return;
                }
                for member in members {
                    if member.is_cut()
                        && let Ok(stream) = member.manner.begin(self.address)
                    {
                        member.stream = stream;
                        self.made_again += 1;
                    }
                }
            }
        }
    }
}

impl Member {
    /// Takes the next step; returns whether the server has closed the connection.
    fn is_cut(&mut self) -> bool {
        let step: &[u8] = match self.manner {
            Manner::SlowHead | Manner::SlowBody => b"x",
            Manner::Idle | Manner::NotReading => b"",
        };
        if !step.is_empty() && self.stream.write(step).is_err_and(|error| error.kind() != ErrorKind::WouldBlock) {
            return true;
        }
        match self.manner {
            // An end cannot be seen without reading what comes before it; the others are enough to be counted.
            Manner::NotReading => self.stream.take_error().is_ok_and(|error| error.is_some()),
            _ => match self.stream.read(&mut [0; 1024]) {
                Ok(count) => count == 0,
                Err(error) => error.kind() != ErrorKind::WouldBlock,
            },
        }
    }
}

impl Manner {
    fn begin(self, address: SocketAddr) -> std::io::Result<TcpStream> {
        let mut stream = TcpStream::connect(address)?;
        let opening = match self {
            Self::Idle => format!("GET /livez HTTP/1.1\r\nhost: {address}\r\n\r\n"),
            Self::SlowHead => "G".to_owned(),
            Self::SlowBody => format!(
                "POST /subscription-plans HTTP/1.1\r\nhost: {address}\r\nclient-id: {CLIENT_ID}\r\n\
                 content-type: application/json\r\ncontent-length: 10000\r\n\r\n{{"
            ),
            // A document that costs nothing to make: this is about slowness, not about work.
            Self::NotReading => format!("GET /openapi.json HTTP/1.1\r\nhost: {address}\r\n\r\n").repeat(12),
        };
        stream.set_nonblocking(true)?;
        // What the socket does not take of the last kind is as well left unsaid.
        let _ = stream.write(opening.as_bytes())?;
        Ok(stream)
    }
}
