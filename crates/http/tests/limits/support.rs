//! A client that makes a given number of attempts.

use perennial_app::caller::Caller;
use perennial_app::limits::{self, Budget, Limited, Standing};
use perennial_testkit::TestApp;
use std::net::IpAddr;

pub(crate) const ADDRESS: &str = "203.0.113.5";

pub(crate) struct Visitor<'a> {
    pub(crate) app: &'a TestApp,
    pub(crate) caller: Caller,
    pub(crate) budget: Budget,
    pub(crate) address: IpAddr,
}

impl<'a> Visitor<'a> {
    /// A user in a browser.
    pub(crate) async fn public(app: &'a TestApp, address: &str) -> Self {
        let caller = app.public_caller().await;
        Self { app, caller, budget: Budget::SignIn, address: address.parse().unwrap() }
    }

    /// A server.
    pub(crate) async fn trusted(app: &'a TestApp, address: &str) -> Self {
        Self { caller: app.trusted_caller().await, ..Self::public(app, address).await }
    }

    pub(crate) async fn admit(&self) -> Result<Option<Standing>, Limited> {
        limits::admit(&self.app.app, &self.caller, self.budget, self.address).await
    }

    pub(crate) async fn peek(&self) -> Result<Option<Standing>, Limited> {
        limits::peek(&self.app.app, &self.caller, self.budget, self.address).await
    }

    pub(crate) fn count(&self) -> Standing {
        limits::count(&self.app.app, &self.caller, self.budget, self.address).unwrap()
    }

    /// How many attempts are admitted, one after the other.
    pub(crate) async fn attempt(&self, times: usize) -> usize {
        let mut admitted = 0;
        for _ in 0..times {
            admitted += usize::from(self.admit().await.is_ok());
        }
        admitted
    }
}
