//! The sessions: people of the local identity provider, each signed in on many devices.

use std::net::SocketAddr;

use perennial_harness::{Connection, Response};
use serde_json::json;

use crate::failure::{Failure, Result, could_not};
use crate::home::{Home, TRUSTED};

/// Well under the hundred at which a new session ends the oldest.
const SESSIONS_EACH: usize = 50;

/// The two tokens of a session.
#[derive(Clone, Debug)]
pub(super) struct Tokens {
    pub(super) access: String,
    pub(super) refresh: String,
}

impl Tokens {
    /// The tokens in a response, if it is a success.
    pub(super) fn of(response: &Response) -> Option<Self> {
        let data = response.data();
        let text = |name: &str| data[name].as_str().map(str::to_owned);
        matches!(response.status, 200 | 201).then_some(())?;
        Some(Self { access: text("token")?, refresh: text("refresh_token")? })
    }
}

pub(super) fn sessions(home: &Home, server: SocketAddr, count: usize) -> Result<Vec<Tokens>> {
    let mut connection = Connection::open(server).map_err(could_not("connect to the server"))?;
    let mut sessions = Vec::new();
    for person in 0..count.div_ceil(SESSIONS_EACH) {
        let email = format!("person{person}@example.com");
        let identity = home.text(&["identity", "token", "--email", &email])?;
        let body = json!({ "access_token": identity, "email": email }).to_string();
        for device in 0..SESSIONS_EACH.min(count - sessions.len()) {
            let target = if device == 0 { "/authentication/sign-up" } else { "/authentication/sign-in" };
            let response = connection.call("POST", target, &[TRUSTED], Some(&body)).map_err(could_not("sign in"))?;
            let refused = || Failure::new(format!("a sign-in was refused: {}", response.json()));
            sessions.push(Tokens::of(&response).ok_or_else(refused)?);
        }
    }
    Ok(sessions)
}
