//! The reference: a file with every setting, its default and its description. The schema takes its descriptions from it, and
//! tests compare it with the types, so that none of the three can drift.

/// The output of `perennial config default`.
pub(crate) const TEXT: &str = include_str!("default.toml");

/// The same with every commented example enabled.
pub(crate) fn with_examples() -> String {
    let lines = TEXT.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|first: char| first.is_ascii_lowercase() || first == '[') => rest,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The comment above each key, by the key's full name. Adjacent keys share one.
pub(crate) fn description(path: &str) -> Option<String> {
    let (wanted, key) = path.rsplit_once('.').unwrap_or(("", path));
    let (mut table, mut comment, mut open) = (String::new(), String::new(), false);
    for line in with_examples().lines() {
        if let Some(words) = line.strip_prefix("# ") {
            // A comment after a key belongs to the next key.
            comment = if open { format!("{comment} {words}") } else { words.to_owned() };
            open = true;
            continue;
        }
        open = false;
        if line.starts_with('[') {
            line.trim_matches(['[', ']']).clone_into(&mut table);
        } else if line.is_empty() {
            comment.clear();
        } else if table == wanted && line.split(" = ").next() == Some(key) {
            return Some(comment).filter(|comment| !comment.is_empty());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, file, known};
    use std::path::Path;

    const PAGE: &str = include_str!("../../../../docs/configuration.md");

    fn values(text: &str) -> serde_json::Value {
        let read = file::read(Path::new("default.toml"), text);
        assert!(read.errors.is_empty(), "{:?}", read.errors);
        serde_json::to_value(read.config).unwrap()
    }

    #[test]
    fn the_reference_says_exactly_the_defaults() {
        assert_eq!(values(TEXT), serde_json::to_value(Config::default()).unwrap());
    }

    #[test]
    fn the_reference_has_every_key_and_says_what_it_does() {
        let read = file::read(Path::new("default.toml"), &with_examples());
        assert!(read.errors.is_empty(), "{:?}", read.errors);
        let shown: Vec<String> = read.lines.keys().map(|key| key.replace("[0]", "")).collect();
        for path in known::paths() {
            assert!(shown.contains(&path), "{path} is not in the reference");
            assert!(description(&path).is_some_and(|text| text.len() > 20), "{path} is not described");
        }
        assert_eq!(shown.len(), known::paths().len());
        assert_eq!(description("client_id"), None);
    }

    #[test]
    fn the_page_shows_the_reference() {
        assert!(
            PAGE.contains(&format!("```toml\n{TEXT}```\n")),
            "copy src/config/default.toml into docs/configuration.md"
        );
    }

    #[test]
    fn the_page_names_every_flag_and_variable() {
        use crate::config::environment;
        use clap::CommandFactory;
        for name in environment::variables() {
            assert!(PAGE.contains(&format!("`{name}`")), "{name} is not in docs/configuration.md");
        }
        let command = crate::arguments::Arguments::command();
        let serve = command.find_subcommand("serve").unwrap();
        for argument in command.get_arguments().chain(serve.get_arguments()) {
            let Some(variable) = argument.get_env().and_then(|name| name.to_str()) else { continue };
            let row = format!("| `--{}` | `{variable}`", argument.get_long().unwrap_or_default());
            assert!(PAGE.contains(&row), "{row} is not in docs/configuration.md");
        }
    }
}
