//! Fetches of one object. Most are one request; a variant of Lemon Squeezy is four.

use super::call::{Call, CallError};
use super::service;
use crate::connections::provider::Fetched;
use perennial_domain::connections::ObjectKind;
use perennial_provider_api::Service;
use perennial_provider_api::lists;
use perennial_provider_api::mapping::{self, Read};
use perennial_provider_api::requests::{self, Route};

/// Fetches an object and maps it.
pub(super) async fn fetch(call: Call<'_>, object: ObjectKind, id: &str) -> Fetched {
    let service = service(call.account.connection.kind);
    let outcome = match requests::route(service, object, id) {
        Route::Object(path) => {
            let fetched = self::object(call, service, &path).await;
            fetched.and_then(|text| checked(text, id)).map(|text| mapping::map(service, object, &text))
        }
        Route::Variant(path) => variant(call, id, &path).await,
        Route::PricesOfProduct(path) => prices_of_product(call, service, &path).await,
        Route::Nowhere => return Fetched::Ignored("no_subscription"),
    };
    outcome.map_or_else(|error| error.unavailable(), fetched)
}

async fn object(call: Call<'_>, service: Service, path: &str) -> Result<String, CallError> {
    let body = call.get(path).await?;
    requests::object_of(service, &body).ok_or(CallError::Malformed)
}

/// The text of an object, if it is the one that was requested. Another one would be written without its lease.
fn checked(text: String, id: &str) -> Result<String, CallError> {
    let is_requested = lists::id_of(&text).is_some_and(|found| found == id.strip_prefix("order-").unwrap_or(id));
    if is_requested { Ok(text) } else { Err(CallError::Malformed) }
}

async fn variant(call: Call<'_>, id: &str, path: &str) -> Result<Read, CallError> {
    const SERVICE: Service = Service::LemonSqueezy;
    let variant = object(call, SERVICE, path).await?;
    let product = match mapping::product_of_variant(&variant) {
        Ok(product) => object(call, SERVICE, &requests::product(&product)).await?,
        Err(code) => return Ok(Read::Malformed(code)),
    };
    let store = match mapping::store_of_product(&product) {
        Ok(store) => object(call, SERVICE, &requests::store(&store)).await?,
        Err(code) => return Ok(Read::Malformed(code)),
    };
    let prices = call.get(&requests::prices_of_variant(id)).await?;
    let prices = lists::page(SERVICE, &prices).ok_or(CallError::Malformed)?.objects;
    let prices: Vec<&str> = prices.iter().map(String::as_str).collect();
    Ok(mapping::map_variant(&variant, &product, &store, &prices))
}

async fn prices_of_product(call: Call<'_>, service: Service, path: &str) -> Result<Read, CallError> {
    let body = call.get(path).await?;
    let page = lists::page(service, &body).ok_or(CallError::Malformed)?;
    let ids = page.objects.iter().filter_map(|price| lists::id_of(price));
    Ok(Read::LeadsTo(ids.map(|id| (ObjectKind::Price, id)).collect()))
}

fn fetched(read: Read) -> Fetched {
    match read {
        Read::Mapped(mapped) => Fetched::Found(mapped),
        Read::LeadsTo(objects) => Fetched::LeadsTo(objects),
        Read::Ignored(code) => Fetched::Ignored(code),
        Read::AwaitsSubscription => Fetched::AwaitsSubscription,
        Read::Gone => Fetched::NotFound,
        Read::Malformed(code) => Fetched::Malformed(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_about_another_object_is_malformed() {
        for (text, id) in [("{\"id\":\"sub_1\"}", "sub_1"), ("{\"id\":7}", "7"), ("{\"id\":\"7\"}", "order-7")] {
            assert!(checked(text.to_owned(), id).is_ok(), "{text}");
        }
        for text in ["{\"id\":\"sub_2\"}", "{}", "null", "<html>"] {
            assert!(matches!(checked(text.to_owned(), "sub_1"), Err(CallError::Malformed)), "{text}");
        }
    }
}
