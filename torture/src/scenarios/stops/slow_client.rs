//! A client on a slow line: the head and half of the body are with the server when the signal comes, the rest is not.
//! The server has begun to take this request, so it has to wait for the rest and serve it.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use perennial_harness::{Connection, Response};

use super::Round;
use super::client::{body, outcome};
use super::ledger::{Entry, Moment};
use crate::failure::{Failure, Result, could_not};
use crate::home::TRUSTED;

const LIMIT: Duration = Duration::from_mins(1);

pub(super) fn work(round: &Round<'_>, slow_client: usize, delay: Duration) -> Result<Vec<Entry>> {
    let mut connection = Connection::open(round.address).map_err(could_not("connect to the server"))?;
    let external = format!("{}-slow_client-{slow_client}", round.number);
    let body = body(round, &external);
    let (first, rest) = body.split_at(body.len() / 2);
    let head = format!(
        "POST /subscriptions HTTP/1.1\r\nhost: {}\r\n{}: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        round.address,
        TRUSTED.0,
        TRUSTED.1,
        body.len()
    );
    let begun = connection.stream().write_all(format!("{head}{first}").as_bytes());
    begun.map_err(could_not("begin a request"))?;
    wait_for_signal(round)?;
    std::thread::sleep(delay);
    let response = finish(&mut connection, rest);
    Ok(vec![Entry { external, moment: Moment::Begun, outcome: outcome(&response, &connection) }])
}

fn finish(connection: &mut Connection, rest: &str) -> io::Result<Response> {
    connection.stream().write_all(rest.as_bytes())?;
    connection.receive("POST")
}

fn wait_for_signal(round: &Round<'_>) -> Result {
    let deadline = Instant::now() + LIMIT;
    while round.signal.get().is_none() {
        if Instant::now() > deadline {
            return Err(Failure::new("no signal was sent within a minute"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
