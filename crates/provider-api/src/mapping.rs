//! Maps one fetched object of a provider. The functions are those of the importer; an object that cannot be a record has the
//! importer's code.

use crate::findings::Why;
use crate::service::Service;
use crate::{lemon_squeezy, paddle, stripe};
use perennial_domain::connections::ObjectKind;

pub use crate::facts::Read;

/// Reasons for which an object is no record, and never will be one as it is.
const IGNORED: [&str; 2] = ["draft_invoice", "no_subscription"];

/// What a fetched object is. `text` is the object itself, without an envelope.
pub fn map(service: Service, object: ObjectKind, text: &str) -> Read {
    settled(match service {
        Service::Stripe => stripe::map(object, text),
        Service::LemonSqueezy => lemon_squeezy::map(object, text),
        Service::Paddle => paddle::map(object, text),
    })
}

/// What a variant of Lemon Squeezy is, with its product, its store and all of its prices.
pub fn map_variant(variant: &str, product: &str, store: &str, prices: &[&str]) -> Read {
    settled(lemon_squeezy::map_variant(variant, product, store, prices))
}

/// The product of a variant of Lemon Squeezy.
pub fn product_of_variant(variant: &str) -> Result<String, &'static str> {
    lemon_squeezy::product_of_variant(variant).map_err(|why| why.code)
}

/// The store of a product of Lemon Squeezy.
pub fn store_of_product(product: &str) -> Result<String, &'static str> {
    lemon_squeezy::store_of_product(product).map_err(|why| why.code)
}

fn settled(read: Result<Read, Why>) -> Read {
    read.unwrap_or_else(|why| match IGNORED.into_iter().find(|code| *code == why.code) {
        Some(code) => Read::Ignored(code),
        // Nothing was bought, so there is no subscription.
        None if why.code == "order_not_paid" => Read::Ignored("no_subscription"),
        None => Read::Malformed(why.code),
    })
}

#[cfg(test)]
mod tests;
