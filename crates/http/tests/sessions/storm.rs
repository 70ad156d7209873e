//! Scenario R7: many sessions, each refreshed by twenty callers at once, one answer in ten lost on its way, and thieves
//! among them. Each session takes one step, every caller gets the identical successor, no user is signed out, and every
//! thief is.
//!
//! `PERENNIAL_TEST_STORM_SESSIONS=2000` is the full size. The same seed loses the same responses.

use super::support::*;
use futures_util::future::join_all;
use perennial_harness::SeededRandom;
use perennial_store::Sql;
use perennial_testkit::{Answer, Connection, Held, Request, TestApp};
use std::collections::HashSet;
use std::time::Instant;

const CALLERS: usize = 20;
/// Sessions that are refreshed at the same time.
const CREWS: usize = 4;
/// Late retries that a session has in hand for the first loss; a second loss needs one more.
const MOST_LATE: usize = 2;

/// Twenty callers, each with its own connection.
struct Crew(Vec<Connection>);

impl Crew {
    async fn gather(servers: &[&TestApp]) -> Self {
        let connections = (0..CALLERS).map(|place| Connection::open(servers[place % servers.len()].address));
        Self(join_all(connections).await)
    }

    /// Sends all of them at once.
    async fn all(&mut self, requests: Vec<Request>) -> Vec<Answer> {
        assert!(requests.len() <= CALLERS);
        join_all(self.0.iter_mut().zip(requests).map(|(connection, request)| connection.send(request))).await
    }

    async fn one(&mut self, request: Request) -> Answer {
        self.0[0].send(request).await
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thief {
    /// Presents the first token of all, alone.
    Old,
    /// Presents it while the owner's callers refresh.
    OldAmongOthers,
    /// Comes with the tokens that the owner comes with, before the owner or after.
    Alternating,
}

impl Thief {
    /// What happens to the owner at this position: something to three in twenty.
    fn of(place: usize) -> Option<Self> {
        [Self::Old, Self::OldAmongOthers, Self::Alternating].get(place % 20).copied()
    }
}

/// A session, what was given out for it, and what became of it.
struct Owner {
    email: String,
    thief: Option<Thief>,
    random: SeededRandom,
    first: String,
    newest: Option<Held>,
    used: String,
    early: usize,
    late: usize,
    given: HashSet<String>,
    tokens: Vec<String>,
    figures: Figures,
}

#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    refreshes: usize,
    lost: usize,
    early_retries: usize,
    late_retries: usize,
    refused: usize,
    caught: usize,
}

impl Owner {
    fn new(place: usize) -> Self {
        Self {
            email: format!("ada{place}@example.com"),
            thief: Thief::of(place),
            random: SeededRandom::new(place as u64),
            first: String::new(),
            newest: None,
            used: String::new(),
            early: 0,
            late: 0,
            given: HashSet::new(),
            tokens: Vec::new(),
            figures: Figures::default(),
        }
    }

    /// What the test sees of a response, and the owner only if it is not lost. Returns whether it is lost.
    fn hears(&mut self, answer: &Answer, may_be_lost: bool) -> bool {
        self.figures.refreshes += 1;
        if answer.status != 200 {
            self.figures.refused += 1;
            return false;
        }
        let held = Held::of(answer);
        self.given.insert(held.refresh_token.clone());
        self.tokens.push(held.token.clone());
        if may_be_lost && self.random.index(10) == 0 {
            self.figures.lost += 1;
            return true;
        }
        self.newest = Some(held);
        false
    }

    async fn sign_up(&mut self, app: &TestApp, crew: &mut Crew) {
        let request = app.request("POST", "/authentication/sign-up").json(&app.credentials(&self.email));
        let held = Held::of(&crew.one(request).await.expect(201));
        self.first = held.refresh_token;
        self.tokens.push(held.token);
    }

    async fn storm(&mut self, app: &TestApp, crew: &mut Crew) {
        for answer in crew.all(vec![refreshing(app, &self.first); CALLERS]).await {
            if self.hears(&answer, true) {
                let waits = self.late < MOST_LATE && self.random.index(2) == 0;
                *(if waits { &mut self.late } else { &mut self.early }) += 1;
            }
        }
    }

    /// A caller that lost a response retries at once, until it has one.
    async fn retry_early(&mut self, app: &TestApp, crew: &mut Crew) {
        while self.early > 0 {
            let asking = std::mem::take(&mut self.early);
            self.figures.early_retries += asking;
            for answer in crew.all(vec![refreshing(app, &self.first); asking]).await {
                self.early += usize::from(self.hears(&answer, true));
            }
        }
    }

    /// A caller that lost a response retries after the ten seconds: three times in all, so the third is not lost again.
    async fn retry_late(&mut self, app: &TestApp, crew: &mut Crew) {
        let mut left = 3;
        while self.late > 0 {
            let asking = std::mem::take(&mut self.late);
            left -= asking;
            self.figures.late_retries += asking;
            for answer in crew.all(vec![refreshing(app, &self.first); asking]).await {
                self.late += usize::from(self.hears(&answer, self.late < left));
            }
        }
    }

    /// The owner continues with the successor.
    async fn go_on(&mut self, app: &TestApp, crew: &mut Crew) {
        self.used.clone_from(&self.newest.as_ref().unwrap().refresh_token);
        let answer = crew.one(refreshing(app, &self.used)).await;
        self.hears(&answer, false);
    }

    /// A second caller uses the same token: the thief after the owner, or the owner after the thief.
    async fn come_second(&mut self, app: &TestApp, crew: &mut Crew) {
        let answer = crew.one(refreshing(app, &self.used)).await;
        if answer.status == 200 {
            let held = Held::of(&answer);
            assert_eq!(held.refresh_token, self.newest.as_ref().unwrap().refresh_token);
            self.tokens.push(held.token);
        }
    }

    async fn meet_old_thief(&mut self, app: &TestApp, crew: &mut Crew) {
        let thief = refreshing(app, &self.first);
        let mut requests = match self.thief {
            Some(Thief::Old) => vec![],
            Some(Thief::OldAmongOthers) => vec![refreshing(app, &self.newest.as_ref().unwrap().refresh_token); 19],
            _ => return,
        };
        let place = self.random.index(requests.len() + 1);
        requests.insert(place, thief);
        let answers = crew.all(requests).await;
        self.tokens.extend(answers.iter().filter(|it| it.status == 200).map(|answer| Held::of(answer).token));
        let reused = answers.iter().filter(|answer| answer.json["code"] == "refresh_token_reused").count();
        assert_eq!(reused, 1, "the thief ended the session");
    }

    async fn is_dead(&mut self, app: &TestApp, crew: &mut Crew) -> bool {
        let mut answers = Vec::new();
        for tokens in self.tokens.chunks(CALLERS) {
            let requests = tokens.iter().map(|token| call(app, "POST", "/authentication/user-logged-in", token));
            answers.extend(crew.all(requests.collect()).await);
        }
        let newest = &self.newest.as_ref().unwrap().refresh_token;
        let refreshed = crew.one(refreshing(app, newest)).await;
        let dead = answers.iter().all(|answer| answer.status == 401);
        let alive = answers.iter().all(|answer| answer.status == 200);
        assert!(dead || alive, "{}: some tokens of one session work and some do not", self.email);
        assert_eq!(refreshed.status, if dead { 401 } else { 200 });
        dead
    }
}

/// Everybody, so many at a time, each with a crew.
async fn everybody(crews: &mut [Crew], owners: &mut [Owner], work: impl AsyncFn(&mut Owner, &mut Crew)) {
    let share = owners.len().div_ceil(crews.len());
    let shares = crews.iter_mut().zip(owners.chunks_mut(share));
    join_all(shares.map(async |(crew, owners)| {
        for owner in owners {
            work(owner, crew).await;
        }
    }))
    .await;
}

#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
async fn storm(servers: &[&TestApp]) {
    let app = servers[0];
    let sessions = std::env::var("PERENNIAL_TEST_STORM_SESSIONS").map_or(40, |number| number.parse().unwrap());
    let started = Instant::now();
    let mut owners: Vec<Owner> = (0..sessions).map(Owner::new).collect();
    let mut crews = join_all((0..CREWS).map(|_| Crew::gather(servers))).await;
    everybody(&mut crews, &mut owners, async |owner, crew| owner.sign_up(app, crew).await).await;

    app.advance(1800);
    let storming = Instant::now();
    everybody(&mut crews, &mut owners, async |owner, crew| owner.storm(app, crew).await).await;
    app.advance(10);
    everybody(&mut crews, &mut owners, async |owner, crew| owner.retry_early(app, crew).await).await;
    app.advance(1);
    everybody(&mut crews, &mut owners, async |owner, crew| owner.retry_late(app, crew).await).await;
    let stormed = storming.elapsed().as_secs_f64();

    let total = |figure: fn(&Figures) -> usize| owners.iter().map(|owner| figure(&owner.figures)).sum::<usize>();
    let (refreshes, lost, refused) = (total(|it| it.refreshes), total(|it| it.lost), total(|it| it.refused));
    let (early, late) = (total(|it| it.early_retries), total(|it| it.late_retries));
    let one_step = count(app, "SELECT COUNT(*) FROM sessions WHERE generation = 1").await;
    let forced = count(app, "SELECT COUNT(*) FROM sessions WHERE revoked_at IS NOT NULL").await;
    let identical = owners.iter().filter(|owner| owner.given.len() == 1).count();
    assert_eq!((one_step, forced), (i64::try_from(sessions).unwrap(), 0));
    assert_eq!((identical, refused), (sessions, 0));
    assert_eq!(lost, early + late, "every lost answer was asked for again");

    meet_thieves(app, &mut crews, &mut owners).await;
    let thieves = owners.iter().filter(|owner| owner.thief.is_some()).count();
    let caught: usize = owners.iter().map(|owner| owner.figures.caught).sum();
    assert_eq!(caught, thieves);
    assert_eq!(deadlocks(app).await, 0, "servers waited for each other until the database's timer");
    println!(
        "R7: {sessions} sessions × {CALLERS} callers over {} server(s): {refreshes} refreshes in {stormed:.1} s, \
         {lost} answers lost, {early} asked for again within 10 s and {late} later; {one_step} sessions one step on, \
         {identical} with one successor, {forced} forced logouts, {refused} errors; {caught} of {thieves} thieves \
         caught; {:.1} s in all",
        servers.len(),
        started.elapsed().as_secs_f64(),
    );
}

/// How often transactions waited for each other in a circle; SQLite has one writer.
async fn deadlocks(app: &TestApp) -> i64 {
    static DEADLOCKS: Sql =
        Sql::split("SELECT 0", "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
    app.app.db.one(&DEADLOCKS, &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// Every owner refreshes once more; then the thieves do. Only sessions with a thief have ended.
async fn meet_thieves(app: &TestApp, crews: &mut [Crew], owners: &mut [Owner]) {
    let alternates = |owner: &Owner| owner.thief == Some(Thief::Alternating);
    everybody(crews, owners, async |owner, crew| owner.go_on(app, crew).await).await;
    everybody(crews, owners, async |owner, crew| owner.meet_old_thief(app, crew).await).await;
    for _ in 0..4 {
        app.advance(60);
        everybody(crews, owners, async |owner, crew| {
            if alternates(owner) {
                owner.go_on(app, crew).await;
            }
        })
        .await;
        app.advance(60);
        everybody(crews, owners, async |owner, crew| {
            if alternates(owner) {
                owner.come_second(app, crew).await;
            }
        })
        .await;
    }
    everybody(crews, owners, async |owner, crew| {
        let dead = owner.is_dead(app, crew).await;
        assert_eq!(dead, owner.thief.is_some(), "{} met {:?}", owner.email, owner.thief);
        owner.figures.caught = usize::from(dead);
    })
    .await;
}

on_one_and_two_servers!(storm, a_storm_of_refreshes_with_one_server, a_storm_of_refreshes_with_two_servers);
