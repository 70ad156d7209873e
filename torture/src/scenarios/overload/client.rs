//! One connection of the generator: a request's bytes out, a response's bytes in.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

const LIMIT: Duration = Duration::from_secs(30);

/// What a request came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Accepted,
    /// 503.
    Refused,
    /// Another response, or none.
    Other,
}

pub(super) struct Client {
    address: SocketAddr,
    stream: TcpStream,
    received: Vec<u8>,
}

impl Client {
    pub(super) async fn connect(address: SocketAddr) -> io::Result<Self> {
        Ok(Self { address, stream: open(address).await?, received: Vec::with_capacity(4096) })
    }

    /// Sends a request and reads its response; a connection that ends is made again for the next.
    pub(super) async fn ask(&mut self, request: &[u8]) -> Outcome {
        let asked = timeout(LIMIT, self.exchange(request)).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()));
        asked.unwrap_or(Outcome::Other)
    }

    async fn exchange(&mut self, request: &[u8]) -> io::Result<Outcome> {
        let response = match self.stream.write_all(request).await {
            Ok(()) => self.response().await,
            Err(error) => Err(error),
        };
        if response.as_ref().map_or(true, |(_, closes)| *closes) {
            self.stream = open(self.address).await?;
            self.received.clear();
        }
        response.map(|(outcome, _)| outcome)
    }

    /// The status of a response, and whether the server closes the connection after it.
    async fn response(&mut self) -> io::Result<(Outcome, bool)> {
        self.received.clear();
        loop {
            if self.stream.read_buf(&mut self.received).await? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let Some(end) = self.received.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
            let head = std::str::from_utf8(&self.received[..end]).map_err(|_| ErrorKind::InvalidData)?;
            let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
            let length: usize = header("content-length:").and_then(|text| text.parse().ok()).unwrap_or(0);
            if self.received.len() < end + 4 + length {
                continue;
            }
            let outcome = match head.get(9..12) {
                Some(status) if status.starts_with('2') => Outcome::Accepted,
                Some("503") => Outcome::Refused,
                _ => Outcome::Other,
            };
            return Ok((outcome, header("connection:") == Some("close")));
        }
    }
}

async fn open(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
