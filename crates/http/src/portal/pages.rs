//! The layout of every page of the portal. It has no script, no inline style, and no text that is not escaped.

use super::{STYLE_PATH, texts};
use crate::problem::Problem;
use crate::reply::{Content, Reply};
use http::StatusCode;
use maud::{DOCTYPE, Markup, html};
use perennial_app::portal::PortalSession;
use perennial_domain::organizations::Organization;
use perennial_domain::portal::Accent;

/// What every page of a signed-in user shows.
pub(super) struct Frame<'a> {
    pub(super) organization: &'a Organization,
    pub(super) known: &'a PortalSession,
    /// The token of the session's forms.
    pub(super) token: &'a str,
}

/// The pages of the navigation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Subscriptions,
    Payments,
    Sessions,
}

impl Place {
    const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Subscriptions, "/portal/", "Subscriptions"),
        (Self::Payments, "/portal/payments", "Payments"),
        (Self::Sessions, "/portal/sessions", texts::SESSIONS),
    ];
}

/// The name that customers see.
pub(super) fn name(organization: &Organization) -> &str {
    organization.portal.name.as_ref().map_or(organization.name.as_str(), |name| name.as_str())
}

impl Frame<'_> {
    /// A page of the signed-in user.
    pub(super) fn page(&self, place: Place, title: &str, content: &Markup) -> Reply {
        let portal = &self.organization.portal;
        let name = name(self.organization);
        let body = html! {
            header { div class="wide" {
                span class="brand" dir="auto" { (name) }
                nav aria-label=(texts::NAVIGATION) { ul {
                    @for (known, path, text) in Place::ALL {
                        li { a href=(path) aria-current=[(known == place).then_some("page")] { (text) } }
                    }
                } }
                (self.button("/portal/sign-out", texts::SIGN_OUT, ""))
            } }
            main class="wide" { h1 dir="auto" { (title) } (content) }
            footer class="wide" {
                p {
                    "Signed in as "
                    bdi { (self.known.user.email.as_ref().map_or("", |email| email.as_str())) }
                    ". " (texts::DATES)
                    @if let Some(url) = &self.known.return_url {
                        " " a href=(url.as_str()) rel="noreferrer" { "Back to " (name) }
                    }
                }
            }
        };
        reply(StatusCode::OK, &document(title, name, &portal.accent, &body))
    }

    /// A form that consists of one button.
    pub(super) fn button(&self, action: &str, text: &str, class: &str) -> Markup {
        html! {
            form method="post" action=(action) {
                input type="hidden" name="token" value=(self.token);
                button type="submit" class=(class) { (text) }
            }
        }
    }
}

/// A page without a session.
pub(super) fn plain(status: StatusCode, organization: Option<&Organization>, title: &str, content: &Markup) -> Reply {
    let name = organization.map_or("Customer portal", name);
    let accent = organization.map(|organization| organization.portal.accent.clone()).unwrap_or_default();
    let body = html! {
        header { div class="wide" { span class="brand" dir="auto" { (name) } } }
        main class="wide" { h1 dir="auto" { (title) } (content) }
    };
    reply(status, &document(title, name, &accent, &body))
}

/// The page of a problem. Its headers are those of the problem.
pub(super) fn problem(problem: &Problem) -> Reply {
    let (title, detail) = problem.text();
    let content = html! {
        div class="card stack" {
            p { (detail) }
            p { a href="/portal/" { (texts::SUBSCRIPTIONS) } }
        }
    };
    let mut reply = plain(problem.status(), None, title, &content);
    reply.headers.extend(problem.headers().iter().cloned());
    reply
}

fn document(title: &str, name: &str, accent: &Accent, body: &Markup) -> Markup {
    let color = accent.as_str().trim_start_matches('#');
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " – " (name) }
                link rel="icon" href="data:,";
                link rel="stylesheet" href={ (STYLE_PATH) (*super::BUILD) "-" (color) ".css" };
            }
            body { (body) }
        }
    }
}

fn reply(status: StatusCode, page: &Markup) -> Reply {
    Reply::new(status, Content::PrivateHtml, page.0.clone())
}

/// Goes to another page.
pub(super) fn see_other(path: impl Into<String>) -> Reply {
    let mut reply = Reply::new(StatusCode::SEE_OTHER, Content::PrivateHtml, "");
    reply.location = Some(path.into());
    reply
}

/// A status as a word and a shape.
pub(super) fn status((word, tone): (&str, &str)) -> Markup {
    html! { span class={ "status " (tone) } { (word) } }
}
