//! The pages of lists whose plans are checked.

use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::id::{InvoiceId, PlanId, SubscriptionId, UserId};
use perennial_domain::payments::PaymentStatus;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;
use perennial_domain::users::{Email, EmailPrefix};
use perennial_store::statements::{self, Statement};
use perennial_store::subscriptions::{Query, Range, Sort};
use perennial_store::{Position, Type, Value, payments, users};

/// A page of subscriptions, the index it must follow, and the equality that the index leads with.
pub(super) struct Shape {
    pub(super) name: String,
    pub(super) index: &'static str,
    pub(super) lead: &'static str,
    pub(super) statements: Vec<Statement>,
}

/// Each driving index × sort × direction × position, with and without further filters.
pub(super) fn shapes() -> Vec<Shape> {
    let user = Some(UserId::from_bytes([2; 16]));
    let plan = Some(PlanId::from_bytes([3; 16]));
    let leads: [(&str, &str, Query); 5] = [
        ("", "subscriptions_pkey", Query::default()),
        ("user_id", "subscriptions_by_user", Query { user_id: user, ..Query::default() }),
        ("plan_id", "subscriptions_by_plan", Query { plan_id: plan, ..Query::default() }),
        ("status", "subscriptions_by_status", Query { statuses: vec![SubscriptionStatus::Active], ..Query::default() }),
        ("external_id", "subscriptions_by_external", Query { external_id: Some("e".into()), ..Query::default() }),
    ];
    let mut shapes = Vec::new();
    for sort in [Sort::Created, Sort::Renews, Sort::Ends] {
        for (column, lead_index, query) in &leads {
            // In the other orders the sort leads and the equality is tested row by row.
            let (index, lead) = match sort {
                Sort::Created => (*lead_index, *column),
                Sort::Renews => ("subscriptions_by_renewal", ""),
                Sort::Ends => ("subscriptions_by_known_end", ""),
            };
            for descending in [false, true] {
                for (ranged, residual) in [(false, false), (true, false), (false, true), (true, true)] {
                    let query = dressed(Query { sort, descending, ..query.clone() }, ranged, residual);
                    for after in positions(sort, ranged) {
                        let name = format!("{sort:?} {column} down:{descending} range:{ranged} +:{residual} {after:?}");
                        let statements = statements::subscriptions_page(&query, after);
                        // No index leads to the subscriptions without an end: they are searched for in creation order.
                        let (without_end, others): (Vec<_>, Vec<_>) =
                            statements.into_iter().partition(|statement| statement.sqlite.contains("ends_at IS NULL"));
                        let searched =
                            Shape { name: name.clone(), index: "subscriptions_pkey", lead, statements: without_end };
                        shapes.extend([Shape { name, index, lead, statements: others }, searched]);
                    }
                }
            }
        }
    }
    shapes.extend(user_shapes());
    shapes
}

/// A page of users for each filter alone, and by address with all others.
fn user_shapes() -> Vec<Shape> {
    let none = users::Query::default();
    let prefix = EmailPrefix::parse("ada").ok();
    let ids = Some(vec![UserId::from_bytes([2; 16]), UserId::from_bytes([3; 16])]);
    let range = Range { after: Time::from_micros(1), before: Some(Time::MAX) };
    let subject = Some("s".to_owned());
    let by_id = Position { values: vec![Value::Uuid([9; 16])] };
    let by_address = Position { values: vec!["ada@example.com".into()] };
    let all = users::Query { ids: ids.clone(), subject: subject.clone(), created: range, ..none.clone() };
    let pages = [
        ("plain", "users_pkey", "", &by_id, none.clone()),
        ("created", "users_pkey", "", &by_id, users::Query { created: range, ..none.clone() }),
        ("ids", "users_pkey", "id", &by_id, users::Query { ids, ..none.clone() }),
        ("email", "users_by_email", "email", &by_id, users::Query { email: Email::parse("a@b").ok(), ..none.clone() }),
        ("subject", "users_by_subject", "subject", &by_id, users::Query { subject, ..none.clone() }),
        ("prefix", "users_by_email", "", &by_address, users::Query { email_prefix: prefix.clone(), ..none }),
        ("prefix and all", "users_by_email", "", &by_address, users::Query { email_prefix: prefix, ..all }),
    ];
    let mut shapes = Vec::new();
    for (name, index, lead, position, query) in pages {
        for ascending in [false, true] {
            for after in [None, Some(position.clone())] {
                let name = format!("users {name} up:{ascending} {after:?}");
                let statements = statements::users_page(&users::Query { ascending, ..query.clone() }, after);
                shapes.push(Shape { name, index, lead, statements });
            }
        }
    }
    shapes
}

/// Pages of payments: in creation order an equality leads, and everything else is tested row by row.
pub(super) fn payment_shapes() -> Vec<Shape> {
    let subscription_id = Some(SubscriptionId::from_bytes([4; 16]));
    let invoice_id = Some(InvoiceId::from_bytes([5; 16]));
    let leads = [
        ("", "payments_pkey", payments::Query::default()),
        ("invoice_id", "payments_by_invoice", payments::Query { invoice_id, ..Default::default() }),
        ("invoice_id", "payments_by_invoice", payments::Query { invoice_id, subscription_id, ..Default::default() }),
        ("subscription_id", "payments_by_subscription", payments::Query { subscription_id, ..Default::default() }),
        (
            "external_id",
            "payments_by_external",
            payments::Query { external_id: Some("e".into()), ..Default::default() },
        ),
    ];
    let range = Range { after: Time::from_micros(1), before: Some(Time::MAX) };
    let mut shapes = Vec::new();
    for (lead, index, query) in leads {
        for is_ascending in [false, true] {
            let plain = payments::Query { is_ascending, ..query.clone() };
            let ranged = payments::Query { created: range, ..plain.clone() };
            let filtered = payments::Query {
                statuses: vec![PaymentStatus::Completed],
                currency: Some(Currency::USD),
                completed: range,
                ..ranged.clone()
            };
            for (number, query) in [plain, ranged, filtered].iter().enumerate() {
                for after in [None, Some(Position { values: vec![Value::Uuid([9; 16])] })] {
                    let name = format!("payments {lead} up:{is_ascending} {number} {after:?}");
                    let statements = statements::payments_page(query, after);
                    shapes.push(Shape { name, index, lead, statements });
                }
            }
        }
    }
    shapes
}

fn dressed(mut query: Query, ranged: bool, residual: bool) -> Query {
    let range = Range { after: Time::from_micros(1), before: Some(Time::MAX) };
    let (mut others, mut along) = (Range::default(), Range::default());
    if ranged {
        along = range;
    }
    if residual {
        others = range;
        query.is_active = Some(true);
        query.billing_cycle = Some(BillingCycle::Monthly);
    }
    (query.created, query.renews, query.ends) = match query.sort {
        Sort::Created => (along, others, others),
        Sort::Renews => (others, along, others),
        Sort::Ends => (others, others, along),
    };
    query
}

fn positions(sort: Sort, ranged: bool) -> Vec<Option<Position>> {
    let place = |first: Option<Value>| {
        let values = first.into_iter().chain([Value::Uuid([9; 16])]).collect();
        Some(Position { values })
    };
    match (sort, ranged) {
        (Sort::Created, _) => vec![None, place(None)],
        (_, true) => vec![None, place(Some(Value::time(5)))],
        (_, false) => vec![None, place(Some(Value::time(5))), place(Some(Value::Null(Type::Time)))],
    }
}
