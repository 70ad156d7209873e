//! Relinked users: after an organization has moved to another identity provider its users sign in as who they were.

use super::support::*;
use perennial_app::users::{Relink, RelinkError, Relinked, Target, relink};
use perennial_domain::users::{Email, Identity};
use perennial_testkit::{Held, TestApp};

const ISSUER: &str = "urn:perennial:local";

fn entry(user: &str, issuer: &str, subject: &str) -> Relink {
    let target = user.parse().map_or_else(|_| Target::Email(Email::parse(user).unwrap()), Target::Id);
    Relink { user: target, identity: Identity { issuer: issuer.to_owned(), subject: subject.to_owned() } }
}

async fn sign_up(app: &TestApp, email: &str, subject: &str) -> Held {
    Held::of(&present(app, SIGN_UP, &credentials(app, email, subject)).await.expect(201))
}

#[tokio::test]
async fn after_a_move_to_another_provider_everyone_signs_in_as_who_they_were() {
    let app = TestApp::start().await;
    let (ada, eve) = (sign_up(&app, "ada@example.com", "ada").await, sign_up(&app, "eve@example.com", "eve").await);
    let made = app.user("made@example.com").await;
    // The new provider uses other subjects: no user can sign in or sign up.
    for (email, subject) in [("ada@example.com", "new-1"), ("eve@example.com", "new-2")] {
        let body = credentials(&app, email, subject);
        present(&app, SIGN_IN, &body).await.refused(404, "user_not_found");
        present(&app, SIGN_UP, &body).await.refused(409, "email_taken");
    }
    let known = app.events().await;
    let entries = [
        entry(ada.user_id(), ISSUER, "new-1"),
        entry("eve@example.com", ISSUER, "new-2"),
        entry("made@example.com", ISSUER, "new-3"),
    ];
    let Relinked::Done { relinked, unchanged: 0 } = relink(&app.app, app.organization, &entries, true).await.unwrap()
    else {
        panic!("it was refused");
    };
    assert_eq!(relinked.len(), 3);
    assert_eq!(app.events().await, known, "a dry run changes nothing");
    relink(&app.app, app.organization, &entries, false).await.unwrap();
    let expected = [ada.user_id(), eve.user_id(), &made].map(|user| format!("user.relinked {user}"));
    let mut reported = reported(&new_events(&app, &known).await);
    reported.sort_by_key(|line| expected.iter().position(|known| known == line));
    assert_eq!(reported, expected);
    for (email, subject, user) in [
        ("ada@example.com", "new-1", ada.user_id()),
        ("eve@example.com", "new-2", eve.user_id()),
        ("made@example.com", "new-3", &made),
    ] {
        let back = Held::of(&present(&app, SIGN_IN, &credentials(&app, email, subject)).await.expect(200));
        assert_eq!((back.user_id(), text(&back.user, "auth_id")), (user, subject));
    }
    // Earlier sessions stay valid, and the earlier identities belong to no user.
    app.logged_in(&ada.token).await.expect(200);
    present(&app, SIGN_IN, &credentials(&app, "ada@example.com", "ada")).await.refused(404, "user_not_found");
    let again = relink(&app.app, app.organization, &entries, false).await.unwrap();
    assert_eq!(again, Relinked::Done { relinked: vec![], unchanged: 3 });
}

#[tokio::test]
async fn all_errors_are_reported_and_then_nothing_is_changed() {
    let app = TestApp::start().await;
    let (ada, eve) = (sign_up(&app, "ada@example.com", "ada").await, sign_up(&app, "eve@example.com", "eve").await);
    let known = app.events().await;
    let entries = [
        entry("ada@example.com", ISSUER, "new-1"),
        entry(&format!("usr_{UNKNOWN_ID}"), ISSUER, "new-2"),
        entry(eve.user_id(), ISSUER, "ada"),
        entry(ada.user_id(), ISSUER, "new-3"),
        entry("unknown@example.com", ISSUER, "new-1"),
    ];
    let faults = relink(&app.app, app.organization, &entries, false).await.unwrap();
    let expected = [
        (1, RelinkError::NoSuchUser),
        (2, RelinkError::IdentityTaken(ada.user_id().parse().unwrap())),
        (3, RelinkError::UserTwice(0)),
        (4, RelinkError::IdentityTwice(0)),
        (4, RelinkError::NoSuchUser),
    ];
    assert_eq!(faults, Relinked::Refused(expected.into()));
    assert_eq!(app.events().await, known);
    app.sign_up("bob@example.com").await;
    present(&app, SIGN_IN, &credentials(&app, "ada@example.com", "ada")).await.expect(200);
}
