//! The TypeScript client's generated half: `types.ts` and `resources.ts`. The other half, which sends, retries and
//! refreshes, is hand-written.

mod resources;
mod types;

pub(crate) use resources::resources;
pub(crate) use types::types;

use super::model::{Field, Kind};

const HEAD: &str = "// Generated from openapi.json by `cargo xtask clients`: what is changed here is lost.\n";

/// A line that is longer is broken, as a person would.
const COLUMNS: usize = 120;

fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::Text => "string".to_owned(),
        Kind::Instant => "Instant".to_owned(),
        Kind::Amount => "Amount".to_owned(),
        Kind::Integer => "number".to_owned(),
        Kind::Flag => "boolean".to_owned(),
        Kind::Constant(value) => value.to_string(),
        Kind::Word(vocabulary) => vocabulary.clone(),
        // Editors still suggest the values.
        Kind::WordOrAlias(vocabulary) => format!("{vocabulary} | (string & {{}})"),
        Kind::List(items) => match type_of(items) {
            union if union.contains('|') => format!("({union})[]"),
            plain => format!("{plain}[]"),
        },
        Kind::Record(name) => name.clone(),
        Kind::Either(kinds) => kinds.iter().map(type_of).collect::<Vec<_>>().join(" | "),
        Kind::Object => "Record<string, unknown>".to_owned(),
        Kind::Anything => "unknown".to_owned(),
    }
}

/// `price: Amount;`, with a `?` and an `undefined` where it may be left out.
fn member(field: &Field) -> String {
    let mut kind = type_of(&field.kind);
    if field.nullable {
        kind.push_str(" | null");
    }
    match field.required {
        true => format!("{}: {kind};", field.name),
        false if field.kind == Kind::Anything => format!("{}?: {kind};", field.name),
        // Explicit for projects that compile with `exactOptionalPropertyTypes`.
        false => format!("{}?: {kind} | undefined;", field.name),
    }
}

/// A comment for readers and editors, or nothing.
fn comment(text: &str, indent: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = text.replace("*/", "* /");
    let lines = wrapped(&text, COLUMNS - indent.len() - 3);
    match lines.as_slice() {
        [line] if line.len() + indent.len() + 7 <= COLUMNS => format!("{indent}/** {line} */\n"),
        lines => {
            let body: String =
                lines.iter().map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n").collect();
            format!("{indent}/**\n{body}{indent} */\n")
        }
    }
}

/// The text in lines of at most so many characters; its own line ends stay.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(kind: Kind, nullable: bool, required: bool) -> Field {
        Field { name: "f".to_owned(), docs: String::new(), kind, nullable, required }
    }

    #[test]
    fn members_say_what_may_be_null_and_what_may_be_left_out() {
        assert_eq!(member(&field(Kind::Amount, false, true)), "f: Amount;");
        assert_eq!(member(&field(Kind::Text, true, false)), "f?: string | null | undefined;");
        assert_eq!(member(&field(Kind::Anything, false, false)), "f?: unknown;");
        assert_eq!(member(&field(Kind::Constant(true.into()), false, true)), "f: true;");
    }

    #[test]
    fn a_list_of_one_of_several_is_bracketed() {
        let list = Kind::List(Box::new(Kind::WordOrAlias("BillingCycle".to_owned())));
        assert_eq!(type_of(&list), "(BillingCycle | (string & {}))[]");
    }

    #[test]
    fn comments_are_wrapped_and_cannot_be_ended_from_within() {
        assert_eq!(comment("", "  "), "");
        assert_eq!(comment("Short.", "  "), "  /** Short. */\n");
        assert_eq!(comment("One */ two", ""), "/** One * / two */\n");
        let long = comment(&"word ".repeat(40), "");
        assert!(long.lines().count() > 3 && long.lines().all(|line| line.len() <= COLUMNS), "{long}");
    }
}
