//! Sweeps: a page of a list is compared, or applied, and the progress is stored. What was applied twice after a kill is
//! unchanged the second time.

use super::Run;
use super::compare::Comparison;
use crate::connections::apply::Work;
use crate::connections::drift::{self, report};
use crate::connections::http::service;
use crate::connections::outcome::Ended;
use crate::connections::provider::{Fetched, Page};
use crate::error::Error;
use perennial_domain::connections::facts::Mapped;
use perennial_domain::connections::inbox::{Delay, InboxState};
use perennial_domain::connections::sweep::{Difference, Sweep, SweepPhase};
use perennial_domain::connections::{Drift, ObjectKind};
use perennial_domain::time::Time;
use perennial_provider_api::Service;
use perennial_provider_api::lists::{self, List, Scope};
use perennial_provider_api::mapping::{self, Read};
use perennial_store::connection_links::Link;
use perennial_store::{Change, connection_progress};

/// Payments of this long are compared.
const PAYMENT_SECONDS: i64 = 90 * 86_400;
/// Linked objects that are in no list, of one step.
const MISSING_AT_ONCE: i64 = 50;
/// How often the lease on an object is waited for again: in all for longer than a lease lasts.
const BUSY_TRIES: usize = 10;
/// The kinds that lists have, in the order of the search for missing ones.
const LISTED: [ObjectKind; 3] = [ObjectKind::Subscription, ObjectKind::Payment, ObjectKind::Price];

/// What became of an object.
enum Step {
    Done,
    /// The provider does not answer: the page is tried again later.
    Unavailable,
    /// The connection has used up its requests for this many seconds.
    NotSent(i64),
}

/// What became of a page.
pub(super) enum Progress {
    /// There is more to do.
    Continues,
    /// The sweep has ended.
    Ended,
    /// The provider does not answer.
    Unavailable,
    /// The connection has used up its requests for this many seconds. It shows nothing about the provider.
    NotSent(i64),
}

impl Run<'_> {
    /// One page of the sweep.
    pub(super) async fn sweep_page(&self, sweep: &mut Sweep) -> Result<Progress, Error> {
        let before = sweep.clone();
        let step = match sweep.phase() {
            SweepPhase::Missing => self.missing_page(sweep).await?,
            SweepPhase::Compare | SweepPhase::Apply => self.list_page(sweep).await?,
        };
        match step {
            Step::Done => {}
            Step::Unavailable => {
                *sweep = before;
                self.note(false).await?;
                return Ok(Progress::Unavailable);
            }
            Step::NotSent(seconds) => {
                *sweep = before;
                return Ok(Progress::NotSent(seconds));
            }
        }
        self.note(true).await?;
        self.store(sweep).await?;
        Ok(if sweep.is_done { Progress::Ended } else { Progress::Continues })
    }

    async fn store(&self, sweep: &Sweep) -> Result<(), Error> {
        let connection = &self.open.connection;
        let (organization, id) = (connection.organization_id, connection.id);
        if !sweep.is_done {
            return self.commit(connection_progress::sweep(Change::new(), organization, id, &sweep.to_stored())).await;
        }
        if sweep.stopped && !sweep.options.dry_run {
            let difference = drift::Difference { stopped: true, ..drift::Difference::default() };
            report(self.app, connection, &difference, &self.request_id()).await?;
        }
        let now = self.app.clock.now();
        self.commit(connection_progress::swept(Change::new(), organization, id, now)).await
    }

    fn applies(&self, sweep: &Sweep) -> bool {
        self.open.connection.drift == Drift::Repair && !sweep.options.dry_run
    }

    async fn list_page(&self, sweep: &mut Sweep) -> Result<Step, Error> {
        let service = service(self.open.connection.kind);
        let lists = List::of_sweep(service);
        let Some(list) = lists.get(sweep.list).copied() else {
            sweep.compared(self.applies(sweep));
            return Ok(Step::Done);
        };
        let connection = &self.open.connection;
        let account = connection.account.as_ref().map(perennial_domain::text::Line::as_str);
        let since = sweep.began().plus_seconds(-PAYMENT_SECONDS);
        let scope = Scope { account, mode: connection.mode, since };
        let provider = self.app.payment_providers();
        let page = match provider.list(self.account, list, scope, sweep.cursor.as_deref()).await {
            Page::Found(page) => page,
            // The object of the cursor is gone: the list begins again.
            Page::CursorUnknown if sweep.cursor.is_some() => {
                sweep.cursor = None;
                return Ok(Step::Done);
            }
            Page::NotSent(seconds) => return Ok(Step::NotSent(seconds)),
            Page::CursorUnknown | Page::Unavailable { .. } | Page::Malformed => return Ok(Step::Unavailable),
        };
        let mut seen = Change::new();
        for object in page.objects.iter().filter(|object| lists::is_within(service, object, scope)) {
            let mapped = match self.map(service, list, object).await? {
                Ok(mapped) => mapped,
                Err(step) => return Ok(step),
            };
            let Some(mapped) = mapped.filter(|mapped| is_recent(mapped, list, since)) else { continue };
            let (step, link) = match sweep.phase() {
                SweepPhase::Apply => self.apply(sweep, &mapped).await?,
                _ => (Step::Done, self.count(sweep, &mapped).await?),
            };
            if !matches!(step, Step::Done) {
                return Ok(step);
            }
            if let Some(link) = link {
                seen = connection_progress::seen(seen, &link, sweep.began());
            }
        }
        if !seen.is_empty() {
            self.commit(seen).await?;
        }
        sweep.advance(page.next, lists.len(), self.applies(sweep));
        Ok(Step::Done)
    }

    /// What an object of a list means. None: it is no record. The inner error: it cannot be known now.
    async fn map(&self, service: Service, list: List, object: &str) -> Result<Result<Option<Mapped>, Step>, Error> {
        let Some(kind) = list.object() else { return Ok(Ok(None)) };
        // A variant is a plan only with its product, store and prices.
        if service == Service::LemonSqueezy && list == List::Prices {
            let Some(id) = lists::id_of(object) else { return Ok(Ok(None)) };
            return Ok(match self.app.payment_providers().fetch_in_sweep(self.account, kind, &id).await {
                Fetched::Found(mapped) => Ok(Some(*mapped)),
                Fetched::Unavailable { .. } => Err(Step::Unavailable),
                Fetched::NotSent(seconds) => Err(Step::NotSent(seconds)),
                _ => Ok(None),
            });
        }
        Ok(Ok(match mapping::map(service, kind, object) {
            Read::Mapped(mapped) => Some(*mapped),
            _ => None,
        }))
    }

    /// Counts an object in the comparison.
    async fn count(&self, sweep: &mut Sweep, mapped: &Mapped) -> Result<Option<Link>, Error> {
        let Some((object, external_id)) = name(mapped) else { return Ok(None) };
        let comparison = self.compare(mapped).await?;
        if !matches!(comparison, Comparison::Nothing) {
            sweep.seen += 1;
        }
        let is_linked = matches!(comparison, Comparison::Same(_) | Comparison::Different { .. });
        sweep.linked += u64::from(is_linked && object == ObjectKind::Subscription);
        Ok(match comparison {
            Comparison::Nothing => None,
            Comparison::New => {
                sweep.created += 1;
                None
            }
            Comparison::Same(link) => Some(link),
            Comparison::Different { link, record_id, fields, loses_access } => {
                sweep.different += 1;
                sweep.losing += u64::from(loses_access);
                let difference = Difference {
                    object: object.as_str().to_owned(),
                    external_id: external_id.to_owned(),
                    record_id: Some(record_id),
                    fields,
                    missing: false,
                    repaired: false,
                };
                if self.open.connection.drift == Drift::Alert && !sweep.options.dry_run {
                    self.report(object, &difference).await?;
                }
                sweep.note(difference);
                Some(link)
            }
        })
    }

    /// Applies an object that differs or is new, as a hint would.
    async fn apply(&self, sweep: &mut Sweep, mapped: &Mapped) -> Result<(Step, Option<Link>), Error> {
        let Some((object, external_id)) = name(mapped) else { return Ok((Step::Done, None)) };
        let difference = match self.compare(mapped).await? {
            Comparison::Nothing | Comparison::Same(_) => return Ok((Step::Done, None)),
            Comparison::New => None,
            Comparison::Different { record_id, fields, .. } => Some(Difference {
                object: object.as_str().to_owned(),
                external_id: external_id.to_owned(),
                record_id: Some(record_id),
                fields,
                missing: false,
                repaired: true,
            }),
        };
        match self.visit(object, external_id).await? {
            Ended::Delayed(Delay::Unavailable(_)) => return Ok((Step::Unavailable, None)),
            Ended::Delayed(Delay::NotSent(seconds)) => return Ok((Step::NotSent(seconds), None)),
            Ended::Settled(InboxState::Applied, _) => {
                if let Some(difference) = difference {
                    sweep.repaired(object, external_id);
                    self.report(object, &difference).await?;
                }
            }
            Ended::Settled(InboxState::Unchanged, _) => {}
            Ended::Settled(..) | Ended::Delayed(_) if difference.is_none() => {
                sweep.created = sweep.created.saturating_sub(1);
            }
            Ended::Settled(..) | Ended::Delayed(_) => {}
        }
        Ok((Step::Done, None))
    }

    /// Fetches and applies an object. A server that was killed may hold its lease for a while longer than that of the sweep.
    async fn visit(&self, object: ObjectKind, external_id: &str) -> Result<Ended, Error> {
        let mut ended = self.work().visit(object, external_id, 0).await?;
        for _ in 0..BUSY_TRIES {
            if !matches!(ended, Ended::Delayed(Delay::Busy)) {
                break;
            }
            ended = self.work().visit(object, external_id, 0).await?;
        }
        Ok(ended)
    }

    /// Linked objects that were in no list. Nothing that is missing at a provider changes anything here.
    async fn missing_page(&self, sweep: &mut Sweep) -> Result<Step, Error> {
        let Some(object) = LISTED.get(sweep.list).copied() else {
            sweep.compared(self.applies(sweep));
            return Ok(Step::Done);
        };
        let connection = &self.open.connection;
        let made_since = match object {
            ObjectKind::Payment => sweep.began().plus_seconds(-PAYMENT_SECONDS),
            _ => Time::MIN,
        };
        let after = sweep.cursor.clone().unwrap_or_default();
        let key = (connection.organization_id, connection.id);
        let times = (sweep.began(), made_since);
        let links = connection_progress::unseen(&self.app.db, key, object, &after, times, MISSING_AT_ONCE).await?;
        for link in &links {
            let provider = self.app.payment_providers();
            match provider.fetch_in_sweep(self.account, object, &link.external_id).await {
                Fetched::Unavailable { .. } => return Ok(Step::Unavailable),
                Fetched::NotSent(seconds) => return Ok(Step::NotSent(seconds)),
                Fetched::NotFound => self.report_missing(sweep, link).await?,
                Fetched::Found(mapped) => {
                    self.count(sweep, &mapped).await?;
                    // No list has it, so that it is not found again when the lists are applied.
                    if self.applies(sweep) && !sweep.is_suspicious() {
                        let (step, _) = self.apply(sweep, &mapped).await?;
                        if !matches!(step, Step::Done) {
                            return Ok(step);
                        }
                    }
                }
                _ => {}
            }
        }
        sweep.cursor = links.last().map(|link| link.external_id.clone());
        if links.len() < usize::try_from(MISSING_AT_ONCE).unwrap_or_default() {
            sweep.advance(None, LISTED.len(), self.applies(sweep));
        }
        Ok(Step::Done)
    }

    async fn report_missing(&self, sweep: &mut Sweep, link: &Link) -> Result<(), Error> {
        let difference = Difference {
            object: link.object.as_str().to_owned(),
            external_id: link.external_id.clone(),
            record_id: Some(record_id(link)),
            fields: serde_json::json!({}),
            missing: true,
            repaired: false,
        };
        if !sweep.options.dry_run {
            self.report(link.object, &difference).await?;
        }
        sweep.note(difference);
        Ok(())
    }

    async fn report(&self, object: ObjectKind, difference: &Difference) -> Result<(), Error> {
        let event = drift::Difference {
            object: Some(object),
            external_id: Some(difference.external_id.clone()),
            record_id: difference.record_id.clone(),
            fields: difference.fields.as_object().cloned().unwrap_or_default(),
            missing: difference.missing,
            repaired: difference.repaired,
            stopped: false,
        };
        report(self.app, &self.open.connection, &event, &self.request_id()).await
    }

    fn work(&self) -> Work<'_> {
        Work { app: self.app, open: self.open, key: "sweep", custom_user: None, is_sweep: true }
    }

    fn request_id(&self) -> String {
        format!("{}/sweep", self.open.connection.id)
    }
}

/// The object that a mapping is about. An order is applied as its payment.
fn name(mapped: &Mapped) -> Option<(ObjectKind, &str)> {
    let payment = mapped.payment.as_ref().map(|facts| (ObjectKind::Payment, facts.external_id.as_str()));
    let subscription = mapped.subscription.as_ref().map(|facts| (ObjectKind::Subscription, facts.external_id.as_str()));
    let price = mapped.price.as_ref().map(|facts| (ObjectKind::Price, facts.external_id.as_str()));
    payment.or(subscription).or(price)
}

fn is_recent(mapped: &Mapped, list: List, since: Time) -> bool {
    list != List::Payments || mapped.payment.as_ref().is_none_or(|facts| facts.created_at >= since)
}

fn record_id(link: &Link) -> String {
    use perennial_domain::id::{PaymentId, PlanId, SubscriptionId, UserId};
    match link.object {
        ObjectKind::Customer => UserId::from_bytes(link.record_id).to_string(),
        ObjectKind::Price => PlanId::from_bytes(link.record_id).to_string(),
        ObjectKind::Subscription => SubscriptionId::from_bytes(link.record_id).to_string(),
        ObjectKind::Payment => PaymentId::from_bytes(link.record_id).to_string(),
    }
}
