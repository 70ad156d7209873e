//! The log of a server, one JSON object per line.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::net::SocketAddr;
use std::path::Path;

use serde_json::Value;

/// Where a server listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Addresses {
    pub(crate) api: SocketAddr,
    pub(crate) metrics: Option<SocketAddr>,
}

/// Looks for the addresses in what was written to the log after `start`.
pub(crate) fn addresses(log: &Path, start: u64) -> io::Result<Option<Addresses>> {
    let mut file = File::open(log)?;
    file.seek(SeekFrom::Start(start))?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    // A line that has not ended may hold half an address.
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end);
    Ok(String::from_utf8_lossy(&text[..whole]).lines().find_map(listening))
}

/// The last lines of the log, for an error message.
pub(crate) fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}

/// The addresses in a line such as `{"message":"listening","listening":"127.0.0.1:40001","metrics":"127.0.0.1:40002"}`.
fn listening(line: &str) -> Option<Addresses> {
    let line: Value = serde_json::from_str(line).ok()?;
    if line.get("message").and_then(Value::as_str) != Some("listening") {
        return None;
    }
    let address = |name: &str| line.get(name).and_then(Value::as_str).and_then(|text| text.parse().ok());
    Some(Addresses { api: address("listening")?, metrics: address("metrics") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_addresses_are_read_from_the_line_that_names_them() {
        let line = r#"{"level":"INFO","message":"listening","listening":"127.0.0.1:40001","metrics":"127.0.0.1:9"}"#;
        let port = |port| SocketAddr::from(([127, 0, 0, 1], port));
        assert_eq!(listening(line), Some(Addresses { api: port(40_001), metrics: Some(port(9)) }));
        let alone = r#"{"message":"listening","listening":"127.0.0.1:40001"}"#;
        assert_eq!(listening(alone), Some(Addresses { api: port(40_001), metrics: None }));
    }

    #[test]
    fn other_lines_are_passed_over() {
        assert_eq!(listening(r#"{"message":"metrics are served","listening":"127.0.0.1:9"}"#), None);
        assert_eq!(listening("listening on 127.0.0.1:8080"), None);
        assert_eq!(listening(r#"{"message":"listening"}"#), None);
        assert_eq!(listening(r#"{"message":"listening","listening":"soon"}"#), None);
    }

    #[test]
    fn only_whole_lines_after_the_start_count() {
        let log = std::env::temp_dir().join(format!("perennial-harness-log-{}", std::process::id()));
        let old = "{\"message\":\"listening\",\"listening\":\"127.0.0.1:1\"}\n";
        std::fs::write(&log, format!("{old}{{\"message\":\"listening\",\"listening\":\"127.0.0.1:2\"}}")).unwrap();
        let unfinished = addresses(&log, old.len() as u64).unwrap();
        let first = addresses(&log, 0).unwrap();
        std::fs::remove_file(&log).unwrap();
        assert_eq!(unfinished, None);
        assert_eq!(first.map(|found| found.api.port()), Some(1));
    }
}
