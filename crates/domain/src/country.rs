//! Countries: the alpha-2 codes of ISO 3166.

use crate::validation::{InvalidValue, ValidationCode};

/// A country of ISO 3166.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country([u8; 2]);

/// The codes that are officially assigned.
const CODES: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT \
    BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK \
    FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE \
    JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ \
    MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO \
    RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW \
    TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW";

impl Country {
    /// Parses a code in any case.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let unknown =
            || InvalidValue::new(ValidationCode::UnknownValue, "must be an ISO 3166 alpha-2 code, such as DE or US");
        let bytes: [u8; 2] = text.as_bytes().try_into().map_err(|_| unknown())?;
        let country = Self(bytes.map(|byte| byte.to_ascii_uppercase()));
        let is_known = CODES.as_bytes().chunks(3).any(|code| code[..2] == country.0);
        if is_known { Ok(country) } else { Err(unknown()) }
    }

    /// The code in upper case.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("a code is two ASCII letters")
    }
}

impl std::fmt::Debug for Country {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for Country {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_in_any_case_and_printed_in_upper_case() {
        for (text, code) in [("de", "DE"), ("Us", "US"), ("ZW", "ZW"), ("AD", "AD")] {
            assert_eq!(Country::parse(text).unwrap().as_str(), code);
        }
        for text in ["", "D", "DEU", "XX", "ÄÖ", "D ", " D", "E "] {
            assert!(Country::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn there_are_249_codes_in_order() {
        let codes: Vec<&str> = CODES.split(' ').collect();
        assert_eq!(codes.len(), 249);
        assert!(codes.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(codes.iter().all(|code| code.len() == 2));
    }
}
