//! `perennial keys`: the keys that sign access tokens.

use crate::arguments::Keys;
use crate::failure::Failure;
use crate::output;
use perennial_app::context::App;
use perennial_app::signing_keys;

pub(super) async fn run(app: &App, command: &Keys, json: bool) -> Result<(), Failure> {
    let Keys::Rotate { revoke_old } = command;
    let rotated = signing_keys::rotate(app, *revoke_old).await?;
    output::print(json, &rotated, || {
        let previous = if *revoke_old {
            "Access tokens signed with the previous keys are refused within 5 seconds; refresh tokens stay valid."
        } else {
            "Access tokens signed with the previous keys stay valid until they expire."
        };
        format!("The new key signs from {}.\n{previous}", rotated.active_from)
    })
}
