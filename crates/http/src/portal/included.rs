//! What the user has, and what a plan would give: features, limits, and what is used of quotas.

use super::format::{day, plain, quantity, whole};
use super::texts;
use maud::{Markup, html};
use perennial_app::portal::entitlements::Included;
use perennial_domain::entitlements::GrantValue;
use perennial_domain::features::{Feature, QuotaPeriod};

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
                span { (quantity(used)) " of " (limit(value)) " used" }
                @if let GrantValue::Number(most) = value {
                    meter aria-label={ (name) " used" } min="0" max=(most) value=(plain(used)) {}
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
        GrantValue::Number(number) => whole(number),
        GrantValue::Flag(flag) => flag.to_string(),
    }
}

/// What a plan would give, within its card.
pub(super) fn of_plan(granted: &[(&Feature, GrantValue)]) -> Markup {
    html! {
        @if !granted.is_empty() {
            ul class="included" aria-label=(texts::INCLUDED) {
                @for (feature, value) in granted {
                    li { span dir="auto" { (feature.name.as_str()) } span { (amount(*value, feature.period)) } }
                }
            }
        }
    }
}

/// "Included", "5", or of a quota "1,000 a month".
fn amount(value: GrantValue, period: Option<QuotaPeriod>) -> String {
    match (value, period) {
        (GrantValue::Flag(_), _) => texts::YES.to_owned(),
        (GrantValue::Number(number), Some(period)) => format!("{} {}", whole(number), texts::quota_period(period)),
        (value, _) => limit(value),
    }
}
