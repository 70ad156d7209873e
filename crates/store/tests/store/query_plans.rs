//! Query plans: no list and no point read walks a large table or sorts it, on either engine.
//! On PostgreSQL with `enable_seqscan` and `enable_sort` off: a scan or a sort that is left has no index to follow.

mod shapes;

use perennial_store::statements::{self, Statement};
use perennial_store::{Change, Db, Insert, Position, Type, Value, invoices};

use crate::support::{Place, connect, count, id, until};
use shapes::{Shape, payment_shapes, shapes};

const LARGE: [&str; 7] =
    ["subscriptions", "payments", "events", "users", "sessions", "idempotency_keys", "rate_limits"];

#[tokio::test]
async fn every_read_follows_an_index_on_sqlite() {
    let place = migrated(Place::empty_sqlite()).await;
    let connection = rusqlite::Connection::open(place.path()).unwrap();
    assert_eq!(sqlite_problems(&connection, ""), [""; 0]);
}

#[tokio::test]
async fn every_read_follows_an_index_on_postgres() {
    let Some(place) = Place::empty_postgres().await else { return };
    let place = migrated(place).await;
    let mut client = filled(&place).await;
    let transaction = client.transaction().await.unwrap();
    assert_eq!(postgres_problems(&transaction, "").await, [""; 0]);
}

#[tokio::test]
async fn the_operators_lists_follow_the_order_of_ids() {
    let place = migrated(Place::empty_sqlite()).await;
    let connection = rusqlite::Connection::open(place.path()).unwrap();
    let after = Position { values: vec![Value::Uuid([9; 16])] };
    for statement in [None, Some(&after)].into_iter().flat_map(statements::operator_pages) {
        let lines = sqlite_plan(&connection, &statement);
        assert!(!lines.iter().any(|line| walks(line)), "{}: {lines:?}", statement.name);
    }
}

/// A search looks up an invoice by its number, which is a list of one.
#[tokio::test]
async fn an_invoice_is_looked_up_by_its_number_on_sqlite() {
    let place = migrated(Place::empty_sqlite()).await;
    let connection = rusqlite::Connection::open(place.path()).unwrap();
    let query = invoices::Query { number: Some("INV-000001".to_owned()), ..Default::default() };
    for statement in statements::invoices_page(&query, None) {
        let lines = sqlite_plan(&connection, &statement);
        assert!(lines.iter().any(|line| line.contains("_by_number (organization_id=? AND number=?")), "{lines:?}");
    }
}

/// An index that leads to all active subscriptions of the organization is an index too.
#[tokio::test]
async fn the_subscriptions_that_a_user_holds_are_read_by_user_or_by_id_on_sqlite() {
    let place = migrated(Place::empty_sqlite()).await;
    let connection = rusqlite::Connection::open(place.path()).unwrap();
    for name in ["held::ALL", "held::MAY_COUNT", "held::MAY_COUNT_WITH_USAGE"] {
        let statement = statement(name);
        let lines = sqlite_plan(&connection, &statement);
        let reads: Vec<&String> = lines.iter().filter(|line| line.starts_with("SEARCH s ")).collect();
        let is_by_id = |line: &&String| line.contains("(organization_id=? AND id=?)");
        assert!(!reads.is_empty() && reads.iter().all(is_by_id), "{name}: {lines:?}");
        let owned: Vec<&String> = lines.iter().filter(|line| line.starts_with("SEARCH subscriptions ")).collect();
        let is_by_user = |line: &&String| line.contains("subscriptions_by_user (organization_id=? AND user_id=?)");
        assert!(!owned.is_empty() && owned.iter().all(is_by_user), "{name}: {lines:?}");
        let mut usage = lines.iter().filter(|line| line.starts_with("SEARCH t ") || line.starts_with("SEARCH e "));
        let is_of_one = |line: &String| line.contains("PRIMARY KEY (organization_id=? AND subscription_id=?)");
        assert!(usage.all(is_of_one), "{name}: {lines:?}");
    }
}

/// Servers search for work several times a second, and usually there is none. PostgreSQL chooses freely here: an index that it
/// could follow is not enough.
#[tokio::test]
async fn a_search_for_background_work_scans_no_large_table_on_postgres() {
    let Some(place) = Place::empty_postgres().await else { return };
    let place = migrated(place).await;
    let mut client = with_feed(&place).await;
    let transaction = client.transaction().await.unwrap();
    for name in ["webhook_readers::WITH_WORK", "analytics_ledgers::WITH_WORK", "due::WITH_DUE"] {
        let statement = statement(name);
        let lines = explain(&transaction, &statement.postgres[0]).await;
        let is_scan = |line: &String| SEARCHED.iter().any(|table| line.contains(&format!("Seq Scan on {table}")));
        assert!(!lines.iter().any(is_scan), "{name}: {lines:#?}");
    }
}

/// Searches for what is due in one organization, which must not read what is due in others: a test organization whose clock is in
/// the past has much that would be due now. Each with its indexes.
const DUE: [(&str, &[&str]); 7] = [
    ("due::WITH_DUE", &["subscriptions_by_due", "invoices_by_due"]),
    ("due::DUE", &["subscriptions_by_due"]),
    ("due::NEXT_DUE", &["subscriptions_by_due"]),
    ("invoices::DUE", &["invoices_by_due"]),
    ("invoices::NEXT_DUE", &["invoices_by_due"]),
    ("due::TEST_DUE", &["subscriptions_by_due"]),
    ("backlog::TEST_DUE", &["invoices_by_due"]),
];

#[tokio::test]
async fn what_is_due_is_found_without_other_organizations_on_sqlite() {
    let place = migrated(Place::empty_sqlite()).await;
    let connection = rusqlite::Connection::open(place.path()).unwrap();
    for (name, indexes) in DUE {
        let statement = statement(name);
        let lines = sqlite_plan(&connection, &statement);
        for index in indexes {
            let is_used = |line: &String| line.contains(&format!("INDEX {index} (organization_id=?"));
            assert!(lines.iter().any(is_used), "{name}: {lines:#?}");
        }
    }
}

#[tokio::test]
async fn what_is_due_is_found_without_other_organizations_on_postgres() {
    let Some(place) = Place::empty_postgres().await else { return };
    let place = migrated(place).await;
    let mut client = with_feed(&place).await;
    let transaction = client.transaction().await.unwrap();
    for (name, indexes) in DUE {
        let statement = statement(name);
        let lines = explain(&transaction, &statement.postgres[0]).await;
        for index in indexes {
            let is_used = |line: &String| line.contains(&format!("Scan using {index} "));
            assert!(lines.iter().any(is_used), "{name}: {lines:#?}");
        }
    }
}

/// Requests wait behind a figure that takes long: a minute's count of 400,000 due drafts looked up the subscription of each.
#[tokio::test]
async fn a_count_of_due_invoices_reads_the_parked_subscriptions_once_on_postgres() {
    let Some(place) = Place::empty_postgres().await else { return };
    let place = migrated(place).await;
    let mut client = with_feed(&place).await;
    let transaction = client.transaction().await.unwrap();
    for name in ["backlog::BACKLOG", "backlog::LIVE_DUE", "backlog::TEST_DUE"] {
        let lines = explain(&transaction, &statement(name).postgres[0]).await;
        assert!(lines.iter().any(|line| line.contains("hashed SubPlan")), "{name}: {lines:#?}");
    }
    for name in ["due::LIVE_DUE", "due::TEST_DUE", "backlog::LIVE_DUE", "backlog::TEST_DUE"] {
        assert!(statement(name).sqlite.contains("LIMIT 10000"), "{name} counts without a bound");
    }
}

/// A rebuild fills tables that were empty when PostgreSQL counted them. It then expects one row of every search, and would take
/// the index by day for the order of days: all movements of the currency for those of one customer.
#[tokio::test]
async fn movements_of_a_customer_are_not_searched_by_day_on_postgres() {
    let Some(place) = Place::empty_postgres().await else { return };
    let place = migrated(place).await;
    let mut client = filled(&place).await;
    client.batch_execute(FILL_MOVEMENTS).await.unwrap();
    let transaction = client.transaction().await.unwrap();
    for name in ["analytics_movements::LAST", "analytics_movements::OF_CUSTOMER"] {
        for text in &statement(name).postgres {
            let lines = explain(&transaction, text).await;
            let is_by_customer = |line: &String| line.contains("using analytics_movements_pkey ");
            assert!(lines.iter().any(is_by_customer), "{name}: {lines:#?}");
        }
    }
}

const FILL_MOVEMENTS: &str = "
ANALYZE analytics_movements;
INSERT INTO analytics_movements
SELECT pg_temp.key(0, n % 2), 1, 'USD', pg_temp.key(1, n % 900), n, 'new', '1', '1', n FROM generate_series(1, 4000) AS n;
SET plan_cache_mode = force_generic_plan";

fn statement(name: &str) -> Statement {
    statements::all().into_iter().find(|statement| statement.name == name).unwrap()
}

/// A session that plans statements without their values, as PostgreSQL does when it has executed them a few times.
async fn with_feed(place: &Place) -> tokio_postgres::Client {
    let client = filled(place).await;
    client.batch_execute(FILL_FEED).await.unwrap();
    client.batch_execute("SET plan_cache_mode = force_generic_plan").await.unwrap();
    client
}

const SEARCHED: [&str; 4] = ["feed", "subscriptions", "invoices", "analytics_subscriptions"];

/// Enough that a scan which ends at the first row would seem cheap.
const FILL_FEED: &str = "
INSERT INTO organizations (id, name, currency, created_at, updated_at, revision)
SELECT pg_temp.key(0, n), 'o' || n, 'USD', now(), now(), pg_temp.key(9, n) FROM generate_series(0, 1) AS n;
INSERT INTO feed SELECT pg_temp.key(0, n % 2), n, pg_temp.key(9, n), now() FROM generate_series(1, 20000) AS n;
INSERT INTO webhook_readers SELECT pg_temp.key(0, n % 2), pg_temp.key(8, n), 20000, 0, NULL, 0, NULL FROM generate_series(1, 20) AS n;
INSERT INTO webhook_endpoints
SELECT pg_temp.key(0, n % 2), pg_temp.key(8, n), 'u', 'd', '', 'full', 'v1', TRUE, 'active', NULL, NULL, '', now(), now(), NULL,
       pg_temp.key(9, n)
FROM generate_series(1, 20) AS n;
INSERT INTO analytics_ledgers
SELECT pg_temp.key(0, n), 1, 'active', 20000, pg_temp.key(9, 20000), now() FROM generate_series(0, 1) AS n;
INSERT INTO analytics_subscriptions
SELECT pg_temp.key(0, n % 2), 1, pg_temp.key(2, n), '', now(), now() + n * INTERVAL '1 s' FROM generate_series(1, 4000) AS n;
UPDATE subscriptions SET due_at = now() + INTERVAL '1 day';
INSERT INTO invoices
SELECT pg_temp.key(0, n % 2), pg_temp.key(11, n), pg_temp.key(2, n), pg_temp.key(1, n % 900), NULL, 'recurring', 'open', 'USD', NULL,
       FALSE, now(), now(), now() + INTERVAL '1 day', NULL, '', now(), now(), NULL, pg_temp.key(9, n)
FROM generate_series(1, 4000) AS n;
ANALYZE";

/// With the freedom to choose, PostgreSQL joins a page or a part of the feed with all events of the organization.
#[tokio::test]
async fn a_page_of_the_feed_reads_each_event_by_its_id_on_postgres() {
    let Some(place) = Place::empty_postgres().await else { return };
    let place = migrated(place).await;
    let mut client = with_feed(&place).await;
    let transaction = client.transaction().await.unwrap();
    for (name, table, key) in [
        ("analytics_events::AFTER", "events", "(id = "),
        ("feed::PAGE", "events", "(id = "),
        ("feed::PAGE_DOWN", "events", "(id = "),
        ("history::WALK", "events", "(id = "),
        ("feed::PRUNE_EVENTS", "events", "(id = "),
        ("feed::PRUNE", "feed", "(sequence "),
    ] {
        let statement = statement(name);
        let lines = explain(&transaction, &statement.postgres[0]).await;
        let is_read = |line: &str| line.contains("Scan") && line.contains(&format!(" on {table}"));
        let reads: Vec<&[String]> = lines.windows(2).filter(|lines| is_read(&lines[0])).collect();
        let is_by_key = |lines: &&[String]| lines[1].contains(" Cond: ") && lines[1].contains(key);
        assert!(!reads.is_empty() && reads.iter().all(is_by_key), "{name}: {lines:#?}");
    }
}

#[tokio::test]
async fn a_dropped_index_is_noticed_on_sqlite() {
    let place = migrated(Place::empty_sqlite()).await;
    let connection = rusqlite::Connection::open(place.path()).unwrap();
    for (index, statement) in DROPPED {
        connection.execute_batch(&format!("BEGIN; DROP INDEX {index}")).unwrap();
        assert_ne!(sqlite_problems(&connection, statement), [""; 0], "without {index}");
        connection.execute_batch("ROLLBACK").unwrap();
    }
}

#[tokio::test]
async fn a_dropped_index_is_noticed_on_postgres() {
    let Some(place) = Place::empty_postgres().await else { return };
    let place = migrated(place).await;
    let mut client = filled(&place).await;
    for (index, statement) in DROPPED {
        let transaction = client.transaction().await.unwrap();
        transaction.batch_execute(&format!("DROP INDEX {index}")).await.unwrap();
        assert_ne!(postgres_problems(&transaction, statement).await, [""; 0], "without {index}");
        transaction.rollback().await.unwrap();
    }
}

/// The statement that fails the check when an index is dropped.
const DROPPED: [(&str, &str); 16] = [
    ("subscriptions_by_user", "Created user_id"),
    ("subscriptions_by_plan", "subscriptions::COUNT_BY_PLAN"),
    ("subscriptions_by_status", "Created status"),
    ("subscriptions_by_renewal", "Renews "),
    ("subscriptions_by_known_end", "Ends "),
    ("subscriptions_by_external", "subscriptions.id_by_unique"),
    ("payments_by_external", "payments.id_by_unique"),
    ("payments_by_subscription", "payments.refers"),
    ("payments_by_subscription", "payments subscription_id"),
    ("payments_by_invoice", "payments invoice_id"),
    ("idempotency_keys_by_age", "idempotency_keys.sweep"),
    ("sessions_by_user", "sessions::BY_USER"),
    ("sessions_by_expiry", "sessions.sweep"),
    // Without the one, the other finds the few users with this subject.
    ("users_by_identity; DROP INDEX users_by_subject", "users::BY_IDENTITY"),
    ("users_by_email", "users.by_unique"),
    ("users_by_subject", "users subject"),
];

/// Every statement that must follow an index, with the index and the equality it leads with where that is settled.
fn checked(prefix: &str) -> impl Iterator<Item = (String, Statement, &'static str, &'static str)> {
    let touches =
        |text: &str| LARGE.iter().any(|table| text.contains(&format!(" {table}"))) && !text.starts_with("INSERT");
    // These walk up to a bound (rows of a deleted organization are removed in portions, a copy is read in pages), or
    // count a whole table.
    // An import sets the due times of what it has written. A test clock is created and deleted with a look at all records of
    // its organization. The index of parked subscriptions contains nothing else.
    let walks = [
        "installation::HOLDINGS",
        ".count_owned",
        ".purge",
        ".first_rows",
        ".count",
        "::SCHEDULE",
        "test_clocks::NEWER",
        "clock_removal::REMOVE_KEYS",
        "clock_removal::REMOVE_UNDELIVERED",
        "due::ALL_PARKED",
        "due::PARKED",
    ];
    let bounded = move |statement: &Statement| walks.iter().any(|end| statement.name.ends_with(end));
    let reads =
        statements::all().into_iter().filter(move |statement| touches(&statement.sqlite) && !bounded(statement));
    let reads = reads.map(|statement| (statement.name.clone(), statement, "", ""));
    let pages = shapes().into_iter().chain(payment_shapes()).flat_map(|shape| {
        let Shape { name, index, lead, statements } = shape;
        statements.into_iter().map(move |statement| (name.clone(), statement, index, lead))
    });
    reads.chain(pages).filter(move |(name, ..)| name.starts_with(prefix))
}

async fn migrated(place: Place) -> Place {
    place.open().await.migrate().await.unwrap();
    place
}

/// The lines of SQLite's plan.
fn sqlite_plan(connection: &rusqlite::Connection, statement: &Statement) -> Vec<String> {
    let mut explained = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", statement.sqlite)).unwrap();
    let nulls = vec![rusqlite::types::Null; explained.parameter_count()];
    explained.query_map(rusqlite::params_from_iter(nulls), |row| row.get(3)).unwrap().map(Result::unwrap).collect()
}

fn sqlite_problems(connection: &rusqlite::Connection, prefix: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, statement, index, lead) in checked(prefix) {
        let lines = sqlite_plan(connection, &statement);
        let index = match index.strip_suffix("_pkey") {
            Some(table) => format!("sqlite_autoindex_{table}_1"),
            None => index.to_owned(),
        };
        let follows = |line: &String| {
            line.contains(&format!("INDEX {index} (organization_id=?"))
                && (lead.is_empty() || line.contains(&format!(" AND {lead}=?")))
        };
        let unled = |line: &String| index.is_empty() && line.ends_with("(organization_id=?)");
        let followed = index.is_empty() || lines.iter().any(follows);
        if !followed || lines.iter().any(|line| walks(line) || unled(line)) {
            problems.push(format!("{name}: {lines:?}"));
        }
    }
    problems
}

/// Whether a line of SQLite's plan reads a large table from end to end, or sorts.
fn walks(line: &str) -> bool {
    let scans =
        LARGE.iter().any(|table| line == format!("SCAN {table}") || line.starts_with(&format!("SCAN {table} ")));
    scans || line.contains("USE TEMP B-TREE")
}

/// A plan that holds for any values; without an index it would have to show a scan or a sort.
const INDEXES_ONLY: &str = "
SET LOCAL plan_cache_mode = force_generic_plan;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_sort = off;
SET LOCAL enable_incremental_sort = off";

async fn postgres_problems(transaction: &tokio_postgres::Transaction<'_>, prefix: &str) -> Vec<String> {
    transaction.batch_execute(INDEXES_ONLY).await.unwrap();
    let mut problems = Vec::new();
    for (name, statement, index, lead) in checked(prefix) {
        // At most one row has an external id or an address, and PostgreSQL sorts it without knowing that. The rows of a
        // list of ids are few.
        let may_sort = ["external_id", "email", "id"].contains(&lead);
        let sorting = if may_sort { "on" } else { "off" };
        transaction.batch_execute(&format!("SET LOCAL enable_sort = {sorting}")).await.unwrap();
        for text in &statement.postgres {
            let lines = explain(transaction, text).await;
            let followed = lines.iter().any(|line| line.contains(&format!("using {index} on")));
            let wasteful = |line: &String| line.contains("Seq Scan on") || (line.contains("Sort") && !may_sort);
            // Of a user's newest 1,000 subscriptions those that cannot have access are left out, and of the few payments of an
            // invoice those that are not processing.
            let bounded = ["held::", "payments::PROCESSING", "payments::NONE_PROCESSING"];
            let is_bounded = bounded.iter().any(|bounded| name.contains(bounded));
            let is_wasteful = |line: &String| wasteful(line) || (filters(line) && !is_bounded);
            if !(index.is_empty() || followed) || lines.iter().any(is_wasteful) {
                problems.push(format!("{name}: {lines:?}"));
            }
        }
    }
    problems
}

/// Whether rows that an index should have selected are tested one by one, except for the filters of a walk.
fn filters(line: &str) -> bool {
    let keys =
        ["external_id", "user_id", "plan_id", "status = ", "renews_at", "ends_at", "subject", "email =", "id = "];
    // A page of the feed examines a bounded number of events, and each of its filters may be absent.
    let bounded = line.contains("walked.") || line.contains("(NOT $");
    line.trim_start().starts_with("Filter: ") && !bounded && keys.iter().any(|key| line.contains(key))
}

async fn explain(transaction: &tokio_postgres::Transaction<'_>, text: &str) -> Vec<String> {
    let parameters = transaction.prepare(text).await.unwrap().params().len();
    let nulls = vec!["NULL"; parameters].join(", ");
    let values = if parameters == 0 { String::new() } else { format!("({nulls})") };
    let script =
        format!("PREPARE explained AS {text}; EXPLAIN (COSTS OFF) EXECUTE explained{values}; DEALLOCATE explained");
    let messages = transaction.simple_query(&script).await.unwrap();
    let rows = messages.iter().filter_map(|message| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    rows.collect()
}

/// Enough rows that PostgreSQL knows which index is worth following: an empty table gives it nothing to go by.
async fn filled(place: &Place) -> tokio_postgres::Client {
    let client = connect(&place.url()).await;
    client.batch_execute(FILL).await.unwrap();
    client
}

const FILL: &str = "
CREATE FUNCTION pg_temp.key(kind BIGINT, n BIGINT) RETURNS UUID LANGUAGE SQL AS
    $$ SELECT (lpad(to_hex(kind), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::UUID $$;
INSERT INTO users (organization_id, id, email, issuer, subject, created_at, updated_at, revision)
SELECT pg_temp.key(0, n % 2), pg_temp.key(1, n), n || '@example.com', 'i', 's' || n, now(), now(), pg_temp.key(9, n)
FROM generate_series(1, 4000) AS n;
INSERT INTO subscriptions
SELECT pg_temp.key(0, n % 2), pg_temp.key(2, n), pg_temp.key(1, n % 900), pg_temp.key(3, n % 50), 'e' || n, 'monthly',
       (ARRAY['active', 'paused', 'cancelled', 'expired'])[1 + n % 4], TRUE, now(),
       CASE WHEN n % 3 > 0 THEN now() + n * INTERVAL '1 hour' END,
       CASE WHEN n % 3 > 0 THEN now() + n * INTERVAL '1 hour' END,
       now(), now(), NULL, pg_temp.key(9, n)
FROM generate_series(1, 4000) AS n;
INSERT INTO subscriptions
SELECT pg_temp.key(0, n % 2), pg_temp.key(7, n), pg_temp.key(1, n % 900), pg_temp.key(3, n % 50), NULL, 'monthly',
       'expired', FALSE, now(), NULL, NULL, now(), now(), now() - n * INTERVAL '1 hour', pg_temp.key(9, n)
FROM generate_series(1, 4000) AS n;
INSERT INTO payments
SELECT pg_temp.key(0, n % 2), pg_temp.key(4, n), pg_temp.key(2, n), 1, 'USD', 'e' || n, 'completed', now(), now(), now(),
       NULL, pg_temp.key(9, n)
FROM generate_series(1, 4000) AS n;
INSERT INTO events (organization_id, id, kind, record_id, client_id, request_id, at, before, after)
SELECT pg_temp.key(0, n % 2), pg_temp.key(9, n), 'payment.created', pg_temp.key(4, n), NULL, NULL, now(), NULL, NULL
FROM generate_series(1, 4000) AS n;
INSERT INTO sessions
SELECT pg_temp.key(0, n % 2), pg_temp.key(6, n), pg_temp.key(1, n % 900), pg_temp.key(5, n % 3), 0, now(), now(), '',
       now() + n * INTERVAL '1 hour', now(), NULL, NULL, NULL
FROM generate_series(1, 4000) AS n;
INSERT INTO idempotency_keys
SELECT pg_temp.key(0, n % 2), pg_temp.key(5, n % 3), 'k' || n, '', 201, '', '', '', now(), now() + n * INTERVAL '1 s'
FROM generate_series(1, 4000) AS n;
INSERT INTO rate_limits
SELECT pg_temp.key(0, n % 2), now() + n % 20 * INTERVAL '1 min', int8send(n), 1
FROM generate_series(1, 4000) AS n;
ANALYZE";

/// The server does not wait for autovacuum: without statistics PostgreSQL reads a subscription by its id from the whole
/// index by end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_installation_on_postgres_soon_has_its_statistics() {
    static EVENT: Insert = Insert::new(
        "events",
        &[
            ("organization_id", Type::Uuid),
            ("id", Type::Uuid),
            ("kind", Type::Text),
            ("record_id", Type::Uuid),
            ("at", Type::Time),
        ],
        "",
    );
    static LOOKED_AT: &str = "SELECT COUNT(*) FROM pg_stat_user_tables
        WHERE relname IN ('subscriptions', 'events', 'sessions', 'idempotency_keys') AND last_analyze IS NOT NULL";
    static OF_AN_EMPTY_TABLE: &str = "SELECT analyze_count FROM pg_stat_user_tables WHERE relname = 'sessions'";
    static OF_A_FULL_TABLE: &str = "SELECT analyze_count FROM pg_stat_user_tables WHERE relname = 'schema_migrations'";
    let Some(place) = Place::empty_postgres().await else { return };
    let place = migrated(place).await;
    let db = place.open().await;
    let write = async |db: &Db, number: u64| {
        let values = vec![id(0).into(), id(number).into(), "plan.created".into(), id(number).into(), Value::time(0)];
        db.commit(Change::new().event(&EVENT, values)).await.unwrap();
    };
    for number in 0..99 {
        write(&db, number).await;
    }
    assert_eq!(count(&db, LOOKED_AT).await, 0);
    write(&db, 99).await;
    until(async || count(&db, LOOKED_AT).await == 4).await;
    // Another server looks at empty tables again, and not at those that have not grown.
    let second = place.open().await;
    for number in 100..200 {
        write(&second, number).await;
    }
    until(async || count(&db, OF_AN_EMPTY_TABLE).await == 2).await;
    assert_eq!(count(&db, OF_A_FULL_TABLE).await, 1);
}
