//! Request headers: the request ID, the trace, conditions on revisions, and the idempotency key.

use http::header::{IF_MATCH, IF_NONE_MATCH};
use http::{HeaderMap, HeaderName};
use perennial_app::revision::IfMatch;
use perennial_domain::id::EventId;

pub(crate) const CLIENT_ID: HeaderName = HeaderName::from_static("client-id");
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub(crate) const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
pub(crate) const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The request ID that the caller chose, if it is valid.
pub fn request_id(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(REQUEST_ID)?.to_str().ok()?;
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
    (plain && (1..=128).contains(&text.len())).then_some(text)
}

/// The trace ID of the request, if it has a valid W3C `traceparent`.
pub fn trace_id(headers: &HeaderMap) -> Option<&str> {
    traceparent(headers).map(|text| &text[3..35])
}

/// The W3C `traceparent` (`version-trace-parent-flags`) if it is valid and sent once, without the suffix that later
/// versions may add.
pub(crate) fn traceparent(headers: &HeaderMap) -> Option<&str> {
    const LENGTH: usize = 55;
    let mut values = headers.get_all(TRACEPARENT).iter();
    let (value, None) = (values.next()?, values.next()) else { return None };
    let (text, rest) = value.to_str().ok()?.split_at_checked(LENGTH)?;
    let hex =
        |part: &str, length| part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let named = |part: &str, length| hex(part, length) && part.bytes().any(|byte| byte != b'0');
    let [version, trace, parent, flags] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
    let known = rest.is_empty() || (version != "00" && rest.starts_with('-'));
    let right = hex(version, 2) && version != "ff" && named(trace, 32) && named(parent, 16) && hex(flags, 2);
    (known && right).then_some(text)
}

/// The caller's idempotency key: 1 to 255 visible ASCII characters, sent once.
pub fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, &'static str> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let visible = value.as_bytes().iter().all(u8::is_ascii_graphic) && (1..=255).contains(&value.len());
    match (visible, values.next(), value.to_str()) {
        (true, None, Ok(text)) => Ok(Some(text.to_owned())),
        _ => Err("must be 1 to 255 visible ASCII characters, sent once"),
    }
}

/// The caller's condition on the record's revision.
pub fn if_match(headers: &HeaderMap) -> Result<IfMatch, &'static str> {
    let Some(tags) = tags(headers, &IF_MATCH)? else { return Ok(IfMatch::Unconditional) };
    Ok(match tags {
        Tags::Any => IfMatch::Any,
        // A weak tag never matches here, nor does a tag that is not a revision.
        Tags::List(tags) => {
            IfMatch::OneOf(tags.iter().filter(|tag| !tag.weak).filter_map(|tag| revision(&tag.value)).collect())
        }
    })
}

/// Whether the caller already has this entity tag.
pub fn none_match(headers: &HeaderMap, etag: &str) -> bool {
    match tags(headers, &IF_NONE_MATCH) {
        Ok(Some(Tags::Any)) => true,
        Ok(Some(Tags::List(tags))) => tags.iter().any(|tag| tag.value == etag.trim_matches('"')),
        _ => false,
    }
}

/// Checks the format of `If-None-Match`.
pub(crate) fn check_none_match(headers: &HeaderMap) -> Result<(), &'static str> {
    tags(headers, &IF_NONE_MATCH).map(|_| ())
}

/// The longest entity tag of a revision.
const ETAG_LENGTH: usize = 30;

/// The entity tag of a revision, with `has_access` if the record has it.
pub fn etag(revision: EventId, has_access: Option<bool>) -> String {
    let state = match has_access {
        None => "",
        Some(false) => "-0",
        Some(true) => "-1",
    };
    let mut etag = String::with_capacity(ETAG_LENGTH);
    etag.push('"');
    revision.append_suffix(&mut etag);
    etag.push_str(state);
    etag.push('"');
    etag
}

/// The entity tag of a revision and a number that changes without it.
pub(crate) fn etag_with(revision: EventId, number: u64) -> String {
    format!("\"{}.{number:x}\"", revision.suffix())
}

/// A number for [`etag_with`] that changes with these bytes (FNV-1a).
pub(crate) fn fingerprint(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The entity tag of a content without a revision: FNV-1a with 128 bits, over words of eight bytes instead of bytes.
pub(crate) fn etag_of_content(content: &[u8]) -> String {
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let mut add = |word: u64| {
        hash = (hash ^ u128::from(word)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    };
    let (words, rest) = content.as_chunks::<8>();
    for word in words {
        add(u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    add(u64::from_le_bytes(last));
    // Otherwise zeros at the end would not count.
    add(content.len() as u64);
    format!("\"{hash:032x}\"")
}

fn revision(tag: &str) -> Option<EventId> {
    let without_number = |(revision, number)| u64::from_str_radix(number, 16).is_ok().then_some(revision);
    let suffix = match tag.split_once('-') {
        Some((revision, "0" | "1")) => revision,
        Some(_) => return None,
        None => tag.split_once('.').map_or(Some(tag), without_number)?,
    };
    format!("{}_{suffix}", EventId::PREFIX).parse().ok()
}

enum Tags {
    Any,
    List(Vec<Tag>),
}

struct Tag {
    weak: bool,
    value: String,
}

/// The entity tags of a header, or `*`; `None` if the header is absent.
fn tags(headers: &HeaderMap, name: &HeaderName) -> Result<Option<Tags>, &'static str> {
    const MALFORMED: &str = "must be * or a list of entity tags in double quotes";
    let mut list = Vec::new();
    let mut seen = false;
    for value in headers.get_all(name) {
        seen = true;
        let mut rest = value.to_str().map_err(|_| MALFORMED)?.trim();
        if rest == "*" && headers.get_all(name).iter().count() == 1 {
            return Ok(Some(Tags::Any));
        }
        while !rest.is_empty() {
            let weak = rest.starts_with("W/");
            let quoted = rest.strip_prefix("W/").unwrap_or(rest).strip_prefix('"').ok_or(MALFORMED)?;
            let (value, after) = quoted.split_once('"').ok_or(MALFORMED)?;
            list.push(Tag { weak, value: value.to_owned() });
            rest = match after.trim_start() {
                "" => "",
                more => more.strip_prefix(',').ok_or(MALFORMED)?.trim_start(),
            };
        }
    }
    match (seen, list.is_empty()) {
        (false, _) => Ok(None),
        (true, true) => Err(MALFORMED),
        (true, false) => Ok(Some(Tags::List(list))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn headers(name: &HeaderName, values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn a_request_id_is_valid_or_replaced() {
        for (sent, accepted) in [("abc-1.2_X", true), ("", false), ("a b", false), ("a\u{e9}", false), ("a,b", false)] {
            let mut map = HeaderMap::new();
            map.append(REQUEST_ID, HeaderValue::from_bytes(sent.as_bytes()).unwrap());
            assert_eq!(request_id(&map).is_some(), accepted, "{sent}");
        }
        assert!(request_id(&headers(&REQUEST_ID, &[&"a".repeat(128)])).is_some());
        assert!(request_id(&headers(&REQUEST_ID, &[&"a".repeat(129)])).is_none());
    }

    #[test]
    fn a_trace_is_read_from_traceparent() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(trace_id(&headers(&TRACEPARENT, &[good])), Some("4bf92f3577b34da6a3ce929d0e0e4736"));
        for bad in ["", "00", "00-4bf9-00f0-01", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "x"] {
            assert_eq!(trace_id(&headers(&TRACEPARENT, &[bad])), None, "{bad}");
        }
        for bad in [
            &format!("{good}-x"),
            &format!("{good}0"),
            &good.replacen("00", "ff", 1),
            &good.to_uppercase(),
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        ] {
            assert_eq!(trace_id(&headers(&TRACEPARENT, &[bad])), None, "{bad}");
        }
        assert_eq!(trace_id(&headers(&TRACEPARENT, &[good, good])), None);
        let later = format!("{}-more", good.replacen("00", "01", 1));
        assert_eq!(traceparent(&headers(&TRACEPARENT, &[&later])), Some(&later[..55]));
    }

    #[test]
    fn an_idempotency_key_is_visible_short_and_sent_once() {
        let key = |values: &[&str]| idempotency_key(&headers(&IDEMPOTENCY_KEY, values));
        assert_eq!(key(&[]), Ok(None));
        assert_eq!(key(&["a!~"]), Ok(Some("a!~".into())));
        assert!(key(&[&"k".repeat(255)]).is_ok());
        for bad in [&["a b"][..], &[""], &["a", "b"]] {
            assert!(key(bad).is_err(), "{bad:?}");
        }
        assert!(key(&[&"k".repeat(256)]).is_err());
    }

    #[test]
    fn conditions_contain_revisions() {
        let id = EventId::from_bytes([7; 16]);
        let parse = |values: &[&str]| if_match(&headers(&IF_MATCH, values));
        assert_eq!(parse(&[]), Ok(IfMatch::Unconditional));
        assert_eq!(parse(&["*"]), Ok(IfMatch::Any));
        assert_eq!(parse(&[&etag(id, None)]), Ok(IfMatch::OneOf(vec![id])));
        assert_eq!(parse(&[&etag(id, Some(true))]), Ok(IfMatch::OneOf(vec![id])));
        assert_eq!(parse(&[&etag_with(id, u64::MAX)]), Ok(IfMatch::OneOf(vec![id])));
        let list = format!("\"x\" , W/{}, {}", etag(id, Some(true)), etag(id, Some(false)));
        assert_eq!(parse(&[&list]), Ok(IfMatch::OneOf(vec![id])));
        assert_eq!(parse(&["\"x\"", &etag(id, None)]), Ok(IfMatch::OneOf(vec![id])));
        for bad in ["x", "\"x", "\"x\" \"y\"", "", "*, \"x\"", "W/x"] {
            assert!(parse(&[bad]).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_entity_tag_of_a_content_changes_with_every_byte() {
        let content: Vec<u8> = (0..40).collect();
        let mut tags: Vec<String> = (0..=content.len()).map(|end| etag_of_content(&content[..end])).collect();
        for place in 0..content.len() {
            let mut changed = content.clone();
            changed[place] ^= 0x80;
            tags.push(etag_of_content(&changed));
        }
        tags.push(etag_of_content(&[0; 9]));
        let count = tags.len();
        assert_eq!(tags.iter().collect::<std::collections::BTreeSet<_>>().len(), count);
        assert!(tags.iter().all(|tag| tag.len() == 34));
    }

    #[test]
    fn entity_tags_are_compared_whole() {
        let id = EventId::from_bytes([7; 16]);
        let has = |value: &str| none_match(&headers(&IF_NONE_MATCH, &[value]), &etag(id, Some(true)));
        assert!(has("*") && has(&etag(id, Some(true))) && has(&format!("W/{}", etag(id, Some(true)))));
        assert!(!has(&etag(id, Some(false))) && !has(&etag(id, None)) && !has("\"x\""));
    }
}
