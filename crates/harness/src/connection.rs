//! One keep-alive HTTP/1.1 connection: a request, its whole response, the next. Nothing is retried here: the caller must
//! know which requests were sent once and which twice.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::response::Response;

/// Longer than the server's own limit for a response.
const LIMIT: Duration = Duration::from_secs(40);
const LONGEST_HEAD: usize = 64 * 1024;

/// A connection and the bytes that came after the last response.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    address: SocketAddr,
    limit: Duration,
    received: Vec<u8>,
}

impl Connection {
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        Self::open_within(address, LIMIT)
    }

    /// Opens a connection whose every step, connecting and each response, has this long.
    pub fn open_within(address: SocketAddr, limit: Duration) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, limit)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(limit))?;
        Ok(Self { stream, address, limit, received: Vec::new() })
    }

    /// One request and its response. A body is sent as JSON.
    pub fn call(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> io::Result<Response> {
        self.send(method, target, headers, body)?;
        self.receive(method)
    }

    /// The first half of a call, for callers that must act before the response is read.
    pub fn send(&mut self, method: &str, target: &str, headers: &[(&str, &str)], body: Option<&str>) -> io::Result<()> {
        let mut request = format!("{method} {target} HTTP/1.1\r\nhost: {}\r\n", self.address);
        for (name, value) in headers {
            request.extend([name, ": ", value, "\r\n"]);
        }
        if let Some(body) = body {
            let length = body.len().to_string();
            request.extend(["content-type: application/json\r\ncontent-length: ", &length, "\r\n"]);
        }
        request.extend(["\r\n", body.unwrap_or_default()]);
        self.stream.write_all(request.as_bytes())
    }

    /// The second half of a call. The end of the connection before the first byte of a response is `UnexpectedEof`.
    pub fn receive(&mut self, method: &str) -> io::Result<Response> {
        let deadline = Instant::now() + self.limit;
        let head_end = loop {
            if let Some(at) = self.received.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break at;
            }
            if self.received.len() > LONGEST_HEAD {
                return Err(malformed("a head that does not end"));
            }
            self.read_more(deadline)?;
        };
        let head = String::from_utf8(self.received[..head_end].to_vec()).map_err(|_| malformed("a head in bytes"))?;
        let mut response = parse(&head)?;
        let bodiless = method == "HEAD" || matches!(response.status, 204 | 304);
        let length = match response.header("content-length") {
            _ if bodiless => 0,
            Some(length) => length.parse().map_err(|_| malformed("a content-length that is no number"))?,
            None => return Err(malformed("a response without a content-length")),
        };
        let end = head_end + 4 + length;
        while self.received.len() < end {
            self.read_more(deadline)?;
        }
        response.body = self.received[head_end + 4..end].to_vec();
        self.received.drain(..end);
        Ok(response)
    }

    /// Whether any byte of a response has come that no call has taken.
    pub fn has_received(&self) -> bool {
        !self.received.is_empty()
    }

    /// The socket itself, for callers that send something else than a request.
    pub fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    fn read_more(&mut self, deadline: Instant) -> io::Result<()> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut chunk = [0; 16 * 1024];
        match self.stream.read(&mut chunk) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.received.extend_from_slice(&chunk[..count]);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Err(ErrorKind::TimedOut.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error),
        }
    }
}

fn parse(head: &str) -> io::Result<Response> {
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 "));
    let status = status.and_then(|rest| rest.get(..3)?.parse().ok()).ok_or_else(|| malformed("no status line"))?;
    let headers = lines
        .map(|line| {
            let (name, value) = line.split_once(':').ok_or_else(|| malformed("a header without a colon"))?;
            Ok((name.to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect::<io::Result<_>>()?;
    Ok(Response { status, headers, body: Vec::new() })
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("the server sent {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Answers the one connection it takes with these bytes, in small pieces, and closes it.
    fn responding(bytes: &'static str) -> SocketAddr {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]).unwrap();
            for piece in bytes.as_bytes().chunks(7) {
                stream.write_all(piece).unwrap();
            }
        });
        address
    }

    #[test]
    fn responses_of_one_connection_are_separated() {
        let two = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\nETag: \"x\"\r\n\r\n{\"data\": [1]}\
                   HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 15\r\n\r\n{\"code\":\"busy\"}";
        let mut connection = Connection::open(responding(two)).unwrap();
        let first = connection.call("GET", "/a", &[], None).unwrap();
        assert_eq!((first.status, first.header("etag"), first.closes()), (200, Some("\"x\""), false));
        assert_eq!(first.data(), serde_json::json!([1]));
        let second = connection.receive("GET").unwrap();
        assert_eq!((second.status, second.code().as_str(), second.closes()), (503, "busy", true));
        assert_eq!(connection.receive("GET").unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert!(!connection.has_received());
    }

    #[test]
    fn half_a_response_is_an_error() {
        let half = "HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{";
        let mut connection = Connection::open(responding(half)).unwrap();
        assert_eq!(connection.call("POST", "/a", &[], Some("{}")).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert!(connection.has_received());
        let mut other = Connection::open(responding("SSH-2.0-x\r\n\r\n")).unwrap();
        assert_eq!(other.call("GET", "/", &[], None).unwrap_err().kind(), ErrorKind::InvalidData);
    }

    #[test]
    fn a_silent_server_is_waited_for_no_longer_than_the_limit() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let mut connection = Connection::open_within(address, Duration::from_millis(50)).unwrap();
        assert_eq!(connection.call("GET", "/", &[], None).unwrap_err().kind(), ErrorKind::TimedOut);
    }
}
