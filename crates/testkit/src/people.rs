//! People who sign up and in, with tokens of the `local` provider.

use crate::answer::Answer;
use crate::app::TestApp;
use crate::request::Request;
use perennial_app::providers;
use perennial_domain::users::Email;
use serde_json::{Value, json};

/// What a person holds after signing up or in.
#[derive(Clone, Debug)]
pub struct Held {
    /// The access token.
    pub token: String,
    /// The refresh token.
    pub refresh_token: String,
    /// Who they are, as they see themselves.
    pub user: Value,
}

impl Held {
    /// What an answer to signing up, signing in or refreshing gave.
    pub fn of(answer: &Answer) -> Self {
        let text = |name: &str| answer.data()[name].as_str().expect("tokens are texts").to_owned();
        Self { token: text("token"), refresh_token: text("refresh_token"), user: answer.data()["user"].clone() }
    }

    /// The user's id.
    pub fn user_id(&self) -> &str {
        self.user["id"].as_str().expect("an id is a text")
    }

    /// The session's id.
    pub fn session_id(&self) -> &str {
        self.user["auth_token_status_id"].as_str().expect("an id is a text")
    }
}

impl Request {
    /// Sends a person's access token along.
    #[must_use]
    pub fn bearer(self, token: &str) -> Self {
        self.header("authorization", format!("Bearer {token}"))
    }
}

impl TestApp {
    /// What the `local` provider would hand to the person with this address.
    pub fn identity_token(&self, email: &str, subject: Option<&str>) -> String {
        let email = Email::parse(email).unwrap();
        providers::local_token(&self.app, self.organization, &email, subject).expose().to_owned()
    }

    /// The body that signs this person up or in.
    pub fn credentials(&self, email: &str) -> Value {
        json!({ "access_token": self.identity_token(email, None), "email": email })
    }

    /// Signs up a user with the public client.
    pub async fn sign_up(&self, email: &str) -> Held {
        let request = self.browser("POST", "/authentication/sign-up").json(&self.credentials(email));
        Held::of(&request.send().await.expect(201))
    }

    /// Signs in a user with the public client, who has signed up before.
    pub async fn sign_in(&self, email: &str) -> Held {
        let request = self.browser("POST", "/authentication/sign-in").json(&self.credentials(email));
        Held::of(&request.send().await.expect(200))
    }

    /// Refreshes with the public client.
    pub async fn refresh(&self, refresh_token: &str) -> Answer {
        let body = json!({ "refresh_token": refresh_token });
        self.browser("POST", "/authentication/refresh-token").json(&body).send().await
    }

    /// Asks, with the public client, who holds the token.
    pub async fn logged_in(&self, token: &str) -> Answer {
        self.browser("POST", "/authentication/user-logged-in").bearer(token).send().await
    }
}
