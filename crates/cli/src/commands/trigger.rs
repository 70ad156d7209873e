//! `perennial trigger`: sends one sample event, signed like a webhook.

use super::forward::Target;
use super::listen::state::State;
use crate::arguments::{LISTEN_STATE, Trigger};
use crate::failure::Failure;
use perennial_app::context::{Clock, Entropy};
use perennial_domain::id::EventId;
use perennial_http::{event_sample, sample_types};
use perennial_identity::webhook_signature::WebhookKey;
use std::path::Path;

pub(crate) async fn run(flags: Trigger, json: bool) -> Result<(), Failure> {
    let (clock, entropy) = (Clock::System, Entropy::from_system());
    let now = clock.now();
    let sample = event_sample(&flags.event_type, EventId::new(now, entropy.bits()), now);
    let sample = sample.ok_or_else(|| unknown(&flags.event_type))?;
    let key = match &flags.secret_file {
        Some(path) => secret(path)?,
        None => State::open(Path::new(LISTEN_STATE), &entropy)?.key,
    };
    let to = flags.to.unwrap_or_default();
    let attempt = Target::new("--to", &to, key)?.send(&sample, &clock).await?;
    if attempt.is_success() {
        return attempt.print(json);
    }
    Err(Failure::new(format!("{} was not accepted by {}: {}", flags.event_type, to, attempt.result())))
}

fn secret(path: &Path) -> Result<WebhookKey, Failure> {
    let name = path.display();
    let text =
        std::fs::read_to_string(path).map_err(|error| Failure::new(format!("{name} cannot be read: {error}")))?;
    WebhookKey::parse_secret(&text).map_err(|error| Failure::new(format!("{name} has no secret: {error}")))
}

fn unknown(event_type: &str) -> Failure {
    let similar =
        sample_types().max_by(|one, other| strsim::jaro(one, event_type).total_cmp(&strsim::jaro(other, event_type)));
    let hint = similar.map(|name| format!("; {name:?} is similar")).unwrap_or_default();
    Failure::new(format!("there is no event type {event_type:?}{hint}"))
}
