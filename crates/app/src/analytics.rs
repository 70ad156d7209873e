//! Revenue analytics: figures read from the ledger, never from events or subscriptions.

mod batch;
pub mod check;
pub mod options;
pub mod reader;
pub mod rebuild;

use crate::business_time;
use crate::context::App;
use crate::cursor;
use crate::error::Error;
use futures_util::future::try_join_all;
use perennial_domain::analytics::calendar::{Day, Month};
use perennial_domain::analytics::cohorts::{CohortRow, cohort_rows};
use perennial_domain::analytics::movements::{Movement, MovementKind};
use perennial_domain::analytics::revenue::{
    LOOK_BACK, Level, PaymentRow, Period, PeriodSums, RevenueRow, TrialRow, revenue_rows,
};
use perennial_domain::analytics::rounding::{Figure, monthly};
use perennial_domain::analytics::sums::{Grain, PaymentKind, Series, Sum, SumKind};
use perennial_domain::currency::Currency;
use perennial_domain::id::{OrganizationId, PlanId, UserId};
use perennial_domain::time::Time;
use perennial_store::analytics_ledgers::{self, Ledger, Status};
use perennial_store::analytics_sums::{self, Reading, StoredSum, SumQuery};
use perennial_store::{Position, Value, analytics_movements, feed};
use serde::Serialize;
use std::collections::BTreeMap;
use std::future::Future;

/// Rows of customers that a page examines at most.
const EXAMINED: usize = 10_000;
/// Rows that are read at once.
const PORTION: i64 = 1_000;
/// How often a response is read again because the ledger moved in between.
const ATTEMPTS: usize = 3;

/// No periods.
const NONE: (Day, Day) = (Day::from_number(0), Day::from_number(0));

/// How far the figures of a response are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Meta {
    /// The time that the figures are complete up to.
    pub as_of: Time,
    /// The last position of the feed that they include.
    pub sequence: i64,
    /// How long ago the first event entered the feed that they do not include.
    pub lag_seconds: i64,
    /// How the ledger relates to the feed.
    pub state: MetaState,
    /// The currency; none if the figures are of all currencies.
    pub currency: Option<Currency>,
    /// The currencies with a movement.
    pub currencies: Vec<String>,
}

/// How the ledger relates to the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MetaState {
    /// It includes every event.
    Current,
    /// It does not yet.
    CatchingUp,
    /// A new ledger is being built, and the old one is served.
    Rebuilding,
}

impl MetaState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Current, Self::CatchingUp, Self::Rebuilding];

    /// The word in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::CatchingUp => "catching_up",
            Self::Rebuilding => "rebuilding",
        }
    }
}

/// The movements that a list contains.
#[derive(Clone, Copy, Debug)]
pub struct MovementFilter {
    /// The currency.
    pub currency: Currency,
    /// The days, both included.
    pub days: (Day, Day),
    /// The kind.
    pub kind: Option<MovementKind>,
    /// The customer.
    pub user_id: Option<UserId>,
}

/// A row of `/analytics/movements`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the API's")]
pub struct MovementRow {
    pub date: Day,
    pub user_id: UserId,
    pub kind: MovementKind,
    pub amount: Figure,
    pub mrr: Figure,
}

/// A row of `/analytics/plans`. A plan that was removed for good has neither a slug nor a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the API's")]
pub struct PlanRow {
    pub subscription_plan_id: PlanId,
    pub slug: Option<String>,
    pub name: Option<String>,
    pub subscriptions: i64,
    pub mrr: Figure,
}

/// The periods of a response.
#[derive(Clone, Copy, Debug)]
pub enum Periods {
    /// Months, both included.
    Months(Month, Month),
    /// Days, both included.
    Days(Day, Day),
}

/// The time of an organization: that of its test clock, if it has one.
pub async fn now(app: &App, organization: OrganizationId) -> Result<Time, Error> {
    business_time::now_of(app, organization).await
}

/// Whether analytics are served.
pub fn is_enabled(app: &App) -> bool {
    app.options.analytics.enabled
}

impl Periods {
    fn list(self) -> Vec<Period> {
        match self {
            Self::Months(first, last) => {
                (first.number()..=last.number()).map(|month| Period::Month(Month::from_number(month))).collect()
            }
            Self::Days(first, last) => {
                (first.number()..=last.number()).map(|day| Period::Day(Day::from_number(day))).collect()
            }
        }
    }

    /// The sums of these periods. Levels need those before them: whole years, then months, then days.
    fn query(self, currency: Option<Currency>, series: Series, with_levels: bool) -> SumQuery {
        let start = Day::from_number(0);
        let none = SumQuery { currency, series, years: NONE, months: NONE, days: NONE };
        match (self, with_levels) {
            (Self::Months(first, last), false) => SumQuery { months: (first.first(), last.last().plus(1)), ..none },
            (Self::Days(first, last), false) => SumQuery { days: (first, last.plus(1)), ..none },
            (Self::Months(first, last), true) => {
                let january = first.january().first();
                SumQuery { years: (start, january), months: (january, last.last().plus(1)), ..none }
            }
            (Self::Days(first, last), true) => {
                let (january, month) = (first.month().january().first(), first.month().first());
                SumQuery { years: (start, january), months: (january, month), days: (month, last.plus(1)), ..none }
            }
        }
    }
}

/// The rows of `/analytics/revenue`.
pub async fn revenue(
    app: &App,
    organization: OrganizationId,
    currency: Currency,
    periods: Periods,
) -> Result<(Vec<RevenueRow>, Meta), Error> {
    let (lead, read) = match periods {
        Periods::Months(first, last) => (LOOK_BACK, Periods::Months(first.plus(-2), last)),
        Periods::Days(..) => (0, periods),
    };
    let query = read.query(Some(currency), Series::Revenue, true);
    let (sums, meta) = read_sums(app, organization, Some(currency), &query).await?;
    let listed = read.list();
    let first = listed.first().map_or(NONE.0, |period| period.first());
    let mut before = PeriodSums::default();
    let mut by_period: BTreeMap<Day, PeriodSums> = BTreeMap::new();
    let own = if lead == 0 { Grain::Day } else { Grain::Month };
    for row in sums {
        let is_before = row.grain != own || row.period < first;
        let place = if is_before { &mut before } else { by_period.entry(row.period).or_default() };
        place.add(row.kind, row.sum);
    }
    let of = |period: Period| by_period.get(&period.first()).copied().unwrap_or_default();
    let periods: Vec<(Period, PeriodSums)> = listed.into_iter().map(|period| (period, of(period))).collect();
    Ok((revenue_rows(Level::default().after(&before), &periods, lead, currency), meta))
}

/// The rows of `/analytics/cohorts`.
pub async fn cohorts(
    app: &App,
    organization: OrganizationId,
    currency: Currency,
    months: (Month, Month),
) -> Result<(Vec<CohortRow>, Meta), Error> {
    let read = async |ledger: Ledger| analytics_sums::read_cohorts(&app.db, &ledger, currency, months).await;
    let (cells, meta) = consistent(app, organization, Some(currency), read).await?;
    Ok((cohort_rows(months, &cells.into_iter().collect(), currency), meta))
}

/// The rows of `/analytics/trials`.
pub async fn trials(
    app: &App,
    organization: OrganizationId,
    (first, last): (Month, Month),
) -> Result<(Vec<TrialRow>, Meta), Error> {
    let periods = Periods::Months(first, last);
    let query = periods.query(None, Series::Trials, false);
    let (sums, meta) = read_sums(app, organization, None, &query).await?;
    let counts: BTreeMap<(Day, SumKind), i64> =
        sums.into_iter().map(|row| ((row.period, row.kind), row.sum.count)).collect();
    let rows = periods.list().into_iter().map(|period| {
        let count = |kind| counts.get(&(period.first(), kind)).copied().unwrap_or(0);
        let started = count(SumKind::TrialsStarted);
        TrialRow::new(period, started, count(SumKind::TrialsConverted), count(SumKind::TrialsLost))
    });
    Ok((rows.collect(), meta))
}

/// The rows of `/analytics/payments`.
pub async fn payments(
    app: &App,
    organization: OrganizationId,
    currency: Currency,
    periods: Periods,
) -> Result<(Vec<PaymentRow>, Meta), Error> {
    let query = periods.query(Some(currency), Series::Payments, false);
    let (sums, meta) = read_sums(app, organization, Some(currency), &query).await?;
    let sums: BTreeMap<(Day, SumKind), Sum> = sums.into_iter().map(|row| ((row.period, row.kind), row.sum)).collect();
    let rows = periods.list().into_iter().map(|period| {
        let sum = |kind: PaymentKind| sums.get(&(period.first(), SumKind::Payment(kind))).copied().unwrap_or_default();
        PaymentRow::new(period, sum, currency)
    });
    Ok((rows.collect(), meta))
}

/// The rows of `/analytics/plans`: the plans with revenue at the close of a day.
pub async fn plans(
    app: &App,
    organization: OrganizationId,
    currency: Currency,
    date: Day,
) -> Result<(Vec<PlanRow>, Meta), Error> {
    let query = Periods::Days(date, date).query(Some(currency), Series::Plans, true);
    let (sums, meta) = read_sums(app, organization, Some(currency), &query).await?;
    let mut plans: BTreeMap<PlanId, Sum> = BTreeMap::new();
    for row in sums {
        let sum = plans.entry(row.plan_id).or_default();
        *sum = sum.plus(row.sum);
    }
    plans.retain(|_, sum| *sum != Sum::default());
    let ledger = reader::begin(organization, 0, analytics_ledgers::LedgerState::Active);
    let names = try_join_all(plans.keys().map(|id| analytics_sums::plan(&app.db, &ledger, *id))).await?;
    let mut rows: Vec<(i128, PlanRow)> = plans
        .into_iter()
        .zip(names)
        .map(|((subscription_plan_id, sum), names)| {
            let (slug, name) = names.unzip();
            let mrr = monthly(sum.amount, currency);
            (sum.amount, PlanRow { subscription_plan_id, slug, name, subscriptions: sum.count, mrr })
        })
        .collect();
    rows.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.slug.cmp(&other.slug)));
    Ok((rows.into_iter().map(|(_, row)| row).collect(), meta))
}

/// A page of `/analytics/movements`: newest day first, then by user. `list` names the list that a cursor belongs to.
pub async fn movements(
    app: &App,
    organization: OrganizationId,
    filter: &MovementFilter,
    list: &str,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<MovementRow>, Option<String>, Meta), Error> {
    let name = [b"movements".as_slice(), &organization.bytes(), list.as_bytes()].concat();
    let (from, to) = filter.days;
    let mut after = match cursor.map(|cursor| cursor::open(&app.keys, &name, cursor)).transpose()? {
        // All of the last day are after this.
        None => (to.plus(1), UserId::from_bytes([0xff; 16])),
        Some(Position { values }) => match values.as_slice() {
            [Value::Int(day), Value::Uuid(user)] => (Day::from_number(*day), UserId::from_bytes(*user)),
            _ => return Err(Error::InvalidCursor),
        },
    };
    let status = analytics_ledgers::status(&app.db, organization).await?;
    let meta = meta(app, organization, status.as_ref(), Some(filter.currency)).await?;
    let Some(Status { ledger, .. }) = status else { return Ok((Vec::new(), None, meta)) };
    let (mut found, mut examined, mut has_more): (Vec<Movement>, _, _) = (Vec::new(), 0, true);
    while has_more && found.len() <= limit && examined < EXAMINED {
        let page = match filter.user_id {
            Some(user) => {
                let (customer, days) = ((filter.currency, user), (from, after.0));
                analytics_movements::page_of_customer(&app.db, &ledger, customer, days, PORTION).await?
            }
            None => analytics_movements::page(&app.db, &ledger, filter.currency, from, after, PORTION).await?,
        };
        has_more = i64::try_from(page.len()).unwrap_or(PORTION) == PORTION;
        examined += page.len();
        for movement in page {
            let is_match = filter.kind.is_none_or(|kind| kind == movement.kind);
            if found.len() > limit || (is_match && found.len() == limit) {
                // One more than the page is enough to know that there is more.
                has_more = true;
                found.push(movement);
                break;
            }
            after = (movement.day, movement.user_id);
            if is_match {
                found.push(movement);
            }
        }
    }
    found.truncate(limit);
    let seal = |(day, user): (Day, UserId)| {
        let values = vec![Value::Int(day.number()), Value::Uuid(user.bytes())];
        cursor::seal(&app.keys, &name, &Position { values })
    };
    let rows = found.iter().map(|movement| MovementRow {
        date: movement.day,
        user_id: movement.user_id,
        kind: movement.kind,
        amount: monthly(movement.amount, filter.currency),
        mrr: monthly(movement.after, filter.currency),
    });
    Ok((rows.collect(), has_more.then(|| seal(after)), meta))
}

/// The state of the ledger of an organization.
pub async fn status(app: &App, organization: OrganizationId, currency: Option<Currency>) -> Result<Meta, Error> {
    let status = analytics_ledgers::status(&app.db, organization).await?;
    meta(app, organization, status.as_ref(), currency).await
}

async fn read_sums(
    app: &App,
    organization: OrganizationId,
    currency: Option<Currency>,
    query: &SumQuery,
) -> Result<(Vec<StoredSum>, Meta), Error> {
    let read = async |ledger: Ledger| analytics_sums::read(&app.db, &ledger, query).await;
    consistent(app, organization, currency, read).await
}

/// Rows and the position that they include. If the ledger moves between the two reads, they are read again.
async fn consistent<T, F: Future<Output = Result<Reading<T>, perennial_store::Error>>>(
    app: &App,
    organization: OrganizationId,
    currency: Option<Currency>,
    read: impl Fn(Ledger) -> F,
) -> Result<(Vec<T>, Meta), Error> {
    for attempt in 1.. {
        let status = analytics_ledgers::status(&app.db, organization).await?;
        let Some(known) = status.as_ref() else {
            return Ok((Vec::new(), meta(app, organization, None, currency).await?));
        };
        let Reading { rows, sequence } = read(known.ledger).await?;
        if sequence == Some(known.ledger.sequence) {
            return Ok((rows, meta(app, organization, status.as_ref(), currency).await?));
        }
        if let (Some(sequence), true) = (sequence, attempt >= ATTEMPTS) {
            let meta = meta(app, organization, status.as_ref(), currency).await?;
            return Ok((rows, Meta { sequence, state: meta.state.max(), ..meta }));
        }
    }
    Err(Error::Internal("the ledger is never read".to_owned()))
}

impl MetaState {
    /// The state of figures while the ledger moves.
    const fn max(self) -> Self {
        match self {
            Self::Current => Self::CatchingUp,
            other => other,
        }
    }
}

async fn meta(
    app: &App,
    organization: OrganizationId,
    status: Option<&Status>,
    currency: Option<Currency>,
) -> Result<Meta, Error> {
    let now = now(app, organization).await?;
    let Some(status) = status else {
        let oldest = feed::oldest(&app.db, organization).await?;
        let as_of = oldest.map_or(now, |(_, entered_at)| entered_at.min(now));
        let state = MetaState::CatchingUp;
        return Ok(Meta { as_of, sequence: 0, lag_seconds: 0, state, currency, currencies: Vec::new() });
    };
    // Events can be a little ahead of the clock.
    let now = now.max(status.ledger.as_of);
    let is_due = status.due_at.is_some_and(|due| due <= now);
    let is_complete = status.unread_seconds.is_none() && !status.has_unplaced && !is_due;
    let state = match (status.is_rebuilding, is_complete) {
        (true, _) => MetaState::Rebuilding,
        (false, true) => MetaState::Current,
        (false, false) => MetaState::CatchingUp,
    };
    let late = status.due_at.map_or(0, |due| now.seconds_since(due));
    Ok(Meta {
        as_of: if is_complete { now } else { status.ledger.as_of },
        sequence: status.ledger.sequence,
        lag_seconds: status.unread_seconds.unwrap_or(0).max(late).max(0),
        state,
        currency,
        currencies: analytics_movements::currencies(&app.db, &status.ledger).await?,
    })
}
