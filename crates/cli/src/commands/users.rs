//! `perennial user`.

use super::{organization, wrong};
use crate::arguments::User;
use crate::failure::Failure;
use crate::output;
use perennial_app::context::App;
use perennial_app::users;
use perennial_domain::users::Email;

pub(super) async fn run(app: &App, command: User, json: bool) -> Result<(), Failure> {
    match command {
        User::Create { email, org } => {
            let email = Email::parse(&email).map_err(|reason| wrong("email", &reason))?;
            let organization = organization(app, &org.org).await?;
            let taken =
                Failure::new(format!("a user of {} has this e-mail address already", organization.name.as_str()));
            let user = users::create(app, organization.id, email).await?.ok_or(taken)?;
            output::print(json, &user, || format!("Created {}.", user.id))
        }
        User::List { limit, org } => {
            let organization = organization(app, &org.org).await?;
            let users = users::list(app, organization.id, i64::from(limit)).await?;
            output::print(json, &users, || {
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
