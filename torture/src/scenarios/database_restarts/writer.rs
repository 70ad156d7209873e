//! One of the writers: creates and completes payments, and repeats, with the same key, requests that were rejected or have
//! no response. A payment has its number as its amount and no external id, so that only the key prevents a duplicate.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use perennial_harness::{Answer, Connection, Server};
use serde_json::json;

use super::load::Load;
use crate::answers::{Then, call};
use crate::failure::{Failure, Result, could_not};
use crate::home::TRUSTED;

pub(crate) const PLAN: &str = "outlived";
const PAYMENTS: &str = "/subscription-payments";
const PAUSE: Duration = Duration::from_millis(20);
const LIMIT: Duration = Duration::from_mins(2);

/// A subscription for all payments; answers its id.
pub(crate) fn create_subscription(server: &Server, user: &str) -> Result<String> {
    let body = json!({ "user_id": user, "subscription_plan_id": PLAN }).to_string();
    let answer = Connection::open(server.address())
        .and_then(|mut connection| connection.call("POST", "/subscriptions", &[TRUSTED], Some(&body)))
        .map_err(could_not("create a subscription"))?;
    let id = answer.data()["id"].as_str().map(str::to_owned);
    id.ok_or_else(|| Failure::new(format!("a subscription was refused: {}", answer.json())))
}

/// The response that a writer received.
#[derive(Default)]
pub(crate) struct Journal {
    /// The numbers of the payments that were acknowledged, and whether their completion was too.
    pub(crate) payments: Vec<(u64, bool)>,
    /// Those that were answered in a way that ended the matter.
    pub(crate) given_up: Vec<u64>,
}

pub(crate) struct Writer<'a> {
    number: usize,
    load: &'a Load<'a>,
    served: &'a AtomicU64,
    connection: Option<Connection>,
    file: BufWriter<File>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(number: usize, load: &'a Load<'a>, served: &'a AtomicU64, directory: &Path) -> Result<Self> {
        let file =
            File::create(directory.join(format!("journal-{number}.txt"))).map_err(could_not("keep a journal"))?;
        Ok(Self { number, load, served, connection: None, file: BufWriter::new(file) })
    }

    pub(crate) fn work(mut self) -> Result<Journal> {
        let mut journal = Journal::default();
        for own in 1.. {
            if self.load.is_stopped() {
                break;
            }
            let number = self.number as u64 * 1_000_000 + own;
            let body = json!({ "subscription_id": self.load.subscription, "amount": number, "currency": "USD" });
            let key = format!("payment-{number}");
            let Some(created) = self.insist("POST", PAYMENTS, Some(&key), &body.to_string())? else {
                journal.given_up.push(number);
                continue;
            };
            let target = format!("{PAYMENTS}/{}", created.data()["id"].as_str().unwrap_or_default());
            let completed = self.insist("PUT", &target, None, r#"{"status":"completed"}"#)?;
            journal.payments.push((number, completed.is_some()));
        }
        self.file.flush().map_err(could_not("keep a journal"))?;
        Ok(journal)
    }

    /// Sends a request until it has a final response; nothing if the response is unexpected.
    fn insist(&mut self, method: &str, target: &str, key: Option<&str>, body: &str) -> Result<Option<Answer>> {
        let deadline = Instant::now() + LIMIT;
        let key = key.map(|key| ("idempotency-key", key));
        let headers: Vec<_> = [TRUSTED].into_iter().chain(key).collect();
        while Instant::now() < deadline {
            let (was_away, start) = (self.load.answers.is_away(), Instant::now());
            let answer =
                call(&mut self.connection, self.load.address, |open| open.call(method, target, &headers, Some(body)));
            self.note(method, target, body, &answer)?;
            match (self.load.answers.judge(was_away, &answer, start.elapsed()), answer) {
                (Then::Done, Ok(answer)) => {
                    self.served.fetch_add(1, Relaxed);
                    return Ok(Some(answer));
                }
                (Then::Again, _) => std::thread::sleep(PAUSE),
                (Then::Wrong | Then::Done, _) => return Ok(None),
            }
        }
        Err(Failure::new(format!("{method} {target} was not answered for good in two minutes")))
    }

    fn note(&mut self, method: &str, target: &str, body: &str, answer: &std::io::Result<Answer>) -> Result {
        let said = match answer {
            Ok(answer) => format!("{} {}", answer.status, answer.code()),
            Err(error) => error.to_string(),
        };
        writeln!(self.file, "{method} {target} {body} -> {said}").map_err(could_not("keep a journal"))
    }
}
