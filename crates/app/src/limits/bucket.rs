//! What is counted together: the attempts of one client or of one network, for one budget of one organization. Attempts of a network to
//! sign in count together for all organizations.

use crate::keys::Keys;
use perennial_domain::id::{ClientId, OrganizationId};
use perennial_store::rate_limits::Bucket;
use std::net::IpAddr;

/// A budget of attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Attempts to sign in and to sign up, together.
    SignIn,
    /// Refreshes that failed.
    FailedRefresh,
    /// Webhooks of payment providers whose signature is invalid.
    InvalidSignature,
}

/// The client or address that attempts are counted for.
#[derive(Clone, Copy)]
pub(super) enum Who {
    Client(ClientId),
    Address(IpAddr),
}

/// A keyed digest, so that neither the store nor a dump of it reveals an address.
pub(super) fn bucket(keys: &Keys, organization: OrganizationId, budget: Budget, who: Who) -> Bucket {
    let budget: &[u8] = match budget {
        Budget::SignIn => b"sign-in",
        Budget::FailedRefresh => b"refresh",
        Budget::InvalidSignature => b"hook-signature",
    };
    let who = match who {
        Who::Client(id) => id.bytes().to_vec(),
        Who::Address(address) => match address.to_canonical() {
            IpAddr::V4(address) => address.octets().to_vec(),
            // A user of one address of a /64 network controls all of them.
            IpAddr::V6(address) => address.octets()[..8].to_vec(),
        },
    };
    // The part of variable length comes last. Clients, networks and addresses differ in length.
    keys.digest_attempt(&[&organization.bytes(), budget, &who])
}
