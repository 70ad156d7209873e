//! `perennial import --from`: objects of other services, as published, become exactly these records.

use crate::records::sign_up;
use crate::support::{Connection, Place, snapshot_of_rows};
use serde_json::{Value, json};
use std::path::PathBuf;

fn fixtures(service: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cli/fixtures").join(service);
    path.to_str().unwrap().to_owned()
}

/// The records of a store, without what only the store itself knows.
fn records(place: &Place) -> Vec<Value> {
    let export = place.run(&["export"]).succeeded();
    let lines = export.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["type"] != "organization").collect()
}

/// The fields of the records of a kind, in a line each.
fn reported(records: &[Value], kind: &str, fields: &[&str]) -> Vec<String> {
    let of_kind = records.iter().filter(|record| record["type"] == kind);
    let cell = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let row = |record: &Value| fields.iter().map(|field| cell(&record[*field])).collect::<Vec<_>>().join(" | ");
    of_kind.map(row).collect()
}

const PLAN: [&str; 10] =
    ["id", "slug", "name", "product_id", "variants", "price", "currency", "billing_cycle", "is_active", "created_at"];
const USER: [&str; 6] = ["id", "email", "first_name", "last_name", "notifications", "created_at"];
const SUBSCRIPTION: [&str; 8] =
    ["id", "external_subscription_id", "billing_cycle", "status", "is_active", "starts_at", "renews_at", "ends_at"];
const PAYMENT: [&str; 7] = ["id", "external_payment_id", "amount", "currency", "status", "date", "created_at"];

/// The codes of the report, with the ids of the objects.
fn findings(place: &Place, report: &str) -> Vec<String> {
    let text = std::fs::read_to_string(place.path().join(report)).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let word = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
    let mut reported: Vec<String> =
        lines.map(|line| ["level", "code", "id"].map(|name| word(&line, name)).join(" ")).collect();
    reported.sort();
    reported
}

#[test]
fn stripes_published_objects_become_these_records() {
    let place = Place::new();
    let path = fixtures("stripe");
    let done = place.json(&["import", "--from", "stripe", &path, "--report", "report.ndjson"]);
    assert_eq!(done["imported"], true);
    let records = records(&place);
    assert_eq!(
        reported(&records, "plan", &PLAN),
        [
            "plan_01gmv539rre00bpn6q6h5h8v8h | t-shirt-lifetime | T-shirt | prod_N1bs61kegmuiNY | [\"price_1MHYfDD0nOFZ7cKLiXbDychg\"] | 10 | USD | lifetime | true | 2022-12-21T20:13:19.000000Z",
            "plan_01gmv53bq8e00bavhx7rq7tedn | t-shirt-monthly | T-shirt | prod_N1bs61kegmuiNY | [\"price_1MHYfFD0nOFZ7cKLbrbrW10G\"] | 20 | USD | monthly | true | 2022-12-21T20:13:21.000000Z",
            "plan_01hf7yat00e00894qx13cg13gw | gold-special-monthly-me6o6l | Gold Spécial | prod_gold | [\"price_gold_old\"] | 19.99 | EUR | monthly | false | 2023-11-14T22:13:20.000000Z",
            "plan_01hrhz2k00e008yrabqh0jkcvm | gold-special-monthly | Gold Spécial | prod_gold | [\"price_gold\"] | 24.99 | EUR | monthly | true | 2024-03-09T16:00:00.000000Z",
            "plan_01hrhz2k00e00bkr0yffwme4dc | gold-japan | Gold Spécial | prod_gold | [\"price_yen\"] | 29800 | JPY | yearly | true | 2024-03-09T16:00:00.000000Z",
            "plan_01hrhz2kz8e0091fftwsq4yay9 | gold-kuwait | Gold Spécial | prod_gold | [\"price_dinar\"] | 7.25 | KWD | quarterly | true | 2024-03-09T16:00:01.000000Z",
        ]
    );
    assert_eq!(
        reported(&records, "user", &USER),
        [
            "usr_013xrzp12ge00a85d6ddxfx8p9 | null | null | null | null | 2009-02-13T23:31:30.000000Z",
            "usr_01hf7ydvn0e00at17hv7axq1cg | jenny.rosen@example.com | Jenny | Rosen | null | 2023-11-14T22:15:00.000000Z",
            "usr_01hrhz8pa0e00aywxe28md4ada | taro@example.com | 太郎 | null | null | 2024-03-09T16:03:20.000000Z",
        ]
    );
    assert_eq!(
        reported(&records, "subscription", &SUBSCRIPTION),
        [
            "sub_013xrzp12ge00aqg8j1knfswf0 | sub_1MHYfFD0nOFZ7cKLa6gB3HVq | monthly | cancelled | true | 2009-02-13T23:31:30.000000Z | 2009-02-13T23:31:30.000000Z | 2009-02-13T23:31:30.000000Z",
            "sub_01hf7ygxa0e009zh1nkjjswn09 | sub_over | monthly | expired | false | 2023-11-14T22:16:40.000000Z | null | 2024-01-14T22:16:40.000000Z",
            "sub_01hrhzbqz0e0081baa5t8vsggc | sub_jenny | monthly | past_due | true | 2024-03-09T16:00:00.000000Z | 2024-04-09T16:00:00.000000Z | null",
            "sub_01hrhzesm0e00admrhd1xbj4gy | sub_taro | yearly | on_trial | true | 2024-03-09T16:06:40.000000Z | 2024-03-23T16:06:40.000000Z | null",
        ]
    );
    assert_eq!(
        reported(&records, "payment", &PAYMENT),
        [
            "pay_013xrzp12ge0086ybnx7r0kk7k | in_free | 0 | USD | completed | 2009-02-13T23:31:30.000000Z | 2009-02-13T23:31:30.000000Z",
            "pay_01hf7ygxa0e00a2cxh51m54z2d | in_over | 19.99 | EUR | completed | 2023-11-14T22:17:40.000000Z | 2023-11-14T22:16:40.000000Z",
            "pay_01hhn6efa0e009hadg6r6t28gc | in_over_void | 19.99 | EUR | void | null | 2023-12-14T22:16:40.000000Z",
            "pay_01hrhzbqz0e009wmn3f5gzy3dd | in_jenny_paid | 49.98 | EUR | refunded | 2024-03-09T17:05:00.000000Z | 2024-03-09T16:05:00.000000Z",
            "pay_01hrhzesm0e0085xjrccm6j952 | in_taro | 29800 | JPY | partially_refunded | 2024-03-09T16:06:42.000000Z | 2024-03-09T16:06:40.000000Z",
            "pay_01hv1scw00e009wzakrz1yrah7 | in_jenny_failed | 49.98 | EUR | failed | null | 2024-04-09T16:00:00.000000Z",
        ]
    );
    assert_eq!(
        findings(&place, "report.ndjson"),
        [
            "left_out deleted prod_gone",
            "left_out deleted_customer cus_N1bsLiR7ft1Tpj",
            "left_out list_cut_short /v1/subscriptions",
            "left_out metered_price price_metered",
            "left_out missing_customer sub_of_nobody",
            "left_out missing_subscription in_metered",
            "left_out no_subscription in_1MHYfED0nOFZ7cKLuIl6GkFC",
            "left_out not_carried Z4OV52SU",
            "left_out price_left_out sub_metered",
            "left_out tiered_price price_tiered",
            "simplified coupon sub_jenny",
            "simplified no_email cus_N1bsvQAHDb3xod",
            "simplified proration in_jenny_failed",
            "simplified refunded_amount in_taro",
            "simplified several_items sub_jenny",
            "simplified shared_email cus_jenny_again",
        ]
    );
    // What refers to what, and an event for each.
    let of = |kind: &str, field: &str, value: &str| -> Value {
        let found = records.iter().find(|record| record["type"] == kind && record[field] == value);
        found.unwrap_or_else(|| panic!("no {kind} with {field} {value}")).clone()
    };
    let (jenny, gold) = (of("user", "email", "jenny.rosen@example.com"), of("plan", "slug", "gold-special-monthly"));
    let subscription = of("subscription", "external_subscription_id", "sub_jenny");
    assert_eq!((&subscription["user_id"], &subscription["subscription_plan_id"]), (&jenny["id"], &gold["id"]));
    assert_eq!(of("payment", "external_payment_id", "in_jenny_paid")["subscription_id"], subscription["id"]);
    let all = records.iter().filter(|record| record["type"] != "event");
    for record in all {
        let event = of("event", "id", record["revision"].as_str().unwrap());
        let kind = format!("{}.created", record["type"].as_str().unwrap());
        assert_eq!(
            (&event["record_id"], &event["kind"], &event["at"]),
            (&record["id"], &json!(kind), &record["created_at"])
        );
    }
    assert!(!records.iter().any(|record| record["type"] == "event" && record.to_string().contains("jenny.rosen")));

    // The same again is nothing new, and a server serves it.
    let rows = snapshot_of_rows(&place);
    let again = place.json(&["import", "--from", "stripe", &path]);
    for kind in ["plans", "users", "subscriptions", "payments"] {
        assert_eq!(again[kind]["made"], 0, "{kind}");
        assert_eq!(again[kind]["unchanged"], done[kind]["made"], "{kind}");
    }
    assert!(snapshot_of_rows(&place) == rows, "the second import changed something");
    let server = place.serve();
    let caller = server.caller(place.first("trusted_client_id"));
    let found = caller.get("/subscriptions?external_subscription_id=sub_jenny").expect(200).data();
    assert_eq!(found[0]["has_access"], true);
    let found = caller.get("/subscription-plans?variant=price_yen").expect(200).data();
    assert_eq!(found[0]["slug"], "gold-japan");
}

#[test]
fn lemon_squeezys_published_resources_become_these_records() {
    let place = Place::new();
    let path = fixtures("lemon-squeezy");
    let done = place.json(&["import", "--from", "lemon-squeezy", &path, "--report", "report.ndjson"]);
    assert_eq!(done["imported"], true);
    let records = records(&place);
    assert_eq!(
        reported(&records, "plan", &PLAN),
        [
            "plan_01f6fbncgge0097ap3ag7m8n89 | example-product-example-variant-lifetime-w66qlb | Example Product Example Variant | 1 | [\"2\"] | 9.99 | USD | lifetime | true | 2021-05-24T14:15:06.000000Z",
            "plan_01f6fbncgge00a5cmhxh655st2 | example-product-example-variant-lifetime | Example Product Example Variant | 1 | [\"1\"] | 9.99 | USD | lifetime | true | 2021-05-24T14:15:06.000000Z",
            "plan_01hk153xz8e0095fa468gxkv5m | werkzeug-yearly | Werkzeug | 10 | [\"10\"] | 99 | EUR | yearly | false | 2024-01-01T00:00:01.000000Z",
        ]
    );
    assert_eq!(
        reported(&records, "user", &USER),
        [
            "usr_01gk6wdhhre009tv11jc2pdys9 | lukeskywalker@example.com | Luke | Skywalker | true | 2022-12-01T13:01:07.000000Z",
            "usr_01gk6wdhhre00bv8mtrxex7v4c | lukeskywalker1@example.com | Luke Skywalker | 1 | true | 2022-12-01T13:01:07.000000Z",
            "usr_01hngze600e00a2t266xwtaexb | ada@example.com | Ada | null | false | 2024-02-01T00:00:00.000000Z",
        ]
    );
    assert_eq!(
        reported(&records, "subscription", &SUBSCRIPTION),
        [
            "sub_01fctqfhcre00a714aya8ny8vt | 2 | lifetime | cancelled | true | 2021-08-11T13:47:27.000000Z | 2022-11-12T00:00:00.000000Z | 2022-11-12T00:00:00.000000Z",
            "sub_01fctqfhcre00b3kqm4aje5598 | 1 | lifetime | active | true | 2021-08-11T13:47:27.000000Z | 2022-11-12T00:00:00.000000Z | null",
            "sub_01hngze6z8e00a8v7ss8px1dqb | 10 | yearly | on_trial | true | 2024-02-01T00:00:01.000000Z | 2024-02-15T00:00:00.000000Z | null",
            "sub_01hqvmz100e00b9n378w76qkbn | order-12 | lifetime | active | true | 2024-03-01T00:00:00.000000Z | null | null",
        ]
    );
    assert_eq!(
        reported(&records, "payment", &PAYMENT),
        [
            "pay_01gq2cy5e0e00bjgzx5ypgesww | 1 | 9.99 | USD | completed | 2023-01-18T12:16:24.000000Z | 2023-01-18T12:16:24.000000Z",
            "pay_01hngze7yge00a3jzn2agt62qp | 10 | 15900 | JPY | partially_refunded | 2024-02-01T00:00:02.000000Z | 2024-02-01T00:00:02.000000Z",
            "pay_01hpn10800e009d9gbfdamzah2 | 11 | 0 | EUR | void | null | 2024-02-15T00:00:00.000000Z",
            "pay_01hqvmz100e009td9t4zjwr6ft | order-12 | 11.99 | USD | completed | 2024-03-01T00:00:00.000000Z | 2024-03-01T00:00:00.000000Z",
        ]
    );
    assert_eq!(
        findings(&place, "report.ndjson"),
        [
            "left_out list_cut_short subscription-invoices",
            "left_out missing_customer 11",
            "left_out missing_product 12",
            "left_out not_carried 1",
            "left_out tiered_price 11",
            "left_out uncertain_amount 12",
            "simplified coupon 10",
            "simplified refunded_amount 10",
        ]
    );
    let again = place.json(&["import", "--from", "lemon-squeezy", &path]);
    assert_eq!((&again["plans"]["made"], &again["payments"]["unchanged"]), (&json!(0), &json!(4)));
}

#[test]
fn entities_of_paddle_become_these_records() {
    let place = Place::new();
    let path = fixtures("paddle");
    let done = place.json(&["import", "--from", "paddle", &path, "--report", "report.ndjson"]);
    assert_eq!(done["imported"], true);
    let records = records(&place);
    let fields = |names: &[&'static str]| names.to_vec();
    assert_eq!(
        reported(
            &records,
            "plan",
            &fields(&["slug", "name", "variants", "price", "currency", "billing_cycle", "is_active"])
        ),
        [
            "atlas-monthly | Atlas | [\"pri_01hv0000000000000000000011\"] | 12.5 | USD | monthly | true",
            "atlas-lifetime | Atlas | [\"pri_01hv0000000000000000000012\"] | 9900 | JPY | lifetime | true",
            "globe-yearly | Globe | [\"pri_01hv0000000000000000000013\"] | 50 | GBP | yearly | false",
        ]
    );
    assert_eq!(
        reported(&records, "user", &fields(&["email", "first_name", "last_name", "notifications"])),
        ["grace@example.com | Grace | Hopper | true", "alan@example.com | null | null | null"]
    );
    assert_eq!(
        reported(
            &records,
            "subscription",
            &fields(&["external_subscription_id", "status", "quantity", "renews_at", "ends_at"])
        ),
        [
            "sub_01hv0000000000000000000031 | active | 7 | 2024-06-04T00:00:01.123456Z | null",
            "sub_01hv0000000000000000000032 | cancelled | 1 | null | 2025-04-05T00:00:00.000000Z",
        ]
    );
    assert_eq!(
        reported(&records, "payment", &fields(&["external_payment_id", "amount", "currency", "status", "date"])),
        [
            "txn_01hv0000000000000000000041 | 95 | USD | partially_refunded | 2024-04-04T00:00:02.000000Z",
            "txn_01hv0000000000000000000044 | 40 | GBP | completed | 2024-04-05T00:00:01.000000Z",
            "txn_01hv0000000000000000000042 | 95 | USD | failed | null",
        ]
    );
    assert_eq!(
        findings(&place, "report.ndjson"),
        [
            "left_out draft_invoice txn_01hv0000000000000000000043",
            "left_out list_cut_short txn",
            "left_out missing_customer sub_01hv0000000000000000000033",
            "left_out no_such_cycle pri_01hv0000000000000000000014",
            "left_out not_carried dsc_01hv0000000000000000000091",
            "simplified coupon sub_01hv0000000000000000000032",
            "simplified coupon txn_01hv0000000000000000000044",
            "simplified refunded_amount txn_01hv0000000000000000000041",
            "simplified several_currencies pri_01hv0000000000000000000012",
            "simplified several_items sub_01hv0000000000000000000031",
        ]
    );
    let again = place.json(&["import", "--from", "paddle", &path]);
    assert_eq!((&again["plans"]["made"], &again["payments"]["unchanged"]), (&json!(0), &json!(3)));
}

#[test]
fn somebody_who_is_here_already_gets_what_they_bought_there() {
    let place = Place::new();
    place.serve().stop("TERM");
    let here = place.json(&["user", "create", "--email", "jenny.rosen@example.com"]);
    place.json(&["import", "--from", "stripe", &fixtures("stripe")]);
    let records = records(&place);
    let users = reported(&records, "user", &["email"]);
    assert_eq!(users.iter().filter(|email| *email == "jenny.rosen@example.com").count(), 1);
    let bought = records.iter().filter(|record| record["type"] == "subscription" && record["user_id"] == here["id"]);
    assert_eq!(bought.count(), 2);
}

#[test]
fn whoever_signs_up_with_the_address_of_a_customer_is_that_customer() {
    let place = Place::new();
    place.json(&["import", "--from", "stripe", &fixtures("stripe")]);
    let server = place.serve();
    let taro = place.json(&["user", "get", "taro@example.com"]);
    let session = sign_up(&place, &server, "taro@example.com");
    assert_eq!(session["user"]["id"], taro["id"]);
    let bearer = format!("authorization: Bearer {}", session["token"].as_str().unwrap());
    let mut connection = Connection::open(server.address).unwrap();
    let own = connection.call("GET", "/subscriptions", &["client-id: default", &bearer], None).unwrap().expect(200);
    assert_eq!(own.data()[0]["external_subscription_id"], "sub_taro");
    // An import again leaves the person who signed up as they are.
    server.stop("TERM");
    let again = place.json(&["import", "--from", "stripe", &fixtures("stripe")]);
    assert_eq!((&again["imported"], &again["users"]["unchanged"]), (&json!(true), &json!(3)));
}

#[test]
fn what_stands_in_the_way_stops_a_move_unless_it_is_skipped() {
    let place = Place::new();
    let server = place.serve();
    let plan = json!({ "name": "Other", "slug": "gold-special-monthly", "price": 1, "billing_cycle": "monthly" });
    server.caller(place.first("trusted_client_id")).post("/subscription-plans", &plan).expect(201);
    server.stop("TERM");
    let before = snapshot_of_rows(&place);
    let path = fixtures("stripe");
    let refused = place.run(&["import", "--from", "stripe", &path, "--report", "report.ndjson"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("rejects 4 of the records, and nothing was imported"), "{}", refused.stderr);
    assert!(refused.stdout.contains("refused"), "{}", refused.stdout);
    let reported = findings(&place, "report.ndjson");
    let refused: Vec<&String> = reported.iter().filter(|line| line.starts_with("refused")).collect();
    let expected = [
        "refused conflict price_gold",
        "refused follows in_jenny_failed",
        "refused follows in_jenny_paid",
        "refused follows sub_jenny",
    ];
    assert_eq!(refused, expected);
    assert!(snapshot_of_rows(&place) == before, "all or nothing");

    let done = place.json(&["import", "--from", "stripe", &path, "--skip-bad", "bad.ndjson"]);
    assert_eq!((&done["imported"], &done["refused"], &done["plans"]["made"]), (&json!(true), &json!(4), &json!(5)));
    let bad = std::fs::read_to_string(place.path().join("bad.ndjson")).unwrap();
    assert_eq!(bad.lines().count(), 4);
    // What was skipped is corrected, and imported like anything else.
    let mended = bad.replace("\"slug\":\"gold-special-monthly\"", "\"slug\":\"gold-mended\"");
    std::fs::write(place.path().join("mended.ndjson"), mended).unwrap();
    assert_eq!(place.json(&["import", "mended.ndjson"])["made"], 4);
}

#[test]
fn a_move_says_what_it_needs() {
    let place = Place::sqlite();
    std::fs::write(place.path().join("broken.json"), "{\"object\": \"list\",\n \"data\": [}").unwrap();
    let reported = place.run(&["import", "--from", "stripe", "broken.json"]);
    reported.refused_with(&["broken.json:2:", "nothing was imported"]);
    place.run(&["import", "--from", "stripe", "-"]).refused_with(&["standard input", "name files"]);
    place.run(&["import", "--from", "stripe", "nowhere.json"]).refused_with(&["nowhere.json", "cannot be read"]);
    std::fs::create_dir(place.path().join("empty")).unwrap();
    place.run(&["import", "--from", "stripe", "empty"]).refused_with(&["nothing to import", ".ndjson"]);
    assert_eq!(place.run(&["import", "a", "b"]).code, Some(2), "several files are for --from");
    assert_eq!(place.run(&["import", "--from", "chargebee", "a"]).code, Some(2));

    // A trial leaves nothing, not even a store.
    let other = Place::sqlite();
    let trial = other.json(&["import", "--from", "stripe", &fixtures("stripe"), "--dry-run"]);
    assert_eq!((&trial["imported"], &trial["subscriptions"]["made"]), (&json!(false), &json!(4)));
    assert!(!other.data().exists(), "a trial left a store");
}
