//! Stripe: objects of any API version that has prices, distinguished by `object`, with references expanded or not.

mod charges;
mod invoices;
mod objects;
mod prices;
mod subscriptions;
mod times;

use super::drafts::{Found, ImportedPlan, ImportedUser, email, names, user_id};
use super::facts::Read;
use super::findings::{Finding, Level, Source, Why};
use invoices::Refunds;
use objects::{Charge, Customer, Expandable, Intent, Invoice, Price, Product, Refund, Subscription};
use perennial_domain::connections::ObjectKind;
use perennial_domain::connections::facts::Mapped;
use perennial_domain::cycle::BillingCycle;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use times::instant;

/// The products, prices and customers read so far.
#[derive(Default)]
pub(crate) struct Stripe {
    products: HashMap<String, Product>,
    prices: BTreeMap<String, Listed>,
    refunds: Refunds,
    /// Customers that were read, by themselves or within another object.
    customers: HashSet<String>,
}

/// A price, and whether it was only seen within another object.
struct Listed {
    price: Price,
    source: Source,
    is_nested: bool,
}

#[derive(Deserialize)]
struct Head {
    object: Option<String>,
    id: Option<String>,
    deleted: Option<bool>,
}

impl Head {
    /// What the object is. Some versions of the API send a charge without `object`.
    fn kind(&self) -> Option<&str> {
        let id = self.id.as_deref().unwrap_or_default();
        let is_charge = id.starts_with("ch_") || id.starts_with("py_");
        self.object.as_deref().or_else(|| is_charge.then_some("charge"))
    }
}

impl Stripe {
    /// Reads an object for plans and users.
    pub(crate) fn learn(&mut self, file: &Arc<str>, text: &str, found: &mut Found) {
        let head = serde_json::from_str(text).unwrap_or(Head { object: None, id: None, deleted: None });
        let id = head.id.unwrap_or_default();
        let source = |object: &'static str| Source::new(file, object, &*id);
        let outcome = match head.object.as_deref() {
            Some(other) if head.deleted == Some(true) && other != "customer" => {
                Err(Why::new("deleted", "is deleted there: only its id is known"))
            }
            Some("product") => read(text).map(|product: Product| {
                self.products.insert(product.id.clone(), product);
            }),
            Some("price") => read(text).map(|price| self.add_price(price, source("price"), false)),
            Some("plan") => read(text).map(|plan: objects::Plan| self.add_price(plan.into(), source("price"), true)),
            Some("customer") => {
                read(text).map(|customer: Customer| self.add_customer(&customer, &source("customer"), false, found))
            }
            Some("charge") => read(text).map(|charge: Charge| self.refunds.charge(&charge)),
            Some("refund") => read(text).map(|refund: Refund| self.refunds.refund(&refund)),
            Some("subscription") => read(text).map(|subscription| self.within(file, subscription, found)),
            Some("invoice") => return,
            Some(other) => Err(Why::new("not_carried", format!("there is no place for a {other}"))),
            None => Err(Why::new("malformed", "has no \"object\", so it is not an object of Stripe's API")),
        };
        if let Err(why) = outcome {
            let object = head.object.unwrap_or_else(|| "?".to_owned());
            found.findings.push(Finding { object, ..source("").find(Level::LeftOut, why) });
        }
    }

    /// The plans.
    pub(crate) fn plans(&mut self, found: &mut Found) {
        for (_, Listed { price, source, .. }) in std::mem::take(&mut self.prices) {
            let product = price.product.as_ref().and_then(|product| self.products.get(product.id()));
            let plan = prices::plan(&price, product, &source).and_then(|(plan, losses)| match plan.cycle {
                BillingCycle::Lifetime if !plan.is_active => {
                    Err(Why::new("archived_one_time_price", "was paid once and is archived: nothing can refer to it"))
                }
                _ => Ok((plan, losses)),
            });
            found.keep(&source, plan, |found| &mut found.plans);
        }
        self.products.clear();
    }

    /// A subscription, if the object is one.
    pub(crate) fn subscription(file: &Arc<str>, text: &str, found: &mut Found) {
        if let Some(subscription) = of_kind::<Subscription>(text, "subscription") {
            let source = Source::new(file, "subscription", &*subscription.id);
            let subscription = subscriptions::subscription(&subscription, &source);
            found.keep(&source, subscription, |found| &mut found.subscriptions);
        }
    }

    /// A payment, if the object is an invoice.
    pub(crate) fn payment(&self, file: &Arc<str>, text: &str, found: &mut Found) {
        if !is_kind(text, "invoice") {
            return;
        }
        match read::<Invoice>(text) {
            Ok(invoice) => {
                let source = Source::new(file, "invoice", &*invoice.id);
                let payment = invoices::payment(&invoice, &self.refunds, &source);
                found.keep(&source, payment, |found| &mut found.payments);
            }
            Err(why) => found.left_out(&Source::new(file, "invoice", id_of(text)), why),
        }
    }

    /// A subscription contains its prices, and its customer if it was expanded. Objects saved by themselves take precedence.
    fn within(&mut self, file: &Arc<str>, subscription: Subscription, found: &mut Found) {
        if let Some(Expandable::Whole(customer)) = subscription.customer {
            let source = Source::new(file, "customer", &*customer.id);
            self.add_customer(&customer, &source, true, found);
        }
        for item in subscription.items.into_iter().flat_map(|items| items.data) {
            let price = match (item.price, item.plan) {
                (Some(Expandable::Whole(price)), _) => Some(price),
                (None, Some(plan)) => Some(plan.into()),
                _ => None,
            };
            if let Some(price) = price {
                let source = Source::new(file, "price", &*price.id);
                self.add_price(price, source, true);
            }
        }
    }

    fn add_price(&mut self, mut price: Price, source: Source, is_nested: bool) {
        price.product = price.product.map(|product| match product {
            Expandable::Whole(product) => {
                let id = product.id.clone();
                self.products.entry(id.clone()).or_insert(product);
                Expandable::Id(id)
            }
            id @ Expandable::Id(_) => id,
        });
        let is_known = self.prices.get(&price.id).is_some_and(|known| is_nested || !known.is_nested);
        if !is_known {
            self.prices.insert(price.id.clone(), Listed { price, source, is_nested });
        }
    }

    fn add_customer(&mut self, customer: &Customer, source: &Source, is_nested: bool, found: &mut Found) {
        if self.customers.contains(&customer.id) {
            return;
        }
        if customer.deleted == Some(true) {
            // The customer may also have been saved by itself.
            if !is_nested {
                found.left_out(
                    source,
                    Why::new("deleted_customer", "is deleted there, and what they bought is left out"),
                );
            }
            return;
        }
        self.customers.insert(customer.id.clone());
        let user = user(customer, source);
        found.keep(source, user, |found| &mut found.users);
    }
}

fn user(customer: &Customer, source: &Source) -> Result<(ImportedUser, Vec<Why>), Why> {
    let created_at = customer.created.and_then(instant).ok_or_else(|| Why::missing("created"))?;
    let mut losses = Vec::new();
    let email = email(customer.email.as_deref(), &mut losses);
    let (first_name, last_name) = names(customer.name.as_deref());
    let user = ImportedUser {
        source: source.clone(),
        user_id: user_id(customer.metadata.as_ref()),
        email,
        first_name,
        last_name,
        notifications: None,
        created_at,
        updated_at: created_at,
    };
    Ok((user, losses))
}

/// What a fetched object is here.
pub(crate) fn map(object: ObjectKind, text: &str) -> Result<Read, Why> {
    let head: Head = read(text)?;
    if head.deleted == Some(true) {
        return Ok(Read::Gone);
    }
    let source = Source::new(&Arc::from(""), object.as_str(), head.id.clone().unwrap_or_default());
    Ok(match (object, head.kind()) {
        (ObjectKind::Customer, _) => read(text).and_then(|customer| user(&customer, &source))?.into(),
        (ObjectKind::Price, Some("plan")) => {
            read(text).and_then(|plan: objects::Plan| price_with_product(&plan.into(), &source))?.into()
        }
        (ObjectKind::Price, _) => read(text).and_then(|price| price_with_product(&price, &source))?.into(),
        (ObjectKind::Subscription, _) => {
            read(text).and_then(|given| subscriptions::subscription(&given, &source))?.into()
        }
        (ObjectKind::Payment, Some("charge")) => charge(&read(text)?)?,
        (ObjectKind::Payment, Some("payment_intent")) => match read::<Intent>(text)?.latest_charge {
            Some(Expandable::Whole(latest)) => charge(&latest)?,
            _ => Read::Ignored("no_subscription"),
        },
        (ObjectKind::Payment, _) => {
            read(text).and_then(|invoice| invoices::payment(&invoice, &Refunds::default(), &source))?.into()
        }
    })
}

/// A charge of an invoice leads to it. One without an invoice can be that of a payment that was collected here.
fn charge(charge: &Charge) -> Result<Read, Why> {
    if let Some(invoice) = &charge.invoice {
        return Ok(Read::LeadsTo(vec![(ObjectKind::Payment, invoice.id().to_owned())]));
    }
    Ok(match charges::payment(charge)? {
        Some(payment) => Read::Mapped(Box::new(Mapped { payment: Some(payment), ..Mapped::default() })),
        None => Read::Ignored("no_subscription"),
    })
}

fn price_with_product(price: &Price, source: &Source) -> Result<(ImportedPlan, Vec<Why>), Why> {
    let product = match &price.product {
        Some(Expandable::Whole(product)) => Some(product),
        _ => None,
    };
    prices::plan(price, product, source)
}

/// Reads the relevant fields of an object.
fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Why> {
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        Why::new("malformed", message.split(" at line ").next().unwrap_or_default())
    })
}

fn is_kind(text: &str, kind: &str) -> bool {
    serde_json::from_str::<Head>(text)
        .is_ok_and(|head| head.object.as_deref() == Some(kind) && head.deleted != Some(true))
}

fn id_of(text: &str) -> String {
    serde_json::from_str::<Head>(text).ok().and_then(|head| head.id).unwrap_or_default()
}

/// An object of a kind. An invalid one was reported in the first pass.
fn of_kind<'a, T: Deserialize<'a>>(text: &'a str, kind: &str) -> Option<T> {
    is_kind(text, kind).then(|| serde_json::from_str(text).ok()).flatten()
}
