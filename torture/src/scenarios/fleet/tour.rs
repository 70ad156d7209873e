//! The README's tour through the proxy, in a shell, as a reader would type it; and whose address the servers see.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use perennial_harness::{Connection, readme};
use serde_json::{Value, json};

use super::member;
use crate::failure::{Failure, Result, could_not};
use crate::home::{CLIENT_ID, Home};
use crate::proxies::Pooler;
use crate::scenario::Measured;

const README: &str = include_str!("../../../../README.md");
/// The number of lines of the tour that print `{"data": …}`.
const RESPONSES: usize = 8;
/// Another address of this machine, for a client that is not the proxy.
const CLIENT_ADDRESS: &str = "127.0.0.5";
/// What a client may claim to be.
const CLAIMED_ADDRESS: &str = "203.0.113.9";

pub(super) fn measured(home: &Home, pooler: &Pooler, proxy: SocketAddr) -> Result<Vec<Measured>> {
    let directory = home.directory().join("tour");
    let printed = walk(home, pooler, proxy, &directory)?;
    let responses = printed.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let served = responses.filter(|response| response["data"].is_object()).count();
    let has_events = printed.contains("payment.created") && printed.contains("subscription.updated");
    let seen = address_seen(home, proxy, "grace@example.com", None)?;
    let claimed = address_seen(home, proxy, "mallory@example.com", Some(CLAIMED_ADDRESS))?;
    Ok(vec![
        Measured::new(
            "responses of the README's tour",
            served,
            RESPONSES.to_string(),
            served == RESPONSES && has_events,
        ),
        Measured::new("the client's address, seen through the proxy", &seen, CLIENT_ADDRESS, seen == CLIENT_ADDRESS),
        Measured::new("the same when it claims another", &claimed, CLIENT_ADDRESS, claimed == CLIENT_ADDRESS),
    ])
}

/// Runs the lines with another address, and returns what they print.
fn walk(home: &Home, pooler: &Pooler, proxy: SocketAddr, directory: &Path) -> Result<String> {
    let complaint = || could_not("prepare the tour");
    fs::create_dir_all(directory.join("data")).map_err(complaint())?;
    fs::write(directory.join("perennial.toml"), member::settings()).map_err(complaint())?;
    let clients = json!({ "trusted_client_id": CLIENT_ID });
    fs::write(directory.join("data/clients.json"), format!("{clients:#}\n")).map_err(complaint())?;
    let program = home.command();
    readme::stand_in_for_cargo(&directory.join("bin"), Path::new(program.get_program())).map_err(complaint())?;
    let commands = readme::commands(README, "The first five minutes");
    let commands = commands.replace("http://127.0.0.1:8080", &format!("http://{proxy}"));
    fs::write(directory.join("tour.sh"), commands).map_err(complaint())?;

    let mut shell = Command::new("sh");
    shell
        .arg("tour.sh")
        .current_dir(directory)
        .envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env("PERENNIAL_DATABASE_URL", pooler.url())
        .env("PATH", readme::path_with(&directory.join("bin")));
    let output = shell.output().map_err(could_not("run the tour"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr);
    fs::write(directory.join("printed.txt"), format!("{printed}{complaints}")).map_err(complaint())?;
    Ok(printed)
}

/// Signs up a user from another address and returns the address in the session.
fn address_seen(home: &Home, proxy: SocketAddr, email: &str, claimed: Option<&str>) -> Result<String> {
    let identity = home.text(&["identity", "token", "--email", email])?;
    let mut curl = Command::new("curl");
    curl.args([
        "-sS",
        "--interface",
        CLIENT_ADDRESS,
        "-H",
        "client-id: default",
        "-H",
        "content-type: application/json",
    ]);
    curl.args(claimed.iter().flat_map(|address| ["-H".to_owned(), format!("x-forwarded-for: {address}")]));
    curl.args(["-d", &json!({ "access_token": identity, "email": email }).to_string()]);
    curl.arg(format!("http://{proxy}/authentication/sign-up"));
    let output = curl.output().map_err(could_not("run `curl`"))?;
    let response: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let token = response["data"]["token"].as_str();
    let token = token.ok_or_else(|| Failure::new(format!("a sign-up through the proxy was refused: {response}")))?;
    let bearer = format!("Bearer {token}");
    let sessions = Connection::open(proxy)
        .and_then(|mut proxy| {
            let headers = [("client-id", "default"), ("authorization", bearer.as_str())];
            proxy.call("GET", "/authentication/tokens", &headers, None)
        })
        .map_err(could_not("ask for the sessions"))?;
    Ok(sessions.data()["tokens"][0]["ip_address"].as_str().unwrap_or("none").to_owned())
}
