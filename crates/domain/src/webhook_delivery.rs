//! Delivery of events to webhook endpoints: what is stored of it, and what follows from an attempt.
//!
//! Every decision is a pure function of the reader, the row of the event and the outcome, so that two servers that
//! decide the same thing decide it alike, and a test can run years of retries.

use crate::id::{EventId, OrganizationId, WebhookAttemptId, WebhookEndpointId};
use crate::time::Time;
use crate::webhooks::WebhookOptions;
use crate::words::words;

/// Failures in a row, of any events, that open the circuit.
pub const CIRCUIT_FAILURES: i64 = 10;

/// An event waits behind an undelivered one of its record until that has failed this often.
pub const BLOCKING_ATTEMPTS: i64 = 4;

/// A `Retry-After` is honored up to this time.
const MAX_RETRY_AFTER_SECONDS: i64 = 6 * 3_600;

/// The position of an endpoint in the feed, and the state of its circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reader {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The endpoint.
    pub endpoint_id: WebhookEndpointId,
    /// Every event up to this position was delivered, has a row, or does not concern the endpoint.
    pub sequence: i64,
    /// Failures since the last success.
    pub failures: i64,
    /// The first failure since the last success.
    pub failing_since: Option<Time>,
    /// Probes since the circuit opened.
    pub probes: i64,
    /// When the next probe is due. The circuit is open as long as there is one.
    pub next_probe_at: Option<Time>,
}

impl Reader {
    /// The reader of a new endpoint.
    pub const fn new(organization_id: OrganizationId, endpoint_id: WebhookEndpointId, sequence: i64) -> Self {
        Self {
            organization_id,
            endpoint_id,
            sequence,
            failures: 0,
            failing_since: None,
            probes: 0,
            next_probe_at: None,
        }
    }

    /// Whether the circuit is open: only probes are sent.
    pub const fn is_open(&self) -> bool {
        self.next_probe_at.is_some()
    }

    /// The reader with a closed circuit and no failures.
    #[must_use]
    pub const fn closed(&self) -> Self {
        Self::new(self.organization_id, self.endpoint_id, self.sequence)
    }
}

words! {
    /// Why an attempt was made.
    Trigger {
        /// The event is new.
        Event = "event",
        /// An earlier attempt failed.
        Retry = "retry",
        /// A call requested it.
        Resend = "resend",
        /// The circuit is open.
        Probe = "probe",
        /// A call requested a sample.
        Ping = "ping",
    }
}

words! {
    /// Whether an attempt delivered the event.
    Outcome {
        /// It did.
        Succeeded = "succeeded",
        /// It did not.
        Failed = "failed",
    }
}

words! {
    /// Why an attempt failed.
    AttemptError {
        /// The status was not 2xx.
        Status = "status",
        /// The status was 3xx. Redirects are not followed.
        Redirect = "redirect",
        /// There was no response in time.
        Timeout = "timeout",
        /// No connection.
        ConnectFailed = "connect_failed",
        /// No TLS session.
        TlsFailed = "tls_failed",
        /// The name has no address.
        DnsFailed = "dns_failed",
        /// Every address of the name is forbidden.
        AddressNotAllowed = "address_not_allowed",
        /// The response was not HTTP.
        ProtocolError = "protocol_error",
    }
}

words! {
    /// What becomes of an undelivered event.
    UndeliveredState {
        /// It will be sent again.
        Waiting = "waiting",
        /// It is sent again on request only.
        GivenUp = "given_up",
    }
}

/// The response of an endpoint, or why there was none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status, if there was one.
    pub status: Option<u16>,
    /// Why the attempt failed.
    pub error: Option<AttemptError>,
    /// The seconds of `Retry-After`, from now.
    pub retry_after: Option<i64>,
    /// The beginning of the body.
    pub body: String,
    /// How long it took.
    pub duration_ms: i64,
}

impl Response {
    /// The response with this status: 2xx is success, and everything else fails.
    pub fn of_status(status: u16) -> Self {
        let error = match status {
            200..=299 => None,
            300..=399 => Some(AttemptError::Redirect),
            _ => Some(AttemptError::Status),
        };
        Self { status: Some(status), error, ..Self::default() }
    }

    /// Whether the event was delivered.
    pub const fn is_success(&self) -> bool {
        self.error.is_none()
    }

    /// The least delay that the endpoint requests.
    fn least_delay(&self) -> i64 {
        let counts = matches!(self.status, Some(429 | 500..=599));
        self.retry_after.filter(|_| counts).unwrap_or(0).clamp(0, MAX_RETRY_AFTER_SECONDS)
    }
}

/// One attempt, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The endpoint.
    pub endpoint_id: WebhookEndpointId,
    /// Its ID.
    pub id: WebhookAttemptId,
    /// The event.
    pub event_id: EventId,
    /// The type of the event.
    pub event_type: String,
    /// Why it was made.
    pub trigger: Trigger,
    /// The number of the attempt for this event and endpoint, from 1. Probes do not count, and it begins again if an event that
    /// was delivered is sent again.
    pub number: i64,
    /// Whether it succeeded.
    pub outcome: Outcome,
    /// The status of the response.
    pub status: Option<i64>,
    /// Why it failed.
    pub error: Option<AttemptError>,
    /// How long it took.
    pub duration_ms: i64,
    /// The beginning of the response's body.
    pub response: String,
    /// When it began.
    pub created_at: Time,
}

/// An event that was not delivered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The endpoint.
    pub endpoint_id: WebhookEndpointId,
    /// The event's position.
    pub sequence: i64,
    /// The event.
    pub event_id: EventId,
    /// The type of the event.
    pub event_type: String,
    /// The event's record.
    pub record_id: [u8; 16],
    /// When the event entered the feed.
    pub entered_at: Time,
    /// What becomes of it.
    pub state: UndeliveredState,
    /// The number of failed attempts; 0 while it waits behind an earlier event of its record.
    pub attempts: i64,
    /// Whether a call requested the next attempt.
    pub is_resend: bool,
    /// When it is sent again. None while it waits behind an earlier event of its record.
    pub next_attempt_at: Option<Time>,
    /// The first failure since it was sent again, or ever.
    pub first_failed_at: Option<Time>,
    /// The last status.
    pub last_status: Option<i64>,
    /// The last error.
    pub last_error: Option<AttemptError>,
}

impl Undelivered {
    /// Whether later events of its record wait for it.
    pub fn is_blocking(&self) -> bool {
        self.state == UndeliveredState::Waiting && self.attempts < BLOCKING_ATTEMPTS
    }
}

/// The schedule of retries and probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The delays after the first, second, … failed attempt.
    pub retry_seconds: Vec<i64>,
    /// The delays between probes; the last one repeats.
    pub probe_seconds: Vec<i64>,
    /// An endpoint that fails for this long is disabled.
    pub disable_after_seconds: i64,
}

impl Schedule {
    /// The schedule of these settings.
    pub fn of(options: &WebhookOptions) -> Self {
        Self {
            retry_seconds: options.retry_seconds.iter().copied().map(i64::from).collect(),
            probe_seconds: options.probe_seconds.iter().copied().map(i64::from).collect(),
            disable_after_seconds: i64::from(options.disable_after_seconds),
        }
    }

    /// The microseconds before the next attempt, after this many have failed; none if that was the last. Jitter adds up
    /// to a fifth, so that endpoints that failed together are not tried together.
    fn retry_delay(&self, failed: i64, least: i64, jitter: u8) -> Option<i64> {
        let delay = usize::try_from(failed - 1).ok().and_then(|place| self.retry_seconds.get(place))?;
        let micros = delay.max(&least) * MICROS;
        Some(micros + micros / 5 * i64::from(jitter) / 255)
    }

    /// The longest time from the first failure of an event until it is given up, as long as the endpoint is not disabled.
    pub fn longest_seconds(&self) -> i64 {
        let delays = self.retry_seconds.iter().map(|delay| (*delay).max(MAX_RETRY_AFTER_SECONDS));
        delays.sum::<i64>() / 5 * 6 + self.disable_after_seconds
    }

    /// The reader after a probe that found nothing to send: only a success closes the circuit.
    pub fn without_probe(&self, reader: &Reader, now: Time) -> Reader {
        Reader { next_probe_at: Some(self.probe_at(reader.probes, now)), ..reader.clone() }
    }

    /// The time of the next probe, after this many.
    fn probe_at(&self, probes: i64, now: Time) -> Time {
        let place = usize::try_from(probes).unwrap_or(usize::MAX);
        let delay = self.probe_seconds.get(place).or(self.probe_seconds.last()).copied().unwrap_or(3_600);
        now.plus_seconds(delay)
    }
}

const MICROS: i64 = 1_000_000;

/// What becomes of the endpoint after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// Its circuit opens.
    Failing,
    /// Its circuit closes.
    Recovered,
    /// It is disabled: it failed for too long.
    DisabledFailing,
    /// It is disabled: it is gone.
    DisabledGone,
}

/// What follows from an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consequence {
    /// The reader afterwards, at the same position.
    pub reader: Reader,
    /// The event's row afterwards; none if it was delivered.
    pub row: Option<Undelivered>,
    /// What becomes of the endpoint.
    pub transition: Option<Transition>,
}

/// Decides what follows from an attempt. `row` is the event as undelivered: a stored row, or one with no attempts for an
/// event that is sent for the first time.
pub fn decide(
    schedule: &Schedule,
    reader: &Reader,
    row: &Undelivered,
    trigger: Trigger,
    response: &Response,
    now: Time,
    jitter: u8,
) -> Consequence {
    if response.is_success() {
        let transition = reader.is_open().then_some(Transition::Recovered);
        return Consequence { reader: reader.closed(), row: None, transition };
    }
    let failing_since = reader.failing_since.unwrap_or(now);
    let mut after = Reader { failures: reader.failures + 1, failing_since: Some(failing_since), ..reader.clone() };
    let mut transition = None;
    if response.status == Some(410) {
        transition = Some(Transition::DisabledGone);
    } else if now >= failing_since.plus_seconds(schedule.disable_after_seconds) {
        transition = Some(Transition::DisabledFailing);
    } else if reader.is_open() {
        if trigger == Trigger::Probe {
            after.probes += 1;
            after.next_probe_at = Some(schedule.probe_at(after.probes, now));
        }
    } else if after.failures >= CIRCUIT_FAILURES {
        after.probes = 0;
        after.next_probe_at = Some(schedule.probe_at(0, now));
        transition = Some(Transition::Failing);
    }
    let row = failed(schedule, row, trigger, response, now, jitter);
    Consequence { reader: after, row: Some(row), transition }
}

/// The row of an event after a failed attempt. A probe does not use up an attempt.
fn failed(
    schedule: &Schedule,
    row: &Undelivered,
    trigger: Trigger,
    response: &Response,
    now: Time,
    jitter: u8,
) -> Undelivered {
    let mut after = Undelivered {
        first_failed_at: row.first_failed_at.filter(|_| trigger != Trigger::Resend).or(Some(now)),
        last_status: response.status.map(i64::from),
        last_error: response.error,
        ..row.clone()
    };
    if trigger != Trigger::Probe {
        after.attempts += 1;
        after.is_resend = false;
        let delay = schedule.retry_delay(after.attempts, response.least_delay(), jitter);
        after.next_attempt_at = delay.map(|delay| now.plus_micros(delay));
        after.state = if delay.is_some() { UndeliveredState::Waiting } else { UndeliveredState::GivenUp };
    }
    after
}

#[cfg(test)]
mod tests;
