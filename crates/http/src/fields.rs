//! The fields of a body. One function lists them. With a `Reader` it parses a body and collects all validation errors;
//! with a `SchemaWriter` it writes the body's schema. So the parser and the OpenAPI document cannot differ.

mod any;
mod billing_record_types;
mod billing_types;
mod client_types;
mod credit_note_types;
mod entitlement_types;
mod invoice_types;
mod portal_types;
mod reader;
mod schema_writer;
mod sent;
mod traits;
mod types;
mod webhook_types;

pub(crate) use any::AnyFields;
pub(crate) use billing_record_types::{Address, MeterReference, UnchangedMeter, UsageEvents};
pub(crate) use invoice_types::{Charges, CouponReference, Items, NewItems, PlanRates, charge_definition};
pub(crate) use portal_types::portal;
pub(crate) use reader::Reader;
pub(crate) use schema_writer::SchemaWriter;
pub(crate) use sent::{Sent, SentLines};
pub(crate) use traits::{Field, Fields};
pub(crate) use types::{Credential, External, PlanReference};
pub(crate) use webhook_types::SeekField;
