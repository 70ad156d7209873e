//! `perennial user relink`: replaces the identities of one user, or of all users in a file. All errors are reported with
//! their lines, and nothing is changed if there is one.

mod entries;

use super::flags::{organization, wrong};
use super::records;
use crate::arguments::Relink as Flags;
use crate::failure::Failure;
use crate::output;
use entries::{Entry, Fault};
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::providers;
use perennial_app::users::{Relink, RelinkError, Relinked, Target, check_identity, relink};
use perennial_domain::id::OrganizationId;
use perennial_domain::users::User;
use serde_json::json;
use std::collections::HashSet;

pub(super) async fn run(app: &App, flags: &Flags, json: bool) -> Result<(), Failure> {
    let organization = organization(app, &flags.org.org).await?.id;
    let (mut entries, mut faults) = match &flags.file {
        Some(path) => entries::read(path)?,
        None => (vec![single(app, organization, flags).await?], Vec::new()),
    };
    let lines = entries.len() + faults.len();
    if !flags.allow_unknown_issuer {
        let known = issuers(app, organization).await?;
        entries.retain(|entry| {
            let issuer = &entry.relink.identity.issuer;
            let is_known = known.contains(issuer);
            if !is_known {
                let detail = format!("{issuer:?} is not an identity provider of the organization");
                faults.push(Fault { line: entry.line, detail });
            }
            is_known
        });
    }
    let relinks: Vec<Relink> = entries.iter().map(|entry| entry.relink.clone()).collect();
    let outcome = relink(app, organization, &relinks, flags.dry_run || !faults.is_empty()).await?;
    match outcome {
        Relinked::Done { relinked, unchanged } if faults.is_empty() => {
            let data =
                json!({ "dry_run": flags.dry_run, "relinked": relinked.len(), "unchanged": unchanged, "faults": [] });
            output::print(json, &data, || {
                let users = output::counted(relinked.len(), "user");
                let had = format!("{unchanged} had the identity already");
                if flags.dry_run {
                    format!("Nothing is wrong: {users} would be relinked, {had}.")
                } else {
                    format!("Relinked {users}; {had}.")
                }
            })
        }
        Relinked::Done { .. } => refuse(flags, faults, lines, json),
        Relinked::Refused(refused) => {
            faults.extend(refused.iter().map(|(place, fault)| described(&entries, *place, fault)));
            refuse(flags, faults, lines, json)
        }
    }
}

async fn single(app: &App, organization: OrganizationId, flags: &Flags) -> Result<Entry, Failure> {
    let named = flags.user.as_deref().unwrap_or_default();
    let user: User = records::find(app, &Caller::system(organization), named).await?;
    let (issuer, subject) = (flags.issuer.as_deref().unwrap_or_default(), flags.subject.as_deref().unwrap_or_default());
    let identity = check_identity(issuer, subject).map_err(|(flag, reason)| wrong(flag, &reason))?;
    Ok(Entry { line: 1, relink: Relink { user: Target::Id(user.id), identity } })
}

/// The issuers that the organization accepts, including the local provider if it is enabled.
async fn issuers(app: &App, organization: OrganizationId) -> Result<HashSet<String>, Failure> {
    let listed = providers::list(app, organization).await?;
    let local = providers::LOCAL_ISSUER.to_owned();
    Ok(listed.into_iter().map(|provider| provider.record.issuer).chain([local]).collect())
}

fn described(entries: &[Entry], place: usize, fault: &RelinkError) -> Fault {
    let line = |place: usize| entries.get(place).map_or(0, |entry| entry.line);
    let detail = match fault {
        RelinkError::UserTwice(other) => format!("line {} names the same user", line(*other)),
        RelinkError::IdentityTwice(other) => format!("line {} names the same identity", line(*other)),
        other => other.to_string(),
    };
    Fault { line: line(place), detail }
}

fn refuse(flags: &Flags, mut faults: Vec<Fault>, lines: usize, json: bool) -> Result<(), Failure> {
    let Some(path) = &flags.file else {
        let details: Vec<String> = faults.into_iter().map(|fault| fault.detail).collect();
        return Err(Failure::new(format!("{}; nothing was changed", details.join("; "))));
    };
    faults.sort_by_key(|fault| fault.line);
    if json {
        let listed: Vec<_> = faults.iter().map(|fault| json!({ "line": fault.line, "detail": fault.detail })).collect();
        let data = json!({ "dry_run": flags.dry_run, "relinked": 0, "unchanged": 0, "faults": listed });
        output::print(true, &data, String::new)?;
    } else {
        for fault in &faults {
            output::write(&format!("{}:{}: {}\n", path.display(), fault.line, fault.detail))?;
        }
    }
    let count = output::counted(faults.len(), "fault");
    Err(Failure::new(format!("{count} in {}, and nothing was changed", output::counted(lines, "line"))))
}
