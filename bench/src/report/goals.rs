//! The goals: what this project set out to reach, each with what the run read.

use crate::footprint;
use crate::growth;
use crate::pgbench;
use crate::report::goal::{Goal, goal_table};
use crate::report::table::{Table, count};
use crate::results::Results;
use crate::slow_sync;
use crate::targets::target::{
    BARE, BETTER_AUTH, DIRECTUS, FASTIFY_POSTGRES, FASTIFY_SQLITE, ONE_TRANSACTION, PARSE, POSTGRES, SQLITE,
};

/// Every goal with its verdict, or those that were measured; `sizes` are those of the growth.
pub(crate) fn table(results: &Results, sizes: &[u64], measured_only: bool) -> Table {
    goal_table(all(results, sizes).iter().filter(|goal| !measured_only || goal.value.is_some()))
}

fn all(results: &Results, sizes: &[u64]) -> Vec<Goal> {
    [reads(results), creates(results), against_peers(results), grown(results, sizes), at_rest(results, sizes)].concat()
}

fn reads(results: &Results) -> Vec<Goal> {
    let cpu = |workload: &str| results.cpu_ratio((workload, SQLITE), (workload, BARE));
    let pgbench =
        |connections| results.rate_ratio(("subscription", POSTGRES), ("subscription", pgbench::name(connections)));
    let best = [pgbench(16), pgbench(64)].into_iter().flatten().reduce(f64::min);
    let deep = |engine: &str| results.cpu_ratio(("list-deep", engine), ("list-status", engine));
    vec![
        Goal::at_most("read by id, random, SQLite: CPU of bare hyper", 2.8, "×", cpu("subscription")),
        Goal::at_most("read by slug, SQLite: CPU of bare hyper", 2.8, "×", cpu("plan")),
        Goal::at_most("read by id, hot set, SQLite: CPU of bare hyper", 2.0, "×", cpu("hot")),
        Goal::at_least("read by id, PostgreSQL: rate of pgbench -c64", 1.3, "×", pgbench(64)),
        Goal::at_least("read by id, PostgreSQL: rate of pgbench's best", 0.8, "×", best),
        Goal::at_most("session check, SQLite: CPU of bare hyper", 2.2, "×", cpu("session")),
        Goal::at_most("list of 50 by user, SQLite: CPU of bare hyper", 18.0, "×", cpu("list-user")),
        Goal::at_most("list of 50 by status, SQLite: CPU of bare hyper", 18.0, "×", cpu("list-status")),
        Goal::at_most("page 1,000, SQLite: CPU of page 1", 1.1, "×", deep(SQLITE)),
        Goal::at_most("page 1,000, PostgreSQL: CPU of page 1", 1.1, "×", deep(POSTGRES)),
    ]
}

fn creates(results: &Results) -> Vec<Goal> {
    let pgbench = |engine: &str| results.rate_ratio(("create", engine), ("create", pgbench::name(16)));
    let parse = results.cpu_ratio(("create", SQLITE), ("create", PARSE));
    let p99 = results.summary("create", SQLITE).and_then(|summary| summary.p99_micros).map(|micros| micros / 1e3);
    let key = |engine: &str| results.cpu_ratio(("payment-key", engine), ("payment", engine));
    let slow = results.rate_ratio((slow_sync::NAME, SQLITE), (slow_sync::NAME, ONE_TRANSACTION));
    vec![
        Goal::at_least("create, SQLite: rate of pgbench -c16's insert", 1.4, "×", pgbench(SQLITE)),
        Goal::at_most("create, SQLite: CPU of parse-and-answer", 5.0, "×", parse),
        Goal::at_most("create, SQLite: p99 at 64 connections", 12.0, "ms", p99),
        Goal::at_least("create, PostgreSQL: rate of pgbench -c16's insert", 1.2, "×", pgbench(POSTGRES)),
        Goal::at_most("payment with a key, SQLite: CPU of one without", 1.25, "×", key(SQLITE)),
        Goal::at_most("payment with a key, PostgreSQL: CPU of one without", 1.25, "×", key(POSTGRES)),
        Goal::at_least("creates, syncs 2 ms slower: rate of one transaction per request", 20.0, "×", slow),
    ]
}

fn against_peers(results: &Results) -> Vec<Goal> {
    let mut goals = Vec::new();
    let session = results.rate_ratio(("session", SQLITE), ("session", BETTER_AUTH));
    goals.push(Goal::at_least("session check, SQLite: rate of better-auth", 50.0, "×", session));
    for workload in ["subscription", "create"] {
        for engine in [SQLITE, POSTGRES] {
            let ratio_to = |peer: &str| results.rate_ratio((workload, engine), (workload, peer));
            let fastify = [ratio_to(FASTIFY_SQLITE), ratio_to(FASTIFY_POSTGRES)].into_iter().flatten().reduce(f64::min);
            goals.push(Goal::at_least(format!("{workload}, {engine}: rate of the best Fastify"), 4.0, "×", fastify));
            goals.push(Goal::at_least(
                format!("{workload}, {engine}: rate of Directus"),
                100.0,
                "×",
                ratio_to(DIRECTUS),
            ));
        }
    }
    goals
}

fn grown(results: &Results, sizes: &[u64]) -> Vec<Goal> {
    let (Some(smallest), Some(largest)) = (sizes.first(), sizes.last()) else {
        return Vec::new();
    };
    let mut goals = Vec::new();
    for engine in [SQLITE, POSTGRES] {
        for workload in growth::WORKLOADS {
            let ratio = results
                .cpu_ratio((&growth::name(workload, *largest), engine), (&growth::name(workload, *smallest), engine));
            let what = format!("growth to {} rows, {}, {engine}: CPU", count(*largest), workload.name());
            goals.push(Goal::at_most(what, 1.6, "×", ratio));
        }
    }
    goals
}

fn at_rest(results: &Results, sizes: &[u64]) -> Vec<Goal> {
    let measurement = |what: &str, engine: &str| results.find_measurement(&footprint::name(what, engine));
    let mut goals = vec![
        Goal::at_most("start on the loaded store, SQLite", 60.0, "ms", measurement("start to ready", SQLITE)),
        Goal::at_most("start on the loaded store, PostgreSQL", 60.0, "ms", measurement("start to ready", POSTGRES)),
    ];
    for (engine, loaded) in [(SQLITE, 160.0), (POSTGRES, 64.0)] {
        goals.push(Goal::at_most(
            format!("memory at rest, {engine}"),
            24.0,
            "MiB",
            measurement("memory at rest", engine),
        ));
        let mixed = measurement("memory under the mixed load", engine);
        goals.push(Goal::at_most(format!("memory under the mixed load, {engine}"), loaded, "MiB", mixed));
        if let Some(largest) = sizes.last() {
            let what = format!("memory under the mixed load at {largest} rows");
            goals.push(Goal::at_most(format!("{what}, {engine}"), loaded, "MiB", measurement(&what, engine)));
        }
    }
    goals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_results_every_goal_is_there_and_not_measured() {
        let goals = all(&Results::default(), &[10, 100]);
        assert!(goals.len() > 40);
        assert!(goals.iter().all(|goal| goal.value.is_none()));
    }
}
