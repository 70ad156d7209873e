//! The resolver of outbound connections: it returns only addresses that may be connected to.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::dns::Name;
use tower_service::Service;

use crate::address::Place;
use crate::error::FetchError;

/// Further addresses of a name are not tried.
const MAX_ADDRESSES: usize = 4;

/// Resolves names with the system's resolver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilteringResolver {
    pub(crate) private_addresses: bool,
}

impl FilteringResolver {
    /// Rejects an address that must not be connected to.
    pub(crate) fn check(self, address: IpAddr) -> Result<(), FetchError> {
        match Place::of(address) {
            Place::Public => Ok(()),
            Place::Private if self.private_addresses => Ok(()),
            Place::Private | Place::Never => Err(FetchError::Forbidden(address)),
        }
    }

    async fn resolve(self, name: Name) -> Result<std::vec::IntoIter<SocketAddr>, FetchError> {
        // The connector sets the port.
        let found = tokio::net::lookup_host((name.as_str(), 0)).await.map_err(|_| FetchError::Unresolved)?;
        self.allowed(found)
    }

    fn allowed(self, found: impl Iterator<Item = SocketAddr>) -> Result<std::vec::IntoIter<SocketAddr>, FetchError> {
        let mut failure = FetchError::Unresolved;
        let mut allowed = Vec::new();
        for address in found.take(MAX_ADDRESSES) {
            match self.check(address.ip()) {
                Ok(()) => allowed.push(address),
                Err(error) => failure = error,
            }
        }
        if allowed.is_empty() { Err(failure) } else { Ok(allowed.into_iter()) }
    }
}

impl Service<Name> for FilteringResolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = FetchError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), FetchError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        Box::pin(self.resolve(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(text: &str) -> impl Iterator<Item = SocketAddr> {
        text.split_whitespace().map(|ip| SocketAddr::new(ip.parse().unwrap(), 0))
    }

    #[test]
    fn only_allowed_addresses_are_returned() {
        let public = FilteringResolver { private_addresses: false };
        let private = FilteringResolver { private_addresses: true };
        let count = |resolver: FilteringResolver, text| resolver.allowed(addresses(text)).map(Iterator::count);
        assert_eq!(count(public, "10.0.0.1 8.8.8.8 169.254.169.254"), Ok(1));
        assert_eq!(count(private, "10.0.0.1 8.8.8.8 169.254.169.254"), Ok(2));
        assert_eq!(count(public, "10.0.0.1"), Err(FetchError::Forbidden("10.0.0.1".parse().unwrap())));
        assert_eq!(count(public, ""), Err(FetchError::Unresolved));
        assert_eq!(count(public, "1.1.1.1 1.1.1.2 1.1.1.3 1.1.1.4 1.1.1.5"), Ok(MAX_ADDRESSES));
    }
}
