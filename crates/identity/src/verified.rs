//! The cache of access tokens with a verified signature, by the hash of their text. Only verified tokens are added, and
//! its memory is bounded.

use crate::grant::Access;
use aws_lc_rs::digest::{SHA256, digest};
use perennial_domain::time::Time;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The maximum number of entries of one half.
const HALF: usize = 8192;

type Hash = [u8; 32];

/// Two halves: when the young one is full it becomes the old one, and the old one is dropped. No search for an entry
/// to evict is needed, and an entry in use moves to the young half.
#[derive(Default)]
pub(crate) struct VerifiedTokens(Mutex<Halves>);

#[derive(Default)]
struct Halves {
    young: HashMap<Hash, Entry>,
    old: HashMap<Hash, Entry>,
}

#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) access: Access,
    pub(crate) kid: String,
}

impl VerifiedTokens {
    pub(crate) fn get(&self, token: &str, now: Time) -> Option<Entry> {
        let hash = hash(token);
        let mut halves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = match halves.young.get(&hash) {
            Some(entry) => entry.clone(),
            None => {
                let entry = halves.old.remove(&hash)?;
                halves.put(hash, entry.clone());
                entry
            }
        };
        (now < entry.access.expires_at).then_some(entry)
    }

    pub(crate) fn put(&self, token: &str, entry: Entry) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(hash(token), entry);
    }
}

impl Halves {
    fn put(&mut self, hash: Hash, entry: Entry) {
        if self.young.len() >= HALF {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, entry);
    }
}

fn hash(token: &str) -> Hash {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grant::Grant;
    use perennial_domain::id::{ClientId, OrganizationId, SessionId, UserId};

    fn at(seconds: i64) -> Time {
        Time::from_micros(seconds * 1_000_000).unwrap()
    }

    fn entry(expires_at: i64) -> Entry {
        let grant = Grant {
            organization: OrganizationId::from_bytes([1; 16]),
            user: UserId::from_bytes([2; 16]),
            client: ClientId::from_bytes([3; 16]),
            session: SessionId::from_bytes([4; 16]),
            auth_time: at(0),
        };
        let access = Access { grant, issued_at: at(0), expires_at: at(expires_at), jti: String::new() };
        Entry { access, kid: "k".to_owned() }
    }

    fn size(tokens: &VerifiedTokens) -> usize {
        let halves = tokens.0.lock().unwrap();
        halves.young.len() + halves.old.len()
    }

    #[test]
    fn an_entry_dies_when_its_token_expires() {
        let tokens = VerifiedTokens::default();
        tokens.put("a", entry(10));
        assert!(tokens.get("a", at(9)).is_some());
        assert!(tokens.get("a", at(10)).is_none());
        assert!(tokens.get("b", at(0)).is_none());
    }

    #[test]
    fn a_flood_stays_bounded_and_leaves_what_is_in_use() {
        let tokens = VerifiedTokens::default();
        tokens.put("in use", entry(10));
        for number in 0..100_000 {
            tokens.put(&number.to_string(), entry(10));
            if number % 1000 == 0 {
                assert!(tokens.get("in use", at(1)).is_some(), "{number}");
            }
        }
        assert!(size(&tokens) <= 2 * HALF);
    }
}
