//! `perennial org`.

use super::flags::{organization, wrong};
use crate::arguments::Org;
use crate::failure::Failure;
use crate::output;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::organizations;
use perennial_app::revision::IfMatch;
use perennial_domain::currency::Currency;
use perennial_domain::organizations::{Organization, OrganizationName, OrganizationPatch};
use perennial_domain::validation::ValidationErrors;
use serde_json::{Value, json};
use std::io::BufRead;

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
            // One of the two flags is always given: without a number there is no limit.
            let found = organization(app, &org).await?;
            let patch = OrganizationPatch { max_sessions: Some(change.max_sessions), ..OrganizationPatch::default() };
            let caller = Caller::system(found.id);
            let read = |_: &Organization| (patch.clone(), ValidationErrors::none());
            let updated = organizations::update(app, &caller, &IfMatch::Unconditional, read).await?;
            output::print(json, &updated, || {
                let bound = updated.max_sessions.map_or("no bound on".to_owned(), |most| format!("at most {most} of"));
                format!("{} wants {bound} a user's sessions.", updated.name.as_str())
            })
        }
        Org::Delete { org, yes } => delete(app, &org, yes, json).await,
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

async fn delete(app: &App, named: &str, is_confirmed: bool, json: bool) -> Result<(), Failure> {
    let missing = || Failure::new(format!("there is no organization {named:?}: see `perennial org list`"));
    let found = organizations::find_with_deleted(app, named).await?.ok_or_else(missing)?;
    if !is_confirmed {
        confirm(&found)?;
    }
    let (deleted, removed) = organizations::delete(app, found.id).await?;
    let counts: serde_json::Map<String, Value> =
        removed.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect();
    let data = json!({ "id": deleted.id, "name": found.name, "deleted_at": deleted.deleted_at, "removed": counts });
    output::print(json, &data, || {
        let rows: i64 = removed.iter().map(|(_, count)| count).sum();
        format!(
            "Deleted {} with {rows} rows. What remains is the event organization.deleted: \
             perennial events list --org {}",
            found.name.as_str(),
            deleted.id
        )
    })
}

/// Reads the organization's name as a confirmation.
fn confirm(organization: &Organization) -> Result<(), Failure> {
    let name = organization.name.as_str();
    eprint!("This deletes {name} and everything in it. Type its name to continue: ");
    let mut typed = String::new();
    let read = std::io::stdin().lock().read_line(&mut typed);
    if read.is_ok() && typed.trim_end_matches(['\r', '\n']) == name {
        return Ok(());
    }
    eprintln!();
    Err(Failure::new("nothing was deleted: type the organization's name, or give --yes"))
}
