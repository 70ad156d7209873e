//! The values that examples are made of. A record's example is its create's example, read and decided by the code
//! that handles a create, with fixed ids and a fixed time: a new field needs no edit of it.

use crate::call::Body;
use crate::fields::Reader;
use crate::options::BodyLimits;
use perennial_domain::currency::Currency;
use perennial_domain::id::{EventId, OrganizationId, SubscriptionId};
use perennial_domain::organizations::{Organization, OrganizationMode, OrganizationName};
use perennial_domain::portal::PortalSettings;
use perennial_domain::time::Time;
use perennial_domain::validation::ValidationErrors;
use serde::Serialize;
use serde_json::Value;

/// The bytes of every id in an example: `…_01h455vb4pex5vsknk084sn02q`.
pub(crate) const ID: [u8; 16] = 0x0189_0a5d_ac96_774b_bcce_b302_099a_8057_u128.to_be_bytes();
pub(crate) const REVISION: EventId = EventId::from_bytes(ID);

/// The time at which every example was created.
pub(crate) fn now() -> Time {
    Time::parse("2026-01-31T09:30:00Z").expect("the time is valid")
}

/// The ID of a subscription.
pub(crate) fn subscription_id() -> SubscriptionId {
    SubscriptionId::from_bytes(ID)
}

pub(crate) fn organization() -> Organization {
    Organization {
        id: OrganizationId::from_bytes(ID),
        name: OrganizationName::from_stored("default".to_owned()),
        currency: Currency::USD,
        max_sessions: None,
        mode: OrganizationMode::Live,
        billing: None,
        portal: PortalSettings::default(),
        created_at: now(),
        updated_at: now(),
        deleted_at: None,
        revision: REVISION,
    }
}

/// Reads the example of a body like a body that was sent.
pub(crate) fn read<T>(example: &Value, fields: impl FnOnce(&mut Reader<'_>) -> T) -> (T, ValidationErrors) {
    let body = Body::parse(example.to_string().into(), BodyLimits::default().depth).expect("the example is JSON");
    body.read(fields)
}

/// A record or view as it is returned.
pub(crate) fn json<T: Serialize>(record: T) -> Value {
    serde_json::to_value(record).expect("a record is plain data")
}
