//! Sessions that begin, continue and end at the same moment, on one server and on two (attack 37): whatever the
//! order, no session outlives what ended it, and no sign-in, refresh or favor is counted twice.

use super::support::*;
use perennial_harness::SeededRandom;
use perennial_store::Sql;
use perennial_testkit::{Held, Request, TestApp};

const ROUNDS: u64 = 16;

// The database itself notes in which order sessions begin and end. On PostgreSQL a lock that lasts until the commit
// makes it the order of the commits.
static SIGHTINGS: Sql = Sql::split(
    "CREATE TABLE sightings (place INTEGER PRIMARY KEY AUTOINCREMENT, session_id BLOB, user_id BLOB, ended INTEGER)",
    "CREATE TABLE sightings (place BIGSERIAL, session_id UUID, user_id UUID, ended INTEGER)",
);
static WATCH_BEGINS: Sql = Sql::split(
    "CREATE TRIGGER watch_begins AFTER INSERT ON sessions
     BEGIN INSERT INTO sightings (session_id, user_id, ended) VALUES (NEW.id, NEW.user_id, 0); END",
    "CREATE FUNCTION sight() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         PERFORM pg_advisory_xact_lock(1);
         INSERT INTO sightings (session_id, user_id, ended)
         VALUES (NEW.id, NEW.user_id, CASE TG_OP WHEN 'INSERT' THEN 0 ELSE 1 END);
         RETURN NEW;
     END $$",
);
static WATCH_ENDS: Sql = Sql::split(
    "CREATE TRIGGER watch_ends AFTER UPDATE OF revoked_at ON sessions
     BEGIN INSERT INTO sightings (session_id, user_id, ended) VALUES (NEW.id, NEW.user_id, 1); END",
    "CREATE TRIGGER watch AFTER INSERT OR UPDATE OF revoked_at ON sessions FOR EACH ROW EXECUTE FUNCTION sight()",
);

/// Live sessions that began before sessions of the same user were ended, all at once.
const SURVIVORS: &str = "
    SELECT COUNT(*) FROM sessions AS s JOIN sightings AS begun ON begun.session_id = s.id AND begun.ended = 0
    WHERE s.revoked_at IS NULL AND EXISTS (
        SELECT 1 FROM sightings AS over
        WHERE over.user_id = s.user_id AND over.ended = 1 AND over.place > begun.place)";

async fn watch(app: &TestApp) {
    for sql in [&SIGHTINGS, &WATCH_BEGINS, &WATCH_ENDS] {
        execute(app, sql).await;
    }
}

async fn revoke_all_meets_sign_ins_and_refreshes(servers: &[&TestApp]) {
    let app = servers[0];
    watch(app).await;
    let mut survivors = 0;
    for round in 0..ROUNDS {
        let random = &mut SeededRandom::new(round);
        let email = format!("ada{round}@example.com");
        let mut before = vec![sign_up(app, &email).await];
        for _ in 0..4 {
            before.push(sign_in(app, &email).await);
        }
        // With two servers they come to the other one, where nothing waits for the revoke-all.
        let other = servers[servers.len() - 1];
        let mut requests = vec![revoking_all(app, &before[0].token)];
        requests.extend(before.iter().map(|held| refreshing(other, &held.refresh_token)));
        requests.extend((0..12).map(|_| signing_in(other, &email)));
        let answers = mingled(requests, random).await;

        let revoked = answers[0].clone().expect(200).data()["revoked"].as_u64().unwrap();
        let mut doomed = before.clone();
        for answer in &answers[1..6] {
            match answer.status {
                200 => doomed.push(Held::of(answer)),
                _ => drop(answer.clone().refused(401, "invalid_refresh_token")),
            }
        }
        assert_eq!(living(app, &doomed).await, 0, "a session of before, or what it was refreshed to, lives on");
        let begun: Vec<Held> = answers[6..].iter().map(|answer| Held::of(&answer.clone().expect(200))).collect();
        let live = living(app, &begun).await;
        assert_eq!(revoked, (before.len() + begun.len() - live) as u64, "every session was ended once or lives");
        survivors += live;
    }
    assert_eq!(count(app, SURVIVORS).await, 0, "a session from before a revoke-all lives on");
    let live = count(app, "SELECT COUNT(*) FROM sessions WHERE revoked_at IS NULL").await;
    assert_eq!(usize::try_from(live).unwrap(), survivors);
}

on_one_and_two_servers!(
    revoke_all_meets_sign_ins_and_refreshes,
    no_session_slips_past_a_revoke_all_with_one_server,
    no_session_slips_past_a_revoke_all_with_two_servers
);

async fn a_crowd(servers: &[&TestApp]) {
    let app = servers[0];
    let held = sign_up(app, "ada@example.com").await;
    // So many that no session is ended for being one too many.
    let mut requests: Vec<Request> =
        (0..98).map(|place| signing_in(servers[place % servers.len()], "ada@example.com")).collect();
    requests.insert(49, revoking_all(app, &held.token));
    for answer in all_at_once(requests).await {
        answer.expect(200);
    }
    check(app, &held.token).await.refused(401, "invalid_token");
}

on_one_and_two_servers!(
    a_crowd,
    no_crowd_of_sign_ins_keeps_a_revoke_all_from_its_turn_with_one_server,
    no_crowd_of_sign_ins_keeps_a_revoke_all_from_its_turn_with_two_servers
);

async fn all_but_the_caller(servers: &[&TestApp]) {
    let app = servers[0];
    for round in 0..ROUNDS {
        let random = &mut SeededRandom::new(100 + round);
        let email = format!("ada{round}@example.com");
        let current = sign_up(app, &email).await;
        let others = [sign_in(app, &email).await, sign_in(app, &email).await];
        let mut server = || servers[random.index(servers.len())];
        let mut requests = vec![
            call(server(), "POST", "/authentication/tokens/revoke-all-except-current", &current.token),
            refreshing(server(), &current.refresh_token),
        ];
        requests.extend(others.iter().map(|held| refreshing(server(), &held.refresh_token)));
        requests.extend((0..4).map(|_| signing_in(server(), &email)));
        let answers = mingled(requests, random).await;
        let revoked = answers[0].clone().expect(200).data()["revoked"].as_u64().unwrap();
        let kept = Held::of(&answers[1].clone().expect(200));
        assert_eq!(living(app, &others).await, 0);
        let begun: Vec<Held> = answers[4..].iter().map(|answer| Held::of(&answer.clone().expect(200))).collect();
        let live = living(app, &begun).await;
        assert_eq!(revoked, (others.len() + begun.len() - live) as u64);
        assert_eq!(living(app, &[kept]).await, 1, "the caller's own session continues");
    }
}

on_one_and_two_servers!(
    all_but_the_caller,
    revoking_all_others_spares_the_caller_alone_with_one_server,
    revoking_all_others_spares_the_caller_alone_with_two_servers
);

async fn many_revoke_alls(servers: &[&TestApp]) {
    let app = servers[0];
    let held = sign_up(app, "ada@example.com").await;
    let mut sessions = vec![held];
    for _ in 0..7 {
        sessions.push(sign_in(app, "ada@example.com").await);
    }
    let requests =
        sessions.iter().enumerate().map(|(place, held)| revoking_all(servers[place % servers.len()], &held.token));
    let mut revoked = 0;
    for answer in all_at_once(requests).await {
        match answer.status {
            200 => revoked += answer.data()["revoked"].as_u64().unwrap(),
            _ => drop(answer.refused(401, "invalid_token")),
        }
    }
    assert_eq!(revoked, 8, "each session was ended by one of them");
    let events = app.events().await;
    assert_eq!(events.iter().filter(|event| event.kind.as_str() == "session.revoked").count(), 8);
}

on_one_and_two_servers!(
    many_revoke_alls,
    a_session_is_ended_once_however_many_end_it_with_one_server,
    a_session_is_ended_once_however_many_end_it_with_two_servers
);

async fn twenty_refreshes(servers: &[&TestApp]) {
    let app = servers[0];
    for round in 0..ROUNDS {
        let mut held = sign_up(app, &format!("ada{round}@example.com")).await;
        for _ in 0..3 {
            app.advance(60);
            let requests = (0..20).map(|place| refreshing(servers[place % servers.len()], &held.refresh_token));
            let answers: Vec<Held> =
                all_at_once(requests).await.into_iter().map(|it| Held::of(&it.expect(200))).collect();
            assert!(answers.iter().all(|one| one.refresh_token == answers[0].refresh_token), "two successors");
            assert!(answers[0].refresh_token != held.refresh_token);
            check(app, &answers[19].token).await.expect(200);
            held = answers[0].clone();
        }
    }
    assert_eq!(count(app, "SELECT COUNT(*) FROM sessions WHERE generation = 3 AND graces = ''").await, 16);
}

on_one_and_two_servers!(
    twenty_refreshes,
    twenty_refreshes_at_once_are_one_step_with_one_server,
    twenty_refreshes_at_once_are_one_step_with_two_servers
);

async fn late_retries(servers: &[&TestApp]) {
    let app = servers[0];
    for round in 0..ROUNDS {
        let first = sign_up(app, &format!("ada{round}@example.com")).await;
        let second = Held::of(&refresh(app, &first.refresh_token).await.expect(200));
        app.advance(11);
        let requests = (0..8).map(|place| refreshing(servers[place % servers.len()], &first.refresh_token));
        let answers = all_at_once(requests).await;
        let honored = answers.iter().filter(|answer| answer.status == 200).count();
        let reused = answers.iter().filter(|answer| answer.json["code"] == "refresh_token_reused").count();
        let dead = answers.iter().filter(|answer| answer.json["code"] == "invalid_refresh_token").count();
        assert_eq!((honored, reused, dead), (3, 1, 4));
        assert_eq!(living(app, &[second]).await, 0);
    }
}

on_one_and_two_servers!(
    late_retries,
    late_retries_at_once_are_counted_one_by_one_with_one_server,
    late_retries_at_once_are_counted_one_by_one_with_two_servers
);

async fn reuse_meets_refreshes(servers: &[&TestApp]) {
    let app = servers[0];
    for round in 0..ROUNDS {
        let first = sign_up(app, &format!("ada{round}@example.com")).await;
        let second = Held::of(&refresh(app, &first.refresh_token).await.expect(200));
        let third = Held::of(&refresh(app, &second.refresh_token).await.expect(200));
        let random = &mut SeededRandom::new(200 + round);
        let requests = (0..12).map(|place| {
            let token = if place < 4 { &first.refresh_token } else { &third.refresh_token };
            refreshing(servers[place % servers.len()], token)
        });
        let answers = mingled(requests.collect(), random).await;
        let reused = answers.iter().filter(|answer| answer.json["code"] == "refresh_token_reused").count();
        assert_eq!(reused, 1, "one of them ended the session");
        let mut all = vec![first, second, third];
        all.extend(answers.iter().filter(|answer| answer.status == 200).map(Held::of));
        assert_eq!(living(app, &all).await, 0);
        assert!(answers.iter().all(|answer| matches!(answer.status, 200 | 401)));
    }
}

on_one_and_two_servers!(
    reuse_meets_refreshes,
    a_replay_ends_the_session_of_whoever_refreshes_meanwhile_with_one_server,
    a_replay_ends_the_session_of_whoever_refreshes_meanwhile_with_two_servers
);

async fn a_hundred_sessions(servers: &[&TestApp]) {
    let app = servers[0];
    let mut old = vec![sign_up(app, "ada@example.com").await];
    for _ in 1..95 {
        app.advance(1);
        old.push(sign_in(app, "ada@example.com").await);
    }
    app.advance(1);
    let requests = (0..30).map(|place| signing_in(servers[place % servers.len()], "ada@example.com"));
    let new: Vec<Held> = all_at_once(requests).await.into_iter().map(|answer| Held::of(&answer.expect(200))).collect();
    let listed = call(app, "GET", "/authentication/tokens", &new[0].token).send().await.expect(200);
    assert_eq!(listed.data()["tokens"].as_array().unwrap().len(), 100);
    assert_eq!(count(app, "SELECT COUNT(*) FROM sessions WHERE revoked_at IS NULL").await, 100);
    for held in new.iter().chain(&old[25..]) {
        check(app, &held.token).await.expect(200);
    }
    for held in &old[..25] {
        check(app, &held.token).await.refused(401, "invalid_token");
    }
}

on_one_and_two_servers!(
    a_hundred_sessions,
    thirty_sign_ins_at_once_keep_to_a_hundred_sessions_with_one_server,
    thirty_sign_ins_at_once_keep_to_a_hundred_sessions_with_two_servers
);
