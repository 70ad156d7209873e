//! One call at a time, for setting up and for looking at single answers.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use super::answer;
use super::shot::Shot;
use crate::failure::{Failure, Result, could_not};

const PATIENCE: Duration = Duration::from_mins(1);

/// An answer as it came over the wire.
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
            Failure::new(format!("an answer is no JSON ({error}): {}", String::from_utf8_lossy(self.body())))
        })
    }
}

/// Sends a request and reads the whole answer.
pub(crate) fn send(address: SocketAddr, shot: &Shot) -> Result<Raw> {
    exchange(address, shot).map_err(could_not(format!("call {address}")))
}

/// The same, insisting on the status and the record that the shot names.
pub(crate) fn expect(address: SocketAddr, shot: &Shot) -> Result<Raw> {
    let raw = send(address, shot)?;
    if raw.status != shot.status || (!shot.needle.is_empty() && answer::find(raw.body(), &shot.needle).is_none()) {
        let body = String::from_utf8_lossy(raw.body()).into_owned();
        return Err(Failure::new(format!("status {} where {} was due: {body}", raw.status, shot.status)));
    }
    Ok(raw)
}

fn exchange(address: SocketAddr, shot: &Shot) -> std::io::Result<Raw> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut out = Vec::new();
    shot.write(0, &mut out);
    stream.write_all(&out)?;
    let (mut bytes, mut part) = (Vec::new(), [0; 16 << 10]);
    loop {
        let read = stream.read(&mut part)?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&part[..read]);
        if let Some(answer) = answer::parse(&bytes)? {
            bytes.truncate(answer.end);
            return Ok(Raw { status: answer.status, bytes, body_start: answer.body_start });
        }
    }
}
