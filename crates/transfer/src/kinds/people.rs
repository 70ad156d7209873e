//! The organization, and the people in it.

use super::fields::{in_organization, needed, optional, own_id, usual};
use crate::form::{Form, accent, cancel_mode, change_mode, currency, email, id, line, mode, origin, role, words};
use crate::record::Kind;
use crate::rules;
use perennial_domain::id::{OperatorId, OrganizationId, UserId};
use perennial_store::tables::{OPERATORS, ORGANIZATIONS, USERS};
use std::sync::OnceLock;

pub(super) static ORGANIZATION: Kind = Kind {
    name: "organization",
    table: &ORGANIZATIONS,
    special: &[
        needed("id", id!(OrganizationId)),
        needed("name", Form::Text(line::<1, 255>)),
        needed("currency", Form::Text(currency)),
        optional("max_sessions", Form::Int { least: 1, most: 4_294_967_295 }),
        usual("mode", Form::Text(mode), "\"live\""),
        optional("billing", Form::Object),
        optional("portal_name", Form::Text(line::<1, 80>)),
        usual("portal_accent", Form::Text(accent), "\"#17734b\""),
        usual("portal_cancel", Form::Text(cancel_mode), "\"period_end\""),
        usual("portal_resume", Form::Bool, "true"),
        usual("portal_change", Form::Text(change_mode), "\"off\""),
        usual("portal_return_origins", Form::List(origin), "[]"),
    ],
    all: OnceLock::new(),
    references: &[],
    unique: ("name", "is another organization's here: import into a store that no server has run on, or use --into"),
    check: rules::organization,
};

pub(super) static USER: Kind = Kind {
    name: "user",
    table: &USERS,
    special: &[
        own_id(id!(UserId)),
        optional("email", Form::Text(email)),
        optional("issuer", Form::Text(words)),
        optional("subject", Form::Text(words)),
        optional("auth_type", Form::Text(line::<0, 64>)),
        optional("username", Form::Text(line::<0, 255>)),
        optional("first_name", Form::Text(line::<0, 255>)),
        optional("last_name", Form::Text(line::<0, 255>)),
        usual("session_epoch", Form::Int { least: 0, most: i64::MAX }, "0"),
    ],
    all: OnceLock::new(),
    references: &[in_organization()],
    unique: ("email", "or the identity is another user's"),
    check: rules::user,
};

pub(super) static OPERATOR: Kind = Kind {
    name: "operator",
    table: &OPERATORS,
    special: &[
        own_id(id!(OperatorId)),
        needed("name", Form::Text(line::<1, 255>)),
        needed("role", Form::Text(role)),
        optional("issuer", Form::Text(words)),
        optional("subject", Form::Text(words)),
        usual("is_active", Form::Bool, "true"),
    ],
    all: OnceLock::new(),
    references: &[in_organization()],
    unique: ("name", "or the identity is another operator's"),
    check: rules::identity,
};
