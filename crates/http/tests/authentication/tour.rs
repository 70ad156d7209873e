//! The whole way of one person: sign up, look around, refresh, log out, come back, leave for good.

use perennial_testkit::{Held, TestApp};
use serde_json::json;

#[tokio::test]
async fn a_person_signs_up_refreshes_logs_out_comes_back_and_leaves() {
    let app = TestApp::start().await;
    let ada = app.sign_up("ada@example.com").await;
    let seen = app.logged_in(&ada.token).await.expect(200);
    assert_eq!(seen.data()["user"], ada.user);
    assert_eq!(ada.user["auth_type"], "local");

    let refreshed = Held::of(&app.refresh(&ada.refresh_token).await.expect(200));
    assert_ne!(refreshed.refresh_token, ada.refresh_token);
    assert_eq!(refreshed.session_id(), ada.session_id());

    let logout = || app.browser("POST", "/authentication/tokens/logout").bearer(&refreshed.token);
    assert_eq!(logout().send().await.expect(200).data(), &json!({ "success": true, "revoked": 1 }));
    assert_eq!(logout().send().await.expect(200).data(), &json!({ "success": true, "revoked": 0 }));
    app.logged_in(&ada.token).await.refused(401, "invalid_token");
    app.refresh(&refreshed.refresh_token).await.refused(401, "invalid_refresh_token");

    let back = app.sign_in("ada@example.com").await;
    assert_eq!(back.user_id(), ada.user_id());
    assert_ne!(back.session_id(), ada.session_id());
    app.advance(1);
    let again = app.sign_in("ada@example.com").await;
    let listed = app.browser("GET", "/authentication/tokens").bearer(&again.token).send().await.expect(200);
    let ids: Vec<&str> =
        listed.data()["tokens"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [again.session_id(), back.session_id()]);

    let auth_id = again.user["auth_id"].as_str().unwrap();
    let path = format!("/authentication/delete-my-account/{auth_id}");
    let gone = app.browser("DELETE", &path).bearer(&again.token).send().await.expect(200);
    assert_eq!(gone.data(), &json!({ "deleted": true }));
    app.logged_in(&back.token).await.refused(401, "invalid_token");
    let sign_in = app.browser("POST", "/authentication/sign-in").json(&app.credentials("ada@example.com"));
    sign_in.send().await.refused(404, "user_not_found");
    assert_ne!(app.sign_up("ada@example.com").await.user_id(), ada.user_id());
}
