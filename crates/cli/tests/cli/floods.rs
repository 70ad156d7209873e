//! Floods of HTTP/2 frames at the real server: its memory stays as it was, and everybody else is served.

use crate::support::{Place, Server, skipped};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// A GET of the root, spelt without a table.
const GET: &[u8] = b"\x82\x86\x84\x01\x01a";
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const GO_AWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const FRAMES: u32 = 3_000;
/// How long a server that is flooded may take to hang up; the time for unfinished heads is twice as long.
const ENOUGH: Duration = Duration::from_secs(5);
const ALLOWED_MEBIBYTES: u64 = 24;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

fn resets() -> Vec<u8> {
    let pair = |number: u32| {
        let stream = 2 * number + 1;
        [frame(HEADERS, END_STREAM | END_HEADERS, stream, GET), frame(RESET, 0, stream, &[0, 0, 0, 8])].concat()
    };
    (0..FRAMES).flat_map(pair).collect()
}

fn continuations() -> Vec<u8> {
    // Sixteen bytes of a header that never ends: buffered, they would be 48 KB per connection without a limit.
    let part = frame(CONTINUATION, 0, 1, &[b'a'; 16]);
    [frame(HEADERS, END_STREAM, 1, GET), part.repeat(FRAMES as usize)].concat()
}

/// Sends a flood and waits for the end of the connection; answers whether the server said goodbye before.
fn flood(address: SocketAddr, frames: &[u8]) -> bool {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(ENOUGH)).unwrap();
    let opening = [PREFACE, &frame(SETTINGS, 0, 0, b"")].concat();
    // The server may hang up before all of it is sent.
    let _ = stream.write_all(&opening).and_then(|()| stream.write_all(frames));
    let mut reported = Vec::new();
    // A reset is an end too; silence is not.
    if let Err(error) = stream.read_to_end(&mut reported) {
        assert_ne!(error.kind(), ErrorKind::WouldBlock, "the server keeps a connection that floods it");
    }
    let mut rest = reported.as_slice();
    while let Some((head, after)) = rest.split_at_checked(9) {
        if head[3] == GO_AWAY {
            return true;
        }
        let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        rest = after.get(length..).unwrap_or_default();
    }
    false
}

/// The most memory the process ever had, in mebibytes.
fn peak(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

#[test]
fn resets_and_continuations_leave_memory_flat_and_the_service_there() {
    if !std::path::Path::new("/proc/self/status").exists() {
        return skipped("memory is read from /proc");
    }
    let place = Place::new();
    let server = place.serve();
    let floods = [resets(), continuations()];
    let storm = |rounds: usize| -> usize {
        let goodbyes = |_| (0..rounds).flat_map(|_| &floods).filter(|frames| flood(server.address, frames)).count();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || goodbyes(thread))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        })
    };
    // The first ones fill the pools that every server fills.
    storm(2);
    let before = peak(&server);
    let goodbyes = storm(20);
    let grown = peak(&server) - before;
    assert!(goodbyes > 80, "most of them received GOAWAY: {goodbyes}");
    assert!(grown <= ALLOWED_MEBIBYTES, "{grown} MiB more than {before}");
    eprintln!("160 floods of {FRAMES} frames: {before} MiB at most before, {grown} more after, {goodbyes} goodbyes");
    server.caller(place.first("trusted_client_id")).get("/subscription-plans").expect(200);
}
