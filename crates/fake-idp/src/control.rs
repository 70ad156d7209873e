//! The commands of an issuer in a separate process: one per line on its input, with responses on its output.
//! It ends when its input does, so that nothing is left over of a test that was killed.

#![expect(clippy::print_stdout, reason = "its output is what the test reads")]

use crate::keys::Key;
use crate::server::{Behavior, Server};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, stdin};

/// Set for the process that is to be an issuer.
pub(crate) const VARIABLE: &str = "PERENNIAL_TEST_ISSUER";
/// What an answer's line begins with: the test harness writes lines too.
pub(crate) const MARK: &str = "issuer> ";

/// One line of input. The first line of output, with the issuer's URL, comes unasked.
#[derive(Serialize, Deserialize)]
pub(crate) enum Command {
    /// Makes a key; the answer is its public half.
    Make { kid: String, algorithm: String },
    /// Signs a message with a key, if need be with PS256; the answer is the signature.
    Sign { kid: String, pss: bool, message: String },
    /// Behaves otherwise.
    Behave(Behavior),
    /// Returns the requests so far.
    Seen,
    /// Answers when the keys were asked for so often.
    AwaitKeys(usize),
}

/// Is an issuer until the input ends. Called from a test that is ignored unless it is started for this; a person who
/// runs it by hand reads why nothing happens.
pub fn run() {
    if std::env::var_os(VARIABLE).is_none() {
        println!("This is the issuer that other tests start as a separate process; it does nothing by itself.");
        return;
    }
    let (server, mut keys) = (Server::start(), HashMap::new());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    // The test harness has already started a line.
    println!();
    say(&json!(server.url));
    for command in commands() {
        say(&runtime.block_on(obey(&server, &mut keys, command)));
    }
}

/// The commands, read on a thread of their own: whatever is being waited for, the end of the input ends the process.
fn commands() -> impl Iterator<Item = Command> {
    let (read, commands) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in stdin().lock().lines().map_while(Result::ok) {
            read.send(serde_json::from_str(&line).unwrap()).unwrap();
        }
        std::process::exit(0);
    });
    commands.into_iter()
}

async fn obey(server: &Server, keys: &mut HashMap<String, Key>, command: Command) -> Value {
    match command {
        Command::Make { kid, algorithm } => {
            let key = Key::of(&algorithm);
            let public = json!(key.public(&kid));
            keys.insert(kid, key);
            public
        }
        Command::Sign { kid, pss: true, message } => json!(keys[&kid].sign_pss(message.as_bytes())),
        Command::Sign { kid, pss: false, message } => json!(keys[&kid].sign(message.as_bytes())),
        Command::Behave(new) => {
            server.set(|behavior| *behavior = new);
            Value::Null
        }
        Command::Seen => json!(server.seen()),
        Command::AwaitKeys(times) => {
            server.asked_for_keys(times).await;
            Value::Null
        }
    }
}

fn say(answer: &Value) {
    println!("{MARK}{answer}");
}
