//! The fields of a body. One function names them; read with a `Reader` it parses a body and gathers every fault,
//! read with a `SchemaWriter` it yields the body's schema. So the parser and the document cannot drift apart.

mod any;
mod reader;
mod schema_writer;
mod traits;
mod types;

pub(crate) use any::AnyFields;
pub(crate) use reader::Reader;
pub(crate) use schema_writer::SchemaWriter;
pub(crate) use traits::{Field, Fields};
pub(crate) use types::{Credential, External, PlanReference, Whole};
