//! R2: a 2xx to a write leaves only after the sync of its commit. Verified by the kernel's order of system calls, with strace.
//! The seed decides nothing here; which changes share a commit is the scheduler's.

pub(crate) mod order;

use std::net::SocketAddr;

use perennial_harness::{Connection, Response};
use serde_json::json;

use crate::failure::{Failure, Result, could_not};
use crate::home::{Home, TRUSTED};
use crate::scenario::{Measured, Run};
use crate::strace::Strace;
use crate::threads;
use order::{Order, mark};

/// Enough for changes to share commits.
const WRITERS: usize = 8;

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let writes = run.size.choose(100, 1_000, 10_000);
    let home = Home::new(run)?;
    let server = home.serve()?;
    let mut pids = vec![server.pid()];
    if let Some(cluster) = &home.cluster {
        pids.extend(cluster.processes()?);
    }
    let strace = Strace::attach(&pids, &run.evidence.join("trace"), &[])?;
    let acknowledged = write(server.address(), writes)?;
    let mut order = Order::new(run.engine);
    strace.finish(|call| order.see(call))?;
    Ok(vec![
        Measured::at_least("writes acknowledged", acknowledged, writes),
        Measured::new("of these found in the trace", order.answered, writes.to_string(), order.answered == writes),
        Measured::at_least("syncs of the log", order.syncs, 1),
        Measured::none("acknowledged before the sync of their commit", order.answered_too_early.len()),
    ])
}

/// Creates a plan that bears its mark everywhere.
pub(super) fn create(connection: &mut Connection, number: usize) -> std::io::Result<Response> {
    let mark = mark(number);
    let body = json!({ "name": mark, "slug": mark, "price": 1, "billing_cycle": "monthly" }).to_string();
    connection.call("POST", "/subscription-plans", &[TRUSTED, ("x-request-id", &mark)], Some(&body))
}

/// How many of these writes were acknowledged.
fn write(address: SocketAddr, writes: usize) -> Result<usize> {
    std::thread::scope(|scope| {
        let part = |writer| move || write_part(address, (writer..writes).step_by(WRITERS));
        let at_work: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(part(writer))).collect();
        Ok(threads::join(at_work)?.into_iter().sum())
    })
}

fn write_part(address: SocketAddr, numbers: impl Iterator<Item = usize>) -> Result<usize> {
    let mut connection = Connection::open(address).map_err(could_not("connect"))?;
    let mut acknowledged = 0;
    for number in numbers {
        let response = create(&mut connection, number).map_err(could_not("write"))?;
        if response.status != 201 {
            return Err(Failure::new(format!("a write was refused: {}", response.json())));
        }
        acknowledged += 1;
    }
    Ok(acknowledged)
}
