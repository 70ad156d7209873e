//! Billing profiles: what documents print about a user. Every user has one, stored since its first change.

use crate::audit::json;
use crate::business_time;
use crate::caller::Caller;
use crate::clients::confirm;
use crate::context::App;
use crate::error::{Conflict, Error};
use crate::revision::IfMatch;
use crate::users;
use perennial_domain::billing_profiles::{BillingProfile, Locale, ProfilePatch};
use perennial_domain::country::Country;
use perennial_domain::credits::Balance;
use perennial_domain::events::{Event, EventKind};
use perennial_domain::id::{TaxRateId, UserId};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::users::Email;
use perennial_domain::validation::{ValidationCode, ValidationErrors};
use perennial_store::{self as store, Change, Violation, billing_profiles, credits, events, tax_rates};
use serde::Serialize;

/// A billing profile and the user's balances.
pub struct ProfileWithBalances {
    /// The profile.
    pub profile: BillingProfile,
    /// The balances, by currency.
    pub balances: Vec<Balance>,
}

/// A billing profile as it is returned.
#[derive(Serialize)]
#[expect(missing_docs, reason = "the fields are the contract's")]
pub struct ProfileRecord<'a> {
    pub user_id: UserId,
    pub name: Option<&'a str>,
    pub email: Option<&'a str>,
    pub address: Vec<&'a str>,
    pub country: Option<Country>,
    pub tax_id: Option<&'a str>,
    pub tax_exempt: bool,
    pub tax_rate_ids: &'a [TaxRateId],
    pub locale: Option<Locale>,
    pub note: Option<&'a str>,
    pub balances: &'a [Balance],
    pub created_at: Time,
    pub updated_at: Time,
}

impl<'a> ProfileRecord<'a> {
    /// The record of a profile.
    pub fn of(ProfileWithBalances { profile, balances }: &'a ProfileWithBalances) -> Self {
        let fields = &profile.fields;
        Self {
            user_id: profile.user_id,
            name: fields.name.as_ref().map(Line::as_str),
            email: fields.email.as_ref().map(Email::as_str),
            address: fields.address.iter().map(Line::as_str).collect(),
            country: fields.country,
            tax_id: fields.tax_id.as_ref().map(Line::as_str),
            tax_exempt: fields.tax_exempt,
            tax_rate_ids: &fields.tax_rate_ids,
            locale: fields.locale,
            note: fields.note.as_ref().map(Line::as_str),
            balances,
            created_at: profile.created_at,
            updated_at: profile.updated_at,
        }
    }
}

/// What an event stores of a profile: the user and the names of the changed fields, not their values.
#[derive(Serialize)]
struct ProfileTrace {
    id: UserId,
    fields: Vec<&'static str>,
}

/// The profile of a user.
pub async fn read(app: &App, caller: &Caller, user: UserId) -> Result<ProfileWithBalances, Error> {
    let profile = find(app, caller, user).await?;
    with_balances(app, caller, profile).await
}

/// Updates the profile of a user and returns it. Nothing is written if nothing changes.
pub async fn update(
    app: &App,
    caller: &Caller,
    user: UserId,
    if_match: &IfMatch,
    read_patch: impl Fn(&BillingProfile) -> (ProfilePatch, ValidationErrors) + Send + Sync,
) -> Result<ProfileWithBalances, Error> {
    let mut attempts = app.locks.attempts((caller.organization().bytes(), user));
    while attempts.next().await {
        let before = find(app, caller, user).await?;
        if_match.check(before.revision)?;
        let (patch, mut errors) = read_patch(&before);
        check_tax_rates(app, caller, &before, &patch, &mut errors).await?;
        let mut after = before.merge(patch, errors)?;
        if after == before {
            return with_balances(app, caller, before).await;
        }
        let stamp = app.stamp(&before, app.clock.now());
        (after.updated_at, after.revision) = (stamp.at, stamp.revision);
        // A clock that moves issues invoices to this profile.
        business_time::check(app, caller).await?;
        if caller.is_dry_run {
            return with_balances(app, caller, after).await;
        }
        let trace = ProfileTrace { id: user, fields: after.changed_fields(&before) };
        let event = caller.event(EventKind::BillingProfileUpdated, user.bytes(), stamp.revision, stamp.at);
        let (event, change) = if before.is_new() {
            (event, billing_profiles::insert(Change::new(), &after))
        } else {
            (event.following(before.revision), billing_profiles::update(Change::new(), &after, before.revision))
        };
        let change = events::insert(change, &Event { after: Some(json(&trace)), ..event });
        let change = confirm(app, caller, change).await?;
        match app.db.commit(change).await {
            Ok(()) => return with_balances(app, caller, after).await,
            Err(store::Error::Violated(Violation::Record | Violation::User)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Conflict::Contended.into())
}

/// The profile of a user whom the caller may see: the stored one, or an empty one.
async fn find(app: &App, caller: &Caller, user: UserId) -> Result<BillingProfile, Error> {
    let user = users::read(app, caller, user).await?;
    let stored = billing_profiles::by_user(&app.db, caller.organization(), user.id).await?;
    Ok(stored.unwrap_or_else(|| BillingProfile::empty(&user)))
}

async fn with_balances(app: &App, caller: &Caller, profile: BillingProfile) -> Result<ProfileWithBalances, Error> {
    let balances = credits::balances(&app.db, caller.organization(), profile.user_id).await?;
    Ok(ProfileWithBalances { profile, balances })
}

/// Adds an error for each tax rate that is named for the first time and does not exist or is inactive.
async fn check_tax_rates(
    app: &App,
    caller: &Caller,
    before: &BillingProfile,
    patch: &ProfilePatch,
    errors: &mut ValidationErrors,
) -> Result<(), Error> {
    let Some(ids) = &patch.tax_rate_ids else { return Ok(()) };
    for (index, id) in before.new_tax_rates(ids) {
        let found = tax_rates::by_id(&app.db, caller.organization(), id).await?;
        if !found.is_some_and(|rate| rate.is_active) {
            let detail = "names no active tax rate of this organization";
            errors.note(format!("/tax_rate_ids/{index}"), ValidationCode::NotFound, detail);
        }
    }
    Ok(())
}
