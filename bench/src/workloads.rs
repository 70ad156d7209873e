//! The workload: the requests of each target, and what its store must contain afterwards.

mod peers;

use std::sync::{Arc, Mutex};

use crate::failure::{Failure, Result};
use crate::load::call;
use crate::load::generator::Source;
use crate::load::request::Request;
use crate::rows::dataset::{self, Dataset, slug};
use crate::targets::perennial::{EMAIL, Home, public_headers, trusted_headers};
use crate::targets::target::{Headers, Protocol, Target};
use peers::Paths;
use perennial_harness::SeededRandom;

/// How many different requests a workload consists of.
const REQUESTS: u64 = 20_000;
const HOT: u64 = 100;
const PAGE: u64 = 50;
/// The page that must cost what the first costs, where there are rows enough.
const DEEP_PAGE: u64 = 1_000;
const SESSIONS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workload {
    Plan,
    Subscription,
    Hot,
    ListUser,
    ListStatus,
    ListDeep,
    Create,
    Payment,
    PaymentKey,
    Update,
    Session,
    Refresh,
    Mixed,
}

impl Workload {
    pub(crate) const ALL: [Self; 13] = [
        Self::Plan,
        Self::Subscription,
        Self::Hot,
        Self::ListUser,
        Self::ListStatus,
        Self::ListDeep,
        Self::Create,
        Self::Payment,
        Self::PaymentKey,
        Self::Update,
        Self::Session,
        Self::Refresh,
        Self::Mixed,
    ];

    /// What it is called on the command line and in the results.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Subscription => "subscription",
            Self::Hot => "hot",
            Self::ListUser => "list-user",
            Self::ListStatus => "list-status",
            Self::ListDeep => "list-deep",
            Self::Create => "create",
            Self::Payment => "payment",
            Self::PaymentKey => "payment-key",
            Self::Update => "update",
            Self::Session => "session",
            Self::Refresh => "refresh",
            Self::Mixed => "mixed",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Plan => "Plan by slug",
            Self::Subscription => "Subscription by id, random over all rows",
            Self::Hot => "Subscription by id, a hot set of 100",
            Self::ListUser => "List of 50 by user",
            Self::ListStatus => "List of 50 by status, page 1",
            Self::ListDeep => "List of 50 by status, page 1,000",
            Self::Create => "Subscription create",
            Self::Payment => "Payment create without a key",
            Self::PaymentKey => "Payment create with an idempotency key",
            Self::Update => "Subscription update",
            Self::Session => "Session check",
            Self::Refresh => "Refresh",
            Self::Mixed => "Mixed load, 80 % reads",
        }
    }

    /// Whether its limit must parse a body first.
    pub(crate) fn has_body(self) -> bool {
        matches!(self, Self::Create | Self::Payment | Self::PaymentKey | Self::Update | Self::Refresh)
    }

    /// A count in the store that grows by one with every response, if there is one.
    pub(crate) fn proof(self, protocol: &Protocol) -> Option<&'static str> {
        match (self, protocol) {
            (Self::Create, _) => Some("SELECT count(*) FROM subscriptions"),
            (Self::Payment | Self::PaymentKey, Protocol::Perennial) => Some("SELECT count(*) FROM payments"),
            (Self::Update, Protocol::Perennial) => {
                Some("SELECT count(*) FROM events WHERE kind = 'subscription.updated'")
            }
            _ => None,
        }
    }
}

/// The requests of a workload for a target; `None` if it does not offer it. `home` is Perennial's own.
pub(crate) fn source(
    workload: Workload,
    target: &Target,
    dataset: Dataset,
    home: Option<&Home>,
) -> Result<Option<Source>> {
    let asked = match &target.protocol {
        Protocol::Perennial => return perennial(workload, target, dataset, home).map(Some),
        Protocol::Plain => peers::three_calls(workload, dataset, &Headers::new(), &Paths::PLAIN),
        Protocol::Directus(headers) => peers::three_calls(workload, dataset, headers, &Paths::DIRECTUS),
        Protocol::BetterAuth(headers) if workload == Workload::Session => Some(vec![
            Request::new("GET", "/api/auth/get-session", headers, "").needle(format!("\"email\":\"{EMAIL}\"")),
        ]),
        Protocol::BetterAuth(_) | Protocol::Limit => None,
    };
    Ok(asked.map(|requests| Source::Any(Arc::new(requests))))
}

fn perennial(workload: Workload, target: &Target, dataset: Dataset, home: Option<&Home>) -> Result<Source> {
    let headers = trusted_headers();
    let any = |number: u64, make: &dyn Fn(u64) -> Request| {
        let mut random = SeededRandom::new(1);
        (0..number).map(|_| make(random.next())).collect::<Vec<Request>>()
    };
    let rows = dataset.rows;
    let count = REQUESTS.min(rows);
    let requests = match workload {
        Workload::Plan => (0..20).map(|number| plan(number, &headers)).collect(),
        Workload::Subscription => any(count, &|random| subscription(random % rows, &headers)),
        Workload::Hot => any(HOT.min(rows), &|random| subscription(random % rows, &headers)),
        Workload::ListUser => any(count.min(1_000), &|random| by_user(random % dataset.users(), dataset, &headers)),
        Workload::ListStatus => vec![by_status(dataset.active(), &headers, "")],
        Workload::ListDeep => vec![deep(target, dataset, &headers)?],
        Workload::Create => any(count, &|random| create(random, dataset, &headers)),
        Workload::Payment => any(count, &|random| payment(random % rows, &headers)),
        Workload::PaymentKey => {
            let mut keyed = headers.clone();
            keyed.push(("idempotency-key".to_owned(), "bench-############".to_owned()));
            any(count, &|random| payment(random % rows, &keyed))
        }
        Workload::Update => any(count, &|random| update(random % rows, &headers)),
        Workload::Mixed => mixed(dataset, &headers),
        Workload::Session => sessions(target, home)?
            .iter()
            .map(|(access, _)| {
                let headers = public_headers(Some(access));
                let request = Request::new("POST", "/authentication/user-logged-in", &headers, "");
                request.needle(format!("\"email\":\"{EMAIL}\""))
            })
            .collect(),
        Workload::Refresh => {
            let tokens = sessions(target, home)?.into_iter().map(|(_, refresh)| refresh).collect();
            return Ok(Source::Refresh { headers: public_headers(None), tokens: Arc::new(Mutex::new(tokens)) });
        }
    };
    Ok(Source::Any(Arc::new(requests)))
}

fn sessions(target: &Target, home: Option<&Home>) -> Result<Vec<(String, String)>> {
    let home = home.ok_or_else(|| Failure::new("sessions need a Perennial"))?;
    home.sessions(target.address, SESSIONS)
}

fn plan(number: u64, headers: &Headers) -> Request {
    let slug = slug(number);
    Request::new("GET", &format!("/subscription-plans/{slug}"), headers, "").needle(format!("\"slug\":\"{slug}\""))
}

fn subscription(number: u64, headers: &Headers) -> Request {
    let id = dataset::subscription(number);
    Request::new("GET", &format!("/subscriptions/{id}"), headers, "").needle(format!("\"id\":\"{id}\""))
}

fn by_user(number: u64, dataset: Dataset, headers: &Headers) -> Request {
    let user = dataset::user(number);
    let request = Request::new("GET", &format!("/subscriptions?user_id={user}&limit={PAGE}"), headers, "");
    request.needle(format!("\"user_id\":\"{user}\"")).records(RECORD, page_of(dataset.per_user()))
}

fn by_status(active: u64, headers: &Headers, more: &str) -> Request {
    let request = Request::new("GET", &format!("/subscriptions?status=active&limit={PAGE}{more}"), headers, "");
    request.needle("\"status\":\"active\"").records(RECORD, page_of(active))
}

const RECORD: &str = "{\"id\":\"sub_";

fn page_of(rows: u64) -> usize {
    usize::try_from(rows.min(PAGE)).unwrap_or_default()
}

/// The request of page 1,000, or of the last full page where there are fewer. A cursor does not depend on the size of
/// the pages, so large ones lead there sooner.
fn deep(target: &Target, dataset: Dataset, headers: &Headers) -> Result<Request> {
    const STRIDE: u64 = 200;
    let before = ((DEEP_PAGE - 1) * PAGE).min(dataset.active().saturating_sub(PAGE)) / PAGE * PAGE;
    let (mut walked, mut cursor) = (0, String::new());
    while walked < before {
        let stride = STRIDE.min(before - walked);
        let path = format!("/subscriptions?status=active&limit={stride}{cursor}");
        let page = call::expect(target.address, &Request::new("GET", &path, headers, ""))?.json()?;
        let next = page["page"]["next_cursor"].as_str();
        cursor = format!("&cursor={}", next.ok_or_else(|| Failure::new("the list ended before its time"))?);
        walked += stride;
    }
    Ok(by_status(PAGE, headers, &cursor))
}

fn create(random: u64, dataset: Dataset, headers: &Headers) -> Request {
    let user = dataset::user(random % dataset.users());
    let body = format!("{{\"user_id\":\"{user}\",\"subscription_plan_id\":\"{}\"}}", dataset::plan(random >> 32));
    Request::new("POST", "/subscriptions", headers, &body).status(201).needle(format!("\"user_id\":\"{user}\""))
}

fn payment(number: u64, headers: &Headers) -> Request {
    let id = dataset::subscription(number);
    let body =
        format!("{{\"subscription_id\":\"{id}\",\"amount\":19.99,\"currency\":\"USD\",\"status\":\"completed\"}}");
    let request = Request::new("POST", "/subscription-payments", headers, &body).status(201);
    request.needle(format!("\"subscription_id\":\"{id}\""))
}

/// A renewal: the instant is never the same twice, so that something is written each time.
fn update(number: u64, headers: &Headers) -> Request {
    let id = dataset::subscription(number);
    let body = r#"{"renews_at":"2031-06-01T0#:0#:0#.######Z"}"#;
    Request::new("PUT", &format!("/subscriptions/{id}"), headers, body).needle(format!("\"id\":\"{id}\""))
}

/// Eight reads in ten: five by id, one plan, two lists; then one create and one payment.
fn mixed(dataset: Dataset, headers: &Headers) -> Vec<Request> {
    let mut random = SeededRandom::new(3);
    (0..REQUESTS)
        .map(|index| {
            let drawn = random.next();
            let number = drawn % dataset.rows;
            match index % 10 {
                0..=4 => subscription(number, headers),
                5 => plan(drawn % 20, headers),
                6 => by_user(drawn % dataset.users(), dataset, headers),
                7 => by_status(dataset.active(), headers, ""),
                8 => create(drawn, dataset, headers),
                _ => payment(number, headers),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_has_a_unique_name() {
        let mut names: Vec<&str> = Workload::ALL.iter().map(|workload| workload.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Workload::ALL.len());
    }

    #[test]
    fn eight_of_ten_mixed_requests_read() {
        let requests = mixed(Dataset { rows: 1_000 }, &Headers::new());
        let reads = requests.iter().filter(|request| request.status == 200).count();
        assert_eq!(reads * 10, requests.len() * 8);
    }
}
