//! A demo store with a year of realistic data, for exploring and measuring. The same seed and the same end of the
//! year make the same store, row by row. It is written in one transaction.

mod catalogue;
mod dice;
#[cfg(test)]
pub(crate) mod examples;
mod life;
mod people;

use dice::Dice;
use perennial_app::audit::{json, system_event};
use perennial_app::error::Error;
use perennial_app::organizations::DEFAULT_NAME;
use perennial_domain::currency::Currency;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{EventId, OrganizationId};
use perennial_domain::organizations::{Organization, OrganizationMode, OrganizationName};
use perennial_domain::portal::PortalSettings;
use perennial_domain::time::Time;
use perennial_store::tables::{EVENTS, ORGANIZATIONS, PAYMENTS, PLANS, SUBSCRIPTIONS, USERS};
use perennial_store::transfer::Values;
use perennial_store::{self as store, Bulk, Db, Value};
use perennial_store::{Table, subscriptions, transfer};

/// Users at scale 1.
const USERS_AT_ONE: u64 = 5_000;
/// Subscriptions at scale 1.
const SUBSCRIPTIONS_AT_ONE: u64 = 20_000;
/// The year.
const YEAR_SECONDS: i64 = 365 * 86_400;
/// Rows that are written at a time.
const AT_ONCE: usize = 1_000;

/// The options of a demo.
#[derive(Clone, Copy, Debug)]
pub struct DemoOptions {
    /// The same seed makes the same demo.
    pub seed: u64,
    /// Its size, in hundredths of the default size.
    pub scale_hundredths: u64,
    /// The end of its year.
    pub until: Time,
}

impl DemoOptions {
    /// The number of subscriptions.
    pub fn subscriptions(&self) -> u64 {
        self.sized(SUBSCRIPTIONS_AT_ONE)
    }

    fn sized(&self, usual: u64) -> u64 {
        (usual.saturating_mul(self.scale_hundredths) / 100).max(1)
    }
}

/// The number of created records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "each counts what it is called")]
pub struct Made {
    pub plans: u64,
    pub users: u64,
    pub subscriptions: u64,
    pub payments: u64,
    pub events: u64,
}

impl Made {
    /// All of them.
    pub fn records(&self) -> u64 {
        self.plans + self.users + self.subscriptions + self.payments + self.events
    }
}

/// The result of filling a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demo {
    /// The demo was created.
    Made(Made),
    /// The store is a demo already.
    AlreadyThere,
    /// The store holds other data. Nothing was done.
    Occupied,
}

/// Fills a migrated store that has not been used.
pub async fn fill(db: &Db, options: DemoOptions, progress: impl FnMut(Made)) -> Result<Demo, Error> {
    let mut bulk = db.load().await?;
    let plans = PLANS.page(&mut bulk, None, 100).await?;
    let product = PLANS.place("product_id");
    if plans.iter().any(|plan| product.is_some_and(|place| plan[place] == Value::from(catalogue::PRODUCT))) {
        return Ok(Demo::AlreadyThere);
    }
    let mut organizations = ORGANIZATIONS.page(&mut bulk, None, 2).await?;
    let is_used = !plans.is_empty() || !USERS.page(&mut bulk, None, 1).await?.is_empty() || organizations.len() > 1;
    if is_used {
        return Ok(Demo::Occupied);
    }
    let mut writer = Writer { bulk, made: Made::default(), events: Vec::new(), progress };
    let since = options.until.plus_seconds(-YEAR_SECONDS);
    let organization = match organizations.pop().as_deref() {
        Some([Value::Uuid(id), ..]) => OrganizationId::from_bytes(*id),
        _ => writer.organization(options.seed, since).await?,
    };
    writer.records(organization, options, since).await?;
    let Writer { mut bulk, made, .. } = writer;
    subscriptions::schedule(&mut bulk).await?;
    bulk.commit().await?;
    Ok(Demo::Made(made))
}

struct Writer<P> {
    bulk: Bulk,
    made: Made,
    events: Vec<Values>,
    progress: P,
}

impl<P: FnMut(Made)> Writer<P> {
    async fn organization(&mut self, seed: u64, now: Time) -> Result<OrganizationId, Error> {
        let mut dice = Dice::new(seed, "organization", 0);
        let organization = Organization {
            id: OrganizationId::new(now, dice.roll()),
            name: OrganizationName::from_stored(DEFAULT_NAME.to_owned()),
            currency: Currency::USD,
            max_sessions: None,
            mode: OrganizationMode::Live,
            billing: None,
            portal: PortalSettings::default(),
            created_at: now,
            updated_at: now,
            deleted_at: None,
            revision: EventId::new(now, dice.roll()),
        };
        let (id, revision) = (organization.id, organization.revision);
        let event = system_event(id, EventKind::OrganizationCreated, id.bytes(), revision, now);
        self.add(&ORGANIZATIONS, &mut vec![transfer::row(&organization)]).await?;
        self.add_events([Event { after: Some(json(&organization)), ..event }]).await?;
        Ok(id)
    }

    async fn records(&mut self, organization: OrganizationId, options: DemoOptions, since: Time) -> Result<(), Error> {
        let people = people::People {
            organization,
            seed: options.seed,
            count: options.sized(USERS_AT_ONE),
            since,
            until: options.until,
        };
        let plans = catalogue::plans(organization, options.seed, since);
        self.made.plans = self.add(&PLANS, &mut plans.iter().map(|(plan, _)| transfer::row(plan)).collect()).await?;
        self.add_events(plans.iter().map(|(plan, _)| catalogue::created(plan))).await?;
        let mut waiting = Vec::new();
        for number in 0..people.count {
            let user = people.user(number);
            waiting.push(transfer::row(&user));
            self.add_events([people::created(&user)]).await?;
            if waiting.len() == AT_ONCE || number + 1 == people.count {
                self.made.users += self.add(&USERS, &mut waiting).await?;
            }
        }
        let (count, mut paid) = (options.subscriptions(), Vec::new());
        for number in 0..count {
            let life = life::live(&people, &plans, number);
            waiting.push(transfer::row(&life.subscription));
            paid.extend(life.payments.iter().map(transfer::row));
            self.add_events(life.events).await?;
            if waiting.len() == AT_ONCE || number + 1 == count {
                self.made.subscriptions += self.add(&SUBSCRIPTIONS, &mut waiting).await?;
                self.made.payments += self.add(&PAYMENTS, &mut paid).await?;
            }
        }
        self.flush().await
    }

    async fn add_events(&mut self, events: impl IntoIterator<Item = Event>) -> Result<(), Error> {
        self.events.extend(events.into_iter().map(|event| transfer::row(&event)));
        if self.events.len() < AT_ONCE { Ok(()) } else { self.flush().await }
    }

    async fn flush(&mut self) -> Result<(), Error> {
        let mut events = std::mem::take(&mut self.events);
        self.made.events += self.add(&EVENTS, &mut events).await?;
        (self.progress)(self.made);
        Ok(())
    }

    /// Writes the rows and clears the list.
    async fn add(&mut self, table: &'static Table, rows: &mut Vec<Values>) -> Result<u64, Error> {
        let wanted = rows.len() as u64;
        let made = table.insert(&mut self.bulk, rows).await?;
        rows.clear();
        if made == wanted {
            return Ok(made);
        }
        // Another process has taken a name since the check.
        Err(store::Error::Unavailable("another process has begun to use the store".to_owned()).into())
    }
}
