//! The responses.

use crate::Kind;
use crate::behavior::{Behavior, Fault, Seen};
use crate::intents::{self, Keys};
use crate::objects::Objects;
use serde_json::{Value, json};

/// Everything that the provider has.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) behavior: Behavior,
    pub(crate) objects: Objects,
    pub(crate) keys: Keys,
    pub(crate) seen: Vec<Seen>,
}

/// A response, or none.
pub(crate) enum Response {
    Sent { status: u16, body: Value, retry_after: Option<u64> },
    Lost,
}

impl State {
    pub(crate) fn respond(&mut self, kind: Kind, request: &Seen) -> Response {
        let answer = |status: u16, body: Value| Response::Sent { status, body, retry_after: None };
        let behavior = self.behavior.clone();
        self.seen.push(request.clone());
        if behavior.drops {
            return Response::Lost;
        }
        if let Some(status) = behavior.outage {
            return answer(status, json!({ "error": {} }));
        }
        if let Some(retry_after) = behavior.retry_after
            && behavior.allowed == 0
        {
            return Response::Sent { status: 429, body: json!({ "error": {} }), retry_after: Some(retry_after) };
        }
        self.behavior.allowed = behavior.allowed.saturating_sub(1);
        let bearer = behavior.api_key.as_ref().map(|key| format!("Bearer {key}"));
        if bearer.is_some_and(|bearer| request.header("authorization") != Some(&bearer)) {
            return answer(401, json!({ "error": {} }));
        }
        if behavior.forbidden.contains(&request.path) {
            return answer(403, json!({ "error": {} }));
        }
        if request.method == "POST" {
            return self.write(request);
        }
        let (status, body) = self.read(kind, request);
        answer(status, body)
    }

    fn write(&mut self, request: &Seen) -> Response {
        let fault = self.behavior.faults.pop_front().flatten();
        match fault {
            Some(Fault::LoseRequest) => return Response::Lost,
            Some(Fault::FailBefore) => {
                return Response::Sent { status: 500, body: json!({ "error": {} }), retry_after: None };
            }
            _ => {}
        }
        let parts: Vec<&str> = request.path.trim_matches('/').split('/').collect();
        let (status, body) = match parts.as_slice() {
            ["v1", "payment_intents"] => {
                let method = request.field("payment_method").unwrap_or_default();
                let card = self.behavior.cards.get(method).copied().unwrap_or(self.behavior.card);
                let how = (card, fault, self.behavior.now);
                intents::create(&mut self.objects, &mut self.keys, request, how)
            }
            ["v1", "payment_intents", id, "cancel"] => {
                intents::cancel(&mut self.objects, id, self.behavior.cancel_fails)
            }
            _ => (404, json!({ "error": {} })),
        };
        if fault == Some(Fault::LoseResponse) {
            return Response::Lost;
        }
        Response::Sent { status, body, retry_after: None }
    }

    fn read(&self, kind: Kind, request: &Seen) -> (u16, Value) {
        let path = request.path.trim_matches('/');
        let path = if kind == Kind::Paddle { path } else { path.strip_prefix("v1/").unwrap_or(path) };
        match path.split('/').collect::<Vec<_>>().as_slice() {
            [collection, id] => match self.objects.get(collection, id) {
                Some(object) if kind == Kind::Stripe => (200, object.clone()),
                Some(object) => (200, json!({ "data": object })),
                None => (404, json!({ "error": {} })),
            },
            [collection] => match self.objects.page(kind, collection, request, self.behavior.page_size) {
                Some(page) => (200, page),
                None => (400, json!({ "error": {} })),
            },
            _ => (404, json!({ "error": {} })),
        }
    }
}
