//! The servers with their connections: one on SQLite, two on PostgreSQL.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use perennial_fake_provider::Webhook;
use perennial_harness::{Connection, Response, SeededRandom, Server};
use serde_json::{Value, json};

use super::account::{API_KEY, Account, SECRET};
use crate::failure::{Failure, Result, could_not};
use crate::home::{Home, TRUSTED};

const SIGKILL: i32 = 9;
/// How often a reconciliation is tried that a server that was killed may hold up.
const TRIES: usize = 30;

pub(super) struct Place<'a> {
    pub(super) home: &'a Home,
    pub(super) servers: Vec<Server>,
    pub(super) kills: usize,
}

impl<'a> Place<'a> {
    /// Starts the servers and adds the connections.
    pub(super) fn start(home: &'a Home, accounts: &mut [Account]) -> Result<Self> {
        let write = |name: &str, text: &str| {
            fs::write(home.directory().join(name), text).map_err(could_not(format!("write {name}")))
        };
        write("api.key", API_KEY)?;
        write("webhook.secret", SECRET)?;
        let servers = home.serve_all()?;
        for account in accounts {
            let limit = account.requests_per_minute.to_string();
            let mut add = vec!["connection", "add", account.name, "--name", account.name, "--mode", "test"];
            add.extend(["--base-url", &account.fake.url, "--requests-per-minute", &limit]);
            add.extend(["--api-key-file", "api.key", "--webhook-secret-file", "webhook.secret"]);
            add.extend(["--allow-private-addresses", "--allow-http"]);
            if account.name == "stripe" {
                add.push("--collect");
            }
            account.id = text(&home.json(&add)?["id"])?;
        }
        Ok(Self { home, servers, kills: 0 })
    }

    /// Kills one server and starts it again.
    pub(super) fn kill_one(&mut self, random: &mut SeededRandom) -> Result {
        let victim = random.index(self.servers.len());
        self.kill(victim)?;
        self.servers[victim] = self.home.serve()?;
        Ok(())
    }

    /// Kills all servers.
    pub(super) fn kill_all(&mut self) -> Result {
        (0..self.servers.len()).try_for_each(|victim| self.kill(victim))
    }

    pub(super) fn restart(&mut self) -> Result {
        self.servers = self.home.serve_all()?;
        Ok(())
    }

    fn kill(&mut self, victim: usize) -> Result {
        let status = self.servers[victim].kill().map_err(could_not("kill a server"))?;
        self.kills += usize::from(status.signal() == Some(SIGKILL));
        Ok(())
    }

    /// Sends a webhook to one of the servers. False: it was not received, as far as the provider knows.
    pub(super) fn deliver(&self, account: &Account, webhook: &Webhook, random: &mut SeededRandom) -> bool {
        let address = self.servers[random.index(self.servers.len())].address();
        let (path, header) = (format!("/hooks/{}", account.id), (webhook.header, webhook.signature.as_str()));
        let sent = Connection::open(address)
            .and_then(|mut connection| connection.call("POST", &path, &[header], Some(&webhook.body)));
        sent.is_ok_and(|response| response.status == 200)
    }

    pub(super) fn call(&self, method: &str, target: &str, body: &Value) -> Result<Response> {
        let body = (!body.is_null()).then(|| body.to_string());
        Connection::open(self.servers[0].address())
            .and_then(|mut connection| connection.call(method, target, &[TRUSTED], body.as_deref()))
            .map_err(could_not(format!("call {target}")))
    }

    pub(super) fn create(&self, target: &str, body: &Value) -> Result<Value> {
        let response = self.call("POST", target, body)?;
        if response.status == 201 {
            return Ok(response.data().clone());
        }
        Err(Failure::new(format!("{target} was refused: {}", response.json())))
    }

    /// All records of a list.
    pub(super) fn list(&self, path: &str) -> Result<Vec<Value>> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let response = self.call("GET", &format!("{path}?limit=200{cursor}"), &Value::Null)?;
            let body = response.json();
            let page = body["data"].as_array().ok_or_else(|| Failure::new(format!("{path} is no list: {body}")))?;
            all.extend(page.iter().cloned());
            match body["page"]["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return Ok(all),
            }
        }
    }

    /// Reconciles a connection with the operator's command. A server that was killed may hold the lease for a while.
    pub(super) fn reconcile(&self, account: &Account, flags: &[&str]) -> Result<Value> {
        let command = [&["connection", "reconcile", account.name], flags].concat();
        let mut last = self.home.json(&command);
        for _ in 0..TRIES {
            if last.is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_secs(1));
            last = self.home.json(&command);
        }
        last
    }
}

pub(super) fn text(value: &Value) -> Result<String> {
    value.as_str().map(str::to_owned).ok_or_else(|| Failure::new(format!("{value} is not text")))
}

/// The body of a request to collect a payment.
pub(super) fn collect(account: &Account, method: &str) -> Value {
    json!({ "connection_id": account.id, "payment_method": method })
}

/// The real time, for signatures.
#[expect(clippy::disallowed_methods, reason = "a webhook is signed with the time at which it is sent")]
pub(super) fn now() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_secs()).unwrap_or_default()
}
