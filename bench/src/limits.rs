//! The limits: servers that do the least a server can do. Each runs as a separate process of this program.
//! They send the bytes of a response of Perennial, headers included.

use std::convert::Infallible;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rusqlite::Connection;
use serde_json::Value;
use tokio::net::TcpListener;

use crate::failure::{Failure, Result, could_not};

/// What a limit does before it responds.
#[derive(Clone, Debug)]
pub(crate) enum LimitKind {
    /// Nothing.
    Bare,
    /// Reads the body and parses it.
    Parse,
    /// Reads the body, parses it and inserts a row in a separate, synced transaction, as most services do.
    OneTransaction(PathBuf),
}

/// A response as it was recorded.
#[derive(Clone, Debug)]
struct Recorded {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// Serves until it is killed; prints its address first.
pub(crate) fn serve(kind: LimitKind, response: &Path) -> Result {
    let recorded = recorded(&std::fs::read(response).map_err(could_not(format!("read {}", response.display())))?)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(could_not("start the runtime"))?;
    runtime.block_on(listen(Arc::new(Limit { recorded, writer: writer(&kind)?, kind })))
}

struct Limit {
    recorded: Recorded,
    kind: LimitKind,
    writer: Option<Mutex<Connection>>,
}

async fn listen(limit: Arc<Limit>) -> Result {
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let listener = TcpListener::bind(address).await.map_err(could_not("listen"))?;
    let address = listener.local_addr().map_err(could_not("read the address"))?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{address}").and_then(|()| stdout.flush()).map_err(could_not("print the address"))?;
    loop {
        let (stream, _) = listener.accept().await.map_err(could_not("accept"))?;
        stream.set_nodelay(true).map_err(could_not("send without delay"))?;
        let limit = Arc::clone(&limit);
        tokio::spawn(async move {
            let service = service_fn(move |request| respond(Arc::clone(&limit), request));
            // A generator that has seen enough closes its connections; that is no error here.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn respond(
    limit: Arc<Limit>,
    request: Request<Incoming>,
) -> std::result::Result<Response<Full<Bytes>>, Infallible> {
    let fine = match &limit.kind {
        LimitKind::Bare => true,
        LimitKind::Parse => parse(request).await.is_some(),
        LimitKind::OneTransaction(_) => match parse(request).await {
            Some(body) => tokio::task::block_in_place(|| limit.insert(&body)).is_ok(),
            None => false,
        },
    };
    let mut response = Response::new(Full::new(limit.recorded.body.clone()));
    response.headers_mut().clone_from(&limit.recorded.headers);
    *response.status_mut() = if fine { limit.recorded.status } else { StatusCode::INTERNAL_SERVER_ERROR };
    Ok(response)
}

async fn parse(request: Request<Incoming>) -> Option<Value> {
    let body = request.into_body().collect().await.ok()?.to_bytes();
    serde_json::from_slice(&body).ok()
}

impl Limit {
    fn insert(&self, body: &Value) -> Result {
        let user = body["user_id"].as_str().unwrap_or_default();
        let writer = self.writer.as_ref().ok_or_else(|| Failure::new("there is no store"))?;
        let connection = writer.lock().map_err(|_| Failure::new("a writer failed"))?;
        connection
            .prepare_cached("INSERT INTO subscriptions (user_id, status) VALUES (?, 'active')")?
            .execute([user])?;
        Ok(())
    }
}

fn writer(kind: &LimitKind) -> Result<Option<Mutex<Connection>>> {
    let LimitKind::OneTransaction(path) = kind else {
        return Ok(None);
    };
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS subscriptions (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, status TEXT NOT NULL)",
    )?;
    Ok(Some(Mutex::new(connection)))
}

fn recorded(bytes: &[u8]) -> Result<Recorded> {
    let end = crate::load::response::find(bytes, b"\r\n\r\n")
        .ok_or_else(|| Failure::new("the recorded response has no end"))?;
    let head = String::from_utf8_lossy(&bytes[..end]);
    let mut lines = head.lines();
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .and_then(|code| code.parse::<u16>().ok())
        .and_then(|code| StatusCode::from_u16(code).ok())
        .ok_or_else(|| Failure::new("the recorded response has no status"))?;
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let name: HeaderName = name.parse().map_err(|_| Failure::new("a recorded header has no name"))?;
        let value: HeaderValue = value.trim().parse().map_err(|_| Failure::new("a recorded header has no value"))?;
        // hyper writes the length itself.
        if name != CONTENT_LENGTH {
            headers.append(name, value);
        }
    }
    Ok(Recorded { status, headers, body: Bytes::copy_from_slice(&bytes[end + 4..]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_response_is_sent_again() {
        let recorded = recorded(b"HTTP/1.1 201 Created\r\netag: \"1\"\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        assert_eq!(recorded.status, StatusCode::CREATED);
        assert_eq!(recorded.headers.get("etag").unwrap(), "\"1\"");
        assert_eq!(recorded.headers.len(), 1);
        assert_eq!(recorded.body, "{}");
        assert!(super::recorded(b"nothing").is_err());
    }
}
