//! An identity provider on loopback: its discovery, its keys and its introspection endpoint, each with configurable responses.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What is sent for a path: a status, a body, and perhaps one more header line.
type Page = (u16, String, &'static str);

pub(crate) struct Issuer {
    pub(crate) url: String,
    pages: Arc<Mutex<HashMap<String, Page>>>,
    /// The heads and bodies of all requests, for tests that look at what was sent.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Issuer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let issuer = Self { url, pages: Arc::default(), asked: Arc::default() };
        let (pages, asked) = (Arc::clone(&issuer.pages), Arc::clone(&issuer.asked));
        // It ends with the process: an idle thread does no harm.
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A caller that hangs up is no fault of the issuer's.
                let _ = answer(stream, &pages, &asked);
            }
        });
        let discovery = json!({ "issuer": issuer.url, "jwks_uri": format!("{}/keys", issuer.url) });
        issuer.set("/.well-known/openid-configuration", 200, &discovery);
        issuer.publish(&["first", "second"]);
        issuer
    }

    pub(crate) fn set(&self, path: &str, status: u16, body: &Value) {
        self.pages.lock().unwrap().insert(path.to_owned(), (status, body.to_string(), ""));
    }

    /// Publishes Ed25519 keys of these names, to be cached for twenty minutes.
    pub(crate) fn publish(&self, kids: &[&str]) {
        let x = "A".repeat(43);
        let key = |kid: &&str| json!({ "kty": "OKP", "crv": "Ed25519", "kid": kid, "x": x });
        let body = json!({ "keys": kids.iter().map(key).collect::<Vec<_>>() }).to_string();
        self.pages.lock().unwrap().insert("/keys".to_owned(), (200, body, "cache-control: max-age=1200\r\n"));
    }

    pub(crate) fn asked(&self) -> String {
        self.asked.lock().unwrap().join("\n")
    }
}

fn answer(stream: TcpStream, pages: &Mutex<HashMap<String, Page>>, asked: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    asked.lock().unwrap().push(format!("{head}{}", String::from_utf8_lossy(&body)));
    let missing = (404, String::new(), "");
    let (status, body, header) = pages.lock().unwrap().get(&path).cloned().unwrap_or(missing);
    let length = body.len();
    let text = format!("HTTP/1.1 {status} Test\r\n{header}connection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    reader.get_mut().write_all(text.as_bytes())
}
