//! The lookup of names, as a value: tests pass one that returns another address every time.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

/// The addresses of a name.
pub type Lookup = Arc<dyn Fn(String) -> LookupFuture + Send + Sync>;

/// A lookup in progress.
pub type LookupFuture = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// The system's resolver.
pub fn system() -> Lookup {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

/// Every name has these addresses.
pub fn fixed(addresses: Vec<IpAddr>) -> Lookup {
    Arc::new(move |_| {
        let addresses = addresses.clone();
        Box::pin(async move { Ok(addresses) })
    })
}
