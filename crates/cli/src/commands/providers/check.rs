//! `perennial provider check`: the state of each provider, and remedies.

use crate::failure::Failure;
use crate::output;
use perennial_app::context::App;
use perennial_app::providers::{self, Algorithm, Checked, FetchError, Seen, Trouble, Unusable};
use perennial_domain::id::OrganizationId;
use serde_json::{Value, json};

pub(super) async fn run(
    app: &App,
    organization: OrganizationId,
    only: Option<&str>,
    json: bool,
) -> Result<(), Failure> {
    let checked = providers::check(app, organization, only).await?;
    if let (Some(provider), []) = (only, checked.as_slice()) {
        return Err(Failure::new(format!("there is no provider {provider:?}: see `perennial provider list`")));
    }
    let data: Vec<Value> = checked.iter().map(record).collect();
    output::print(json, &data, || match checked.as_slice() {
        [] => "There is no provider to check: add one with `perennial provider add`.".to_owned(),
        checked => checked.iter().map(sentence).collect::<Vec<_>>().join("\n"),
    })?;
    match checked.iter().filter(|checked| checked.outcome.is_err()).count() {
        0 => Ok(()),
        failed => Err(Failure::new(format!("{failed} of {} providers cannot be used as they are", checked.len()))),
    }
}

fn record(checked: &Checked) -> Value {
    let mut record = json!({
        "issuer": checked.issuer,
        "kind": checked.kind,
        "source": checked.source,
        "usable": checked.outcome.is_ok(),
        "keys": null,
        "kept_seconds": null,
        "trouble": null,
    });
    match &checked.outcome {
        Ok(Seen::Keys(sighting)) => {
            let key = |(kid, algorithms): &(String, Vec<Algorithm>)| json!({ "kid": kid, "algorithms": algorithms });
            record["keys"] = sighting.keys.iter().map(key).collect();
            record["kept_seconds"] = sighting.fresh_seconds.into();
        }
        Ok(Seen::Answers | Seen::Secret) => {}
        Err(trouble) => record["trouble"] = advised(trouble).into(),
    }
    record
}

fn sentence(checked: &Checked) -> String {
    let said = match &checked.outcome {
        Ok(Seen::Keys(sighting)) => {
            let mut lines = vec![format!("its keys, cached for {} seconds:", sighting.fresh_seconds)];
            lines.extend(sighting.keys.iter().map(|(kid, algorithms)| {
                let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
                format!("  {kid}  {}", names.join(" "))
            }));
            if sighting.keys.is_empty() {
                lines.push("  one key without a name".to_owned());
            }
            lines.join("\n")
        }
        Ok(Seen::Answers) => "the endpoint accepts our credentials, and rejects a made-up token".to_owned(),
        Ok(Seen::Secret) => "the secret opens and is long enough; there is no endpoint to check".to_owned(),
        Err(trouble) => format!("FAILED: {}", advised(trouble)),
    };
    format!("{} ({}): {said}", checked.issuer, checked.kind)
}

/// The error and its remedy.
fn advised(trouble: &Trouble) -> String {
    advice_on(trouble).map_or_else(|| trouble.to_string(), |advice| format!("{trouble}; {advice}"))
}

/// The remedy, if the error itself does not contain it.
pub(crate) fn advice_on(trouble: &Trouble) -> Option<&'static str> {
    Some(match trouble {
        Trouble::Unusable(Unusable::Secret(_)) => "give this command the master key that the servers have",
        Trouble::Unusable(_) => "remove the provider and add it again as it should be",
        Trouble::Fetch(error) => match error {
            FetchError::Unresolved => "check how the host is spelt, and this machine's DNS",
            FetchError::Unreachable(_) | FetchError::Closed | FetchError::TimedOut => {
                "see that the provider runs and that this machine may connect to it"
            }
            FetchError::Redirect => "give the URL that it redirects to",
            FetchError::Status(401 | 403) => "check the client id and the client secret",
            FetchError::Status(_) => "check the issuer, and the URL of its keys or its endpoint",
            FetchError::Malformed(_) | FetchError::TooLarge(_) => "check that the URL is the right one",
            FetchError::Busy => "try again",
            FetchError::Forbidden(_) => return None,
        },
    })
}
