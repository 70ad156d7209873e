//! Reads `perennial.toml`: each value separately, so that all errors are reported at once, each with its line.

use super::config_error::ConfigError;
use super::{Config, known};
use serde::Deserialize as _;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue, Deserializer};

type Key<'i> = Spanned<DeString<'i>>;
type Entry<'i> = Spanned<DeValue<'i>>;

/// Replaces the type names in messages about numbers.
const NUMBER: &str = "expected a whole number";

/// The content of a file.
pub(crate) struct Read {
    /// The configuration. If there are errors, its valid part.
    pub(crate) config: Config,
    /// The line of each key; of the second provider's `issuer` under `providers[1].issuer`.
    pub(crate) lines: BTreeMap<String, usize>,
    pub(crate) errors: Vec<ConfigError>,
}

pub(crate) fn read(path: &Path, text: &str) -> Read {
    let (document, broken) = DeTable::parse_recoverable(text);
    let mut reader = Reader { path, text, lines: BTreeMap::new(), errors: Vec::new() };
    for error in &broken {
        reader.refuse(error.span(), error.message());
    }
    // The rest of a text that is no TOML would be rejected for its gaps.
    if broken.is_empty() {
        reader.root(document.get_ref());
    }
    reader.errors.sort_by_key(ConfigError::number);
    let config = if reader.errors.is_empty() {
        Config::deserialize(Deserializer::from(document))
    } else {
        Ok(sound_part(text).unwrap_or_default())
    };
    let config = config.unwrap_or_else(|error| {
        reader.refuse(error.span(), error.message());
        Config::default()
    });
    Read { config, lines: reader.lines, errors: reader.errors }
}

/// The usable part of an invalid text, so that all errors are found and not only the first.
fn sound_part(text: &str) -> Option<Config> {
    let table: toml::Table = text.parse().ok()?;
    let alone = |key: &String, value: &toml::Value| toml::Table::from_iter([(key.clone(), value.clone())]);
    let sound = table.iter().filter(|(key, value)| alone(key, value).try_into::<Config>().is_ok());
    let sound: toml::Table = sound.map(|(key, value)| (key.clone(), value.clone())).collect();
    sound.try_into().ok()
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    lines: BTreeMap<String, usize>,
    errors: Vec<ConfigError>,
}

impl Reader<'_> {
    fn root(&mut self, document: &DeTable<'_>) {
        let shape = known::shape();
        for (key, value) in document {
            let name = key.get_ref().as_ref();
            let Some(default) = shape.get(name) else {
                self.unknown("", key, &shape);
                continue;
            };
            match (known::below(default), value.get_ref()) {
                (Some(inner), DeValue::Table(table)) if default.is_object() => {
                    self.table(name, name, inner, table, &|table| alone(key, value, DeValue::Table(table)));
                }
                (Some(inner), DeValue::Array(list)) if default.is_array() => {
                    for (at, entry) in list.iter().enumerate() {
                        self.list_entry(&format!("{name}[{at}]"), key, inner, entry);
                    }
                }
                _ => self.value(name, key, alone(key, value, value.get_ref().clone())),
            }
        }
    }

    /// One table of a list of tables.
    fn list_entry<'i>(&mut self, path: &str, key: &Key<'i>, inner: &Map<String, Value>, entry: &Entry<'i>) {
        let place = |value: DeValue<'i>| alone(key, entry, list_of(entry, value));
        match entry.get_ref() {
            DeValue::Table(table) => {
                self.table(key.get_ref(), path, inner, table, &|table| place(DeValue::Table(table)));
            }
            other => self.value(path, key, place(other.clone())),
        }
    }

    /// Each key of a table. `wrap` puts a table of one key to its place in a separate document.
    fn table<'i>(
        &mut self,
        name: &str,
        path: &str,
        inner: &Map<String, Value>,
        table: &DeTable<'i>,
        wrap: &dyn Fn(DeTable<'i>) -> DeTable<'i>,
    ) {
        for (key, value) in table {
            if inner.contains_key(key.get_ref().as_ref()) {
                let document = wrap(alone(key, value, value.get_ref().clone()));
                self.value(&format!("{path}.{}", key.get_ref()), key, document);
            } else {
                self.unknown(name, key, inner);
            }
        }
    }

    fn unknown(&mut self, table: &str, key: &Key<'_>, here: &Map<String, Value>) {
        self.refuse(Some(key.span()), &known::unknown(table, key.get_ref(), here));
    }

    /// Tries a document with this value only.
    fn value(&mut self, path: &str, key: &Key<'_>, document: DeTable<'_>) {
        let line = self.line(&key.span());
        self.lines.insert(path.to_owned(), line);
        if let Err(error) = Config::deserialize(Deserializer::from(Spanned::new(0..0, document))) {
            let place = error.span().filter(|span| !span.is_empty()).unwrap_or(key.span());
            self.refuse(Some(place), &format!("`{path}`: {}", error.message()));
        }
    }

    /// The message of the parser would quote the line, which may contain a password.
    fn refuse(&mut self, span: Option<Range<usize>>, detail: &str) {
        let line = span.map_or(1, |span| self.line(&span));
        let detail = detail.replace('\n', ", ").replace("expected usize", NUMBER).replace("expected u64", NUMBER);
        self.errors.push(ConfigError::in_file(self.path, line, detail.replace("expected i64", NUMBER)));
    }

    fn line(&self, span: &Range<usize>) -> usize {
        self.text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1
    }
}

/// A list with one entry.
fn list_of<'i>(place: &Entry<'i>, value: DeValue<'i>) -> DeValue<'i> {
    let mut list = DeArray::new();
    list.push(Spanned::new(place.span(), value));
    DeValue::Array(list)
}

/// A table with one key.
fn alone<'i>(key: &Key<'i>, place: &Entry<'i>, value: DeValue<'i>) -> DeTable<'i> {
    let mut table = DeTable::new();
    table.insert(key.clone(), Spanned::new(place.span(), value));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        read(Path::new("p.toml"), text).errors.iter().map(ConfigError::line).collect()
    }

    #[test]
    fn all_faults_are_told_at_once_each_with_its_line() {
        let text = "lissten = \"x\"\nlisten = \"here\"\n\n[limits]\nconnections = 0\nbody = 1\nbody_bytes = 5\n\n\
                    [[providers]]\nkind = \"oidc\"\n[[providers]]\nkind = \"saml\"\nisuer = \"x\"\n";
        let found = errors(text);
        let lines: Vec<&str> = found.iter().map(|line| line.split(": ").next().unwrap_or_default()).collect();
        assert_eq!(lines, ["p.toml:1", "p.toml:2", "p.toml:5", "p.toml:6", "p.toml:12", "p.toml:13"], "{found:?}");
        assert!(found.iter().any(|line| line.contains("`limits.connections`: 0 is out of range")), "{found:?}");
        assert!(found.iter().any(|line| line.contains("`isuer` in [providers]; did you mean `issuer`?")), "{found:?}");
        assert!(found.iter().any(|line| line.contains("`providers[1].kind`")), "{found:?}");
    }

    #[test]
    fn what_can_be_read_of_a_wrong_file_is_kept() {
        let text = "data_dir = \"/d\"\nlissten = 1\nlisten = \"nowhere\"\n[postgres]\nreaders = 3\n";
        let config = read(Path::new("p.toml"), text).config;
        assert_eq!((config.data_dir.as_path(), config.postgres.readers.0), (Path::new("/d"), 3));
        assert_eq!(config.listen, Config::default().listen);
    }

    #[test]
    fn every_broken_line_is_told() {
        let found = errors("listen = \ndata_dir = \"d\"\n[limits\n");
        assert!(found.len() >= 2 && found[0].starts_with("p.toml:1: "), "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("p.toml:3: ")), "{found:?}");
    }

    #[test]
    fn a_table_may_be_written_in_any_way_toml_has() {
        let read = read(Path::new("p.toml"), "limits.body_bytes = 7\npostgres = { readers = 3 }\n");
        assert!(read.errors.is_empty());
        assert_eq!((read.config.limits.body_bytes, read.config.postgres.readers.0), (7, 3));
        assert_eq!((read.lines["limits.body_bytes"], read.lines["postgres.readers"]), (1, 2));
        assert!(errors("limits = 3\n")[0].contains("`limits`"));
        assert!(errors("providers = [1]\n")[0].contains("`providers[0]`"));
    }
}
