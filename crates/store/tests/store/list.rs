//! Pages: every row exactly once, in order, whatever the boundaries.

use futures_util::future::join_all;
use perennial_store::{Change, Column, Db, Insert, Key, KeysetQuery, Order, Position, Table, Type, Value, Violation};

use crate::support::*;

on_both_engines!(
    pages_hold_every_row_once,
    nulls_come_last_both_ways,
    ranges_and_equalities_narrow_the_list,
    a_rare_filter_walks_a_bounded_number_of_rows,
    a_long_walk_runs_apart_and_walks_no_row_twice,
    deleted_rows_and_other_organizations_stay_out,
    a_position_of_another_sort_is_refused,
    a_list_can_be_asked_for_from_any_thread,
);

static LISTED: Insert = Insert::new(
    "listed",
    &[
        ("organization_id", Type::Uuid),
        ("id", Type::Uuid),
        ("tier", Type::Int),
        ("slug", Type::Text),
        ("ends_at", Type::Time),
        ("flag", Type::Bool),
        ("deleted_at", Type::Time),
    ],
    "",
);
static LIVE: Table = Table::new(
    0,
    "listed",
    &[
        Column::key("id", Type::Uuid),
        Column::fixed("tier", Type::Int),
        Column::fixed("slug", Type::Text),
        Column::fixed("ends_at", Type::Time).nullable(),
        Column::fixed("flag", Type::Bool),
        Column::deleted_at(),
    ],
);
static WITH_DELETED: Table = Table::new(
    1,
    "listed",
    &[
        Column::key("id", Type::Uuid),
        Column::fixed("tier", Type::Int),
        Column::fixed("slug", Type::Text),
        Column::fixed("ends_at", Type::Time).nullable(),
    ],
);
static BY_TIER: &[Key] = &[Key::new("tier", Type::Int), Key::new("id", Type::Uuid)];
static BY_SLUG: &[Key] = &[Key::new("tier", Type::Int), Key::new("slug", Type::Text), Key::new("id", Type::Uuid)];
static BY_END: &[Key] = &[Key::nullable("ends_at", Type::Time), Key::new("id", Type::Uuid)];
static BY_KNOWN_END: &[Key] = &[Key::mostly_null("ends_at", Type::Time), Key::new("id", Type::Uuid)];
static BY_ID: &[Key] = &[Key::new("id", Type::Uuid)];

const ORGANIZATION: [u8; 16] = [7; 16];
const ROWS: u64 = 60;

/// Few tiers and ends, so that ties are everywhere; every third row has no end.
async fn fill(db: &Db) {
    let rows = (0..ROWS).map(|number| {
        let ends_at = (number % 3 != 0).then_some(i64::try_from(number % 5).unwrap() * 1_000_000);
        row(db, ORGANIZATION, number, ends_at, None)
    });
    for outcome in join_all(rows).await {
        outcome.unwrap();
    }
}

async fn row(
    db: &Db,
    organization: [u8; 16],
    number: u64,
    ends_at: Option<i64>,
    deleted_at: Option<i64>,
) -> Result<(), perennial_store::Error> {
    let params = vec![
        organization.into(),
        id(number).into(),
        i64::try_from(number % 4).unwrap().into(),
        format!("slug-{}", number % 7).into(),
        Value::optional_time(ends_at),
        number.is_multiple_of(20).into(),
        Value::optional_time(deleted_at),
    ];
    db.commit(Change::new().insert(&LISTED, params, Violation::Record)).await
}

struct Item {
    id: [u8; 16],
    keys: (i64, String, Option<i64>),
}

/// Follows a list to its end, through positions taken apart and put together again.
async fn follow(db: &Db, list: &KeysetQuery) -> (Vec<Item>, usize) {
    let (mut items, mut pages, mut after) = (Vec::new(), 0, None::<Vec<Value>>);
    loop {
        let position = after.take().map(|values| Position { values });
        let page = list
            .clone()
            .after(position)
            .page(db, |row| Ok(Item { id: row.uuid(0)?, keys: (row.int(1)?, row.text(2)?, row.optional_time(3)?) }))
            .await
            .unwrap();
        pages += 1;
        items.extend(page.items);
        assert!(pages < 1000, "the list does not end");
        match page.next {
            Some(next) => after = Some(next.values),
            None => return (items, pages),
        }
    }
}

fn ids(items: &[Item]) -> Vec<[u8; 16]> {
    items.iter().map(|item| item.id).collect()
}

fn sorted(mut ids: Vec<[u8; 16]>) -> Vec<[u8; 16]> {
    ids.sort_unstable();
    ids
}

async fn pages_hold_every_row_once(place: Place) {
    let db = place.open().await;
    fill(&db).await;
    for keys in [BY_ID, BY_TIER, BY_SLUG, BY_END, BY_KNOWN_END] {
        let whole = LIVE.list(ORGANIZATION).sort(keys, Order::Ascending).limit(1000);
        let (all, _) = follow(&db, &whole).await;
        assert_eq!(sorted(ids(&all)), sorted((0..ROWS).map(id).collect()));
        for order in [Order::Ascending, Order::Descending] {
            let list = LIVE.list(ORGANIZATION).sort(keys, order);
            let (expected, _) = follow(&db, &list.clone().limit(1000)).await;
            for limit in [1, 7, 20, 59, 60, 61] {
                let (items, pages) = follow(&db, &list.clone().limit(limit)).await;
                assert_eq!(ids(&items), ids(&expected));
                // A page that ends with the last row knows that it is the last.
                assert_eq!(pages, 60_usize.div_ceil(limit));
            }
        }
    }
}

async fn nulls_come_last_both_ways(place: Place) {
    let db = place.open().await;
    fill(&db).await;
    for (order, limit, walk) in [
        (Order::Ascending, 9, 1000),
        (Order::Descending, 9, 1000),
        (Order::Descending, 40, 1000),
        (Order::Descending, 9, 6),
    ] {
        let list = LIVE.list(ORGANIZATION).sort(BY_END, order).limit(limit);
        let (items, _) = follow(&db, &list).await;
        let (searched, _) = follow(&db, &list.sort(BY_KNOWN_END, order).walk(walk)).await;
        assert_eq!(ids(&items), ids(&searched));
        let mut expected: Vec<(Option<i64>, [u8; 16])> = items.iter().map(|item| (item.keys.2, item.id)).collect();
        let found = expected.clone();
        expected.sort_by(|left, right| {
            let by_value = match order {
                Order::Ascending => left.cmp(right),
                Order::Descending => right.cmp(left),
            };
            left.0.is_none().cmp(&right.0.is_none()).then(by_value)
        });
        assert_eq!(found, expected);
        assert_eq!(found.iter().filter(|(end, _)| end.is_none()).count(), 20);
    }
}

async fn ranges_and_equalities_narrow_the_list(place: Place) {
    let db = place.open().await;
    fill(&db).await;
    let list = LIVE
        .list(ORGANIZATION)
        .sort(BY_END, Order::Descending)
        .equal("tier", 1)
        .from(Value::time(1_000_000))
        .until(Value::time(3_000_000))
        .limit(2);
    let (items, _) = follow(&db, &list).await;
    let expected = (0..ROWS).filter(|n| n % 3 != 0 && n % 4 == 1 && matches!(n % 5, 1 | 2));
    assert_eq!(sorted(ids(&items)), sorted(expected.map(id).collect()));
    assert!(items.iter().all(|item| item.keys.0 == 1));
}

async fn a_rare_filter_walks_a_bounded_number_of_rows(place: Place) {
    let db = place.open().await;
    fill(&db).await;
    let rare: Vec<u64> = (0..ROWS).filter(|number| number % 20 == 0).collect();
    for keys in [BY_ID, BY_SLUG, BY_END, BY_KNOWN_END] {
        for order in [Order::Ascending, Order::Descending] {
            for (limit, walk) in [(1, 10), (2, 7), (50, 10), (50, 60), (1, 1000)] {
                let list = LIVE
                    .list(ORGANIZATION)
                    .sort(keys, order)
                    .filter("flag = {}", vec![true.into()])
                    .any_of("slug", (0..7).map(|n| format!("slug-{n}").into()).collect())
                    .limit(limit)
                    .walk(walk);
                let (items, pages) = follow(&db, &list).await;
                assert_eq!(sorted(ids(&items)), sorted(rare.iter().copied().map(id).collect()));
                if walk == 10 {
                    assert!(pages >= 6, "{pages} pages of at most {walk} rows each");
                }
            }
        }
    }
    let none = LIVE.list(ORGANIZATION).any_of("slug", Vec::new()).walk(50);
    let first = none.page(&db, |row| row.uuid(0)).await.unwrap();
    assert!(first.items.is_empty() && first.next.is_some(), "short, but not the end");
}

async fn a_long_walk_runs_apart_and_walks_no_row_twice(place: Place) {
    let db = place.open().await;
    let rows = (0..700).map(|number| row(&db, ORGANIZATION, number, None, None));
    assert!(join_all(rows).await.iter().all(Result::is_ok));
    let list = |condition, value: Value| LIVE.list(ORGANIZATION).filter(condition, vec![value]).limit(5);
    let (common, rare) = (list("flag = {}", true.into()), list("slug = {}", "none".into()));
    let walked = sorted((0..700).map(id).collect());
    let flagged: Vec<_> =
        walked.iter().filter(|id| (0..700).step_by(20).any(|number| self::id(number) == **id)).collect();
    for (list, statements, long_walks, items, next) in [
        (common, 1, 0, 5, Some(flagged[4])),
        (rare.clone(), 2, 1, 0, None),
        (rare.clone().walk(256), 1, 0, 0, Some(&walked[255])),
        (rare.clone().walk(300), 2, 1, 0, Some(&walked[299])),
        (rare.walk(700), 2, 1, 0, Some(&walked[699])),
    ] {
        let before = db.metrics();
        let page = list.page(&db, |row| row.uuid(0)).await.unwrap();
        let after = db.metrics();
        let spent = (after.statements - before.statements, after.long_walks - before.long_walks);
        assert_eq!((spent, page.items.len()), ((statements, long_walks), items), "{list:?}");
        let next: Option<Vec<Value>> = next.map(|id| vec![(*id).into()]);
        assert_eq!(page.next.map(|position| position.values), next, "{list:?}");
    }
    // A page that begins with the short walk and ends with the long one holds every match once.
    let whole = LIVE.list(ORGANIZATION).filter("flag = {}", vec![true.into()]).limit(1_000);
    let (items, pages) = follow(&db, &whole).await;
    assert_eq!((pages, ids(&items).iter().collect::<Vec<_>>()), (1, flagged));
}

async fn deleted_rows_and_other_organizations_stay_out(place: Place) {
    let db = place.open().await;
    row(&db, ORGANIZATION, 1, None, None).await.unwrap();
    row(&db, ORGANIZATION, 2, None, Some(5)).await.unwrap();
    row(&db, [8; 16], 3, None, None).await.unwrap();
    let (items, _) = follow(&db, &LIVE.list(ORGANIZATION)).await;
    assert_eq!(ids(&items), [id(1)]);
    let (items, _) = follow(&db, &WITH_DELETED.list(ORGANIZATION)).await;
    assert_eq!(items.len(), 2);
}

async fn a_position_of_another_sort_is_refused(place: Place) {
    let db = place.open().await;
    let of_ids = Position { values: vec![id(1).into()] };
    let null_id = Position { values: vec![Value::Int(1), Value::Null(Type::Uuid)] };
    for position in [of_ids, null_id] {
        let list = LIVE.list(ORGANIZATION).sort(BY_TIER, Order::Ascending).after(Some(position));
        assert!(list.page(&db, |row| row.uuid(0)).await.is_err());
    }
}

async fn a_list_can_be_asked_for_from_any_thread(place: Place) {
    let db = place.open().await;
    fill(&db).await;
    let page = tokio::spawn(async move { LIVE.list(ORGANIZATION).limit(5).page(&db, |row| row.uuid(0)).await });
    assert_eq!(page.await.unwrap().unwrap().items.len(), 5);
}
