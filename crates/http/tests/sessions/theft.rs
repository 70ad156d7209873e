//! Stolen refresh tokens (attacks 12 and 13): a stolen token stops working soon.
//!
//! What cannot be caught is a thief whom the API rules take for the owner: alone with the session, or in step with the
//! owner within ten seconds or three times a day. Such a thief is still out after ninety days.

use super::support::*;
use perennial_harness::SeededRandom;
use perennial_testkit::{Answer, Held, TestApp};

#[tokio::test]
async fn refresh_replay_r1_r2_r1_ends_the_session() {
    let app = TestApp::start().await;
    for wait in [0, 5, 60, DAY] {
        let first = sign_up(&app, &format!("ada{wait}@example.com")).await;
        let second = Held::of(&refresh(&app, &first.refresh_token).await.expect(200));
        app.advance(wait);
        let third = Held::of(&refresh(&app, &second.refresh_token).await.expect(200));
        app.advance(wait);
        refresh(&app, &first.refresh_token).await.refused(401, "refresh_token_reused");
        dead(&app, &[first, second, third]).await;
    }
    let revoked = app.events().await.iter().filter(|event| event.kind.as_str() == "session.revoked").count();
    assert_eq!(revoked, 4, "each end is recorded once");
}

#[tokio::test]
async fn a_thief_alternating_with_the_victim_is_out_by_the_fourth_retry() {
    let app = TestApp::start().await;
    let victim_first = sign_up(&app, "ada@example.com").await;
    let thief_first = sign_up(&app, "eve@example.com").await;
    for (name, mut token) in [("victim first", victim_first), ("thief first", thief_first)] {
        let mut all = vec![token.clone()];
        let mut retries = 0;
        loop {
            app.advance(600);
            let used = token.refresh_token;
            token = Held::of(&refresh(&app, &used).await.expect(200));
            all.push(token.clone());
            app.advance(60);
            // The other one comes with the same token, and continues with the same successor.
            retries += 1;
            let answer = refresh(&app, &used).await;
            if answer.status != 200 {
                answer.refused(401, "refresh_token_reused");
                break;
            }
            assert_eq!(Held::of(&answer).refresh_token, token.refresh_token);
            assert!(retries < 4, "{name}: the fourth retry was honored");
        }
        assert_eq!(retries, 4, "{name}");
        dead(&app, &all).await;
    }
}

/// Neither the newest of these tokens nor any older one opens anything.
async fn dead(app: &TestApp, all: &[Held]) {
    for held in all.iter().rev() {
        refresh(app, &held.refresh_token).await.refused(401, "invalid_refresh_token");
        check(app, &held.token).await.refused(401, "invalid_token");
    }
}

/// What a thief does with a copy of the victim's newest refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thief {
    /// Uses it before the victim does, and continues every hour.
    AtOnce,
    /// Uses it once before the victim does, and again only at the end.
    OnceAndLast,
    /// Lets the victim continue for so many steps first.
    After(usize),
    /// Presents the stolen token itself again and again.
    Stubborn,
    /// Comes a minute after the victim each time, with whatever it was given last.
    InStep,
    /// Uses it while the victim is away; the victim comes back after so many hours.
    WhileAway(usize),
    /// There is none: the victim must not be thrown out.
    Nobody,
}

/// Two who hold copies of one token.
struct Rivals<'a> {
    app: &'a TestApp,
    victim: Held,
    stolen: Option<Held>,
    thief: Option<Held>,
    thief_gains: usize,
    dead: bool,
    all: Vec<Held>,
}

impl Rivals<'_> {
    async fn victim_steps(&mut self) {
        let answer = refresh(self.app, &self.victim.refresh_token).await;
        if self.survived(&answer) {
            self.victim = Held::of(&answer);
            self.all.push(self.victim.clone());
        }
    }

    async fn thief_steps(&mut self) {
        let presented = self.thief.as_ref().or(self.stolen.as_ref()).unwrap().refresh_token.clone();
        let answer = refresh(self.app, &presented).await;
        if self.survived(&answer) {
            self.thief_gains += 1;
            self.thief = Some(Held::of(&answer));
            self.all.push(Held::of(&answer));
        }
    }

    fn survived(&mut self, answer: &Answer) -> bool {
        let code = answer.json["code"].as_str().unwrap_or_default();
        match (answer.status, code, self.dead) {
            (200, _, false) => true,
            (401, "refresh_token_reused", false) => {
                self.dead = true;
                false
            }
            (401, "invalid_refresh_token", true) => false,
            _ => panic!("{} {code} when the session was dead: {}", answer.status, self.dead),
        }
    }

    /// An hour, more or less, in which both act.
    async fn hour(&mut self, kind: Thief, hour: usize, random: &mut SeededRandom) {
        self.app.advance(3000 + i64::try_from(random.index(600)).unwrap());
        let away = matches!(kind, Thief::WhileAway(hours) if hour < hours);
        match kind {
            Thief::AtOnce | Thief::WhileAway(_) => self.thief_steps().await,
            Thief::OnceAndLast if hour == 0 => self.thief_steps().await,
            Thief::Stubborn => {
                self.thief = None;
                self.thief_steps().await;
            }
            _ => {}
        }
        self.app.advance(11 + i64::try_from(random.index(600)).unwrap());
        if !away {
            self.victim_steps().await;
        }
        self.app.advance(11 + i64::try_from(random.index(60)).unwrap());
        match kind {
            Thief::InStep => self.thief_steps().await,
            Thief::After(steps) if hour + 1 >= steps => self.thief_steps().await,
            _ => {}
        }
    }
}

async fn play(app: &TestApp, kind: Thief, seed: u64) -> Rivals<'_> {
    const HOURS: usize = 12;
    let random = &mut SeededRandom::new(seed);
    let victim = sign_up(app, &format!("ada{}@example.com", app.now().as_micros())).await;
    let mut rivals =
        Rivals { app, all: vec![victim.clone()], victim, stolen: None, thief: None, thief_gains: 0, dead: false };
    for _ in 0..random.index(5) {
        rivals.hour(Thief::Nobody, 0, random).await;
    }
    rivals.stolen = Some(rivals.victim.clone());
    for hour in 0..HOURS {
        rivals.hour(kind, hour, random).await;
    }
    if kind != Thief::Nobody {
        rivals.thief_steps().await;
    }
    rivals
}

#[tokio::test]
async fn thieves_of_every_kind_are_caught_and_no_other_user_is() {
    const RUNS: u64 = 8;
    let app = TestApp::start().await;
    let kinds = [
        Thief::AtOnce,
        Thief::OnceAndLast,
        Thief::After(1),
        Thief::After(2),
        Thief::After(5),
        Thief::Stubborn,
        Thief::InStep,
        Thief::WhileAway(1),
        Thief::WhileAway(2),
        Thief::WhileAway(7),
        Thief::Nobody,
    ];
    for seed in 0..RUNS {
        for kind in kinds {
            let rivals = play(&app, kind, seed).await;
            let case = format!("{kind:?} with seed {seed}");
            if kind == Thief::Nobody {
                assert!(!rivals.dead, "{case}: thrown out without a thief");
                check(&app, &rivals.victim.token).await.expect(200);
                continue;
            }
            assert!(rivals.dead, "{case}: not caught");
            // Alone, a thief gains a token an hour; together with the victim, three and the one it stole.
            let alone = if let Thief::WhileAway(hours) = kind { hours } else { 0 };
            assert!(rivals.thief_gains <= alone + 4, "{case}: gained {}", rivals.thief_gains);
            dead(&app, &rivals.all).await;
        }
    }
}

#[tokio::test]
async fn a_thief_alone_with_a_session_is_out_after_ninety_days() {
    let app = TestApp::start().await;
    let mut thief = sign_up(&app, "ada@example.com").await;
    let mut days = 0;
    let refused = loop {
        app.advance(5 * DAY);
        days += 5;
        let answer = refresh(&app, &thief.refresh_token).await;
        if answer.status != 200 {
            break answer;
        }
        thief = Held::of(&answer);
    };
    refused.refused(401, "refresh_token_expired");
    assert_eq!(days, 90);
    check(&app, &thief.token).await.refused(401, "invalid_token");
}
