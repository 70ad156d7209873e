//! One call at a time, for setting up and for looking at single responses.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use super::request::Request;
use super::response;
use crate::failure::{Failure, Result, could_not};

const TIMEOUT: Duration = Duration::from_mins(1);

/// A response as it was received.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub(crate) status: u16,
    pub(crate) bytes: Vec<u8>,
    pub(crate) body_start: usize,
}

impl Raw {
    pub(crate) fn body(&self) -> &[u8] {
        &self.bytes[self.body_start..]
    }

    pub(crate) fn json(&self) -> Result<Value> {
        serde_json::from_slice(self.body()).map_err(|error| {
            Failure::new(format!("a response is no JSON ({error}): {}", String::from_utf8_lossy(self.body())))
        })
    }
}

/// Sends a request and reads the whole response.
pub(crate) fn send(address: SocketAddr, request: &Request) -> Result<Raw> {
    exchange(address, request).map_err(could_not(format!("call {address}")))
}

/// The same; fails unless the status and the record are those of the request.
pub(crate) fn expect(address: SocketAddr, request: &Request) -> Result<Raw> {
    let raw = send(address, request)?;
    if raw.status != request.status
        || (!request.needle.is_empty() && response::find(raw.body(), &request.needle).is_none())
    {
        let body = String::from_utf8_lossy(raw.body()).into_owned();
        return Err(Failure::new(format!("status {} where {} was due: {body}", raw.status, request.status)));
    }
    Ok(raw)
}

fn exchange(address: SocketAddr, request: &Request) -> std::io::Result<Raw> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    let mut out = Vec::new();
    request.write(0, &mut out);
    stream.write_all(&out)?;
    let (mut bytes, mut part) = (Vec::new(), [0; 16 << 10]);
    loop {
        let read = stream.read(&mut part)?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&part[..read]);
        if let Some(response) = response::parse(&bytes)? {
            bytes.truncate(response.end);
            return Ok(Raw { status: response.status, bytes, body_start: response.body_start });
        }
    }
}
