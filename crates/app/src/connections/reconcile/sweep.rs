//! Sweeps: a page of a list is compared, or applied, and the progress is stored. What was applied twice after a kill is
//! unchanged the second time.

use super::Run;
use super::compare::{Compared, Comparison, differences};
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
pub(super) const PAYMENT_SECONDS: i64 = 90 * 86_400;
/// How often the lease on an object is waited for again: in all for longer than a lease lasts.
const BUSY_TRIES: usize = 10;

/// What became of an object.
pub(super) enum Step {
    Done,
    /// The provider does not answer: the page is tried again later.
    Unavailable,
    /// The connection has used up its requests for this many seconds.
    NotSent(i64),
}

/// What the comparison of an object shows.
pub(super) struct Counted {
    /// The links of its records.
    links: Vec<Link>,
    /// Whether there is nothing to apply.
    pub(super) is_same: bool,
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
            SweepPhase::Missing | SweepPhase::ApplyMissing => self.missing_page(sweep).await?,
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

    /// Stores the progress, or the end. A dry run leaves those of other sweeps as they are.
    async fn store(&self, sweep: &Sweep) -> Result<(), Error> {
        if sweep.options.dry_run {
            return Ok(());
        }
        let connection = &self.open.connection;
        let (organization, id) = (connection.organization_id, connection.id);
        if !sweep.is_done {
            return self.commit(connection_progress::sweep(Change::new(), organization, id, &sweep.to_stored())).await;
        }
        if sweep.stopped {
            let difference = drift::Difference { stopped: true, ..drift::Difference::default() };
            report(self.app, connection, &difference, &self.request_id()).await?;
        }
        let now = self.app.clock.now();
        self.commit(connection_progress::swept(Change::new(), organization, id, now)).await
    }

    pub(super) fn applies(&self, sweep: &Sweep) -> bool {
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
        let mut seen = Vec::new();
        for object in page.objects.iter().filter(|object| lists::is_within(service, object, scope)) {
            let mapped = match self.map(service, list, object).await? {
                Ok(mapped) => mapped,
                Err(step) => return Ok(step),
            };
            let Some(mapped) = mapped.filter(|mapped| is_recent(mapped, list, since)) else { continue };
            if sweep.phase() == SweepPhase::Apply {
                match self.apply(sweep, &mapped).await? {
                    Step::Done => {}
                    step => return Ok(step),
                }
            } else {
                seen.extend(self.count(sweep, &mapped).await?.links);
            }
        }
        self.mark_seen(sweep, &seen).await?;
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
    pub(super) async fn count(&self, sweep: &mut Sweep, mapped: &Mapped) -> Result<Counted, Error> {
        let records = self.compare(mapped).await?;
        sweep.seen += u64::from(!records.is_empty());
        for Compared { object, comparison, .. } in &records {
            let is_linked = !matches!(comparison, Comparison::New);
            sweep.linked += u64::from(is_linked && *object == ObjectKind::Subscription);
            sweep.losing += u64::from(matches!(comparison, Comparison::Different { loses_access: true, .. }));
        }
        let differences = differences(&records, false);
        let is_new = records.iter().any(|record| matches!(record.comparison, Comparison::New));
        let is_same = differences.is_empty() && !is_new;
        if !differences.is_empty() {
            sweep.different += 1;
        } else if is_new {
            sweep.created += 1;
        }
        for difference in differences {
            if self.open.connection.drift == Drift::Alert && !sweep.options.dry_run {
                self.report(&difference).await?;
            }
            sweep.note(difference);
        }
        Ok(Counted { links: records.into_iter().filter_map(|record| record.comparison.into_link()).collect(), is_same })
    }

    /// Applies an object that differs or is new, as a hint would.
    pub(super) async fn apply(&self, sweep: &mut Sweep, mapped: &Mapped) -> Result<Step, Error> {
        let records = self.compare(mapped).await?;
        let is_same = records.iter().all(|record| matches!(record.comparison, Comparison::Same(_)));
        let Some((object, external_id)) = name(mapped).filter(|_| !is_same) else { return Ok(Step::Done) };
        let differences = differences(&records, true);
        match self.visit(object, external_id).await? {
            Ended::Delayed(Delay::Unavailable(_)) => return Ok(Step::Unavailable),
            Ended::Delayed(Delay::NotSent(seconds)) => return Ok(Step::NotSent(seconds)),
            Ended::Settled(InboxState::Applied, _) if !differences.is_empty() => {
                sweep.repaired(&differences);
                for difference in &differences {
                    self.report(difference).await?;
                }
            }
            Ended::Settled(InboxState::Applied | InboxState::Unchanged, _) => {}
            Ended::Settled(..) | Ended::Delayed(_) if differences.is_empty() => {
                sweep.created = sweep.created.saturating_sub(1);
            }
            Ended::Settled(..) | Ended::Delayed(_) => {}
        }
        Ok(Step::Done)
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

    pub(super) async fn report(&self, difference: &Difference) -> Result<(), Error> {
        let event = drift::Difference {
            object: ObjectKind::from_stored(&difference.object),
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
