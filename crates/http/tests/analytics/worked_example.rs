//! The worked example of docs/analytics.md, which comes in by an import: every figure, to the cent.

use super::support::*;
use perennial_testkit::TestApp;
use serde_json::{Value, json};

struct Plans([String; 6]);

async fn plans(app: &TestApp) -> Plans {
    let mut ids = Vec::new();
    for (slug, price, cycle) in [
        ("starter", json!(9), "monthly"),
        ("pro", json!(29), "monthly"),
        ("team", json!(79), "monthly"),
        ("pro-yearly", json!(290), "yearly"),
        ("studio", json!(119), "quarterly"),
        ("pass", json!(4.5), "weekly"),
    ] {
        let plan = app.plan(slug, json!({ "price": price, "billing_cycle": cycle, "name": slug })).await;
        ids.push(plan["id"].as_str().unwrap().to_owned());
    }
    Plans(ids.try_into().unwrap())
}

/// The store of the example on the first of May.
async fn example() -> TestApp {
    let app = TestApp::start().await;
    app.set_time("2026-01-01T00:00:00Z");
    let Plans([starter, pro, team, yearly, studio, pass]) = plans(&app).await;
    let mut users = Vec::new();
    for name in ["ada", "ben", "cyd", "dee", "eve", "fay", "gus", "hal"] {
        users.push(app.user(&format!("{name}@example.com")).await);
    }
    let history = |user: usize, changes: Vec<(&'static str, Value)>| History { user: users[user].clone(), changes };
    let on = |plan: &str| json!({ "subscription_plan_id": plan });
    let trial = |plan: &str| json!({ "subscription_plan_id": plan, "status": "on_trial" });
    let status = |status: &str| json!({ "status": status });
    import(
        &app,
        &[
            history(0, vec![("2026-01-05T00:00:00Z", on(&pro))]),
            history(1, vec![("2026-01-10T00:00:00Z", on(&yearly))]),
            history(
                2,
                vec![
                    ("2026-01-12T00:00:00Z", on(&starter)),
                    ("2026-02-20T00:00:00Z", on(&team)),
                    ("2026-04-03T00:00:00Z", on(&pro)),
                ],
            ),
            history(
                3,
                vec![
                    ("2026-01-15T00:00:00Z", on(&pro)),
                    (
                        "2026-02-02T00:00:00Z",
                        json!({ "status": "cancelled", "ends_at": "2026-02-15T00:00:00.000000Z" }),
                    ),
                    ("2026-02-15T00:00:00Z", status("expired")),
                ],
            ),
            history(
                4,
                vec![
                    ("2026-01-20T00:00:00Z", trial(&pro)),
                    ("2026-02-03T00:00:00Z", status("active")),
                    ("2026-03-03T00:00:00Z", status("past_due")),
                    ("2026-03-24T00:00:00Z", status("unpaid")),
                ],
            ),
            history(5, vec![("2026-02-10T00:00:00Z", trial(&starter)), ("2026-02-24T00:00:00Z", status("expired"))]),
            history(6, vec![("2026-03-01T00:00:00Z", on(&studio)), ("2026-04-10T00:00:00Z", status("paused"))]),
            history(0, vec![("2026-03-12T00:00:00Z", on(&team))]),
            history(3, vec![("2026-04-09T00:00:00Z", on(&starter))]),
            history(
                7,
                vec![
                    ("2026-04-06T00:00:00Z", on(&pass)),
                    (
                        "2026-04-20T00:00:00Z",
                        json!({ "status": "cancelled", "ends_at": "2026-05-04T00:00:00.000000Z" }),
                    ),
                ],
            ),
        ],
    )
    .await;
    app.set_time("2026-05-01T00:00:00Z");
    app
}

#[tokio::test]
async fn every_figure_of_the_example_is_exact() {
    let app = example().await;
    let _working = maintain(&app);
    let revenue = figures(&app, "/analytics/revenue?from=2026-01&to=2026-04").await;
    let row = |period: &str, amounts: [Value; 9], customers: [i64; 6], ratios: [Value; 6]| {
        let [start, new, expansion, reactivation, contraction, churned, end, committed, arr] = amounts;
        let [customers_start, customers_new, reactivated, customers_churned, customers_end, subscriptions] = customers;
        let [arpu, logo_churn, gross_churn, nrr, grr, ltv] = ratios;
        json!({
            "period": period, "start": start, "new": new, "expansion": expansion, "reactivation": reactivation,
            "contraction": contraction, "churned": churned, "end": end, "committed": committed, "arr": arr,
            "customers_start": customers_start, "customers_new": customers_new, "customers_reactivated": reactivated,
            "customers_churned": customers_churned, "customers_end": customers_end, "subscriptions": subscriptions,
            "arpu": arpu, "logo_churn": logo_churn, "gross_churn": gross_churn, "nrr": nrr, "grr": grr, "ltv": ltv,
        })
    };
    let none = || Value::Null;
    let expected = json!([
        row(
            "2026-01",
            [json!(0), json!(91.17), json!(0), json!(0), json!(0), json!(0), json!(91.17), json!(91.17), json!(1094)],
            [0, 4, 0, 0, 4, 4],
            [json!(22.79), none(), none(), none(), none(), none()],
        ),
        row(
            "2026-02",
            [
                json!(91.17),
                json!(29),
                json!(70),
                json!(0),
                json!(0),
                json!(-29),
                json!(161.17),
                json!(161.17),
                json!(1934)
            ],
            [4, 1, 0, 1, 4, 4],
            [json!(40.29), json!(0.25), json!(0.318_099), json!(1.449_726), json!(0.681_901), json!(161.17)],
        ),
        row(
            "2026-03",
            [
                json!(161.17),
                json!(39.67),
                json!(79),
                json!(0),
                json!(0),
                json!(-29),
                json!(250.83),
                json!(250.83),
                json!(3010)
            ],
            [4, 1, 0, 1, 4, 5],
            [json!(62.71), json!(0.25), json!(0.179_938), json!(1.310_238), json!(0.820_062), json!(250.83)],
        ),
        row(
            "2026-04",
            [
                json!(250.83),
                json!(19.5),
                json!(0),
                json!(9),
                json!(-50),
                json!(-39.67),
                json!(189.67),
                json!(170.17),
                json!(2276)
            ],
            [4, 1, 1, 1, 5, 6],
            [json!(37.93), json!(0.25), json!(0.357_475), json!(0.642_525), json!(0.642_525), json!(151.73)],
        ),
    ]);
    assert_eq!(revenue.data(), &expected);
    assert_eq!(revenue.json["meta"]["currency"], "USD");
    assert_eq!(revenue.json["meta"]["currencies"], json!(["USD"]));
    assert_eq!(revenue.json["meta"]["lag_seconds"], 0);
    assert_eq!(revenue.json["meta"]["as_of"], "2026-05-01T00:00:00.000000Z");
    check_cohorts(&app).await;
    check_others(&app).await;
}

async fn check_cohorts(app: &TestApp) {
    let cohorts = figures(app, "/analytics/cohorts?from=2026-01&to=2026-04").await;
    let cells = |row: &Value| -> Vec<(i64, i64, f64)> {
        let cells = row["cells"].as_array().unwrap().iter();
        cells
            .map(|cell| {
                (cell["month"].as_i64().unwrap(), cell["customers"].as_i64().unwrap(), cell["mrr"].as_f64().unwrap())
            })
            .collect()
    };
    let rows = cohorts.data().as_array().unwrap();
    let sizes: Vec<_> = rows.iter().map(|row| (row["cohort"].as_str().unwrap(), row["customers"].as_i64())).collect();
    assert_eq!(sizes, [("2026-01", Some(4)), ("2026-02", Some(1)), ("2026-03", Some(1)), ("2026-04", Some(1))]);
    assert_eq!(cells(&rows[0]), [(0, 4, 91.17), (1, 3, 132.17), (2, 3, 211.17), (3, 4, 170.17)]);
    assert_eq!(cells(&rows[1]), [(0, 1, 29.0), (1, 0, 0.0), (2, 0, 0.0)]);
    assert_eq!(cells(&rows[2]), [(0, 1, 39.67), (1, 0, 0.0)]);
    assert_eq!(cells(&rows[3]), [(0, 1, 19.5)]);
    assert_eq!(rows[0]["cells"][1]["customer_retention"], json!(0.75));
    assert_eq!(rows[0]["cells"][1]["revenue_retention"], json!(1.449_726));
}

async fn check_others(app: &TestApp) {
    let trials = figures(app, "/analytics/trials?from=2026-01&to=2026-03").await;
    let expected = json!([
        { "period": "2026-01", "started": 1, "converted": 1, "lost": 0, "open": 0, "rate": 1 },
        { "period": "2026-02", "started": 1, "converted": 0, "lost": 1, "open": 0, "rate": 0 },
        { "period": "2026-03", "started": 0, "converted": 0, "lost": 0, "open": 0, "rate": null },
    ]);
    assert_eq!(trials.data(), &expected);
    let plans = figures(app, "/analytics/plans?date=2026-04-30").await;
    let plans: Vec<_> = plans
        .data()
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (row["slug"].as_str().unwrap(), row["mrr"].as_f64().unwrap(), row["subscriptions"].as_i64().unwrap())
        })
        .collect();
    let expected =
        [("team", 79.0, 1), ("pro", 58.0, 2), ("pro-yearly", 24.17, 1), ("pass", 19.5, 1), ("starter", 9.0, 1)];
    assert_eq!(plans, expected);
    let churned = figures(app, "/analytics/movements?kind=churned&from=2026-01").await;
    let days: Vec<_> =
        churned.data().as_array().unwrap().iter().map(|row| row["date"].as_str().unwrap().to_owned()).collect();
    assert_eq!(days, ["2026-04-10", "2026-03-24", "2026-02-15"], "Dee churns when her access ends");
    let day = figures(app, "/analytics/revenue?interval=day&from=2026-02-14&to=2026-02-15").await;
    let rows = day.data().as_array().unwrap();
    assert_eq!((&rows[0]["end"], &rows[1]["churned"], &rows[1]["end"]), (&json!(120.17), &json!(-29), &json!(91.17)));
    for field in ["logo_churn", "gross_churn", "nrr", "grr", "ltv"] {
        assert_eq!(rows[1][field], Value::Null, "{field}");
    }
    // Hal's access ends by the clock alone, before any event.
    app.set_time("2026-05-04T12:00:00Z");
    let may = figures(app, "/analytics/revenue?from=2026-05&to=2026-05").await;
    assert_eq!((&may.data()[0]["churned"], &may.data()[0]["end"]), (&json!(-19.5), &json!(170.17)));
}
