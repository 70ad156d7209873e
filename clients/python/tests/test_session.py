"""A person's tokens: kept, sent where asked for, refreshed once, and forgotten."""

from __future__ import annotations

import threading
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

from perennial_client import MemoryTokens, Perennial, Problem, Retries, SignedOut, StoredTokens

from .fake_server import LOST, Asked, FakeServer, Told, data, problem
from .records import plan, tokens, user

REFRESH = "/authentication/refresh-token"
LATER = datetime.now(timezone.utc) + timedelta(hours=1)
SOON = Retries(first_wait=0.001)
ME = data({"user": user()})


class Api:
    """Knows one good token, and exchanges the newest refresh token for the next pair."""

    def __init__(self, refuse: Callable[[int], Told | None] = lambda _: None) -> None:
        self.generation = 1
        self.refreshes = 0
        self.lock = threading.Lock()
        self.refuse = refuse

    def __call__(self, asked: Asked) -> Told:
        with self.lock:
            if asked.target == REFRESH:
                self.refreshes += 1
                refused = self.refuse(self.refreshes)
                if refused is not None:
                    return refused
                self.generation += 1
                return data(tokens(self.generation))
            if asked.target.endswith(("/sign-in", "/sign-up")):
                return data(tokens(self.generation))
            if asked.target.endswith(("/logout", "/revoke-all")):
                return data({"success": True, "revoked": 1})
            if asked.target.startswith("/subscription-plans"):
                return data(plan())
            if asked.headers.get("authorization") != f"Bearer access-{self.generation}":
                return problem(401, "invalid_token")
            return ME

    def bearers(self, server: FakeServer) -> list[str | None]:
        return [asked.headers.get("authorization") for asked in server.asked if asked.target != REFRESH]


def stored(generation: int, until: datetime = LATER) -> StoredTokens:
    return StoredTokens(f"access-{generation}", f"refresh-{generation}", until)


class Kept(unittest.TestCase):
    def test_signing_in_is_remembered_and_logging_out_forgotten(self) -> None:
        api = Api()
        with FakeServer(api) as server, Perennial(server.url, "c") as client:
            signed_in = client.auth.sign_in(access_token="t", email="ada@example.com")
            self.assertEqual(signed_in.user.email, "ada@example.com")
            self.assertEqual(client.auth.user().user.id, signed_in.user.id)
            client.sessions.logout()
            self.assertIsNone(client.tokens)
        self.assertEqual(api.bearers(server), [None, "Bearer access-1", "Bearer access-1"])

    def test_a_token_goes_only_where_it_is_asked_for(self) -> None:
        api = Api()
        with FakeServer(api) as server, Perennial(server.url, "c", tokens=MemoryTokens(stored(1))) as client:
            client.plans.get("pro")
        self.assertEqual(api.bearers(server), [None])

    def test_one_client_can_act_for_many_people(self) -> None:
        api = Api()
        with FakeServer(api) as server, Perennial(server.url, "c") as client:
            ada = client.with_options(tokens=MemoryTokens(stored(1)))
            ada.auth.user()
            self.assertIsNone(client.tokens)
        self.assertEqual(api.bearers(server), ["Bearer access-1"])

    def test_a_token_that_was_sent_along_is_used_as_it_is(self) -> None:
        api = Api()
        with FakeServer(api) as server, Perennial(server.url, "c", tokens=MemoryTokens(stored(7))) as client:
            client.with_options(token="access-1").auth.user()
            with self.assertRaises(Problem):
                client.with_options(token="access-0").auth.user()
        self.assertEqual(api.bearers(server), ["Bearer access-1", "Bearer access-0"])
        self.assertEqual(api.refreshes, 0)

    def test_secrets_are_not_printed(self) -> None:
        self.assertNotIn("access-1", repr(stored(1)))
        self.assertNotIn("refresh-1", repr(stored(1)))


class Refreshed(unittest.TestCase):
    def test_before_it_ends(self) -> None:
        api = Api()
        old = MemoryTokens(stored(1, datetime.now(timezone.utc) + timedelta(seconds=5)))
        with FakeServer(api) as server, Perennial(server.url, "c", tokens=old) as client:
            client.auth.user()
        self.assertEqual(api.bearers(server), ["Bearer access-2"])

    def test_later_if_it_cannot_be_now_and_has_not_ended(self) -> None:
        api = Api(lambda _: problem(503, "overloaded", retry_after="999"))
        old = MemoryTokens(stored(1, datetime.now(timezone.utc) + timedelta(seconds=5)))
        with FakeServer(api) as server, Perennial(server.url, "c", tokens=old) as client:
            client.auth.user()
        self.assertEqual(api.bearers(server), ["Bearer access-1"])
        ended = MemoryTokens(stored(1, datetime.now(timezone.utc)))
        with FakeServer(api) as server, Perennial(server.url, "c", tokens=ended) as client:
            with self.assertRaises(Problem):
                client.auth.user()
        self.assertEqual(api.bearers(server), [])

    def test_after_it_was_refused(self) -> None:
        api = Api()
        api.generation = 6
        store = MemoryTokens(stored(5))
        with FakeServer(api) as server, Perennial(server.url, "c", tokens=store) as client:
            client.auth.user()
        self.assertEqual(api.bearers(server), ["Bearer access-5", "Bearer access-7"])
        self.assertEqual(store.get().refresh_token, "refresh-7")  # type: ignore[union-attr]

    def test_once_for_twenty_threads(self) -> None:
        api = Api()
        api.generation = 6
        start = threading.Barrier(20)
        with FakeServer(api) as server, Perennial(server.url, "c", tokens=MemoryTokens(stored(5))) as client:

            def ask(_: int) -> str:
                start.wait()
                return client.auth.user().user.id

            with ThreadPoolExecutor(20) as threads:
                self.assertEqual(len(set(threads.map(ask, range(20)))), 1)
        self.assertEqual(api.refreshes, 1)

    def test_once_even_if_the_new_one_is_refused(self) -> None:
        api = Api()
        api.generation = 6

        def refuse(asked: Asked) -> Told:
            return api(asked) if asked.target == REFRESH else problem(401, "invalid_token")

        with FakeServer(refuse) as server, Perennial(server.url, "c", tokens=MemoryTokens(stored(5))) as client:
            with self.assertRaises(Problem) as caught:
                client.auth.user()
        self.assertEqual(caught.exception.code, "invalid_token")
        self.assertEqual(api.bearers(server), ["Bearer access-5", "Bearer access-7"])

    def test_again_if_the_answer_was_lost(self) -> None:
        api = Api(lambda count: LOST if count == 1 else None)
        store = MemoryTokens(stored(1))
        with FakeServer(api) as server, Perennial(server.url, "c", tokens=store, retries=SOON) as client:
            self.assertEqual(client.refresh().token, "access-2")
        self.assertEqual(api.refreshes, 2)

    def test_by_another_process_already(self) -> None:
        store = MemoryTokens(stored(5))

        def theirs_was_first(_: int) -> Told:
            store.set(stored(6))
            return problem(401, "refresh_token_reused")

        api = Api(theirs_was_first)
        api.generation = 6
        with FakeServer(api) as server, Perennial(server.url, "c", tokens=store) as client:
            client.auth.user()
        self.assertEqual(api.bearers(server), ["Bearer access-5", "Bearer access-6"])


class Over(unittest.TestCase):
    def test_a_session_that_ended_is_forgotten_and_says_why(self) -> None:
        api = Api(lambda _: problem(401, "refresh_token_expired"))
        api.generation = 6
        store = MemoryTokens(stored(5))
        with FakeServer(api) as server, Perennial(server.url, "c", tokens=store) as client:
            with self.assertRaises(Problem) as caught:
                client.auth.user()
            self.assertEqual(caught.exception.code, "refresh_token_expired")
            self.assertIsNone(store.get())
            with self.assertRaises(SignedOut):
                client.refresh()
        self.assertEqual(api.refreshes, 1)

    def test_a_refresh_that_failed_for_another_reason_keeps_the_tokens(self) -> None:
        refusals = (problem(401, "invalid_client"), problem(503, "overloaded", retry_after="999"), LOST)
        for refusal in refusals:
            api = Api(lambda _, refusal=refusal: refusal)  # type: ignore[misc]
            store = MemoryTokens(stored(1))
            with FakeServer(api) as server, Perennial(server.url, "c", tokens=store, retries=SOON) as client:
                with self.assertRaises(Exception):
                    client.refresh()
            self.assertEqual(store.get(), stored(1))

    def test_twenty_threads_hear_of_it_with_one_refresh(self) -> None:
        api = Api(lambda _: problem(401, "invalid_refresh_token"))
        api.generation = 6
        start = threading.Barrier(20)
        with FakeServer(api) as server, Perennial(server.url, "c", tokens=MemoryTokens(stored(5))) as client:

            def ask(_: int) -> str:
                start.wait()
                try:
                    client.auth.user()
                except Problem as failure:
                    return failure.code
                return "nothing"

            with ThreadPoolExecutor(20) as threads:
                codes = set(threads.map(ask, range(20)))
        self.assertLessEqual(codes, {"invalid_refresh_token", "invalid_token", "token_required"})
        self.assertEqual(api.refreshes, 1)

    def test_who_signs_in_meanwhile_stays_signed_in(self) -> None:
        store = MemoryTokens(stored(1))

        def somebody_signs_in(_: int) -> None:
            store.set(stored(9))

        api = Api(somebody_signs_in)
        with FakeServer(api) as server, Perennial(server.url, "c", tokens=store) as client:
            client.refresh()
        self.assertEqual(store.get(), stored(9))


if __name__ == "__main__":
    unittest.main()
