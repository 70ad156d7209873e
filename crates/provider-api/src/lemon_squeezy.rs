//! Lemon Squeezy: resources of its JSON:API, distinguished by `type`. A variant with its product is a plan; its price is
//! in the currency of its store.

mod objects;
mod payments;
mod subscriptions;
mod times;
mod variants;

use super::drafts::{Found, ImportedUser, email, names};
use super::facts::Read;
use super::findings::{Finding, Level, Source, Why};
use objects::{Customer, Invoice, Key, Order, Price, Product, Resource, Store, Subscription, Variant};
use perennial_domain::connections::ObjectKind;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use times::{time, updated};

/// The products, variants, prices and customers read so far.
#[derive(Default)]
pub(crate) struct LemonSqueezy {
    /// The currencies of stores.
    stores: HashMap<String, String>,
    products: HashMap<String, Product>,
    variants: BTreeMap<String, (Variant, Source)>,
    /// The newest price of each variant.
    prices: HashMap<String, Price>,
    customers: HashSet<String>,
    /// The orders that subscriptions began with.
    ordered: HashSet<String>,
}

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "type")]
    kind: Option<String>,
    id: Option<Key>,
}

impl LemonSqueezy {
    /// Reads a resource for plans and users.
    pub(crate) fn learn(&mut self, file: &Arc<str>, text: &str, found: &mut Found) {
        let head = serde_json::from_str(text).unwrap_or(Head { kind: None, id: None });
        let id = head.id.map(|id| id.0).unwrap_or_default();
        let source = |object: &'static str| Source::new(file, object, &*id);
        let outcome = match head.kind.as_deref() {
            Some("stores") => read(text).map(|store: Store| {
                self.stores.insert(id.clone(), store.currency);
            }),
            Some("products") => read(text).map(|product: Product| {
                self.products.insert(id.clone(), product);
            }),
            Some("variants") => read(text).map(|variant: Variant| {
                self.variants.insert(id.clone(), (variant, source("variants")));
            }),
            Some("prices") => read(text).map(|price| self.add_price(price)),
            Some("customers") if !self.customers.insert(id.clone()) => return,
            Some("customers") => read(text).map(|customer| {
                let source = source("customers");
                let user = user(&customer, &source);
                found.keep(&source, user, |found| &mut found.users);
            }),
            Some("subscriptions") => {
                // An invalid one is reported when it is read as a subscription.
                let order = read(text).ok().and_then(|given: Subscription| given.order_id);
                self.ordered.extend(order.map(|order| order.0));
                return;
            }
            // The other readings are for the first two, which say what the others do.
            Some("subscription-invoices" | "orders" | "order-items" | "subscription-items") => return,
            Some(other) => Err(Why::new("not_carried", format!("there is no place for {other}"))),
            None => Err(Why::new("malformed", "has no \"type\", so it is not a resource of this API")),
        };
        if let Err(why) = outcome {
            let object = head.kind.unwrap_or_else(|| "?".to_owned());
            found.findings.push(Finding { object, ..source("").find(Level::LeftOut, why) });
        }
    }

    /// The plans.
    pub(crate) fn plans(&mut self, found: &mut Found) {
        for (id, (variant, source)) in std::mem::take(&mut self.variants) {
            let product = self.products.get(&variant.product_id.0);
            let store = product.and_then(|product| self.stores.get(&product.store_id.0));
            let plan = variants::plan(&variant, self.prices.get(&id), product, store.map(String::as_str), &source);
            found.keep(&source, plan, |found| &mut found.plans);
        }
        self.products.clear();
        self.prices.clear();
    }

    /// A subscription, if the resource is one. An order without a subscription may be one that is paid once.
    pub(crate) fn subscription(&self, file: &Arc<str>, text: &str, found: &mut Found) {
        let Some((kind, id)) = kind_and_id(text) else { return };
        if kind == "subscriptions" {
            let source = Source::new(file, "subscriptions", id);
            let draft = read(text).and_then(|given: Subscription| subscriptions::subscription(&given, &source));
            found.keep(&source, draft, |found| &mut found.subscriptions);
        } else if kind == "orders" && !self.ordered.contains(&id) {
            let source = Source::new(file, "orders", id);
            let draft = read(text).and_then(|order: Order| subscriptions::single(&order, &source));
            found.keep(&source, draft, |found| &mut found.subscriptions);
        }
    }

    /// A payment, if the resource is one.
    pub(crate) fn payment(&self, file: &Arc<str>, text: &str, found: &mut Found) {
        let Some((kind, id)) = kind_and_id(text) else { return };
        if kind == "subscription-invoices" {
            let source = Source::new(file, "subscription-invoices", id);
            let draft = read(text).and_then(|invoice: Invoice| payments::of_invoice(&invoice, &source));
            found.keep(&source, draft, |found| &mut found.payments);
        } else if kind == "orders" && !self.ordered.contains(&id) {
            let source = Source::new(file, "orders", id);
            let draft = read(text).and_then(|order: Order| payments::of_order(&order, &source));
            // The reason was reported when it was read as a subscription.
            if draft.as_ref().err().is_none_or(|why| why.code == "uncertain_amount") {
                found.keep(&source, draft, |found| &mut found.payments);
            }
        }
    }

    fn add_price(&mut self, price: Price) {
        let variant = price.variant_id.0.clone();
        if self.prices.get(&variant).is_none_or(|known| known.created_at < price.created_at) {
            self.prices.insert(variant, price);
        }
    }
}

/// What a fetched resource is here. A variant needs more of them: [`map_variant`].
pub(crate) fn map(object: ObjectKind, text: &str) -> Result<Read, Why> {
    let (kind, id) = kind_and_id(text).ok_or_else(|| Why::missing("type or id"))?;
    let source = Source::new(&Arc::from(""), object.as_str(), id);
    Ok(match (object, kind.as_str()) {
        (ObjectKind::Customer, "customers") => read(text).and_then(|customer| user(&customer, &source))?.into(),
        (ObjectKind::Subscription, "subscriptions") => {
            read(text).and_then(|given| subscriptions::subscription(&given, &source))?.into()
        }
        (ObjectKind::Payment, "subscription-invoices") => {
            read(text).and_then(|invoice| payments::of_invoice(&invoice, &source))?.into()
        }
        (ObjectKind::Subscription | ObjectKind::Payment, "orders") => {
            let order: Order = read(text)?;
            let (subscription, mut losses) = subscriptions::single(&order, &source)?;
            let (payment, more) = payments::of_order(&order, &source)?;
            losses.extend(more);
            Read::order((subscription, payment), &losses)
        }
        _ => return Err(Why::new("malformed", format!("is one of {kind}, and another kind was requested"))),
    })
}

/// The product and the store of a variant, to be fetched next.
pub(crate) fn product_of_variant(text: &str) -> Result<String, Why> {
    read(text).map(|variant: Variant| variant.product_id.0)
}

/// The store of a product, to be fetched next.
pub(crate) fn store_of_product(text: &str) -> Result<String, Why> {
    read(text).map(|product: Product| product.store_id.0)
}

/// What a fetched variant is here, with its product, its store and its prices.
pub(crate) fn map_variant(variant: &str, product: &str, store: &str, prices: &[&str]) -> Result<Read, Why> {
    let (_, id) = kind_and_id(variant).ok_or_else(|| Why::missing("type or id"))?;
    let source = Source::new(&Arc::from(""), "variants", id);
    let mut newest = LemonSqueezy::default();
    for price in prices {
        newest.add_price(read(price)?);
    }
    let (variant, product, store) = (read(variant)?, read(product)?, read::<Store>(store)?);
    let plan = variants::plan(&variant, newest.prices.get(&source.id), Some(&product), Some(&store.currency), &source)?;
    Ok(plan.into())
}

fn user(customer: &Customer, source: &Source) -> Result<(ImportedUser, Vec<Why>), Why> {
    let created_at = time("created_at", customer.created_at.as_deref())?;
    let mut losses = Vec::new();
    let email = email(customer.email.as_deref(), &mut losses);
    let (first_name, last_name) = names(customer.name.as_deref());
    let notifications = match customer.status.as_deref() {
        Some("subscribed") => Some(true),
        Some("unsubscribed") => Some(false),
        _ => None,
    };
    let updated_at = updated(customer.updated_at.as_deref(), created_at);
    let source = source.clone();
    let user =
        ImportedUser { source, user_id: None, email, first_name, last_name, notifications, created_at, updated_at };
    Ok((user, losses))
}

fn kind_and_id(text: &str) -> Option<(String, String)> {
    let head: Head = serde_json::from_str(text).ok()?;
    Some((head.kind?, head.id?.0))
}

/// Reads the relevant attributes of a resource.
fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Why> {
    let read: Result<Resource<T>, _> = serde_json::from_str(text);
    read.map(|resource| resource.attributes).map_err(|error| {
        let message = error.to_string();
        Why::new("malformed", message.split(" at line ").next().unwrap_or_default())
    })
}
