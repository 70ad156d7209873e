//! Paddle Billing: entities of its API, distinguished by the prefix of their IDs. Amounts are text in the smallest unit.

mod objects;
mod prices;
mod subscriptions;
mod times;
mod transactions;

use super::drafts::{Found, ImportedUser, email, names, user_id};
use super::facts::Read;
use super::findings::{Finding, Level, Source, Why};
use objects::{Adjustment, Customer, Price, Product, Subscription, Transaction};
use perennial_domain::connections::ObjectKind;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use times::{created, updated};
use transactions::Adjustments;

/// The products, prices, customers and adjustments read so far.
#[derive(Default)]
pub(crate) struct Paddle {
    products: HashMap<String, Product>,
    prices: BTreeMap<String, (Price, Source, bool)>,
    customers: HashSet<String>,
    adjustments: Adjustments,
}

#[derive(Deserialize)]
struct Head {
    id: Option<String>,
}

impl Paddle {
    /// Reads an entity for plans and users.
    pub(crate) fn learn(&mut self, file: &Arc<str>, text: &str, found: &mut Found) {
        let id = id_of(text);
        let source = |object: &'static str| Source::new(file, object, &*id);
        let outcome = match id.split_once('_').map(|(prefix, _)| prefix) {
            Some("pro") => read(text).map(|product: Product| {
                self.products.insert(product.id.clone(), product);
            }),
            Some("pri") => read(text).map(|price| self.add_price(price, source("price"), false)),
            Some("ctm") if !self.customers.insert(id.clone()) => return,
            Some("ctm") => read(text).map(|customer: Customer| {
                let source = source("customer");
                let user = user(&customer, &source);
                found.keep(&source, user, |found| &mut found.users);
            }),
            Some("adj") => read(text).map(|adjustment: Adjustment| self.adjustments.add(adjustment)),
            Some("sub") => read(text).map(|subscription| self.within(file, subscription)),
            Some("txn") => return,
            Some(_) => Err(Why::new("not_carried", "there is no place for this kind of entity")),
            None => Err(Why::new("malformed", "has no \"id\" with a prefix, so it is not an entity of Paddle's API")),
        };
        if let Err(why) = outcome {
            let object = id.split_once('_').map_or("?", |(prefix, _)| prefix).to_owned();
            found.findings.push(Finding { object, ..source("").find(Level::LeftOut, why) });
        }
    }

    /// The plans.
    pub(crate) fn plans(&mut self, found: &mut Found) {
        for (_, (price, source, _)) in std::mem::take(&mut self.prices) {
            let known = price.product_id.as_ref().and_then(|product| self.products.get(product));
            let plan = prices::plan(&price, known.or(price.product.as_ref()), &source);
            found.keep(&source, plan, |found| &mut found.plans);
        }
        self.products.clear();
    }

    /// A subscription, if the entity is one.
    pub(crate) fn subscription(file: &Arc<str>, text: &str, found: &mut Found) {
        let id = id_of(text);
        if id.starts_with("sub_")
            && let Ok(given) = read::<Subscription>(text)
        {
            let source = Source::new(file, "subscription", id);
            let draft = subscriptions::subscription(&given, &source);
            found.keep(&source, draft, |found| &mut found.subscriptions);
        }
    }

    /// A payment, if the entity is a transaction.
    pub(crate) fn payment(&self, file: &Arc<str>, text: &str, found: &mut Found) {
        let id = id_of(text);
        if id.starts_with("txn_") {
            let source = Source::new(file, "transaction", id);
            let draft =
                read(text).and_then(|given: Transaction| transactions::payment(&given, &self.adjustments, &source));
            found.keep(&source, draft, |found| &mut found.payments);
        }
    }

    /// A subscription contains its prices and products. Entities saved by themselves take precedence.
    fn within(&mut self, file: &Arc<str>, subscription: Subscription) {
        for item in subscription.items {
            if let Some(product) = item.product {
                self.products.entry(product.id.clone()).or_insert(product);
            }
            if let Some(price) = item.price {
                let source = Source::new(file, "price", &*price.id);
                self.add_price(price, source, true);
            }
        }
    }

    fn add_price(&mut self, price: Price, source: Source, is_nested: bool) {
        let is_known = self.prices.get(&price.id).is_some_and(|(_, _, was_nested)| is_nested || !was_nested);
        if !is_known {
            self.prices.insert(price.id.clone(), (price, source, is_nested));
        }
    }
}

/// What a fetched entity is here.
pub(crate) fn map(object: ObjectKind, text: &str) -> Result<Read, Why> {
    let source = Source::new(&Arc::from(""), object.as_str(), id_of(text));
    Ok(match object {
        ObjectKind::Customer => read(text).and_then(|customer| user(&customer, &source))?.into(),
        ObjectKind::Price => {
            read(text).and_then(|price: Price| prices::plan(&price, price.product.as_ref(), &source))?.into()
        }
        ObjectKind::Subscription => read(text).and_then(|given| subscriptions::subscription(&given, &source))?.into(),
        ObjectKind::Payment => {
            let given: Transaction = read(text)?;
            if transactions::awaits_subscription(&given) {
                return Ok(Read::AwaitsSubscription);
            }
            transactions::payment(&given, &Adjustments::default(), &source)?.into()
        }
    })
}

fn user(customer: &Customer, source: &Source) -> Result<(ImportedUser, Vec<Why>), Why> {
    let created_at = created(&customer.id, customer.created_at.as_deref())?;
    let mut losses = Vec::new();
    let email = email(customer.email.as_deref(), &mut losses);
    let (first_name, last_name) = names(customer.name.as_deref());
    let user = ImportedUser {
        source: source.clone(),
        user_id: user_id(customer.custom_data.as_ref()),
        email,
        first_name,
        last_name,
        // False there also means that the customer was never asked.
        notifications: customer.marketing_consent.filter(|consent| *consent),
        created_at,
        updated_at: updated(customer.updated_at.as_deref(), created_at),
    };
    Ok((user, losses))
}

fn id_of(text: &str) -> String {
    serde_json::from_str::<Head>(text).ok().and_then(|head| head.id).unwrap_or_default()
}

/// Reads the relevant fields of an entity.
fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Why> {
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        Why::new("malformed", message.split(" at line ").next().unwrap_or_default())
    })
}
