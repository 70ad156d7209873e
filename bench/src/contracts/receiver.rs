//! A receiver of webhooks on loopback that notes when the first byte of each request arrives. It has separate threads: the
//! generator's must not wait for it.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use perennial_domain::time::Time;
use serde_json::Value;

use crate::clock;
use crate::failure::{Result, could_not};

/// A connection that the sender has left.
const IDLE: Duration = Duration::from_mins(1);

/// A webhook that arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) at: Instant,
    /// From the event's timestamp, which is drawn before its commit, to the first byte.
    pub(super) latency: Duration,
}

#[derive(Default)]
struct State {
    arrivals: Mutex<Vec<Arrival>>,
    is_over: AtomicBool,
}

pub(super) struct Receiver {
    address: SocketAddr,
    state: Arc<State>,
}

impl Receiver {
    /// Starts one that takes so long for each response.
    pub(super) fn start(delay: Duration) -> Result<Self> {
        let complaint = || could_not("listen for webhooks");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(complaint())?;
        let address = listener.local_addr().map_err(complaint())?;
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(std::result::Result::ok) {
                if shared.is_over.load(Relaxed) {
                    return;
                }
                let state = Arc::clone(&shared);
                std::thread::spawn(move || serve(&stream, &state, delay));
            }
        });
        Ok(Self { address, state })
    }

    pub(super) fn url(&self, number: usize) -> String {
        format!("http://{}/hook/{number}", self.address)
    }

    pub(super) fn count(&self) -> usize {
        self.state.arrivals.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The arrivals since the last call, in their order.
    pub(super) fn take(&self) -> Vec<Arrival> {
        std::mem::take(&mut *self.state.arrivals.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.state.is_over.store(true, Relaxed);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(stream: &TcpStream, state: &State, delay: Duration) -> Option<()> {
    stream.set_read_timeout(Some(IDLE)).ok()?;
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    loop {
        let (at, now, body) = request(&mut reader)?;
        let event: Value = serde_json::from_slice(&body).ok()?;
        let made = Time::parse(event["timestamp"].as_str()?).ok()?;
        let micros = u64::try_from(now.as_micros() - made.as_micros()).unwrap_or_default();
        let arrival = Arrival { at, latency: Duration::from_micros(micros) };
        state.arrivals.lock().unwrap_or_else(PoisonError::into_inner).push(arrival);
        std::thread::sleep(delay);
        writer.write_all(b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n").ok()?;
    }
}

/// The instant of its first byte, and the body of the next request.
fn request(reader: &mut impl BufRead) -> Option<(Instant, Time, Vec<u8>)> {
    if reader.fill_buf().ok()?.is_empty() {
        return None;
    }
    let (at, now) = (Instant::now(), clock::now());
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((at, now, body))
}
