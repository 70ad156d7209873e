//! The schemas of a user, and of what remains of an erased one.

use super::{create_example, draft};
use crate::samples;
use crate::schema::{self, Schema};
use perennial_app::users::UserRecord;
use perennial_domain::id::{OrganizationId, UserId};
use perennial_domain::users::{Identity, User};
use serde::Serialize;
use serde_json::{Value, json};

/// A user as applications manage it. `User` is what a user receives about itself.
pub(super) static USER: Schema = Schema {
    name: "ManagedUser",
    definition: user_schema,
    example: || samples::json(UserRecord::of(&sample())),
    refers_to: &[],
};

/// What is returned of an erased user.
pub(super) static DELETED: Schema = Schema {
    name: "DeletedUser",
    definition: || {
        schema::record(&[("id", schema::id::<UserId>()), ("deleted", json!({ "type": "boolean", "enum": [true] }))])
    },
    example: || samples::json(Deleted { id: UserId::from_bytes(samples::ID), deleted: true }),
    refers_to: &[],
};

#[derive(Serialize)]
pub(super) struct Deleted {
    pub(super) id: UserId,
    pub(super) deleted: bool,
}

fn user_schema() -> Value {
    let boolean = || json!({ "type": ["boolean", "null"] });
    schema::record(&[
        ("id", schema::id::<UserId>()),
        (
            "auth_id",
            json!({ "type": ["string", "null"], "description": "The user's ID at the identity provider. Null before the first sign-up." }),
        ),
        (
            "auth_provider",
            json!({ "type": ["string", "null"], "description": "The issuer (`iss`) of the identity provider." }),
        ),
        ("auth_type", schema::optional_text()),
        ("organization_id", schema::id::<OrganizationId>()),
        ("email", schema::optional_text()),
        ("username", schema::optional_text()),
        ("first_name", schema::optional_text()),
        ("last_name", schema::optional_text()),
        ("terms", boolean()),
        ("notifications", boolean()),
        ("role", schema::words(&[UserRecord::ROLE])),
        ("is_blocked", json!({ "type": "boolean", "description": "Whether the user is blocked and cannot sign in." })),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

/// The user that the example of a create makes, after the first sign-up.
fn sample() -> User {
    let (draft, errors) = samples::read(&create_example(), |fields| draft(fields));
    let (organization, id) = (OrganizationId::from_bytes(samples::ID), UserId::from_bytes(samples::ID));
    let user = User::create(draft, errors, organization, id, samples::REVISION, samples::now());
    let identity = Identity { issuer: "https://acme.auth0.com/".to_owned(), subject: "auth0|64f0c0ffee".to_owned() };
    User { identity: Some(identity), ..user.expect("the example is valid") }
}
