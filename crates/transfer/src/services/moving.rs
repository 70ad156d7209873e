//! A running import from another service. Its files are read three times, so that references are known before the objects
//! that use them, in any order of files. In between only plans, users and IDs are held in memory.

mod joining;

use super::lines::{Ready, Writer};
use crate::{AT_ONCE, Format, Import, NotImported, RejectedLine};
use perennial_app::error::Error;
use perennial_app::organizations::DEFAULT_NAME;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{OrganizationId, PlanId, SubscriptionId, UserId};
use perennial_domain::time::Time;
use perennial_provider_api::{Finding, Found, ImportedUser, Level, Lists, Page, Reader, Reading, Service, Why};
use perennial_store::{Db, organizations};
use std::collections::HashMap;
use std::sync::Arc;

/// The number of records of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Count {
    /// Records that were created.
    pub made: u64,
    /// Records that existed.
    pub unchanged: u64,
}

/// The number of records of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "each counts what it is called")]
pub struct Counts {
    pub plans: Count,
    pub users: Count,
    pub subscriptions: Count,
    pub payments: Count,
}

/// A running import. Dropped before it is committed, it changes nothing.
pub struct Moving {
    import: Import,
    reader: Reader,
    service: Service,
    writer: Writer,
    lists: Lists,
    /// The plans by their IDs at the service. None for a price that cannot be a plan.
    plans: HashMap<String, Option<(PlanId, BillingCycle)>>,
    users: HashMap<String, UserId>,
    subscriptions: HashMap<String, SubscriptionId>,
    imported_users: Vec<ImportedUser>,
    /// The origins of the waiting lines.
    kind: Kind,
    waiting: Vec<Ready>,
    counts: Counts,
}

enum Kind {
    Plans,
    Users,
    Subscriptions,
    Payments,
}

impl Moving {
    /// Begins an import into an organization of a migrated store: the named one, or `default`, which is created in a store
    /// without any. `None` if there are several organizations and none is named.
    pub async fn begin(
        db: &Db,
        service: Service,
        into: Option<OrganizationId>,
        now: Time,
    ) -> Result<Option<Self>, Error> {
        let found = match into {
            Some(id) => Some(id),
            None => organizations::by_name(db, DEFAULT_NAME).await?.map(|organization| organization.id),
        };
        if found.is_none() && !organizations::all(db).await?.is_empty() {
            return Ok(None);
        }
        let organization = found.unwrap_or_else(|| OrganizationId::new(now, 0));
        let mut moving = Self {
            import: Import::begin(db, None).await?,
            reader: Reader::new(service),
            service,
            writer: Writer { organization, service },
            lists: Lists::default(),
            plans: HashMap::new(),
            users: HashMap::new(),
            subscriptions: HashMap::new(),
            imported_users: Vec::new(),
            kind: Kind::Plans,
            waiting: Vec::new(),
            counts: Counts::default(),
        };
        moving.import.file(None, Format::Ndjson);
        if found.is_none() {
            moving.make_organization(now).await?;
        }
        Ok(Some(moving))
    }

    /// Takes one JSON value of a file: an object, a list or an array.
    pub async fn value(&mut self, reading: Reading, file: &Arc<str>, text: &str) -> Result<Vec<Finding>, Error> {
        let page = Page::open(self.service, text);
        let mut found = Found::default();
        for object in &page.objects {
            self.reader.read(reading, file, object, &mut found);
        }
        if reading == Reading::Catalogue {
            page.parts.into_iter().for_each(|part| self.lists.note(part));
        }
        let Found { users, subscriptions, payments, mut findings, .. } = found;
        self.imported_users.extend(users);
        for subscription in subscriptions {
            self.add_subscription(subscription, &mut findings);
        }
        for payment in payments {
            self.add_payment(payment, &mut findings);
        }
        if self.waiting.len() >= AT_ONCE {
            findings.extend(self.flush().await?);
        }
        Ok(findings)
    }

    /// Ends a reading of all files.
    pub async fn end(&mut self, db: &Db, reading: Reading) -> Result<Vec<Finding>, Error> {
        let mut findings = Vec::new();
        if reading == Reading::Catalogue {
            findings.extend(self.lists.cut_short().map(cut_short));
            self.make_plans(&mut findings).await?;
            self.kind = Kind::Users;
            self.make_users(db, &mut findings).await?;
        }
        findings.extend(self.flush().await?);
        self.kind = match reading {
            Reading::Catalogue => Kind::Subscriptions,
            Reading::Subscriptions | Reading::Payments => Kind::Payments,
        };
        Ok(findings)
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Disables the webhook endpoints of the store, so that the events of the import are not sent.
    pub async fn disable_webhooks(&mut self, at: Time) -> Result<(), Error> {
        self.import.disable_webhooks(at).await
    }

    /// Leaves the events of the import out of the feed.
    pub async fn leave_out_of_feed(&mut self) -> Result<(), Error> {
        self.import.leave_out_of_feed().await
    }

    /// Commits all of it.
    pub async fn commit(self) -> Result<(), NotImported> {
        self.import.commit().await.map(drop)
    }

    async fn add(&mut self, ready: Ready, findings: &mut Vec<Finding>) -> Result<(), Error> {
        self.waiting.push(ready);
        if self.waiting.len() >= AT_ONCE {
            findings.extend(self.flush().await?);
        }
        Ok(())
    }

    /// Writes the waiting lines.
    async fn flush(&mut self) -> Result<Vec<Finding>, Error> {
        let waiting = std::mem::take(&mut self.waiting);
        let before = self.import.tally();
        let mut refused = Vec::new();
        for (number, ready) in (0..).zip(&waiting) {
            refused.extend(self.import.line(number, ready.line.as_bytes()).await?);
        }
        refused.extend(self.import.end_of_file().await?);
        let after = self.import.tally();
        let count = match self.kind {
            Kind::Plans => &mut self.counts.plans,
            Kind::Users => &mut self.counts.users,
            Kind::Subscriptions => &mut self.counts.subscriptions,
            Kind::Payments => &mut self.counts.payments,
        };
        count.made += after.made - before.made;
        count.unchanged += after.unchanged - before.unchanged;

        Ok(refused.iter().flat_map(|line| findings_of(line, &waiting)).collect())
    }
}

/// The reports about a record that the store rejected.
fn findings_of(line: &RejectedLine, waiting: &[Ready]) -> Vec<Finding> {
    let place = usize::try_from(line.number).unwrap_or_default();
    let Some(source) = waiting.get(place).map(|ready| &ready.source) else { return Vec::new() };
    let record = String::from_utf8_lossy(&line.text).into_owned();
    let find = |why: Why| Finding { record: Some(record.clone()), ..source.find(Level::Refused, why) };
    if line.errors.is_empty() {
        return vec![find(Why::new("follows", "refers to a record that was rejected"))];
    }
    line.errors.iter().map(|error| find(Why::new(error.code, error.detail.clone()))).collect()
}

fn cut_short(list: &str) -> Finding {
    Finding {
        level: Level::LeftOut,
        file: String::new(),
        object: "list".to_owned(),
        id: list.to_owned(),
        code: "list_cut_short",
        detail: "has more pages than these files: save the others too".to_owned(),
        record: None,
    }
}
