//! `perennial identity`: tokens of the `local` provider. They need the master key.

use super::flags::{organization, wrong};
use crate::arguments::Identity;
use crate::failure::Failure;
use crate::output;
use perennial_app::context::App;
use perennial_app::providers;
use perennial_domain::text::Line;
use perennial_domain::users::Email;
use serde_json::json;

/// The limits of a subject, which the server applies to every provider.
type Subject = Line<1, 255>;

pub(super) async fn run(app: &App, command: Identity, json: bool) -> Result<(), Failure> {
    let Identity::Token { email, subject, org } = command;
    let email = Email::parse(&email).map_err(|reason| wrong("email", &reason))?;
    let subject = subject.as_deref().map(Subject::parse).transpose().map_err(|reason| wrong("subject", &reason))?;
    let organization = organization(app, &org.org).await?;
    let token = providers::local_token(app, organization.id, &email, subject.as_ref().map(Line::as_str));
    output::print(json, &json!({ "token": token.expose() }), || token.expose().to_owned())
}
