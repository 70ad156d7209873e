//! `perennial org`.

use super::wrong;
use crate::arguments::Org;
use crate::failure::Failure;
use crate::output;
use perennial_app::context::App;
use perennial_app::organizations;
use perennial_domain::currency::Currency;
use perennial_domain::organizations::OrganizationName;

pub(super) async fn run(app: &App, command: Org, json: bool) -> Result<(), Failure> {
    match command {
        Org::Create { name, currency } => {
            let name = OrganizationName::parse(&name).map_err(|reason| wrong("name", &reason))?;
            let currency = Currency::parse(&currency).map_err(|reason| wrong("currency", &reason))?;
            let taken = Failure::new(format!("there is an organization {:?} already", name.as_str()));
            let organization = organizations::create(app, name, currency).await?.ok_or(taken)?;
            output::print(json, &organization, || {
                format!("Created {} ({}).", organization.name.as_str(), organization.id)
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
