//! A receiver of webhooks on loopback: a function gets each request and returns the status of its response. It has separate
//! threads, so that no other work of the program delays a response.

use crate::failure::{Result, could_not};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// A connection whose sender is gone is closed after this time.
const IDLE: Duration = Duration::from_mins(1);

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct Received {
    /// When its first byte arrived.
    pub at: Instant,
    /// The request line and the headers.
    pub head: String,
    pub body: Vec<u8>,
}

impl Received {
    /// The first header of this name (in lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        let headers = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        headers.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
    }

    /// The body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

/// A running receiver. It accepts no more connections after it is dropped.
pub struct Receiver {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
}

impl Receiver {
    /// Listens on a free port. `respond` returns the status of each response.
    pub fn start(respond: impl Fn(Received) -> u16 + Send + Sync + 'static) -> Result<Self> {
        let complaint = || could_not("listen for webhooks");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(complaint())?;
        let address = listener.local_addr().map_err(complaint())?;
        let (respond, is_over) = (Arc::new(respond), Arc::new(AtomicBool::new(false)));
        let stop = Arc::clone(&is_over);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(std::result::Result::ok) {
                if stop.load(Relaxed) {
                    return;
                }
                let respond = Arc::clone(&respond);
                thread::spawn(move || serve(&stream, respond.as_ref()));
            }
        });
        Ok(Self { address, is_over })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.is_over.store(true, Relaxed);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

/// Serves a connection until its sender closes it or is gone.
fn serve(stream: &TcpStream, respond: &dyn Fn(Received) -> u16) -> Option<()> {
    stream.set_read_timeout(Some(IDLE)).ok()?;
    stream.set_nodelay(true).ok()?;
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    loop {
        let status = respond(receive(&mut reader)?);
        let location = if (300..400).contains(&status) { "location: http://127.0.0.1:1/\r\n" } else { "" };
        // One write: each part would wait for the acknowledgment of the part before.
        let response = format!("HTTP/1.1 {status} Status\r\ncontent-length: 0\r\n{location}\r\n");
        writer.write_all(response.as_bytes()).ok()?;
    }
}

/// The next request. None if the connection ends before it is complete.
fn receive(reader: &mut impl BufRead) -> Option<Received> {
    if reader.fill_buf().ok()?.is_empty() {
        return None;
    }
    let mut received = Received { at: Instant::now(), head: String::new(), body: Vec::new() };
    while !received.head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut received.head).ok()? == 0 {
            return None;
        }
    }
    received.body.resize(received.header("content-length")?.parse().ok()?, 0);
    reader.read_exact(&mut received.body).ok()?;
    Some(received)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Connection;
    use std::sync::Mutex;

    #[test]
    fn requests_of_a_connection_are_received_in_order_and_get_their_statuses() {
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let stored = Arc::clone(&bodies);
        let receiver = Receiver::start(move |received| {
            assert_eq!(received.header("webhook-id"), Some("evt_1"));
            let number = received.json()["n"].as_u64().unwrap();
            stored.lock().unwrap().push(number);
            if number == 2 { 500 } else { 204 }
        })
        .unwrap();
        let mut connection = Connection::open(receiver.address()).unwrap();
        let headers = [("webhook-id", "evt_1")];
        let mut post = |body: &str| connection.call("POST", "/hook", &headers, Some(body)).unwrap().status;
        assert_eq!(["{\"n\":1}", "{\"n\":2}", "{\"n\":3}"].map(&mut post), [204, 500, 204]);
        assert_eq!(*bodies.lock().unwrap(), [1, 2, 3]);
    }

    #[test]
    fn a_request_that_ends_early_is_not_received() {
        assert!(receive(&mut &b""[..]).is_none());
        assert!(receive(&mut &b"POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\nab"[..]).is_none());
        let whole = receive(&mut &b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"[..]).unwrap();
        assert_eq!(whole.body, b"abc");
    }
}
