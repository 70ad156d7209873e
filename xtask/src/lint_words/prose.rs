//! Separates the prose of a source file from its code: comments and string literals stay, everything else becomes spaces.
//! Invariant: the result has the same lines and columns as the source, so that a position in one is a position in the other.

/// The comments and string literals of Rust source, at their places.
pub(super) fn of_rust(source: &str) -> String {
    let characters: Vec<char> = source.chars().collect();
    let mut prose = String::with_capacity(source.len());
    let mut at = 0;
    while at < characters.len() {
        let length = text_length(&characters, at);
        if length > 0 {
            prose.extend(&characters[at..at + length]);
            at += length;
            continue;
        }
        let length = code_length(&characters, at);
        prose.extend(characters[at..at + length].iter().map(|letter| if *letter == '\n' { '\n' } else { ' ' }));
        at += length;
    }
    without_code_spans(&prose)
}

/// Markdown and configuration files are prose, except for code spans.
pub(super) fn of_text(source: &str) -> String {
    without_code_spans(source)
}

/// Replaces what is between two backticks of a line by spaces: these are names, not words. Fences (three backticks) stay.
fn without_code_spans(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.matches('`').count() < 2 || line.contains("```") {
            result.push_str(line);
            continue;
        }
        for (number, part) in line.split('`').enumerate() {
            if number > 0 {
                result.push(' ');
            }
            if number % 2 == 0 {
                result.push_str(part);
            } else {
                result.extend(part.chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }));
            }
        }
    }
    result
}

/// The length of the comment or string literal that begins here, or 0.
fn text_length(source: &[char], at: usize) -> usize {
    match (source[at], source.get(at + 1)) {
        ('/', Some('/')) => source[at..].iter().take_while(|letter| **letter != '\n').count(),
        ('/', Some('*')) => block_comment_length(&source[at..]),
        ('"', _) => string_length(&source[at..]),
        ('r', Some('"' | '#')) if !follows_a_name(source, at) => raw_string_length(&source[at..]),
        _ => 0,
    }
}

/// The length of code to skip: a character literal as a whole, because it may be a quote; else one character.
fn code_length(source: &[char], at: usize) -> usize {
    match source[at..] {
        ['\'', '\\', ..] => {
            let end = source[at + 3..].iter().position(|letter| *letter == '\'');
            end.map_or(1, |end| end + 4)
        }
        ['\'', _, '\'', ..] => 3,
        _ => 1,
    }
}

fn follows_a_name(source: &[char], at: usize) -> bool {
    at > 0 && (source[at - 1].is_alphanumeric() && source[at - 1] != 'b' || source[at - 1] == '_')
}

fn block_comment_length(source: &[char]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < source.len() {
        match (source[at], source.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn string_length(source: &[char]) -> usize {
    let mut at = 1;
    while at < source.len() && source[at] != '"' {
        at += if source[at] == '\\' { 2 } else { 1 };
    }
    source.len().min(at + 1)
}

/// 0 if it is not a raw string but a raw identifier.
fn raw_string_length(source: &[char]) -> usize {
    let marks = source[1..].iter().take_while(|letter| **letter == '#').count();
    if source.get(1 + marks) != Some(&'"') {
        return 0;
    }
    let begin = marks + 2;
    let ends =
        |at: usize| source[at] == '"' && source[at + 1..].iter().take(marks).filter(|c| **c == '#').count() == marks;
    (begin..source.len()).find(|at| ends(*at)).map_or(source.len(), |at| at + 1 + marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_stay_where_they_are_and_code_becomes_spaces() {
        let source = "let name = 1; // a comment\n/* one\n two */ call(\"a string\");\n";
        let expected = "              // a comment\n/* one\n two */      \"a string\"  \n";
        assert_eq!(of_rust(source), expected);
    }

    #[test]
    fn strings_end_where_they_end() {
        assert_eq!(of_rust(r#"f("a \" b", c)"#), r#"  "a \" b"    "#);
        assert_eq!(of_rust("f(r#\"a \" b\"#, c)"), "  r#\"a \" b\"#    ");
        assert_eq!(of_rust("f(br\"a\", r#type)"), "   r\"a\"         ");
        assert_eq!(of_rust("f(\"never ends"), "  \"never ends");
    }

    #[test]
    fn a_quote_as_a_character_and_a_lifetime_are_code() {
        assert_eq!(of_rust("('\"', name)"), " ".repeat(11));
        assert_eq!(of_rust("('\\'', \"x\")"), format!("{}\"x\" ", " ".repeat(7)));
        assert_eq!(of_rust("fn f<'a>(x: &'a str)"), " ".repeat(20));
    }

    #[test]
    fn nested_comments_are_one_comment() {
        assert_eq!(of_rust("/* a /* b */ c */ d"), "/* a /* b */ c */  ");
    }

    #[test]
    fn code_spans_are_names_and_not_words() {
        assert_eq!(of_text("a `name` b\n"), "a        b\n");
        assert_eq!(of_text("```sh\na single ` here\n"), "```sh\na single ` here\n");
    }
}
