//! The README's commands work: they run unchanged in a shell, with the program under test.
//! Two differences: `cargo` is a script that runs that program instead of building another, and without a network
//! namespace the port is a free one instead of 8080.

use crate::support::{Output, Place, free_ports};
use perennial_harness::readme;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../../../../README.md");
const ADDRESS: &str = "127.0.0.1:8080";
const METRICS: &str = "127.0.0.1:8081";

/// A shell that has the ports to itself, or the ports to use in place of the README's.
enum Ports {
    Own,
    Others(u16, u16),
}

impl Ports {
    fn find() -> Self {
        let try_out = Command::new("unshare").args(["-rn", "ip", "link", "set", "lo", "up"]).output();
        if try_out.is_ok_and(|output| output.status.success()) {
            return Self::Own;
        }
        let (api, metrics) = free_ports();
        Self::Others(api, metrics)
    }

    fn shell(&self, script: &Path) -> Command {
        match self {
            Self::Own => {
                let mut command = Command::new("unshare");
                command.args(["-rn", "--kill-child", "sh", "-c", "ip link set lo up && exec sh \"$1\"", "sh"]);
                command.arg(script);
                command
            }
            Self::Others(api, _) => {
                let mut command = Command::new("sh");
                command.arg(script).env("PERENNIAL_LISTEN", format!("127.0.0.1:{api}"));
                command
            }
        }
    }

    fn fit(&self, text: &str) -> String {
        match self {
            Self::Own => text.to_owned(),
            Self::Others(api, metrics) => {
                text.replace(ADDRESS, &format!("127.0.0.1:{api}")).replace(METRICS, &format!("127.0.0.1:{metrics}"))
            }
        }
    }
}

/// The pages the README sends its reader to.
fn links() -> Vec<&'static str> {
    let links = README.split("<http://127.0.0.1").skip(1).filter_map(|rest| rest.split_once('>'));
    links.map(|(link, _)| link).collect()
}

/// The server as in the first terminal, then what is typed in the second, then the end.
fn script() -> String {
    let serve = readme::commands(README, "Run it");
    assert_eq!(serve.lines().count(), 1, "one command: {serve}");
    let tour = readme::commands(README, "The first five minutes");
    let read = |link: &str| format!("curl -sf -o page http://127.0.0.1{link} && echo read a page\n");
    let pages: String = links().into_iter().map(read).collect();
    format!(
        "{} >serve.log 2>&1 &\nserver=$!\ntrap 'kill $server' EXIT\n\
         until curl -sf http://{ADDRESS}/readyz >readyz; do kill -0 $server || exit; sleep 0.1; done\n\
         {tour}{pages}trap - EXIT\nkill $server\nwait $server\necho ended with $?\n",
        serve.trim_end()
    )
}

/// What the README's lines print.
fn printed() -> String {
    // The README's own way is SQLite; the store's engine is not what is tested here.
    let place = Place::sqlite();
    let bin = place.path().join("bin");
    readme::stand_in_for_cargo(&bin, Path::new(env!("CARGO_BIN_EXE_perennial"))).unwrap();
    let ports = Ports::find();
    let file = place.path().join("readme.sh");
    std::fs::write(&file, ports.fit(&script())).unwrap();
    let mut shell = ports.shell(&file);
    let path = readme::path_with(&bin);
    let output = Output::of(shell.current_dir(place.path()).env_remove("PERENNIAL_TEST_POSTGRES").env("PATH", path));
    let log = std::fs::read_to_string(place.path().join("serve.log")).unwrap_or_default();
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{}\n{log}", output.stdout);
    output.stdout
}

#[test]
fn the_first_five_minutes_go_as_the_readme_says() {
    let printed = printed();
    let answers: Vec<Value> = printed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let data: Vec<&Value> = answers.iter().map(|answer| &answer["data"]).collect();
    let [ada, signed_in, sessions, plan, subscription, payment, access, cancelled, _, billed] = data[..] else {
        panic!("not ten answers:\n{printed}");
    };
    assert_eq!(ada["user"]["email"], "ada@example.com", "{printed}");
    assert_eq!(signed_in["user"]["id"], ada["user"]["id"], "{printed}");
    assert_eq!(sessions["tokens"].as_array().unwrap().len(), 1, "{printed}");
    assert_eq!((&plan["slug"], plan["price"].to_string().as_str()), (&"pro".into(), "19.99"), "{printed}");
    assert_eq!(
        (&subscription["status"], &subscription["user_id"]),
        (&"active".into(), &ada["user"]["id"]),
        "{printed}"
    );
    assert_eq!(payment["status"], "completed", "{printed}");
    assert_eq!((&access["id"], &access["has_access"]), (&subscription["id"], &true.into()), "{printed}");
    assert_eq!((&cancelled["status"], &cancelled["has_access"]), (&"cancelled".into(), &true.into()), "{printed}");
    for kind in ["user.created", "session.created", "plan.created", "payment.created", "subscription.updated"] {
        assert!(printed.contains(kind), "the events tell of {kind}:\n{printed}");
    }
    assert_eq!((&billed["status"], &billed["renews_at"]), (&"active".into(), &"2026-02-28T00:00:00.000000Z".into()));
    for number in 1..=4 {
        assert!(printed.contains(&format!("TEST-INV-{number:06}")), "invoice {number}:\n{printed}");
    }
    assert!(!printed.contains("TEST-INV-000005"), "{printed}");
    assert_eq!(links(), [":8080/docs", ":8081/metrics", ":8080/console/"]);
    assert!(printed.ends_with("read a page\nread a page\nended with 0\n"), "{printed}");
}
