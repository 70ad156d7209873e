//! The actions of the engine: which one is next, and what it does.
//!
//! The next action follows from the stored record alone. `act` makes it at its instant, however late the engine is.

use crate::events::EventKind;
use crate::lifecycle::Known;
use crate::lifecycle::billing::{Billing, ParkReason, Parked};
use crate::organizations::billing::OrganizationBilling;
use crate::plans::billing::TrialEndBehavior;
use crate::subscriptions::{Subscription, SubscriptionStatus};
use crate::time::Time;

pub use super::action::Action;
use SubscriptionStatus::{Active, Cancelled, Expired, Incomplete, OnTrial, PastDue, Paused, Pending, Unpaid};

/// Seconds between the notice of the end of a trial and that end.
const TRIAL_NOTICE: i64 = 3 * DAY;
pub(super) const DAY: i64 = 86_400;

/// What an action did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The action.
    pub action: Action,
    /// Its instant.
    pub at: Time,
    /// Its event.
    pub event: EventKind,
    /// The subscription after it, apart from its stamp.
    pub after: Subscription,
    /// Whether the subscription grants access from then on, if the action changed that.
    pub access: Option<bool>,
}

impl Subscription {
    /// The next action and its instant. None for an external subscription, and if the engine has nothing to do.
    pub fn next_action(&self) -> Option<(Action, Time)> {
        let billing = self.billing.as_deref().filter(|billing| billing.parked.is_none())?;
        let own = match self.status {
            Pending => Some((Action::Start, self.starts_at)),
            OnTrial => billing.trial_ends_at.map(|at| (Action::TrialEnd, at)),
            Paused => billing.resumes_at.map(|at| (Action::Resume, at)),
            Active | PastDue => self.renews_at.map(|at| (Action::Renew, at)),
            Incomplete => billing.gives_up_at.map(|at| (Action::GiveUp, at)),
            Unpaid | Cancelled => None,
            Expired => return None,
        };
        let notice = match self.status {
            OnTrial | Active | PastDue => billing.notice_at.map(|at| (Action::Notice, at)),
            _ => None,
        };
        let end = self.ends_at.map(|at| (Action::End, at));
        [own, end, notice].into_iter().flatten().min_by_key(|(action, at)| (*at, *action))
    }

    /// Computes when the notice, the next action and the engine's work are due. Every decision ends with it.
    pub(crate) fn schedule(&mut self, settings: &OrganizationBilling) {
        let notice_at = self.notice_instant(settings);
        if let Some(billing) = &mut self.billing {
            billing.notice_at = notice_at;
        }
        self.set_next_action();
        self.due_at = self.due_time(settings);
    }

    /// Sets the next action from the stored fields.
    pub fn set_next_action(&mut self) {
        let next = self.next_action();
        if let Some(billing) = &mut self.billing {
            billing.next = next;
        }
    }

    /// When the engine works on the subscription: the instant of the next action. Renewals are delayed by a fixed part of
    /// the time that the organization spreads them over, but not beyond the end of the subscription, which is not delayed.
    pub fn due_time(&self, settings: &OrganizationBilling) -> Option<Time> {
        let (action, at) = self.next_action()?;
        let seconds = settings.spread_minutes.get() * 60;
        if action != Action::Renew || seconds == 0 {
            return Some(at);
        }
        let id = self.id.bytes();
        let random = i64::from(u32::from_be_bytes([id[12], id[13], id[14], id[15]]));
        let spread = at.plus_seconds(random % seconds);
        Some(self.ends_at.map_or(spread, |ends_at| spread.min(ends_at)))
    }

    /// When the notice of the trial or the period is due, if none was given. None if the instant is before it began.
    fn notice_instant(&self, settings: &OrganizationBilling) -> Option<Time> {
        let billing = self.billing.as_deref().filter(|billing| !billing.is_noticed)?;
        let (end, seconds) = match self.status {
            OnTrial => (billing.trial_ends_at?, TRIAL_NOTICE),
            Active | PastDue => (self.renews_at?, settings.renewal_notice_days.get() * DAY),
            _ => return None,
        };
        let ends_before = self.status != OnTrial && self.ends_at.is_some_and(|ends_at| ends_at <= end);
        if seconds == 0 || ends_before {
            return None;
        }
        let at = Time::from_micros(end.as_micros() - seconds * 1_000_000)?;
        Some(at).filter(|at| billing.period_start.is_none_or(|began| *at >= began))
    }

    /// Whether an action of a billed subscription is due.
    pub fn is_behind(&self, now: Time) -> bool {
        self.next_action().is_some_and(|(_, at)| at <= now)
    }

    /// Makes the next action, whether it is due or not. None: there is none.
    pub fn act(&self, known: &Known) -> Option<Result<Step, ParkReason>> {
        let (action, at) = self.next_action()?;
        Some(self.make(action, at, known))
    }

    fn make(&self, action: Action, at: Time, known: &Known) -> Result<Step, ParkReason> {
        let mut after = self.clone();
        after.take_bills();
        let event = match action {
            Action::Start => {
                after.start(at, known)?;
                EventKind::SubscriptionStarted
            }
            Action::End | Action::GiveUp => {
                after.expire(at, known);
                EventKind::SubscriptionExpired
            }
            Action::TrialEnd => after.end_trial(at, known)?,
            Action::Resume => {
                after.resume(at, known)?;
                EventKind::SubscriptionResumed
            }
            Action::Renew => {
                after.begin_period(at, known)?;
                EventKind::SubscriptionRenewed
            }
            Action::Notice => {
                if let Some(billing) = &mut after.billing {
                    billing.is_noticed = true;
                }
                match self.status {
                    OnTrial => EventKind::SubscriptionTrialEnding,
                    _ => EventKind::SubscriptionRenewalUpcoming,
                }
            }
        };
        after.schedule(&known.settings);
        let (had, has) = (self.had_access(at), after.has_access(at));
        Ok(Step { action, at, event, after, access: (had != has).then_some(has) })
    }

    /// The subscription that the engine does not work on any more, until it may try again.
    #[must_use]
    pub fn park(&self, reason: ParkReason, now: Time) -> Self {
        let mut after = self.clone();
        if let Some(billing) = &mut after.billing {
            billing.parked = Some(Parked { at: now, reason });
        }
        after.schedule(&OrganizationBilling::default());
        after
    }

    /// The subscription that the engine works on again.
    #[must_use]
    pub fn unpark(&self, settings: &OrganizationBilling) -> Self {
        let mut after = self.clone();
        if let Some(billing) = &mut after.billing
            && billing.parked.take().is_some()
        {
            after.schedule(settings);
        }
        after
    }

    fn start(&mut self, at: Time, known: &Known) -> Result<(), ParkReason> {
        match self.trial_ends_at() {
            Some(_) => {
                self.set_status(OnTrial, at);
                self.begin_trial(at);
                Ok(())
            }
            None => {
                self.set_status(self.status_when_active(at), at);
                self.begin_period(at, known)
            }
        }
    }

    fn end_trial(&mut self, at: Time, known: &Known) -> Result<EventKind, ParkReason> {
        let can_charge = self.billing.as_deref().is_none_or(Billing::can_charge);
        let behavior = match &known.own {
            _ if can_charge => TrialEndBehavior::Bill,
            Some(plan) => plan.settings().trial_end_behavior,
            None => return Err(ParkReason::MissingPlan),
        };
        match behavior {
            TrialEndBehavior::Bill => self.begin_period_after_trial(at, known)?,
            TrialEndBehavior::Cancel => {
                self.expire(at, known);
                return Ok(EventKind::SubscriptionExpired);
            }
            TrialEndBehavior::Pause => {
                self.set_status(Paused, at);
                if let Some(billing) = &mut self.billing {
                    billing.paused_at = Some(at);
                }
            }
        }
        Ok(EventKind::SubscriptionTrialEnded)
    }
}
