//! Lines that are right, and lines with each error there is.

use super::super::export::write;
use super::*;

const PLAN: &str = r#"{"type":"plan","organization_id":"org_01h455vb4pex5vsknk084sn02q","id":"plan_01h455vb4pex5vsknk084sn02q","slug":"pro","name":"Prö","product_id":null,"variants":["a","b"],"price":19.99,"currency":"USD","href":"https://example.com/","billing_cycle":"monthly","description":"","node_quota":3,"features":"a,b","most_popular":true,"tier":2,"is_active":false,"version":3,"billing":null,"entitlements":null,"created_at":"2026-01-31T09:30:00.123456Z","updated_at":"2026-01-31T09:30:00.123456Z","deleted_at":null,"revision":"evt_01h455vb4pex5vsknk084sn02q"}"#;
const EVENT: &str = r#"{"type":"event","organization_id":"org_01h455vb4pex5vsknk084sn02q","id":"evt_01h455vb4pex5vsknk084sn02q","kind":"plan.created","record_id":"plan_01h455vb4pex5vsknk084sn02q","client_id":null,"operator_id":null,"request_id":null,"at":"2026-01-31T09:30:00.123456Z","previous_id":null,"before":null,"after":{"price": 1.50}}"#;

fn errors(text: &str) -> Vec<(usize, &'static str, String)> {
    let refused = read(text.as_bytes(), None, None).err();
    let errors = refused.map(|refused| refused.errors).unwrap_or_default();
    errors.into_iter().map(|error| (error.column, error.code, error.detail)).collect()
}

/// The line with something else in a place, and where that place is.
#[track_caller]
fn planted(line: &str, found: &str, instead: &str) -> (String, usize) {
    let offset = line.find(found).unwrap();
    (line.replacen(found, instead, 1), line[..offset].chars().count() + 1)
}

#[test]
fn what_is_written_reads_back_and_is_written_alike() {
    for line in [PLAN, EVENT] {
        let Ok(read) = read(line.as_bytes(), None, None) else { panic!("{:?}", errors(line)) };
        let mut again = String::new();
        write(read.record.kind, &read.record.values, &mut again);
        assert_eq!(again, format!("{line}\n"));
    }
}

#[test]
fn all_errors_of_a_line_are_reported_with_their_columns() {
    for (line, found, instead, code) in [
        (PLAN, "\"pro\"", "\"Pro!\"", "invalid_format"),
        (PLAN, "\"pro\"", "null", "not_nullable"),
        (PLAN, "\"pro\"", "7", "invalid_type"),
        (PLAN, "19.99", "19.999", "too_many_decimals"),
        (PLAN, "19.99", "-1", "out_of_range"),
        (PLAN, "19.99", "\"19.99\"", "invalid_type"),
        (PLAN, "\"USD\"", "\"XXX\"", "unknown_value"),
        (PLAN, "\"https://example.com/\"", "\"example.com\"", "invalid_format"),
        (PLAN, "\"monthly\"", "\"bimonthly\"", "ambiguous"),
        (PLAN, "[\"a\",\"b\"]", "[\"a\",\"a\"]", "duplicate_item"),
        (PLAN, "\"Prö\"", "\"\"", "too_short"),
        (PLAN, "\"Prö\"", "\"\\u0007\"", "invalid_text"),
        (PLAN, "\"2026-01-31T09:30:00.123456Z\"", "\"2026-02-30T09:30:00Z\"", "invalid_format"),
        (PLAN, "\"plan_01h455vb4pex5vsknk084sn02q\"", "\"sub_01h455vb4pex5vsknk084sn02q\"", "invalid_format"),
        (PLAN, "2,\"is_active\"", "99999,\"is_active\"", "out_of_range"),
        (PLAN, "\"plan\"", "\"plane\"", "unknown_value"),
        (EVENT, "\"plan.created\"", "\"plan.eaten\"", "unknown_value"),
        (EVENT, "\"plan_01h455vb4pex5vsknk084sn02q\"", "\"usr_01h455vb4pex5vsknk084sn02q\"", "inconsistent"),
        (EVENT, "{\"price\": 1.50}", "[]", "invalid_type"),
    ] {
        let (planted, column) = planted(line, found, instead);
        let found: Vec<_> = errors(&planted).into_iter().map(|(column, code, _)| (column, code)).collect();
        assert_eq!(found, [(column, code)], "{instead}");
    }
    let two = PLAN.replacen("19.99", "-1", 1).replacen("\"tier\":2", "\"tier\":2,\"color\":1", 1);
    let codes: Vec<_> = errors(&two).into_iter().map(|(_, code, _)| code).collect();
    assert_eq!(codes, ["out_of_range", "unknown_field"]);
}

#[test]
fn a_missing_field_and_invalid_json_are_reported() {
    let without = PLAN.replacen("\"slug\":\"pro\",", "", 1);
    assert_eq!(errors(&without), [(1, "required", "slug is required".to_owned())]);
    let twice = PLAN.replacen("\"slug\":\"pro\",", "\"slug\":\"pro\",\"slug\":\"pro\",", 1);
    assert_eq!(errors(&twice)[0].1, "duplicate_key");
    for text in ["[]", "{\"type\":\"plan\"", "plan", "{} {}"] {
        assert_eq!(errors(text)[0].1, "malformed", "{text}");
    }
    assert_eq!(errors("{}")[0].1, "required");
    let bad = read(b"{\"type\":\"\xff\"}", None, None).err().unwrap();
    assert_eq!((bad.errors[0].column, bad.errors[0].code), (10, "malformed"));
}

#[test]
fn a_line_that_leaves_out_what_may_be_left_out_is_whole() {
    let revision = ",\"deleted_at\":null,\"revision\":\"evt_01h455vb4pex5vsknk084sn02q\"";
    let short = PLAN.replacen(revision, "", 1);
    assert_ne!(short, PLAN);
    let short = read(short.as_bytes(), None, None).ok().unwrap();
    assert_eq!(*short.record.at("revision"), Value::Uuid(short.record.id()));
    assert!(short.record.lacks_event);
    let into = OrganizationId::from_bytes([7; 16]);
    let homeless = PLAN.replacen("\"organization_id\":\"org_01h455vb4pex5vsknk084sn02q\",", "", 1);
    assert_eq!(errors(&homeless), [(1, "required", "organization_id is required".to_owned())]);
    for line in [PLAN, &homeless] {
        let taken = read(line.as_bytes(), None, Some(into)).ok().unwrap();
        assert_eq!(*taken.record.at("organization_id"), Value::Uuid(into.bytes()));
    }
}

#[test]
fn an_error_behind_a_line_end_is_reported_with_its_line() {
    let text = "ä,\"two\nlines\",ö,x";
    let place = |found: &str| {
        let error = LineError::at(text, text.find(found).unwrap(), "malformed", "");
        (error.below, error.column)
    };
    assert_eq!((place("ä"), place("two"), place("lines"), place("x")), ((0, 1), (0, 4), (1, 1), (1, 10)));
}

#[test]
fn an_identity_that_is_too_long_for_an_index_is_rejected() {
    let user = |bytes: usize| {
        let (issuer, subject) = ("i".repeat(1_000), "s".repeat(bytes - 1_000));
        format!(
            r#"{{"type":"user","organization_id":"org_01h455vb4pex5vsknk084sn02q","id":"usr_01h455vb4pex5vsknk084sn02q","issuer":"{issuer}","subject":"{subject}","created_at":"2026-01-31T09:30:00Z"}}"#
        )
    };
    assert_eq!(errors(&user(2_560)), []);
    let [(_, code, detail)] = &errors(&user(2_561))[..] else { panic!("one error") };
    assert_eq!((*code, detail.as_str()), ("too_long", "subject and issuer must have at most 2560 bytes together"));
}
