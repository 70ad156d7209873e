//! Payment providers over HTTP. Every request goes to the host of the connection's base URL, has 10 seconds and 1 MiB, waits
//! for its turn in the bucket that all servers share, and is never redirected.

mod call;
mod fetch;
mod turns;

use super::provider::{Account, Answer, Fetched, Page, Pending, Provider, Request};
use crate::keyed_locks::KeyedLocks;
use call::{Call, CallError};
use perennial_domain::connections::bucket::Priority;
use perennial_domain::connections::{ConnectionKind, ObjectKind};
use perennial_outbound::{Limits, OutboundClient};
use perennial_provider_api::lists::{self, List, Scope};
use perennial_provider_api::{Service, requests};
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

/// The time for a whole request.
const TOTAL: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(5);
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

/// The payment providers, over HTTP.
#[derive(Default)]
pub struct HttpProvider {
    /// Built at its first use: loading the system's certificates takes a while.
    client: OnceLock<Box<OutboundClient>>,
    turns: KeyedLocks,
}

impl fmt::Debug for HttpProvider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HttpProvider")
    }
}

impl HttpProvider {
    fn client(&self) -> &OutboundClient {
        self.client.get_or_init(|| {
            let client = OutboundClient::with_system_roots(Limits { connect: CONNECT, total: TOTAL });
            let client = client.expect("the protocol versions are the library's");
            Box::new(client.with_max_response_bytes(MAX_RESPONSE_BYTES))
        })
    }

    fn call<'a>(&'a self, account: Account<'a>, priority: Priority) -> Call<'a> {
        Call { client: self.client(), turns: &self.turns, account, priority }
    }
}

impl Provider for HttpProvider {
    fn fetch<'a>(&'a self, account: Account<'a>, object: ObjectKind, external_id: &'a str) -> Pending<'a, Fetched> {
        Box::pin(fetch::fetch(self.call(account, Priority::First), object, external_id))
    }

    fn fetch_in_sweep<'a>(
        &'a self,
        account: Account<'a>,
        object: ObjectKind,
        external_id: &'a str,
    ) -> Pending<'a, Fetched> {
        Box::pin(fetch::fetch(self.call(account, Priority::Sweep), object, external_id))
    }

    fn check<'a>(&'a self, account: Account<'a>) -> Pending<'a, Result<(), String>> {
        Box::pin(async move {
            let call = self.call(account, Priority::First);
            let collecting = if account.connection.collect { requests::COLLECTING } else { &[] };
            for (name, path) in requests::permissions(service(account.connection.kind)).iter().chain(collecting) {
                let outcome = call.get(path).await;
                outcome.map_err(|error| format!("{name} cannot be read: {}", error.describe()))?;
            }
            Ok(())
        })
    }

    fn list<'a>(
        &'a self,
        account: Account<'a>,
        list: List,
        scope: Scope<'a>,
        cursor: Option<&'a str>,
    ) -> Pending<'a, Page> {
        Box::pin(async move {
            let service = service(account.connection.kind);
            let Some(path) = lists::path(service, list, scope, cursor) else {
                return Page::Found(lists::Page::default());
            };
            // The list of events replaces webhooks.
            let priority = if list == List::Events { Priority::First } else { Priority::Sweep };
            match self.call(account, priority).get(&path).await {
                Ok(body) => lists::page(service, &body).map_or(Page::Malformed, Page::Found),
                Err(CallError::Rejected { status: 400 | 404 | 410 | 422, .. }) => Page::CursorUnknown,
                Err(error) => Page::from(error.unavailable()),
            }
        })
    }

    fn send<'a>(&'a self, account: Account<'a>, request: Request<'a>) -> Pending<'a, Answer> {
        Box::pin(async move { self.call(account, Priority::First).send(&request).await })
    }
}

/// The service of a connection.
pub(crate) const fn service(kind: ConnectionKind) -> Service {
    match kind {
        ConnectionKind::Stripe => Service::Stripe,
        ConnectionKind::LemonSqueezy => Service::LemonSqueezy,
        ConnectionKind::Paddle => Service::Paddle,
    }
}
