//! `types.ts`: vocabularies, error codes, records, and the queries of reads.

use std::fmt::Write as _;

use super::{COLUMNS, HEAD, comment, member};
use crate::clients::model::{Answer, Model, Vocabulary};

const ALIASES: &str = "
/** An instant as text, RFC 3339. Answers have it in UTC with six digits: `2026-01-31T09:30:00.000000Z`. */
export type Instant = string;

/**
 * Money, in the currency's own unit: 19.99. A number holds it exactly as long as nothing is computed with it; for sums see
 * `toMinorUnits`.
 */
export type Amount = number;
";

// Writing to a string cannot fail; this is why its results are dropped below.
pub(crate) fn types(model: &Model) -> String {
    let mut text = format!("{HEAD}{ALIASES}");
    for vocabulary in &model.vocabularies {
        text.push('\n');
        text.push_str(&union(vocabulary));
    }
    text.push_str("\n/** The statuses that a code comes with, and what it means. */\n");
    text.push_str("export const problemCatalogue = [\n");
    for problem in &model.problems {
        let title = serde_json::Value::from(problem.title.as_str());
        let _ = writeln!(text, "  {{ code: \"{}\", status: {}, title: {title} }},", problem.code, problem.status);
    }
    text.push_str("] as const satisfies readonly { code: ProblemCode; status: number; title: string }[];\n");
    for record in &model.records {
        text.push('\n');
        text.push_str(&comment(&record.docs, ""));
        let _ = writeln!(text, "export interface {} {{", record.name);
        for field in &record.fields {
            text.push_str(&comment(&field.docs, "  "));
            let _ = writeln!(text, "  {}", member(field));
        }
        text.push_str("}\n");
    }
    for operation in &model.operations {
        let (Answer::Page(record) | Answer::Figures(record) | Answer::One(record)) = &operation.answer else {
            continue;
        };
        if !operation.asks() {
            continue;
        }
        let _ = writeln!(text, "\n/** What {} asks for. */", operation.id);
        let _ = writeln!(text, "export interface {record}Query {{");
        for parameter in &operation.query {
            text.push_str(&comment(&parameter.docs, "  "));
            let _ = writeln!(text, "  {}", member(parameter));
        }
        text.push_str("}\n");
    }
    text
}

fn union(vocabulary: &Vocabulary) -> String {
    let words: Vec<String> = vocabulary.words.iter().map(|word| format!("\"{word}\"")).collect();
    let line = format!("export type {} = {};\n", vocabulary.name, words.join(" | "));
    if line.len() <= COLUMNS {
        return line;
    }
    format!("export type {} =\n  | {};\n", vocabulary.name, words.join("\n  | "))
}
