//! The program as people run it: the real binary, its files, its signals, its exit codes.
//! On PostgreSQL when `PERENNIAL_TEST_POSTGRES` names a server, each test in a separate database; otherwise on SQLite.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod backup_refusals;
mod backups;
mod client_commands;
mod client_lives;
mod commands;
mod config_check;
mod config_show;
mod configuration;
mod dashboards;
mod demo;
mod doctor;
mod doctor_database;
mod doctor_files;
mod doctor_proxies;
mod doctor_telemetry;
mod first_run;
mod floods;
mod help;
mod incident_commands;
mod incidents;
mod key_rotation;
mod local_tokens;
mod manual;
mod many_servers;
mod moves;
mod outputs;
mod provider_check;
mod provider_commands;
mod provider_file;
mod provider_secrets;
mod readme;
mod record_forms;
mod records;
mod refusals;
mod refused_settings;
mod secret_files;
mod secrets;
mod service_manager;
mod stopping;
mod stuck;
mod support;
mod telemetry;
mod terminal;
mod transfer_copies;
mod transfer_faults;
mod transfer_names;
mod transfer_rules;
mod transfer_tables;
mod transfers;
mod upkeep;
mod versions;
mod watching;
