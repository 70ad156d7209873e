//! Settings that cannot be: named in one sentence, without ever printing a secret.

use crate::support::{MASTER_KEY, Output, Place};

const PASSWORD: &str = "hunter2";

fn with_file(text: &str) -> Output {
    let place = Place::sqlite();
    std::fs::write(place.path().join("perennial.toml"), text).unwrap();
    Output::of(&mut place.serve_command())
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_file() {
    with_file("# ours\nlissten = \"127.0.0.1:1\"\n").refused_with(&[
        "perennial.toml",
        "line 2",
        "`lissten`",
        "`listen`",
    ]);
    with_file("[limits]\nbody = 1\n").refused_with(&["line 2", "`body`", "`body_bytes`"]);
}

#[test]
fn a_value_of_the_wrong_kind_is_named_with_its_line() {
    with_file("listen = \"here\"\n").refused_with(&["line 1", "socket address"]);
    with_file("[limits]\n\nconnections = -1\n").refused_with(&["line 3", "-1"]);
    with_file("[limits]\nqueued_changes = 0\n").refused_with(&["queued_changes", "at least 1"]);
    with_file("[rate_limits]\npublic_per_minute = 0\n").refused_with(&["public_per_minute", "at least 1"]);
    for proxy in ["10.0.0.0/33", "proxy.example", "10.0.0", ""] {
        with_file(&format!("\ntrusted_proxies = [\"127.0.0.1\", \"{proxy}\"]\n")).refused_with(&[
            "line 2",
            "trusted proxy",
            "10.0.0.0/8",
        ]);
    }
}

#[test]
fn a_broken_file_does_not_spill_the_password_in_it() {
    for text in [
        "database_url = \"postgres://u:hunter2@h/d\n",
        "database_url = postgres://u:hunter2@h/d\n",
        "database_url = [\"postgres://u:hunter2@h/d\"]\n",
        "database_url = \"postgres://u:hunter2@h/d\" listen = 1\n",
        "listen = \"postgres://u:hunter2@h/d\"\n",
    ] {
        let sentence = with_file(text).refused();
        assert!(!sentence.contains(PASSWORD), "{sentence}");
        assert!(sentence.contains("line 1"), "{sentence}");
    }
}

#[test]
fn a_database_that_cannot_be_reached_is_told_without_its_password() {
    for url in [
        "postgres://u:hunter2@127.0.0.1:1/d",
        "postgres://u:hunter2@no-such-host.invalid/d",
        "postgres://u@127.0.0.1:1/d?password=hunter2",
        "postgres://u:hunter2@127.0.0.1:hunter2/d",
        "postgres://u:hunter2#@127.0.0.1:1/d",
        "postgres://u:hun/hunter2@127.0.0.1:1/d",
        "postgres://u:hunter2@127.0.0.1:1/d?sslmode=hunter2",
        "postgres://hunter2",
        "hunter2",
    ] {
        let place = Place::sqlite();
        let commands: [&[&str]; 3] = [&["serve", "--listen", "127.0.0.1:0"], &["org", "list"], &["migrate", "--json"]];
        for words in commands {
            let mut command = place.program();
            command.env("PERENNIAL_DATABASE_URL", url).env("PERENNIAL_MASTER_KEY", MASTER_KEY);
            let output = Output::of(command.args(words));
            assert!(!output.stderr.contains(PASSWORD), "{}", output.stderr);
            output.refused_with(&["--database-url"]);
        }
    }
}

#[test]
fn an_address_that_is_none_is_refused_by_its_name() {
    let place = Place::sqlite();
    for (variable, flag) in [("PERENNIAL_LISTEN", "--listen"), ("PERENNIAL_METRICS_LISTEN", "--metrics-listen")] {
        let output = Output::of(place.program().env(variable, "nonsense").arg("serve"));
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""));
        assert!(output.stderr.contains(flag) && output.stderr.contains("nonsense"), "{}", output.stderr);
    }
}

#[test]
fn a_public_url_that_is_none_is_refused_wherever_it_comes_from() {
    for url in ["billing.example.com", "ftp://billing.example.com", "https://u:hunter2@b.example.com", "https://b?x=y"]
    {
        let place = Place::sqlite();
        let output = Output::of(place.serve_command().args(["--public-url", url]));
        assert!(!output.stderr.contains(PASSWORD), "{}", output.stderr);
        output.refused_with(&["--public-url", "http or https"]);
        Output::of(place.serve_command().env("PERENNIAL_PUBLIC_URL", url)).refused_with(&["--public-url"]);
        with_file(&format!("public_url = \"{url}\"")).refused_with(&["`public_url`"]);
        assert!(!place.data().exists());
    }
    with_file("public_url = \"https://B.example.com/\"").refused_with(&["written as https://b.example.com"]);
}

#[test]
fn a_bootstrap_client_id_must_be_long_and_visible() {
    for id in ["", "short", &"x".repeat(31), &"x".repeat(256), &format!("{} y", "x".repeat(32)), &"é".repeat(40)] {
        let place = Place::new();
        let output = Output::of(place.serve_command().env("PERENNIAL_BOOTSTRAP_CLIENT_ID", id));
        assert!(id.len() < 10 || !output.stderr.contains(id), "{}", output.stderr);
        output.refused_with(&["PERENNIAL_BOOTSTRAP_CLIENT_ID", "32"]);
    }
}

#[test]
fn settings_that_are_not_text_are_refused_and_not_ignored() {
    use std::os::unix::ffi::OsStrExt;
    let bytes = std::ffi::OsStr::from_bytes(b"\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff\xfe");
    for variable in ["PERENNIAL_BOOTSTRAP_CLIENT_ID", "PERENNIAL_MASTER_KEY"] {
        let place = Place::new();
        Output::of(place.serve_command().env(variable, bytes)).refused_with(&[variable]);
    }
}
