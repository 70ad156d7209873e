//! The engine on real databases: every test runs on SQLite, and on PostgreSQL where `PERENNIAL_TEST_POSTGRES` names a
//! server on which databases may be created.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue stops")]

mod support;

mod backups;
mod batching;
mod durability;
mod feed;
mod feed_upgrade;
mod guards;
mod leases;
mod list;
mod migrations;
mod outages;
mod postgres;
mod query_plans;
mod sqlite;
mod tables;
mod upgrades;
mod usage_events;
mod values;
mod verticals;
mod waits;
