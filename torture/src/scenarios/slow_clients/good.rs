//! Clients that behave: a request, its response, a pause; and a new connection now and then.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use perennial_harness::Connection;

use crate::failure::{Result, could_not};
use crate::home::TRUSTED;
use crate::latencies::Latencies;
use crate::threads;

const CLIENTS: usize = 4;
const PAUSE: Duration = Duration::from_millis(5);
const REQUESTS_A_CONNECTION: usize = 50;
/// Every so many is a write.
const WRITES: usize = 10;

#[derive(Default)]
pub(super) struct Work {
    pub(super) latencies: Latencies,
    pub(super) failed: usize,
}

pub(super) fn work(address: SocketAddr, time: Duration) -> Result<Work> {
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(move || client(address, time))).collect();
        let mut all = Work::default();
        for work in threads::join(clients)? {
            all.latencies.add(work.latencies);
            all.failed += work.failed;
        }
        Ok(all)
    })
}

fn client(address: SocketAddr, time: Duration) -> Result<Work> {
    let begun = Instant::now();
    let deadline = begun + time;
    let mut work = Work::default();
    while Instant::now() < deadline {
        let mut connection = Connection::open(address).map_err(could_not("connect"))?;
        for number in 1..=REQUESTS_A_CONNECTION {
            let start = Instant::now();
            let response = if number % WRITES == 0 {
                let tier = format!("{{\"tier\": {}}}", start.elapsed().subsec_nanos() % 1000);
                connection.call("PUT", "/subscription-plans/plan-0", &[TRUSTED], Some(&tier))
            } else {
                connection.call("GET", "/subscription-plans/plan-1", &[TRUSTED], None)
            };
            match response {
                Ok(response) if response.status == 200 => work.latencies.note(start.elapsed()),
                other => {
                    let what =
                        other.map_or_else(|error| error.to_string(), |it| format!("{} {}", it.status, it.code()));
                    eprintln!("  a good request after {:.2} s: {what}", begun.elapsed().as_secs_f64());
                    work.failed += 1;
                    break;
                }
            }
            std::thread::sleep(PAUSE);
        }
    }
    Ok(work)
}
