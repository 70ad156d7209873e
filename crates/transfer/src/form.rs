//! How a column is written to a line and read from one. Validation is as strict as in the API.

use perennial_domain::billing_profiles::Locale;
use perennial_domain::clients::Origin;
use perennial_domain::country::Country;
use perennial_domain::coupons::{CouponCode, Duration};
use perennial_domain::credits::CreditReason;
use perennial_domain::currency::Currency;
use perennial_domain::cycle::BillingCycle;
use perennial_domain::events::EventKind;
use perennial_domain::features::{Combine, FeatureKey, FeatureKind, QuotaPeriod};
use perennial_domain::id::{
    ClientId, CouponId, CreditId, FeatureId, MeterId, OperatorId, OperatorSessionId, OrganizationId, PaymentId, PlanId,
    ProviderId, SessionId, SubscriptionId, TaxRateId, UserId, WebhookEndpointId,
};
use perennial_domain::meters::{Aggregation, MeterSlug};
use perennial_domain::money::Money;
use perennial_domain::number::{Number, scaled_text};
use perennial_domain::operators::Role;
use perennial_domain::organizations::OrganizationMode;
use perennial_domain::payments::PaymentStatus;
use perennial_domain::plans::billing::TaxBehavior;
use perennial_domain::plans::{Href, MAX_VARIANTS};
use perennial_domain::portal::{Accent, CancelMode, ChangeMode};
use perennial_domain::slug::Slug;
use perennial_domain::subscriptions::SubscriptionStatus;
use perennial_domain::text::{Line, Prose};
use perennial_domain::time::Time;
use perennial_domain::usage::UsageEventId;
use perennial_domain::users::Email;
use perennial_domain::validation::{InvalidValue, ValidationCode};
use perennial_store::transfer::{join_list, split_list};
use perennial_store::{Type, Value};
use serde::de::IgnoredAny;
use std::collections::HashSet;

/// Parses a text and returns the value to store.
type ReadText = fn(&str) -> Result<String, InvalidValue>;

/// The form of a column.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// An ID of one type.
    Id {
        prefix: &'static str,
        write: fn([u8; 16]) -> String,
        read: fn(&str) -> Option<[u8; 16]>,
    },
    /// An ID, or another unique name of the record, which stays a text until it is looked up.
    Named {
        prefix: &'static str,
        write: fn([u8; 16]) -> String,
        read: fn(&str) -> Option<[u8; 16]>,
        name: ReadText,
    },
    /// The ID of the record that an event is about.
    Record,
    Text(ReadText),
    /// Different texts.
    List(ReadText),
    /// Texts, which may be equal.
    Lines(ReadText),
    Money,
    /// A number with decimals, stored as an integer of `10^-decimals`.
    Decimal {
        decimals: u32,
        least: i64,
        most: i64,
    },
    Int {
        least: i64,
        most: i64,
    },
    Bool,
    Time,
    /// An object that is stored as it was written.
    Object,
}

impl Form {
    pub(super) fn kind(&self) -> Type {
        match self {
            Self::Id { .. } | Self::Named { .. } | Self::Record => Type::Uuid,
            Self::Text(_) | Self::List(_) | Self::Lines(_) | Self::Object => Type::Text,
            Self::Money | Self::Decimal { .. } | Self::Int { .. } => Type::Int,
            Self::Bool => Type::Bool,
            Self::Time => Type::Time,
        }
    }

    /// The least value of a number or a flag; null for others.
    pub(super) fn least(&self) -> Value {
        match self {
            Self::Int { least, .. } => Value::Int(*least),
            Self::Bool => Value::Bool(false),
            other => Value::Null(other.kind()),
        }
    }

    /// Reads a JSON value, which is not null.
    pub(super) fn read(&self, json: &str) -> Result<Value, InvalidValue> {
        match self {
            Self::Id { prefix, read, .. } => {
                let wrong = || {
                    InvalidValue::new(
                        ValidationCode::InvalidFormat,
                        format!("must be an id that begins with {prefix}_"),
                    )
                };
                read(&text(json)?).map(Value::Uuid).ok_or_else(wrong)
            }
            Self::Named { prefix, read, name, .. } => {
                let text = text(json)?;
                let named = |InvalidValue { code, detail }| {
                    InvalidValue::new(
                        code,
                        format!("must be an id that begins with {prefix}_, or a name, which {detail}"),
                    )
                };
                read(&text).map(Value::Uuid).map_or_else(|| name(&text).map(Value::Text).map_err(named), Ok)
            }
            Self::Record => {
                let wrong = || InvalidValue::new(ValidationCode::InvalidFormat, "must be the id of a record");
                record(&text(json)?).map(Value::Uuid).ok_or_else(wrong)
            }
            Self::Text(read) => read(&text(json)?).map(Value::Text),
            Self::List(read) => list(json, *read, true),
            Self::Lines(read) => list(json, *read, false),
            Self::Money => Money::parse(number(json)?).map(|money| Value::Int(money.ten_thousandths())),
            Self::Decimal { decimals, least, most } => {
                let value = number(json)?.scaled(*decimals).ok().filter(|value| (least..=most).contains(&value));
                let wrong = || {
                    let detail = format!("must be a number in its range with at most {decimals} decimals");
                    InvalidValue::new(ValidationCode::OutOfRange, detail)
                };
                value.map(Value::Int).ok_or_else(wrong)
            }
            Self::Int { least, most } => {
                let whole = number(json)?.scaled(0).ok().filter(|whole| (least..=most).contains(&whole));
                let wrong = || {
                    let detail = format!("must be a whole number between {least} and {most}");
                    InvalidValue::new(ValidationCode::OutOfRange, detail)
                };
                whole.map(Value::Int).ok_or_else(wrong)
            }
            Self::Bool => match json {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => Err(InvalidValue::new(ValidationCode::InvalidType, "must be true or false")),
            },
            Self::Time => Time::parse(&text(json)?).map(|time| Value::Time(time.as_micros())),
            Self::Object => object(json).map(|object| Value::Text(object.to_owned())),
        }
    }

    /// Writes a value. `kind` is the kind of an event.
    pub(super) fn write(&self, value: &Value, kind: &str, out: &mut String) {
        let quoted = |text: &str, out: &mut String| out.push_str(&serde_json::Value::from(text).to_string());
        match (self, value) {
            (Self::Id { write, .. } | Self::Named { write, .. }, Value::Uuid(bytes)) => quoted(&write(*bytes), out),
            (Self::Record, Value::Uuid(bytes)) => quoted(&record_text(kind, *bytes), out),
            (Self::Object, Value::Text(text)) => out.push_str(text),
            (Self::List(_) | Self::Lines(_), Value::Text(text)) => {
                let items: Vec<serde_json::Value> = split_list(text).map(serde_json::Value::from).collect();
                out.push_str(&serde_json::Value::from(items).to_string());
            }
            (Self::Text(_), Value::Text(text)) => quoted(text, out),
            (Self::Money, Value::Int(amount)) => {
                out.push_str(
                    &Money::from_ten_thousandths(*amount).map_or("null".to_owned(), |money| money.to_string()),
                );
            }
            (Self::Decimal { decimals, .. }, Value::Int(number)) => out.push_str(&scaled_text(*number, *decimals)),
            (Self::Int { .. }, Value::Int(number)) => out.push_str(&number.to_string()),
            (Self::Bool, Value::Bool(flag)) => out.push_str(if *flag { "true" } else { "false" }),
            (Self::Time, Value::Time(micros)) => match Time::from_micros(*micros) {
                Some(time) => quoted(&time.to_string(), out),
                None => out.push_str("null"),
            },
            _ => out.push_str("null"),
        }
    }
}

/// The form of an ID.
macro_rules! id {
    ($id:ty) => {
        Form::Id {
            prefix: <$id>::PREFIX,
            write: |bytes| <$id>::from_bytes(bytes).to_string(),
            read: |text| text.parse::<$id>().ok().map(<$id>::bytes),
        }
    };
}
pub(super) use id;

/// The form of an ID that may be replaced by a name.
macro_rules! named {
    ($id:ty, $name:expr) => {
        Form::Named {
            prefix: <$id>::PREFIX,
            write: |bytes| <$id>::from_bytes(bytes).to_string(),
            read: |text| text.parse::<$id>().ok().map(<$id>::bytes),
            name: $name,
        }
    };
}
pub(super) use named;

/// The ID types of the records that events are about, by the first word of the event kind.
static RECORDS: [(&str, Form); 19] = [
    ("organization", id!(OrganizationId)),
    ("client", id!(ClientId)),
    ("provider", id!(ProviderId)),
    ("user", id!(UserId)),
    ("session", id!(SessionId)),
    ("plan", id!(PlanId)),
    ("subscription", id!(SubscriptionId)),
    ("payment", id!(PaymentId)),
    ("operator", id!(OperatorId)),
    ("operator_session", id!(OperatorSessionId)),
    ("webhook_endpoint", id!(WebhookEndpointId)),
    ("tax_rate", id!(TaxRateId)),
    ("coupon", id!(CouponId)),
    ("meter", id!(MeterId)),
    ("credit", id!(CreditId)),
    // Named by its user.
    ("billing_profile", id!(UserId)),
    ("feature", id!(FeatureId)),
    // Named by its subscription.
    ("usage", id!(SubscriptionId)),
    ("member", id!(SubscriptionId)),
];

fn record(text: &str) -> Option<[u8; 16]> {
    RECORDS.iter().find_map(|(_, form)| match form {
        Form::Id { read, .. } => read(text),
        _ => None,
    })
}

fn record_text(kind: &str, bytes: [u8; 16]) -> String {
    let word = kind.split('.').next().unwrap_or_default();
    let form = RECORDS.iter().find(|(known, _)| *known == word).map(|(_, form)| form);
    match form {
        Some(Form::Id { write, .. }) => write(bytes),
        _ => OrganizationId::from_bytes(bytes).to_string(),
    }
}

/// The ID prefix of the records that this kind of event is about.
pub(super) fn prefix_of(kind: &str) -> Option<&'static str> {
    let word = kind.split('.').next().unwrap_or_default();
    RECORDS.iter().find(|(known, _)| *known == word).and_then(|(_, form)| match form {
        Form::Id { prefix, .. } => Some(*prefix),
        _ => None,
    })
}

fn text(json: &str) -> Result<String, InvalidValue> {
    if !json.starts_with('"') {
        return Err(InvalidValue::new(ValidationCode::InvalidType, "must be a text"));
    }
    let half = |_| InvalidValue::new(ValidationCode::InvalidText, "must not contain half a character");
    serde_json::from_str(json).map_err(half)
}

fn number(json: &str) -> Result<Number, InvalidValue> {
    Number::parse(json).ok_or_else(|| InvalidValue::new(ValidationCode::InvalidType, "must be a number"))
}

fn list(json: &str, read: ReadText, is_set: bool) -> Result<Value, InvalidValue> {
    let wrong = |_| InvalidValue::new(ValidationCode::InvalidType, "must be a list of texts");
    let items: Vec<String> = serde_json::from_str(json).map_err(wrong)?;
    if items.len() > MAX_VARIANTS {
        return Err(InvalidValue::new(ValidationCode::TooLong, format!("must have at most {MAX_VARIANTS} items")));
    }
    let items = items.iter().map(|item| read(item)).collect::<Result<Vec<String>, InvalidValue>>()?;
    let mut seen = HashSet::new();
    if let Some(twice) = items.iter().find(|item| is_set && !seen.insert(*item)) {
        return Err(InvalidValue::new(ValidationCode::DuplicateItem, format!("must not have {twice:?} twice")));
    }
    Ok(Value::Text(join_list(items.iter().map(String::as_str))))
}

/// An object as it was written. A cell of a CSV file may hold invalid JSON, or line ends that a line cannot have.
fn object(json: &str) -> Result<&str, InvalidValue> {
    let is_object = json.starts_with('{') && serde_json::from_str::<IgnoredAny>(json).is_ok();
    if is_object && !json.contains(['\r', '\n']) {
        return Ok(json);
    }
    Err(InvalidValue::new(ValidationCode::InvalidType, "must be an object, on one line"))
}

pub(super) fn line<const MIN: usize, const MAX: usize>(text: &str) -> Result<String, InvalidValue> {
    Line::<MIN, MAX>::parse(text).map(|line| line.as_str().to_owned())
}

pub(super) fn prose<const MAX: usize>(text: &str) -> Result<String, InvalidValue> {
    Prose::<MAX>::parse(text).map(|prose| prose.as_str().to_owned())
}

/// A text of another system, stored without normalization.
pub(super) fn words(text: &str) -> Result<String, InvalidValue> {
    if text.contains('\0') {
        return Err(InvalidValue::new(ValidationCode::InvalidText, "must not contain the character U+0000"));
    }
    Ok(text.to_owned())
}

pub(super) fn slug(text: &str) -> Result<String, InvalidValue> {
    Slug::parse(text).map(|slug| slug.as_str().to_owned())
}

pub(super) fn href(text: &str) -> Result<String, InvalidValue> {
    Href::parse(text).map(|href| href.as_str().to_owned())
}

pub(super) fn email(text: &str) -> Result<String, InvalidValue> {
    Email::parse(text).map(|email| email.as_str().to_owned())
}

pub(super) fn currency(text: &str) -> Result<String, InvalidValue> {
    Currency::parse(text).map(|currency| currency.as_str().to_owned())
}

pub(super) fn cycle(text: &str) -> Result<String, InvalidValue> {
    BillingCycle::parse(text).map(|cycle| cycle.as_str().to_owned())
}

pub(super) fn subscription_status(text: &str) -> Result<String, InvalidValue> {
    SubscriptionStatus::parse(text).map(|status| status.as_str().to_owned())
}

pub(super) fn feature_key(text: &str) -> Result<String, InvalidValue> {
    FeatureKey::parse(text).map(|key| key.as_str().to_owned())
}

pub(super) fn feature_kind(text: &str) -> Result<String, InvalidValue> {
    FeatureKind::parse(text).map(|kind| kind.as_str().to_owned())
}

pub(super) fn combine(text: &str) -> Result<String, InvalidValue> {
    Combine::parse(text).map(|combine| combine.as_str().to_owned())
}

pub(super) fn quota_period(text: &str) -> Result<String, InvalidValue> {
    QuotaPeriod::parse(text).map(|period| period.as_str().to_owned())
}

pub(super) fn tax_behavior(text: &str) -> Result<String, InvalidValue> {
    TaxBehavior::parse(text).map(|behavior| behavior.as_str().to_owned())
}

pub(super) fn payment_status(text: &str) -> Result<String, InvalidValue> {
    PaymentStatus::parse(text).map(|status| status.as_str().to_owned())
}

pub(super) fn mode(text: &str) -> Result<String, InvalidValue> {
    OrganizationMode::parse(text).map(|mode| mode.as_str().to_owned())
}

pub(super) fn role(text: &str) -> Result<String, InvalidValue> {
    Role::parse(text).map(|role| role.as_str().to_owned())
}

pub(super) fn country(text: &str) -> Result<String, InvalidValue> {
    Country::parse(text).map(|country| country.as_str().to_owned())
}

pub(super) fn meter_slug(text: &str) -> Result<String, InvalidValue> {
    MeterSlug::parse(text).map(|slug| slug.as_str().to_owned())
}

pub(super) fn aggregation(text: &str) -> Result<String, InvalidValue> {
    Aggregation::parse(text).map(|aggregation| aggregation.as_str().to_owned())
}

pub(super) fn coupon_code(text: &str) -> Result<String, InvalidValue> {
    CouponCode::parse(text).map(|code| code.as_str().to_owned())
}

pub(super) fn coupon_duration(text: &str) -> Result<String, InvalidValue> {
    Duration::parse(text).map(|duration| duration.as_str().to_owned())
}

pub(super) fn locale(text: &str) -> Result<String, InvalidValue> {
    Locale::parse(text).map(|locale| locale.as_str().to_owned())
}

pub(super) fn credit_reason(text: &str) -> Result<String, InvalidValue> {
    CreditReason::parse(text).map(|reason| reason.as_str().to_owned())
}

pub(super) fn usage_event_id(text: &str) -> Result<String, InvalidValue> {
    UsageEventId::parse(text).map(|id| id.as_str().to_owned())
}

/// The text of an ID in a list.
pub(super) fn listed_id<T: std::str::FromStr + ToString>(text: &str) -> Result<String, InvalidValue> {
    let wrong = |_| InvalidValue::new(ValidationCode::InvalidFormat, "must be a list of ids");
    text.parse().map(|id: T| id.to_string()).map_err(wrong)
}

pub(super) fn accent(text: &str) -> Result<String, InvalidValue> {
    Accent::parse(text).map(|accent| accent.as_str().to_owned())
}

pub(super) fn cancel_mode(text: &str) -> Result<String, InvalidValue> {
    CancelMode::parse(text).map(|mode| mode.as_str().to_owned())
}

pub(super) fn change_mode(text: &str) -> Result<String, InvalidValue> {
    ChangeMode::parse(text).map(|mode| mode.as_str().to_owned())
}

pub(super) fn origin(text: &str) -> Result<String, InvalidValue> {
    Origin::parse(text).map(|origin| origin.as_str().to_owned())
}

pub(super) fn event_kind(text: &str) -> Result<String, InvalidValue> {
    let unknown = || InvalidValue::new(ValidationCode::UnknownValue, "must be a kind of event, such as plan.created");
    EventKind::from_stored(text).map(|kind| kind.as_str().to_owned()).ok_or_else(unknown)
}
