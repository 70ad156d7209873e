//! References: prices become plans with slugs, customers become users, and subscriptions refer to both.

use super::Moving;
use crate::services::lines::Writer;
use perennial_app::error::Error;
use perennial_app::organizations::DEFAULT_NAME;
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{EventId, UserId};
use perennial_domain::organizations::{Organization, OrganizationMode, OrganizationName};
use perennial_domain::portal::PortalSettings;
use perennial_domain::time::Time;
use perennial_provider_api::{
    Finding, Found, ImportedPayment, ImportedPlan, ImportedSubscription, Item, Level, Slugs, Why,
};
use perennial_store::{Db, users};
use std::collections::HashMap;

impl Moving {
    pub(super) async fn make_organization(&mut self, now: Time) -> Result<(), Error> {
        let organization = Organization {
            id: self.writer.organization,
            name: OrganizationName::from_stored(DEFAULT_NAME.to_owned()),
            currency: Currency::USD,
            max_sessions: None,
            mode: OrganizationMode::Live,
            billing: None,
            portal: PortalSettings::default(),
            created_at: now,
            updated_at: now,
            deleted_at: None,
            revision: EventId::new(now, 0),
        };
        self.import.line(1, Writer::organization(&organization).as_bytes()).await?;
        self.import.end_of_file().await.map(drop)
    }

    /// Active plans choose their slugs first, the oldest before the others.
    pub(super) async fn make_plans(&mut self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let mut found = Found::default();
        self.reader.plans(&mut found);
        let no_plans = found.findings.iter().filter(|finding| finding.level == Level::LeftOut);
        self.plans.extend(no_plans.map(|finding| (finding.id.clone(), None)));
        findings.append(&mut found.findings);
        let mut plans = found.plans;
        plans.sort_by(|a, b| {
            let key = |plan: &ImportedPlan| (!plan.is_active, plan.created_at);
            key(a).cmp(&key(b)).then_with(|| a.source.id.cmp(&b.source.id))
        });
        let mut slugs = Slugs::default();
        for plan in plans {
            let (name, cycle) = (plan.source.id.clone(), plan.cycle);
            let slug = slugs.give(&plan.called, &name);
            let (id, ready) = self.writer.plan(plan, slug);
            self.plans.insert(name, Some((id, cycle)));
            self.add(ready, findings).await?;
        }
        findings.extend(self.flush().await?);
        Ok(())
    }

    /// Customers with the same e-mail address become one user.
    pub(super) async fn make_users(&mut self, db: &Db, findings: &mut Vec<Finding>) -> Result<(), Error> {
        let mut users = std::mem::take(&mut self.imported_users);
        users.sort_by(|a, b| a.created_at.cmp(&b.created_at).then_with(|| a.source.id.cmp(&b.source.id)));
        let mut by_email: HashMap<String, (UserId, String)> = HashMap::new();
        for user in users {
            let (name, email) = (user.source.id.clone(), user.email.clone());
            if let Some(email) = &email {
                if let Some((id, other)) = by_email.get(email.as_str()) {
                    let detail = format!("has the address of {other}, and is the same user here");
                    findings.push(user.source.find(Level::Simplified, Why::new("shared_email", detail)));
                    self.users.insert(name, *id);
                    continue;
                }
                // A user that exists, and may be signed in, does not change.
                if let Some(user) = users::by_email(db, self.writer.organization, email).await? {
                    self.counts.users.unchanged += 1;
                    by_email.insert(email.as_str().to_owned(), (user.id, name.clone()));
                    self.users.insert(name, user.id);
                    continue;
                }
            } else {
                let detail = "has no e-mail address: this user cannot sign in";
                findings.push(user.source.find(Level::Simplified, Why::new("no_email", detail)));
            }
            let (id, ready) = self.writer.user(user);
            if let Some(email) = email {
                by_email.insert(email.as_str().to_owned(), (id, name.clone()));
            }
            self.users.insert(name, id);
            self.add(ready, findings).await?;
        }
        Ok(())
    }

    pub(super) fn add_subscription(&mut self, subscription: ImportedSubscription, findings: &mut Vec<Finding>) {
        let plan_of = |item: &Item| self.plans.get(&item.plan).copied().flatten().map(|plan| (plan, item.quantity));
        let plan = subscription.items.iter().find_map(plan_of);
        let joined = match (plan, self.users.get(&subscription.customer)) {
            (Some(((_, cycle), _)), _) if subscription.is_single && cycle != BillingCycle::Lifetime => {
                Err(Why::new("missing_subscription", "is the order of a subscription that is not in these files"))
            }
            (Some(plan), Some(user)) => Ok((plan, *user)),
            (None, _) => Err(self.no_plan(&subscription.items)),
            (_, None) => {
                let customer = &subscription.customer;
                Err(Why::new("missing_customer", format!("its customer {customer} is deleted, or not in these files")))
            }
        };
        match joined {
            Ok(((plan, quantity), user)) => {
                let external_id = subscription.external_id.clone();
                let (id, ready) = self.writer.subscription(subscription, user, plan, quantity);
                self.subscriptions.insert(external_id, id);
                self.waiting.push(ready);
            }
            Err(why) => findings.push(subscription.source.find(Level::LeftOut, why)),
        }
    }

    fn no_plan(&self, items: &[Item]) -> Why {
        let known = items.iter().find(|item| self.plans.contains_key(&item.plan));
        let name = |item: &Item| item.plan.clone();
        match (known.map(name), items.first().map(name)) {
            (Some(name), _) => Why::new("price_left_out", format!("what it sells, {name}, is no plan here")),
            (None, Some(name)) => {
                Why::new("missing_price", format!("what it sells, {name}, is not in these files: save it too"))
            }
            (None, None) => Why::new("missing_price", "does not say what it sells: save the whole object"),
        }
    }

    pub(super) fn add_payment(&mut self, payment: ImportedPayment, findings: &mut Vec<Finding>) {
        match self.subscriptions.get(&payment.subscription) {
            Some(id) => self.waiting.push(self.writer.payment(payment, *id)),
            None if payment.is_single => {}
            None => {
                let detail =
                    format!("its subscription {} was left out, or is not in these files", payment.subscription);
                findings.push(payment.source.find(Level::LeftOut, Why::new("missing_subscription", detail)));
            }
        }
    }
}
