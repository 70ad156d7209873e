//! What each command mainly prints, when all is well. A command that is not in the table fails the test.

use crate::help::{Explained, commands};
use crate::support::{Issuer, Place, Server, masked, snapshot, stored_names};
use std::collections::BTreeSet;

/// How a command's main output is held.
enum Main {
    /// What it prints, given these words after its name; `ISSUER` is a provider that answers.
    Said(&'static [&'static str]),
    /// The same, of which only the lines with the second word: the rest is a library's.
    Lines(&'static [&'static str], &'static str),
    /// A separate test checks this snapshot.
    Held(&'static str),
    /// It prints this file of the repository.
    File(&'static str),
}
use Main::{File, Held, Lines, Said};

/// Every command, in an order in which one finds what those before it made.
const COMMANDS: &[(&str, Main)] = &[
    ("serve", Held("first-run")),
    ("doctor", Held("doctor")),
    ("migrate", Said(&[])),
    ("org create", Said(&["--name", "acme", "--currency", "EUR"])),
    ("org update", Said(&["acme", "--max-sessions", "5"])),
    ("org list", Said(&[])),
    ("org delete", Said(&["acme", "--yes"])),
    ("client create", Said(&["--name", "backend", "--kind", "trusted", "--scope", "plans:read,plans:write"])),
    ("client rotate", Said(&["backend"])),
    ("client disable", Said(&["backend"])),
    ("client enable", Said(&["backend"])),
    ("client update", Said(&["backend", "--scope", "plans:read"])),
    ("client list", Said(&[])),
    ("operator create", Said(&["--name", "ada", "--role", "viewer"])),
    ("operator update", Said(&["ada", "--role", "support"])),
    ("operator link", Said(&["ada"])),
    ("operator list", Said(&[])),
    ("operator get", Said(&["ada"])),
    ("operator sessions", Said(&["ada"])),
    ("operator delete", Said(&["ada"])),
    ("console open", Said(&[])),
    ("lifecycle status", Said(&[])),
    ("lifecycle hold", Said(&["--restored-to", "2026-01-31T04:00:00Z"])),
    ("lifecycle resume", Said(&[])),
    ("test-clock create", Held("test-clock-commands")),
    ("test-clock get", Held("test-clock-commands")),
    ("test-clock advance", Held("test-clock-commands")),
    ("test-clock delete", Held("test-clock-commands")),
    ("webhook create", Held("webhook-commands")),
    ("webhook update", Held("webhook-commands")),
    ("webhook list", Held("webhook-commands")),
    ("webhook get", Held("webhook-commands")),
    ("webhook rotate-secret", Held("webhook-commands")),
    ("webhook ping", Held("webhook-commands")),
    ("webhook retry", Held("webhook-commands")),
    ("webhook seek", Held("webhook-commands")),
    ("webhook attempts", Held("webhook-commands")),
    ("webhook undelivered", Held("webhook-commands")),
    ("webhook delete", Held("webhook-commands")),
    ("analytics status", Held("analytics-commands")),
    ("analytics rebuild", Held("analytics-commands")),
    ("analytics check", Held("analytics-commands")),
    ("lifecycle unpark", Held("lifecycle-unpark")),
    ("user create", Said(&["--email", "ada@example.com"])),
    ("user update", Said(&["ada@example.com", "--first-name", "Ada"])),
    ("user relink", Said(&["--user", "ada@example.com", "--issuer", "urn:perennial:local", "--subject", "42"])),
    ("user block", Said(&["ada@example.com"])),
    ("user unblock", Said(&["ada@example.com"])),
    ("session revoke", Said(&["--user", "ada@example.com"])),
    ("user erase", Said(&["ada@example.com"])),
    ("keys rotate", Said(&[])),
    ("user list", Held("user-list-table")),
    ("user get", Held("user-get-table")),
    ("session list", Held("session-list-table")),
    ("session get", Held("session-get-table")),
    ("plan list", Held("plan-list-table")),
    ("plan get", Held("plan-get-table")),
    ("plan versions", Held("plan-versions-table")),
    ("subscription member add", Held("member-commands")),
    ("subscription member list", Held("member-commands")),
    ("subscription member remove", Held("member-commands")),
    ("subscription list", Held("subscription-list-table")),
    ("subscription get", Held("subscription-get-table")),
    ("payment list", Held("payment-list-table")),
    ("payment get", Held("payment-get-table")),
    ("tax-rate list", Held("tax-rate-list-table")),
    ("tax-rate get", Held("tax-rate-get-table")),
    ("coupon list", Held("coupon-list-table")),
    ("coupon get", Held("coupon-get-table")),
    ("meter list", Held("meter-list-table")),
    ("meter get", Held("meter-get-table")),
    ("feature create", Said(&["--key", "sso", "--name", "Single sign-on", "--kind", "boolean"])),
    ("feature update", Said(&["sso", "--is-active", "false"])),
    ("feature list", Said(&[])),
    ("feature get", Said(&["sso"])),
    ("invoice list", Held("invoice-commands")),
    ("invoice get", Held("invoice-commands")),
    ("invoice series", Held("invoice-commands")),
    ("invoice document", Held("invoice-document")),
    ("connection add", Held("connection-commands")),
    ("connection list", Held("connection-commands")),
    ("connection get", Held("connection-commands")),
    ("connection update", Held("connection-commands")),
    ("connection enable", Held("connection-commands")),
    ("connection disable", Held("connection-commands")),
    ("connection check", Held("connection-commands")),
    ("connection rotate", Held("connection-commands")),
    ("connection reconcile", Held("connection-commands")),
    ("connection inbox", Held("connection-commands")),
    ("connection retry", Held("connection-commands")),
    ("connection remove", Held("connection-commands")),
    ("provider add", Said(&["--kind", "oidc", "--issuer", "ISSUER", "--audience", "app", "--allow-http", PRIVATE])),
    ("provider list", Said(&[])),
    ("provider check", Said(&[])),
    ("provider remove", Said(&["ISSUER"])),
    ("identity token", Said(&["--email", "ada@example.com"])),
    ("events list", Said(&[])),
    ("events prune", Said(&["--before", "9999-01-01T00:00:00Z"])),
    ("listen", Held("listen")),
    ("trigger", Held("trigger")),
    ("backup create", Said(&["monday.db"])),
    ("backup verify", Said(&["monday.db"])),
    ("backup restore", Said(&["monday.db", "--data-dir", "restored"])),
    ("demo", Said(&["--data-dir", "demo", "--scale", "0.01", "--until", "2026-11-15T00:00:00Z"])),
    ("export", Said(&["all.ndjson", "--data-dir", "demo"])),
    ("import", Said(&["all.ndjson", "--data-dir", "imported"])),
    ("copy", Said(&["--from", "demo", "--to", "copied"])),
    ("compact", Said(&["--data-dir", "demo"])),
    ("config show", Held("config-show")),
    ("config check", Held("config-check")),
    ("config default", File("crates/cli/src/config/default.toml")),
    ("config schema", Held("config-schema")),
    ("completions", Lines(&["fish"], "needs_command\" -f -a")),
    ("man", Held("man")),
    ("openapi", File("openapi.json")),
    ("errors", File("docs/errors.md")),
    ("reference", File("docs/cli.md")),
];
const PRIVATE: &str = "--allow-private-addresses";
/// No help lists them.
const HIDDEN: [&str; 3] = ["openapi", "errors", "reference"];

#[test]
fn every_command_prints_what_it_printed() {
    let (place, issuer) = (Place::sqlite(), Issuer::start());
    // Analytics write rows at their own pace, which some commands count.
    let _server = Server::start(place.serve_command().env("PERENNIAL_ANALYTICS_ENABLED", "false"));
    for (command, main) in COMMANDS {
        let run = |words: &[&str]| {
            let words = words.iter().map(|word| if *word == "ISSUER" { issuer.url.as_str() } else { word });
            let text = place.run(&command.split(' ').chain(words).collect::<Vec<_>>()).succeeded();
            assert!(!text.trim().is_empty(), "{command} prints nothing");
            text.replace(&issuer.url, "http://127.0.0.1:00000").replace(&place.path().display().to_string(), "/srv")
        };
        match main {
            Said(words) => snapshot(&name(command), &settled(&run(words))),
            Lines(words, with) => {
                let lines: String = run(words).split_inclusive('\n').filter(|line| line.contains(with)).collect();
                assert!(!lines.is_empty(), "{command}: no line has {with}");
                snapshot(&name(command), &lines);
            }
            Held(snapshot) => {
                assert!(stored_names("").contains(*snapshot), "{command}: there is no snapshot {snapshot}");
            }
            File(path) => {
                let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
                assert!(run(&[]) == std::fs::read_to_string(&path).unwrap(), "{command} does not print {path}");
            }
        }
    }
    let printed = COMMANDS.iter().filter(|(_, main)| matches!(main, Said(_) | Lines(..)));
    let printed: BTreeSet<String> = printed.map(|(command, _)| name(command)["output/".len()..].to_owned()).collect();
    assert_eq!(stored_names("output"), printed, "each output has its command");
}

#[test]
fn no_command_is_without_a_line_in_the_table() {
    let in_table: BTreeSet<String> = COMMANDS.iter().map(|(command, _)| (*command).to_owned()).collect();
    let leaves = commands().into_iter().filter(Explained::is_leaf).map(|command| command.words.join(" "));
    let known: BTreeSet<String> = leaves.chain(HIDDEN.map(str::to_owned)).collect();
    assert_eq!(in_table, known, "each command has its line in the table, and each line its command");
}

fn name(command: &str) -> String {
    format!("output/perennial-{}", command.replace(' ', "-"))
}

/// The text with the parts that differ between runs or versions replaced by placeholders.
fn settled(text: &str) -> String {
    let text = masked(text);
    let words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
    let mut settled = String::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| words[before].trim_end());
        let after = words.get(at + 1).map_or("", |after| after.trim_end());
        let bare = word.trim_end();
        let in_table = settled.trim_end_matches(' ').ends_with("schema_migrations");
        let number = bare.trim_matches(|letter: char| !letter.is_ascii_digit());
        settled += &match bare {
            _ if bare.starts_with("pk_") => word.replace(bare, &format!("pk_{}", "x".repeat(bare.len() - 3))),
            _ if bare.contains("#link=lnk_") => {
                let start = bare.split("lnk_").next().unwrap_or_default();
                word.replace(bare, &format!("{start}lnk_x"))
            }
            _ if bare.starts_with("eyJ") => word.replace(bare, "eyJ.a.token"),
            _ if number.is_empty() => (*word).to_owned(),
            _ if in_table || before == "version" || after.starts_with("bytes") => word.replace(number, "N"),
            _ => (*word).to_owned(),
        };
    }
    settled
}

#[test]
fn what_differs_from_run_to_run_is_settled_and_nothing_else() {
    let text = "at version 12, (4096 bytes) 3 rows\n  pk_0aZ  eyJh.b.c\nschema_migrations  12\n";
    let expected = "at version N, (N bytes) 3 rows\n  pk_xxx  eyJ.a.token\nschema_migrations  N\n";
    assert_eq!(settled(text), expected);
}
