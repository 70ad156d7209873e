//! The file of a relink: CSV with a header, or one JSON object per line.

use crate::failure::Failure;
use perennial_app::users::{Relink, Target, check_identity};
use perennial_domain::users::Email;
use serde::Deserialize;
use std::path::Path;

/// A valid line.
pub(super) struct Entry {
    pub(super) line: usize,
    pub(super) relink: Relink,
}

/// The error of a line.
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) detail: String,
}

/// The members of a line.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    user: String,
    issuer: String,
    subject: String,
}

const FIELDS: [&str; 3] = ["user", "issuer", "subject"];

/// Reads the whole file: the valid lines, and the errors of the others.
pub(super) fn read(path: &Path) -> Result<(Vec<Entry>, Vec<Fault>), Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("{} cannot be read: {error}", path.display())))?;
    let text = text.trim_start_matches('\u{feff}');
    let lines =
        text.lines().enumerate().map(|(place, line)| (place + 1, line)).filter(|(_, line)| !line.trim().is_empty());
    if text.trim_start().starts_with('{') {
        let parse = |line: &str| serde_json::from_str(line).map_err(|error| format!("not an entry: {error}"));
        return Ok(sorted(lines, parse));
    }
    let mut lines = lines;
    let head = lines.next().and_then(|(_, line)| cells(line)).unwrap_or_default();
    let places = FIELDS.map(|field| head.iter().position(|cell| cell.trim() == field));
    let [Some(user), Some(issuer), Some(subject)] = places else {
        let detail = "the first line must name the columns user, issuer and subject";
        return Err(Failure::new(format!("{}: {detail}", path.display())));
    };
    let parse = |line: &str| {
        let mut cells = cells(line).ok_or("the quotes of a cell do not end with it")?;
        if cells.len() != head.len() {
            return Err(format!("the header names {} columns, this line has {}", head.len(), cells.len()));
        }
        let mut take = |place: usize| std::mem::take(&mut cells[place]);
        Ok(Members { user: take(user), issuer: take(issuer), subject: take(subject) })
    };
    Ok(sorted(lines, parse))
}

fn sorted<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    parse: impl Fn(&str) -> Result<Members, String>,
) -> (Vec<Entry>, Vec<Fault>) {
    let (mut entries, mut faults) = (Vec::new(), Vec::new());
    for (line, text) in lines {
        match parse(text).and_then(|members| entry(&members)) {
            Ok(relink) => entries.push(Entry { line, relink }),
            Err(detail) => faults.push(Fault { line, detail }),
        }
    }
    (entries, faults)
}

fn entry(members: &Members) -> Result<Relink, String> {
    let named = members.user.trim();
    let user = match (named.parse(), Email::parse(named)) {
        (Ok(id), _) => Target::Id(id),
        (_, Ok(email)) => Target::Email(email),
        _ => return Err("user must be an id (usr_…) or an e-mail address".to_owned()),
    };
    let identity = check_identity(&members.issuer, &members.subject)
        .map_err(|(field, reason)| format!("{field} {}", reason.detail))?;
    Ok(Relink { user, identity })
}

/// The cells of a line of CSV (RFC 4180); none if its quotes do not match. A cell does not span lines.
fn cells(line: &str) -> Option<Vec<String>> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let (cell, after) = match rest.strip_prefix('"') {
            None => rest.find(',').map_or((rest.to_owned(), ""), |end| (rest[..end].to_owned(), &rest[end..])),
            Some(quoted) => unquoted(quoted)?,
        };
        cells.push(cell);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None if after.is_empty() => return Some(cells),
            None => return None,
        }
    }
}

/// The text of a quoted cell whose first quote has been read, and what follows its last.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let (mut cell, mut rest) = (String::new(), text);
    loop {
        let end = rest.find('"')?;
        cell.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(next) => {
                cell.push('"');
                rest = next;
            }
            None => return Some((cell, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_cut_at_commas_outside_quotes() {
        let cut = |line: &str| cells(line).map(|cells| cells.join("|"));
        assert_eq!(cut("a,,c").as_deref(), Some("a||c"));
        assert_eq!(cut("a,").as_deref(), Some("a|"));
        assert_eq!(cut("\"a,\"\"b\"\"\",\"\"").as_deref(), Some("a,\"b\"|"));
        for line in ["\"a", "\"a\"b"] {
            assert_eq!(cut(line), None, "{line}");
        }
    }
}
