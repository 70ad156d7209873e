//! R18: servers are killed while thousands of subscriptions renew at one midnight, some of them with metered usage. Every
//! subscription is billed once, for the right amount, and the numbers of invoices are 1 to n.

use std::collections::{BTreeMap, HashSet};
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use perennial_harness::{Connection, SeededRandom, Server};
use serde_json::{Value, json};

use crate::failure::{Failure, Result, could_not};
use crate::home::Home;
use crate::rows;
use crate::scenario::{Measured, Run};

const ORGANIZATION: &str = "midnight";
const SCOPES: &str = "plans:write,subscriptions:write,invoices:read,usage:write,organization:read,organization:write";
const START: &str = "2026-01-31T00:00:00.000000Z";
const MIDNIGHT: &str = "2026-02-28T00:00:00.000000Z";
const RENEWED: &str = "SELECT after FROM events WHERE kind = 'subscription.renewed'";
const PAID: &str = "SELECT after FROM events WHERE kind = 'payment.created'";
const SIGKILL: i32 = 9;
/// How long a night may take.
const LIMIT: Duration = Duration::from_hours(2);
const POLL: Duration = Duration::from_millis(50);
/// One in so many subscriptions has usage.
const METERED: usize = 4;
const EVENTS_PER_CALL: usize = 500;
const PAGE: usize = 200;
/// The price of a period, and with 6 units at 0.25.
const TOTALS: [&str; 2] = ["10", "11.5"];

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let (count, most_kills) = run.size.choose((200, 6), (2_000, 20), (10_000, 60));
    let home = Home::new(run)?;
    let mut night = Night::begin(&home)?;
    let subscriptions = night.subscribe(count)?;
    night.record_usage(&subscriptions)?;
    night.call("PUT", "/test-clock", &json!({ "now": MIDNIGHT, "mode": "jump" }))?;
    let start = Instant::now();
    let kills = night.work(most_kills, SeededRandom::new(run.seed))?;
    let took = start.elapsed();
    let found = Found::of(&night.invoices()?, &subscriptions);
    let renewed = named(&home, RENEWED, "id")?;
    let payments = named(&home, PAID, "invoice_id")?;
    Ok(vec![
        Measured::at_least("kills while work was due", kills, most_kills / 6),
        Measured::timing(run.size, "seconds until all was issued", took.as_secs(), "reported", true),
        Measured::none("subscriptions renewed twice or not at all", uneven(&renewed, count)),
        Measured::none("invoices missing or twice", found.wrong),
        Measured::none("invoices that are not paid", found.unpaid),
        Measured::none("numbers that are missing or twice", found.gaps),
        Measured::none("payments missing or twice", uneven(&payments, 2 * count)),
        Measured::none("invoices over another amount", found.other_amount),
    ])
}

/// A member of the record in each event of a query.
fn named(home: &Home, sql: &str, member: &str) -> Result<Vec<String>> {
    let events = rows::query(home, sql)?;
    let record = |row: &Vec<String>| serde_json::from_str::<Value>(&row[0]);
    let records = events.iter().map(record).collect::<std::result::Result<Vec<_>, _>>();
    let records = records.map_err(|_| Failure::new("an event that is not JSON"))?;
    records.iter().map(|record| text(&record[member])).collect()
}

/// How many names are there twice, or missing of `expected`.
fn uneven(names: &[String], expected: usize) -> usize {
    let known: HashSet<&String> = names.iter().collect();
    (names.len() - known.len()) + known.len().abs_diff(expected)
}

/// An invoice as the API returns it.
#[derive(Clone, Debug)]
struct Billed {
    subscription: String,
    number: String,
    cycle_at: String,
    status: String,
    total: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    wrong: usize,
    unpaid: usize,
    gaps: usize,
    other_amount: usize,
}

impl Found {
    /// Each subscription has one invoice of its first period and one of the midnight, which has the usage.
    fn of(invoices: &[Billed], subscriptions: &[String]) -> Self {
        let mut cycles: BTreeMap<&str, HashSet<&str>> =
            subscriptions.iter().map(|id| (id.as_str(), HashSet::new())).collect();
        let places: BTreeMap<&str, usize> =
            subscriptions.iter().enumerate().map(|(place, id)| (id.as_str(), place)).collect();
        let mut drawn = HashSet::new();
        let mut found = Self::default();
        for invoice in invoices {
            let id = invoice.subscription.as_str();
            found.unpaid += usize::from(invoice.status != "paid");
            found.wrong += usize::from(!cycles.entry(id).or_default().insert(&invoice.cycle_at));
            drawn.extend(invoice.number.rsplit('-').next().and_then(|number| number.parse::<usize>().ok()));
            let has_usage = invoice.cycle_at == MIDNIGHT && places.get(id).is_some_and(|place| is_metered(*place));
            found.other_amount += usize::from(invoice.total != TOTALS[usize::from(has_usage)]);
        }
        found.wrong += cycles.values().filter(|cycles| cycles.len() != 2).count();
        found.gaps = (1..=invoices.len()).filter(|number| !drawn.contains(number)).count();
        found
    }
}

/// A test organization whose clock shows a moment before midnight, and its servers: one on SQLite, two on PostgreSQL.
struct Night<'a> {
    home: &'a Home,
    servers: Vec<Server>,
    client_id: String,
    user_id: String,
}

impl<'a> Night<'a> {
    fn begin(home: &'a Home) -> Result<Self> {
        let servers = home.serve_all()?;
        home.json(&["org", "create", "--name", ORGANIZATION, "--test"])?;
        let client =
            ["client", "create", "--org", ORGANIZATION, "--name", "script", "--kind", "trusted", "--scope", SCOPES];
        let client_id = text(&home.json(&client)?["client_id"])?;
        let user = home.json(&["user", "create", "--org", ORGANIZATION, "--email", "midnight@example.com"])?;
        let night = Self { home, servers, client_id, user_id: text(&user["id"])? };
        night.call("POST", "/test-clock", &json!({ "now": START }))?;
        // Invoices with usage are issued at midnight too.
        night.call("PUT", "/organization", &json!({ "billing": { "draft_hours": 0 } }))?;
        night.call("POST", "/meters", &json!({ "slug": "calls", "name": "Calls", "aggregation": "sum" }))?;
        let charge = json!({ "meter_id": "calls", "name": "Calls", "model": "per_unit", "unit_price": 0.25 });
        for (slug, billing) in [("plain", json!({})), ("metered", json!({ "charges": [charge] }))] {
            let plan =
                json!({ "name": slug, "slug": slug, "price": 10, "billing_cycle": "monthly", "billing": billing });
            night.call("POST", "/subscription-plans", &plan)?;
        }
        Ok(night)
    }

    /// Creates subscriptions and waits for their first invoices.
    fn subscribe(&mut self, count: usize) -> Result<Vec<String>> {
        // In a test organization this method pays each invoice when it is issued.
        let billing = json!({ "payment_method": "test_ok" });
        let mut connection = self.connect()?;
        let mut subscriptions = Vec::with_capacity(count);
        for place in 0..count {
            let plan = if is_metered(place) { "metered" } else { "plain" };
            let body = json!({ "user_id": self.user_id, "subscription_plan_id": plan, "billing": billing });
            let created = self.call_on(&mut connection, "POST", "/subscriptions", &body)?;
            subscriptions.push(text(&created["id"])?);
        }
        self.work(0, SeededRandom::new(0))?;
        Ok(subscriptions)
    }

    /// 6 units in two events of each metered subscription.
    fn record_usage(&self, subscriptions: &[String]) -> Result<()> {
        let mut events = Vec::new();
        for (_, id) in subscriptions.iter().enumerate().filter(|(place, _)| is_metered(*place)) {
            events.push(json!({ "id": "a", "subscription_id": id, "meter": "calls", "value": 4 }));
            events.push(json!({ "id": "b", "subscription_id": id, "meter": "calls", "value": 2 }));
        }
        for call in events.chunks(EVENTS_PER_CALL) {
            self.call("POST", "/usage-events", &json!({ "events": call }))?;
        }
        Ok(())
    }

    /// Waits until nothing is due, and kills a server at random moments; returns how often.
    fn work(&mut self, most_kills: usize, mut random: SeededRandom) -> Result<usize> {
        let deadline = Instant::now() + LIMIT;
        let mut kills = 0;
        while Instant::now() < deadline {
            if self.call("GET", "/test-clock", &Value::Null)?["status"] == "ready" {
                return Ok(kills);
            }
            if kills < most_kills {
                std::thread::sleep(Duration::from_millis(random.between(20, 400)));
                let victim = random.index(self.servers.len());
                let status = self.servers[victim].kill().map_err(could_not("kill a server"))?;
                self.servers[victim] = self.home.serve()?;
                kills += usize::from(status.signal() == Some(SIGKILL));
            }
            std::thread::sleep(POLL);
        }
        Err(Failure::new("the work of the night was not done in time"))
    }

    /// Every invoice, as the API returns it.
    fn invoices(&self) -> Result<Vec<Billed>> {
        let mut connection = self.connect()?;
        let (mut invoices, mut cursor) = (Vec::new(), String::new());
        loop {
            let target = format!("/invoices?limit={PAGE}{cursor}");
            let response = connection
                .call("GET", &target, &[("client-id", &self.client_id)], None)
                .map_err(could_not("list invoices"))?;
            let page = response.json();
            let listed = page["data"].as_array().ok_or_else(|| Failure::new(format!("no list of invoices: {page}")))?;
            for invoice in listed {
                invoices.push(Billed {
                    subscription: text(&invoice["subscription_id"])?,
                    number: invoice["number"].as_str().unwrap_or_default().to_owned(),
                    cycle_at: text(&invoice["cycle_at"])?,
                    status: text(&invoice["status"])?,
                    total: invoice["total"].to_string(),
                });
            }
            match page["page"]["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return Ok(invoices),
            }
        }
    }

    fn connect(&self) -> Result<Connection> {
        Connection::open(self.servers[0].address()).map_err(could_not("connect to a server"))
    }

    fn call(&self, method: &str, target: &str, body: &Value) -> Result<Value> {
        self.call_on(&mut self.connect()?, method, target, body)
    }

    fn call_on(&self, connection: &mut Connection, method: &str, target: &str, body: &Value) -> Result<Value> {
        let body = (!body.is_null()).then(|| body.to_string());
        let response = connection
            .call(method, target, &[("client-id", &self.client_id)], body.as_deref())
            .map_err(could_not(format!("call {target}")))?;
        if matches!(response.status, 200 | 201) {
            return Ok(response.data().clone());
        }
        Err(Failure::new(format!("{method} {target} was refused: {}", response.json())))
    }
}

const fn is_metered(place: usize) -> bool {
    place.is_multiple_of(METERED)
}

fn text(value: &Value) -> Result<String> {
    value.as_str().map(str::to_owned).ok_or_else(|| Failure::new(format!("{value} is not text")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(list: &[[&str; 4]]) -> Found {
        let billed = |[number, cycle_at, status, total]: &[&str; 4]| Billed {
            subscription: "a".to_owned(),
            number: format!("TEST-INV-{number}"),
            cycle_at: (*cycle_at).to_owned(),
            status: (*status).to_owned(),
            total: (*total).to_owned(),
        };
        Found::of(&list.iter().map(billed).collect::<Vec<_>>(), &["a".to_owned()])
    }

    #[test]
    fn invoices_that_are_missing_twice_unpaid_misnumbered_or_over_another_amount_are_counted() {
        let first = ["000001", START, "paid", "10"];
        assert_eq!(found(&[first, ["000002", MIDNIGHT, "paid", "11.5"]]), Found::default());
        assert_eq!(found(&[first]), Found { wrong: 1, ..Found::default() });
        assert_eq!(found(&[first, ["000003", MIDNIGHT, "paid", "11.5"]]).gaps, 1);
        assert_eq!(found(&[first, ["000001", MIDNIGHT, "paid", "11.5"]]).gaps, 1);
        let twice = found(&[first, ["000002", START, "open", "11.5"]]);
        assert_eq!((twice.wrong, twice.unpaid, twice.other_amount), (2, 1, 1));
    }

    #[test]
    fn what_is_there_twice_or_missing_is_uneven() {
        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let uneven = |list: &[&str]| uneven(&names(list), 2);
        assert_eq!((uneven(&["a", "b"]), uneven(&["a", "a"]), uneven(&["a"])), (0, 2, 1));
    }
}
