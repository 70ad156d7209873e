//! API rules 14.1 to 14.7 (`docs/api.md`) through HTTP: billed subscriptions, their actions, forecasts and dry runs.
//! The engine is that of the run: see `perennial-testkit`.

mod support;

mod behind;
mod creates;
mod dry_runs;
mod edges;
mod engine;
mod examples;
mod imports;
mod parked;
mod settings;
mod simulation;
mod updates;
