//! Every statement of the store by its name, so that a test can prepare each one on both engines and read its plan.
//! A statement that is missing here fails that test; nothing else looks at this list.

use crate::change::Lock;
use crate::list::Position;
use crate::sql::{Insert, Sql};
use crate::value::Type;
use crate::{
    VERSION, clients, deleted, events, examine, idempotency, installation, organizations, payments, plans, providers,
    purge, rate_limits, sessions, signing_keys, subscriptions, users,
};
use perennial_domain::id::{OrganizationId, SubscriptionId, UserId};
use perennial_domain::payments::PaymentStatus;
use perennial_domain::time::Time;

/// A statement as each engine reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The file and the name: `plans::BY_ID`.
    pub name: &'static str,
    /// What SQLite prepares.
    pub sqlite: String,
    /// What PostgreSQL prepares: the text alone, and with the locks or for the many rows it may be used with.
    pub postgres: Vec<String>,
}

/// Pairs each path with its own text.
macro_rules! named {
    ($read:ident: $($module:ident::$name:ident),* $(,)?) => {
        [$($read(concat!(stringify!($module), "::", stringify!($name)), &$module::$name)),*]
    };
}

/// Every statement of a fixed text.
pub fn all() -> Vec<Statement> {
    let others = named![plain:
        clients::BY_ORGANIZATION, clients::PUBLIC, clients::DISABLE, clients::UPDATE, clients::REMOVE_ALL,
        clients::ROTATE,
        deleted::PAYMENTS, deleted::SUBSCRIPTIONS, deleted::PLANS, deleted::USERS,
        deleted::REMOVE_PAYMENT, deleted::REMOVE_SUBSCRIPTION, deleted::REMOVE_PLAN, deleted::REMOVE_USER,
        events::NEWEST, events::DUE, events::PRUNE,
        examine::APPLIED, examine::APPLIED_BEFORE, examine::NOW,
        idempotency::DUE, idempotency::SWEEP, idempotency::EXPIRED,
        installation::FIND, installation::HOLDINGS, installation::MOVE_KEY,
        organizations::ALL, organizations::UPDATE, organizations::DELETED_SINCE, organizations::DELETE,
        payments::UPDATE, payments::DELETE,
        plans::UPDATE, plans::DELETE,
        providers::ALL, providers::BY_ORGANIZATION, providers::REMOVE, providers::REMOVE_ALL, providers::RESEAL,
        purge::COUNT_SESSIONS, purge::DELETE_SESSIONS, purge::COUNT_USERS, purge::DELETE_USERS, purge::COUNT_IDEMPOTENCY_KEYS, purge::DELETE_IDEMPOTENCY_KEYS,
        purge::COUNT_PAYMENTS, purge::DELETE_PAYMENTS, purge::COUNT_SUBSCRIPTIONS, purge::DELETE_SUBSCRIPTIONS,
        purge::COUNT_PLANS, purge::DELETE_PLANS, purge::COUNT_EVENTS, purge::DELETE_EVENTS,
        rate_limits::PUT, rate_limits::ELSEWHERE, rate_limits::DUE, rate_limits::SWEEP,
        subscriptions::COUNT_BY_PLAN, subscriptions::UPDATE,
        subscriptions::DELETE,
        subscriptions::OPEN_BY_USER, subscriptions::OPEN_COUNT,
        sessions::BY_USER, sessions::ROTATE, sessions::REVOKE,
        sessions::REVOKE_UNCHANGED, sessions::MARK_USED, sessions::ERASE,
        sessions::DUE, sessions::SWEEP, sessions::EXPIRED,
        signing_keys::ALL, signing_keys::REMOVE, signing_keys::RESEAL,
        users::NEWEST, users::UPDATE, users::MOVE_EPOCH, users::SET_BLOCKED,
        users::RELINK, users::ERASE,
    ];
    let by_id = |name, sql| key(name, sql, &[Type::Uuid, Type::Uuid]);
    let by_text = |name, sql| key(name, sql, &[Type::Uuid, Type::Text]);
    let ids = named![by_id:
        clients::BY_ID, payments::BY_ID, payments::OWNER, plans::BY_ID, sessions::WITH_USER, subscriptions::BY_ID,
        users::BY_ID,
    ];
    let texts = named![by_text:
        payments::ID_BY_EXTERNAL, plans::BY_SLUG, subscriptions::ID_BY_EXTERNAL, users::BY_EMAIL,
    ];
    let keys = [
        key("clients::BY_CREDENTIAL", &clients::BY_CREDENTIAL, &[Type::Bytes]),
        key("idempotency::BY_KEY", &idempotency::BY_KEY, &[Type::Uuid, Type::Uuid, Type::Text]),
        key("organizations::BY_ID", &organizations::BY_ID, &[Type::Uuid]),
        key("organizations::BY_NAME", &organizations::BY_NAME, &[Type::Text]),
        key("users::BY_IDENTITY", &users::BY_IDENTITY, &[Type::Uuid, Type::Text, Type::Text]),
    ];
    let guards = named![guard:
        clients::AT_REVISION, organizations::AT_REVISION, payments::AT_REVISION, plans::AT_REVISION, plans::ACTIVE, subscriptions::AT_REVISION,
        subscriptions::LIVE, sessions::UNCHANGED, sessions::LIVE, users::LIVE, users::AT_REVISION,
    ];
    let inserts = named![insert:
        clients::INSERT, events::INSERT, idempotency::INSERT, installation::INSERT, organizations::INSERT,
        payments::INSERT, plans::INSERT, providers::INSERT, sessions::INSERT, signing_keys::INSERT, subscriptions::INSERT, users::INSERT,
    ];
    let version = plain("lib::VERSION", &VERSION);
    others.into_iter().chain(ids).chain(texts).chain(keys).chain(guards).chain(inserts).chain([version]).collect()
}

/// The statements that a page of subscriptions takes.
pub fn subscriptions_page(query: &subscriptions::Query, after: Option<Position>) -> Vec<Statement> {
    let list = subscriptions::compose(OrganizationId::from_bytes([1; 16]), query).after(after);
    list.statements().iter().map(|sql| plain("subscriptions::list", sql)).collect()
}

/// The statements that a page of plans takes.
pub fn plans_page(query: &plans::Query, after: Option<Position>) -> Vec<Statement> {
    let list = plans::compose(OrganizationId::from_bytes([1; 16]), query).after(after);
    list.statements().iter().map(|sql| plain("plans::list", sql)).collect()
}

/// The statements that the operator's lists take, with everything asked for that can be.
pub fn operator_pages(after: Option<&Position>) -> Vec<Statement> {
    let organization = OrganizationId::from_bytes([1; 16]);
    let payments = payments::Query {
        subscription_id: Some(SubscriptionId::from_bytes([2; 16])),
        statuses: vec![PaymentStatus::Completed, PaymentStatus::Failed],
    };
    let user_id = Some(UserId::from_bytes([2; 16]));
    let sessions = sessions::Query { user_id, live_at: Some(Time::MAX) };
    let lists = [
        ("payments::list", payments::compose(organization, &payments)),
        ("payments::list", payments::compose(organization, &payments::Query::default())),
        ("sessions::list", sessions::compose(organization, &sessions)),
        ("sessions::list", sessions::compose(organization, &sessions::Query::default())),
    ];
    let statements = lists.into_iter().flat_map(|(name, list)| {
        let statements = list.after(after.cloned()).statements();
        statements.into_iter().map(move |sql| plain(name, &sql))
    });
    statements.collect()
}

fn plain(name: &'static str, sql: &Sql) -> Statement {
    Statement { name, sqlite: sql.sqlite().to_owned(), postgres: vec![sql.postgres().to_owned()] }
}

/// A read by key, alone and for many keys at once.
fn key(name: &'static str, sql: &Sql, kinds: &[Type]) -> Statement {
    let many = sql.many(kinds.iter().copied()).to_owned();
    Statement { name, sqlite: sql.sqlite().to_owned(), postgres: vec![sql.postgres().to_owned(), many] }
}

fn guard(name: &'static str, sql: &Sql) -> Statement {
    let locks = [Lock::None, Lock::Share, Lock::Exclusive];
    Statement {
        name,
        sqlite: sql.sqlite().to_owned(),
        postgres: locks.into_iter().map(|lock| sql.locking(lock).to_owned()).collect(),
    }
}

fn insert(name: &'static str, insert: &Insert) -> Statement {
    Statement {
        name,
        sqlite: insert.sqlite().to_owned(),
        postgres: vec![insert.postgres().to_owned(), insert.folded().to_owned()],
    }
}
