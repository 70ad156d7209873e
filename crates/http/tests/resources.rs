//! API rules 4 to 6 and 8.1 (`docs/api.md`) through HTTP: plans, subscriptions and payments, each rule a test.
//! The engine is that of the run: see `perennial-testkit`.

mod access;
mod activity;
mod any_value;
mod billing;
mod deletes;
mod document;
mod document_of_clients;
mod document_of_people;
mod document_of_users;
mod external_ids;
mod money;
mod openapi;
mod payments;
mod plan_fields;
mod plan_updates;
mod plan_versions;
mod plans;
mod schemas;
mod search;
mod subscription_updates;
mod subscriptions;
mod support;
mod system;
mod tenants;
mod transitions;
mod users;
