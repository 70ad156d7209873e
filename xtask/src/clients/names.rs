//! Names for what the document leaves nameless: where a client has a call, and what inline objects are called.
//! What follows the pattern of the resources (`createPlan` is `plans.create`) needs no line here.

use super::model::Place;
use crate::process::{Failure, Result};

/// Calls that are no create, read, update, delete or list of a resource.
const PLACES: [(&str, &str, &str); 44] = [
    ("signUp", "auth", "sign_up"),
    ("signIn", "auth", "sign_in"),
    ("refreshToken", "auth", "refresh"),
    ("userLoggedIn", "auth", "user"),
    ("listTokens", "sessions", "list"),
    ("logout", "sessions", "logout"),
    ("revokeAllTokens", "sessions", "revoke_all"),
    ("revokeAllTokensExceptCurrent", "sessions", "revoke_others"),
    ("revokeToken", "sessions", "revoke"),
    ("deleteMyAccount", "account", "delete"),
    ("listOperatorSessions", "operators", "list_sessions"),
    ("endOperatorSession", "operators", "end_session"),
    ("createOperatorLink", "operators", "create_link"),
    ("revokeUserSessions", "user_sessions", "revoke_all"),
    ("revokeUserSession", "user_sessions", "revoke"),
    ("createPortalLink", "users", "create_portal_link"),
    ("search", "search", "find"),
    ("forecastSubscription", "subscriptions", "forecast"),
    ("rotateWebhookSecret", "webhook_endpoints", "rotate_secret"),
    ("pingWebhookEndpoint", "webhook_endpoints", "ping"),
    ("retryWebhookEvents", "webhook_endpoints", "retry"),
    ("seekWebhookEndpoint", "webhook_endpoints", "seek"),
    ("listWebhookAttempts", "webhook_endpoints", "list_attempts"),
    ("listWebhookUndelivered", "webhook_endpoints", "list_undelivered"),
    ("listConnectionInbox", "connections", "list_inbox"),
    ("readEntitlements", "entitlements", "get"),
    ("checkEntitlement", "entitlements", "check"),
    ("collectPayment", "payments", "collect"),
    ("recordUsageEvents", "usage", "record"),
    ("readSubscriptionUsage", "usage", "get"),
    ("addMember", "members", "add"),
    ("removeMember", "members", "remove"),
    ("createEntitlementToken", "entitlements", "create_token"),
    ("finalizeInvoice", "invoices", "finalize"),
    ("voidInvoice", "invoices", "void"),
    ("markInvoiceUncollectible", "invoices", "mark_uncollectible"),
    // `events` is the function that follows the feed.
    ("listEvents", "feed", "list"),
    ("readEvent", "feed", "get"),
    ("readRevenue", "analytics", "revenue"),
    ("listMovements", "analytics", "list_movements"),
    ("readCohorts", "analytics", "cohorts"),
    ("readTrials", "analytics", "trials"),
    ("readPaymentFigures", "analytics", "payments"),
    ("readPlanFigures", "analytics", "plans"),
];

const VERBS: [(&str, &str); 5] =
    [("list", "list"), ("create", "create"), ("read", "get"), ("update", "update"), ("delete", "delete")];

/// Objects that stand inside others without a name of their own.
const INLINE: [(&str, &str); 2] = [("TokenList.tokens", "Session"), ("Problem.errors", "Fault")];

/// Answered texts that are words of a set that grows: their examples are the words known so far.
const OPEN_SETS: [(&str, &str); 1] = [("Event", "type")];

/// POSTs without a key that can be repeated nevertheless: a refresh token is accepted until its successor was used,
/// what is revoked stays so, a usage event counts once, and a question changes nothing.
const REPEATABLE: [&str; 8] = [
    "createEntitlementToken",
    "recordUsageEvents",
    "refreshToken",
    "userLoggedIn",
    "logout",
    "revokeAllTokens",
    "revokeAllTokensExceptCurrent",
    "revokeToken",
];

pub(crate) fn place(operation: &str) -> Result<Place> {
    if let Some((_, group, name)) = PLACES.iter().find(|(id, ..)| *id == operation) {
        return Ok(Place { group: (*group).to_owned(), name: (*name).to_owned() });
    }
    let of_resource = VERBS.iter().find_map(|(verb, name)| {
        let noun = operation.strip_prefix(verb).filter(|noun| noun.starts_with(char::is_uppercase))?;
        let plural = if *verb == "list" { snake(noun) } else { format!("{}s", snake(noun)) };
        Some(Place { group: plural, name: (*name).to_owned() })
    });
    of_resource.ok_or_else(|| {
        Failure::new(format!(
            "the operation `{operation}` has no place in the clients; give it one in xtask/src/clients/names.rs."
        ))
    })
}

pub(crate) fn is_open_set(owner: &str, field: &str) -> bool {
    OPEN_SETS.contains(&(owner, field))
}

pub(crate) fn repeatable(operation: &str) -> bool {
    REPEATABLE.contains(&operation)
}

/// What an operation's body is called: `PlanCreate` for `createPlan`, `SignUp` for `signUp`.
pub(crate) fn body(operation: &str) -> String {
    let of_resource = ["create", "update"].iter().find_map(|verb| {
        let noun = operation.strip_prefix(verb).filter(|noun| noun.starts_with(char::is_uppercase))?;
        Some(format!("{noun}{}", pascal(verb)))
    });
    of_resource.unwrap_or_else(|| pascal(operation))
}

/// What an object inside another is called.
pub(crate) fn inline(owner: &str, field: &str) -> String {
    let path = format!("{owner}.{field}");
    let named = INLINE.iter().find(|(known, _)| *known == path).map(|(_, name)| (*name).to_owned());
    named.unwrap_or_else(|| format!("{owner}{}", pascal(field)))
}

/// `billing_cycle` and `billingCycle` as `BillingCycle`.
pub(crate) fn pascal(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    name.split(['_', '-']).map(capital).collect()
}

/// `revoke_others` as `revokeOthers`.
pub(crate) fn camel(name: &str) -> String {
    let pascal = pascal(name);
    let mut letters = pascal.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// `SubscriptionItem` as `subscription_item`.
pub(crate) fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(operation: &str) -> String {
        let place = place(operation).unwrap();
        format!("{}.{}", place.group, place.name)
    }

    #[test]
    fn resources_follow_a_pattern_and_others_are_listed() {
        assert_eq!(placed("listPlans"), "plans.list");
        assert_eq!(placed("readPayment"), "payments.get");
        assert_eq!(placed("createLineItem"), "line_items.create");
        assert_eq!(placed("revokeAllTokensExceptCurrent"), "sessions.revoke_others");
    }

    #[test]
    fn an_operation_without_a_place_says_where_to_give_it_one() {
        let failure = place("reticulate").unwrap_err().to_string();
        assert!(failure.contains("names.rs"), "{failure}");
        assert!(place("listen").is_err(), "`listen` is no list");
    }

    #[test]
    fn bodies_and_inline_objects_have_names() {
        assert_eq!(body("createPlan"), "PlanCreate");
        assert_eq!(body("signUp"), "SignUp");
        assert_eq!(inline("Problem", "errors"), "Fault");
        assert_eq!(inline("Plan", "tax_rate"), "PlanTaxRate");
    }

    #[test]
    fn words_change_their_case() {
        assert_eq!(pascal("billing_cycle"), "BillingCycle");
        assert_eq!(camel("revoke_others"), "revokeOthers");
        assert_eq!(snake("LineItem"), "line_item");
    }
}
