//! Operators who sign in with a one-time link, and their requests from a page of the console.

use crate::answer::Answer;
use crate::app::TestApp;
use crate::request::Request;
use serde_json::{Value, json};
use std::net::SocketAddr;

/// An operator with a session.
#[derive(Clone, Debug)]
pub struct SignedInOperator {
    /// The operator's id.
    pub id: String,
    /// The session as it was returned.
    pub session: Value,
    /// The cookie as the browser sends it: name and value.
    pub cookie: String,
    address: SocketAddr,
}

impl SignedInOperator {
    /// A request from a page of the console.
    pub fn request(&self, method: &str, target: &str) -> Request {
        Request::new(self.address, method, target).console(self.address).header("cookie", &self.cookie)
    }

    /// GET from a page of the console.
    pub async fn get(&self, target: &str) -> Answer {
        self.request("GET", target).send().await
    }

    /// POST from a page of the console.
    pub async fn post(&self, target: &str, body: &Value) -> Answer {
        self.request("POST", target).json(body).send().await
    }

    /// PUT from a page of the console.
    pub async fn put(&self, target: &str, body: &Value) -> Answer {
        self.request("PUT", target).json(body).send().await
    }

    /// DELETE from a page of the console.
    pub async fn delete(&self, target: &str) -> Answer {
        self.request("DELETE", target).send().await
    }

    /// The value of the cookie.
    pub fn cookie_value(&self) -> &str {
        self.cookie.split_once('=').expect("a cookie has a value").1
    }
}

impl Request {
    /// The headers that a browser adds on a page of the console at this address.
    #[must_use]
    pub fn console(self, address: SocketAddr) -> Self {
        self.header("host", address.to_string())
            .header("x-perennial-console", "1")
            .header("sec-fetch-site", "same-origin")
    }
}

impl TestApp {
    /// A request from a page of the console without a session.
    pub fn console(&self, method: &str, target: &str) -> Request {
        self.anonymous(method, target).console(self.address)
    }

    /// A new operator's id.
    pub async fn operator(&self, name: &str, role: &str) -> String {
        let body = json!({ "name": name, "role": role });
        let answer = self.post("/operators", &body).await.expect(201);
        answer.data()["id"].as_str().expect("an id is a text").to_owned()
    }

    /// A new one-time link of an operator, without the rest of its URL.
    pub async fn link(&self, operator: &str) -> String {
        let answer = self.request("POST", &format!("/operators/{operator}/link")).send().await.expect(201);
        let url = answer.data()["url"].as_str().expect("a link is a text");
        url.split_once("#link=").expect("the link is in the fragment").1.to_owned()
    }

    /// Signs in with a link.
    pub async fn use_link(&self, link: &str) -> Answer {
        self.console("POST", "/operator-session").json(&json!({ "link": link })).send().await
    }

    /// A new operator who has signed in.
    pub async fn signed_in_operator(&self, name: &str, role: &str) -> SignedInOperator {
        let id = self.operator(name, role).await;
        self.sign_in_operator(&id).await
    }

    /// Signs in an operator with a new link.
    pub async fn sign_in_operator(&self, id: &str) -> SignedInOperator {
        let answer = self.use_link(&self.link(id).await).await.expect(200);
        let cookie = answer.header("set-cookie").split(';').next().expect("a cookie has a value").to_owned();
        SignedInOperator { id: id.to_owned(), session: answer.data().clone(), cookie, address: self.address }
    }
}
