//! `perennial subscription`.

use super::records::{self, Column, Kind};
use super::{chosen_sort, organization, plans, read_flag, users, wrong};
use crate::arguments::{Subscription as Command, SubscriptionList};
use crate::failure::Failure;
use perennial_app::context::App;
use perennial_app::subscriptions::{self, Query, Range, Sort};
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::OrganizationId;
use perennial_domain::subscriptions::{ExternalSubscriptionId, Subscription, SubscriptionStatus};
use perennial_domain::time::Time;
use perennial_http::edge::subscription_record;

static KIND: Kind = Kind {
    name: "subscription",
    fields: &[
        "id",
        "user_id",
        "subscription_plan_id",
        "external_subscription_id",
        "billing_cycle",
        "status",
        "is_active",
        "has_access",
        "renews_at",
        "starts_at",
        "ends_at",
        "created_at",
        "updated_at",
    ],
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
        Command::List(list) => {
            let organization = organization(app, &list.portion.org.org).await?.id;
            let query = query(app, organization, &list).await?;
            let after = match &list.portion.after {
                Some(named) => Some(subscriptions::position(&find(app, organization, named).await?, query.sort)),
                None => None,
            };
            let pages = async |after, limit| Ok(subscriptions::page(app, organization, &query, after, limit).await?);
            let record = |found: &Subscription| (found.id.to_string(), text(app, found));
            records::list(&KIND, json, &list.portion, after, pages, record).await
        }
        Command::Get { subscription, single } => {
            let organization = organization(app, &single.org.org).await?.id;
            let found = find(app, organization, &subscription).await?;
            records::show(&KIND, json, &single, &text(app, &found))
        }
    }
}

async fn find(app: &App, organization: OrganizationId, named: &str) -> Result<Subscription, Failure> {
    let found = match named.parse() {
        Ok(id) => subscriptions::find(app, organization, id).await?,
        Err(_) => None,
    };
    found.ok_or_else(|| KIND.missing(named))
}

/// The record with the access it gives now.
fn text(app: &App, subscription: &Subscription) -> String {
    String::from_utf8_lossy(&subscription_record(subscription, app.clock.now())).into_owned()
}

async fn query(app: &App, organization: OrganizationId, list: &SubscriptionList) -> Result<Query, Failure> {
    let sorts = [("created_at", Sort::Created), ("renews_at", Sort::Renews), ("ends_at", Sort::Ends)];
    let (sort, descending) = chosen_sort(&list.sort, &sorts)?;
    let statuses: Result<_, _> = list.status.iter().map(|word| SubscriptionStatus::parse(word)).collect();
    let external = list.external_subscription_id.as_deref();
    let external = read_flag("external-subscription-id", external, ExternalSubscriptionId::parse)?;
    let user = match &list.user {
        Some(named) => Some(users::find(app, organization, named).await?.id),
        None => None,
    };
    let plan = match &list.plan {
        Some(named) => Some(plans::find(app, organization, named).await?.id),
        None => None,
    };
    Ok(Query {
        user_id: user,
        plan_id: plan,
        statuses: statuses.map_err(|reason| wrong("status", &reason))?,
        is_active: list.is_active,
        billing_cycle: read_flag("billing-cycle", list.billing_cycle.as_deref(), BillingCycle::parse)?,
        external_id: external.map(|id| id.as_str().to_owned()),
        created: range(["created-after", "created-before"], [&list.created_after, &list.created_before])?,
        renews: range(["renews-after", "renews-before"], [&list.renews_after, &list.renews_before])?,
        ends: range(["ends-after", "ends-before"], [&list.ends_after, &list.ends_before])?,
        sort,
        descending,
    })
}

fn range(flags: [&str; 2], [after, before]: [&Option<String>; 2]) -> Result<Range, Failure> {
    Ok(Range {
        after: read_flag(flags[0], after.as_deref(), Time::parse)?,
        before: read_flag(flags[1], before.as_deref(), Time::parse)?,
    })
}
