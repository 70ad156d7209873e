//! `/test-clock`: the clock of a test organization.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::Fields;
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use http::{Method, StatusCode};
use perennial_app::test_clock;
use perennial_domain::clients::Scope;
use perennial_domain::id::OrganizationId;
use perennial_domain::test_clocks::{ClockPatch, ClockStatus, TestClock, TestClockView};
use perennial_domain::time::Time;
use serde_json::{Value, json};

const PATH: &str = "/test-clock";
const TAG: &str = "Test clock";

/// What the clock shows after it was created.
const SHOWN: &[&str] = &["/target", "/status", "/transitions", "/limit_reached"];

pub(crate) static TEST_CLOCK: Schema =
    Schema { name: "TestClock", definition: record_schema, example: || samples::json(sample()), refers_to: &[] };

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "createTestClock",
        method: Method::POST,
        path: PATH,
        tag: TAG,
        summary: "Create the test clock",
        description: "From now on the clock is the time of the organization's plans, subscriptions, payments, invoices, credits, \
                      coupons, meters and usage. Only a test organization can have a clock, and only one.",
        access: Access::Scope(Scope::OrganizationWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                draft(fields);
            },
            example: || json!({ "now": "2026-01-31T09:30:00Z" }),
        }),
        response: ResponseKind::Value(StatusCode::CREATED, &TEST_CLOCK),
        errors: &[Code::NotATestOrganization, Code::ClockExists],
        handler: Handler::Write(|call| Box::pin(create(call))),
    },
    Operation {
        id: "readTestClock",
        method: Method::GET,
        path: PATH,
        tag: TAG,
        summary: "Read the test clock",
        description: "An advance has ended when the status is not `advancing`.",
        access: Access::Scope(Scope::OrganizationRead),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &TEST_CLOCK),
        errors: &[Code::NotFound],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updateTestClock",
        method: Method::PUT,
        path: PATH,
        tag: TAG,
        summary: "Advance the test clock",
        description: "The clock moves forward only, by at most ten years. It moves from one due instant to the next, and the \
                      work of each is done there. With `mode: jump` it moves at once, as after an outage.",
        access: Access::Scope(Scope::OrganizationWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields);
            },
            example: || json!({ "now": "2026-03-31T09:30:00Z", "mode": "advance" }),
        }),
        response: ResponseKind::Value(StatusCode::OK, &TEST_CLOCK),
        errors: &[Code::NotFound, Code::ClockAdvancing, Code::LifecycleBehind, Code::Contended],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
    Operation {
        id: "deleteTestClock",
        method: Method::DELETE,
        path: PATH,
        tag: TAG,
        summary: "Delete the test clock",
        description: "Removes the clock with all records of the organization that it governs, such as plans, subscriptions, payments and \
                      invoices, and their events. Users and clients stay. The status is `deleting` until then; afterwards there is no clock.",
        access: Access::Scope(Scope::OrganizationWrite),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Value(StatusCode::OK, &TEST_CLOCK),
        errors: &[Code::NotFound, Code::ClockAdvancing, Code::Contended],
        handler: Handler::Write(|call| Box::pin(delete(call))),
    },
];

async fn create(mut call: Call<'_>) -> Result<Reply, Problem> {
    let body = call.body().await?;
    let (now, errors) = body.read(|fields| draft(fields));
    let clock = test_clock::create(call.app, &call.caller, now, errors).await?;
    let mut reply = Reply::value(StatusCode::CREATED, clock);
    reply.location = Some(PATH.to_owned());
    Ok(reply)
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    Ok(Reply::value(StatusCode::OK, test_clock::read(call.app, &call.caller).await?))
}

async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    let body = call.body().await?;
    let (patch, errors) = body.read(|fields| patch(fields));
    Ok(Reply::value(StatusCode::OK, test_clock::update(call.app, &call.caller, patch, errors).await?))
}

async fn delete(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    Ok(Reply::value(StatusCode::OK, test_clock::delete(call.app, &call.caller).await?))
}

/// The fields of a create.
fn draft(fields: &mut impl Fields) -> Option<Time> {
    let now = fields.required("/now", "The time that the clock shows. No record may be newer.");
    for at in SHOWN {
        fields.read_only(at);
    }
    now
}

/// The fields of an update. The others are ignored, so that the record can be sent back.
fn patch(fields: &mut impl Fields) -> ClockPatch {
    let patch = ClockPatch {
        now: fields.optional("/now", "The time that the clock will show, at most ten years later."),
        mode: fields.optional("/mode", "How the clock moves. Defaults to `advance`."),
    };
    for at in SHOWN {
        fields.ignored(at);
    }
    patch
}

fn record_schema() -> Value {
    let status: Vec<&str> = ClockStatus::ALL.iter().map(|status| status.as_str()).collect();
    let described = |mut schema: Value, about: &str| {
        schema["description"] = about.into();
        schema
    };
    let count = json!({ "type": "integer", "minimum": 0 });
    schema::record(&[
        ("now", described(schema::instant(), "The time of the organization.")),
        ("target", described(schema::optional_instant(), "Where the clock moves to. Null unless it is advancing.")),
        ("status", json!({ "type": "string", "enum": status })),
        ("transitions", described(count, "The number of actions in the current or last advance.")),
        ("limit_reached", described(schema::boolean(), "Whether the last advance stopped after 100,000 actions.")),
    ])
}

/// The clock of the examples.
fn sample() -> TestClockView {
    TestClock::new(OrganizationId::from_bytes(samples::ID), samples::now(), samples::REVISION).view(false, false)
}
