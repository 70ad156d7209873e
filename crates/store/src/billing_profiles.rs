//! Billing profiles in the store. A profile that was never changed has no row, and an erased user has none either.

use crate::change::Change;
use crate::column::Column;
use crate::db::Db;
use crate::error::{Error, Violation};
use crate::record::{self, Record, RowReader, RowWriter};
use crate::sql::Sql;
use crate::table::Table;
use crate::users;
use crate::value::Type;
use perennial_domain::billing_profiles::{BillingProfile, Locale, ProfileFields};
use perennial_domain::country::Country;
use perennial_domain::id::{EventId, OrganizationId, TaxRateId, UserId};
use perennial_domain::text::Line;
use perennial_domain::users::Email;

/// The billing profiles.
pub static BILLING_PROFILES: Table = Table::new(
    37,
    "billing_profiles",
    &[
        Column::key("organization_id", Type::Uuid),
        Column::key("user_id", Type::Uuid),
        Column::mutable("name", Type::Text).nullable(),
        Column::mutable("email", Type::Text).nullable(),
        Column::mutable("address", Type::Text),
        Column::mutable("country", Type::Text).nullable(),
        Column::mutable("tax_id", Type::Text).nullable(),
        Column::mutable("tax_exempt", Type::Bool),
        Column::mutable("tax_rate_ids", Type::Text),
        Column::mutable("locale", Type::Text).nullable(),
        Column::mutable("note", Type::Text).nullable(),
        Column::fixed("created_at", Type::Time),
        Column::mutable("updated_at", Type::Time),
        Column::mutable("revision", Type::Uuid),
    ],
)
.part_of("users", "user_id")
.personal();

pub(crate) static REMOVE: Sql = Sql::new("DELETE FROM billing_profiles WHERE organization_id = $1 AND user_id = $2");

impl Record for BillingProfile {
    fn table() -> &'static Table {
        &BILLING_PROFILES
    }

    fn write(&self, row: &mut RowWriter) {
        let fields = &self.fields;
        let tax_rate_ids: Vec<String> = fields.tax_rate_ids.iter().map(TaxRateId::to_string).collect();
        row.uuid("organization_id", self.organization_id.bytes());
        row.uuid("user_id", self.user_id.bytes());
        row.optional_text("name", fields.name.as_ref().map(Line::as_str));
        row.optional_text("email", fields.email.as_ref().map(Email::as_str));
        row.list("address", fields.address.iter().map(Line::as_str));
        row.optional_text("country", fields.country.as_ref().map(Country::as_str));
        row.optional_text("tax_id", fields.tax_id.as_ref().map(Line::as_str));
        row.bool("tax_exempt", fields.tax_exempt);
        row.list("tax_rate_ids", tax_rate_ids.iter().map(String::as_str));
        row.optional_text("locale", fields.locale.map(Locale::as_str));
        row.optional_text("note", fields.note.as_ref().map(Line::as_str));
        row.time("created_at", self.created_at);
        row.time("updated_at", self.updated_at);
        row.uuid("revision", self.revision.bytes());
    }

    fn read(row: &mut RowReader<'_, '_>) -> Result<Self, Error> {
        Ok(Self {
            organization_id: OrganizationId::from_bytes(row.uuid("organization_id")?),
            user_id: UserId::from_bytes(row.uuid("user_id")?),
            fields: ProfileFields {
                name: row.optional_text("name")?.map(Line::from_stored),
                email: row.optional_word("email", |word| Email::parse(word).ok())?,
                address: row.list("address")?.map(Line::from_stored).collect(),
                country: row.optional_word("country", |word| Country::parse(word).ok())?,
                tax_id: row.optional_text("tax_id")?.map(Line::from_stored),
                tax_exempt: row.bool("tax_exempt")?,
                tax_rate_ids: row.list("tax_rate_ids")?.filter_map(|id| id.parse().ok()).collect(),
                locale: row.optional_word("locale", Locale::from_stored)?,
                note: row.optional_text("note")?.map(Line::from_stored),
            },
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            revision: EventId::from_bytes(row.uuid("revision")?),
        })
    }
}

/// The stored profile of a user.
pub async fn by_user(db: &Db, organization: OrganizationId, user: UserId) -> Result<Option<BillingProfile>, Error> {
    record::by_id(db, organization, user.bytes()).await
}

/// The first change of a profile; rejected with [`Violation::Record`] if another change was first, and with
/// [`Violation::User`] if the user does not exist.
pub fn insert(change: Change, profile: &BillingProfile) -> Change {
    let change = users::guard_live(change, profile.organization_id, profile.user_id);
    record::insert(change, profile, Violation::Record)
}

/// The profile as it is now, if it is still at the revision it was read at and the user exists.
pub fn update(change: Change, profile: &BillingProfile, read_at: EventId) -> Change {
    let change = users::guard_live(change, profile.organization_id, profile.user_id);
    record::update(change, profile, read_at, Violation::Record)
}

/// Removes the profile of an erased user, if it has one.
pub fn erase(change: Change, organization: OrganizationId, user: UserId) -> Change {
    change.execute_any(&REMOVE, vec![organization.bytes().into(), user.bytes().into()])
}
