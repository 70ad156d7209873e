//! `resources.ts`: a class for each group of calls, and one that has them all.

use std::fmt::Write as _;

use super::{COLUMNS, HEAD, comment, type_of};
use crate::clients::model::{Access, Answer, Model, Operation, Place};
use crate::clients::names;

// Writing to a string cannot fail; this is why its results are dropped below.
pub(crate) fn resources(model: &Model) -> String {
    let groups = model.groups();
    let mut text = format!("{HEAD}\n{}", imports(&groups));
    for (_, operations) in &groups {
        for (_, operation) in operations {
            let _ = write!(text, "\n{}", constant(operation));
        }
    }
    for (group, operations) in &groups {
        let _ = write!(text, "\nexport class {} {{\n", names::pascal(group));
        text.push_str(
            "  readonly #caller: Caller;\n\n  constructor(caller: Caller) {\n    this.#caller = caller;\n  }\n",
        );
        for (place, operation) in operations {
            text.push('\n');
            text.push_str(&method(place, operation));
        }
        text.push_str("}\n");
    }
    text.push_str("\n/** Every group of calls, over one caller. */\nexport class Resources {\n");
    for (group, _) in &groups {
        let _ = writeln!(text, "  readonly {}: {};", names::camel(group), names::pascal(group));
    }
    text.push_str("\n  constructor(caller: Caller) {\n");
    for (group, _) in &groups {
        let _ = writeln!(text, "    this.{} = new {}(caller);", names::camel(group), names::pascal(group));
    }
    text.push_str("  }\n}\n");
    text
}

fn imports(groups: &[(&str, Vec<(&Place, &Operation)>)]) -> String {
    let mut used: Vec<String> = Vec::new();
    for operation in groups.iter().flat_map(|(_, operations)| operations).map(|(_, operation)| operation) {
        used.extend(operation.body.iter().map(|body| body.record.clone()));
        used.extend(operation.extras.iter().map(|extra| extra.record.clone()));
        match &operation.answer {
            Answer::One(record) if operation.asks() => used.extend([record.clone(), format!("{record}Query")]),
            Answer::One(record) => used.push(record.clone()),
            Answer::Page(record) | Answer::Figures(record) if operation.query.is_empty() => used.push(record.clone()),
            Answer::Page(record) | Answer::Figures(record) => used.extend([record.clone(), format!("{record}Query")]),
            Answer::Bare => {}
        }
    }
    used.sort();
    used.dedup();
    let names = used.join(",\n  ");
    format!(
        "import type {{ Caller, Operation }} from \"../caller.js\";\n\
         import type {{ CallOptions, ChangeOptions, CreateOptions, ReadOptions }} from \"../options.js\";\n\
         import {{ each, type FiguresOf, type PageOf }} from \"../pages.js\";\n\
         import type {{\n  {names},\n}} from \"./types.js\";\n"
    )
}

/// What the runtime must know of a call.
fn constant(operation: &Operation) -> String {
    let access = match operation.access {
        Access::Open => "open",
        Access::Client => "client",
        Access::User => "user",
        Access::ClientOrUser => "clientOrUser",
    };
    let line = format!(
        "const {0}: Operation = {{ id: \"{0}\", method: \"{1}\", path: \"{2}\", access: \"{access}\", keyed: {3}, repeatable: {4} }};\n",
        operation.id, operation.method, operation.path, operation.idempotency_key, operation.repeatable
    );
    if line.len() <= COLUMNS {
        return line;
    }
    line.replace("= { ", "= {\n  ").replace(", ", ",\n  ").replace(" };", ",\n};")
}

fn method(place: &Place, operation: &Operation) -> String {
    let name = names::camel(&place.name);
    let docs = comment(&documentation(operation), "  ");
    let paths: Vec<(String, String)> = operation
        .path_parameters
        .iter()
        .map(|parameter| (names::camel(&parameter.name), type_of(&parameter.kind)))
        .collect();
    let mut parameters: Vec<String> = paths.iter().map(|(name, kind)| format!("{name}: {kind}")).collect();
    let mut sent = Vec::new();
    if !paths.is_empty() {
        let values: Vec<String> = operation
            .path_parameters
            .iter()
            .zip(&paths)
            .map(
                |(parameter, (name, _))| {
                    if parameter.name == *name { name.clone() } else { format!("{}: {name}", parameter.name) }
                },
            )
            .collect();
        sent.push(format!("path: {{ {} }}", values.join(", ")));
    }
    if let Some(body) = &operation.body {
        parameters.push(format!("body: {}", body.record));
        sent.push("body".to_owned());
    }
    if let Answer::Page(record) | Answer::Figures(record) = &operation.answer {
        return list(&docs, &name, operation, record, (&parameters, sent));
    }
    let record = match &operation.answer {
        Answer::One(record) | Answer::Page(record) | Answer::Figures(record) => record.as_str(),
        Answer::Bare => "unknown",
    };
    if operation.asks() {
        parameters.push(format!("query: {record}Query = {{}}"));
        sent.push("query".to_owned());
    }
    parameters.push(format!("options: {} = {{}}", options(operation, record)));
    let sent = if sent.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", sent.join(", ")) };
    format!(
        "{docs}  {name}({}): Promise<{record}> {{\n    return this.#caller.one<{record}>({}, {sent}, options);\n  }}\n",
        parameters.join(", "),
        operation.id
    )
}

/// A list has two ways: page by page, and record by record. One without a cursor has a single page.
fn list(
    docs: &str,
    name: &str,
    operation: &Operation,
    record: &str,
    (paths, mut sent): (&[String], Vec<String>),
) -> String {
    let id = &operation.id;
    let mut parameters = paths.to_vec();
    if !operation.query.is_empty() {
        let is_required = operation.query.iter().any(|parameter| parameter.required);
        parameters.push(format!("query: {record}Query{}", if is_required { "" } else { " = {}" }));
        sent.push("query".to_owned());
    }
    parameters.push("options: CallOptions = {}".to_owned());
    let (parameters, sent) = (parameters.join(", "), sent.join(", "));
    let (kind, call) =
        if matches!(operation.answer, Answer::Figures(_)) { ("FiguresOf", "figures") } else { ("PageOf", "page") };
    let extras: Vec<String> =
        operation.extras.iter().map(|extra| format!("{}: {}", extra.member, extra.record)).collect();
    let (more, of) = match extras.as_slice() {
        [] => (String::new(), record.to_owned()),
        members => {
            let members = format!("{{ {} }}", members.join("; "));
            (format!(" & {members}"), format!("{record}, {members}"))
        }
    };
    let page = format!(
        "{docs}  {name}({parameters}): Promise<{kind}<{record}>{more}> {{\n    \
           return this.#caller.{call}<{of}>({id}, {{ {sent} }}, options);\n  }}\n"
    );
    if !operation.query.iter().any(|parameter| parameter.name == "cursor") {
        return page;
    }
    let walk = comment("The same, record by record: asks for the next page when the last one is used up.", "  ");
    let passed: String =
        paths.iter().filter_map(|path| path.split_once(':')).flat_map(|(path, _)| [path, ", "]).collect();
    let walker = name.replacen("list", "each", 1);
    format!(
        "{page}\n{walk}  {walker}({parameters}): AsyncGenerator<{record}, void, undefined> {{\n    \
           return each((cursor) => this.{name}({passed}{{ ...query, cursor }}, options), query.cursor);\n  }}\n"
    )
}

fn options(operation: &Operation, record: &str) -> String {
    if operation.idempotency_key {
        return "CreateOptions".to_owned();
    }
    match (operation.if_match, operation.if_none_match) {
        (true, _) => "ChangeOptions".to_owned(),
        (_, true) => format!("ReadOptions<{record}>"),
        _ => "CallOptions".to_owned(),
    }
}

fn documentation(operation: &Operation) -> String {
    let mut text = format!("{}.", operation.summary.trim_end_matches('.'));
    if !operation.docs.is_empty() {
        // This is for callers who build the path themselves; the client encodes its arguments.
        let _ = write!(text, " {}", operation.docs.replace(", percent-encoded", ""));
    }
    let person = match operation.access {
        Access::User => " A user must be signed in.",
        Access::ClientOrUser => " A public client can read the records of the signed-in user.",
        Access::Open | Access::Client => "",
    };
    text.push_str(person);
    if let Some(scope) = &operation.scope {
        let _ = write!(text, "\n\nScope: `{scope}`.");
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::clients::read;

    fn written() -> String {
        super::resources(&read::model(include_str!("../../../../openapi.json")).unwrap())
    }

    #[test]
    fn calls_read_as_a_user_would_write_them() {
        let text = written();
        for line in [
            "  create(body: PlanCreate, options: CreateOptions = {}): Promise<Plan> {",
            "  update(id: string, body: SubscriptionUpdate, options: ChangeOptions = {}): Promise<Subscription> {",
            "  get(slug: string, options: ReadOptions<Plan> = {}): Promise<Plan> {",
            "  delete(authId: string, options: CallOptions = {}): Promise<Deleted> {",
            "  revokeOthers(options: CallOptions = {}): Promise<Revoked> {",
            "  readonly subscriptions: Subscriptions;",
        ] {
            assert!(text.lines().any(|written| written == line), "there is no line `{line}`");
        }
    }

    #[test]
    fn a_list_can_be_walked() {
        let text = written();
        assert!(
            text.contains(
                "each(query: PlanQuery = {}, options: CallOptions = {}): AsyncGenerator<Plan, void, undefined>"
            )
        );
    }

    #[test]
    fn a_list_of_members_has_its_seats() {
        let text = written();
        assert!(text.contains("): Promise<PageOf<Member> & { seats: Seats }> {"), "{text}");
        assert!(text.contains("this.#caller.page<Member, { seats: Seats }>(listMembers, "), "{text}");
    }

    #[test]
    fn a_read_can_ask_for_something() {
        let text = written();
        for line in [
            "  check(id: string, featureKey: string, query: EntitlementCheckQuery = {}, options: ReadOptions<EntitlementCheck> = {}): Promise<EntitlementCheck> {",
            "  get(id: string, query: SubscriptionUsageQuery = {}, options: CallOptions = {}): Promise<SubscriptionUsage> {",
        ] {
            assert!(text.lines().any(|written| written == line), "there is no line `{line}`");
        }
        assert!(text.contains("{ path: { id, feature_key: featureKey }, query }"), "{text}");
    }

    #[test]
    fn a_path_parameter_keeps_its_name_on_the_wire() {
        let text = written();
        assert!(text.contains("{ path: { auth_id: authId } }"), "{text}");
        assert!(text.contains("{ path: { id }, body }"), "{text}");
    }
}
