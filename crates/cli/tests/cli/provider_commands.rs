//! `perennial provider add`, `list` and `remove`, next to a running server.

use crate::support::Place;
use perennial_store::Sql;
use serde_json::{Value, json};

const GOOGLE: [&str; 4] = ["--issuer", "https://accounts.google.com", "--audience", "shop.apps.example.com"];

static PROVIDERS: Sql = Sql::new("SELECT COUNT(*) FROM providers");

fn add<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    [&["provider", "add"], rest].concat()
}

fn kinds(place: &Place) -> Vec<String> {
    let events = place.json(&["events", "list", "--limit", "3"]);
    events.as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_provider_is_added_listed_and_removed_with_its_events() {
    let place = Place::new();
    let _server = place.serve();
    let words = ["--kind", "oidc", "--azp", "web", "ios", "--algorithm", "RS256", "--allow-private-addresses"];
    let added = place.json(&add(&[&GOOGLE[..], &words].concat()));
    let id = added["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("idp_"), "{added}");
    assert_eq!((&added["issuer"], &added["kind"]), (&json!(GOOGLE[1]), &json!("oidc")));
    let settings = json!({
        "audience": [GOOGLE[3]], "authorized_parties": ["web", "ios"], "email_verified": "required", "jwks_url": null,
        "algorithms": ["RS256"], "endpoint": null, "client_id": null, "allow_private_addresses": true,
        "allow_http": false,
    });
    assert_eq!(added["settings"], settings);

    let listed = place.json(&["provider", "list"]);
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(
        (&listed[0]["id"], &listed[0]["source"], &listed[0]["overridden"]),
        (&added["id"], &json!("store"), &json!(false))
    );
    let table = place.run(&["provider", "list"]).succeeded();
    assert!(table.starts_with("ID ") && table.contains(&id) && table.contains(GOOGLE[3]), "{table}");
    assert_eq!(place.json(&["org", "create", "--name", "acme"])["name"], "acme");
    assert_eq!(place.json(&["provider", "list", "--org", "acme"]), json!([]));

    let event = place.json(&["events", "list", "--limit", "1"])[0].take();
    assert_eq!((&event["type"], &event["record_id"]), (&json!("provider.created"), &added["id"]));
    assert_eq!((&event["before"], &event["data"]), (&Value::Null, &added));

    let removed = place.json(&["provider", "remove", GOOGLE[1]]);
    assert_eq!(removed, added);
    assert_eq!(kinds(&place)[..2], ["provider.deleted", "provider.created"]);
    assert_eq!(place.json(&["events", "list", "--limit", "1"])[0]["data"], added);
    place.run(&["provider", "remove", GOOGLE[1]]).refused_with(&[GOOGLE[1], "perennial provider list"]);
    // Its issuer is free again, and an id names it too.
    let again = place.json(&add(&[&GOOGLE[..], &["--kind", "oidc"]].concat()));
    assert_eq!(again["settings"]["algorithms"], json!(["RS256", "PS256", "ES256", "EdDSA"]));
    let said = place.run(&["provider", "remove", again["id"].as_str().unwrap()]).succeeded();
    assert!(said.contains(GOOGLE[1]), "{said}");
    assert_eq!(place.json(&["provider", "list"]), json!([]));
}

#[test]
fn a_preset_fills_in_the_rest() {
    let place = Place::new();
    let _server = place.serve();
    let google = place.json(&add(&["--preset", "google", "--audience", "c"]));
    assert_eq!((&google["issuer"], &google["settings"]["algorithms"]), (&json!(GOOGLE[1]), &json!(["RS256"])));
    let firebase = place.json(&add(&["--preset", "firebase", "--audience", "shop-1"]));
    assert_eq!(firebase["issuer"], "https://securetoken.google.com/shop-1");
    let supabase = place.json(&add(&["--preset", "supabase", "--issuer", "https://x.supabase.co/auth/v1"]));
    assert_eq!(supabase["settings"]["email_verified"], "issuer_guarantees");
    assert_eq!(supabase["settings"]["audience"], json!(["authenticated"]));
    place.run(&add(&["--preset", "supabase"])).refused_with(&["issuer"]);
    place.run(&add(&["--preset", "firebase"])).refused_with(&["issuer"]);
}

#[test]
fn what_is_not_safe_is_refused_and_nothing_is_kept() {
    let place = Place::new();
    let _server = place.serve();
    let issuer = ["--kind", "oidc", "--issuer", "https://id.example.com"];
    let audience = ["--audience", "app"];
    let with = |rest: &[&'static str]| add(&[&issuer[..], &audience, rest].concat());
    place.run(&add(&issuer)).refused_with(&["at least one audience", "--audience"]);
    place.run(&add(&[&issuer[..], &["--audience", " "]].concat())).refused_with(&["audience"]);
    place
        .run(&add(&["--kind", "oidc", "--issuer", "http://id.example.com", "--audience", "a"]))
        .refused_with(&["must be https", "http://id.example.com"]);
    place.run(&with(&["--jwks-url", "ftp://x"])).refused_with(&["ftp://x"]);
    place.run(&with(&["--endpoint", "https://x"])).refused_with(&["`endpoint`", "oidc", "--help"]);
    let local = ["--kind", "oidc", "--issuer", "urn:perennial:local", "--jwks-url", "https://x", "--audience", "a"];
    place.run(&add(&local)).refused_with(&["own issuer"]);
    place.run(&with(&["--org", "nowhere"])).refused_with(&["\"nowhere\""]);
    place
        .run(&add(&["--kind", "jwt_secret", "--issuer", "https://x", "--audience", "a"]))
        .refused_with(&["`secret`", "--help"]);
    for (words, hint) in [
        (with(&["--algorithm", "HS256"]), "RS256"),
        (with(&["--email-verified", "never"]), "issuer_guarantees"),
        (add(&["--kind", "saml", "--issuer", "https://x", "--audience", "a"]), "introspection"),
        (with(&["--secret", "hunter2"]), "--secret-file"),
    ] {
        let output = place.run(&words);
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{words:?}");
        assert!(output.stderr.contains(hint), "{}", output.stderr);
    }
    assert_eq!(place.number(&PROVIDERS), 0);

    place.json(&with(&[]));
    place.run(&with(&[])).refused_with(&["default has a provider with this issuer already"]);
    place.json(&["org", "create", "--name", "acme"]);
    place.json(&with(&["--org", "acme"]));
    assert_eq!(place.number(&PROVIDERS), 2);
}

#[test]
fn our_own_issuer_is_no_provider() {
    let place = Place::new();
    let url = "https://billing.example.com";
    let words = ["provider", "add", "--kind", "oidc", "--issuer", url, "--audience", "app"];
    drop(place.serve());
    std::fs::write(place.path().join("perennial.toml"), format!("public_url = \"{url}/\"")).unwrap();
    place.run(&words).refused_with(&[url, "own issuer"]);
    std::fs::remove_file(place.path().join("perennial.toml")).unwrap();
    let added = place.json(&words);
    // With this URL our tokens would have another provider's issuer: no server starts like this.
    let refused = crate::support::Output::of(place.serve_command().args(["--public-url", url]));
    refused.refused_with(&[url, added["id"].as_str().unwrap(), "perennial provider remove"]);
}
