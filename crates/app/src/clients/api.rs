//! Clients over the API. No caller grants more than it holds, a disabled client stays disabled, and the credential of a
//! trusted client leaves this file once, in the result of its create.

use super::credential::Credential;
use super::write::{NewClient, Presents, change, generated_name, insert};
use crate::caller::{Caller, Principal};
use crate::context::App;
use crate::cursor;
use crate::error::{Conflict, Error};
use crate::revision::IfMatch;
use perennial_domain::clients::{Client, ClientDraft, ClientKind, ClientPatch};
use perennial_domain::id::ClientId;
use perennial_domain::validation::ValidationErrors;
use perennial_store::clients;

/// Creates a client. The credential is that of a trusted one.
pub async fn create_over_api(
    app: &App,
    caller: &Caller,
    draft: ClientDraft,
    errors: ValidationErrors,
) -> Result<(Client, Option<Credential>), Error> {
    let fields = draft.check(errors)?;
    caller.check_grant(fields.scopes)?;
    let (presents, credential) = match (fields.kind, fields.public_id) {
        (ClientKind::Public, chosen) => (Presents::Public(chosen.unwrap_or_else(|| generated_name(app))), None),
        (ClientKind::Trusted, _) if !may_receive_credential(caller) => return Err(Error::ClientNotForBrowsers),
        (ClientKind::Trusted, _) => {
            let credential = Credential::generate(&app.entropy);
            (Presents::Trusted(credential.clone()), Some(credential))
        }
    };
    let new = NewClient {
        name: fields.name,
        presents,
        scopes: fields.scopes,
        origins: fields.origins,
        cidrs: fields.cidrs,
        expires_at: fields.expires_at,
    };
    Ok((insert(app, caller, new).await?, credential))
}

/// A page of clients, newest first, and the cursor of the next page.
pub async fn page(
    app: &App,
    caller: &Caller,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Client>, Option<String>), Error> {
    let name = cursor::clients(caller.organization());
    let after = cursor.map(|cursor| cursor::open(&app.keys, &name, cursor)).transpose()?;
    let page = clients::page(&app.db, caller.organization(), after, limit).await?;
    Ok(cursor::with_next(&app.keys, &name, page))
}

/// Updates a client. `read_patch` reads the request against the client as it is.
pub async fn update_over_api(
    app: &App,
    caller: &Caller,
    id: ClientId,
    if_match: &IfMatch,
    read_patch: impl Fn(&Client) -> (ClientPatch, ValidationErrors),
) -> Result<Client, Error> {
    let decide = |before: &Client, at| {
        let (patch, mut errors) = read_patch(before);
        patch.check(before, &mut errors);
        if !errors.is_empty() {
            return Err(Error::Invalid(errors));
        }
        let after = patch.apply(before, at);
        caller.check_grant(after.scopes.beyond(before.scopes))?;
        match before.disabled_at {
            _ if after == *before => Ok(None),
            Some(_) => Err(Conflict::ClientDisabled.into()),
            None => Ok(Some(after)),
        }
    };
    change(app, caller, id, if_match, decide, clients::update).await
}

/// Whether the response to this caller does not reach a browser.
fn may_receive_credential(caller: &Caller) -> bool {
    match caller.principal {
        Principal::Client(_) | Principal::System(_) => true,
        Principal::Operator(_) | Principal::User(_) | Principal::Anonymous => false,
    }
}
