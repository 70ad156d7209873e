//! Collections: attempts to collect a payment through Stripe. Everything here is pure: the next request follows from the stored
//! collection, and the next collection from the answer. A kill between the two repeats the request.
//!
//! **Invariant (P10):** a payment has at most one succeeded intent. An attempt has one idempotency key. The next attempt begins only
//! if the intent of this one was canceled, or if a list shows that there is none.

pub mod earlier;

use crate::connections::Connection;
use crate::id::{ConnectionId, OrganizationId, PaymentId};
use crate::time::Time;
use crate::words::words;

/// How long Stripe remembers an idempotency key, less an hour.
const KEY_SECONDS: i64 = 23 * 3600;
/// The delays of repeated requests.
const DELAYS: [i64; 6] = [1, 5, 30, 120, 600, 3600];
/// How often an intent that is processing is fetched, at most and at least. Webhooks are faster, but one that arrives before the
/// intent is stored hastens nothing: so a young attempt is looked at sooner.
const WATCH_SECONDS: (i64, i64) = (60, 3600);
/// The clock of the provider may differ this much from ours.
const SKEW_SECONDS: i64 = 86_400;

words! {
    /// How far a collection has come.
    CollectionState {
        /// The customer's default payment method is fetched.
        Choosing = "choosing",
        /// The customer of the payment method is fetched.
        Resolving = "resolving",
        /// The intent is created.
        Creating = "creating",
        /// The same, after one response with status 500.
        Repeating = "repeating",
        /// The intents of the customer are listed, to find out whether there is one.
        Searching = "searching",
        /// The intent is canceled.
        Canceling = "canceling",
        /// The intent could not be canceled, and is fetched.
        Checking = "checking",
        /// The intent is processing.
        Watching = "watching",
        /// The money was collected.
        Succeeded = "succeeded",
        /// It was not, and this attempt cannot succeed any more.
        Failed = "failed",
        /// There was no intent, and the next attempt has begun.
        Superseded = "superseded",
    }
}

use CollectionState::{
    Canceling, Checking, Choosing, Creating, Failed, Repeating, Resolving, Searching, Succeeded, Superseded, Watching,
};

/// An attempt to collect a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of its table")]
pub struct Collection {
    pub organization_id: OrganizationId,
    pub payment_id: PaymentId,
    /// From 1, for each payment.
    pub number: i64,
    pub connection_id: ConnectionId,
    pub state: CollectionState,
    pub payment_method: Option<String>,
    /// The customer at the provider.
    pub customer: Option<String>,
    pub intent_id: Option<String>,
    /// How often the intent was requested.
    pub sends: i64,
    /// When it was first requested.
    pub sent_at: Option<Time>,
    /// When the next request is due. None: there is none.
    pub next_attempt_at: Option<Time>,
    pub code: Option<String>,
    pub decline_code: Option<String>,
    pub created_at: Time,
    pub updated_at: Time,
}

/// The next request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `GET /v1/customers/{id}`.
    Customer(String),
    /// `GET /v1/payment_methods/{id}`.
    Method(String),
    /// `POST /v1/payment_intents` with this idempotency key. The collection is stored as [`Collection::sending`] first.
    Create {
        /// The idempotency key.
        key: String,
        /// The customer.
        customer: String,
        /// The payment method.
        method: String,
    },
    /// `POST /v1/payment_intents/{id}/cancel`.
    Cancel(String),
    /// `GET /v1/payment_intents/{id}`.
    Intent(String),
    /// `GET /v1/payment_intents?customer=&created[gte]=`, all pages.
    Search {
        /// The customer.
        customer: String,
        /// The earliest creation.
        since: Time,
    },
    /// Nothing can be requested: see [`Answer::Nothing`].
    Stuck,
}

/// An intent, as an answer has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intent {
    /// The ID.
    pub id: String,
    /// The status.
    pub status: String,
    /// The code of its last error.
    pub code: Option<String>,
    /// Why the bank declined.
    pub decline_code: Option<String>,
    /// The payment in its metadata.
    pub payment: Option<String>,
    /// The attempt in its metadata.
    pub attempt: Option<String>,
    /// The invoice in its metadata.
    pub invoice: Option<String>,
    /// The subscription in its metadata.
    pub subscription: Option<String>,
    /// The start of the billed period in its metadata.
    pub period_start: Option<String>,
    /// The amount, in the provider's smallest unit.
    pub amount: Option<i64>,
    /// The currency, in lower case.
    pub currency: Option<String>,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "an answer lives for one step")]
pub enum Answer {
    /// The customer's default payment method.
    Default(Option<String>),
    /// The customer of the payment method.
    Owner(Option<String>),
    /// An intent, created, canceled or fetched.
    Intent(Intent),
    /// The intents of the customer.
    Intents(Vec<Intent>),
    /// A definite rejection: nothing was done.
    Rejected {
        /// The code of the error.
        code: Option<String>,
        /// Why the bank declined.
        decline_code: Option<String>,
    },
    /// The key was used with other parameters.
    OtherParameters,
    /// There is no such object.
    NotFound,
    /// Status 500.
    Failed,
    /// No response, another 5xx, or one that asks for patience: it is not known whether anything was done.
    Unknown,
    /// The request was not sent.
    NotSent {
        /// The seconds to wait.
        retry_after: Option<i64>,
    },
    /// There was nothing to request.
    Nothing,
}

/// What follows for the payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// It is completed, and this is its external ID.
    Completed(String),
    /// It has failed.
    Failed,
    /// The next attempt begins.
    Next(Box<Collection>),
}

impl Collection {
    /// A new attempt to collect a payment. The customer is looked up when it is worked on.
    pub const fn begin(
        organization_id: OrganizationId,
        (payment_id, number): (PaymentId, i64),
        connection_id: ConnectionId,
        payment_method: Option<String>,
        now: Time,
    ) -> Self {
        Self {
            organization_id,
            payment_id,
            number,
            connection_id,
            state: if payment_method.is_some() { Resolving } else { Choosing },
            payment_method,
            customer: None,
            intent_id: None,
            sends: 0,
            sent_at: None,
            next_attempt_at: Some(now),
            code: None,
            decline_code: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// What follows if the connection is removed or does not collect: an attempt of which nothing was sent has failed. One that
    /// may have taken money stops, if nothing can be asked about it any more. A disabled connection may be enabled again, so the
    /// attempt waits. None: nothing follows.
    pub fn without_connection(&self, connection: Option<&Connection>, now: Time) -> Option<(Self, Effect)> {
        let next = || Self { updated_at: now, ..self.clone() };
        match connection {
            _ if self.is_settled() => None,
            Some(connection) if self.sends > 0 || connection.collect => None,
            _ if self.sends == 0 => Some(next().fail("collecting_disabled", None)),
            _ => Some((
                Self { next_attempt_at: None, code: Some("connection_removed".to_owned()), ..next() },
                Effect::None,
            )),
        }
    }

    /// Whether the user's customer at the provider must be looked up.
    pub fn needs_customer(&self) -> bool {
        self.state == Choosing && self.customer.is_none()
    }

    /// The next request. None if there is none.
    pub fn step(&self, now: Time) -> Option<Step> {
        let customer = self.customer.clone();
        Some(match self.state {
            Choosing => customer.map_or(Step::Stuck, Step::Customer),
            Resolving => self.payment_method.clone().map_or(Step::Stuck, Step::Method),
            Creating | Repeating if self.is_key_old(now) => self.search(),
            Creating | Repeating => match (customer, self.payment_method.clone()) {
                (Some(customer), Some(method)) => Step::Create { key: self.key(), customer, method },
                _ => Step::Stuck,
            },
            Searching => self.search(),
            Canceling => self.intent_id.clone().map_or(Step::Stuck, Step::Cancel),
            Checking | Watching => self.intent_id.clone().map_or(Step::Stuck, Step::Intent),
            Succeeded | Failed | Superseded => return None,
        })
    }

    /// The collection that is stored before its intent is requested. A kill between the two is a request without an answer.
    #[must_use]
    pub fn sending(&self, now: Time) -> Self {
        Self { sends: self.sends + 1, sent_at: self.sent_at.or(Some(now)), updated_at: now, ..self.clone() }
    }

    /// The collection after an answer to its request, and what follows for the payment.
    pub fn after(&self, step: &Step, answer: Answer, now: Time) -> (Self, Effect) {
        let next = Self { updated_at: now, ..self.clone() };
        match (step, answer) {
            (_, Answer::NotSent { retry_after }) => (next.later(retry_after.unwrap_or(0).max(1), now), Effect::None),
            (Step::Stuck, _) => next.fail("no_payment_method", None),
            (Step::Customer(_), answer) => next.chosen(answer, now),
            (Step::Method(_), answer) => next.resolved(answer, now),
            (Step::Create { .. }, answer) => next.created(answer, now),
            (Step::Search { .. }, answer) => next.found(answer, now),
            (Step::Cancel(_), answer) => next.canceled(answer, now),
            (Step::Intent(_), Answer::Intent(intent)) => next.with_intent(intent, now),
            (Step::Intent(_), Answer::NotFound) => next.fail("intent_not_found", None),
            (Step::Intent(_), _) => (next.retry(now), Effect::None),
        }
    }

    fn chosen(self, answer: Answer, now: Time) -> (Self, Effect) {
        match answer {
            Answer::Default(Some(method)) => {
                let next = Self { payment_method: Some(method), state: Resolving, ..self };
                (next.later(0, now), Effect::None)
            }
            Answer::Default(None) | Answer::NotFound => self.fail("no_payment_method", None),
            Answer::Rejected { code, .. } => self.fail(&code.unwrap_or_else(|| "rejected".to_owned()), None),
            _ => (self.retry(now), Effect::None),
        }
    }

    fn resolved(self, answer: Answer, now: Time) -> (Self, Effect) {
        match answer {
            Answer::Owner(Some(customer)) => {
                let next = Self { customer: Some(customer), state: Creating, ..self };
                (next.later(0, now), Effect::None)
            }
            Answer::Owner(None) | Answer::NotFound => self.fail("no_payment_method", None),
            Answer::Rejected { code, .. } => self.fail(&code.unwrap_or_else(|| "rejected".to_owned()), None),
            _ => (self.retry(now), Effect::None),
        }
    }

    fn created(self, answer: Answer, now: Time) -> (Self, Effect) {
        match answer {
            Answer::Intent(intent) => self.with_intent(intent, now),
            // The first request was rejected, so there is no intent. A later one proves nothing about those before it.
            Answer::Rejected { code, decline_code } => {
                let code = code.unwrap_or_else(|| "rejected".to_owned());
                if self.sends <= 1 {
                    return self.fail(&code, decline_code);
                }
                (Self { state: Searching, code: Some(code), decline_code, ..self }.later(0, now), Effect::None)
            }
            Answer::NotFound if self.sends <= 1 => self.fail("not_found", None),
            Answer::OtherParameters | Answer::NotFound => {
                (Self { state: Searching, ..self }.later(0, now), Effect::None)
            }
            Answer::Failed if self.state == Repeating => {
                (Self { state: Searching, ..self }.later(0, now), Effect::None)
            }
            Answer::Failed => (Self { state: Repeating, ..self }.retry(now), Effect::None),
            _ => (self.retry(now), Effect::None),
        }
    }

    fn found(self, answer: Answer, now: Time) -> (Self, Effect) {
        let Answer::Intents(intents) = answer else { return (self.retry(now), Effect::None) };
        let (payment, number) = (self.payment_id.to_string(), self.number.to_string());
        let is_own = |intent: &Intent| {
            intent.payment.as_deref() == Some(&*payment) && intent.attempt.as_deref() == Some(&*number)
        };
        // More than one cannot be: the key prevents it. If it were, the one that took money counts.
        let mut own: Vec<Intent> = intents.into_iter().filter(is_own).collect();
        own.sort_by_key(|intent| intent.status != "succeeded");
        match own.into_iter().next() {
            Some(intent) => self.with_intent(intent, now),
            None => match self.code.clone() {
                Some(code) => {
                    let decline_code = self.decline_code.clone();
                    self.fail(&code, decline_code)
                }
                None => self.supersede(now),
            },
        }
    }

    fn canceled(self, answer: Answer, now: Time) -> (Self, Effect) {
        match answer {
            Answer::Intent(intent) if intent.status == "canceled" => {
                let (code, decline_code) = (self.code.clone(), self.decline_code.clone());
                self.fail(code.as_deref().unwrap_or("canceled"), decline_code)
            }
            Answer::Intent(_) | Answer::Rejected { .. } | Answer::NotFound => {
                (Self { state: Checking, ..self }.later(0, now), Effect::None)
            }
            _ => (self.retry(now), Effect::None),
        }
    }

    fn with_intent(self, intent: Intent, now: Time) -> (Self, Effect) {
        let next = Self { intent_id: Some(intent.id.clone()), ..self };
        match intent.status.as_str() {
            "succeeded" => {
                let next = Self { state: Succeeded, next_attempt_at: None, code: None, decline_code: None, ..next };
                (next, Effect::Completed(intent.id))
            }
            "processing" => {
                let (least, most) = WATCH_SECONDS;
                let delay = now.seconds_since(next.created_at).clamp(least, most);
                (Self { state: Watching, ..next }.later(delay, now), Effect::None)
            }
            "canceled" => {
                let code = next.code.clone().or(intent.code).unwrap_or_else(|| "canceled".to_owned());
                let decline_code = next.decline_code.clone().or(intent.decline_code);
                next.fail(&code, decline_code)
            }
            status => {
                let code = intent.code.or(next.code.clone()).unwrap_or_else(|| status.to_owned());
                let decline_code = intent.decline_code.or(next.decline_code.clone());
                // It could not be canceled before: not at once again.
                let was_checked = next.state == Checking;
                let next = Self { state: Canceling, code: Some(code), decline_code, ..next };
                (if was_checked { next.retry(now) } else { next.later(0, now) }, Effect::None)
            }
        }
    }

    fn fail(self, code: &str, decline_code: Option<String>) -> (Self, Effect) {
        let next = Self { state: Failed, next_attempt_at: None, code: Some(code.to_owned()), decline_code, ..self };
        (next, Effect::Failed)
    }

    fn supersede(self, now: Time) -> (Self, Effect) {
        let next = Self {
            number: self.number + 1,
            state: Creating,
            sends: 0,
            sent_at: None,
            intent_id: None,
            next_attempt_at: Some(now),
            created_at: now,
            ..self.clone()
        };
        (Self { state: Superseded, next_attempt_at: None, ..self }, Effect::Next(Box::new(next)))
    }

    fn later(self, seconds: i64, now: Time) -> Self {
        Self { next_attempt_at: Some(now.plus_seconds(seconds)), ..self }
    }

    /// Waits longer after each attempt. Without sends, the age shows how long it has been tried.
    fn retry(self, now: Time) -> Self {
        let age = now.seconds_since(self.created_at);
        let by_age = DELAYS.iter().position(|delay| *delay * 4 > age).unwrap_or(DELAYS.len() - 1);
        let by_sends = usize::try_from(self.sends).unwrap_or(0).min(DELAYS.len() - 1);
        self.later(DELAYS[by_age.max(by_sends)], now)
    }

    fn search(&self) -> Step {
        self.search_since(self.created_at)
    }

    fn search_since(&self, instant: Time) -> Step {
        let since = instant.plus_seconds(-SKEW_SECONDS);
        self.customer.clone().map_or(Step::Stuck, |customer| Step::Search { customer, since })
    }

    fn is_key_old(&self, now: Time) -> bool {
        self.sent_at.is_some_and(|sent| now >= sent.plus_seconds(KEY_SECONDS))
    }

    /// The idempotency key of this attempt.
    pub fn key(&self) -> String {
        format!("{}:{}", self.payment_id, self.number)
    }

    /// Whether it has ended.
    pub const fn is_settled(&self) -> bool {
        matches!(self.state, Succeeded | Failed | Superseded)
    }
}

#[cfg(test)]
mod tests;
