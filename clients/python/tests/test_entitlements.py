"""Entitlements in memory: what is asked for, what an event drops, and what is left when the feed or the service is away."""

from __future__ import annotations

import json
import queue
import threading
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, urlsplit

from perennial_client import EntitlementCache, Perennial, PerennialError, Problem, Retries

from .fake_server import LOST, Asked, FakeServer, Told, data, problem, raw
from .records import event

ADA, BOB = "usr_ada", "usr_bob"
ONCE = Retries(attempts=1)


class Place:
    """A service with a feed: events are pushed, and a call waits for them."""

    def __init__(self) -> None:
        self.values: dict[str, dict[str, Any]] = {
            "sso": {"kind": "boolean", "value": True},
            "seats": {"kind": "limit", "value": 5},
            "calls": {"kind": "quota", "value": 9, "remaining": 4},
        }
        self.valid_until: str | None = None
        self.scripted: Callable[[Asked], Told | None] = lambda _: None
        #: What the feed answers: a list of events, or a failure.
        self.feed: queue.Queue[list[dict[str, Any]] | Told] = queue.Queue()
        #: Released when a call for the feed arrives: what was answered before was handled.
        self.polled = threading.Semaphore(0)
        self.is_cut = False
        #: How long the last call for the feed waits.
        self.waits: list[str] = []
        self._lock = threading.Lock()
        self._asked: list[str] = []
        self._cursor = 0

    def answer(self, asked: Asked) -> Told:
        path, query = urlsplit(asked.target).path, parse_qs(urlsplit(asked.target).query)
        if path == "/events":
            self.waits = query.get("wait", [])
            return self._page("cursor" in query)
        with self._lock:
            self._asked.append(path)
        scripted = self.scripted(asked)
        if scripted is not None:
            return scripted
        if path.endswith("/members"):
            about = {"next_cursor": None, "has_more": False, "limit": 200}
            return raw(json.dumps({"data": [{"user_id": BOB}], "page": about}))
        _, _, user, _, *feature = path.split("/")
        return data(self._one(feature[0], int(query["need"][0])) if feature else self._all(user))

    def push(self, kind: str, **fields: Any) -> None:
        """Waits until the event was handled."""
        self.feed.put([event(type=kind, **{"record_id": "sub_1", "data": {}, "before": None, **fields})])
        self.polled.acquire()

    def asked(self, what: str = "/entitlements") -> int:
        with self._lock:
            return sum(what in path for path in self._asked)

    def _page(self, waits: bool) -> Told:
        if waits:
            self.polled.release()
            told = LOST if self.is_cut else self.feed.get()
            if isinstance(told, Told):
                return told
        else:
            told = []
        self._cursor += 1
        about = {"next_cursor": f"c{self._cursor}", "has_more": False, "limit": 200}
        return raw(json.dumps({"data": told, "page": about}))

    def _all(self, user: str) -> dict[str, Any]:
        sources = [{"subscription_id": "sub_1", "value": True, "used": None}]
        common = {"used": None, "remaining": None, "resets_at": None, "sources": sources}
        granted = {key: common | value for key, value in self.values.items()}
        return {"user_id": user, "valid_until": self.valid_until, "truncated": False, "entitlements": granted}

    def _one(self, feature: str, need: int) -> dict[str, Any]:
        found = {"kind": "boolean", "value": None, "remaining": None} | self.values.get(feature, {})
        allowed = found["kind"] == "quota" and found["remaining"] >= need
        reason = None if allowed else "not_granted" if found["value"] is None else "limit_reached"
        return found | {"allowed": allowed, "reason": reason}


class Clock:
    def __init__(self) -> None:
        self.at = 1_800_000_000.0

    def __call__(self) -> float:
        return self.at


@contextmanager
def cached(**options: Any) -> Iterator[tuple[EntitlementCache, Place, Clock]]:
    place, clock = Place(), Clock()
    pauses = mock.patch.multiple("perennial_client._entitlements", PAUSE=0.001, LONGEST_PAUSE=0.01)
    times = mock.patch.multiple("perennial_client._entitlements.time", time=clock, monotonic=clock)
    with FakeServer(place.answer) as server, Perennial(server.url, "c", retries=ONCE) as client, pauses, times:
        with mock.patch("perennial_client._events.PAUSE", 0.001):
            with EntitlementCache(client, **options) as cache:
                place.polled.acquire()
                yield cache, place, clock
                cache.close()
                place.feed.put(LOST)


class Cache(unittest.TestCase):
    def test_answers_from_memory_with_the_rule_of_the_api(self) -> None:
        with cached() as (cache, place, _):
            self.assertEqual(cache.get(ADA).entitlements["seats"]["value"], 5)
            self.assertEqual(cache.get(ADA).user_id, ADA)
            for _ in range(2):
                sso = cache.check(ADA, "sso")
                self.assertEqual((sso.allowed, sso.value, sso.reason), (True, True, None))
                self.assertTrue(cache.check(ADA, "seats", 5).allowed)
                self.assertEqual(cache.check(ADA, "seats", 6).reason, "limit_reached")
            self.assertEqual(place.asked(), 1)
            for feature in ("seats", "absent"):
                for need in (0, 2**53, 1.5):
                    with self.assertRaises(ValueError):
                        cache.check(ADA, feature, need)  # type: ignore[arg-type]

    def test_calls_at_once_share_a_request(self) -> None:
        with cached() as (cache, place, _):
            held, arrived = threading.Event(), threading.Semaphore(0)

            def slowly(_: Asked) -> None:
                arrived.release()
                held.wait()

            place.scripted = slowly
            calls = [threading.Thread(target=cache.get, args=(ADA,)) for _ in range(5)]
            for call in calls:
                call.start()
            arrived.acquire()
            held.set()
            for call in calls:
                call.join()
            cache.get(ADA)
            self.assertEqual(place.asked(), 1)

    def test_a_quota_is_always_asked_for_and_an_absent_feature_once(self) -> None:
        with cached() as (cache, place, _):
            cache.get(ADA)
            self.assertTrue(cache.check(ADA, "calls", 4).allowed)
            place.values["calls"]["remaining"] = 3
            self.assertEqual(cache.check(ADA, "calls", 4).reason, "limit_reached")
            self.assertEqual(place.asked(), 3)
            self.assertEqual(cache.check(ADA, "unknown").reason, "not_granted")
            self.assertFalse(cache.check(ADA, "unknown", 7).allowed)
            self.assertEqual(place.asked(), 4)

    def test_an_event_drops_whom_it_names_and_no_one_else(self) -> None:
        with cached() as (cache, place, _):

            def both() -> int:
                before = place.asked()
                cache.get(ADA)
                cache.get(BOB)
                return place.asked() - before

            both()
            self.assertEqual(both(), 0)
            place.push("member.created", data={"user_id": BOB})
            self.assertEqual(both(), 1, "the member")
            place.push("subscription.created", record_id="sub_2", data={"user_id": ADA})
            self.assertEqual(both(), 1, "the owner")
            renewed = {"data": {"user_id": ADA, "renews_at": "b"}, "before": {"user_id": ADA, "renews_at": "a"}}
            place.push("subscription.updated", record_id="sub_2", **renewed)
            self.assertEqual(both(), 1, "a renewal does not reach members")
            self.assertEqual(place.asked("/members"), 0)
            resumed = {"data": {"user_id": "usr_eve", "status": "active"}, "before": {"user_id": "usr_eve"}}
            place.push("subscription.updated", record_id="sub_2", **resumed)
            self.assertEqual(both(), 1, "a member whose answer does not name the subscription")
            self.assertEqual(place.asked("/members"), 1)
            place.push("subscription.deleted", data={"user_id": "usr_eve"})
            self.assertEqual(both(), 2, "both answers name sub_1")
            for kind in ("plan.updated", "feature.updated", "usage.threshold_reached"):
                place.push(kind)
                self.assertEqual(both(), 2, kind)
            refused = problem(403, "insufficient_scope")
            place.scripted = lambda asked: refused if "/members" in asked.target else None
            place.push("subscription.updated", record_id="sub_2", **resumed)
            self.assertEqual(both(), 2, "without the scope everyone is dropped")

    def test_an_answer_that_an_event_overtook_is_not_kept(self) -> None:
        with cached() as (cache, place, _):
            held, arrived = threading.Event(), threading.Semaphore(0)
            old = data(place._all(ADA))

            def slowly(_: Asked) -> Told:
                place.scripted = lambda _: None
                arrived.release()
                held.wait()
                return old

            place.scripted = slowly
            early = threading.Thread(target=cache.get, args=(ADA,))
            early.start()
            arrived.acquire()
            place.values = {}
            place.push("subscription.deleted", data={"user_id": ADA})
            self.assertEqual(cache.get(ADA).entitlements, {}, "it did not join the earlier request")
            held.set()
            early.join()
            self.assertEqual(cache.get(ADA).entitlements, {})
            self.assertEqual(place.asked(), 2)

    def test_valid_until_is_respected(self) -> None:
        with cached() as (cache, place, clock):
            until = datetime.fromtimestamp(clock.at, timezone.utc) + timedelta(seconds=10)
            place.valid_until = until.isoformat().replace("+00:00", "Z")
            cache.check(ADA, "sso")
            clock.at += 9.5
            cache.check(ADA, "sso")
            self.assertEqual(place.asked(), 1)
            clock.at += 0.5
            cache.check(ADA, "sso")
            cache.get(ADA)
            self.assertEqual(place.asked(), 3)

    def test_the_feed_is_cut_then_the_service_is_away_too(self) -> None:
        for word in ("deny", "allow"):
            with self.subTest(word), cached(on_unavailable=word) as (cache, place, clock):
                cache.get(ADA)
                place.is_cut = True
                place.feed.put(LOST)
                place.values = {"sso": {"kind": "boolean", "value": False}}
                clock.at += 300
                self.assertTrue(cache.check(ADA, "sso").allowed, "an old answer")
                self.assertEqual(place.asked(), 1)
                clock.at += 0.001
                self.assertFalse(cache.check(ADA, "sso").allowed, "asked")
                self.assertFalse(cache.check(ADA, "sso").allowed)
                self.assertEqual(place.asked(), 3, "each time")
                place.scripted = lambda _: LOST
                decision = cache.check(ADA, "sso")
                self.assertEqual((decision.allowed, decision.reason), (word == "allow", "unavailable"))
                self.assertEqual(cache.check(BOB, "sso").allowed, word == "allow")
                if word == "allow":
                    self.assertFalse(cache.get(ADA).entitlements["sso"]["value"], "the last answer")
                else:
                    self.assertRaises(PerennialError, cache.get, ADA)
                self.assertRaises(PerennialError, cache.get, BOB)
                place.scripted = lambda _: None
                place.is_cut = False
                place.feed.put([])
                # A failed call may still be on its way: the second one that arrives from now on follows a page.
                place.feed.put([])
                while place.feed.qsize():
                    place.polled.acquire()
                before = place.asked()
                self.assertFalse(cache.check(ADA, "sso").allowed)
                self.assertEqual(place.asked(), before, "the feed continued where it was cut")

    def test_the_feed_is_heard_from_before_an_answer_is_stale(self) -> None:
        for stale, wait in ((300.0, "25"), (10.0, "5"), (1.0, "1")):
            with self.subTest(stale), cached(stale_seconds=stale) as (_cache, place, _clock):
                self.assertEqual(place.waits, [wait])

    def test_after_a_gap_in_the_feed_nothing_in_memory_is_used(self) -> None:
        with cached() as (cache, place, _):
            cache.get(ADA)
            place.values = {}
            place.feed.put(problem(410, "cursor_gone", oldest=None, restored=False))
            place.polled.acquire()
            self.assertEqual(cache.get(ADA).entitlements, {})
            cache.get(ADA)
            self.assertEqual(place.asked(), 2)

    def test_a_refusal_is_raised_and_nothing_is_kept_after_close(self) -> None:
        with cached() as (cache, place, _):
            place.scripted = lambda _: problem(404, "not_found")
            self.assertRaises(Problem, cache.check, "usr_unknown", "sso")
            place.scripted = lambda _: None
            cache.close()
            cache.get(ADA)
            cache.get(ADA)
            self.assertEqual(place.asked(), 3)

    def test_nothing_is_kept_before_the_feed_is_open(self) -> None:
        failures: queue.Queue[PerennialError] = queue.Queue()
        place = Place()
        refused = problem(403, "insufficient_scope")

        def answer(asked: Asked) -> Told:
            return refused if asked.target.startswith("/events") else place.answer(asked)

        with FakeServer(answer) as server, Perennial(server.url, "c", retries=ONCE) as client:
            with EntitlementCache(client, on_feed_error=failures.put) as cache:
                self.assertIsInstance(failures.get(), Problem)
                cache.get(ADA)
                cache.get(ADA)
        self.assertEqual(place.asked(), 2)

    def test_the_number_of_users_is_bounded(self) -> None:
        with cached(max_users=2) as (cache, place, _):
            for user in ("a", "b", "c", "c", "b", "a"):
                cache.get(user)
            self.assertEqual(place.asked(), 4, "`a` was dropped for `c`")


if __name__ == "__main__":
    unittest.main()
