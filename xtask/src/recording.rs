//! `cargo xtask recording`: the README's first run and tour, run for real, drawn as `docs/first-run.svg`.
//! What is typed and what is printed are true; long secrets and ids are cut short, and the port is the README's.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use perennial_harness::{readme, signal};

use crate::process::{self, Failure, Profile, Result, could_not};

const PICTURE: &str = "docs/first-run.svg";
const COLUMNS: usize = 118;
/// No word that is read by people is longer.
const LONGEST_WORD: usize = 34;

/// A line of the picture.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Typed(String),
    Printed(String),
}

pub(crate) fn run() -> Result {
    process::build(&["perennial"], Profile::Dev)?;
    let place = process::target()?.join("recording");
    // Nothing of an earlier run may be there: this is a first run.
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).map_err(could_not(format!("create {}", place.display())))?;
    let program = process::binary("perennial")?;
    let text = fs::read_to_string(process::root().join("README.md")).map_err(could_not("read README.md"))?;
    let address = Address::free()?;

    let serve = readme::commands(&text, "Run it");
    let mut lines = vec![Line::Typed(serve.trim_end().to_owned())];
    let server = OnTerminal::start(&program, &place, &address)?;
    lines.extend(server.shown.iter().map(|line| Line::Printed(address.as_in_the_readme(line))));
    let tour = readme::commands(&text, "The first five minutes");
    lines.extend(walk(&tour, &program, &place, &address)?);
    drop(server);

    let picture = process::root().join(PICTURE);
    fs::write(&picture, draw(&lines)).map_err(could_not(format!("write {PICTURE}")))?;
    println!("{PICTURE}: {} lines", lines.len());
    Ok(())
}

/// Where the server really listens while it is drawn.
struct Address(u16);

impl Address {
    /// A free port whose successor is free too, for the metrics.
    fn free() -> Result<Self> {
        let free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        let found = (20_000..30_000).find(|port| free(*port) && free(*port + 1));
        found.map(Self).ok_or_else(|| Failure::new("there are no two free ports between 20000 and 30000."))
    }

    fn api(&self) -> String {
        format!("127.0.0.1:{}", self.0)
    }

    fn as_in_the_readme(&self, text: &str) -> String {
        let metrics = format!("127.0.0.1:{}", self.0 + 1);
        text.replace(&self.api(), "127.0.0.1:8080").replace(&metrics, "127.0.0.1:8081")
    }
}

/// A server whose streams are a terminal, lent by `script` of util-linux, and what it showed when it began to listen.
struct OnTerminal {
    script: Child,
    pid: u32,
    shown: Vec<String>,
}

impl OnTerminal {
    fn start(program: &Path, place: &Path, address: &Address) -> Result<Self> {
        let line = format!("echo $$ && exec '{}' serve", program.display());
        let mut command = Command::new("script");
        command
            .args(["-qec", &line, "/dev/null"])
            .current_dir(place)
            .env("NO_COLOR", "1")
            .env("PERENNIAL_LISTEN", address.api())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut script = command.spawn().map_err(could_not("run `script` of util-linux"))?;
        let stdout = script.stdout.take().ok_or_else(|| Failure::new("`script` has no output"))?;
        let mut lines = BufReader::new(stdout).lines().map_while(io::Result::ok);
        let pid = lines.next().and_then(|line| line.trim().parse().ok());
        let mut server = Self { script, pid: pid.unwrap_or_default(), shown: Vec::new() };
        for line in lines {
            let is_last = line.contains("listening=");
            server.shown.push(line.trim_end().to_owned());
            if is_last {
                return Ok(server);
            }
        }
        Err(Failure::new(format!("the server did not listen:\n{}", server.shown.join("\n"))))
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        if self.pid != 0 {
            signal(self.pid, "TERM");
        }
        let _ = self.script.wait();
    }
}

/// Types the tour into a shell that repeats what it reads.
fn walk(tour: &str, program: &Path, place: &Path, address: &Address) -> Result<Vec<Line>> {
    let bin = place.join("bin");
    readme::stand_in_for_cargo(&bin, program).map_err(could_not("stand in for cargo"))?;
    let script = tour.replace("127.0.0.1:8080", &address.api());
    fs::write(place.join("tour.sh"), &script).map_err(could_not("write the tour"))?;
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec sh -v tour.sh 2>&1"]).current_dir(place).env("PATH", readme::path_with(&bin));
    let printed = process::output(&mut shell)?;
    Ok(told_apart(&address.as_in_the_readme(&printed), tour))
}

/// What was typed and what was printed, in the order it was seen.
fn told_apart(seen: &str, typed: &str) -> Vec<Line> {
    let mut typed = typed.lines().peekable();
    let tell = |line: &str| match typed.next_if(|next| *next == line) {
        Some(line) => Line::Typed(line.to_owned()),
        None => Line::Printed(line.to_owned()),
    };
    seen.lines().map(tell).collect()
}

fn draw(lines: &[Line]) -> String {
    let mut body = String::new();
    let mut rows = 0;
    for line in lines {
        let (class, mark, text) = match line {
            Line::Typed(text) => ("typed", "$ ", text.clone()),
            Line::Printed(text) => ("printed", "", shortened(text)),
        };
        for (number, piece) in pieces(&format!("{mark}{text}")).iter().enumerate() {
            rows += 1;
            let (x, y) = (if number == 0 { 16 } else { 32 }, 14 + rows * 18);
            // Writing to a string cannot fail.
            let _ = writeln!(body, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(piece));
        }
    }
    let (width, height) = (COLUMNS * 8 + 48, 32 + rows * 18);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <title>The first run of Perennial and its first five minutes, as a terminal showed them</title>\n\
         <style>text {{ font: 13px ui-monospace, Menlo, Consolas, monospace; white-space: pre; fill: #c9d1d9; }} \
         .typed {{ fill: #7ee787; }}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n{body}</svg>\n"
    )
}

/// Tokens are long and say nothing to a reader.
fn shortened(text: &str) -> String {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
    let mut out = String::new();
    for word in text.split_inclusive(|character| !is_part(character)) {
        match word.char_indices().nth(LONGEST_WORD) {
            Some(_) if word.is_ascii() => {
                let end = word.trim_start_matches(is_part);
                out.extend([&word[..12], "…", end]);
            }
            _ => out.push_str(word),
        }
    }
    out
}

fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    match characters.len() {
        0 => vec![String::new()],
        _ => characters.chunks(COLUMNS).map(|piece| piece.iter().collect()).collect(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_told_from_what_was_printed() {
        let seen = "A=1\necho \"$A\"\n1\necho A=1\nA=1\n";
        let typed = "A=1\necho \"$A\"\necho A=1\n";
        let (typed_line, printed) =
            (|text: &str| Line::Typed(text.to_owned()), |text: &str| Line::Printed(text.to_owned()));
        let expected =
            [typed_line("A=1"), typed_line("echo \"$A\""), printed("1"), typed_line("echo A=1"), printed("A=1")];
        assert_eq!(told_apart(seen, typed), expected);
    }

    #[test]
    fn only_long_words_are_cut_short() {
        let token = "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFZERTQSJ9.x_y-z";
        assert_eq!(
            shortened(&format!("{{\"token\":\"{token}\",\"id\":\"usr_1\"}}")),
            "{\"token\":\"eyJ0eXAiOiJh…\",\"id\":\"usr_1\"}"
        );
        let id = "usr_01kay2vq0zfh9sbcrcrwh4zrn8";
        assert_eq!(shortened(id), id);
    }

    #[test]
    fn long_lines_are_folded_and_marks_of_markup_are_text() {
        assert_eq!(pieces(&"x".repeat(COLUMNS + 1)).len(), 2);
        assert!(draw(&[Line::Typed("a <b> & c".to_owned())]).contains("$ a &lt;b&gt; &amp; c</text>"));
    }
}
