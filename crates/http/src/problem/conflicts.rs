//! The problem of each conflict with the state of records.

use super::Problem;
use crate::error_codes::Code;
use perennial_app::error::Conflict;
use perennial_domain::features::MAX_FEATURES;
use perennial_domain::operators::MAX_LINKS;
use perennial_domain::validation::Transition;
use perennial_domain::webhooks::{MAX_ENDPOINTS, MAX_SECRETS};
use serde_json::json;

impl From<Conflict> for Problem {
    #[expect(clippy::too_many_lines, reason = "one arm for each conflict")]
    fn from(conflict: Conflict) -> Self {
        match conflict {
            Conflict::SlugTaken => Self::new(Code::SlugTaken, "Another plan of this organization uses this slug."),
            Conflict::PlanInUse { subscriptions } => {
                let detail = match subscriptions {
                    1 => "1 subscription refers to this plan.".to_owned(),
                    count => format!("{count} subscriptions refer to this plan."),
                };
                Self::new(Code::PlanInUse, detail).with("subscriptions", subscriptions)
            }
            Conflict::PlanInactive => {
                Self::new(Code::PlanInactive, "The plan is inactive and does not accept new subscriptions.")
            }
            Conflict::ExternalIdTaken { other } => {
                Self::new(Code::ExternalIdTaken, format!("{other} already uses this external ID."))
                    .with("conflicting_id", other)
            }
            Conflict::Transition(Transition { from, to, allowed }) => {
                let detail = match allowed.as_slice() {
                    [] => format!("{from} is final and cannot change to {to}."),
                    _ => format!("{from} cannot change to {to}, only to {}.", allowed.join(", ")),
                };
                Self::new(Code::InvalidTransition, detail).with("allowed", allowed)
            }
            Conflict::EarlierDraft => {
                let detail = "The subscription has an earlier draft. Finalize that one first.";
                Self::new(Code::InvalidTransition, detail).with("allowed", json!([]))
            }
            Conflict::Unissuable => {
                let detail = "The draft cannot be issued: one of its amounts is out of range.";
                Self::new(Code::InvalidTransition, detail).with("allowed", json!([]))
            }
            Conflict::ManagedStatus(Transition { from, to, allowed }) => {
                let detail = match allowed.as_slice() {
                    [] => format!("The subscription is {from}, which is final."),
                    _ => format!("The subscription is {from}; you may send {}, not {to}.", allowed.join(", ")),
                };
                Self::new(Code::ManagedStatus, detail).with("allowed", allowed)
            }
            Conflict::ChangeNotAllowed(status) => {
                let detail = format!("The plan and the quantity cannot change while the subscription is {status}.");
                Self::new(Code::ChangeNotAllowed, detail)
            }
            Conflict::TooManyChanges => {
                Self::new(Code::TooManyChanges, "The plan was changed 10 times in this period already.")
            }
            Conflict::ProviderManaged(connection) => {
                let detail = format!("A payment provider manages this record through {connection}.");
                Self::new(Code::ProviderManaged, detail).with("connection_id", connection.to_string())
            }
            Conflict::CollectingDisabled(connection) => {
                let detail = format!("{connection} does not collect payments, or is disabled.");
                Self::new(Code::CollectingDisabled, detail).with("connection_id", connection.to_string())
            }
            Conflict::ConnectionInUse { subscriptions } => {
                let detail = format!("Subscriptions that follow this connection: {subscriptions}.");
                Self::new(Code::ConnectionInUse, detail).with("subscriptions", subscriptions)
            }
            Conflict::UserAlreadyExists => {
                Self::new(Code::UserAlreadyExists, "A user with this identity has already signed up.")
            }
            Conflict::EmailTaken => {
                Self::new(Code::EmailTaken, "Another user of this organization uses this e-mail address.")
            }
            Conflict::EmailManaged => {
                Self::new(Code::EmailManaged, "The address of this user comes from the identity provider.")
            }
            Conflict::ClientIdTaken => Self::new(Code::ClientIdTaken, "Another client uses this client_id."),
            Conflict::ClientDisabled => Self::new(Code::ClientDisabled, "The client was disabled and cannot change."),
            Conflict::NameTaken => Self::new(Code::NameTaken, "Another record of this organization has this name."),
            Conflict::OwnOperator => Self::new(
                Code::OwnOperator,
                "An operator cannot change its own role, and can neither disable nor delete itself.",
            ),
            Conflict::OperatorDisabled => Self::new(Code::OperatorDisabled, "A disabled operator cannot sign in."),
            Conflict::LinkLimit => Self::new(Code::LinkLimit, format!("The operator has {MAX_LINKS} unused links.")),
            Conflict::EndpointLimit => {
                Self::new(Code::EndpointLimit, format!("The organization has {MAX_ENDPOINTS} webhook endpoints."))
            }
            Conflict::EndpointDisabled => Self::new(Code::EndpointDisabled, "The webhook endpoint is disabled."),
            Conflict::SecretLimit => {
                Self::new(Code::SecretLimit, format!("The webhook endpoint has {MAX_SECRETS} valid secrets."))
            }
            Conflict::NotATestOrganization => {
                Self::new(Code::NotATestOrganization, "A live organization has real time and no test clock.")
            }
            Conflict::ClockExists => Self::new(Code::ClockExists, "The organization has a test clock."),
            Conflict::ClockAdvancing => Self::new(
                Code::ClockAdvancing,
                "The organization accepts no writes while its test clock moves or is deleted.",
            ),
            Conflict::LifecycleBehind => Self::new(
                Code::LifecycleBehind,
                "Late actions must be made before this change, or the organization is on hold.",
            ),
            Conflict::MeterSlugTaken => {
                Self::new(Code::SlugTaken, "Another meter of this organization uses this slug.")
            }
            Conflict::MeterInUse => {
                Self::new(Code::MeterInUse, "Charges of a plan or an active feature use this meter.")
            }
            Conflict::FeatureKeyTaken => {
                Self::new(Code::FeatureKeyTaken, "Another feature of this organization uses this key.")
            }
            Conflict::FeatureLimit => {
                Self::new(Code::FeatureLimit, format!("The organization has {MAX_FEATURES} features."))
            }
            Conflict::AlreadyMember => {
                Self::new(Code::AlreadyMember, "The user is a member of the subscription, or its owner.")
            }
            Conflict::SeatLimit { limit, used } => {
                let detail = format!("The subscription has {limit} seats, and {used} are used.");
                Self::new(Code::SeatLimit, detail).with("limit", limit).with("used", used)
            }
            Conflict::TokenTooLarge { bytes } => {
                Self::new(Code::TokenTooLarge, format!("The token would have {bytes} bytes; 8192 are allowed."))
            }
            Conflict::QuotaExceeded(quotas) => {
                let detail = match quotas.as_slice() {
                    [one] => {
                        format!("The quota {} of {} would be exceeded.", one.feature.as_str(), one.subscription_id)
                    }
                    many => format!("{} quotas would be exceeded.", many.len()),
                };
                let mut problem = Self::new(Code::QuotaExceeded, detail).with("quotas", json!(quotas));
                if let Some(first) = quotas.first() {
                    problem = problem.with("limit", first.limit).with("used", json!(first.used));
                }
                problem
            }
            Conflict::CodeTaken => {
                Self::new(Code::CouponCodeTaken, "Another coupon of this organization uses this code.")
            }
            Conflict::InsufficientBalance => {
                Self::new(Code::InsufficientBalance, "The user's balance in this currency would be negative.")
            }
            Conflict::HasPayments => Self::new(
                Code::HasPayments,
                "The invoice is partly paid or credited, or a credit line of another document names it.",
            ),
            Conflict::PaymentApplied => Self::new(Code::PaymentApplied, "The payment counts for its invoice."),
            Conflict::InvoiceFinal => {
                Self::new(Code::InvoiceFinal, "The invoice was issued, or is not a one_off draft.")
            }
            Conflict::InvoiceNotFinal => Self::new(Code::InvoiceNotFinal, "The invoice is a draft."),
            Conflict::CreditExceedsInvoice => {
                Self::new(Code::CreditExceedsInvoice, "The credit is more than what is left of the invoice.")
            }
            Conflict::CouponUnavailable => {
                Self::new(Code::CouponUnavailable, "The coupon is inactive, past redeem_by or used up.")
            }
            Conflict::HasOpenInvoices => {
                Self::new(Code::HasOpenInvoices, "The subscription has a draft or an open invoice.")
            }
            Conflict::Contended => Self::new(
                Code::Contended,
                "Concurrent changes to the same record prevented this one after several attempts.",
            ),
        }
    }
}
