//! What is counted together: the attempts of one client or of one network, for one budget of one organization.

use crate::keys::Keys;
use perennial_domain::id::{ClientId, OrganizationId};
use perennial_store::rate_limits::Bucket;
use std::net::IpAddr;

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Attempts to sign in and to sign up, together.
    SignIn,
    /// Refreshes that failed.
    FailedRefresh,
}

/// Who is counted together.
#[derive(Clone, Copy)]
pub(super) enum Who {
    Client(ClientId),
    Address(IpAddr),
}

/// A digest under a key of ours, so that neither the store nor a dump of it tells an address.
pub(super) fn bucket(keys: &Keys, organization: OrganizationId, budget: Budget, who: Who) -> Bucket {
    let budget = match budget {
        Budget::SignIn => b"sign-in",
        Budget::FailedRefresh => b"refresh",
    };
    let who = match who {
        Who::Client(id) => id.bytes().to_vec(),
        Who::Address(address) => match address.to_canonical() {
            IpAddr::V4(address) => address.octets().to_vec(),
            // Whoever has one address of a /64 has them all.
            IpAddr::V6(address) => address.octets()[..8].to_vec(),
        },
    };
    // What varies in length comes last; a client, a network and an address differ in theirs.
    keys.digest_attempt(&[&organization.bytes(), budget, &who])
}
