//! A simulation: a provider with idempotency keys, requests and answers that are lost, kills at every step, and days that pass.

use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

const START: i64 = 1_767_225_600;

fn at(seconds: i64) -> Time {
    Time::from_micros((START + seconds) * 1_000_000).unwrap()
}

fn begin(number: u64) -> Collection {
    Collection {
        organization_id: OrganizationId::new(at(0), 1),
        payment_id: PaymentId::new(at(0), number),
        number: 1,
        connection_id: ConnectionId::new(at(0), 1),
        state: Choosing,
        payment_method: None,
        customer: Some("cus_1".to_owned()),
        intent_id: None,
        sends: 0,
        sent_at: None,
        next_attempt_at: Some(at(0)),
        code: None,
        decline_code: None,
        created_at: at(0),
        updated_at: at(0),
    }
}

#[test]
fn without_a_connection_only_what_was_never_requested_fails() {
    let new = begin(1);
    let sent = Collection { state: Creating, ..begin(1) }.sending(at(1));
    let (failed, effect) = new.without_connection(None, at(2)).unwrap();
    assert_eq!((failed.state, failed.code.as_deref(), effect), (Failed, Some("collecting_disabled"), Effect::Failed));
    let (stopped, effect) = sent.without_connection(None, at(2)).unwrap();
    assert_eq!((stopped.state, stopped.next_attempt_at, effect), (Creating, None, Effect::None));
    assert_eq!(failed.without_connection(None, at(3)), None);
}

#[test]
fn a_slow_intent_is_looked_at_after_a_minute_and_later_every_hour() {
    let processing =
        || Answer::Intent(Intent { id: "pi_1".to_owned(), status: "processing".to_owned(), ..Intent::default() });
    let watched = Collection { state: Watching, intent_id: Some("pi_1".to_owned()), ..begin(1) };
    for (now, delay) in [(1, 60), (61, 61), (600, 600), (90_000, 3600)] {
        let (next, effect) = watched.after(&watched.step(at(now)).unwrap(), processing(), at(now));
        assert_eq!((next.next_attempt_at, effect), (Some(at(now + delay)), Effect::None));
    }
}

/// What goes wrong at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// The process dies before the request, after it, or after the answer, and nothing of it is stored.
    KillBefore,
    KillAfter,
    LoseRequest,
    LoseAnswer,
    /// Status 500 without effect, and with: the second is what the key returns from then on.
    FailBefore,
    FailAfter,
    Rejected,
    /// A day passes before the step.
    Day,
}

#[derive(Clone, Copy, Debug)]
enum Card {
    Good,
    Declined,
    Slow,
    SlowThenDeclined,
    /// It succeeds at the moment when it is canceled.
    Racing,
}

/// The provider: it remembers keys for a day.
struct Stripe {
    card: Card,
    intents: Vec<Intent>,
    keys: HashMap<String, (Time, Option<usize>)>,
    has_method: bool,
}

impl Stripe {
    fn request(&mut self, collection: &Collection, step: &Step, fault: Fault, now: Time) -> Answer {
        match step {
            Step::Customer(_) => Answer::Default(self.has_method.then(|| "pm_1".to_owned())),
            Step::Method(_) => Answer::Owner(Some("cus_1".to_owned())),
            Step::Create { key, .. } => self.create(collection, key, fault, now),
            Step::Cancel(id) => self.cancel(id),
            Step::Intent(id) => {
                let card = self.card;
                let intent = self.intents.iter_mut().find(|intent| intent.id == *id).unwrap();
                if intent.status == "processing" {
                    let declined = matches!(card, Card::SlowThenDeclined);
                    intent.status = if declined { "requires_payment_method" } else { "succeeded" }.to_owned();
                }
                Answer::Intent(intent.clone())
            }
            Step::Search { .. } => Answer::Intents(self.intents.clone()),
            Step::Stuck => Answer::Nothing,
        }
    }

    fn create(&mut self, collection: &Collection, key: &str, fault: Fault, now: Time) -> Answer {
        self.keys.retain(|_, (used, _)| now < used.plus_seconds(86_400));
        if let Some((_, remembered)) = self.keys.get(key) {
            return remembered.map_or(Answer::Failed, |position| Answer::Intent(self.intents[position].clone()));
        }
        let status = match self.card {
            Card::Good => "succeeded",
            Card::Slow | Card::SlowThenDeclined => "processing",
            Card::Declined | Card::Racing => "requires_payment_method",
        };
        let intent = Intent {
            id: format!("pi_{}", self.intents.len() + 1),
            status: status.to_owned(),
            code: (status == "requires_payment_method").then(|| "card_declined".to_owned()),
            decline_code: None,
            payment: Some(collection.payment_id.to_string()),
            attempt: Some(collection.number.to_string()),
            ..Intent::default()
        };
        self.intents.push(intent.clone());
        if fault == Fault::FailAfter {
            self.keys.insert(key.to_owned(), (now, None));
            return Answer::Failed;
        }
        self.keys.insert(key.to_owned(), (now, Some(self.intents.len() - 1)));
        Answer::Intent(intent)
    }

    fn cancel(&mut self, id: &str) -> Answer {
        let racing = matches!(self.card, Card::Racing);
        let intent = self.intents.iter_mut().find(|intent| intent.id == id).unwrap();
        if racing && intent.status != "canceled" {
            intent.status = "succeeded".to_owned();
        }
        if matches!(intent.status.as_str(), "succeeded" | "processing") {
            return Answer::Rejected { code: Some("payment_intent_unexpected_state".to_owned()), decline_code: None };
        }
        intent.status = "canceled".to_owned();
        Answer::Intent(intent.clone())
    }

    fn succeeded(&self) -> usize {
        self.intents.iter().filter(|intent| intent.status == "succeeded").count()
    }
}

/// Runs a collection to its end and returns what became of the payment.
fn run(number: u64, stripe: &mut Stripe, faults: &[Fault]) -> Effect {
    let (mut stored, mut now) = (begin(number), at(0));
    for round in 0..200 {
        let fault = faults.get(round).copied().unwrap_or(Fault::None);
        if fault == Fault::Day {
            now = now.plus_seconds(90_000);
        }
        now = stored.next_attempt_at.expect("it has not ended").max(now);
        let step = stored.step(now).expect("it has not ended");
        if fault == Fault::KillBefore {
            continue;
        }
        if matches!(step, Step::Create { .. }) {
            stored = stored.sending(now);
        }
        let answer = match fault {
            Fault::LoseRequest => Answer::Unknown,
            Fault::FailBefore => Answer::Failed,
            // A definite rejection has no effect at the provider.
            Fault::Rejected if matches!(step, Step::Create { .. }) => {
                Answer::Rejected { code: Some("rate".to_owned()), decline_code: None }
            }
            _ => stripe.request(&stored, &step, fault, now),
        };
        if fault == Fault::KillAfter {
            continue;
        }
        let answer = if fault == Fault::LoseAnswer { Answer::Unknown } else { answer };
        let (next, effect) = stored.after(&step, answer, now);
        match effect {
            Effect::None => {
                assert!(next.next_attempt_at.is_some_and(|next| next >= now), "it would never continue");
                stored = next;
            }
            Effect::Next(next_attempt) => {
                assert_eq!((next.state, next_attempt.number), (Superseded, stored.number + 1));
                stored = *next_attempt;
            }
            effect => {
                assert!(next.is_settled() && next.next_attempt_at.is_none());
                return effect;
            }
        }
    }
    panic!("a collection must end: {stored:?}");
}

fn check(number: u64, card: Card, faults: &[Fault], has_method: bool) {
    let mut stripe = Stripe { card, intents: Vec::new(), keys: HashMap::new(), has_method };
    let effect = run(number, &mut stripe, faults);
    let taken = stripe.succeeded();
    assert!(taken <= 1, "the customer paid {taken} times: {card:?} {faults:?}");
    assert_eq!(matches!(effect, Effect::Completed(_)), taken == 1, "{card:?} {faults:?} {effect:?}");
    let open = stripe.intents.iter().filter(|intent| !matches!(intent.status.as_str(), "succeeded" | "canceled"));
    assert_eq!(open.count(), 0, "an intent could still succeed: {card:?} {faults:?}");
}

const FAULTS: [Fault; 9] = [
    Fault::None,
    Fault::KillBefore,
    Fault::KillAfter,
    Fault::LoseRequest,
    Fault::LoseAnswer,
    Fault::FailBefore,
    Fault::FailAfter,
    Fault::Rejected,
    Fault::Day,
];
const CARDS: [Card; 5] = [Card::Good, Card::Declined, Card::Slow, Card::SlowThenDeclined, Card::Racing];

#[test]
fn nothing_that_goes_wrong_at_any_two_steps_takes_money_twice() {
    for card in CARDS {
        for one in 0..10 {
            for other in 0..10 {
                for first in FAULTS {
                    for second in FAULTS {
                        let mut faults = [Fault::None; 10];
                        (faults[one], faults[other]) = (first, second);
                        check(1, card, &faults, true);
                    }
                }
            }
        }
    }
}

#[test]
fn a_customer_without_a_payment_method_is_not_charged() {
    let mut stripe = Stripe { card: Card::Good, intents: Vec::new(), keys: HashMap::new(), has_method: false };
    assert_eq!(run(1, &mut stripe, &[]), Effect::Failed);
    assert!(stripe.intents.is_empty());
}

#[test]
fn a_declined_card_is_reported_with_its_code() {
    let answer = Answer::Intent(Intent {
        id: "pi_1".to_owned(),
        status: "requires_payment_method".to_owned(),
        code: Some("card_declined".to_owned()),
        decline_code: Some("insufficient_funds".to_owned()),
        ..Intent::default()
    });
    let sent = Collection { state: Creating, payment_method: Some("pm_1".to_owned()), ..begin(1) }.sending(at(0));
    let step = sent.step(at(0)).unwrap();
    let (canceling, _) = sent.after(&step, answer, at(1));
    assert_eq!(canceling.step(at(1)), Some(Step::Cancel("pi_1".to_owned())));
    let canceled = Answer::Intent(Intent { id: "pi_1".to_owned(), status: "canceled".to_owned(), ..Intent::default() });
    let (failed, effect) = canceling.after(&Step::Cancel("pi_1".to_owned()), canceled, at(2));
    assert_eq!(
        (failed.code.as_deref(), failed.decline_code.as_deref()),
        (Some("card_declined"), Some("insufficient_funds"))
    );
    assert_eq!(effect, Effect::Failed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// 10,000 payments, each with its own misfortunes.
    #[test]
    fn a_payment_has_at_most_one_succeeded_intent(
        number: u64,
        card in prop::sample::select(CARDS.to_vec()),
        faults in prop::collection::vec(prop::sample::select(FAULTS.to_vec()), 0..24),
        has_method in prop::bool::weighted(0.9),
    ) {
        check(number, card, &faults, has_method);
    }
}
