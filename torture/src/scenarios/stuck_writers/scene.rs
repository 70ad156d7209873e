//! One case, played: servers, an obstacle, a request that meets it, and what the others notice.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use perennial_harness::{Connection, Server};
use serde_json::json;

use super::case::{Case, Obstacle, wait_for_a_blocked_one};
use super::others::{Others, Readiness};
use super::{DRAINED, PLAN};
use crate::caller::{Caller, PAYMENTS, create_subscription};
use crate::failure::{Failure, Result, could_not};
use crate::home::{Home, TRUSTED};
use crate::ledger::Entry;
use crate::relay::Relay;
use crate::responses::{Responses, is_ready};

/// Beyond this the others are not waited for.
const LIMIT: Duration = Duration::from_secs(30);
/// The others are at work before it begins.
const WARM_UP: Duration = Duration::from_secs(1);
const AGAIN_READY: Duration = Duration::from_secs(10);
const EXTRA: Duration = Duration::from_secs(5);
/// The obstacle stays until the blocked request is answered, or for so long.
const ANSWERED: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(20);

pub(super) struct Seen {
    pub(super) recovered: Option<Duration>,
    /// The status of the response, or why there is none.
    pub(super) blocked: String,
    pub(super) exit: Option<Duration>,
    pub(super) readiness: Readiness,
}

struct Scene<'a> {
    home: &'a Home,
    case: Case,
    relay: Relay,
    /// Behind the relay: its writer gets stuck, or it is the one that is frozen.
    first: Server,
    others: Vec<Server>,
    subscription: String,
    payment: String,
}

pub(super) fn play(
    home: &Home,
    case: Case,
    user: &str,
    responses: &Responses,
    number: u64,
    entries: &mut Vec<Entry>,
) -> Result<Seen> {
    let mut scene = Scene::new(home, case, user, responses, number, entries)?;
    let stuck = scene.stuck().address();
    let addresses = scene.observed();
    let others = Others::new(&addresses);
    let ((recovered, blocked), made) =
        others.during(&addresses, stuck, user, responses, (number + 1) * 100, |others| {
            std::thread::sleep(WARM_UP);
            others.begin_watch();
            scene.obstruct(number * 10 + 1, |began| Ok(others.recovered(began, LIMIT)))
        })?;
    entries.extend(made);
    let deadline = Instant::now() + AGAIN_READY;
    while !is_ready(stuck) && Instant::now() < deadline {
        std::thread::sleep(PAUSE);
    }
    let last = if is_ready(stuck) { 200 } else { 503 };
    let readiness = Readiness { was_503: others.was_not_ready(), last };
    let exit = scene.end_while_stuck(number * 10 + 2)?;
    Ok(Seen { recovered, blocked, exit, readiness })
}

impl<'a> Scene<'a> {
    fn new(
        home: &'a Home,
        case: Case,
        user: &str,
        responses: &Responses,
        number: u64,
        entries: &mut Vec<Entry>,
    ) -> Result<Self> {
        let relay = Relay::start(home.cluster()?.address(), number)?;
        let first = home.serve_on(&relay.url(), "first.log")?;
        let count = if case == Case::FrozenServer { 2 } else { 1 };
        let others = (0..count).map(|_| home.serve()).collect::<Result<Vec<_>>>()?;
        let address = others.first().map_or(first.address(), Server::address);
        let subscription = create_subscription(address, user, PLAN)?;
        let mut caller = Caller::new(address, responses);
        let payment = caller.create(&subscription, (number + 1) * 99_000_000, None);
        let payment = payment.ok_or_else(|| Failure::new("a payment could not be created"))?;
        entries.append(&mut caller.entries);
        Ok(Self { home, case, relay, first, others, subscription, payment })
    }

    /// The server whose request is blocked.
    fn stuck(&self) -> &Server {
        match self.case {
            Case::FrozenServer => self.others.first().unwrap_or(&self.first),
            _ => &self.first,
        }
    }

    /// The servers on which others write: all but the frozen one.
    fn observed(&self) -> Vec<SocketAddr> {
        let first = (self.case != Case::FrozenServer).then(|| self.first.address());
        first.into_iter().chain(self.others.iter().map(Server::address)).collect()
    }

    /// Builds the obstacle, sends a request into it and lets `happens` look on; returns what it saw, and the status of the
    /// request's response.
    fn obstruct<T>(&self, mark: u64, happens: impl FnOnce(Instant) -> Result<T>) -> Result<(T, String)> {
        let cluster = self.home.cluster()?;
        // No other write carries it; the relay and the database see it as it is.
        let external = format!("blocked-{mark}-request");
        let change = (self.first.address(), "PUT", format!("{PAYMENTS}/{}", self.payment));
        let body = json!({ "external_payment_id": external }).to_string();
        std::thread::scope(|scope| {
            let send = |(address, method, target): (SocketAddr, &'static str, String), body: String| {
                scope.spawn(move || request(address, method, &target, &body))
            };
            let (obstacle, blocked) = match self.case {
                Case::DeadConnection | Case::HungBackend | Case::FrozenServer => {
                    self.relay.hold_commit_after(&external);
                    let first = send(change, body);
                    match self.case {
                        Case::FrozenServer => {
                            let obstacle = Obstacle::freeze(&self.relay, &self.first)?;
                            let target = format!("{PAYMENTS}/{}", self.payment);
                            let second = send((self.stuck().address(), "PUT", target), other_name(mark));
                            wait_for_a_blocked_one(cluster)?;
                            drop(first);
                            (obstacle, second)
                        }
                        Case::HungBackend => (Obstacle::stop_backend(&self.relay, cluster)?, first),
                        _ => (Obstacle::hold(&self.relay)?, first),
                    }
                }
                Case::OperatorLock => {
                    let lock = "SELECT id FROM payments WHERE id = (SELECT record_id FROM events \
                                WHERE kind = 'payment.created' AND after LIKE";
                    let sql = format!("{lock} '%\"{}\"%') FOR UPDATE", self.payment);
                    let obstacle = Obstacle::session(cluster, &sql)?;
                    let blocked = send(change, body);
                    wait_for_a_blocked_one(cluster)?;
                    (obstacle, blocked)
                }
                Case::OpenImport => {
                    let obstacle = Obstacle::session(cluster, &import(&external))?;
                    let create = json!({ "subscription_id": self.subscription, "amount": 1, "currency": "USD",
                                         "external_payment_id": external });
                    let blocked = send((self.first.address(), "POST", PAYMENTS.to_owned()), create.to_string());
                    wait_for_a_blocked_one(cluster)?;
                    (obstacle, blocked)
                }
            };
            let began = Instant::now();
            let seen = happens(began)?;
            while !blocked.is_finished() && began.elapsed() < ANSWERED {
                std::thread::sleep(PAUSE);
            }
            let in_time = blocked.is_finished();
            drop(obstacle);
            let status = blocked.join().map_err(|_| Failure::new("a caller panicked"))?;
            let status = if in_time { status } else { format!("{status}, late") };
            Ok((seen, status))
        })
    }

    /// Ends the stuck server as an operator would; `None` if it has not ended within the limit and some.
    fn end_while_stuck(&mut self, mark: u64) -> Result<Option<Duration>> {
        let stuck = self.stuck().pid();
        let (exit, _) = self.obstruct(mark, |_| {
            perennial_harness::signal(stuck, "TERM");
            let began = Instant::now();
            Ok(ended(stuck, DRAINED + EXTRA).then(|| began.elapsed()))
        })?;
        Ok(exit)
    }
}

/// A zombie has ended: it waits for its parent, which is this process and busy.
fn ended(pid: u32, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    let is_gone = || {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        state.rsplit(')').next().is_none_or(|rest| rest.trim().is_empty() || rest.trim().starts_with('Z'))
    };
    while Instant::now() < deadline {
        if is_gone() {
            return true;
        }
        std::thread::sleep(PAUSE);
    }
    false
}

fn other_name(mark: u64) -> String {
    json!({ "external_payment_id": format!("second-{mark}") }).to_string()
}

/// What `perennial import` does with a payment, before it commits: no event is needed, it is rolled back.
fn import(external: &str) -> String {
    format!(
        "INSERT INTO payments (organization_id, id, subscription_id, amount, currency, external_id, status, created_at, \
         updated_at, revision) SELECT organization_id, gen_random_uuid(), subscription_id, amount, currency, '{external}', \
         status, created_at, updated_at, gen_random_uuid() FROM payments LIMIT 1"
    )
}

/// One request and the status of its response, or why there is none.
fn request(address: SocketAddr, method: &str, target: &str, body: &str) -> String {
    let response = Connection::open(address).and_then(|mut one| one.call(method, target, &[TRUSTED], Some(body)));
    match response {
        Ok(response) => response.status.to_string(),
        Err(error) => could_not("be answered")(error).to_string(),
    }
}
