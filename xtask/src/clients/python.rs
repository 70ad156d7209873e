//! The Python client's generated half: its types, its calls, its version.
//! The modules they use (`_wire`, `_operation`, `_pages`) are hand-written.

mod operations;
mod package;
mod types;

use super::model::{Kind, Model, Operation};
use super::names;

pub(crate) use operations::operations;
pub(crate) use package::tour;
pub(crate) use types::types;

/// Written by hand in the runtime, each with more to it than its fields.
const OF_THE_RUNTIME: [&str; 3] = ["Problem", "Fault", "Page"];

/// Words that cannot name an argument.
const RESERVED: [&str; 32] = [
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
    "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise",
    "return", "try", "while", "with", "yield",
];

pub(crate) fn version(model: &Model) -> String {
    format!("{}\nVERSION = \"{}\"\n", heading("The version of the API's document"), model.version)
}

fn heading(what: &str) -> String {
    format!("\"\"\"{what}. Written from `openapi.json` by `cargo xtask clients`; do not edit.\"\"\"\n")
}

/// Where a value goes: a frozen record, or an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Answered,
    Sent,
}

fn annotation(kind: &Kind, way: Way) -> String {
    match kind {
        Kind::Text => "str".to_owned(),
        Kind::Instant => "datetime".to_owned(),
        Kind::Amount if way == Way::Sent => "Decimal | int".to_owned(),
        Kind::Amount => "Decimal".to_owned(),
        Kind::Integer => "int".to_owned(),
        Kind::Flag => "bool".to_owned(),
        Kind::Constant(value) => format!("Literal[{}]", literal(value)),
        // An object within a body: its members go out as they are.
        Kind::Record(_) if way == Way::Sent => "Mapping[str, Any]".to_owned(),
        Kind::Word(name) | Kind::WordOrAlias(name) | Kind::Record(name) => name.clone(),
        Kind::List(of) if way == Way::Sent => format!("Sequence[{}]", annotation(of, way)),
        Kind::List(of) => format!("tuple[{}, ...]", annotation(of, way)),
        Kind::Either(kinds) => kinds.iter().map(|kind| annotation(kind, way)).collect::<Vec<_>>().join(" | "),
        Kind::Object => "Mapping[str, Any]".to_owned(),
        Kind::Anything => "Any".to_owned(),
    }
}

fn literal(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Bool(true) => "True".to_owned(),
        serde_json::Value::Bool(false) => "False".to_owned(),
        serde_json::Value::Null => "None".to_owned(),
        // Strings and numbers are written alike.
        other => other.to_string(),
    }
}

fn argument(name: &str) -> String {
    if RESERVED.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// A text of the document inside a docstring.
fn prose(docs: &str) -> String {
    docs.replace('\\', "\\\\").replace("\"\"\"", "\"")
}

/// `LIST_PLANS` for `listPlans`.
fn constant(operation: &Operation) -> String {
    names::snake(&operation.id).to_uppercase()
}

#[cfg(test)]
mod tests;
