//! Webhooks: signed as each provider signs them, and sent in any order, or not at all.

use crate::Kind;
use aws_lc_rs::hmac;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

/// A signed webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// The name of the header.
    pub header: &'static str,
    /// The signature.
    pub signature: String,
    /// The body.
    pub body: String,
}

impl Webhook {
    /// Signs a body at an instant, in seconds since 1970.
    pub fn sign(kind: Kind, secret: &str, now: i64, body: &str) -> Self {
        let mac = |text: String| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
            HEXLOWER.encode(hmac::sign(&key, text.as_bytes()).as_ref())
        };
        let (header, signature) = match kind {
            Kind::Stripe => ("stripe-signature", format!("t={now},v1={}", mac(format!("{now}.{body}")))),
            Kind::LemonSqueezy => ("x-signature", mac(body.to_owned())),
            Kind::Paddle => ("paddle-signature", format!("ts={now};h1={}", mac(format!("{now}:{body}")))),
        };
        Self { header, signature, body: body.to_owned() }
    }

    /// Sends it and returns the status.
    pub async fn send(&self, address: &str, path: &str) -> u16 {
        let stream = TcpStream::connect(address).await.unwrap();
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let request = http::Request::post(path)
            .header("host", address)
            .header(self.header, &self.signature)
            .body(Full::new(Bytes::from(self.body.clone())))
            .unwrap();
        let response = sender.send_request(request).await.unwrap();
        let status = response.status().as_u16();
        response.into_body().collect().await.unwrap();
        status
    }
}

/// The body of an event about an object, as the provider writes it.
pub(crate) fn event(kind: Kind, number: usize, name: &str, object: &Value, (now, is_live): (i64, bool)) -> Value {
    match kind {
        Kind::Stripe => json!({
            "id": format!("evt_{number}"), "object": "event", "type": name, "created": now, "livemode": is_live,
            "data": { "object": object },
        }),
        Kind::LemonSqueezy => json!({ "meta": { "event_name": name, "test_mode": !is_live }, "data": object }),
        Kind::Paddle => json!({
            "event_id": format!("evt_{number}"), "event_type": name, "occurred_at": instant(now),
            "notification_id": format!("ntf_{number}"), "data": object,
        }),
    }
}

/// An instant in seconds since 1970, as Paddle writes it.
fn instant(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    // Years that begin in March end with the leap day.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = era * 400 + year + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.000000Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_of_paddle_has_its_time() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_399, "2000-02-28T23:59:59.000000Z"),
            (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (1_773_144_061, "2026-03-10T12:01:01.000000Z"),
            (1_798_761_599, "2026-12-31T23:59:59.000000Z"),
        ] {
            assert_eq!(instant(seconds), expected);
        }
    }

    /// The vectors that the providers' own libraries publish.
    #[test]
    fn signatures_are_those_of_the_providers() {
        for (kind, secret, now, body, expected) in [
            (
                Kind::Stripe,
                "whsec_test_secret",
                1_614_265_330,
                r#"{"test": 2432232314}"#,
                "t=1614265330,v1=10c96c6fd3f320fcfc264cdc4f476c15060ede8e8a08404cea2ddf3b72544a9c",
            ),
            (
                Kind::LemonSqueezy,
                "test-secret",
                0,
                r#"{"data": ["1", "2"]}"#,
                "e9dc34bc95db8b9940209d2ca01193ef0a834fc5e11856456df8a0b91b6eb47d",
            ),
            (
                Kind::Paddle,
                "VALID_SECRET",
                1_698_796_800,
                r#"{"data": ["1", "2"]}"#,
                "ts=1698796800;h1=a300428748dce5c70e4da19bffd60769591ea969c99dea3105d0ec9612cf43f9",
            ),
        ] {
            assert_eq!(Webhook::sign(kind, secret, now, body).signature, expected);
        }
    }
}
