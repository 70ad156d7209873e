//! Currencies: the ISO 4217 codes that have minor units, and how many decimals each has.

use crate::validation::{InvalidValue, ValidationCode};

/// A currency of ISO 4217.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

const NO_DECIMALS: &str = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF";
const THREE_DECIMALS: &str = "BHD IQD JOD KWD LYD OMR TND";
const FOUR_DECIMALS: &str = "CLF UYW";
/// Those with two, and ANG and BGN, which left the list in 2025 and 2026 but are still in existing records.
const TWO_DECIMALS: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP \
    BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD \
    GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT \
    MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR \
    SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST \
    XCD XCG YER ZAR ZMW ZWG";

impl Currency {
    /// The United States dollar, the default currency of a new organization.
    pub const USD: Self = Self(*b"USD");

    /// Parses a code in any case.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let unknown =
            || InvalidValue::new(ValidationCode::UnknownValue, "must be an ISO 4217 currency code, such as USD or EUR");
        let bytes: [u8; 3] = text.as_bytes().try_into().map_err(|_| unknown())?;
        let currency = Self(bytes.map(|byte| byte.to_ascii_uppercase()));
        let known = [TWO_DECIMALS, NO_DECIMALS, THREE_DECIMALS, FOUR_DECIMALS].iter().any(|list| currency.is_in(list));
        if known { Ok(currency) } else { Err(unknown()) }
    }

    /// The code in upper case.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("a code is three ASCII letters")
    }

    /// How many decimals an amount may have.
    pub fn decimals(self) -> u32 {
        if self.is_in(NO_DECIMALS) {
            0
        } else if self.is_in(THREE_DECIMALS) {
            3
        } else if self.is_in(FOUR_DECIMALS) {
            4
        } else {
            2
        }
    }

    fn is_in(self, list: &str) -> bool {
        list.as_bytes().chunks(4).any(|code| code[..3] == self.0)
    }
}

impl std::fmt::Display for Currency {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::fmt::Debug for Currency {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for Currency {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::json::serialize_plain(self.as_str(), serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Currency {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).map_err(|invalid| serde::de::Error::custom(invalid.detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_in_any_case_and_told_in_upper() {
        assert_eq!(Currency::parse("usd").unwrap().to_string(), "USD");
        assert_eq!(Currency::parse("Eur").unwrap().as_str(), "EUR");
        assert_eq!(format!("{:?}", Currency::USD), "USD");
        assert_eq!(Currency::parse("ZWG").unwrap().as_str(), "ZWG");
    }

    #[test]
    fn metals_tests_and_made_up_codes_are_refused() {
        for text in ["XAU", "XTS", "XXX", "ABC", "US", "USDD", "", "U D", "€", "SD "] {
            assert_eq!(Currency::parse(text).unwrap_err().code, ValidationCode::UnknownValue, "{text}");
        }
    }

    #[test]
    fn decimals_are_those_of_the_standard() {
        for (code, decimals) in
            [("USD", 2), ("JPY", 0), ("XPF", 0), ("BHD", 3), ("TND", 3), ("CLF", 4), ("UYW", 4), ("AED", 2)]
        {
            assert_eq!(Currency::parse(code).unwrap().decimals(), decimals, "{code}");
        }
    }

    #[test]
    fn each_code_stands_once_in_the_lists() {
        let all = [NO_DECIMALS, TWO_DECIMALS, THREE_DECIMALS, FOUR_DECIMALS].join(" ");
        let mut codes: Vec<_> = all.split(' ').collect();
        assert!(codes.iter().all(|code| code.len() == 3));
        codes.sort_unstable();
        assert!(codes.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
