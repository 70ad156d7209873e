//! R18: servers are killed while the clock of a test organization advances by ten years. Every period of every
//! subscription begins exactly once, at its instant, and has one paid invoice; the numbers have no gap.

mod calendar;

use std::collections::{BTreeMap, HashSet};
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use perennial_harness::{Connection, SeededRandom, Server};
use serde_json::{Value, json};

use crate::failure::{Failure, Result, could_not};
use crate::home::Home;
use crate::rows;
use crate::scenario::{Measured, Run};
use calendar::{ANCHOR, CYCLES, end};

const ORGANIZATION: &str = "ten-years";
const SCOPES: &str = "plans:write,subscriptions:write,organization:read,organization:write";
const RENEWED: &str = "SELECT after FROM events WHERE kind = 'subscription.renewed'";
const INVOICES: &str = "SELECT number, status FROM invoices";
const SIGKILL: i32 = 9;
/// How long ten years may take.
const LIMIT: Duration = Duration::from_hours(3);
const POLL: Duration = Duration::from_millis(100);

pub(crate) fn run(run: &Run) -> Result<Vec<Measured>> {
    let (subscriptions, most_kills) = run.size.choose((40, 4), (400, 40), (4_000, 400));
    let home = Home::new(run)?;
    let mut organization = Organization::create(&home)?;
    let expected = organization.subscribe(subscriptions)?;
    let kills = organization.advance(&end(), most_kills, SeededRandom::new(run.seed))?;
    let found = compare(&expected, &renewals(&home)?);
    let invoices = rows::query(&home, INVOICES)?;
    let unpaid = invoices.iter().filter(|row| row[1] != "paid").count();
    Ok(vec![
        Measured::at_least("kills", kills, most_kills / 4),
        Measured::at_least("renewals", found.renewals, subscriptions * 40),
        Measured::none("periods that never began", found.missing),
        Measured::none("periods that began twice, or at another instant", found.surplus),
        Measured::none("subscriptions whose last period is not the one of the end", found.behind),
        // One for each renewal, and one for each first period.
        Measured::none("invoices missing or twice", invoices.len().abs_diff(found.renewals + subscriptions)),
        Measured::none("invoices that are not paid", unpaid),
        Measured::none("numbers that are missing or twice", gaps(invoices.iter().map(|row| row[0].as_str()))),
    ])
}

/// The starts of periods by subscription.
type Periods = BTreeMap<String, Vec<String>>;

#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    renewals: usize,
    missing: usize,
    surplus: usize,
    behind: usize,
}

fn compare(expected: &Periods, renewed: &Periods) -> Found {
    let mut found = Found { renewals: renewed.values().map(Vec::len).sum(), ..Found::default() };
    for (subscription, starts) in expected {
        let mut begun = renewed.get(subscription).cloned().unwrap_or_default();
        found.behind += usize::from(begun.iter().max() != starts.last());
        for start in starts {
            match begun.iter().position(|one| one == start) {
                Some(at) => drop(begun.swap_remove(at)),
                None => found.missing += 1,
            }
        }
        found.surplus += begun.len();
    }
    found
}

/// How many of the numbers 1 to n are not drawn, of n invoices.
fn gaps<'a>(numbers: impl Iterator<Item = &'a str>) -> usize {
    let drawn: Vec<usize> = numbers.filter_map(|number| number.rsplit('-').next()?.parse().ok()).collect();
    let known: HashSet<usize> = drawn.iter().copied().collect();
    (1..=drawn.len()).filter(|number| !known.contains(number)).count()
}

fn renewals(home: &Home) -> Result<Periods> {
    let mut renewed = Periods::new();
    for row in rows::query(home, RENEWED)? {
        let record: Value = serde_json::from_str(&row[0]).map_err(|_| Failure::new("an event that is not JSON"))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        renewed.entry(text(&record["id"])).or_default().push(text(&record["billing"]["period_start"]));
    }
    Ok(renewed)
}

/// A test organization and the servers that serve it: one on SQLite, two on PostgreSQL.
struct Organization<'a> {
    home: &'a Home,
    servers: Vec<Server>,
    client_id: String,
    user_id: String,
}

impl<'a> Organization<'a> {
    fn create(home: &'a Home) -> Result<Self> {
        let servers = home.serve_all()?;
        home.json(&["org", "create", "--name", ORGANIZATION, "--test"])?;
        let client =
            ["client", "create", "--org", ORGANIZATION, "--name", "script", "--kind", "trusted", "--scope", SCOPES];
        let client_id = text(&home.json(&client)?["client_id"])?;
        let user = home.json(&["user", "create", "--org", ORGANIZATION, "--email", "ten-years@example.com"])?;
        Ok(Self { home, servers, client_id, user_id: text(&user["id"])? })
    }

    /// Sets the clock to the anchor and creates subscriptions; returns the periods that they must have.
    fn subscribe(&self, count: usize) -> Result<Periods> {
        self.call("POST", "/test-clock", &json!({ "now": ANCHOR }))?;
        for cycle in CYCLES {
            let plan = json!({ "name": cycle.name, "slug": cycle.name, "price": 10, "billing_cycle": cycle.name });
            self.call("POST", "/subscription-plans", &plan)?;
        }
        // In a test organization this method pays each invoice when it is issued.
        let billing = json!({ "payment_method": "test_ok" });
        let mut expected = Periods::new();
        for cycle in CYCLES.iter().cycle().take(count) {
            let body = json!({ "user_id": self.user_id, "subscription_plan_id": cycle.name, "billing": billing });
            let subscription = self.call("POST", "/subscriptions", &body)?;
            expected.insert(text(&subscription["id"])?, cycle.renewals());
        }
        Ok(expected)
    }

    /// Advances the clock and kills a server at random moments until the clock is there; returns how often. The work of
    /// a killed server waits for its lease to expire, so that without a bound the kills would take most of the time.
    fn advance(&mut self, target: &str, most_kills: usize, mut random: SeededRandom) -> Result<usize> {
        let deadline = Instant::now() + LIMIT;
        let mut kills = 0;
        while Instant::now() < deadline {
            let clock = self.call("GET", "/test-clock", &Value::Null)?;
            if clock["now"] == target && clock["status"] == "ready" {
                return Ok(kills);
            }
            // After 100,000 actions the clock stops and waits for the next call.
            if clock["status"] != "advancing" {
                self.call("PUT", "/test-clock", &json!({ "now": target }))?;
            }
            if kills < most_kills {
                std::thread::sleep(Duration::from_millis(random.between(20, 1_500)));
                kills += self.kill_one(&mut random)?;
            }
            std::thread::sleep(POLL);
        }
        Err(Failure::new("the clock did not get there in time"))
    }

    /// Kills a server and starts it again.
    fn kill_one(&mut self, random: &mut SeededRandom) -> Result<usize> {
        let victim = random.index(self.servers.len());
        let status = self.servers[victim].kill().map_err(could_not("kill a server"))?;
        self.servers[victim] = self.home.serve()?;
        Ok(usize::from(status.signal() == Some(SIGKILL)))
    }

    fn call(&self, method: &str, target: &str, body: &Value) -> Result<Value> {
        let body = (!body.is_null()).then(|| body.to_string());
        let response = Connection::open(self.servers[0].address())
            .and_then(|mut connection| {
                connection.call(method, target, &[("client-id", &self.client_id)], body.as_deref())
            })
            .map_err(could_not(format!("call {target}")))?;
        if matches!(response.status, 200 | 201) {
            return Ok(response.data().clone());
        }
        Err(Failure::new(format!("{method} {target} was refused: {}", response.json())))
    }
}

fn text(value: &Value) -> Result<String> {
    value.as_str().map(str::to_owned).ok_or_else(|| Failure::new(format!("{value} is not text")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn periods(starts: &[&str]) -> Periods {
        BTreeMap::from([("sub".to_owned(), starts.iter().map(|&start| start.to_owned()).collect())])
    }

    #[test]
    fn a_number_that_is_missing_or_drawn_twice_is_a_gap() {
        assert_eq!(gaps(["INV-000002", "INV-000001"].into_iter()), 0);
        assert_eq!((gaps(["INV-000001", "INV-000003"].into_iter()), gaps(["INV-000001"; 2].into_iter())), (1, 1));
    }

    #[test]
    fn a_period_that_is_skipped_or_done_twice_is_counted() {
        let expected = periods(&["a", "b", "c"]);
        assert_eq!(compare(&expected, &periods(&["a", "b", "c"])), Found { renewals: 3, ..Found::default() });
        let wrong = Found { renewals: 3, missing: 1, surplus: 1, behind: 0 };
        assert_eq!(compare(&expected, &periods(&["a", "a", "c"])), wrong);
        let behind = Found { renewals: 1, missing: 2, surplus: 0, behind: 1 };
        assert_eq!(compare(&expected, &periods(&["a"])), behind);
    }
}
