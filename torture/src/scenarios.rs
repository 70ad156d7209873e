//! The table of scenarios, in the order they run.

mod backups;
mod database_restarts;
mod delivery;
mod faulty_disk;
mod feed;
mod fleet;
mod keys;
mod kill_loop;
mod linearizability;
mod midnight;
mod overload;
mod promotions;
mod providers;
mod refreshes;
mod renewals;
mod retention;
mod slow_clients;
mod stops;
mod stuck_writers;
mod syncs;

use crate::scenario::{Engine, Scenario};

pub(crate) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "r1",
        about: "SIGKILL under 32 writers: nothing acknowledged is lost, nothing is there twice",
        engines: &Engine::ALL,
        run: kill_loop::run,
    },
    Scenario {
        name: "r2",
        about: "every 2xx to a write is preceded by the sync of its commit",
        engines: &Engine::ALL,
        run: syncs::run,
    },
    // PostgreSQL's disk is PostgreSQL's own affair: it ends itself when a sync fails, and R4 is about that.
    Scenario {
        name: "r3",
        about: "a sync that fails ends the service; a full disk refuses writes and leaves reads alone",
        engines: &[Engine::Sqlite],
        run: faulty_disk::run,
    },
    Scenario {
        name: "r4",
        about: "the database restarted at once, or replaced by its standby, under load: nothing lost, only 503s",
        engines: &[Engine::Postgres],
        run: database_restarts::run,
    },
    Scenario {
        name: "r5",
        about: "histories of single records under kills: an order exists in which every response is right",
        engines: &Engine::ALL,
        run: linearizability::run,
    },
    Scenario {
        name: "r6",
        about: "16 concurrent POSTs with one key: one row, and identical responses",
        engines: &Engine::ALL,
        run: keys::run,
    },
    Scenario {
        name: "r7",
        about: "20 concurrent refreshes of a session, responses dropped: one successor, only thieves are signed out",
        engines: &Engine::ALL,
        run: refreshes::run,
    },
    Scenario {
        name: "r8",
        about: "twice the requests that can be answered: as many responses, the others refused at once",
        engines: &Engine::ALL,
        run: overload::run,
    },
    Scenario {
        name: "r9",
        about: "thousands of idle, dribbling and non-reading connections: the others notice little",
        engines: &Engine::ALL,
        run: slow_clients::run,
    },
    Scenario {
        name: "r12-stops",
        about: "SIGTERM under load: nothing in flight fails, and the exit comes in time",
        engines: &Engine::ALL,
        run: stops::run,
    },
    // PostgreSQL's backups are PostgreSQL's own.
    Scenario {
        name: "r12-backups",
        about: "backups under load: each holds what was acknowledged before it began, and nothing half",
        engines: &[Engine::Sqlite],
        run: backups::run,
    },
    Scenario {
        name: "r13",
        about: "promotions behind a plain URL and behind PgBouncer: no change is torn apart, only 503s",
        engines: &[Engine::Postgres],
        run: promotions::run,
    },
    Scenario {
        name: "r14",
        about: "the writer waits for what does not come: others write again within seconds, SIGTERM ends it",
        engines: &[Engine::Postgres],
        run: stuck_writers::run,
    },
    Scenario {
        name: "r15",
        about: "expired rows are swept while creates continue; pruning and compacting keep files small",
        engines: &Engine::ALL,
        run: retention::run,
    },
    Scenario {
        name: "r16",
        about: "a reader of the feed while servers are killed: every acknowledged event once, in one order",
        engines: &Engine::ALL,
        run: feed::run,
    },
    Scenario {
        name: "r17",
        about: "SIGKILL and SIGSTOP during webhook delivery: every event arrives, few arrive twice",
        engines: &Engine::ALL,
        run: delivery::run,
    },
    Scenario {
        name: "r17-outages",
        about: "an endpoint is down, then the database: few rows, no busy loop, everything arrives in order",
        engines: &Engine::ALL,
        run: delivery::outages::run,
    },
    Scenario {
        name: "r18",
        about: "SIGKILL while a clock advances by ten years: every period begins once, at its instant",
        engines: &Engine::ALL,
        run: renewals::run,
    },
    Scenario {
        name: "r18-midnight",
        about: "SIGKILL while thousands of subscriptions renew at one midnight: each is billed once, numbers 1 to n",
        engines: &Engine::ALL,
        run: midnight::run,
    },
    Scenario {
        name: "r19",
        about: "SIGKILL while payment providers change, fail and lose webhooks: records equal theirs, one charge each",
        engines: &Engine::ALL,
        run: providers::run,
    },
    Scenario {
        name: "fleet",
        about: "three servers behind HAProxy and PgBouncer, stopped and killed in turn: nothing lost, what fails is counted",
        engines: &[Engine::Postgres],
        run: fleet::run,
    },
];

/// The scenarios of this name: `r12` are all its parts, `r12-stops` is one.
pub(crate) fn named(name: &str) -> impl Iterator<Item = &'static Scenario> {
    SCENARIOS.iter().filter(move |scenario| scenario.is(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_their_own_and_every_scenario_has_an_engine() {
        for scenario in SCENARIOS {
            assert_eq!(SCENARIOS.iter().filter(|other| other.name == scenario.name).count(), 1, "{}", scenario.name);
            assert!(!scenario.engines.is_empty(), "{}", scenario.name);
        }
    }

    #[test]
    fn a_scenario_of_two_parts_is_named_whole_or_by_part() {
        let names = |name| named(name).map(|scenario| scenario.name).collect::<Vec<_>>();
        assert_eq!(names("r12"), ["r12-stops", "r12-backups"]);
        assert_eq!(names("r12-stops"), ["r12-stops"]);
        assert_eq!(names("r1"), ["r1"]);
        assert!(names("r").is_empty() && names("r99").is_empty());
    }
}
