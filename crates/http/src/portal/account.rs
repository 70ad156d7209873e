//! The pages of a signed-in user: subscriptions, payments, sessions, and what the user may do there.

use super::format::{day, money, times, whole};
use super::pages::{Frame, Place, see_other, status};
use super::{included, invoices, texts};
use crate::query::decode;
use crate::reply::Reply;
use maud::{Markup, html};
use perennial_app::context::App;
use perennial_app::error::Error;
use perennial_app::portal::subscriptions::{self, Offered};
use perennial_app::portal::{entitlements, sessions};
use perennial_domain::id::{PlanId, SessionId, SubscriptionId};
use perennial_domain::portal::{CancelMode, ChangeMode};
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::time::Time;

pub(super) async fn overview(app: &App, frame: &Frame<'_>) -> Result<Reply, Error> {
    let (offered, included) = tokio::try_join!(
        subscriptions::list(app, frame.known, &frame.organization.portal),
        entitlements::list(app, frame.known),
    )?;
    let content = html! {
        @if offered.is_empty() { div class="card" { p { (texts::NO_SUBSCRIPTIONS) } } }
        @for one in &offered { (card(frame, one)) }
        @if !included.is_empty() { (included::section(&included)) }
    };
    Ok(frame.page(Place::Subscriptions, texts::SUBSCRIPTIONS, &content))
}

fn card(frame: &Frame<'_>, offered: &Offered) -> Markup {
    let Offered { subscription, plan, offers, .. } = offered;
    let id = subscription.id.to_string();
    html! {
        section class="card" aria-label=(plan.name.as_str()) {
            div {
                div class="title" {
                    h2 dir="auto" { (plan.name.as_str()) }
                    (status(texts::status(subscription.status)))
                }
                p { (price(offered)) " " (dates(offered)) }
                @if let (Some(next), Some(at)) = (&offered.next_plan, subscription.renews_at) {
                    p { "Changes to " strong dir="auto" { (next.name.as_str()) } " on " time datetime=(at) { (day(at)) } "." }
                }
            }
            div class="actions" {
                @if offers.change == ChangeMode::Link && let Some(href) = &plan.href {
                    a class="button primary" href=(href.as_str()) rel="noreferrer" { (texts::CHANGE) }
                }
                @if offers.change == ChangeMode::NextPeriod {
                    a class="button primary" href={ "/portal/subscriptions/" (id) "/change" } { (texts::CHANGE) }
                }
                @if offers.resume {
                    (frame.button(&format!("/portal/subscriptions/{id}/resume"), texts::RESUME, "primary"))
                }
                @if offers.cancel {
                    a class="button" href={ "/portal/subscriptions/" (id) "/cancel" } { (texts::CANCEL) }
                }
            }
        }
    }
}

fn price(offered: &Offered) -> Markup {
    let quantity = offered.subscription.details.quantity.get();
    html! {
        (times(offered.price, quantity, offered.currency)) " " (texts::cycle(offered.cycle))
        @if quantity != 1 { ", quantity " (whole(quantity)) }
        "."
    }
}

fn dates(offered: &Offered) -> Markup {
    let subscription = &offered.subscription;
    let time = |at: Time| html! { time datetime=(at) { (day(at)) } };
    match (subscription.status, subscription.ends_at, subscription.renews_at) {
        (SubscriptionStatus::Expired, Some(end), _) => html! { "Ended on " (time(end)) "." },
        (SubscriptionStatus::Expired, None, _) => html! {},
        (_, Some(end), _) => html! { "Access until " strong { (time(end)) } "." },
        (_, None, Some(renewal)) => html! { "Renews on " strong { (time(renewal)) } "." },
        (_, None, None) => html! {},
    }
}

pub(super) async fn confirm_cancel(app: &App, frame: &Frame<'_>, id: SubscriptionId) -> Result<Reply, Error> {
    let settings = &frame.organization.portal;
    let offered = subscriptions::read(app, frame.known, settings, id).await?;
    if !offered.offers.cancel {
        return Ok(see_other("/portal/"));
    }
    let now = subscriptions::now(app, frame.known).await?;
    let end = subscriptions::end_of_access(&offered, settings, now);
    let subscription = &offered.subscription;
    // A paused subscription ends at once: what is left of its period is lost.
    let is_paid_time_lost = settings.cancel == CancelMode::Now || subscription.status == SubscriptionStatus::Paused;
    let content = html! {
        div class="card stack" {
            @match end {
                Some(end) if end > now.max(subscription.starts_at) => {
                    p { "Access continues until " strong { time datetime=(end) { (day(end)) } } ". After that it ends, and it is not renewed." }
                    @if settings.resume { p { "Until then you can resume the subscription." } }
                }
                _ => p {
                    (if subscription.has_access(now) { texts::ACCESS_ENDS } else { texts::SUBSCRIPTION_ENDS })
                    @if is_paid_time_lost { " " (texts::NO_REFUND) }
                }
            }
            div class="actions" {
                a class="button" href="/portal/" { (texts::KEEP) }
                (frame.button(&format!("/portal/subscriptions/{id}/cancel"), texts::CANCEL, "danger"))
            }
        }
    };
    let title = format!("Cancel {}?", offered.plan.name.as_str());
    Ok(frame.page(Place::Subscriptions, &title, &content))
}

pub(super) async fn payments(app: &App, frame: &Frame<'_>, query: Option<&str>) -> Result<Reply, Error> {
    let cursor = query.and_then(|query| query.strip_prefix("cursor=")).and_then(decode);
    let (paid, next) = match subscriptions::payments(app, frame.known, cursor.as_deref()).await {
        // A cursor that was changed, or of another key: the newest page.
        Err(Error::InvalidCursor) => return Ok(see_other("/portal/payments")),
        found => found?,
    };
    // Older pages continue the payments.
    let documents = if cursor.is_none() {
        invoices::newest(app, frame.known).await?
    } else {
        html! {}
    };
    let content = html! {
        (documents)
        @if paid.is_empty() {
            div class="card" { p { (texts::NO_PAYMENTS) } }
        } @else {
            div class="scroll" tabindex="0" role="group" aria-label="Payments table" {
                table aria-label="Payments" {
                    thead { tr {
                        th scope="col" { "Date" }
                        th scope="col" { "For" }
                        th scope="col" { "Status" }
                        th scope="col" class="number" { "Amount" }
                    } }
                    tbody { @for one in &paid {
                        tr {
                            td { @let at = one.payment.date.unwrap_or(one.payment.created_at); time datetime=(at) { (day(at)) } }
                            td dir="auto" { (one.plan.as_deref().unwrap_or("—")) }
                            td { (status(texts::payment_status(one.payment.status))) }
                            td class="number" { (money(one.payment.amount, one.payment.currency)) }
                        }
                    } }
                }
            }
        }
        @if let Some(next) = next { p { a href={ "/portal/payments?cursor=" (next) } { (texts::OLDER) } } }
    };
    Ok(frame.page(Place::Payments, texts::PAYMENTS, &content))
}

pub(super) async fn devices(app: &App, frame: &Frame<'_>) -> Result<Reply, Error> {
    let listed = sessions::list(app, frame.known).await?;
    let own = frame.known.session.id;
    let content = html! {
        @for one in &listed {
            @let session = &one.session;
            section class="card" aria-label=(one.client_name) {
                div {
                    div class="title" {
                        h2 dir="auto" { (one.client_name) }
                        @if session.id == own { (status((texts::THIS_DEVICE, "good"))) }
                    }
                    p class="faint" dir="auto" { (session.user_agent.as_deref().unwrap_or("Unknown browser")) }
                    p class="faint" {
                        "Signed in on " time datetime=(session.signed_in_at) { (day(session.signed_in_at)) }
                        @if let Some(address) = &session.ip_address { " from " (address) }
                    }
                }
                @if session.id != own {
                    div class="actions" {
                        (frame.button(&format!("/portal/sessions/{}/end", session.id), texts::END_SESSION, ""))
                    }
                }
            }
        }
        @if listed.len() > 1 { (frame.button("/portal/sessions/end-others", texts::END_OTHERS, "danger")) }
    };
    Ok(frame.page(Place::Sessions, texts::SESSIONS, &content))
}

/// What a form of the portal does.
pub(super) enum Action {
    Cancel(SubscriptionId),
    Resume(SubscriptionId),
    /// The plan of the next period; none keeps the current one.
    Choose(SubscriptionId, Option<PlanId>),
    EndSession(SessionId),
    EndOthers,
}

pub(super) async fn act(app: &App, frame: &Frame<'_>, action: Action, request_id: &str) -> Result<Reply, Error> {
    let (known, settings) = (frame.known, &frame.organization.portal);
    match action {
        Action::Cancel(id) => {
            subscriptions::cancel(app, known, settings, id, request_id).await?;
            Ok(see_other("/portal/"))
        }
        Action::Resume(id) => {
            subscriptions::resume(app, known, settings, id, request_id).await?;
            Ok(see_other("/portal/"))
        }
        Action::Choose(id, plan) => {
            subscriptions::choose(app, known, settings, (id, plan), request_id).await?;
            Ok(see_other("/portal/"))
        }
        Action::EndSession(id) => {
            sessions::end(app, known, id, request_id).await?;
            Ok(see_other("/portal/sessions"))
        }
        Action::EndOthers => {
            sessions::end_others(app, known, request_id).await?;
            Ok(see_other("/portal/sessions"))
        }
    }
}
