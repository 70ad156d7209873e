//! Retries, the circuit and the end of an endpoint, over its whole life.

use super::*;
use proptest::prelude::*;

fn at(seconds: i64) -> Time {
    Time::from_micros(1_800_000_000_000_000).unwrap().plus_seconds(seconds)
}

fn schedule() -> Schedule {
    Schedule::of(&WebhookOptions::default())
}

fn reader() -> Reader {
    Reader::new(OrganizationId::from_bytes([1; 16]), WebhookEndpointId::from_bytes([2; 16]), 7)
}

fn undelivered() -> Undelivered {
    Undelivered {
        organization_id: OrganizationId::from_bytes([1; 16]),
        endpoint_id: WebhookEndpointId::from_bytes([2; 16]),
        sequence: 8,
        event_id: EventId::from_bytes([3; 16]),
        event_type: "plan.created".to_owned(),
        record_id: [4; 16],
        entered_at: at(0),
        state: UndeliveredState::Waiting,
        attempts: 0,
        is_resend: false,
        next_attempt_at: None,
        first_failed_at: None,
        last_status: None,
        last_error: None,
    }
}

fn fail(reader: &Reader, row: &Undelivered, trigger: Trigger, status: u16, now: Time) -> Consequence {
    decide(&schedule(), reader, row, trigger, &Response::of_status(status), now, 0)
}

#[test]
fn the_failures_of_an_event_that_is_sent_again_begin_again() {
    let given_up =
        Undelivered { state: UndeliveredState::GivenUp, attempts: 11, first_failed_at: Some(at(0)), ..undelivered() };
    let resent = Undelivered { state: UndeliveredState::Waiting, is_resend: true, ..given_up };
    let after = fail(&reader(), &resent, Trigger::Resend, 500, at(60)).row.unwrap();
    assert_eq!((after.state, after.first_failed_at), (UndeliveredState::GivenUp, Some(at(60))));
    let longest = schedule().longest_seconds();
    assert!(longest > 71 * 3_600 && longest < 15 * 86_400, "{longest}");
}

#[test]
fn eleven_attempts_in_seventy_one_hours_and_then_no_more() {
    let mut row = undelivered();
    let mut now = at(0);
    let mut delays = Vec::new();
    loop {
        // Another event is delivered in between, so the circuit stays closed.
        let after = fail(&reader(), &row, Trigger::Retry, 500, now).row.unwrap();
        let Some(next) = after.next_attempt_at else {
            assert_eq!((after.state, after.attempts), (UndeliveredState::GivenUp, 11));
            break;
        };
        delays.push(next.seconds_since(now));
        (row, now) = (after, next);
    }
    assert_eq!(delays, schedule().retry_seconds);
    assert_eq!(now.seconds_since(at(0)) / 3_600, 70);
}

#[test]
fn later_events_of_the_record_wait_for_three_retries() {
    let mut row = undelivered();
    for attempts in 1..=4 {
        row = fail(&reader(), &row, Trigger::Retry, 500, at(0)).row.unwrap();
        assert_eq!((row.attempts, row.is_blocking()), (attempts, attempts < 4));
    }
}

#[test]
fn retry_after_is_a_minimum_up_to_six_hours_for_429_and_5xx() {
    let delay = |status, retry_after| {
        let response = Response { retry_after: Some(retry_after), ..Response::of_status(status) };
        let after = decide(&schedule(), &reader(), &undelivered(), Trigger::Event, &response, at(0), 0);
        after.row.unwrap().next_attempt_at.unwrap().seconds_since(at(0))
    };
    assert_eq!([delay(429, 60), delay(503, 60), delay(404, 60), delay(429, 1)], [60, 60, 5, 5]);
    assert_eq!([delay(500, 1_000_000), delay(500, -5)], [21_600, 5]);
}

#[test]
fn ten_failures_in_a_row_open_the_circuit_and_a_success_closes_it() {
    let mut reader = reader();
    for failures in 1..=10 {
        let after = fail(&reader, &undelivered(), Trigger::Event, 500, at(failures));
        assert_eq!(after.transition, (failures == 10).then_some(Transition::Failing));
        reader = after.reader;
    }
    assert_eq!((reader.failing_since, reader.next_probe_at), (Some(at(1)), Some(at(20))));
    let mut delays = Vec::new();
    let mut now = at(20);
    let stored = Undelivered { attempts: 2, next_attempt_at: Some(at(99)), ..undelivered() };
    for _ in 0..6 {
        let after = fail(&reader, &stored, Trigger::Probe, 500, now);
        assert_eq!(after.transition, None);
        let probed = after.row.unwrap();
        assert_eq!((probed.attempts, probed.next_attempt_at), (2, Some(at(99))), "a probe uses up no attempt");
        delays.push(after.reader.next_probe_at.unwrap().seconds_since(now));
        (now, reader) = (after.reader.next_probe_at.unwrap(), after.reader);
    }
    assert_eq!(delays, [30, 120, 600, 3_600, 3_600, 3_600]);
    let after = fail(&reader, &stored, Trigger::Probe, 204, now);
    assert_eq!(
        (after.transition, after.reader, after.row),
        (Some(Transition::Recovered), Reader::new(stored.organization_id, stored.endpoint_id, 7), None)
    );
}

#[test]
fn a_probe_without_an_event_leaves_the_circuit_open_and_uses_up_no_delay() {
    let open = Reader { failures: 10, failing_since: Some(at(0)), probes: 2, next_probe_at: Some(at(9)), ..reader() };
    let after = schedule().without_probe(&open, at(10));
    assert_eq!(after, Reader { next_probe_at: Some(at(130)), ..open });
}

#[test]
fn an_endpoint_that_is_gone_or_fails_for_five_days_is_disabled() {
    assert_eq!(fail(&reader(), &undelivered(), Trigger::Event, 410, at(0)).transition, Some(Transition::DisabledGone));
    let failing = Reader { failing_since: Some(at(0)), failures: 3, ..reader() };
    let transition = |seconds| fail(&failing, &undelivered(), Trigger::Retry, 500, at(seconds)).transition;
    assert_eq!(transition(431_999), None);
    assert_eq!(transition(432_000), Some(Transition::DisabledFailing));
}

proptest! {
    /// Jitter adds at most a fifth and never subtracts; a circuit is open exactly from the tenth failure to the next success.
    #[test]
    fn jitter_and_circuit(outcomes in prop::collection::vec(any::<(bool, u8)>(), 1..60)) {
        let rules = schedule();
        let mut reader = reader();
        let mut row = undelivered();
        let mut in_a_row = 0;
        for (place, (success, jitter)) in outcomes.into_iter().enumerate() {
            let now = at(i64::try_from(place).unwrap());
            let response = Response::of_status(if success { 200 } else { 500 });
            let trigger = if reader.is_open() { Trigger::Probe } else { Trigger::Retry };
            let after = decide(&rules, &reader, &row, trigger, &response, now, jitter);
            in_a_row = if success { 0 } else { in_a_row + 1 };
            prop_assert_eq!(after.reader.is_open(), in_a_row >= CIRCUIT_FAILURES);
            prop_assert_eq!(after.reader.failing_since.is_some(), in_a_row > 0);
            if let Some(after) = &after.row && trigger == Trigger::Retry && let Some(next) = after.next_attempt_at {
                let base = rules.retry_seconds[usize::try_from(after.attempts - 1).unwrap()];
                let delay = next.as_micros() - now.as_micros();
                prop_assert!((base * MICROS..=base * MICROS * 6 / 5).contains(&delay));
            }
            row = after.row.filter(|row| row.state == UndeliveredState::Waiting).unwrap_or_else(undelivered);
            reader = after.reader;
        }
    }
}
