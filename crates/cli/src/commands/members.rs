//! `perennial subscription member`: the users who get what a subscription grants, next to its owner.

use super::flags::organization;
use super::records::{self, Column, Kind, PAGE_SIZE, find, text};
use crate::arguments::Member as Command;
use crate::failure::Failure;
use crate::output;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::{Conflict, Error};
use perennial_app::idempotency::StoredResponse;
use perennial_app::members;
use perennial_domain::id::{SubscriptionId, UserId};
use perennial_domain::members::{Member, Seats};
use perennial_domain::subscriptions::Subscription;
use perennial_domain::users::User;
use perennial_domain::validation::ValidationErrors;
use perennial_http::record_fields;
use serde_json::Value;

static KIND: Kind = Kind {
    name: "member",
    fields: || record_fields("Member"),
    columns: &[
        Column::whole("USER", "user_id"),
        Column::new("SUBSCRIPTION", "subscription_id"),
        Column::new("CREATED", "created_at"),
    ],
};

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::List { subscription, single } => {
            let caller = Caller::system(organization(app, &single.org.org).await?.id);
            let id = find::<Subscription>(app, &caller, &subscription).await?.id;
            let (members, seats) = all(app, &caller, id).await?;
            records::write_with(&KIND, &members, ("seats", &seats), &single, json)
        }
        Command::Add { subscription, user, org } => {
            let (caller, id, user) = named(app, &org.org, &subscription, &user).await?;
            let member = add(app, &caller, id, user).await?;
            output::print(json, &member, || format!("Added {user} to {id}."))
        }
        Command::Remove { subscription, user, org } => {
            let (caller, id, user) = named(app, &org.org, &subscription, &user).await?;
            let member = match members::remove(app, &caller, id, user).await {
                Err(Error::NotFound) => return Err(Failure::new(format!("{user} is not a member of {id}"))),
                removed => removed?,
            };
            output::print(json, &member, || format!("Removed {user} from {id}."))
        }
    }
}

async fn named(
    app: &App,
    organization_named: &str,
    subscription: &str,
    user: &str,
) -> Result<(Caller, SubscriptionId, UserId), Failure> {
    let caller = Caller::system(organization(app, organization_named).await?.id);
    let subscription = find::<Subscription>(app, &caller, subscription).await?.id;
    let user = find::<User>(app, &caller, user).await?.id;
    Ok((caller, subscription, user))
}

/// Adds a member and returns it as the API does.
async fn add(app: &App, caller: &Caller, id: SubscriptionId, user: UserId) -> Result<Value, Failure> {
    let render = |member: &Member, _| StoredResponse {
        status: 201,
        body: text(member),
        location: String::new(),
        etag: String::new(),
        replayed: false,
    };
    match members::add(app, caller, None, id, (Some(user), ValidationErrors::none()), render).await {
        Err(Error::Conflict(Conflict::AlreadyMember)) => {
            Err(Failure::new(format!("{user} is a member of {id} already, or its owner")))
        }
        Err(Error::Conflict(Conflict::SeatLimit { limit, used })) => Err(Failure::new(format!(
            "{id} has {limit} seats, and {used} are used: remove a member, or grant more `seats`"
        ))),
        added => Ok(serde_json::from_str(&added?.body).expect("a member is plain data")),
    }
}

/// All members of a subscription, and its seats.
async fn all(app: &App, caller: &Caller, id: SubscriptionId) -> Result<(Vec<Member>, Seats), Error> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let (page, seats, next) = members::page(app, caller, id, after, PAGE_SIZE).await?;
        all.extend(page);
        after = next;
        if after.is_none() {
            return Ok((all, seats));
        }
    }
}
