//! `perennial org`.

use super::{organization, wrong};
use crate::arguments::Org;
use crate::failure::Failure;
use crate::output;
use perennial_app::context::App;
use perennial_app::organizations;
use perennial_domain::currency::Currency;
use perennial_domain::organizations::OrganizationName;

pub(super) async fn run(app: &App, command: Org, json: bool) -> Result<(), Failure> {
    match command {
        Org::Create { name, currency, max_sessions } => {
            let name = OrganizationName::parse(&name).map_err(|reason| wrong("name", &reason))?;
            let currency = Currency::parse(&currency).map_err(|reason| wrong("currency", &reason))?;
            let taken = Failure::new(format!("there is an organization {:?} already", name.as_str()));
            let organization = organizations::create(app, name, currency, max_sessions).await?.ok_or(taken)?;
            output::print(json, &organization, || {
                format!("Created {} ({}).", organization.name.as_str(), organization.id)
            })
        }
        Org::Update { org, change } => {
            // One of the two flags is always given: without a number there is no bound.
            let found = organization(app, &org).await?;
            let updated = organizations::set_max_sessions(app, found.id, change.max_sessions).await?;
            output::print(json, &updated, || {
                let bound = updated.max_sessions.map_or("no bound on".to_owned(), |most| format!("at most {most} of"));
                format!("{} wants {bound} a user's sessions.", updated.name.as_str())
            })
        }
        Org::List => {
            let organizations = organizations::list(app).await?;
            output::print(json, &organizations, || {
                let rows: Vec<[String; 4]> = organizations
                    .iter()
                    .map(|one| {
                        [
                            one.id.to_string(),
                            one.name.as_str().into(),
                            one.currency.to_string(),
                            one.created_at.to_string(),
                        ]
                    })
                    .collect();
                output::table(["ID", "NAME", "CURRENCY", "CREATED"], &rows)
            })
        }
    }
}
