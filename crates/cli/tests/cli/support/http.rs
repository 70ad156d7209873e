//! The smallest HTTP/1.1 client that does: one kept-alive connection, whole answers.

use super::PATIENCE;
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// What the service answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The body as JSON; null if it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }

    /// What is in the envelope.
    pub(crate) fn data(&self) -> Value {
        self.json()["data"].clone()
    }

    /// A header's value; empty if it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        let pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        pairs.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value).next().unwrap_or_default()
    }

    /// Holds the status against what was expected, showing the body if it differs.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }
}

/// A keep-alive connection.
pub(crate) struct Connection {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { address, stream: BufReader::new(stream) })
    }

    /// One request and its answer. Header lines come as `name: value`.
    pub(crate) fn call(
        &mut self,
        method: &str,
        target: &str,
        headers: &[&str],
        body: Option<&Value>,
    ) -> io::Result<Answer> {
        let body = body.map(Value::to_string);
        let mut head = format!("{method} {target} HTTP/1.1\r\nhost: {}\r\n", self.address);
        head.extend(headers.iter().flat_map(|line| [line, "\r\n"]));
        if let Some(body) = &body {
            head.extend(["content-type: application/json\r\ncontent-length: ", &body.len().to_string(), "\r\n"]);
        }
        let request = format!("{head}\r\n{}", body.unwrap_or_default());
        self.write(request.as_bytes())?;
        self.answer()
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    pub(crate) fn answer(&mut self) -> io::Result<Answer> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.stream.read_line(&mut head)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.ok_or(io::ErrorKind::InvalidData)?;
        let mut answer = Answer { status, head, body: String::new() };
        let mut body = vec![0; answer.header("content-length").parse().unwrap_or(0)];
        self.stream.read_exact(&mut body)?;
        answer.body = String::from_utf8(body).map_err(|_| io::ErrorKind::InvalidData)?;
        Ok(answer)
    }
}

/// A client of a running server; every call uses a new connection.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) address: SocketAddr,
    pub(crate) client_id: String,
}

impl Caller {
    /// The header that names the client.
    pub(crate) fn header(&self) -> String {
        format!("client-id: {}", self.client_id)
    }

    #[track_caller]
    pub(crate) fn call(&self, method: &str, target: &str, body: Option<&Value>) -> Answer {
        let mut connection = Connection::open(self.address).unwrap();
        connection.call(method, target, &[&self.header()], body).unwrap()
    }

    #[track_caller]
    pub(crate) fn get(&self, target: &str) -> Answer {
        self.call("GET", target, None)
    }

    #[track_caller]
    pub(crate) fn post(&self, target: &str, body: &Value) -> Answer {
        self.call("POST", target, Some(body))
    }

    /// Every record of a list, page after page.
    #[track_caller]
    pub(crate) fn all(&self, path: &str) -> Vec<Value> {
        let mut connection = Connection::open(self.address).unwrap();
        let (mut records, mut target) = (Vec::new(), format!("{path}?limit=200"));
        loop {
            let answer = connection.call("GET", &target, &[&self.header()], None).unwrap().expect(200).json();
            records.extend(answer["data"].as_array().unwrap().iter().cloned());
            match answer["page"]["next_cursor"].as_str() {
                Some(cursor) => target = format!("{path}?limit=200&cursor={cursor}"),
                None => return records,
            }
        }
    }
}
