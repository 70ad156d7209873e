//! Every statement of the store by its name, so that tests can prepare each one on both engines and read its plan.
//! A statement that is missing here fails a test; only tests use this list.

use crate::invoices::backlog;
use crate::list::{Position, Range};
use crate::lock::Lock;
use crate::sql::{Insert, Rows, Sql};
use crate::subscriptions::{due, held};
use crate::table::{Statement as Derived, Table};
use crate::tables::ALL;
use crate::value::Type;
use crate::{
    analytics_events, analytics_ledgers, analytics_movements, analytics_subscriptions, analytics_sums,
    billing_profiles, clients, clock_removal, connection_bucket, connection_collections, connection_inbox,
    connection_links, connection_progress, connection_states, connections, coupons, credit_notes, credits, events,
    examine, features, feed, history, holds, installation, invoices, leases, members, meters, number_series,
    operator_links, operator_sessions, operators, organizations, payments, plan_versions, plans, portal_links,
    providers, rate_limits, sessions, signing_keys, subscription_members, subscriptions, tax_rates, test_clocks,
    usage_events, usage_totals, users, webhook_attempts, webhook_endpoints, webhook_figures, webhook_readers,
    webhook_undelivered,
};
use perennial_domain::currency::Currency;
use perennial_domain::features::FeatureKind;
use perennial_domain::id::{InvoiceId, OrganizationId, SubscriptionId, UserId, WebhookEndpointId};
use perennial_domain::payments::PaymentStatus;
use perennial_domain::time::Time;
use perennial_domain::webhook_delivery::Outcome;

/// A statement as each engine reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The table and the derived statement (`plans.by_key`), or the file and the constant (`users::RELINK`).
    pub name: String,
    /// What SQLite prepares.
    pub sqlite: String,
    /// What PostgreSQL prepares: the text alone, and with the locks or for the many rows it may be used with.
    pub postgres: Vec<String>,
}

/// Pairs each path with its text.
macro_rules! named {
    ($read:ident: $($module:ident::$name:ident),* $(,)?) => {
        vec![$($read(concat!(stringify!($module), "::", stringify!($name)).to_owned(), &$module::$name)),*]
    };
}

/// Every statement: those derived from the tables, and those written by hand, which a test compares with the sources.
pub fn all() -> Vec<Statement> {
    let tables = ALL.into_iter().flat_map(derived);
    tables.chain(by_hand()).collect()
}

/// The statements that follow from a table's columns, by names like `plans.by_key`.
fn derived(table: &'static Table) -> impl Iterator<Item = Statement> {
    let named = table.statements().named(&table.key_kinds()).into_iter();
    named.map(|(name, statement)| {
        let name = format!("{}.{name}", table.name);
        match statement {
            Derived::Plain(sql) => plain(name, sql),
            Derived::Key(sql, kinds) => key(name, sql, &kinds),
            Derived::Guard(sql, kinds) => {
                let mut statement = guard(name, sql);
                statement.postgres.push(sql.many(Rows::One, kinds.into_iter()).to_owned());
                statement
            }
            Derived::Insert(sql) => insert(name, sql),
            Derived::Update(update) => {
                let mut statement = plain(name, &update.one);
                statement.postgres.push(update.many.clone());
                statement
            }
        }
    })
}

#[expect(clippy::too_many_lines, reason = "a list")]
fn by_hand() -> Vec<Statement> {
    let others = named![plain:
        analytics_events::AFTER, analytics_ledgers::WITH_WORK, analytics_ledgers::OF_ORGANIZATION, analytics_ledgers::STATUS,
        analytics_ledgers::SAVE,
        analytics_ledgers::SET_STATE, analytics_ledgers::REMOVE, analytics_ledgers::LAG,
        analytics_subscriptions::DUE, analytics_subscriptions::REMOVE, analytics_subscriptions::REMOVE_PRICES,
        analytics_subscriptions::ANY, analytics_subscriptions::ANY_PRICES,
        analytics_movements::OF_CUSTOMER, analytics_movements::PAGE_OF_CUSTOMER, analytics_movements::PAGE_OF_DAY,
        analytics_movements::PAGE, analytics_movements::CUSTOMERS, analytics_movements::CURRENCIES,
        analytics_movements::REMOVE_ONE, analytics_movements::REMOVE, analytics_movements::ANY,
        analytics_sums::READ, analytics_sums::READ_COHORTS, analytics_sums::REMOVE_SUM, analytics_sums::REMOVE_COHORT,
        analytics_sums::REMOVE_PAYMENT, analytics_sums::REMOVE, analytics_sums::REMOVE_COHORTS,
        analytics_sums::REMOVE_PAYMENTS, analytics_sums::ANY, analytics_sums::ANY_COHORTS, analytics_sums::ANY_PAYMENTS,
        clients::BY_ORGANIZATION, clients::PUBLIC, clients::REMOVE_ALL, clients::ROTATE,
        events::NEWEST,
        feed::AT, feed::BEFORE, feed::DUE, feed::END_OF_PAGE, feed::END_OF_PAGE_DOWN, feed::ENDS, feed::FORGET,
        feed::NEWEST, feed::NEXT, feed::OLDEST,
        feed::PAGE, feed::PAGE_DOWN, feed::PLACE_QUEUED, feed::PRUNE, feed::PRUNE_EVENTS, feed::QUEUED, feed::RESUME,
        feed::SEQUENCE,
        feed::WITHDRAW,
        history::OF_CLIENT, history::OF_ENDPOINT, history::OF_OPERATOR, history::OF_ORGANIZATION,
        history::OF_PAYMENT, history::OF_PLAN, history::OF_SUBSCRIPTION, history::OF_USER, history::WALK,
        examine::VERSION, examine::APPLIED, examine::APPLIED_BEFORE, examine::NOW,
        installation::HOLDINGS, installation::MOVE_KEY,
        leases::ACQUIRE, leases::CLEAR, leases::RELEASE, leases::RENEW, leases::REVOKE,
        operators::CONNECT, operators::SIGNED_IN, operators::REMOVE_ALL,
        operator_sessions::BY_OPERATOR, operator_sessions::END, operator_sessions::END_ALL,
        operator_sessions::MARK_USED, operator_sessions::REMOVE_ALL,
        operator_links::UNDER_LIMIT, operator_links::REMOVE, operator_links::REMOVE_OF_OPERATOR,
        operator_links::REMOVE_ALL, portal_links::REMOVE, portal_links::ERASE, portal_links::REMOVE_ALL,
        organizations::ALL, organizations::DELETED_SINCE, organizations::DELETE,
        plan_versions::BELOW, plan_versions::BY_NUMBER, plans::EVER,
        providers::ALL, providers::BY_ORGANIZATION, providers::REMOVE, providers::REMOVE_ALL, providers::RESEAL,
        connection_collections::HASTEN, connection_collections::HASTEN_ADOPTED, connection_collections::LAST, connection_collections::PUT,
        connection_collections::OF_INTENT, connection_collections::WITH_WORK, connection_progress::CAUGHT_UP, connection_progress::SEEN,
        connection_progress::SWEEP, connection_progress::SWEPT, connection_progress::UNSEEN,
        rate_limits::PUT, rate_limits::ELSEWHERE,
        clock_removal::PART, clock_removal::REMOVE_EVENTS, clock_removal::REMOVE_KEYS,
        clock_removal::REMOVE_POSITIONS, clock_removal::REMOVE_UNDELIVERED, due::ALL_PARKED, due::ANY_DUE,
        backlog::BACKLOG, backlog::LATE, backlog::LIVE_DUE, backlog::TEST_DUE,
        due::BACKLOG, due::DUE, due::LATE, due::LIVE_DUE, due::NEXT_DUE, due::PARKED, due::TEST_DUE, due::WITH_DUE,
        holds::HELD, holds::HOLD, holds::HOLD_AFTER_LOSS, holds::HOLD_ALL, holds::REMOVE, sessions::BY_USER, sessions::EXTEND,
        sessions::MARK_USED, sessions::REVOKE, sessions::REVOKE_UNCHANGED, sessions::ROTATE,
        subscriptions::ACCEPTS_USAGE, subscriptions::ADVANCE, subscriptions::CLOSE_USAGE, subscriptions::COUNT_BY_PLAN,
        subscriptions::OPEN_BY_USER, subscriptions::OPEN_COUNT,
        invoices::POSTPONE, subscriptions::POSTPONE,
        subscriptions::RESCHEDULE, subscriptions::SCHEDULE, test_clocks::ANY_IDLE, test_clocks::NEWER,
        test_clocks::NO_CLOCK, test_clocks::REMOVE, test_clocks::WITH_WORK,
        sessions::ERASE,
        signing_keys::ALL, signing_keys::REMOVE, signing_keys::RESEAL,
        users::MOVE_EPOCH, users::RELINK, users::ERASE,
        webhook_attempts::NUMBERED, webhook_attempts::OLDER, webhook_attempts::OLDEST, webhook_endpoints::OF_ANY_AGE,
        webhook_figures::ENDPOINTS, webhook_figures::LAG, webhook_figures::UNDELIVERED, webhook_figures::UNREACHED,
        webhook_figures::UNPLACED,
        webhook_readers::CLOSE, webhook_readers::END_FAILURES, webhook_readers::REMOVE, webhook_readers::SAVE,
        webhook_readers::SEEK, webhook_readers::PASSED, webhook_readers::WITH_WORK,
        webhook_undelivered::COUNT_RANGE, webhook_undelivered::REMOVE_ALL, webhook_undelivered::RESEND,
        webhook_undelivered::RESEND_RANGE,
        webhook_undelivered::AFTER, webhook_undelivered::BLOCKING, webhook_undelivered::DUE, webhook_undelivered::HASTEN,
        webhook_undelivered::RECORDS,
        webhook_undelivered::OLDEST_WAITING, webhook_undelivered::PUT,
        webhook_undelivered::REMOVE, webhook_undelivered::REMOVE_GIVEN_UP, webhook_undelivered::REMOVE_PRUNED,
        webhook_undelivered::REMOVE_SOUGHT, webhook_undelivered::WAKE, webhook_undelivered::WAKE_ALL,
        webhook_endpoints::ALL, webhook_endpoints::DISABLE_COPIED, webhook_endpoints::RESEAL,
        webhook_endpoints::SET_SECRETS,
        webhook_endpoints::UNDER_LIMIT,
        billing_profiles::REMOVE, connection_bucket::PAUSE, connection_bucket::READ, connection_bucket::TAKE,
        connection_inbox::BY_KEY, connection_inbox::COUNT_FAILED, connection_inbox::FORGET_BODIES,
        connection_inbox::FORGET_OBJECT, connection_inbox::FOUND, connection_inbox::HASTEN,
        connection_inbox::LAST_RECEIVED, connection_inbox::OF_OBJECT_SINCE, connection_inbox::OF_UNIT, connection_inbox::PROBE,
        connection_inbox::PROBES, connection_inbox::REMOVE, connection_inbox::REPLACE_BODY, connection_inbox::RETRY, connection_inbox::RETRY_ONE,
        connection_inbox::SETTLE, connection_inbox::WAITING, connection_inbox::DUE_CONNECTIONS, connection_inbox::DUE_UNITS,
        connection_collections::INTENTS, connection_links::ADD, connection_links::ERASE,
        connection_links::OF_OBJECT, connection_links::OF_RECORD, connection_links::PUT, connection_links::REMOVE,
        connection_states::FAILED, connection_states::PAUSE, connection_states::REMOVE,
        connection_states::SUCCEEDED, connections::ALL, connections::DISABLE_COPIED, connections::RESEAL, connections::SWEPT,
        connections::SET_SECRETS, coupons::REDEEM, credit_notes::OF_CHANGES, credits::ADD, credits::BALANCES,
        credits::COMPUTE, credits::OPEN_BALANCE, history::OF_BILLING_PROFILE, history::OF_CONNECTION,
        history::OF_COUPON, history::OF_CREDIT_NOTE, history::OF_INVOICE, history::OF_METER, history::OF_TAX_RATE,
        invoices::ANY_DUE, invoices::CLOSED_UNTIL, invoices::DUE, invoices::DUE_OF, invoices::NEXT_DUE,
        invoices::NONE_OPEN, invoices::NOT_A_SOURCE, invoices::OF_SUBSCRIPTION, invoices::OPEN_OF_USER,
        meters::BY_SLUG, meters::CHARGED, number_series::ALL, number_series::DRAW, number_series::NEXT,
        number_series::OPEN, number_series::RAISE, payments::PROCESSING, payments::NONE_PROCESSING, subscriptions::MANAGED,
        subscriptions::RELEASE, tax_rates::ALL,
        usage_events::NEXT_SUBSCRIPTION, usage_events::OLD, usage_events::REMOVE_OLD, usage_events::WITHIN,
        usage_events::END_OF_PART, usage_events::SUMS, usage_events::SUMS_OF_FIRST,
        features::AT_VERSION, features::BY_KEY, features::METER_UNUSED, features::METER_WITHOUT_FEATURE, features::UNDER_LIMIT,
        history::OF_FEATURE, subscription_members::MEMBERSHIPS, usage_totals::OVERLAPPING,
        usage_totals::COUNT_OVERLAPPING, usage_totals::OPEN, usage_totals::ADD, usage_totals::THRESHOLDS,
        members::BELOW, members::COUNT, members::COUNT_OF_USER_IS, members::OF_USER, members::REMOVE,
        members::REMOVE_ALL, usage_totals::ANY_ENDED, usage_totals::REMOVE_ALL, usage_totals::REMOVE_ENDED,
    ];
    let by_id = |name, sql: &Sql| key(name, sql, &[Type::Uuid, Type::Uuid]);
    let ids = named![by_id: operator_sessions::WITH_OPERATOR, payments::OWNER, sessions::WITH_USER];
    let keys = [
        key(
            "analytics_movements::LAST".to_owned(),
            &analytics_movements::LAST,
            &[Type::Uuid, Type::Int, Type::Text, Type::Uuid],
        ),
        key("analytics_sums::PLAN".to_owned(), &analytics_sums::PLAN, &[Type::Uuid, Type::Uuid]),
        key(
            "analytics_subscriptions::PRICE".to_owned(),
            &analytics_subscriptions::PRICE,
            &[Type::Uuid, Type::Uuid, Type::Int, Type::Int],
        ),
        key("clients::BY_CREDENTIAL".to_owned(), &clients::BY_CREDENTIAL, &[Type::Bytes]),
        key("operators::BY_IDENTITY".to_owned(), &operators::BY_IDENTITY, &[Type::Text, Type::Text]),
        key("operator_sessions::BY_COOKIE".to_owned(), &operator_sessions::BY_COOKIE, &[Type::Bytes]),
        key("portal_links::BY_LINK".to_owned(), &portal_links::BY_LINK, &[Type::Bytes]),
        key("operator_links::BY_LINK".to_owned(), &operator_links::BY_LINK, &[Type::Bytes]),
        key("organizations::BY_NAME".to_owned(), &organizations::BY_NAME, &[Type::Text]),
        key("credits::BALANCE".to_owned(), &credits::BALANCE, &[Type::Uuid, Type::Uuid, Type::Text]),
        key("coupons::BY_CODE".to_owned(), &coupons::BY_CODE, &[Type::Uuid, Type::Text]),
        rows("held::ALL".to_owned(), &held::ALL, &[Type::Uuid, Type::Uuid, Type::Time]),
        rows("held::MAY_COUNT".to_owned(), &held::MAY_COUNT, &[Type::Uuid, Type::Uuid, Type::Time]),
        rows(
            "held::MAY_COUNT_WITH_USAGE".to_owned(),
            &held::MAY_COUNT_WITH_USAGE,
            &[Type::Uuid, Type::Uuid, Type::Time],
        ),
        key("usage_events::STORED".to_owned(), &usage_events::STORED, &[Type::Uuid, Type::Uuid, Type::Text]),
        key(
            "usage_totals::USED".to_owned(),
            &usage_totals::USED,
            &[Type::Uuid, Type::Uuid, Type::Uuid, Type::Time, Type::Time],
        ),
        key("users::BY_IDENTITY".to_owned(), &users::BY_IDENTITY, &[Type::Uuid, Type::Text, Type::Text]),
    ];
    let guards = named![guard:
        features::METER_ACTIVE, leases::HELD, operators::ACTIVE, operators::IN_ROLE, operator_sessions::OPEN,
        plans::ACTIVE, sessions::UNCHANGED,
        sessions::LIVE, users::UNCHANGED,
    ];
    others.into_iter().chain(ids).chain(keys).chain(guards).collect()
}

/// The statements of a page of subscriptions.
pub fn subscriptions_page(query: &subscriptions::Query, after: Option<Position>) -> Vec<Statement> {
    let list = subscriptions::compose(OrganizationId::from_bytes([1; 16]), query).after(after);
    list.statements().iter().map(|sql| plain("subscriptions::list".to_owned(), sql)).collect()
}

/// The statements of a page of plans.
pub fn plans_page(query: &plans::Query, after: Option<Position>) -> Vec<Statement> {
    let list = plans::compose(OrganizationId::from_bytes([1; 16]), query).after(after);
    list.statements().iter().map(|sql| plain("plans::list".to_owned(), sql)).collect()
}

/// The statements of a page of users.
pub fn users_page(query: &users::Query, after: Option<Position>) -> Vec<Statement> {
    let list = users::compose(OrganizationId::from_bytes([1; 16]), query).after(after);
    list.statements().iter().map(|sql| plain("users::list".to_owned(), sql)).collect()
}

/// The statements of a page of payments.
pub fn payments_page(query: &payments::Query, after: Option<Position>) -> Vec<Statement> {
    let list = payments::compose(OrganizationId::from_bytes([1; 16]), query).after(after);
    list.statements().iter().map(|sql| plain("payments::list".to_owned(), sql)).collect()
}

/// The statements of a page of invoices.
pub fn invoices_page(query: &invoices::Query, after: Option<Position>) -> Vec<Statement> {
    let list = invoices::compose(OrganizationId::from_bytes([1; 16]), query).after(after);
    list.statements().iter().map(|sql| plain("invoices::list".to_owned(), sql)).collect()
}

/// The statements of the operator's lists, with every filter.
pub fn operator_pages(after: Option<&Position>) -> Vec<Statement> {
    let organization = OrganizationId::from_bytes([1; 16]);
    let payments = payments::Query {
        subscription_id: Some(SubscriptionId::from_bytes([2; 16])),
        invoice_id: None,
        user_id: Some(UserId::from_bytes([2; 16])),
        statuses: vec![PaymentStatus::Completed, PaymentStatus::Failed],
        external_id: None,
        currency: Some(Currency::USD),
        created: Range { after: Some(Time::MAX), before: Some(Time::MAX) },
        completed: Range { after: Some(Time::MAX), before: Some(Time::MAX) },
        is_ascending: false,
    };
    let by_external_id = payments::Query { external_id: Some("ch_1".to_owned()), ..payments.clone() };
    let by_invoice = payments::Query { invoice_id: Some(InvoiceId::from_bytes([2; 16])), ..payments.clone() };
    let user_id = Some(UserId::from_bytes([2; 16]));
    let sessions = sessions::Query { user_id, live_at: Some(Time::MAX) };
    let endpoint = WebhookEndpointId::from_bytes([3; 16]);
    let attempts = webhook_attempts::Query { event_id: None, outcome: Some(Outcome::Failed) };
    let credits = credits::Query { user_id: UserId::from_bytes([2; 16]), currency: Some(Currency::USD) };
    let lists = [
        ("payments::list", payments::compose(organization, &payments)),
        ("payments::list", payments::compose(organization, &by_external_id)),
        ("payments::list", payments::compose(organization, &by_invoice)),
        ("payments::list", payments::compose(organization, &payments::Query::default())),
        ("clients::list", clients::compose(organization)),
        ("sessions::list", sessions::compose(organization, &sessions)),
        ("sessions::list", sessions::compose(organization, &sessions::Query::default())),
        ("operators::list", operators::compose(organization)),
        ("webhook_endpoints::list", webhook_endpoints::compose(organization)),
        ("tax_rates::list", tax_rates::compose(organization)),
        ("meters::list", meters::compose(organization)),
        ("features::list", features::compose(organization, features::Query::default())),
        (
            "features::list",
            features::compose(organization, features::Query { kind: Some(FeatureKind::Quota), is_active: Some(true) }),
        ),
        ("members::list", members::compose(organization, SubscriptionId::from_bytes([2; 16]))),
        ("coupons::list", coupons::compose(organization)),
        ("credits::list", credits::compose(organization, &credits)),
        ("webhook_attempts::list", webhook_attempts::compose(organization, endpoint, attempts)),
    ];
    let statements = lists.into_iter().flat_map(|(name, list)| {
        let statements = list.after(after.cloned()).statements();
        statements.into_iter().map(move |sql| plain(name.to_owned(), &sql))
    });
    statements.collect()
}

fn plain(name: String, sql: &Sql) -> Statement {
    Statement { name, sqlite: sql.sqlite().to_owned(), postgres: vec![sql.postgres().to_owned()] }
}

/// A read by key, alone and for many keys at once.
fn key(name: String, sql: &Sql, kinds: &[Type]) -> Statement {
    keyed(name, sql, Rows::One, kinds)
}

/// The same with any number of rows for a key.
fn rows(name: String, sql: &Sql, kinds: &[Type]) -> Statement {
    keyed(name, sql, Rows::All, kinds)
}

fn keyed(name: String, sql: &Sql, rows: Rows, kinds: &[Type]) -> Statement {
    let many = sql.many(rows, kinds.iter().copied()).to_owned();
    Statement { name, sqlite: sql.sqlite().to_owned(), postgres: vec![sql.postgres().to_owned(), many] }
}

fn guard(name: String, sql: &Sql) -> Statement {
    let locks = [Lock::None, Lock::Share, Lock::Exclusive];
    Statement {
        name,
        sqlite: sql.sqlite().to_owned(),
        postgres: locks.into_iter().map(|lock| sql.locking(lock).to_owned()).collect(),
    }
}

fn insert(name: String, insert: &Insert) -> Statement {
    Statement {
        name,
        sqlite: insert.sqlite().to_owned(),
        postgres: vec![insert.postgres().to_owned(), insert.folded().to_owned()],
    }
}
