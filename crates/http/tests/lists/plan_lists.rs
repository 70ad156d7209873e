//! Lists of plans: the order is total, the filters are exact, the pages hold every plan once.

use super::support::*;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

/// Plans with ties in every sort key but the slug, made and changed at few different instants.
async fn fill(app: &TestApp) -> Vec<Value> {
    let names = ["Zeta", "alpha", "Alpha", "Ärger", "beta"];
    let cycles = ["monthly", "yearly", "lifetime"];
    let mut slugs = Vec::new();
    for number in 0..24_usize {
        let slug = format!("plan{}-{number}", (number * 7) % 10);
        let product = if number % 4 == 0 { Value::Null } else { json!(format!("prod_{}", number % 2)) };
        let changes = json!({
            "name": names[number % 5], "tier": number % 3, "price": (number % 4) * 5, "product_id": product,
            "billing_cycle": cycles[number % 3], "is_active": number % 5 != 0, "most_popular": number % 2 == 0,
            "variants": if number % 3 == 0 { json!(["eu", "us"]) } else { json!([]) }
        });
        app.plan(&slug, changes).await;
        slugs.push(slug);
        if number % 6 == 5 {
            app.advance(1);
        }
    }
    for slug in slugs.iter().step_by(3) {
        app.put(&format!("/subscription-plans/{slug}"), &json!({ "description": "changed" })).await.expect(200);
    }
    follow(app, "/subscription-plans", 200).await
}

/// What a test reads from a plan.
type Read<T> = fn(&Value) -> T;

fn sorted(plans: &[Value], key: impl Fn(&Value) -> Value, descending: bool) -> Vec<String> {
    let mut keyed: Vec<(Key, String)> =
        plans.iter().map(|plan| (Key::of(&key(plan)), plan["id"].as_str().unwrap().to_owned())).collect();
    keyed.sort();
    if descending {
        keyed.reverse();
    }
    keyed.into_iter().map(|(_, id)| id).collect()
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(u64),
    Text(String),
    Pair(u64, String),
}

impl Key {
    fn of(value: &Value) -> Self {
        match value {
            Value::Array(pair) => Self::Pair(pair[0].as_u64().unwrap(), pair[1].as_str().unwrap().to_owned()),
            Value::String(text) => Self::Text(text.clone()),
            number => Self::Number(number.as_u64().unwrap()),
        }
    }
}

#[tokio::test]
async fn every_sort_walks_every_plan_once_in_a_total_order() {
    let app = TestApp::start().await;
    let plans = fill(&app).await;
    assert_eq!(plans.len(), 24);
    let sorts: [(&str, Read<Value>); 5] = [
        ("tier", |plan| json!([plan["tier"], plan["slug"]])),
        ("price", |plan| plan["price"].clone()),
        ("name", |plan| plan["name"].clone()),
        ("created_at", |plan| plan["created_at"].clone()),
        ("updated_at", |plan| plan["updated_at"].clone()),
    ];
    for (name, key) in sorts {
        for descending in [false, true] {
            let target = format!("/subscription-plans?sort={}{name}", if descending { "-" } else { "" });
            let expected = sorted(&plans, key, descending);
            for limit in [1, 5, 24, 200] {
                assert_eq!(ids(&follow(&app, &target, limit).await), expected, "{target} by {limit}");
            }
        }
    }
}

#[tokio::test]
async fn plans_are_sorted_by_tier_and_slug_by_default() {
    let app = TestApp::start().await;
    fill(&app).await;
    assert_eq!(follow(&app, "/subscription-plans", 7).await, follow(&app, "/subscription-plans?sort=tier", 7).await);
    let answer = app.get("/subscription-plans").await.expect(200);
    assert_eq!(answer.json["page"], json!({ "next_cursor": null, "has_more": false, "limit": 100 }));
    let members: Vec<&String> = answer.json.as_object().unwrap().keys().collect();
    assert_eq!(members, ["data", "page"]);
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert_eq!(answer.header("etag"), "", "a list carries no ETag");
}

#[tokio::test]
async fn an_empty_list_is_an_empty_array() {
    let app = TestApp::start().await;
    let expected = json!({ "data": [], "page": { "next_cursor": null, "has_more": false, "limit": 100 } });
    assert_eq!(app.get("/subscription-plans").await.expect(200).json, expected);
    assert_eq!(app.get("/subscription-plans?limit=100").await.expect(200).json, expected);
}

#[tokio::test]
async fn a_page_of_plans_has_a_hundred_by_default() {
    let app = TestApp::start().await;
    let bodies = (0..101).map(|number| {
        let body = json!({ "name": "P", "slug": format!("p{number}"), "price": 1, "billing_cycle": "monthly" });
        app.request("POST", "/subscription-plans").json(&body)
    });
    all_at_once(bodies).await.into_iter().for_each(|answer| drop(answer.expect(201)));
    for (target, length, more) in [("", 100, true), ("?limit=1", 1, true), ("?limit=101", 101, false)] {
        let answer = app.get(&format!("/subscription-plans{target}")).await.expect(200);
        assert_eq!(answer.data().as_array().unwrap().len(), length, "{target}");
        assert_eq!(answer.json["page"]["has_more"], more, "{target}");
    }
    let answer = app.get("/subscription-plans?limit=200").await.expect(200);
    assert_eq!((answer.data().as_array().unwrap().len(), &answer.json["page"]["limit"]), (101, &json!(200)));
}

#[tokio::test]
async fn every_filter_of_plans_holds_alone_and_with_every_other() {
    let app = TestApp::start().await;
    let plans = fill(&app).await;
    let filters: [(&str, Read<bool>); 9] = [
        ("is_active=true", |plan| plan["is_active"] == true),
        ("is_active=false", |plan| plan["is_active"] == false),
        ("billing_cycle=lifetime", |plan| plan["billing_cycle"] == "lifetime"),
        ("billing_cycle=ANNUALLY", |plan| plan["billing_cycle"] == "yearly"),
        ("tier=2", |plan| plan["tier"] == 2),
        ("most_popular=true", |plan| plan["most_popular"] == true),
        ("most_popular=false", |plan| plan["most_popular"] == false),
        ("product_id=prod_1", |plan| plan["product_id"] == "prod_1"),
        ("variant=us", |plan| plan["variants"] == json!(["eu", "us"])),
    ];
    let ids_of = |keep: &dyn Fn(&Value) -> bool| -> Vec<String> {
        let kept = plans.iter().filter(|plan| keep(plan));
        kept.map(|plan| plan["id"].as_str().unwrap().to_owned()).collect()
    };
    for (one, keep) in filters {
        let expected = ids_of(&keep);
        assert!(!expected.is_empty() && expected.len() < plans.len(), "{one} distinguishes plans");
        assert_eq!(ids(&follow(&app, &format!("/subscription-plans?{one}"), 3).await), expected, "{one}");
        for (other, also) in filters.iter().filter(|(other, _)| other.split('=').next() != one.split('=').next()) {
            let target = format!("/subscription-plans?{one}&{other}");
            assert_eq!(ids(&follow(&app, &target, 2).await), ids_of(&|plan| keep(plan) && also(plan)), "{target}");
        }
    }
}

#[tokio::test]
async fn a_variant_is_found_whole_and_as_it_is_written() {
    let app = TestApp::start().await;
    app.plan("plain", json!({ "variants": ["eu", "us-east", "a b"] })).await;
    app.plan("signs", json!({ "variants": ["100%", "a_c", "x,y", "é", "'; --"] })).await;
    app.plan("capital", json!({ "variants": ["EU"] })).await;
    let found = async |variant: &str| -> Vec<String> {
        let plans = follow(&app, &format!("/subscription-plans?variant={}", encode(variant)), 10).await;
        plans.iter().map(|plan| plan["slug"].as_str().unwrap().to_owned()).collect()
    };
    for (variant, slug) in [
        ("eu", "plain"),
        ("us-east", "plain"),
        ("a b", "plain"),
        ("EU", "capital"),
        ("100%", "signs"),
        ("a_c", "signs"),
        ("x,y", "signs"),
        ("e\u{301}", "signs"),
        ("'; --", "signs"),
    ] {
        assert_eq!(found(variant).await, [slug], "{variant}");
    }
    for variant in ["e", "us", "east", "us_east", "%", "%u", "eu,us-east", "Eu", "a", "b", "x", "100", "abc", " eu"] {
        assert_eq!(found(variant).await, [""; 0], "{variant}");
    }
}

#[tokio::test]
async fn plans_of_others_and_deleted_ones_never_show() {
    let app = TestApp::start().await;
    let other = Tenant::new(&app, "other").await;
    app.plan("mine", json!({ "variants": ["v"] })).await;
    app.plan("gone", json!({})).await;
    app.delete("/subscription-plans/gone").await.expect(200);
    let body = json!({ "name": "T", "slug": "theirs", "price": 1, "billing_cycle": "monthly", "variants": ["v"] });
    other.post("/subscription-plans", &body).await.expect(201);
    for target in ["/subscription-plans", "/subscription-plans?sort=-updated_at", "/subscription-plans?variant=v"] {
        let mine = app.get(target).await.expect(200);
        let theirs = other.request("GET", target).send().await.expect(200);
        for (answer, slug) in [(mine, "mine"), (theirs, "theirs")] {
            let slugs: Vec<&Value> = answer.data().as_array().unwrap().iter().map(|plan| &plan["slug"]).collect();
            assert_eq!(slugs, [slug], "{target}");
        }
    }
}
