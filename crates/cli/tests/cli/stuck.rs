//! A writer that another process keeps waiting: health checks see it.

use crate::support::{PATIENCE, Place, Server, eventually, holding_the_store};
use serde_json::json;

fn serve(place: &Place, settings: &str) -> Server {
    std::fs::write(place.path().join("perennial.toml"), settings).unwrap();
    place.serve()
}

fn ready(server: &Server) -> u16 {
    server.get("/readyz").status
}

#[test]
fn a_change_without_an_outcome_turns_readyz_to_503_until_it_has_one() {
    let place = Place::sqlite();
    let plan = json!({ "name": "Pro", "slug": "pro", "price": 1, "billing_cycle": "monthly" });
    let server = serve(&place, "[limits]\nstuck_milliseconds = 100\n");
    let caller = server.caller(place.first("trusted_client_id"));
    server.wait_until_ready();
    let answer = holding_the_store(&place, || {
        let creating = std::thread::spawn(move || caller.post("/subscription-plans", &plan));
        eventually(PATIENCE, "503", || (ready(&server) == 503).then_some(()));
        assert!(!server.metrics_page().contains("perennial_store_oldest_change_milliseconds 0\n"));
        creating
    })
    .join()
    .unwrap();
    // It waited for as long as it may, or the store was released before.
    assert!([201, 503].contains(&answer.status), "{}", answer.body);
    eventually(PATIENCE, "200", || (ready(&server) == 200).then_some(()));
    assert!(server.metrics_page().contains("perennial_store_oldest_change_milliseconds 0\n"));
}
