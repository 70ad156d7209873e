//! A collection for Postman (v2.1), which Bruno imports too: a folder for each group, and one that is the tour.
//! Each request keeps what the next ones need in variables, so that they work by hand and as a smoke test.

mod script;
mod smoke;

use serde_json::{Value, json};

use super::model::{Access, Field, Model, Operation};
use super::names;

pub(crate) use smoke::tour;

const SCHEMA: &str = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

pub(crate) const PATH: &str = "clients/postman/perennial.postman_collection.json";

/// The folder that is run as a smoke test.
const TOUR: &str = "The tour";

const ABOUT: &str = "\
Every call of the API, a folder for each thing it is about.

Set `baseUrl`, `clientId` (a trusted client that holds every scope) and `identityToken` (your identity provider's, or what \
`perennial identity token --email ada@example.com` prints), then run the folder `The tour`, or send single requests: what \
one answers, the next ones use. The tour removes what it made, so it can be taken again.

Written from `openapi.json` by `cargo xtask clients`; do not edit.";

/// Every call once, and signing in as often as a session was ended on the way.
const WAY: [&str; 74] = [
    "createUser",
    "readUser",
    "createPortalLink",
    "updateUser",
    "listUsers",
    "deleteUser",
    "signUp",
    "userLoggedIn",
    "readOrganization",
    "updateOrganization",
    "createClient",
    "listClients",
    "readClient",
    "updateClient",
    "createPlan",
    "listPlans",
    "readPlan",
    "updatePlan",
    "listPlanVersions",
    "createSubscription",
    "listSubscriptions",
    "readSubscription",
    "forecastSubscription",
    "createPayment",
    "listPayments",
    "readPayment",
    "updatePayment",
    "updateSubscription",
    "signIn",
    "listTokens",
    "revokeToken",
    "refreshToken",
    "revokeAllTokensExceptCurrent",
    "deletePayment",
    "deleteSubscription",
    "deletePlan",
    "createOperator",
    "listOperators",
    "readOperator",
    "updateOperator",
    "createOperatorLink",
    "deleteOperator",
    "logout",
    "signIn",
    "revokeAllTokens",
    "signIn",
    "listTokens",
    "listUserSessions",
    "revokeUserSession",
    "signIn",
    "search",
    "listEvents",
    "readEvent",
    "createWebhookEndpoint",
    "listWebhookEndpoints",
    "readWebhookEndpoint",
    "updateWebhookEndpoint",
    "rotateWebhookSecret",
    "pingWebhookEndpoint",
    "listWebhookAttempts",
    "retryWebhookEvents",
    "seekWebhookEndpoint",
    "listWebhookUndelivered",
    "deleteWebhookEndpoint",
    "listConnections",
    "readRevenue",
    "listMovements",
    "readCohorts",
    "readTrials",
    "readPaymentFigures",
    "readPlanFigures",
    "revokeUserSessions",
    "signIn",
    "deleteMyAccount",
];

/// Calls about sessions of operators, which only a browser can begin, the clock of a test organization, and records
/// that stay.
#[cfg(test)]
const OFF_THE_WAY: [&str; 48] = [
    "listOperatorSessions",
    "endOperatorSession",
    "createTestClock",
    "readTestClock",
    "updateTestClock",
    "deleteTestClock",
    // Records that cannot be deleted, so that a second tour would find those of the first.
    "listTaxRates",
    "createTaxRate",
    "readTaxRate",
    "updateTaxRate",
    "listCoupons",
    "createCoupon",
    "readCoupon",
    "updateCoupon",
    "listMeters",
    "createMeter",
    "readMeter",
    "updateMeter",
    "listFeatures",
    "createFeature",
    "readFeature",
    "updateFeature",
    "readEntitlements",
    "checkEntitlement",
    "createEntitlementToken",
    "listMembers",
    "addMember",
    "removeMember",
    "recordUsageEvents",
    "readSubscriptionUsage",
    "readBillingProfile",
    "updateBillingProfile",
    "listCredits",
    "createCredit",
    "listInvoices",
    "createInvoice",
    "readInvoice",
    "updateInvoice",
    "deleteInvoice",
    "finalizeInvoice",
    "voidInvoice",
    "markInvoiceUncollectible",
    "listCreditNotes",
    "createCreditNote",
    "readCreditNote",
    // Only the command line can create a connection.
    "readConnection",
    "listConnectionInbox",
    // It would charge a customer.
    "collectPayment",
];

/// What is filled in from outside, with a value to begin with.
const GIVEN: [(&str, &str); 6] = [
    ("baseUrl", "http://127.0.0.1:8080"),
    ("clientId", ""),
    ("identityToken", ""),
    ("email", "ada@example.com"),
    ("planSlug", "pro-monthly"),
    // A name that never resolves: the tour sends nothing to another machine.
    ("webhookUrl", "https://hooks.invalid/perennial"),
];

/// What the answers fill in.
const LEARNT: [&str; 20] = [
    "accessToken",
    "refreshToken",
    "userId",
    "authId",
    "sessionId",
    "clientRecordId",
    "subscriptionId",
    "paymentId",
    "managedUserId",
    "operatorId",
    "operatorSessionId",
    "eventId",
    "webhookEndpointId",
    "taxRateId",
    "couponId",
    "meterId",
    "connectionId",
    "featureKey",
    "invoiceId",
    "creditNoteId",
];

/// Members of a body that are not as the document's example has them.
const MEMBERS: [(&str, &str); 8] = [
    ("access_token", "identityToken"),
    ("email", "email"),
    ("refresh_token", "refreshToken"),
    ("slug", "planSlug"),
    ("subscription_plan_id", "planSlug"),
    ("user_id", "userId"),
    ("subscription_id", "subscriptionId"),
    ("url", "webhookUrl"),
];

/// The same for the parameters in a path: the call's group, the parameter, the variable.
const PARAMETERS: [(&str, &str, &str); 28] = [
    ("clients", "id", "clientRecordId"),
    ("plans", "slug", "planSlug"),
    ("plan_versions", "slug", "planSlug"),
    ("subscriptions", "id", "subscriptionId"),
    ("payments", "payment_id", "paymentId"),
    ("sessions", "id", "sessionId"),
    ("account", "auth_id", "authId"),
    ("users", "id", "managedUserId"),
    ("user_sessions", "id", "userId"),
    ("user_sessions", "session_id", "sessionId"),
    ("operators", "id", "operatorId"),
    ("operators", "session_id", "operatorSessionId"),
    ("feed", "id", "eventId"),
    ("webhook_endpoints", "id", "webhookEndpointId"),
    ("tax_rates", "id", "taxRateId"),
    ("coupons", "id", "couponId"),
    ("meters", "id", "meterId"),
    ("features", "key", "featureKey"),
    ("entitlements", "id", "userId"),
    ("entitlements", "feature_key", "featureKey"),
    ("members", "id", "subscriptionId"),
    ("members", "user_id", "managedUserId"),
    ("usage", "id", "subscriptionId"),
    ("billing_profiles", "id", "userId"),
    ("credits", "id", "userId"),
    ("connections", "id", "connectionId"),
    ("invoices", "id", "invoiceId"),
    ("credit_notes", "id", "creditNoteId"),
];

pub(crate) fn collection(model: &Model) -> String {
    let mut folders: Vec<Value> = model
        .groups()
        .into_iter()
        .map(|(group, operations)| {
            let items: Vec<Value> = operations.iter().map(|(_, operation)| with_example(model, operation)).collect();
            json!({ "name": names::pascal(group), "item": items })
        })
        .collect();
    let on_the_way = WAY.iter().filter_map(|id| model.operations.iter().find(|operation| operation.id == *id));
    let tour: Vec<Value> = on_the_way.map(|operation| item(model, operation)).collect();
    folders.push(json!({
        "name": TOUR,
        "description": "Sign up, a plan, a subscription, a payment, sessions, a refresh, and the end of the account.",
        "item": tour
    }));
    let given = GIVEN.iter().map(|(key, value)| json!({ "key": key, "value": value }));
    let learnt = LEARNT.iter().map(|key| json!({ "key": key, "value": "" }));
    let document = json!({
        "info": { "name": "Perennial", "version": model.version, "description": ABOUT, "schema": SCHEMA },
        "item": folders,
        "variable": given.chain(learnt).collect::<Vec<Value>>()
    });
    format!("{document:#}\n")
}

/// A request with what the document shows as its answer.
fn with_example(model: &Model, operation: &Operation) -> Value {
    let mut item = item(model, operation);
    if let Some(example) = &operation.answer_example {
        item["response"] = json!([{
            "name": "As the document shows it",
            "originalRequest": item["request"],
            "code": operation.status,
            "_postman_previewlanguage": "json",
            "header": [{ "key": "content-type", "value": "application/json" }],
            "body": format!("{example:#}")
        }]);
    }
    item
}

fn item(model: &Model, operation: &Operation) -> Value {
    json!({
        "name": operation.summary,
        "request": request(model, operation),
        "event": [{
            "listen": "test",
            "script": { "type": "text/javascript", "exec": script::of(model, operation) }
        }]
    })
}

fn request(model: &Model, operation: &Operation) -> Value {
    let mut headers = vec![json!({ "key": "client-id", "value": "{{clientId}}" })];
    if operation.idempotency_key {
        headers.push(json!({ "key": "idempotency-key", "value": "{{$guid}}" }));
    }
    for (name, taken) in [("if-match", operation.if_match), ("if-none-match", operation.if_none_match)] {
        if taken {
            headers.push(json!({ "key": name, "value": "", "disabled": true }));
        }
    }
    let mut request = json!({
        "method": operation.method,
        "description": operation.docs,
        "auth": auth(operation.access),
        "url": url(operation)
    });
    if let Some(body) = body(model, operation) {
        headers.push(json!({ "key": "content-type", "value": "application/json" }));
        request["body"] = json!({
            "mode": "raw",
            "raw": format!("{body:#}"),
            "options": { "raw": { "language": "json" } }
        });
    }
    request["header"] = headers.into();
    request
}

fn auth(access: Access) -> Value {
    match access {
        Access::User | Access::ClientOrUser => json!({
            "type": "bearer",
            "bearer": [{ "key": "token", "value": "{{accessToken}}", "type": "string" }]
        }),
        Access::Open | Access::Client => json!({ "type": "noauth" }),
    }
}

fn url(operation: &Operation) -> Value {
    let mut path = operation.path.clone();
    for parameter in &operation.path_parameters {
        let variable = variable_of(operation, &parameter.name).unwrap_or(&parameter.name);
        path = path.replace(&format!("{{{}}}", parameter.name), &format!("{{{{{variable}}}}}"));
    }
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let mut url = json!({ "raw": format!("{{{{baseUrl}}}}{path}"), "host": ["{{baseUrl}}"], "path": segments });
    if !operation.query.is_empty() {
        // What a query must have is the address: only the search requires something.
        let unused = |field: &Field| {
            let value = if field.required { "{{email}}" } else { "" };
            json!({ "key": field.name, "value": value, "description": field.docs, "disabled": !field.required })
        };
        url["query"] = operation.query.iter().map(unused).collect();
        if let Some(required) = operation.query.iter().find(|field| field.required) {
            url["raw"] = format!("{{{{baseUrl}}}}{path}?{}={{{{email}}}}", required.name).into();
        }
    }
    url
}

/// What holds a parameter of its path.
fn variable_of(operation: &Operation, parameter: &str) -> Option<&'static str> {
    let group = operation.place.as_ref()?.group.as_str();
    let known = PARAMETERS.iter().find(|(of, name, _)| *of == group && *name == parameter);
    known.map(|(_, _, variable)| *variable)
}

/// The example with variables where a value belongs to this very run. External ids are left out: they are taken once.
fn body(model: &Model, operation: &Operation) -> Option<Value> {
    let taken = operation.body.as_ref()?;
    let fields = &model.record(&taken.record)?.fields;
    let mut body = taken.example.clone().unwrap_or_else(|| json!({}));
    let members = body.as_object_mut()?;
    members.retain(|name, _| !name.starts_with("external_"));
    for (name, variable) in MEMBERS {
        if members.contains_key(name) && fields.iter().any(|field| field.name == name) {
            members.insert(name.to_owned(), format!("{{{{{variable}}}}}").into());
        }
    }
    Some(body)
}

#[cfg(test)]
mod tests;
