//! `perennial user`.

use super::{organization, wrong};
use crate::arguments::User as Command;
use crate::failure::Failure;
use crate::output;
use perennial_app::context::App;
use perennial_app::users;
use perennial_domain::id::{OrganizationId, UserId};
use perennial_domain::time::Time;
use perennial_domain::users::{Email, User};
use serde::Serialize;

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::Create { email, org } => {
            let email = Email::parse(&email).map_err(|reason| wrong("email", &reason))?;
            let organization = organization(app, &org.org).await?;
            let taken =
                Failure::new(format!("a user of {} has this e-mail address already", organization.name.as_str()));
            let user = users::create(app, organization.id, email).await?.ok_or(taken)?;
            output::print(json, &UserView::of(&user), || format!("Created {}.", user.id))
        }
        Command::List { limit, org } => {
            let organization = organization(app, &org.org).await?;
            let users = users::list(app, organization.id, i64::from(limit)).await?;
            let views: Vec<UserView<'_>> = users.iter().map(UserView::of).collect();
            output::print(json, &views, || {
                let rows: Vec<[String; 3]> = users
                    .iter()
                    .map(|user| {
                        let email = user.email.as_ref().map(Email::as_str).unwrap_or_default();
                        [user.id.to_string(), email.to_owned(), user.created_at.to_string()]
                    })
                    .collect();
                output::table(["ID", "E-MAIL", "CREATED"], &rows)
            })
        }
    }
}

/// A user as the operator sees it.
#[derive(Serialize)]
struct UserView<'a> {
    id: UserId,
    organization_id: OrganizationId,
    email: Option<&'a str>,
    created_at: Time,
    updated_at: Time,
}

impl<'a> UserView<'a> {
    fn of(user: &'a User) -> Self {
        Self {
            id: user.id,
            organization_id: user.organization_id,
            email: user.email.as_ref().map(Email::as_str),
            created_at: user.created_at,
            updated_at: user.updated_at,
        }
    }
}
