//! A receiver of webhooks on loopback: it stores the ID and the position of every request, and now and then fails.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use crate::failure::{Result, could_not};
use crate::threads;

/// A connection that the sender has left.
const IDLE: Duration = Duration::from_secs(30);
/// Every so many requests are answered with 500.
const FAILS: u64 = 50;

/// A request that was answered with 2xx.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub(super) event: String,
    pub(super) record: String,
    pub(super) sequence: u64,
}

#[derive(Default)]
struct State {
    arrivals: Mutex<Vec<Arrival>>,
    requests: Mutex<u64>,
    is_over: AtomicBool,
}

pub(super) struct Receiver {
    address: SocketAddr,
    state: Arc<State>,
}

impl Receiver {
    pub(super) fn start() -> Result<Self> {
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
                std::thread::spawn(move || serve(&stream, &state));
            }
        });
        Ok(Self { address, state })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(super) fn arrivals(&self) -> Vec<Arrival> {
        threads::lock(&self.state.arrivals).clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.state.is_over.store(true, Relaxed);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

/// Answers the requests of a connection until its sender leaves. A sender that was killed in a request leaves nothing.
fn serve(stream: &TcpStream, state: &State) -> Option<()> {
    stream.set_read_timeout(Some(IDLE)).ok()?;
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    loop {
        let body: Value = serde_json::from_slice(&request(&mut reader)?).ok()?;
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        let arrival = Arrival {
            event: text("id"),
            record: text("record_id"),
            sequence: body["sequence"].as_u64().unwrap_or_default(),
        };
        let number = {
            let mut requests = threads::lock(&state.requests);
            *requests += 1;
            *requests
        };
        let status = if number.is_multiple_of(FAILS) {
            "500 Internal Server Error"
        } else {
            threads::lock(&state.arrivals).push(arrival);
            "204 No Content"
        };
        // One write: in pieces each would wait for the sender's acknowledgment.
        writer.write_all(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").as_bytes()).ok()?;
    }
}

/// The body of the next request.
fn request(reader: &mut impl BufRead) -> Option<Vec<u8>> {
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
    Some(body)
}
