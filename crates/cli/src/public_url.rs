//! The public URL of the service. Tokens name it as their issuer and are compared byte by byte, so it has one
//! spelling.

use serde::{Deserialize, Serialize};
use url::Url;

/// A URL in its canonical form, without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub(crate) struct PublicUrl(String);

impl PublicUrl {
    pub(crate) fn url(&self) -> Url {
        Url::parse(&self.0).expect("the text was parsed before")
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

impl TryFrom<String> for PublicUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let wrong = || {
            "the public URL must be http or https with a host, without user, query or fragment, \
             such as https://billing.example.com: correct --public-url or `public_url`"
                .to_owned()
        };
        let url = Url::parse(&text).map_err(|_| wrong())?;
        let bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !bare || url.fragment().is_some() {
            return Err(wrong());
        }
        let spelt = url.as_str().trim_end_matches('/');
        if spelt != text.trim_end_matches('/') {
            return Err(format!("the public URL must be written as {spelt}: correct --public-url or `public_url`"));
        }
        Ok(Self(spelt.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, String> {
        PublicUrl::try_from(text.to_owned()).map(PublicUrl::into_text)
    }

    #[test]
    fn a_public_url_has_one_spelling() {
        for text in
            ["https://b.example.com", "https://b.example.com/", "http://127.0.0.1:8080", "https://x.y/billing//"]
        {
            assert_eq!(parse(text).unwrap(), text.trim_end_matches('/'));
        }
        for text in
            ["HTTPS://B.example.com", "https://b.example.com:443", "https://b.example.com/a/../b", " https://x.y"]
        {
            let sentence = parse(text).unwrap_err();
            assert!(sentence.contains("written as https://"), "{sentence}");
        }
    }

    #[test]
    fn what_is_no_public_url_is_refused_without_being_repeated() {
        for text in
            ["", "b.example.com", "ftp://b", "https://u:hunter2@b", "https://b?hunter2", "https://b#f", "urn:x:y"]
        {
            let sentence = parse(text).unwrap_err();
            assert!(sentence.contains("--public-url") && !sentence.contains("hunter2"), "{sentence}");
        }
    }
}
