//! The page on which a user chooses the plan of the next period.

use super::format::{day, money};
use super::pages::{Frame, Place, see_other};
use super::{included, texts};
use crate::reply::Reply;
use maud::{Markup, html};
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::portal::entitlements::{self, would_have};
use perennial_app::portal::subscriptions::{self, Offered};
use perennial_domain::features::Feature;
use perennial_domain::id::SubscriptionId;
use perennial_domain::lifecycle::billing::Billing;
use perennial_domain::plans::Plan;
use perennial_domain::portal::ChangeMode;

pub(super) async fn choose(app: &App, frame: &Frame<'_>, id: SubscriptionId) -> Result<Reply, Error> {
    let offered = subscriptions::read(app, frame.known, &frame.organization.portal, id).await?;
    if offered.offers.change != ChangeMode::NextPeriod {
        return Ok(see_other("/portal/"));
    }
    let (choices, features) = tokio::try_join!(
        subscriptions::choices(app, frame.known, &offered),
        entitlements::features(app, frame.known),
    )?;
    let next = offered.subscription.billing.as_deref().and_then(Billing::change_plan);
    let content = html! {
        (introduction(&offered))
        @if choices.is_empty() { div class="card" { p { (texts::NO_PLANS) } } }
        @for plan in &choices { (card(frame, &offered, plan, &features, next == Some(plan.id))) }
        div class="actions" {
            a class="button" href="/portal/" { (texts::BACK) }
            @if next.is_some() {
                (frame.button(&format!("/portal/subscriptions/{id}/keep-plan"), texts::KEEP_PLAN, ""))
            }
        }
    };
    let title = format!("Change {}", offered.plan.name.as_str());
    Ok(frame.page(Place::Subscriptions, &title, &content))
}

fn introduction(offered: &Offered) -> Markup {
    html! {
        @if let Some(at) = offered.subscription.renews_at {
            div class="card" {
                p {
                    "The plan changes with the next period, on " strong { time datetime=(at) { (day(at)) } }
                    ". Until then nothing changes."
                }
            }
        }
    }
}

fn card(frame: &Frame<'_>, offered: &Offered, plan: &Plan, features: &[Feature], is_chosen: bool) -> Markup {
    let name = plan.name.as_str();
    let price = format!("{} {}", money(plan.price, plan.currency), texts::cycle(plan.billing_cycle));
    // Plans of different billing cycles often have the same name.
    let full_name = format!("{name}, {price}");
    let target = format!("/portal/subscriptions/{}/change/{}", offered.subscription.id, plan.id);
    html! {
        section class="card" aria-label=(full_name) {
            div {
                h2 dir="auto" { (name) }
                p { (price) "." }
                @let description = plan.details.description.as_str();
                @if !description.is_empty() { p class="faint" dir="auto" { (description) } }
                (listed(plan.details.features.as_str()))
                (included::of_plan(&would_have(features, &offered.subscription, plan)))
            }
            div class="actions" {
                @if is_chosen { strong { (texts::CHOSEN) } }
                @else { (frame.button(&target, &format!("Change to {full_name}"), "primary")) }
            }
        }
    }
}

/// The features of a plan, which are one text with commas.
fn listed(features: &str) -> Markup {
    let features: Vec<&str> = features.split(',').map(str::trim).filter(|feature| !feature.is_empty()).collect();
    html! {
        @if !features.is_empty() { ul class="faint" { @for feature in features { li dir="auto" { (feature) } } } }
    }
}
