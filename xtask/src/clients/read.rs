//! `openapi.json` into the model. It knows the shapes that our own document has and refuses any other: a client that
//! silently leaves something out would be worse than none.

use serde_json::{Map, Value};

use super::model::{Access, Answer, Body, Extra, Field, Kind, Model, Operation, Problem, Record, Role, Vocabulary};
use super::names;
use crate::process::{Failure, Result};

const METHODS: [&str; 5] = ["get", "put", "post", "patch", "delete"];

pub(crate) fn model(text: &str) -> Result<Model> {
    let document: Value =
        serde_json::from_str(text).map_err(|error| Failure::new(format!("openapi.json is not JSON: {error}.")))?;
    let schemas = object(&document, "/components/schemas")?;
    let mut reader = Reader { vocabularies: vocabularies(schemas), records: Vec::new() };
    for (name, schema) in schemas {
        // An envelope is the answer's shape, not a record. An event has `data`, too, and an ID.
        if schema.pointer("/properties/data").is_none() || schema.pointer("/properties/id").is_some() {
            reader.record(name, schema, Role::Answered)?;
        }
    }
    let mut operations = Vec::new();
    for (path, methods) in object(&document, "/paths")? {
        for method in METHODS {
            if let Some(operation) = methods.get(method) {
                operations.extend(reader.operation(&document, method, path, operation)?);
            }
        }
    }
    Ok(Model {
        version: text_at(&document, "/info/version"),
        problems: problems(object(&document, "/components/responses")?),
        vocabularies: reader.vocabularies,
        records: reader.records,
        operations,
    })
}

/// The sets of words among the answered records. A set that two records share is named by its field alone,
/// unless one record is the other with more in it, as `WebhookEndpointWithSecret` is.
fn vocabularies(schemas: &Map<String, Value>) -> Vec<Vocabulary> {
    let mut found: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for (owner, schema) in schemas {
        for (field, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_open = names::is_open_set(owner, field);
            let words = words(&property[if is_open { "examples" } else { "enum" }]);
            if words.len() > 1 {
                found.push((owner, field, words));
            }
        }
    }
    let mut vocabularies: Vec<Vocabulary> = Vec::new();
    for (owner, field, words) in &found {
        if vocabularies.iter().any(|known| known.words == *words) {
            continue;
        }
        let shared = found
            .iter()
            .any(|(other_owner, other, same)| other == field && same == words && !other_owner.starts_with(owner));
        let name = if shared { names::pascal(field) } else { format!("{owner}{}", names::pascal(field)) };
        vocabularies.push(Vocabulary { name, words: words.clone() });
    }
    vocabularies
}

/// The error codes, from the lines ``- `code`: Title.`` of each error response.
fn problems(responses: &Map<String, Value>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (status, response) in responses {
        let Ok(status) = status.parse() else { continue };
        let lines = response["description"].as_str().unwrap_or_default().lines();
        problems.extend(lines.filter_map(|line| {
            let (code, title) = line.strip_prefix("- `")?.split_once("`: ")?;
            Some(Problem { code: code.to_owned(), status, title: title.trim_end_matches('.').to_owned() })
        }));
    }
    problems
}

/// What has been read so far.
struct Reader {
    vocabularies: Vec<Vocabulary>,
    records: Vec<Record>,
}

impl Reader {
    /// Reads an object and those inside it, which stand before it.
    fn record(&mut self, name: &str, schema: &Value, role: Role) -> Result {
        let required = words(&schema["required"]);
        let mut fields = Vec::new();
        for (field, property) in object(schema, "/properties")? {
            fields.push(Field {
                name: field.clone(),
                docs: text_at(property, "/description"),
                kind: self.kind(name, field, property, role)?,
                nullable: is_nullable(property),
                required: required.contains(field),
            });
        }
        let docs = text_at(schema, "/description");
        self.records.push(Record { name: name.to_owned(), docs, fields, role });
        Ok(())
    }

    fn kind(&mut self, owner: &str, field: &str, schema: &Value, role: Role) -> Result<Kind> {
        if let Some(name) = reference(schema) {
            return Ok(Kind::Record(name.to_owned()));
        }
        if let Some([only]) = schema["enum"].as_array().map(Vec::as_slice) {
            return Ok(Kind::Constant(only.clone()));
        }
        if let Some(kinds) = schema["anyOf"].as_array() {
            let kinds: Result<Vec<Kind>> = kinds
                .iter()
                .filter(|kind| kind["type"] != "null")
                .map(|kind| self.kind(owner, field, kind, role))
                .collect();
            return Ok(Kind::Either(kinds?));
        }
        let kind = match json_type(schema).filter(|_| !is_mixed(schema)) {
            Some("string") => self.text(owner, field, schema),
            Some("number") => Kind::Amount,
            Some("integer") => Kind::Integer,
            Some("boolean") => Kind::Flag,
            Some("array") => Kind::List(Box::new(self.kind(owner, field, &schema["items"], role)?)),
            Some("object") if schema.get("properties").is_some() => {
                let name = names::inline(owner, field);
                self.record(&name, schema, role)?;
                Kind::Record(name)
            }
            // A map from keys to values of one kind is an object too: its keys are not known here.
            Some("object") if is_map(&schema["additionalProperties"]) => Kind::Object,
            None => Kind::Anything,
            Some(other) => {
                return Err(Failure::new(format!(
                    "`{owner}.{field}` is of the type `{other}`, which xtask/src/clients/read.rs does not know."
                )));
            }
        };
        Ok(kind)
    }

    fn text(&mut self, owner: &str, field: &str, schema: &Value) -> Kind {
        if schema["format"] == "date-time" {
            return Kind::Instant;
        }
        let closed = words(&schema["enum"]);
        if !closed.is_empty() {
            return Kind::Word(self.vocabulary(owner, field, closed));
        }
        let usual = words(&schema["examples"]);
        match self.vocabularies.iter().find(|known| known.words == usual) {
            Some(known) => Kind::WordOrAlias(known.name.clone()),
            None => Kind::Text,
        }
    }

    fn vocabulary(&mut self, owner: &str, field: &str, words: Vec<String>) -> String {
        if let Some(known) = self.vocabularies.iter().find(|known| known.words == words) {
            return known.name.clone();
        }
        let name = format!("{owner}{}", names::pascal(field));
        self.vocabularies.push(Vocabulary { name: name.clone(), words });
        name
    }

    /// A call that returns JSON; pages, scripts and styles are for browsers, and so are the console's own calls.
    fn operation(&mut self, document: &Value, method: &str, path: &str, read: &Value) -> Result<Option<Operation>> {
        let id = text_at(read, "/operationId");
        if read["x-console"] == true {
            return Ok(None);
        }
        let responses = object(read, "/responses")?;
        let statuses = || responses.iter().filter_map(|(status, _)| status.parse::<u16>().ok());
        let (status, success) = responses
            .iter()
            .find_map(|(status, response)| Some((status.parse().ok().filter(|s| (200..300).contains(s))?, response)))
            .ok_or_else(|| Failure::new(format!("the operation `{id}` has no status of success.")))?;
        let Some(content) = success.pointer("/content/application~1json") else {
            return Ok(None);
        };
        let answer = answer(document, &id, &content["schema"])?;
        let extras = extras(document, &answer, &content["schema"]);
        let access = access(read);
        let owner = match &answer {
            Answer::One(record) | Answer::Page(record) | Answer::Figures(record) => record.clone(),
            Answer::Bare => names::pascal(&id),
        };
        let parameters = read["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        let takes = |header: &str| parameters.iter().any(|given| given["in"] == "header" && given["name"] == header);
        let idempotency_key = takes("idempotency-key");
        Ok(Some(Operation {
            place: if access == Access::Open { None } else { Some(names::place(&id)?) },
            method: method.to_uppercase(),
            path: path.to_owned(),
            summary: text_at(read, "/summary"),
            docs: text_at(read, "/description"),
            access,
            scope: read["x-required-scope"].as_str().map(str::to_owned),
            path_parameters: self.parameters(&owner, parameters, "path")?,
            query: self.parameters(&owner, parameters, "query")?,
            body: self.body(&id, read)?,
            answer,
            extras,
            status,
            answer_example: content.get("example").cloned(),
            idempotency_key,
            if_match: takes("if-match"),
            if_none_match: takes("if-none-match"),
            repeatable: method != "post" || idempotency_key || names::repeatable(&id),
            refusals: statuses().filter(|status| *status >= 400).collect(),
            id,
        }))
    }

    fn parameters(&mut self, owner: &str, parameters: &[Value], place: &str) -> Result<Vec<Field>> {
        let mut fields = Vec::new();
        for given in parameters.iter().filter(|given| given["in"] == place) {
            let name = text_at(given, "/name");
            fields.push(Field {
                docs: text_at(given, "/description"),
                kind: self.kind(owner, &name, &given["schema"], Role::Sent)?,
                nullable: false,
                required: given["required"] == true,
                name,
            });
        }
        Ok(fields)
    }

    fn body(&mut self, id: &str, read: &Value) -> Result<Option<Body>> {
        let Some(content) = read.pointer("/requestBody/content/application~1json") else {
            return Ok(None);
        };
        let record = names::body(id);
        self.record(&record, &content["schema"], Role::Sent)?;
        Ok(Some(Body { record, example: content.get("example").cloned() }))
    }
}

/// What is in the envelope.
fn answer(document: &Value, id: &str, schema: &Value) -> Result<Answer> {
    let Some(envelope) = reference(schema) else {
        return Ok(Answer::Bare);
    };
    let data = document.pointer(&format!("/components/schemas/{envelope}/properties/data"));
    let one = data.and_then(reference).map(|record| Answer::One(record.to_owned()));
    let has = |member: &str| document.pointer(&format!("/components/schemas/{envelope}/properties/{member}")).is_some();
    let rows = if has("page") { Answer::Page } else { Answer::Figures };
    let page = data.and_then(|data| reference(&data["items"])).map(|record| rows(record.to_owned()));
    one.or(page).ok_or_else(|| Failure::new(format!("the answer of `{id}` has no `data` that names a record.")))
}

/// What a page has in its envelope next to `data` and `page`.
fn extras(document: &Value, answer: &Answer, schema: &Value) -> Vec<Extra> {
    let (Answer::Page(_), Some(envelope)) = (answer, reference(schema)) else { return Vec::new() };
    let members = document.pointer(&format!("/components/schemas/{envelope}/properties")).and_then(Value::as_object);
    let others = members.into_iter().flatten().filter(|(member, _)| *member != "data" && *member != "page");
    let named = |(member, schema): (&String, &Value)| {
        Some(Extra { member: member.clone(), record: reference(schema)?.to_owned() })
    };
    others.filter_map(named).collect()
}

/// From `security`, which the document as a whole sets to the client alone.
fn access(read: &Value) -> Access {
    let Some(ways) = read["security"].as_array() else {
        return Access::Client;
    };
    // Operators use the console, not a client of this API.
    let ways: Vec<&Value> = ways.iter().filter(|way| way.get("operator").is_none()).collect();
    let with_user = ways.iter().filter(|way| way.get("user").is_some()).count();
    match (with_user, ways.len()) {
        (_, 0) => Access::Open,
        (0, _) => Access::Client,
        (some, all) if some == all => Access::User,
        _ => Access::ClientOrUser,
    }
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

/// The type, besides null.
fn json_type(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        other => other.as_str(),
    }
}

/// Whether an object has members that are not listed.
fn is_map(additional: &Value) -> bool {
    *additional == true || additional.is_object()
}

/// Whether values of several types are allowed, besides null.
fn is_mixed(schema: &Value) -> bool {
    schema["type"].as_array().is_some_and(|types| types.iter().filter(|name| *name != "null").count() > 1)
}

fn is_nullable(schema: &Value) -> bool {
    let is_null = |schema: &Value| schema["type"] == "null";
    schema["type"].as_array().is_some_and(|types| types.iter().any(|name| name == "null"))
        || schema["anyOf"].as_array().is_some_and(|kinds| kinds.iter().any(is_null))
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn object<'a>(value: &'a Value, pointer: &str) -> Result<&'a Map<String, Value>> {
    let found = value.pointer(pointer).and_then(Value::as_object);
    found.ok_or_else(|| Failure::new(format!("openapi.json has no object at `{pointer}` where one belongs.")))
}

fn text_at(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
