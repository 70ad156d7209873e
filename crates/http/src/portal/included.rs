//! What the user has: features, limits, and what is used of quotas.

use super::format::day;
use super::texts;
use maud::{Markup, html};
use perennial_app::portal::entitlements::Included;
use perennial_domain::entitlements::GrantValue;
use perennial_domain::usage::Quantity;

pub(super) fn section(included: &[Included]) -> Markup {
    html! {
        section class="card stack" aria-label=(texts::INCLUDED) {
            h2 { (texts::INCLUDED) }
            ul class="included" { @for one in included { (entry(one)) } }
        }
    }
}

fn entry(Included { feature, entitlement }: &Included) -> Markup {
    let name = feature.name.as_str();
    match (entitlement.value, entitlement.used) {
        (GrantValue::Flag(false), _) => html! {},
        (GrantValue::Flag(true), _) => html! { li { span dir="auto" { (name) } span { (texts::YES) } } },
        (value, None) => html! { li { span dir="auto" { (name) } span { (limit(value)) } } },
        (value, Some(used)) => html! {
            li {
                span dir="auto" { (name) }
                span { (number(used)) " of " (limit(value)) " used" }
                @if let GrantValue::Number(most) = value {
                    meter aria-label={ (name) " used" } min="0" max=(most) value=(number(used)) {}
                }
                @if let Some(at) = entitlement.resets_at {
                    span class="faint" { "Resets on " time datetime=(at) { (day(at)) } "." }
                }
            }
        },
    }
}

fn limit(value: GrantValue) -> String {
    match value {
        GrantValue::Unlimited => texts::UNLIMITED.to_owned(),
        GrantValue::Number(number) => number.to_string(),
        GrantValue::Flag(flag) => flag.to_string(),
    }
}

/// A quantity as the API writes it.
fn number(quantity: Quantity) -> String {
    serde_json::to_string(&quantity).unwrap_or_default()
}
