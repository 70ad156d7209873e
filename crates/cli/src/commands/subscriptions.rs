//! `perennial subscription`.

use super::flags::{range, read_flag, read_flags, read_sort};
use super::members;
use super::records::{self, Column, Kind, Record, find, parse_id};
use crate::arguments::{Subscription as Command, SubscriptionFilters};
use crate::failure::Failure;
use perennial_app::caller::Caller;
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::subscriptions::{self, Query, Sort};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::plans::Plan;
use perennial_domain::subscriptions::{ExternalSubscriptionId, Subscription, SubscriptionStatus};
use perennial_domain::time::Time;
use perennial_domain::users::User;
use perennial_http::fuzz_api::subscription_record;
use perennial_http::record_fields;
use perennial_store::{Page, Position};

static KIND: Kind = Kind {
    name: "subscription",
    fields: || record_fields("Subscription"),
    columns: &[
        Column::whole("ID", "id"),
        Column::new("STATUS", "status"),
        Column::new("ACCESS", "has_access"),
        Column::new("CYCLE", "billing_cycle"),
        Column::new("RENEWS", "renews_at"),
        Column::new("ENDS", "ends_at"),
        Column::new("USER", "user_id"),
        Column::new("PLAN", "subscription_plan_id"),
    ],
};

pub(super) async fn run(app: &App, command: Command, json: bool) -> Result<(), Failure> {
    match command {
        Command::Record(command) => records::run::<Subscription>(app, command, json).await,
        Command::Member(command) => members::run(app, command, json).await,
    }
}

const SORTS: [(&str, Sort); 3] = [("created_at", Sort::Created), ("renews_at", Sort::Renews), ("ends_at", Sort::Ends)];

impl Record for Subscription {
    type Filters = SubscriptionFilters;
    type Query = Query;

    const KIND: &'static Kind = &KIND;

    async fn find(app: &App, caller: &Caller, named: &str) -> Result<Self, Error> {
        subscriptions::read(app, caller, parse_id(named)?).await
    }

    async fn query(app: &App, caller: &Caller, filters: &SubscriptionFilters) -> Result<Query, Failure> {
        let (sort, descending) = read_sort(&filters.sort, &SORTS)?;
        let statuses = read_flags("status", &filters.status, SubscriptionStatus::parse)?;
        let external = filters.external_subscription_id.as_deref();
        let external = read_flag("external-subscription-id", external, ExternalSubscriptionId::parse)?;
        let user = match &filters.user {
            Some(named) => Some(find::<User>(app, caller, named).await?.id),
            None => None,
        };
        let plan = match &filters.plan {
            Some(named) => Some(find::<Plan>(app, caller, named).await?.id),
            None => None,
        };
        Ok(Query {
            user_id: user,
            plan_id: plan,
            statuses,
            is_active: filters.is_active,
            billing_cycle: read_flag("billing-cycle", filters.billing_cycle.as_deref(), BillingCycle::parse)?,
            external_id: external.map(|id| id.as_str().to_owned()),
            created: range(["created-after", "created-before"], [&filters.created_after, &filters.created_before])?,
            renews: range(["renews-after", "renews-before"], [&filters.renews_after, &filters.renews_before])?,
            ends: range(["ends-after", "ends-before"], [&filters.ends_after, &filters.ends_before])?,
            sort,
            descending,
        })
    }

    async fn page(
        app: &App,
        caller: &Caller,
        query: &Query,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Page<Self>, Error> {
        subscriptions::page(app, caller, None, query.clone(), after, limit).await
    }

    fn position(&self, query: &Query) -> Position {
        subscriptions::position(self, query.sort)
    }

    fn name(&self) -> String {
        self.id.to_string()
    }

    fn render(&self, app: &App) -> String {
        self.render_at(app, app.clock.now())
    }

    /// The record with the access that it gives now.
    fn render_at(&self, _: &App, now: Time) -> String {
        String::from_utf8_lossy(&subscription_record(self, now)).into_owned()
    }
}
