//! `/analytics/…`: revenue figures of the organization, read from the ledger.

mod view;

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::filters;
use crate::list_query;
use crate::operation::{Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::Reply;
use crate::schema;
use http::Method;
use perennial_app::analytics::{self, MovementFilter, Periods};
use perennial_app::organizations;
use perennial_domain::analytics::calendar::Day;
use perennial_domain::analytics::movements::MovementKind;
use perennial_domain::analytics::range::{Bound, Bounds, RangeError};
use perennial_domain::clients::Scope;
use perennial_domain::currency::Currency;
use perennial_domain::id::UserId;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use serde_json::{Value, json};
use view::{COHORT, MOVEMENT, PAYMENTS, PLAN, REVENUE, TRIALS};

pub(crate) use view::META;

const TAG: &str = "Analytics";
const DEFAULT_LIMIT: usize = 50;

/// What the paths of analytics begin with.
pub(crate) const PREFIX: &str = "/analytics/";

const CURRENCY: Parameter = Parameter {
    name: "currency",
    description: "The currency, by default that of the organization. Currencies are never added.",
    schema: || json!({ "type": "string", "pattern": "^[A-Za-z]{3}$", "examples": ["USD"] }),
};
const INTERVAL: Parameter = Parameter {
    name: "interval",
    description: "The length of a period.",
    schema: || json!({ "type": "string", "enum": ["month", "day"], "default": "month" }),
};
const FROM: Parameter = Parameter {
    name: "from",
    description: "The first period: a day or a month. By default 11 months before the last one, or 29 days.",
    schema: bound_schema,
};
const TO: Parameter = Parameter {
    name: "to",
    description: "The last period: a day or a month. At most, and by default, the current one.",
    schema: bound_schema,
};

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "readRevenue",
        method: Method::GET,
        path: "/analytics/revenue",
        tag: TAG,
        summary: "Read revenue by period",
        description: "Monthly recurring revenue (MRR), its movements and rates, oldest period first. Each amount is exact and \
                      rounded once. Rates are fractions: 0.25 is 25 %. The last five fields are null for days.",
        access: Access::Scope(Scope::AnalyticsRead),
        query: QuerySpec {
            parameters: &[CURRENCY, INTERVAL, FROM, TO],
            parse: |query| {
                PeriodQuery::parse(query);
            },
        },
        body: None,
        response: ResponseKind::Figures(&REVENUE),
        errors: &[Code::RouteNotFound],
        handler: Handler::Read(|call| Box::pin(revenue(call))),
    },
    Operation {
        id: "listMovements",
        method: Method::GET,
        path: "/analytics/movements",
        tag: TAG,
        summary: "List movements of customers",
        description: "Changes of the MRR of customers from one day to the next. Newest day first, then by user ID.",
        access: Access::Scope(Scope::AnalyticsRead),
        query: QuerySpec {
            parameters: &[
                CURRENCY,
                FROM,
                TO,
                Parameter { name: "kind", description: "Movements of this kind.", schema: kind_schema },
                Parameter { name: "user_id", description: "Movements of this user.", schema: schema::id::<UserId> },
                list_query::limit::<DEFAULT_LIMIT>(),
                list_query::CURSOR,
            ],
            parse: |query| {
                MovementQuery::parse(query);
            },
        },
        body: None,
        response: ResponseKind::FiguresPage(&MOVEMENT),
        errors: &[Code::InvalidCursor, Code::RouteNotFound],
        handler: Handler::Read(|call| Box::pin(movements(call))),
    },
    Operation {
        id: "readCohorts",
        method: Method::GET,
        path: "/analytics/cohorts",
        tag: TAG,
        summary: "Read cohorts",
        description: "Customers by the month in which they were new: how many of them, and how much of their MRR, remain at the \
                      close of each later month. `from` and `to` are months of cohorts.",
        access: Access::Scope(Scope::AnalyticsRead),
        query: QuerySpec {
            parameters: &[CURRENCY, FROM, TO],
            parse: |query| {
                PeriodQuery::parse(query);
            },
        },
        body: None,
        response: ResponseKind::Figures(&COHORT),
        errors: &[Code::RouteNotFound],
        handler: Handler::Read(|call| Box::pin(cohorts(call))),
    },
    Operation {
        id: "readTrials",
        method: Method::GET,
        path: "/analytics/trials",
        tag: TAG,
        summary: "Read trials by month",
        description: "Trials by the month in which they began, and what became of them. All currencies together.",
        access: Access::Scope(Scope::AnalyticsRead),
        query: QuerySpec {
            parameters: &[FROM, TO],
            parse: |query| {
                PeriodQuery::parse(query);
            },
        },
        body: None,
        response: ResponseKind::Figures(&TRIALS),
        errors: &[Code::RouteNotFound],
        handler: Handler::Read(|call| Box::pin(trials(call))),
    },
    Operation {
        id: "readPaymentFigures",
        method: Method::GET,
        path: "/analytics/payments",
        tag: TAG,
        summary: "Read payments by period",
        description: "Payments by their status now: collected and refunded ones by their date, failed ones by their creation.",
        access: Access::Scope(Scope::AnalyticsRead),
        query: QuerySpec {
            parameters: &[CURRENCY, INTERVAL, FROM, TO],
            parse: |query| {
                PeriodQuery::parse(query);
            },
        },
        body: None,
        response: ResponseKind::Figures(&PAYMENTS),
        errors: &[Code::RouteNotFound],
        handler: Handler::Read(|call| Box::pin(payments(call))),
    },
    Operation {
        id: "readPlanFigures",
        method: Method::GET,
        path: "/analytics/plans",
        tag: TAG,
        summary: "Read revenue by plan",
        description: "The plans with revenue at the close of a day. Highest MRR first, then by slug.",
        access: Access::Scope(Scope::AnalyticsRead),
        query: QuerySpec {
            parameters: &[
                CURRENCY,
                Parameter {
                    name: "date",
                    description: "The day. At most, and by default, today.",
                    schema: || json!({ "type": "string", "format": "date" }),
                },
            ],
            parse: |query| {
                PlanQuery::parse(query);
            },
        },
        body: None,
        response: ResponseKind::Figures(&PLAN),
        errors: &[Code::RouteNotFound],
        handler: Handler::Read(|call| Box::pin(plans(call))),
    },
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Interval {
    Month,
    Day,
}

struct PeriodQuery {
    currency: Option<Currency>,
    interval: Interval,
    bounds: Bounds,
}

impl PeriodQuery {
    fn parse(query: &mut Query) -> Self {
        Self {
            currency: query.get("currency", Currency::parse),
            interval: query.get("interval", interval).unwrap_or(Interval::Month),
            bounds: bounds(query),
        }
    }

    fn periods(&self, query: &mut Query, today: Day) -> Periods {
        match self.interval {
            Interval::Month => {
                let (first, last) = resolve(query, self.bounds.months(today)).unwrap_or((today.month(), today.month()));
                Periods::Months(first, last)
            }
            Interval::Day => {
                let (first, last) = resolve(query, self.bounds.days(today)).unwrap_or((today, today));
                Periods::Days(first, last)
            }
        }
    }
}

struct MovementQuery {
    currency: Option<Currency>,
    bounds: Bounds,
    kind: Option<MovementKind>,
    user_id: Option<UserId>,
    limit: usize,
    cursor: Option<String>,
}

impl MovementQuery {
    fn parse(query: &mut Query) -> Self {
        Self {
            currency: query.get("currency", Currency::parse),
            bounds: bounds(query),
            kind: query.get("kind", kind),
            user_id: query.get("user_id", |text| text.parse().map_err(|_| invalid("must be the ID of a user"))),
            limit: query.get("limit", filters::limit).unwrap_or(DEFAULT_LIMIT),
            cursor: query.get("cursor", |text| Ok(text.to_owned())),
        }
    }

    /// What a cursor is bound to: the filters as they were sent, so that it outlives midnight.
    fn list(&self, currency: Currency) -> String {
        let Self { bounds, kind, user_id, .. } = self;
        format!("{currency} {bounds:?} {kind:?} {user_id:?}")
    }
}

struct PlanQuery {
    currency: Option<Currency>,
    date: Option<Day>,
}

impl PlanQuery {
    fn parse(query: &mut Query) -> Self {
        let date = |text: &str| Day::parse(text).ok_or_else(|| invalid("must be a day such as 2026-04-05"));
        Self { currency: query.get("currency", Currency::parse), date: query.get("date", date) }
    }
}

async fn revenue(mut call: Call<'_>) -> Result<Reply, Problem> {
    let query = PeriodQuery::parse(&mut call.query);
    let today = today(&call).await?;
    let periods = query.periods(&mut call.query, today);
    call.no_body().await?;
    let currency = currency(&call, query.currency).await?;
    let (rows, meta) = analytics::revenue(call.app, call.caller.organization(), currency, periods).await?;
    Ok(Reply::figures(&rows, &meta))
}

async fn movements(mut call: Call<'_>) -> Result<Reply, Problem> {
    let query = MovementQuery::parse(&mut call.query);
    let today = today(&call).await?;
    let days = resolve(&mut call.query, query.bounds.days_of_list(today)).unwrap_or((today, today));
    call.no_body().await?;
    let currency = currency(&call, query.currency).await?;
    let filter = MovementFilter { currency, days, kind: query.kind, user_id: query.user_id };
    let (list, cursor) = (query.list(currency), query.cursor.as_deref());
    let organization = call.caller.organization();
    let found = analytics::movements(call.app, organization, &filter, &list, cursor, query.limit).await?;
    let (rows, next, meta) = found;
    Ok(Reply::figures_page(&rows, next.as_deref(), query.limit, &meta))
}

async fn cohorts(mut call: Call<'_>) -> Result<Reply, Problem> {
    let query = PeriodQuery::parse(&mut call.query);
    let today = today(&call).await?;
    let months = resolve(&mut call.query, query.bounds.months(today)).unwrap_or((today.month(), today.month()));
    call.no_body().await?;
    let currency = currency(&call, query.currency).await?;
    let (rows, meta) = analytics::cohorts(call.app, call.caller.organization(), currency, months).await?;
    Ok(Reply::figures(&rows, &meta))
}

async fn trials(mut call: Call<'_>) -> Result<Reply, Problem> {
    let query = PeriodQuery::parse(&mut call.query);
    let today = today(&call).await?;
    let months = resolve(&mut call.query, query.bounds.months(today)).unwrap_or((today.month(), today.month()));
    call.no_body().await?;
    let (rows, meta) = analytics::trials(call.app, call.caller.organization(), months).await?;
    Ok(Reply::figures(&rows, &meta))
}

async fn payments(mut call: Call<'_>) -> Result<Reply, Problem> {
    let query = PeriodQuery::parse(&mut call.query);
    let today = today(&call).await?;
    let periods = query.periods(&mut call.query, today);
    call.no_body().await?;
    let currency = currency(&call, query.currency).await?;
    let (rows, meta) = analytics::payments(call.app, call.caller.organization(), currency, periods).await?;
    Ok(Reply::figures(&rows, &meta))
}

async fn plans(mut call: Call<'_>) -> Result<Reply, Problem> {
    let query = PlanQuery::parse(&mut call.query);
    let today = today(&call).await?;
    call.no_body().await?;
    let currency = currency(&call, query.currency).await?;
    let date = query.date.map_or(today, |date| date.min(today));
    let (rows, meta) = analytics::plans(call.app, call.caller.organization(), currency, date).await?;
    Ok(Reply::figures(&rows, &meta))
}

async fn today(call: &Call<'_>) -> Result<Day, Problem> {
    Ok(Day::of(analytics::now(call.app, call.caller.organization()).await?))
}

async fn currency(call: &Call<'_>, sent: Option<Currency>) -> Result<Currency, Problem> {
    match sent {
        Some(currency) => Ok(currency),
        None => Ok(organizations::read(call.app, &call.caller).await?.currency),
    }
}

fn bounds(query: &mut Query) -> Bounds {
    let bound =
        |text: &str| Bound::parse(text).ok_or_else(|| invalid("must be a day or a month: 2026-04-05 or 2026-04"));
    Bounds { from: query.get("from", bound), to: query.get("to", bound) }
}

/// The range, or an error of the parameter that was sent.
fn resolve<T>(query: &mut Query, range: Result<T, RangeError>) -> Option<T> {
    if query.rejects("from") || query.rejects("to") {
        return None;
    }
    range.map_err(|error| query.reject("from", error.detail())).ok()
}

fn interval(text: &str) -> Result<Interval, InvalidValue> {
    match text {
        "month" => Ok(Interval::Month),
        "day" => Ok(Interval::Day),
        _ => Err(invalid("must be month or day")),
    }
}

fn kind(text: &str) -> Result<MovementKind, InvalidValue> {
    MovementKind::from_stored(text).ok_or_else(|| {
        let known = MovementKind::ALL.map(MovementKind::as_str).join(", ");
        InvalidValue::new(ValidationCode::UnknownValue, format!("must be one of {known}"))
    })
}

fn kind_schema() -> Value {
    schema::words(&MovementKind::ALL.map(MovementKind::as_str))
}

fn bound_schema() -> Value {
    json!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$", "examples": ["2026-04", "2026-04-05"] })
}

fn invalid(detail: &'static str) -> InvalidValue {
    InvalidValue::new(ValidationCode::InvalidFormat, detail)
}
