//! Our own document, read; and one that is not ours.

use super::*;

fn ours() -> Model {
    model(include_str!("../../../../openapi.json")).unwrap()
}

fn operation<'a>(model: &'a Model, id: &str) -> &'a Operation {
    model.operations.iter().find(|operation| operation.id == id).unwrap()
}

fn field<'a>(model: &'a Model, record: &str, name: &str) -> &'a Field {
    model.record(record).unwrap().fields.iter().find(|field| field.name == name).unwrap()
}

#[test]
fn every_call_that_needs_a_client_has_a_place_of_its_own() {
    let model = ours();
    let mut places: Vec<String> =
        model.operations.iter().filter_map(|read| read.place.as_ref()).map(|at| format!("{at:?}")).collect();
    assert_eq!(places.len(), 117);
    places.sort();
    places.dedup();
    assert_eq!(places.len(), 117, "two calls share a place");
    let groups: Vec<&str> = model.groups().iter().map(|(group, _)| *group).collect();
    let people = ["users", "user_sessions", "search", "clients", "organizations", "test_clocks", "operators"];
    let events = ["feed", "webhook_endpoints"];
    let figures = ["analytics"];
    let records = ["auth", "sessions", "account", "plans", "plan_versions", "subscriptions", "payments"];
    let billing = [
        "tax_rates",
        "coupons",
        "meters",
        "features",
        "entitlements",
        "members",
        "usage",
        "billing_profiles",
        "credits",
        "connections",
        "invoices",
        "credit_notes",
    ];
    assert_eq!(groups, [&records[..], &people, &events, &figures, &billing].concat());
}

#[test]
fn a_create_takes_a_body_and_a_key_and_answers_a_record() {
    let model = ours();
    let create = operation(&model, "createPlan");
    assert_eq!((create.method.as_str(), create.status, &create.answer), ("POST", 201, &Answer::One("Plan".into())));
    assert_eq!(create.body.as_ref().unwrap().record, "PlanCreate");
    assert_eq!(create.scope.as_deref(), Some("plans:write"));
    assert!(create.idempotency_key && create.repeatable && !create.if_match);
    assert!(create.refusals.contains(&409) && !create.refusals.contains(&201));
}

#[test]
fn a_list_answers_pages_and_its_sort_is_a_vocabulary() {
    let model = ours();
    let list = operation(&model, "listSubscriptions");
    assert_eq!((&list.answer, list.access), (&Answer::Page("Subscription".into()), Access::ClientOrUser));
    let sort = list.query.iter().find(|parameter| parameter.name == "sort").unwrap();
    assert_eq!(sort.kind, Kind::Word("SubscriptionSort".into()));
}

#[test]
fn what_a_list_has_next_to_its_page_is_typed() {
    let model = ours();
    let extras = |id: &str| -> Vec<(&str, &str)> {
        let members = operation(&model, id).extras.iter();
        members.map(|extra| (extra.member.as_str(), extra.record.as_str())).collect()
    };
    assert_eq!(extras("listMembers"), [("seats", "Seats")]);
    assert_eq!(extras("listMovements"), [("meta", "AnalyticsMeta")]);
    assert_eq!(extras("listPlans"), []);
    assert_eq!(extras("readRevenue"), [], "figures have no page");
    let limit = field(&model, "Seats", "limit");
    let unlimited = Kind::Constant(Value::from("unlimited"));
    assert_eq!((&limit.kind, limit.nullable), (&Kind::Either(vec![Kind::Integer, unlimited]), true));
}

#[test]
fn fields_have_kinds_and_may_be_null_or_left_out() {
    let model = ours();
    assert_eq!(field(&model, "Plan", "price").kind, Kind::Amount);
    assert_eq!(field(&model, "Plan", "variants").kind, Kind::List(Box::new(Kind::Text)));
    let renews = field(&model, "Subscription", "renews_at");
    assert_eq!((&renews.kind, renews.nullable, renews.required), (&Kind::Instant, true, true));
    let cycle = field(&model, "SubscriptionCreate", "billing_cycle");
    assert_eq!((&cycle.kind, cycle.required), (&Kind::WordOrAlias("BillingCycle".into()), false));
    assert_eq!(field(&model, "Deleted", "deleted").kind, Kind::Constant(Value::Bool(true)));
    assert_eq!(field(&model, "PlanUpdate", "updated_at").kind, Kind::Anything);
    let before = field(&model, "Event", "before");
    assert_eq!((&before.kind, before.nullable), (&Kind::Object, true));
    assert_eq!(field(&model, "Event", "type").kind, Kind::WordOrAlias("EventType".into()));
}

#[test]
fn what_has_no_name_is_given_one() {
    let model = ours();
    assert_eq!(field(&model, "TokenList", "tokens").kind, Kind::List(Box::new(Kind::Record("Session".into()))));
    assert_eq!(field(&model, "Subscription", "status").kind, Kind::Word("SubscriptionStatus".into()));
    assert_eq!(field(&model, "Session", "current").kind, Kind::Flag);
    assert!(model.record("PlanAnswer").is_none(), "an envelope is no record");
}

#[test]
fn the_catalogue_has_every_code_of_a_problem() {
    let model = ours();
    let codes = &model.vocabularies.iter().find(|known| known.name == "ProblemCode").unwrap().words;
    for code in codes {
        assert!(model.problems.iter().any(|problem| problem.code == *code), "`{code}` has no status");
    }
    let stale = model.problems.iter().find(|problem| problem.code == "stale").unwrap();
    assert_eq!((stale.status, stale.title.as_str()), (412, "Record changed"));
}

#[test]
fn only_what_does_no_harm_twice_is_repeatable() {
    let model = ours();
    let repeatable = |id: &str| operation(&model, id).repeatable;
    assert!(repeatable("readPlan") && repeatable("updatePlan") && repeatable("refreshToken"));
    assert!(!repeatable("signUp") && !repeatable("signIn"));
}

#[test]
fn a_shape_that_is_not_known_is_refused_by_name() {
    let document = r#"{"info": {"version": "1"}, "paths": {}, "components": {"responses": {}, "schemas": {
        "Odd": {"type": "object", "properties": {"strange": {"type": "object"}}}}}}"#;
    let failure = model(document).unwrap_err().to_string();
    assert!(failure.contains("`Odd.strange`"), "{failure}");
}
