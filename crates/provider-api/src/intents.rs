//! Payment intents of Stripe: the requests of a collection, and their answers.

use crate::amounts::stripe_decimals;
use crate::requests::encoded;
use perennial_domain::connections::collection::earlier::Wanted;
use perennial_domain::connections::collection::{Answer, Intent, Step};
use perennial_domain::currency::Currency;
use perennial_domain::id::{InvoiceId, PaymentId, SubscriptionId};
use perennial_domain::money::Money;
use perennial_domain::time::Time;
use serde_json::Value;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The path with its query.
    pub path: String,
    /// The form. None: a GET.
    pub form: Option<String>,
    /// The idempotency key.
    pub key: Option<String>,
}

/// What is collected.
#[derive(Clone, Copy, Debug)]
pub struct Charge {
    /// The payment.
    pub payment: PaymentId,
    /// The number of the attempt.
    pub number: i64,
    /// The amount.
    pub amount: Money,
    /// Its currency.
    pub currency: Currency,
    /// The subscription.
    pub subscription: Option<SubscriptionId>,
    /// The invoice.
    pub invoice: Option<InvoiceId>,
    /// The start of the period that the invoice bills, if it is one of a cycle.
    pub period_start: Option<Time>,
}

impl Charge {
    /// What the charge would collect, as the metadata of an intent describes it.
    pub fn wanted(&self) -> Wanted {
        Wanted {
            payment: self.payment.to_string(),
            invoice: self.invoice.map(|id| id.to_string()),
            subscription: self.subscription.map(|id| id.to_string()).unwrap_or_default(),
            period_start: self.period_start.map(|start| start.to_string()),
            amount: units(self.amount, self.currency),
            currency: self.currency.as_str().to_ascii_lowercase(),
        }
    }

    /// What identifies the charge after a restore too.
    fn metadata(&self) -> impl Iterator<Item = (&'static str, String)> {
        let Wanted { invoice, subscription, period_start, .. } = self.wanted();
        let subscription = Some(subscription).filter(|id| !id.is_empty());
        [
            ("metadata[perennial_subscription_id]", subscription),
            ("metadata[perennial_invoice_id]", invoice),
            ("metadata[perennial_period_start]", period_start),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }
}

/// The request of a step. None if the amount cannot be written in the provider's smallest unit, or if there is no request.
pub fn request(step: &Step, charge: Charge, after: Option<&str>) -> Option<Request> {
    let get = |path: String| Some(Request { path, form: None, key: None });
    match step {
        Step::Customer(id) => get(format!("/v1/customers/{}", encoded(id))),
        Step::Method(id) => get(format!("/v1/payment_methods/{}", encoded(id))),
        Step::Intent(id) => get(format!("/v1/payment_intents/{}", encoded(id))),
        Step::Search { customer, since } => {
            let after = after.map(|id| format!("&starting_after={}", encoded(id))).unwrap_or_default();
            let since = since.as_micros() / 1_000_000;
            let customer = encoded(customer);
            get(format!("/v1/payment_intents?customer={customer}&created[gte]={since}&limit=100{after}"))
        }
        Step::Cancel(id) => {
            let path = format!("/v1/payment_intents/{}/cancel", encoded(id));
            Some(Request { path, form: Some(String::new()), key: None })
        }
        Step::Create { key, customer, method } => {
            let fields = [
                ("amount", units(charge.amount, charge.currency)?.to_string()),
                ("currency", charge.currency.as_str().to_ascii_lowercase()),
                ("customer", customer.clone()),
                ("payment_method", method.clone()),
                ("off_session", "true".to_owned()),
                ("confirm", "true".to_owned()),
                ("metadata[perennial_payment_id]", charge.payment.to_string()),
                ("metadata[perennial_attempt]", charge.number.to_string()),
            ];
            let fields = fields.into_iter().chain(charge.metadata());
            let form: Vec<String> = fields.map(|(name, value)| format!("{name}={}", encoded(&value))).collect();
            let path = "/v1/payment_intents".to_owned();
            Some(Request { path, form: Some(form.join("&")), key: Some(key.clone()) })
        }
        Step::Stuck => None,
    }
}

/// An amount in Stripe's smallest unit of the currency. None if it is finer.
pub fn units(amount: Money, currency: Currency) -> Option<i64> {
    let part = 10_i64.pow(4_u32.saturating_sub(stripe_decimals(currency)));
    let parts = amount.ten_thousandths();
    (parts % part == 0).then_some(parts / part)
}

/// The answer of a response to a step.
pub fn answer(step: &Step, status: u16, body: &str, retry_after: Option<i64>) -> Answer {
    let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    match status {
        200..=299 => match step {
            Step::Customer(_) => Answer::Default(reference(&value["invoice_settings"]["default_payment_method"])),
            Step::Method(_) => Answer::Owner(reference(&value["customer"])),
            // What is no list does not show that there is no intent.
            Step::Search { .. } => value["data"]
                .as_array()
                .map_or(Answer::Unknown, |intents| Answer::Intents(intents.iter().map(intent).collect())),
            _ if value["id"].is_string() => Answer::Intent(intent(&value)),
            _ => Answer::Unknown,
        },
        429 => Answer::NotSent { retry_after },
        500 => Answer::Failed,
        409 | 501.. => Answer::Unknown,
        404 => Answer::NotFound,
        _ => rejected(step, &value),
    }
}

/// A declined intent exists, and is in the error.
fn rejected(step: &Step, value: &Value) -> Answer {
    let error = &value["error"];
    let code = text(&error["code"]).or_else(|| text(&error["type"]));
    let decline_code = text(&error["decline_code"]);
    if error["type"] == "idempotency_error" {
        return Answer::OtherParameters;
    }
    let declined = &error["payment_intent"];
    if matches!(step, Step::Create { .. }) && declined["id"].is_string() {
        return Answer::Intent(Intent { code, decline_code, ..intent(declined) });
    }
    Answer::Rejected { code, decline_code }
}

/// The intent of an object.
pub fn intent(value: &Value) -> Intent {
    let error = &value["last_payment_error"];
    Intent {
        id: text(&value["id"]).unwrap_or_default(),
        status: text(&value["status"]).unwrap_or_default(),
        code: text(&error["code"]),
        decline_code: text(&error["decline_code"]),
        payment: text(&value["metadata"]["perennial_payment_id"]),
        attempt: text(&value["metadata"]["perennial_attempt"]),
        invoice: text(&value["metadata"]["perennial_invoice_id"]),
        subscription: text(&value["metadata"]["perennial_subscription_id"]),
        period_start: text(&value["metadata"]["perennial_period_start"]),
        amount: value["amount"].as_i64(),
        currency: text(&value["currency"]),
    }
}

/// The payment and the intent that an event is about, if the intent is one of a collection.
pub fn of_event(body: &[u8]) -> Option<(PaymentId, String)> {
    let event: Value = serde_json::from_slice(body).ok()?;
    let object = &event["data"]["object"];
    let intent = (object["object"] == "payment_intent").then(|| intent(object))?;
    Some((intent.payment?.parse().ok()?, intent.id))
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(|text| text.chars().take(255).collect())
}

/// An ID, or that of an expanded object.
fn reference(value: &Value) -> Option<String> {
    text(value).or_else(|| text(&value["id"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perennial_domain::time::Time;
    use serde_json::json;

    fn charge(amount: &str, currency: &str) -> Charge {
        let currency = Currency::parse(currency).unwrap();
        let amount = crate::amounts::amount(amount, 4, currency).unwrap();
        let (payment, subscription) = (PaymentId::new(Time::MIN, 7), Some(SubscriptionId::new(Time::MIN, 8)));
        Charge { payment, number: 2, amount, currency, subscription, invoice: None, period_start: None }
    }

    #[test]
    fn an_intent_is_created_with_its_payment_and_its_key() {
        let charge = charge("199900", "EUR");
        let step = Step::Create { key: "pay_1:2".into(), customer: "cus_1".into(), method: "pm_1".into() };
        let request = request(&step, charge, None).unwrap();
        assert_eq!((request.path.as_str(), request.key.as_deref()), ("/v1/payment_intents", Some("pay_1:2")));
        let form = request.form.unwrap();
        for field in [
            "amount=1999&",
            "currency=eur",
            "customer=cus_1",
            "payment_method=pm_1",
            "off_session=true",
            "confirm=true",
        ] {
            assert!(form.contains(field), "{form}");
        }
        let payment = format!("metadata[perennial_payment_id]={}&metadata[perennial_attempt]=2", charge.payment);
        let subscription = charge.subscription.unwrap();
        assert!(form.ends_with(&format!("{payment}&metadata[perennial_subscription_id]={subscription}")), "{form}");
    }

    #[test]
    fn an_intent_is_recognized_by_what_it_collected() {
        let invoice = Some(InvoiceId::new(Time::MIN, 9));
        let charge = Charge { invoice, period_start: Some(Time::MIN), ..charge("199900", "EUR") };
        let step = Step::Create { key: String::new(), customer: "cus_1".into(), method: "pm_1".into() };
        let form = request(&step, charge, None).unwrap().form.unwrap();
        let pairs: Vec<(String, String)> = url_decoded(&form);
        let field = |name: &str| pairs.iter().find(|(found, _)| found == name).unwrap().1.clone();
        let metadata = |name: &str| field(&format!("metadata[{name}]"));
        let object = json!({
            "id": "pi_1", "status": "succeeded", "amount": field("amount").parse::<i64>().unwrap(), "currency": field("currency"),
            "metadata": {
                "perennial_subscription_id": metadata("perennial_subscription_id"),
                "perennial_invoice_id": metadata("perennial_invoice_id"),
                "perennial_period_start": metadata("perennial_period_start"),
            },
        });
        // After a restore the payment and the invoice have other IDs.
        let again = Charge { payment: PaymentId::new(Time::MIN, 99), invoice: None, ..charge };
        assert_eq!(again.wanted().candidates(vec![intent(&object)]).len(), 1);
        let later = Charge { period_start: Some(Time::MIN.plus_seconds(1)), ..again };
        assert!(later.wanted().candidates(vec![intent(&object)]).is_empty());
    }

    /// The fields of a form whose values have no other escapes than those of `:`.
    fn url_decoded(form: &str) -> Vec<(String, String)> {
        let pair =
            |field: &str| field.split_once('=').map(|(name, value)| (name.to_owned(), value.replace("%3A", ":")));
        form.split('&').filter_map(pair).collect()
    }

    #[test]
    fn amounts_are_in_the_smallest_unit_of_stripe() {
        for (amount, currency, expected) in [
            ("199900", "USD", Some(1999)),
            ("5000000", "JPY", Some(500)),
            ("50000", "ISK", Some(500)),
            ("12340", "KWD", Some(1234)),
        ] {
            let charge = charge(amount, currency);
            assert_eq!(units(charge.amount, charge.currency), expected, "{currency}");
        }
    }

    #[test]
    fn responses_are_answers() {
        let create = Step::Create { key: String::new(), customer: String::new(), method: String::new() };
        let declined = json!({ "error": { "type": "card_error", "code": "card_declined", "decline_code": "lost_card", "payment_intent": { "id": "pi_1", "status": "requires_payment_method" } } });
        let Answer::Intent(found) = answer(&create, 402, &declined.to_string(), None) else { panic!("it exists") };
        assert_eq!(
            (found.id.as_str(), found.code.as_deref(), found.decline_code.as_deref()),
            ("pi_1", Some("card_declined"), Some("lost_card"))
        );
        let other = json!({ "error": { "type": "idempotency_error" } }).to_string();
        assert_eq!(answer(&create, 400, &other, None), Answer::OtherParameters);
        assert_eq!(answer(&create, 429, "", Some(3)), Answer::NotSent { retry_after: Some(3) });
        assert_eq!(answer(&create, 500, "", None), Answer::Failed);
        for status in [409, 502, 503] {
            assert_eq!(answer(&create, status, "", None), Answer::Unknown);
        }
        assert_eq!(answer(&create, 200, "no JSON", None), Answer::Unknown);
        let search = Step::Search { customer: "cus_1".into(), since: Time::MIN };
        for body in ["<html>", "{}", r#"{"data": null}"#] {
            assert_eq!(answer(&search, 200, body, None), Answer::Unknown);
        }
        assert_eq!(answer(&search, 200, r#"{"data": []}"#, None), Answer::Intents(Vec::new()));
        let customer = json!({ "id": "cus_1", "invoice_settings": { "default_payment_method": { "id": "pm_1" } } });
        assert_eq!(
            answer(&Step::Customer("cus_1".into()), 200, &customer.to_string(), None),
            Answer::Default(Some("pm_1".into()))
        );
        assert_eq!(answer(&Step::Customer("cus_1".into()), 200, "{}", None), Answer::Default(None));
    }
}
