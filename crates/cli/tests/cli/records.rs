//! `perennial plan|subscription|payment|user|session list|get`: which records they show, in which order.

use crate::support::{Connection, Output, Place, Server, Setting};
use serde_json::{Value, json};

/// The records of `-o json`: one a line.
#[track_caller]
pub(crate) fn lines(place: &Place, words: &[&str]) -> Vec<Value> {
    let Output { code, stdout, stderr } = place.run(&[words, &["-o", "json"]].concat());
    assert_eq!(code, Some(0), "{stderr}");
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// One field of each record.
#[track_caller]
fn fields(place: &Place, words: &[&str], field: &str) -> Vec<String> {
    lines(place, words).iter().map(|record| record[field].as_str().unwrap().to_owned()).collect()
}

/// Signs up a user with the public client; returns the API's record.
pub(crate) fn sign_up(place: &Place, server: &Server, email: &str) -> Value {
    let token = place.json(&["identity", "token", "--email", email])["token"].clone();
    let body = json!({ "access_token": token, "email": email, "first_name": "=Ada" });
    let mut connection = Connection::open(server.address).unwrap();
    let headers = ["client-id: default", "user-agent: Mozilla/5.0"];
    connection.call("POST", "/authentication/sign-up", &headers, Some(&body)).unwrap().expect(201).data()
}

#[test]
fn plans_are_listed_as_the_api_lists_them() {
    let setting = Setting::new();
    let Setting { place, caller, .. } = &setting;
    for (slug, tier, cycle) in [("basic", 1, "monthly"), ("gold", 3, "yearly"), ("silver", 2, "yearly")] {
        let body = json!({ "name": slug, "slug": slug, "price": 10.5, "billing_cycle": cycle, "tier": tier });
        caller.post("/subscription-plans", &body).expect(201);
    }
    assert_eq!(lines(place, &["plan", "list"]), caller.all("/subscription-plans"));
    let slugs = |words: &[&str]| fields(place, &[&["plan", "list"], words].concat(), "slug");
    assert_eq!(slugs(&[]), ["pro", "basic", "silver", "gold"]);
    assert_eq!(slugs(&["--sort", "-tier"]), ["gold", "silver", "basic", "pro"]);
    assert_eq!(slugs(&["--sort=-created_at", "--billing-cycle", "annual"]), ["silver", "gold"]);
    assert_eq!(slugs(&["--tier", "2"]), ["silver"]);
    assert_eq!(slugs(&["--is-active", "false"]), [""; 0]);
    assert_eq!(slugs(&["--after", "basic"]), ["silver", "gold"]);
    assert_eq!(slugs(&["--after", "gold", "--sort=-price"]), ["basic"]);
    let pro = caller.get("/subscription-plans/pro").data();
    assert_eq!(lines(place, &["plan", "get", "pro"])[0], pro);
    assert_eq!(place.json(&["plan", "get", pro["id"].as_str().unwrap()]), pro);
    for (words, parts) in [
        (&["plan", "get", "none"][..], ["\"none\"", "perennial plan list"]),
        (&["plan", "list", "--after", "none"], ["\"none\"", "plan"]),
        (&["plan", "list", "--sort", "color"], ["--sort", "tier, price"]),
        (&["plan", "list", "--billing-cycle", "never"], ["--billing-cycle", "monthly"]),
        (&["plan", "get", "pro", "--json", "-o", "csv"], ["--json", "--output"]),
    ] {
        place.run(words).refused_with(&parts);
    }
}

#[test]
fn subscriptions_are_listed_as_the_api_lists_them() {
    let setting = Setting::new();
    let Setting { place, caller, user, .. } = &setting;
    let bob = place.json(&["user", "create", "--email", "bob@example.com"])["id"].as_str().unwrap().to_owned();
    for (external, whose, status) in [("a", user, "active"), ("b", &bob, "paused"), ("c", user, "cancelled")] {
        let body = json!({
            "user_id": whose, "subscription_plan_id": "pro", "external_subscription_id": external, "status": status
        });
        caller.post("/subscriptions", &body).expect(201);
    }
    assert_eq!(lines(place, &["subscription", "list"]), caller.all("/subscriptions"));
    let externals =
        |words: &[&str]| fields(place, &[&["subscription", "list"], words].concat(), "external_subscription_id");
    assert_eq!(externals(&[]), ["c", "b", "a"]);
    assert_eq!(externals(&["--sort", "created_at"]), ["a", "b", "c"]);
    assert_eq!(externals(&["--user", "bob@example.com"]), ["b"]);
    assert_eq!(externals(&["--user", user, "--plan", "pro"]), ["c", "a"]);
    assert_eq!(externals(&["--status", "active,paused"]), ["b", "a"]);
    assert_eq!(externals(&["--external-subscription-id", "c"]), ["c"]);
    assert_eq!(externals(&["--created-after", "2999-01-01T00:00:00Z"]), [""; 0]);
    for sort in ["created_at", "-created_at", "renews_at", "-renews_at", "ends_at", "-ends_at"] {
        let all = lines(place, &["subscription", "list", "--sort", sort]);
        let second = all[1]["id"].as_str().unwrap();
        let rest = lines(place, &["subscription", "list", "--sort", sort, "--after", second]);
        assert_eq!(rest, all[2..], "{sort}");
    }
    let newest = &lines(place, &["subscription", "list", "--limit", "1"])[0];
    assert_eq!(&place.json(&["subscription", "get", newest["id"].as_str().unwrap()]), newest);
    place.run(&["subscription", "list", "--user", "eve@example.com"]).refused_with(&["eve@", "perennial user list"]);
    place.run(&["subscription", "list", "--plan", "none"]).refused_with(&["\"none\""]);
    place.run(&["subscription", "list", "--status", "odd"]).refused_with(&["--status", "active"]);
    place.run(&["subscription", "list", "--ends-before", "soon"]).refused_with(&["--ends-before"]);
    place.run(&["subscription", "get", "pay_1"]).refused_with(&["\"pay_1\""]);
    // Another organization's are not there.
    place.json(&["org", "create", "--name", "acme"]);
    assert_eq!(place.json(&["subscription", "list", "--org", "acme"]), json!([]));
    let foreign = ["subscription", "get", newest["id"].as_str().unwrap(), "--org", "acme"];
    place.run(&foreign).refused_with(&["there is no subscription"]);
}

#[test]
fn payments_are_listed_newest_first() {
    let setting = Setting::new();
    let Setting { place, caller, .. } = &setting;
    let subscribe = |external: &str| {
        let made = caller.post("/subscriptions", &setting.subscription(external)).expect(201);
        made.data()["id"].as_str().unwrap().to_owned()
    };
    let (one, two) = (subscribe("one"), subscribe("two"));
    let pay = |subscription: &str, amount: u32, status: &str| {
        let external = format!("ch_{amount}");
        let body = json!({
            "subscription_id": subscription, "amount": amount, "currency": "EUR", "status": status,
            "external_payment_id": external
        });
        caller.post("/subscription-payments", &body).expect(201).data()
    };
    let made = [pay(&one, 1, "completed"), pay(&two, 2, "failed"), pay(&one, 3, "pending")];
    let listed = |words: &[&str]| lines(place, &[&["payment", "list"], words].concat());
    let [first, second, third] = made.clone();
    assert_eq!(listed(&[]), [third.clone(), second.clone(), first.clone()]);
    assert_eq!(listed(&["--subscription", &one]), [third.clone(), first.clone()]);
    assert_eq!(listed(&["--status", "failed,paid"]), [second.clone(), first.clone()]);
    assert_eq!(listed(&["--external-payment-id", "ch_2"])[0], second);
    assert_eq!(listed(&["--user", &setting.user, "--currency", "EUR", "--limit", "1"])[0], third);
    assert_eq!(listed(&["--currency", "USD"]).len(), 0);
    assert_eq!(listed(&["--created-before", third["created_at"].as_str().unwrap()]), [second.clone(), first.clone()]);
    assert_eq!(listed(&["--created-after", third["created_at"].as_str().unwrap()])[0], third);
    assert_eq!(listed(&["--after", third["id"].as_str().unwrap(), "--limit", "1"]), [second]);
    assert_eq!(lines(place, &["payment", "get", first["id"].as_str().unwrap()])[0], first);
    place.run(&["payment", "get", "nothing"]).refused_with(&["\"nothing\"", "perennial payment list"]);
    place.run(&["payment", "list", "--subscription", "one"]).refused_with(&["--subscription", "sub_"]);
    place.run(&["payment", "list", "--invoice", "one"]).refused_with(&["--invoice", "inv_"]);
    assert_eq!(listed(&["--invoice", "inv_01h455vb4pex5vsknk084sn02q"]).len(), 0);
    place.run(&["payment", "list", "--status", "odd"]).refused_with(&["--status", "completed"]);
    place.run(&["payment", "list", "--created-after", "soon"]).refused_with(&["--created-after"]);
    place.run(&["payment", "list", "--currency", "euro"]).refused_with(&["--currency"]);
}

#[test]
fn people_and_their_sessions_are_listed_without_a_token() {
    let place = Place::new();
    let server = place.serve();
    let ada = sign_up(&place, &server, "ada@example.com");
    let bob = sign_up(&place, &server, "bob@example.com");
    let mut reported = ada["user"].clone();
    let session = reported.as_object_mut().unwrap().remove("auth_token_status_id").unwrap();
    // Only the operator sees it: a blocked user cannot sign in.
    reported["is_blocked"] = false.into();
    assert_eq!(lines(&place, &["user", "get", "ada@example.com"]), [reported.clone()]);
    assert_eq!(place.json(&["user", "get", reported["id"].as_str().unwrap()]), reported);
    let emails = |words: &[&str]| fields(&place, &[&["user", "list"], words].concat(), "email");
    assert_eq!(emails(&[]), ["bob@example.com", "ada@example.com"]);
    assert_eq!(emails(&["--after", "bob@example.com"]), ["ada@example.com"]);
    assert_eq!(emails(&["--limit", "1"]), ["bob@example.com"]);

    let sessions = lines(&place, &["session", "list"]);
    assert_eq!(sessions.len(), 2);
    assert_eq!(sessions[1]["id"], session);
    assert_eq!((&sessions[1]["user_id"], &sessions[1]["client_name"]), (&reported["id"], &json!("public")));
    assert_eq!((&sessions[1]["user_agent"], &sessions[1]["revoked"]), (&json!("Mozilla/5.0"), &json!(false)));
    assert_eq!(lines(&place, &["session", "list", "--user", "ada@example.com"]), sessions[1..]);
    let mut connection = Connection::open(server.address).unwrap();
    let bearer = format!("authorization: Bearer {}", ada["token"].as_str().unwrap());
    let ended = connection.call("POST", "/authentication/tokens/logout", &["client-id: default", &bearer], None);
    ended.unwrap().expect(200);
    assert_eq!(lines(&place, &["session", "list"]), sessions[..1]);
    assert_eq!(lines(&place, &["session", "list", "--ended"]).len(), 2);
    let after = ["session", "list", "--ended", "--after", sessions[0]["id"].as_str().unwrap()];
    assert_eq!(fields(&place, &after, "id"), [session.as_str().unwrap()]);
    assert_eq!(lines(&place, &["session", "get", session.as_str().unwrap()])[0]["revoked"], true);

    let everything = ["user", "session"].map(|name| place.run(&[name, "list", "--all", "--json"]).stdout).concat();
    for person in [&ada, &bob] {
        for secret in ["token", "refresh_token"] {
            assert!(!everything.contains(person[secret].as_str().unwrap()), "{secret}");
        }
    }
}

#[test]
fn a_list_without_end_is_written_as_it_is_read() {
    let setting = Setting::new();
    let mut connection = Connection::open(setting.server.address).unwrap();
    let header = setting.caller.header();
    for number in 0..450 {
        let body = setting.subscription(&format!("e{number}"));
        connection.call("POST", "/subscriptions", &[&header], Some(&body)).unwrap().expect(201);
    }
    let place = &setting.place;
    let all = lines(place, &["subscription", "list", "--all"]);
    assert_eq!(all, setting.caller.all("/subscriptions"));
    assert_eq!(place.json(&["subscription", "list", "--all"]).as_array().unwrap(), &all);
    assert_eq!(lines(place, &["subscription", "list", "--limit", "201"]), all[..201]);
    assert_eq!(place.run(&["subscription", "list", "--all"]).succeeded().lines().count(), 451);
    assert_eq!(place.run(&["subscription", "list", "--all", "-o", "csv"]).succeeded().lines().count(), 451);
    // From place to place, nothing is missed and nothing comes twice.
    let (mut walked, mut after) = (Vec::new(), None);
    loop {
        let mut words = vec!["subscription", "list", "--limit", "150", "--json"];
        words.extend(after.iter().flat_map(|after: &String| ["--after", after]));
        let answer: Value = serde_json::from_str(&place.run(&words).succeeded()).unwrap();
        walked.extend(answer["data"].as_array().unwrap().clone());
        match answer["page"]["after"].as_str() {
            Some(last) => after = Some(last.to_owned()),
            None => break,
        }
    }
    assert_eq!(walked, all);
}
