//! A browser of a customer: it follows the portal's rules and keeps its cookie.

use perennial_testkit::{Answer, Request, TestApp};
use serde_json::{Value, json};

/// A user with a session of the portal.
pub(crate) struct Customer<'a> {
    pub(crate) app: &'a TestApp,
    pub(crate) user: String,
    /// Name and value, as the browser sends it.
    pub(crate) cookie: String,
}

/// A link of a user, as a path.
pub(crate) async fn link(app: &TestApp, user: &str, body: &Value) -> String {
    let answer = app.post(&format!("/users/{user}/portal-link"), body).await.expect(201);
    let url = answer.data()["url"].as_str().unwrap();
    url.strip_prefix("https://console.example.com").unwrap().to_owned()
}

/// A navigation to a page.
pub(crate) fn visit(app: &TestApp, target: &str) -> Request {
    app.anonymous("GET", target).header("host", app.address.to_string())
}

/// A form that a page of our origin submits.
pub(crate) fn submit(app: &TestApp, target: &str, form: &str) -> Request {
    app.anonymous("POST", target)
        .header("host", app.address.to_string())
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded")
        .raw(form.to_owned())
}

pub(crate) fn html(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.bytes).into_owned()
}

/// The pair of the session's cookie in a response.
pub(crate) fn cookie(answer: &Answer) -> String {
    let all = answer.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap());
    let found = all.into_iter().find(|text| text.starts_with("perennial-portal="));
    found.expect("the cookie was set").split(';').next().unwrap().to_owned()
}

impl<'a> Customer<'a> {
    /// A new user who has entered the portal.
    pub(crate) async fn enter(app: &'a TestApp, email: &str) -> Self {
        let user = app.user(email).await;
        Self::enter_as(app, &user, &json!({})).await
    }

    pub(crate) async fn enter_as(app: &'a TestApp, user: &str, body: &Value) -> Self {
        let path = link(app, user, body).await;
        let answer = submit(app, &path, "").send().await.expect(303);
        assert_eq!(answer.header("location"), "/portal/");
        Self { app, user: user.to_owned(), cookie: cookie(&answer) }
    }

    pub(crate) fn get_request(&self, target: &str) -> Request {
        visit(self.app, target).header("cookie", &self.cookie)
    }

    pub(crate) async fn get(&self, target: &str) -> Answer {
        self.get_request(target).send().await
    }

    /// The token of the forms, as the page has it.
    pub(crate) async fn token(&self) -> String {
        let page = html(&self.get("/portal/sessions").await.expect(200));
        let (_, rest) = page.split_once("name=\"token\" value=\"").expect("the page has a form");
        rest.split('"').next().unwrap().to_owned()
    }

    pub(crate) async fn submit(&self, target: &str) -> Answer {
        let form = format!("token={}", self.token().await);
        submit(self.app, target, &form).header("cookie", &self.cookie).send().await
    }
}
