//! What `deploy/` promises is in its files: who the container runs as, what the unit may not do, what is never published.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where systemd's own scale ends for this unit; 10 is the whole exposure, 0 none.
const MOST_EXPOSURE_TENTHS: &str = "15";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn deploy(name: &str) -> String {
    fs::read_to_string(root().join("deploy").join(name)).unwrap()
}

/// The instructions of a Containerfile, continued lines joined.
fn instructions(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let lines = joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

#[test]
fn the_container_is_small_and_runs_as_nobody_in_particular() {
    let all = instructions(&deploy("Containerfile"));
    let stages: Vec<usize> =
        all.iter().enumerate().filter(|(_, line)| line.starts_with("FROM ")).map(|(at, _)| at).collect();
    let [build, last] = stages[..] else { panic!("not two stages: {all:?}") };
    let toolchain = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let version = toolchain.split("rust-version = \"").nth(1).unwrap().split('"').next().unwrap();
    assert!(all[build].contains(&format!("FROM rust:{version}-")), "{} is not the toolchain of Cargo.toml", all[build]);
    assert!(all[build..last].iter().any(|line| line.contains("--release --locked")));
    assert!(all[last].contains("-slim"), "{}", all[last]);
    let image = &all[last..];
    let copied: Vec<&String> = image.iter().filter(|line| line.starts_with("COPY ")).collect();
    assert_eq!(copied.len(), 1, "nothing but the program: {copied:?}");
    let user = image.iter().rfind(|line| line.starts_with("USER ")).expect("a user");
    let id: u32 =
        user["USER ".len()..].split(':').next().unwrap().parse().expect("a number, so that it can be checked");
    assert!(id >= 1_000);
    assert!(image.iter().position(|line| line == user) < image.iter().position(|line| line.starts_with("ENTRYPOINT")));
    assert!(image.iter().all(|line| !line.contains("MASTER_KEY")), "no secret is baked in");
    assert!(image.iter().any(|line| line.starts_with("ENTRYPOINT [")), "no shell intercepts the signals");
}

/// What is not in the context cannot be compiled: cargo wants every member of the workspace, if only to name it.
#[test]
fn the_container_is_built_from_all_it_needs() {
    let ignored = deploy("Containerfile.dockerignore");
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest.split("members = [").nth(1).unwrap().split(']').next().unwrap();
    let members = members.split('"').skip(1).step_by(2).map(|member| member.trim_end_matches("/*"));
    for needed in members.chain(["Cargo.toml", "Cargo.lock", ".cargo"]) {
        assert!(ignored.lines().any(|line| line.strip_prefix('!') == Some(needed)), "{needed} is left out");
    }
    assert!(ignored.starts_with("*\n") && !ignored.contains("!target") && !ignored.contains("!data"), "{ignored}");
}

#[test]
fn compose_publishes_on_loopback_alone_and_takes_its_secrets_from_outside() {
    let compose = deploy("compose.yaml");
    let published: Vec<&str> =
        compose.lines().map(str::trim).filter(|line| line.starts_with("- ") && line.ends_with(":8080")).collect();
    assert_eq!(published, ["- 127.0.0.1:8080:8080"]);
    for secret in ["POSTGRES_PASSWORD", "PERENNIAL_MASTER_KEY", "PERENNIAL_BOOTSTRAP_CLIENT_ID"] {
        assert!(compose.contains(&format!("${{{secret}:?")), "{secret} must be given");
    }
    for bound in ["read_only: true", "cap_drop: [ALL]", "no-new-privileges:true"] {
        assert!(compose.contains(bound), "{bound}");
    }
    // Between brackets a comma begins the next item: options with commas need quotes around them.
    for line in compose.lines().filter(|line| line.contains(": [") && line.contains('=')) {
        assert!(line.contains(": [\""), "{line}");
    }
}

/// The unit with a program that is there, in a separate directory.
fn unit() -> (PathBuf, PathBuf) {
    let directory =
        std::env::temp_dir().join(format!("perennial-unit-{}-{:?}", std::process::id(), std::thread::current().id()));
    fs::create_dir_all(&directory).unwrap();
    let file = directory.join("perennial.service");
    fs::write(&file, deploy("perennial.service").replace("/usr/local/bin/perennial", "/bin/true")).unwrap();
    (directory, file)
}

/// `None` where there is no systemd-analyze, or one that does not know the option.
fn analyze(words: &[&str]) -> Option<Output> {
    let output = Command::new("systemd-analyze").args(words).output().ok()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    (!complaint.contains("unrecognized option")).then_some(output)
}

#[test]
fn systemd_finds_nothing_wrong_with_the_unit() {
    let (directory, file) = unit();
    let output = analyze(&["verify", "--man=no", file.to_str().unwrap()]);
    let Some(output) = output else { return eprintln!("SKIPPED: there is no systemd-analyze") };
    fs::remove_dir_all(directory).unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let of_ours: Vec<&str> = said.lines().filter(|line| line.contains("perennial.service")).collect();
    assert!(of_ours.is_empty(), "{said}");
}

#[test]
fn the_unit_may_do_little() {
    let (directory, file) = unit();
    let threshold = format!("--threshold={MOST_EXPOSURE_TENTHS}");
    let output = analyze(&["security", "--offline=true", &threshold, file.to_str().unwrap()]);
    let Some(output) = output else { return eprintln!("SKIPPED: there is no systemd-analyze") };
    fs::remove_dir_all(directory).unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("Overall exposure level"), "{said}");
}

#[test]
fn the_unit_waits_longer_than_a_stop_takes() {
    let unit = deploy("perennial.service");
    let value = |name: &str| unit.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap();
    assert_eq!((value("Type"), value("DynamicUser")), ("notify", "yes"));
    let stop: u64 = value("TimeoutStopSec").parse().unwrap();
    let delay = deploy("haproxy.cfg");
    let delay = delay.split("stop_delay_seconds = ").nth(1).unwrap().split('.').next().unwrap();
    assert!(stop > delay.parse::<u64>().unwrap() + 10, "{stop} s for {delay} s and ten more");
    assert!(value("WatchdogSec").parse::<u64>().unwrap() >= 10);
}
