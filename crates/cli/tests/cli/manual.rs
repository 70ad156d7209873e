//! Completions and manual pages, made from the command line's own definition.

use crate::support::{Output, Place, skipped, snapshot};
use std::process::Command;

#[test]
fn the_completions_of_each_shell_know_the_commands() {
    let place = Place::sqlite();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.run(&["completions", shell]).succeeded();
        for word in ["serve", "completions", "max-sessions", "database-url"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
        assert!(!script.contains("openapi-"), "{shell}");
    }
    let output = place.run(&["completions", "tcsh"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("[possible values: bash, elvish, fish, powershell, zsh]"), "{}", output.stderr);
    snapshot("completions-refused", &output.stderr);
}

#[test]
fn bash_completes_with_the_script() {
    let place = Place::sqlite();
    std::fs::write(place.path().join("script"), place.run(&["completions", "bash"]).succeeded()).unwrap();
    let line = "source ./script; COMP_WORDS=(perennial config ''); COMP_CWORD=2; _perennial perennial '' config; \
                echo \"${COMPREPLY[*]}\"";
    if Command::new("bash").arg("--version").output().is_err() {
        return skipped("needs bash");
    }
    let offered = Output::of(Command::new("bash").args(["--norc", "-c", line]).current_dir(place.path())).succeeded();
    for word in ["show", "check", "default", "schema"] {
        assert!(offered.split_whitespace().any(|offer| offer == word), "{offered}");
    }
}

#[test]
fn the_page_of_the_program_is_printed() {
    let page = Place::sqlite().run(&["man"]).succeeded();
    assert!(page.contains(".TH perennial 1"), "{page}");
    snapshot("man", &page.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn a_page_for_each_command_is_written() {
    let place = Place::sqlite();
    let said = place.run(&["man", "--out", "pages/man1"]).succeeded();
    snapshot("man-out", &said);
    let mut names: Vec<String> = std::fs::read_dir(place.path().join("pages/man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in ["perennial.1", "perennial-serve.1", "perennial-config-show.1", "perennial-org-create.1"] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
    assert!(!names.iter().any(|name| name.contains("openapi")), "{names:?}");
    // Again, over what is there.
    assert_eq!(place.json(&["man", "--out", "pages/man1"])["directory"], "pages/man1");
    std::fs::write(place.path().join("file"), "").unwrap();
    place.run(&["man", "--out", "file/below"]).refused_with(&["file/below", "--out"]);
}
