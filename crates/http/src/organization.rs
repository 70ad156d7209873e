//! `/organization`: the organization of the client.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::fields::{Fields, portal};
use crate::headers::etag;
use crate::operation::{BodySpec, Handler, Operation, ResponseKind};
use crate::plans::billing::{dunning_schema, members};
use crate::problem::Problem;
use crate::query::QuerySpec;
use crate::reply::Reply;
use crate::samples;
use crate::schema::{self, Schema};
use http::Method;
use perennial_app::organizations;
use perennial_domain::clients::Scope;
use perennial_domain::currency::Currency;
use perennial_domain::id::OrganizationId;
use perennial_domain::lifecycle::calendar::ZoneName;
use perennial_domain::number::Whole;
use perennial_domain::organizations::billing::{OrganizationBillingPatch, RenewalNoticeDays, SpreadMinutes};
use perennial_domain::organizations::{Organization, OrganizationMode, OrganizationName, OrganizationPatch};
use perennial_domain::plans::billing::PaymentTermsDays;
use perennial_domain::portal::{CancelMode, ChangeMode};
use perennial_domain::time::Time;
use serde_json::{Value, json};

const PATH: &str = "/organization";
const TAG: &str = "Organization";

type MaxSessions = Whole<1, { u32::MAX as i64 }>;

pub(crate) static ORGANIZATION: Schema = Schema {
    name: "Organization",
    definition: record_schema,
    example: || samples::json(samples::organization()),
    refers_to: &[],
};

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "readOrganization",
        method: Method::GET,
        path: PATH,
        tag: TAG,
        summary: "Read the organization",
        description: "Returns the organization that the client belongs to.",
        access: Access::Scope(Scope::OrganizationRead),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&ORGANIZATION),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "updateOrganization",
        method: Method::PUT,
        path: PATH,
        tag: TAG,
        summary: "Update the organization",
        description: "Updates the fields that are sent; omitted fields do not change. A null clears an optional field.",
        access: Access::FreshScope(Scope::OrganizationWrite),
        query: QuerySpec::NONE,
        body: Some(BodySpec {
            fields: |fields| {
                patch(fields, None);
            },
            example: || json!({ "max_sessions": 5 }),
        }),
        response: ResponseKind::Record(&ORGANIZATION),
        errors: &[Code::Contended],
        handler: Handler::Write(|call| Box::pin(update(call))),
    },
];

pub(crate) async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    Ok(record(&organizations::read(call.app, &call.caller).await?))
}

pub(crate) async fn update(mut call: Call<'_>) -> Result<Reply, Problem> {
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |organization: &Organization| body.read(|fields| patch(fields, Some(organization)));
    Ok(record(&organizations::update(call.app, &call.caller, &if_match, read).await?))
}

/// The fields of an update, and those that may be sent back unchanged.
pub(crate) fn patch(fields: &mut impl Fields, organization: Option<&Organization>) -> OrganizationPatch {
    let max_sessions = fields.nullable::<MaxSessions>(
        "/max_sessions",
        "The number of sessions that a user should have at most. The list of sessions reports when there are more.",
    );
    let billing = billing(fields);
    let portal = portal(fields);
    fields.unchanged::<OrganizationId>("/id", organization.map(|organization| &organization.id));
    fields.unchanged::<OrganizationName>("/name", organization.map(|organization| &organization.name));
    fields.unchanged::<Currency>("/currency", organization.map(|organization| &organization.currency));
    fields.unchanged::<OrganizationMode>("/mode", organization.map(|organization| &organization.mode));
    fields.unchanged::<Time>("/created_at", organization.map(|organization| &organization.created_at));
    fields.ignored("/updated_at");
    let max_sessions = max_sessions.map(|sent| sent.and_then(|most| u32::try_from(most.get()).ok()));
    OrganizationPatch { max_sessions, billing, portal }
}

/// How subscriptions of the organization are billed. The members that are sent replace the stored ones.
fn billing(fields: &mut impl Fields) -> OrganizationBillingPatch {
    let about = "How subscriptions are billed. An update replaces the members that are sent.";
    let sent = fields.optional_object("/billing", about, |fields| {
        let dunning = [
            "/billing/dunning/retry_days",
            "/billing/dunning/grace_days",
            "/billing/dunning/then",
        ];
        OrganizationBillingPatch {
            time_zone: fields.optional("/billing/time_zone", "The time zone of new subscriptions. Defaults to UTC."),
            payment_terms_days: fields.optional(
                "/billing/payment_terms_days",
                "Days until an invoice of manual collection is due. Defaults to 14.",
            ),
            dunning: fields
                .optional_object("/billing/dunning", "When payment of an invoice is retried, and what follows.", |fields| {
                    members(fields, dunning)
                })
                .flatten(),
            spread_minutes: fields.optional(
                "/billing/spread_minutes",
                "Minutes over which the engine spreads renewals of the same instant. Defaults to 0.",
            ),
            renewal_notice_days: fields.optional(
                "/billing/renewal_notice_days",
                "Days between `subscription.renewal_upcoming` and the renewal. 0: no event. It applies to a subscription \
                 from its next change or period on.",
            ),
        }
    });
    sent.unwrap_or_default()
}

fn record_schema() -> Value {
    schema::record(&[
        ("id", schema::id::<OrganizationId>()),
        ("name", schema::id::<OrganizationName>()),
        ("currency", json!({ "type": "string", "pattern": "^[A-Z]{3}$" })),
        ("max_sessions", json!({ "type": ["integer", "null"], "minimum": 1, "maximum": u32::MAX })),
        ("mode", schema::id::<OrganizationMode>()),
        ("billing", billing_definition()),
        ("portal", portal_schema()),
        ("created_at", schema::instant()),
        ("updated_at", schema::instant()),
    ])
}

/// The billing of an organization in a response.
pub(crate) fn billing_definition() -> Value {
    schema::record(&[
        ("time_zone", schema::id::<ZoneName>()),
        ("payment_terms_days", schema::id::<PaymentTermsDays>()),
        ("dunning", schema::record(&dunning_schema())),
        ("spread_minutes", schema::id::<SpreadMinutes>()),
        ("renewal_notice_days", schema::id::<RenewalNoticeDays>()),
    ])
}

/// The settings of the portal in a response.
pub(crate) fn portal_schema() -> Value {
    schema::record(&[
        (
            "name",
            json!({ "type": ["string", "null"], "description": "The name that customers see. Null: the organization's." }),
        ),
        ("accent", json!({ "type": "string", "pattern": "^#[0-9a-f]{6}$" })),
        ("cancel", schema::words(&CancelMode::ALL.map(CancelMode::as_str))),
        ("resume", schema::boolean()),
        ("change", schema::words(&ChangeMode::ALL.map(ChangeMode::as_str))),
        ("return_origins", json!({ "type": "array", "items": { "type": "string" } })),
    ])
}

fn record(organization: &Organization) -> Reply {
    Reply::record(organization, etag(organization.revision, None))
}
