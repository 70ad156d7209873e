//! What refers to what: offers become plans with slugs, customers users, and what they bought finds both.

use super::Moving;
use crate::error::Error;
use crate::organizations::DEFAULT_NAME;
use crate::transfer::services::drafts::{Agreement, Bill, Found, Offer};
use crate::transfer::services::findings::{Finding, Level, Why};
use crate::transfer::services::lines::Writer;
use crate::transfer::services::slugs::Slugs;
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{EventId, UserId};
use perennial_domain::organizations::{Organization, OrganizationName};
use perennial_domain::time::Time;
use perennial_store::{Db, users};
use std::collections::HashMap;

impl Moving {
    pub(super) async fn make_organization(&mut self, now: Time) -> Result<(), Error> {
        let organization = Organization {
            id: self.writer.organization,
            name: OrganizationName::from_stored(DEFAULT_NAME.to_owned()),
            currency: Currency::USD,
            max_sessions: None,
            created_at: now,
            updated_at: now,
            deleted_at: None,
            revision: EventId::new(now, 0),
        };
        self.import.line(1, Writer::organization(&organization).as_bytes()).await?;
        self.import.end_of_file().await.map(drop)
    }

    /// Those that are sold today, and of those the oldest, have the first choice of slugs.
    pub(super) async fn make_plans(&mut self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let mut found = Found::default();
        self.reader.offers(&mut found);
        let no_plans = found.findings.iter().filter(|finding| finding.level == Level::LeftOut);
        self.plans.extend(no_plans.map(|finding| (finding.id.clone(), None)));
        findings.append(&mut found.findings);
        let mut offers = found.offers;
        offers.sort_by(|a, b| {
            let key = |offer: &Offer| (!offer.is_active, offer.created_at);
            key(a).cmp(&key(b)).then_with(|| a.source.id.cmp(&b.source.id))
        });
        let mut slugs = Slugs::default();
        for offer in offers {
            let (name, cycle) = (offer.source.id.clone(), offer.cycle);
            let slug = slugs.give(&offer.called, &name);
            let (id, ready) = self.writer.plan(offer, slug);
            self.plans.insert(name, Some((id, cycle)));
            self.add(ready, findings).await?;
        }
        findings.extend(self.flush().await?);
        Ok(())
    }

    /// A person is one user, however many customers they are there: an address belongs to one user here.
    pub(super) async fn make_users(&mut self, db: &Db, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let mut people = std::mem::take(&mut self.people);
        people.sort_by(|a, b| a.created_at.cmp(&b.created_at).then_with(|| a.source.id.cmp(&b.source.id)));
        let mut by_email: HashMap<String, (UserId, String)> = HashMap::new();
        for person in people {
            let (name, email) = (person.source.id.clone(), person.email.clone());
            if let Some(email) = &email {
                if let Some((id, other)) = by_email.get(email.as_str()) {
                    let detail = format!("has the address of {other}, and is the same user here");
                    findings.push(person.source.find(Level::Simplified, Why::new("shared_email", detail)));
                    self.users.insert(name, *id);
                    continue;
                }
                // Somebody who is here already, perhaps signed in, stays who they are.
                if let Some(user) = users::by_email(db, self.writer.organization, email).await? {
                    self.counts.users.unchanged += 1;
                    by_email.insert(email.as_str().to_owned(), (user.id, name.clone()));
                    self.users.insert(name, user.id);
                    continue;
                }
            } else {
                let detail = "has no e-mail address: nobody can sign in as this user";
                findings.push(person.source.find(Level::Simplified, Why::new("no_email", detail)));
            }
            let (id, ready) = self.writer.user(person);
            if let Some(email) = email {
                by_email.insert(email.as_str().to_owned(), (id, name.clone()));
            }
            self.users.insert(name, id);
            self.add(ready, findings).await?;
        }
        Ok(())
    }

    pub(super) fn agree(&mut self, agreement: Agreement, findings: &mut Vec<Finding>) {
        let plan = agreement.offers.iter().find_map(|offer| self.plans.get(offer).copied().flatten());
        let joined = match (plan, self.users.get(&agreement.customer)) {
            (Some((_, cycle)), _) if agreement.is_single && cycle != BillingCycle::Lifetime => {
                Err(Why::new("missing_subscription", "is the order of a subscription that is not in these files"))
            }
            (Some(plan), Some(user)) => Ok((plan, *user)),
            (None, _) => Err(self.no_plan(&agreement.offers)),
            (_, None) => {
                let customer = &agreement.customer;
                Err(Why::new("missing_customer", format!("its customer {customer} is deleted, or not in these files")))
            }
        };
        match joined {
            Ok((plan, user)) => {
                let external_id = agreement.external_id.clone();
                let (id, ready) = self.writer.subscription(agreement, user, plan);
                self.subscriptions.insert(external_id, id);
                self.waiting.push(ready);
            }
            Err(why) => findings.push(agreement.source.find(Level::LeftOut, why)),
        }
    }

    fn no_plan(&self, offers: &[String]) -> Why {
        let known = offers.iter().find(|offer| self.plans.contains_key(*offer));
        match (known, offers.first()) {
            (Some(offer), _) => Why::new("price_left_out", format!("what it sells, {offer}, is no plan here")),
            (None, Some(offer)) => {
                Why::new("missing_price", format!("what it sells, {offer}, is not in these files: save it too"))
            }
            (None, None) => Why::new("missing_price", "does not say what it sells: save the whole object"),
        }
    }

    pub(super) fn charge(&mut self, bill: Bill, findings: &mut Vec<Finding>) {
        match self.subscriptions.get(&bill.subscription) {
            Some(id) => self.waiting.push(self.writer.payment(bill, *id)),
            None if bill.is_single => {}
            None => {
                let detail = format!("its subscription {} was left out, or is not in these files", bill.subscription);
                findings.push(bill.source.find(Level::LeftOut, Why::new("missing_subscription", detail)));
            }
        }
    }
}
