//! The limiter without a store: what is counted together, and how little room a flood takes.

use super::counter::{Limits, allowance};
use super::table::MAX_BUCKETS;
use super::*;
use crate::keys::{Keys, MasterKey};
use perennial_domain::id::{ClientId, OrganizationId};
use perennial_domain::time::Time;
use std::net::Ipv6Addr;

fn keys() -> Keys {
    Keys::derive(&MasterKey::new([7; 32]))
}

fn organization(number: u8) -> OrganizationId {
    OrganizationId::from_bytes([number; 16])
}

fn alone() -> Limits {
    Limits::new(RateLimits::default(), false, [0; 8])
}

fn moment(seconds: i64) -> Moment {
    Moment::of(Time::from_micros(seconds * 1_000_000).unwrap())
}

fn of_address(keys: &Keys, address: &str) -> Bucket {
    bucket(keys, organization(1), Budget::SignIn, Who::Address(address.parse().unwrap()))
}

/// Every attempt of a bucket that is admitted at this moment.
fn exhaust(counter: &Counter, bucket: Bucket, moment: Moment) -> usize {
    (0..1_000).take_while(|_| matches!(counter.admit(bucket, moment), Some(Ok(_)))).count()
}

#[test]
fn addresses_of_one_network_are_counted_together_and_others_apart() {
    let keys = keys();
    let same = |one: &str, other: &str| of_address(&keys, one) == of_address(&keys, other);
    assert!(same("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"));
    assert!(!same("2001:db8:1:2::1", "2001:db8:1:3::1"));
    assert!(same("192.0.2.1", "::ffff:192.0.2.1"));
    assert!(!same("192.0.2.1", "192.0.2.2"));
}

#[test]
fn organizations_budgets_and_clients_are_counted_apart() {
    let keys = keys();
    let address = || Who::Address("192.0.2.1".parse().unwrap());
    let buckets = [
        bucket(&keys, organization(1), Budget::SignIn, address()),
        bucket(&keys, organization(2), Budget::SignIn, address()),
        bucket(&keys, organization(1), Budget::FailedRefresh, address()),
        bucket(&keys, organization(1), Budget::SignIn, Who::Client(ClientId::from_bytes([1; 16]))),
        bucket(&keys, organization(1), Budget::SignIn, Who::Client(ClientId::from_bytes([2; 16]))),
    ];
    for (place, one) in buckets.iter().enumerate() {
        assert!(buckets[place + 1..].iter().all(|other| one != other));
    }
}

#[test]
fn a_bucket_tells_nobody_without_the_key_whose_it_is() {
    let others = Keys::derive(&MasterKey::new([8; 32]));
    assert_ne!(of_address(&keys(), "192.0.2.1"), of_address(&others, "192.0.2.1"));
}

#[test]
fn a_million_networks_take_the_room_of_fifty_thousand_and_the_limit_holds() {
    let (keys, limits, now) = (keys(), alone(), moment(0));
    let known = of_address(&keys, "192.0.2.1");
    assert_eq!(exhaust(&limits.public, known, now), 60);
    let mut admitted = 0;
    for number in 0..1_000_000_u128 {
        let address = IpAddr::V6(Ipv6Addr::from_bits((0x2001_0db8 << 96) + (number << 64)));
        let bucket = bucket(&keys, organization(1), Budget::SignIn, Who::Address(address));
        admitted += usize::from(matches!(limits.public.admit(bucket, now), Some(Ok(_))));
    }
    assert!(limits.public.table().len() <= MAX_BUCKETS + 256, "{}", limits.public.table().len());
    assert!(admitted <= MAX_BUCKETS + 256 * 60, "{admitted} of a flood were admitted");
    assert_eq!(exhaust(&limits.public, known, now), 0, "who was over before the flood is over in it");
    assert_eq!(exhaust(&limits.public, of_address(&keys, "192.0.2.2"), now), 0, "the flood shares what is left");
    let client = bucket(&keys, organization(1), Budget::SignIn, Who::Client(ClientId::from_bytes([1; 16])));
    assert_eq!(exhaust(&limits.trusted, client, now), 1_000, "clients on servers do not feel it");
}

#[test]
fn after_a_flood_there_is_room_again() {
    let (keys, limits) = (keys(), alone());
    for number in 0..70_000_u32 {
        let address = IpAddr::V4(number.into());
        limits.public.count(bucket(&keys, organization(1), Budget::SignIn, Who::Address(address)), moment(0));
    }
    assert_eq!(exhaust(&limits.public, of_address(&keys, "192.0.2.1"), moment(0)), 0);
    assert_eq!(exhaust(&limits.public, of_address(&keys, "192.0.2.1"), moment(120)), 60);
    assert_eq!(limits.public.table().len(), 1 + 256, "what is past is forgotten");
}

#[test]
fn looking_takes_no_room() {
    let (keys, limits) = (keys(), alone());
    for number in 0..1_000_u32 {
        let bucket = bucket(&keys, organization(1), Budget::FailedRefresh, Who::Address(IpAddr::V4(number.into())));
        assert!(limits.public.peek(bucket, moment(0)).unwrap().is_ok());
    }
    assert_eq!(limits.public.table().len(), 256);
}

#[test]
fn four_servers_stay_within_a_quarter_more_whatever_the_limit() {
    for limit in 24..10_000 {
        assert!(limit + 3 * allowance(limit) <= limit + limit / 4, "{limit}");
    }
    assert_eq!((allowance(60), allowance(6_000), allowance(1)), (4, 499, 1));
}
