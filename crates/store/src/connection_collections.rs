//! Collections in the store: attempts to collect a payment through a provider.

use crate::column::Column;
use crate::table::Table;
use crate::value::Type;

/// The collections of every payment, numbered from 1.
pub static CONNECTION_COLLECTIONS: Table = Table::new(
    51,
    "connection_collections",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("payment_id", Type::Uuid),
        Column::key("number", Type::Int),
        Column::fixed("connection_id", Type::Uuid),
        Column::fixed("state", Type::Text),
        Column::fixed("payment_method", Type::Text).nullable(),
        Column::fixed("customer", Type::Text).nullable(),
        Column::fixed("intent_id", Type::Text).nullable(),
        Column::fixed("sends", Type::Int),
        Column::fixed("sent_at", Type::Time).nullable(),
        Column::fixed("next_attempt_at", Type::Time).nullable(),
        Column::fixed("code", Type::Text).nullable(),
        Column::fixed("decline_code", Type::Text).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::fixed("updated_at", Type::Time),
    ],
);
