//! The project's commands: `cargo xtask test | postgres | openapi | clients | console | console-e2e | schemathesis | fuzz | bench | torture | fleet | recording | lint-words | ci`.
//! Almost no dependencies, so that it builds in seconds; other tools are found or installed.
#![expect(clippy::print_stdout, reason = "a developer command prints to the terminal")]

mod arguments;
mod bench;
mod ci;
mod clients;
mod console;
mod console_e2e;
mod debian;
mod dependencies;
mod fleet;
mod fuzz;
mod lint_words;
mod openapi;
mod otlp;
mod peak;
mod postgres;
mod postgres_binaries;
mod process;
mod python;
mod recording;
mod schemathesis;
mod served;
mod test;
mod torture;
mod transfer;

use std::process::ExitCode;

use arguments::Arguments;
use process::Result;

const USAGE: &str = "\
The commands of this workspace: cargo xtask <command>

  test [--sqlite] [-- ARGUMENTS]
        Run all tests on SQLite, then those that use a store again on a temporary PostgreSQL.
        --sqlite runs the first half only. ARGUMENTS go to `cargo test`.
  postgres
        Start such a PostgreSQL and run it until Ctrl-C or the end of the input.
  openapi [--check]
        Write openapi.json, docs/errors.md and docs/cli.md from the code; --check fails if they differ or are not valid.
  clients [--check | --test | --snippets]
        Write the clients in clients/ from openapi.json; --check fails if they differ. --test checks, tests and packs them,
        and runs each, installed elsewhere, against a server on both engines. --snippets runs the code of docs/webhooks.md.
  console [--check]
        Build the web console into the files that the server embeds; --check builds it elsewhere and compares every byte.
  console-e2e [--postgres | --pictures]
        Run the browser tests of the console and the portal in Chromium, which it installs as root on Debian: all on SQLite,
        and some of each group of pages on PostgreSQL. --postgres runs all of them on PostgreSQL; PERENNIAL_TEST_POSTGRES
        names a server to use. --pictures takes the pictures of the README from a server with demo data.
  schemathesis [--examples N] [--cases N] [--seed N] [--sqlite]
        Test a running server against its OpenAPI document, on both engines or on SQLite only; with one seed, or with
        more until there are N cases on each engine.
  fuzz [TARGET]... [--seconds N] [--seed N]
        Fuzz the parsers of external input, all of them or these, for 20 seconds each; see fuzz/README.md.
  bench [--quick] [--peers | --contracts] [--against PROGRAM] [--engine NAME] [--only NAME]... [--rows N] [--rounds N] [--seconds N] [--connections N] [--rate N]
        [--growth N]
        Measure Perennial, the limits of the machine and other services; see bench/README.md. --quick is a smoke test,
        --contracts measures what each capability promises instead.
  torture [SCENARIO]... [--seed N] [--engine sqlite|postgres] [--quick | --full] [--jobs N]
        Inject faults into a running server and count the effects; see torture/README.md. --full is the size of the
        goals, --quick the size for CI. --jobs runs N scenarios at a time; timings then mean nothing.
  fleet [--seed N] [--quick | --full]
        Run three servers behind HAProxy and PgBouncer, stop and kill them in turn under load; also a scenario of torture.
  transfer [--subscriptions N | --full] [--release]
        Move a demo store from SQLite through NDJSON to PostgreSQL and back, kill imports on the way, compare the result
        with the source, and report rates and memory. --full is a million subscriptions, and a release build.
  recording
        Run the README's first five minutes and draw what the terminal shows, as docs/first-run.svg.
  lint-words
        Check documents, comments and string literals for words that the style guide bans.
  otlp
        Send traces and metrics to a real OpenTelemetry collector, and check what it received.
  dependencies
        Check licenses, sources and bans of all dependencies, and find dependencies that no code uses.
  ci [--only STEP]...
        All checks that a commit must pass, or some steps of it:
        test, fmt, clippy, words, dependencies, openapi, clients, console, console-e2e, schemathesis, otlp, fuzz, torture, transfer, bench.";

fn main() -> ExitCode {
    let mut arguments = Arguments::new(std::env::args().skip(1));
    let Some(command) = arguments.command() else {
        println!("{USAGE}");
        return ExitCode::from(2);
    };
    let outcome = match command.as_str() {
        "test" => test::Options::parse(arguments).and_then(|options| test::run(&options)),
        "postgres" => arguments.finish().and_then(|()| postgres::foreground()),
        "openapi" => openapi_command(arguments),
        "clients" => clients::command(arguments),
        "console" => console::command(arguments),
        "console-e2e" => console_e2e::command(arguments),
        "schemathesis" => schemathesis::Options::parse(arguments).and_then(|options| schemathesis::run(&options)),
        "fuzz" => fuzz::Options::parse(arguments).and_then(|options| fuzz::run(&options)),
        "bench" => bench::Options::parse(arguments).and_then(|options| bench::run(&options)),
        "torture" => torture::Options::parse(arguments).and_then(|options| torture::run(&options)),
        "fleet" => fleet::options(arguments).and_then(|options| torture::run(&options)),
        "transfer" => transfer::Options::parse(arguments).and_then(|options| transfer::run(&options)),
        "recording" => arguments.finish().and_then(|()| recording::run()),
        "lint-words" => arguments.finish().and_then(|()| lint_words::run()),
        "dependencies" => arguments.finish().and_then(|()| dependencies::run()),
        "otlp" => arguments.finish().and_then(|()| otlp::run()),
        "ci" => ci::Options::parse(arguments).and_then(|options| ci::run(&options)),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("`{command}` is not a command of xtask.\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nerror: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn openapi_command(mut arguments: Arguments) -> Result {
    let check = arguments.flag("--check");
    arguments.finish()?;
    if check { openapi::check() } else { openapi::write() }
}
