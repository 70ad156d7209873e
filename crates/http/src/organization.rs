//! `/organization`: the organization of the client.

use crate::access::Access;
use crate::call::Call;
use crate::dry_run;
use crate::error_codes::Code;
use crate::fields::{Address, Fields, PlanRates, portal};
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
use perennial_domain::billing_profiles::{BuyerName, BuyerNote, TaxId};
use perennial_domain::clients::Scope;
use perennial_domain::country::Country;
use perennial_domain::currency::Currency;
use perennial_domain::id::{OrganizationId, TaxRateId};
use perennial_domain::lifecycle::calendar::ZoneName;
use perennial_domain::number::Whole;
use perennial_domain::organizations::billing::{
    DraftHours, OrganizationBillingPatch, RenewalNoticeDays, SpreadMinutes,
};
use perennial_domain::organizations::documents::{NumberPrefix, SellerPatch};
use perennial_domain::organizations::{Organization, OrganizationMode, OrganizationName, OrganizationPatch};
use perennial_domain::plans::billing::PaymentTermsDays;
use perennial_domain::portal::{CancelMode, ChangeMode};
use perennial_domain::text::Line;
use perennial_domain::time::Time;
use perennial_domain::users::Email;
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
        query: dry_run::QUERY,
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
    dry_run::read(&mut call);
    let if_match = call.if_match();
    let body = call.body().await?;
    let read = |organization: &Organization| body.read(|fields| patch(fields, Some(organization)));
    let updated = organizations::update(call.app, &call.caller, &if_match, read).await?;
    Ok(if call.caller.is_dry_run { dry_run::reply(&call, &updated) } else { record(&updated) })
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
            draft_hours: fields.optional(
                "/billing/draft_hours",
                "Hours between the end of a period with metered usage and its invoice. Defaults to 1.",
            ),
            tax_rate_ids: fields
                .optional("/billing/tax_rate_ids", "The tax rates of lines whose plan and user have none.")
                .map(|PlanRates(rates)| rates),
            seller: fields.optional_object("/billing/seller", "What documents print about the seller.", seller),
            invoice_prefix: fields
                .optional("/billing/invoice_prefix", "The text in front of invoice numbers. Defaults to INV."),
            credit_note_prefix: fields
                .optional("/billing/credit_note_prefix", "The text in front of credit note numbers. Defaults to CRN."),
            yearly_numbers: fields
                .optional("/billing/yearly_numbers", "Whether each year has its own numbers. Defaults to false."),
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

/// The seller of an update. The members that are sent replace the stored ones.
fn seller(fields: &mut impl Fields) -> SellerPatch {
    let text = |sent: Option<Option<String>>| sent;
    SellerPatch {
        name: text(fields.nullable::<BuyerName>("/billing/seller/name", "The name.").map(to_text)),
        address: fields
            .optional::<Address>("/billing/seller/address", "The lines of the address.")
            .map(|Address(lines)| lines.iter().map(|line| line.as_str().to_owned()).collect()),
        country: fields
            .nullable::<Country>("/billing/seller/country", "The country.")
            .map(|sent| sent.map(|country| country.as_str().to_owned())),
        tax_id: text(fields.nullable::<TaxId>("/billing/seller/tax_id", "The tax ID.").map(to_text)),
        email: fields
            .nullable::<Email>("/billing/seller/email", "The e-mail address.")
            .map(|sent| sent.map(|email| email.as_str().to_owned())),
        note: text(fields.nullable::<BuyerNote>("/billing/seller/note", "A note that documents print.").map(to_text)),
    }
}

fn to_text<const MIN: usize, const MAX: usize>(sent: Option<Line<MIN, MAX>>) -> Option<String> {
    sent.map(|line| line.as_str().to_owned())
}

/// The seller in a response.
pub(crate) fn seller_definition() -> [(&'static str, Value); 6] {
    [
        ("name", schema::optional_text()),
        ("address", json!({ "type": "array", "items": { "type": "string" } })),
        ("country", schema::optional_text()),
        ("tax_id", schema::optional_text()),
        ("email", schema::optional_text()),
        ("note", schema::optional_text()),
    ]
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
        ("draft_hours", schema::id::<DraftHours>()),
        ("tax_rate_ids", json!({ "type": "array", "items": schema::id::<TaxRateId>() })),
        ("seller", schema::record(&seller_definition())),
        ("invoice_prefix", schema::id::<NumberPrefix>()),
        ("credit_note_prefix", schema::id::<NumberPrefix>()),
        ("yearly_numbers", schema::boolean()),
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
