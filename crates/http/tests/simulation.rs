//! Years of billing with faults: callers, payments, usage, two servers with leases, kills. Invariants hold after each step.
//!
//! A failure prints its seed and the last steps. `PERENNIAL_SIMULATION_SEED` repeats one seed,
//! `PERENNIAL_SIMULATION_SEEDS` sets the number of runs.

mod callers;
pub(crate) mod dice;
mod invalid;
mod invariants;
mod notes;
mod prorations;
mod reference;
mod servers;
mod world;

use world::World;

const DAY: i64 = 86_400;
const YEARS: i64 = 8;
const SUBSCRIPTIONS: usize = 20;

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Returns the days that subscriptions were live.
async fn simulate(seed: u64) -> i64 {
    let mut world = World::begin(seed).await;
    for _ in 0..SUBSCRIPTIONS {
        world.subscribe().await;
    }
    let end = world.now().plus_seconds(YEARS * 365 * DAY);
    while world.now() < end {
        let days = world.dice.of(&[0, 1, 2, 6, 15, 40]);
        let seconds = days * DAY + world.dice.whole(600, DAY);
        world.advance(seconds);
        for _ in 0..world.dice.below(3) {
            // A call is later than what the faster clock has written.
            world.advance(60);
            world.call().await;
        }
        world.pass().await;
        world.advance(60);
        world.pay().await;
        world.pass().await;
        world.check_touched().await;
    }
    world.check_all().await;
    world.check_history().await
}

#[tokio::test]
async fn years_of_money_are_what_the_reference_computes() {
    if let Some(seed) = variable("PERENNIAL_SIMULATION_SEED") {
        println!("{} years of subscriptions", simulate(seed).await / 365);
        return;
    }
    let seeds = variable("PERENNIAL_SIMULATION_SEEDS").unwrap_or(1);
    let mut days = 0;
    for seed in 1..=seeds {
        days += simulate(seed).await;
    }
    assert!(days > 0, "no subscription lived");
    println!("{} years of subscriptions", days / 365);
}
