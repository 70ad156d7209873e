//! A session, what was given out for it, and what became of it.

use std::collections::HashSet;

use perennial_harness::{Response, SeededRandom};
use serde_json::json;

use super::CALLERS;
use super::sign_in::Tokens;
use super::thief::Thief;
use crate::concurrent_callers::{ConcurrentCallers, Post};
use crate::failure::Result;
use crate::home::TRUSTED;

/// One response in ten is lost.
const LOST_PERCENT: u64 = 10;
/// A session has three late retries in hand. Two are for the first loss; a second loss needs the third.
const MOST_LATE: usize = 2;
const LATE_RETRIES: usize = 3;

pub(super) struct Owner {
    pub(super) thief: Option<Thief>,
    random: SeededRandom,
    may_wait: bool,
    first: String,
    newest: String,
    used: String,
    /// Callers who lost their response and will ask again after the ten seconds.
    late: usize,
    access_tokens: Vec<String>,
    /// Successors of the first token, as they were given out.
    pub(super) given: HashSet<String>,
    pub(super) refreshes: usize,
    pub(super) lost: usize,
    pub(super) early_retries: usize,
    pub(super) late_retries: usize,
    pub(super) refused: usize,
    pub(super) strangers: usize,
    /// How many of the access tokens worked in the end, and how many did not.
    pub(super) alive: usize,
    pub(super) dead: usize,
    /// Responses in the end that say neither.
    pub(super) odd: usize,
}

impl Owner {
    pub(super) fn new(tokens: Tokens, thief: Option<Thief>, random: SeededRandom, may_wait: bool) -> Self {
        Self {
            thief,
            random,
            may_wait,
            newest: tokens.refresh.clone(),
            first: tokens.refresh,
            used: String::new(),
            late: 0,
            access_tokens: vec![tokens.access],
            given: HashSet::new(),
            refreshes: 0,
            lost: 0,
            early_retries: 0,
            late_retries: 0,
            refused: 0,
            strangers: 0,
            alive: 0,
            dead: 0,
            odd: 0,
        }
    }

    /// Twenty concurrent callers; a caller whose response was dropped retries, at once or later.
    pub(super) fn storm(&mut self, callers: &mut ConcurrentCallers) -> Result {
        let mut early = 0;
        for response in refresh(callers, &self.first, CALLERS)? {
            if self.hears(&response, true) {
                let waits = self.may_wait && self.late < MOST_LATE && self.random.percent(50);
                *(if waits { &mut self.late } else { &mut early }) += 1;
            }
        }
        while early > 0 {
            self.early_retries += early;
            let responses = refresh(callers, &self.first, early)?;
            early = responses.iter().filter(|response| self.hears(response, true)).count();
        }
        Ok(())
    }

    /// The waiting callers retry after the ten seconds: three times in total, so the third is not dropped again.
    pub(super) fn retry_late(&mut self, callers: &mut ConcurrentCallers) -> Result {
        let mut left = LATE_RETRIES;
        while self.late > 0 {
            let asking = std::mem::take(&mut self.late);
            left -= asking;
            self.late_retries += asking;
            for response in refresh(callers, &self.first, asking)? {
                self.late += usize::from(self.hears(&response, self.late < left));
            }
        }
        Ok(())
    }

    /// The owner continues with the successor.
    pub(super) fn go_on(&mut self, callers: &mut ConcurrentCallers) -> Result {
        self.used.clone_from(&self.newest);
        for tokens in refresh(callers, &self.used, 1)?.iter().filter_map(Tokens::of) {
            self.access_tokens.push(tokens.access);
            self.newest = tokens.refresh;
        }
        Ok(())
    }

    /// The thief who has the first token of all comes, alone or among the owner's own callers.
    pub(super) fn meet_old_thief(&mut self, callers: &mut ConcurrentCallers) -> Result {
        let others = match self.thief {
            Some(Thief::Old) => 0,
            Some(Thief::OldAmongOthers) => CALLERS - 1,
            _ => return Ok(()),
        };
        let (own, old) = (refreshing(&self.newest), refreshing(&self.first));
        let mut posts = vec![post(&own); others];
        posts.insert(self.random.index(others + 1), post(&old));
        let responses = callers.send_all(&posts)?;
        self.access_tokens.extend(responses.iter().filter_map(Tokens::of).map(|tokens| tokens.access));
        Ok(())
    }

    /// The owner's turn, where there is a thief who takes turns.
    pub(super) fn take_turn(&mut self, callers: &mut ConcurrentCallers) -> Result {
        if self.thief == Some(Thief::TakingTurns) { self.go_on(callers) } else { Ok(()) }
    }

    /// The thief's turn, with the token that the owner came with.
    pub(super) fn come_second(&mut self, callers: &mut ConcurrentCallers) -> Result {
        if self.thief != Some(Thief::TakingTurns) {
            return Ok(());
        }
        for tokens in refresh(callers, &self.used, 1)?.iter().filter_map(Tokens::of) {
            self.strangers += usize::from(tokens.refresh != self.newest);
            self.access_tokens.push(tokens.access);
        }
        Ok(())
    }

    /// Tries every access token that was ever given out, and the newest refresh token.
    pub(super) fn look(&mut self, callers: &mut ConcurrentCallers) -> Result {
        let mut statuses = Vec::new();
        for tokens in self.access_tokens.chunks(CALLERS) {
            let bearers: Vec<String> = tokens.iter().map(|token| format!("Bearer {token}")).collect();
            let headers = |bearer| vec![TRUSTED, ("authorization", bearer)];
            let target = "/authentication/user-logged-in";
            let posts: Vec<Post<'_>> =
                bearers.iter().map(|bearer| Post { target, headers: headers(bearer), body: "" }).collect();
            statuses.extend(callers.send_all(&posts)?.iter().map(|response| response.status));
        }
        statuses.extend(refresh(callers, &self.newest, 1)?.iter().map(|response| response.status));
        for status in statuses {
            match status {
                200 => self.alive += 1,
                401 => self.dead += 1,
                _ => self.odd += 1,
            }
        }
        Ok(())
    }

    pub(super) fn is_dead(&self) -> bool {
        self.alive == 0 && self.odd == 0
    }

    /// Records a response; the owner does not receive it if it is dropped. Returns whether it is.
    fn hears(&mut self, response: &Response, may_be_lost: bool) -> bool {
        self.refreshes += 1;
        let Some(tokens) = Tokens::of(response) else {
            self.refused += 1;
            return false;
        };
        self.access_tokens.push(tokens.access);
        self.given.insert(tokens.refresh.clone());
        let is_lost = may_be_lost && self.random.percent(LOST_PERCENT);
        if is_lost {
            self.lost += 1;
        } else {
            self.newest = tokens.refresh;
        }
        is_lost
    }
}

fn refresh(callers: &mut ConcurrentCallers, token: &str, count: usize) -> Result<Vec<Response>> {
    let body = refreshing(token);
    callers.send_all(&vec![post(&body); count])
}

fn refreshing(token: &str) -> String {
    json!({ "refresh_token": token }).to_string()
}

fn post(body: &str) -> Post<'_> {
    Post { target: "/authentication/refresh-token", headers: vec![TRUSTED], body }
}
