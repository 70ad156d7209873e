//! The least of HTTP/1.1 that a generator needs: where a response ends, its status and its body.
//! It costs little on purpose: what it used up would be missing on the side that is measured.

use std::io;

/// A response that has arrived in full, as places in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body_start: usize,
    pub(crate) end: usize,
}

/// The response at the start of `buffer`, or `None` while more must be read.
pub(crate) fn parse(buffer: &[u8]) -> io::Result<Option<Response>> {
    let Some(head_end) = find(buffer, b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = &buffer[..head_end];
    let status = status(head).ok_or_else(|| malformed("no status line"))?;
    let body_start = head_end + 4;
    if let Some(length) = header(head, b"content-length") {
        let length: usize = std::str::from_utf8(length)
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .ok_or_else(|| malformed("a content-length that is no number"))?;
        let end = body_start + length;
        return Ok((buffer.len() >= end).then_some(Response { status, body_start, end }));
    }
    if header(head, b"transfer-encoding").is_some() {
        // Only peers respond so. The chunk sizes stay in the body: enough to look for a record's id in it.
        return Ok(find(&buffer[body_start - 2..], b"\r\n0\r\n\r\n").map(|at| Response {
            status,
            body_start,
            end: body_start - 2 + at + 7,
        }));
    }
    Ok(Some(Response { status, body_start, end: body_start }))
}

/// Where `needle` first begins.
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut from = 0;
    while let Some(at) = haystack.get(from..)?.iter().position(|byte| *byte == first) {
        let start = from + at;
        if haystack[start..].starts_with(needle) {
            return Some(start);
        }
        from = start + 1;
    }
    None
}

fn status(head: &[u8]) -> Option<u16> {
    let digits = head.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn header<'head>(head: &'head [u8], name: &[u8]) -> Option<&'head [u8]> {
    head.split(|byte| *byte == b'\n').skip(1).find_map(|line| {
        let value = line.get(name.len()..)?;
        (line[..name.len()].eq_ignore_ascii_case(name) && value.first() == Some(&b':')).then(|| value[1..].trim_ascii())
    })
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the response has {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_ends_where_its_length_states() {
        let whole = b"HTTP/1.1 201 Created\r\nETag: \"x\"\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1";
        let response = parse(whole).unwrap().unwrap();
        assert_eq!(response.status, 201);
        assert_eq!(&whole[response.body_start..response.end], b"hello");
        for cut in 0..response.end {
            assert_eq!(parse(&whole[..cut]).unwrap(), None, "cut at {cut}");
        }
    }

    #[test]
    fn chunks_end_with_an_empty_one() {
        let whole = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
        assert_eq!(parse(whole).unwrap().unwrap().end, whole.len());
        assert_eq!(parse(&whole[..whole.len() - 1]).unwrap(), None);
        let empty = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
        assert_eq!(parse(empty).unwrap().unwrap().end, empty.len());
    }

    #[test]
    fn anything_else_is_an_error() {
        assert!(parse(b"SSH-2.0\r\n\r\n").is_err());
        assert!(parse(b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n").is_err());
    }

    #[test]
    fn a_needle_is_found_where_it_is() {
        assert_eq!(find(b"aab", b"ab"), Some(1));
        assert_eq!(find(b"aaa", b"ab"), None);
        assert_eq!(find(b"", b"ab"), None);
    }
}
