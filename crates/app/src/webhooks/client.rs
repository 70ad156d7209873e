//! The HTTP client of webhooks, built at its first use: loading the system's certificates takes a while.

use crate::context::App;
use perennial_outbound::{Destinations, WebhookClient};

/// The client of webhooks.
pub(crate) fn client(app: &App) -> &WebhookClient {
    app.webhook_client.get_or_init(|| {
        // The configuration rejects other networks. Without it none is allowed.
        let destinations = Destinations::new(&app.options.webhooks.private_networks).unwrap_or_default();
        let client = WebhookClient::with_system_roots(destinations);
        Box::new(client.expect("the protocol versions are the library's"))
    })
}
