//! Search: one text, looked up as whatever it may be: an ID, an external ID, a slug, an address or the beginning of one.
//! Every lookup follows an index. There is no substring search, which would read whole tables.
//!
//! To add a kind of record, add a row to [`KINDS`].

use crate::caller::Caller;
use crate::context::App;
use crate::error::Error;
use futures_util::future::{try_join, try_join_all};
use perennial_domain::clients::Scope;
use perennial_domain::id::{InvoiceId, OrganizationId, PaymentId, SubscriptionId, UserId};
use perennial_domain::plans::PlanKey;
use perennial_domain::text::Line;
use perennial_domain::users::{Email, EmailPrefix};
use perennial_domain::validation::InvalidValue;
use perennial_store::{invoices, payments, plans, subscriptions, users};
use serde::Serialize;
use std::pin::Pin;

/// What is searched for, without the space around it.
pub struct Term {
    text: Line<3, 255>,
    prefix: Option<EmailPrefix>,
    limit: usize,
}

impl Term {
    /// Parses a term. `limit` is the maximum number of results.
    pub fn parse(text: &str, limit: usize) -> Result<Self, InvalidValue> {
        let text = Line::parse(text.trim())?;
        let prefix = EmailPrefix::parse(text.as_str()).ok();
        Ok(Self { text, prefix, limit })
    }

    /// The term as an ID, if it is one.
    fn id<T: std::str::FromStr>(&self) -> Option<T> {
        self.text.as_str().parse().ok()
    }
}

/// A record that was found. The order of the fields is the order of the results: exact matches first, then by label.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// How it matches.
    pub matched: Match,
    /// What to show: the address, the name, or the external ID.
    pub label: String,
    /// The kind of record.
    pub kind: &'static str,
    /// The record's ID.
    pub id: String,
}

/// How a record matches a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Match {
    /// One of its names is the term.
    Exact,
    /// Its address begins with the term.
    Prefix,
}

/// A kind of record that can be found.
struct Kind {
    name: &'static str,
    /// Callers without this scope do not find records of this kind.
    scope: Scope,
    find: for<'a> fn(&'a App, OrganizationId, &'a Term) -> Finding<'a>,
}

/// The records of one kind: the match, the label and the ID of each.
type Finding<'a> = Pin<Box<dyn Future<Output = Result<Vec<(Match, String, String)>, Error>> + Send + 'a>>;

const KINDS: &[Kind] = &[
    Kind { name: "user", scope: Scope::UsersRead, find: |app, owner, term| Box::pin(find_users(app, owner, term)) },
    Kind { name: "plan", scope: Scope::PlansRead, find: |app, owner, term| Box::pin(find_plan(app, owner, term)) },
    Kind {
        name: "subscription",
        scope: Scope::SubscriptionsRead,
        find: |app, owner, term| Box::pin(find_subscriptions(app, owner, term)),
    },
    Kind {
        name: "payment",
        scope: Scope::PaymentsRead,
        find: |app, owner, term| Box::pin(find_payments(app, owner, term)),
    },
    Kind {
        name: "invoice",
        scope: Scope::InvoicesRead,
        find: |app, owner, term| Box::pin(find_invoices(app, owner, term)),
    },
];

/// The names of the kinds.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.name)
}

/// The scopes that let a caller find anything.
pub static SCOPES: [Scope; KINDS.len()] = {
    let mut scopes = [Scope::Auth; KINDS.len()];
    let mut place = 0;
    while place < KINDS.len() {
        scopes[place] = KINDS[place].scope;
        place += 1;
    }
    scopes
};

/// The records that match the term, of the kinds that the caller may read. All kinds are searched at the same time.
pub async fn find(app: &App, caller: &Caller, term: &Term) -> Result<Vec<Found>, Error> {
    let scopes = caller.scopes();
    let searches = KINDS.iter().filter(|kind| scopes.contain(kind.scope)).map(async |kind| {
        let found = (kind.find)(app, caller.organization(), term).await?;
        let named = found.into_iter().map(|(matched, label, id)| Found { matched, label, kind: kind.name, id });
        Ok::<_, Error>(named.collect::<Vec<_>>())
    });
    let mut found: Vec<Found> = try_join_all(searches).await?.into_iter().flatten().collect();
    found.sort_unstable();
    // An external ID may be the ID of the same record.
    found.dedup();
    found.truncate(term.limit);
    Ok(found)
}

/// An address that equals the term begins with it too, and is the first in the order of addresses.
async fn find_users(app: &App, owner: OrganizationId, term: &Term) -> Result<Vec<(Match, String, String)>, Error> {
    let by_id = async {
        match term.id::<UserId>() {
            Some(id) => users::by_id(&app.db, owner, id).await,
            None => Ok(None),
        }
    };
    let by_prefix = async {
        let Some(prefix) = term.prefix.clone() else { return Ok(Vec::new()) };
        let query = users::Query { email_prefix: Some(prefix), ..users::Query::default() };
        Ok(users::list(&app.db, owner, &query, None, term.limit).await?.items)
    };
    let (by_id, by_prefix) = try_join(by_id, by_prefix).await?;
    let by_id = by_id.map(|user| (Match::Exact, user));
    let by_prefix = by_prefix.into_iter().map(|user| {
        let address = user.email.as_ref().map(Email::as_str);
        let is_exact = address == term.prefix.as_ref().map(EmailPrefix::as_str);
        (if is_exact { Match::Exact } else { Match::Prefix }, user)
    });
    let labelled = by_id.into_iter().chain(by_prefix).map(|(matched, user)| {
        let label = user.email.map_or_else(|| user.id.to_string(), |email| email.as_str().to_owned());
        (matched, label, user.id.to_string())
    });
    Ok(labelled.collect())
}

async fn find_plan(app: &App, owner: OrganizationId, term: &Term) -> Result<Vec<(Match, String, String)>, Error> {
    let Some(key) = PlanKey::parse(term.text.as_str()) else { return Ok(Vec::new()) };
    let found = plans::find(&app.db, owner, &key).await?;
    Ok(found.into_iter().map(|plan| (Match::Exact, plan.name.as_str().to_owned(), plan.id.to_string())).collect())
}

async fn find_subscriptions(
    app: &App,
    owner: OrganizationId,
    term: &Term,
) -> Result<Vec<(Match, String, String)>, Error> {
    let by_id = async {
        match term.id::<SubscriptionId>() {
            Some(id) => subscriptions::by_id(&app.db, owner, id).await,
            None => Ok(None),
        }
    };
    let by_external_id = subscriptions::id_by_external(&app.db, owner, term.text.as_str());
    let (by_id, by_external_id) = try_join(by_id, by_external_id).await?;
    let by_id = by_id.map(|found| (found.id.to_string(), found.details.external_subscription_id));
    Ok(named(term, by_id, by_external_id.map(|id| id.to_string())))
}

async fn find_payments(app: &App, owner: OrganizationId, term: &Term) -> Result<Vec<(Match, String, String)>, Error> {
    let by_id = async {
        match term.id::<PaymentId>() {
            Some(id) => payments::by_id(&app.db, owner, id).await,
            None => Ok(None),
        }
    };
    let by_external_id = payments::id_by_external(&app.db, owner, term.text.as_str());
    let (by_id, by_external_id) = try_join(by_id, by_external_id).await?;
    let by_id = by_id.map(|found| (found.id.to_string(), found.external_payment_id));
    Ok(named(term, by_id, by_external_id.map(|id| id.to_string())))
}

/// A number is unique, so at most one invoice has it.
async fn find_invoices(app: &App, owner: OrganizationId, term: &Term) -> Result<Vec<(Match, String, String)>, Error> {
    let by_id = async {
        match term.id::<InvoiceId>() {
            Some(id) => invoices::by_id(&app.db, owner, id).await,
            None => Ok(None),
        }
    };
    let by_number = async {
        let query = invoices::Query { number: Some(term.text.as_str().to_owned()), ..invoices::Query::default() };
        invoices::list(&app.db, owner, &query, None, 1).await
    };
    let (by_id, by_number) = try_join(by_id, by_number).await?;
    let found = by_id.into_iter().chain(by_number.items);
    Ok(found
        .map(|invoice| {
            let id = invoice.id.to_string();
            (Match::Exact, invoice.number.unwrap_or_else(|| id.clone()), id)
        })
        .collect())
}

/// Exact matches whose label is the external ID, or the ID where there is none.
fn named(
    term: &Term,
    by_id: Option<(String, Option<Line<1, 255>>)>,
    by_external_id: Option<String>,
) -> Vec<(Match, String, String)> {
    let by_id = by_id.map(|(id, external)| {
        let label = external.map_or_else(|| id.clone(), |external| external.as_str().to_owned());
        (Match::Exact, label, id)
    });
    let by_external_id = by_external_id.map(|id| (Match::Exact, term.text.as_str().to_owned(), id));
    by_id.into_iter().chain(by_external_id).collect()
}
