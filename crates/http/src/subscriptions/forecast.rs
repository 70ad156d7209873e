//! `/subscriptions/{id}/forecast`: what the engine will do to a subscription.

use super::{SUBSCRIPTION, SubscriptionView, TAG, id, sample};
use crate::access::Access;
use crate::call::Call;
use crate::filters;
use crate::operation::{Handler, Operation, ResponseKind};
use crate::plans;
use crate::problem::Problem;
use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::subscriptions;
use perennial_domain::clients::Scope;
use perennial_domain::invoices::record::Invoice;
use perennial_domain::lifecycle::Known;
use perennial_domain::lifecycle::actions::{Action, Step};
use perennial_domain::lifecycle::forecast::{MAX_ENTRIES, Upcoming};
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

const DEFAULT_COUNT: usize = 3;

static FORECAST: Schema = Schema {
    name: "SubscriptionForecast",
    definition,
    example: || samples::json(ForecastView::of(&example())),
    refers_to: &[&SUBSCRIPTION],
};

pub(super) const OPERATION: Operation = Operation {
    id: "forecastSubscription",
    method: Method::GET,
    path: "/subscriptions/{id}/forecast",
    tag: TAG,
    summary: "Forecast a subscription",
    description: "Returns the next actions of a billed subscription, if every invoice is paid. The list is shorter if actions \
                  end, and empty if the subscription is external, unpaid or parked.",
    access: Access::Own(Scope::SubscriptionsRead, Scope::SubscriptionsReadOwn),
    query: QuerySpec {
        parameters: &[Parameter {
            name: "count",
            description: "The number of actions.",
            schema: || json!({ "type": "integer", "minimum": 1, "maximum": MAX_ENTRIES, "default": DEFAULT_COUNT }),
        }],
        parse: |query| {
            parse(query);
        },
    },
    body: None,
    response: ResponseKind::List(&FORECAST),
    errors: &[],
    handler: Handler::Read(|call| Box::pin(forecast(call))),
};

/// An action that is to come, and the subscription after it.
#[derive(Serialize)]
struct ForecastView<'a> {
    #[serde(flatten)]
    upcoming: Upcoming,
    subscription: SubscriptionView<'a>,
}

impl<'a> ForecastView<'a> {
    fn of((step, invoice): &'a (Step, Option<Invoice>)) -> Self {
        Self { upcoming: Upcoming::of(step, invoice.clone()), subscription: SubscriptionView::at(&step.after, step.at) }
    }
}

fn parse(query: &mut Query) -> usize {
    let count = |text: &str| {
        let wrong = || {
            let detail = format!("must be a whole number from 1 to {MAX_ENTRIES}");
            InvalidValue::new(ValidationCode::OutOfRange, detail)
        };
        let number = filters::whole(text, 1_000).ok().and_then(|number| usize::try_from(number).ok());
        number.filter(|number| (1..=MAX_ENTRIES).contains(number)).ok_or_else(wrong)
    };
    query.get("count", count).unwrap_or(DEFAULT_COUNT)
}

async fn forecast(mut call: Call<'_>) -> Result<Reply, Problem> {
    let count = parse(&mut call.query);
    call.no_body().await?;
    let steps: Vec<(Step, Option<Invoice>)> =
        subscriptions::forecast(call.app, &call.caller, id(&call.path_parameter(0))?, count).await?;
    let views: Vec<ForecastView<'_>> = steps.iter().map(ForecastView::of).collect();
    Ok(Reply::list(&views, None, count))
}

fn example() -> (Step, Option<Invoice>) {
    let known = Known { own: Some(Arc::new(plans::sample())), ..Known::default() };
    let step = sample().forecast(&known, 1).pop();
    (step.expect("the example is billed"), None)
}

fn definition() -> Value {
    schema::record(&[
        ("at", schema::instant()),
        ("action", schema::words(&Action::ALL.map(Action::as_str))),
        ("event", json!({ "type": "string" })),
        ("status", schema::words(&SubscriptionStatus::ALL.map(SubscriptionStatus::as_str))),
        ("invoice", json!({ "type": ["object", "null"], "additionalProperties": true })),
        ("subscription", SUBSCRIPTION.reference()),
    ])
}
