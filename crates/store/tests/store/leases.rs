//! Leases: one holder at a time, and no write by a holder that has lost its lease.

use perennial_domain::id::OrganizationId;
use perennial_store::leases::{Lease, Unit, clear};
use perennial_store::{Change, Db, Error, Sql, Violation};

use crate::support::*;

on_both_engines!(
    a_unit_has_one_holder,
    a_holder_that_was_frozen_writes_nothing,
    a_revoked_lease_is_lost_at_once,
    a_start_ends_the_leases_of_a_server_that_is_gone,
);

fn lease(owner: u8) -> Lease {
    let organization = OrganizationId::from_bytes([1; 16]);
    Lease { unit: Unit { job: "test", organization, id: [2; 16] }, owner: [owner; 16] }
}

async fn migrated(place: &Place) -> Db {
    let db = place.open().await;
    db.migrate().await.unwrap();
    db
}

/// Every lease has expired.
async fn wait_in_fast_motion(db: &Db) {
    static EXPIRE: Sql = Sql::new("UPDATE leases SET expires_at = $1");
    let long_ago = perennial_store::Value::Time(1_000_000);
    db.commit(Change::new().execute_any(&EXPIRE, vec![long_ago])).await.unwrap();
}

async fn a_unit_has_one_holder(place: Place) {
    let db = migrated(&place).await;
    let (first, second) = (lease(1), lease(2));
    assert!(first.acquire(&db).await.unwrap());
    assert!(!second.acquire(&db).await.unwrap());
    assert!(first.renew(&db).await.unwrap());
    assert!(!second.renew(&db).await.unwrap());
    second.release(&db).await.unwrap();
    assert!(first.renew(&db).await.unwrap(), "a release by another server does nothing");
    first.release(&db).await.unwrap();
    assert!(second.acquire(&db).await.unwrap());
}

async fn a_holder_that_was_frozen_writes_nothing(place: Place) {
    let db = migrated(&place).await;
    let (frozen, awake) = (lease(1), lease(2));
    assert!(frozen.acquire(&db).await.unwrap());
    db.commit(frozen.fence(Change::new())).await.unwrap();
    wait_in_fast_motion(&db).await;
    db.commit(frozen.fence(Change::new())).await.unwrap();
    assert!(awake.acquire(&db).await.unwrap());
    assert_eq!(db.commit(frozen.fence(Change::new())).await, Err(Error::Violated(Violation::Lease)));
    assert!(!frozen.renew(&db).await.unwrap());
    db.commit(awake.fence(Change::new())).await.unwrap();
}

async fn a_revoked_lease_is_lost_at_once(place: Place) {
    let db = migrated(&place).await;
    let held = lease(1);
    assert!(held.acquire(&db).await.unwrap());
    db.commit(held.unit.revoke(Change::new())).await.unwrap();
    assert_eq!(db.commit(held.fence(Change::new())).await, Err(Error::Violated(Violation::Lease)));
    assert!(lease(2).acquire(&db).await.unwrap());
}

async fn a_start_ends_the_leases_of_a_server_that_is_gone(place: Place) {
    let db = migrated(&place).await;
    assert!(lease(1).acquire(&db).await.unwrap());
    db.commit(clear(Change::new())).await.unwrap();
    assert!(lease(2).acquire(&db).await.unwrap());
}
