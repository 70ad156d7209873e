"""What is sent again, with what key, and after how long."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from unittest import mock

from perennial_client import Perennial, PerennialError, Problem, Retries, ConnectionFailed
from perennial_client._retries import may_repeat

from .fake_server import LOST, FakeServer, Told, data, problem, script
from .records import plan, tokens

BUSY = problem(503, "overloaded", retry_after="0")
SOON = Retries(first_wait=0.001)
Act = Callable[[Perennial], object]


def create(client: Perennial) -> object:
    return client.plans.create(name="Pro", slug="pro", price=1, billing_cycle="monthly")


def sign_in(client: Perennial) -> object:
    return client.auth.sign_in(access_token="t", email="ada@example.com")


class Sent(unittest.TestCase):
    def times(self, act: Act, *answers: Told) -> int:
        """How often it was sent until the last answer."""
        with FakeServer(script(*answers)) as server, Perennial(server.url, "c", retries=SOON) as client:
            try:
                act(client)
            except PerennialError as failure:
                self.assertEqual(failure.attempts, len(server.asked))
            return len(server.asked)

    def test_a_create_is_repeated_with_one_key(self) -> None:
        answers = script(LOST, Told(502, b"<html>"), problem(503, "outcome_unknown"), data(plan(), 201))
        with FakeServer(answers) as server, Perennial(server.url, "c", retries=SOON) as client:
            create(client)
            create(client)
        keys = [asked.headers["idempotency-key"] for asked in server.asked]
        self.assertEqual(len(keys), 5)
        self.assertEqual(len(set(keys[:4])), 1)
        self.assertNotEqual(keys[4], keys[0])

    def test_a_key_of_the_callers_own_is_used(self) -> None:
        with FakeServer(script(data(plan(), 201))) as server, Perennial(server.url, "c") as client:
            client.plans.create(name="P", slug="p", price=1, billing_cycle="monthly", idempotency_key="mine")
        self.assertEqual(server.asked[0].headers["idempotency-key"], "mine")

    def test_reads_updates_and_deletes_are_repeated(self) -> None:
        acts: list[Act] = [
            lambda client: client.plans.get("pro"),
            lambda client: client.plans.update("pro", tier=2),
            lambda client: client.plans.delete("pro"),
        ]
        for act in acts:
            self.assertEqual(self.times(act, LOST, BUSY, data(plan())), 3)

    def test_a_sign_in_is_repeated_only_if_nothing_was_done(self) -> None:
        self.assertEqual(self.times(sign_in, BUSY, data(tokens(1))), 2)
        self.assertEqual(self.times(sign_in, problem(429, "rate_limited", retry_after="0"), data(tokens(1))), 2)
        self.assertEqual(self.times(sign_in, LOST, data(tokens(1))), 1)
        self.assertEqual(self.times(sign_in, Told(503, b"<html>"), data(tokens(1))), 1)
        self.assertEqual(self.times(sign_in, problem(503, "outcome_unknown"), data(tokens(1))), 1)

    def test_a_refusal_is_final(self) -> None:
        for status, code in ((400, "invalid_parameter"), (404, "not_found"), (409, "slug_taken"), (500, "internal")):
            self.assertEqual(self.times(create, problem(status, code), data(plan(), 201)), 1)

    def test_a_key_in_flight_is_waited_for(self) -> None:
        self.assertEqual(self.times(create, problem(409, "idempotency_in_flight"), data(plan(), 201)), 2)

    def test_it_ends(self) -> None:
        self.assertEqual(self.times(create, LOST), 4)

    def test_or_never_begins(self) -> None:
        with FakeServer(script(LOST)) as server:
            with Perennial(server.url, "c", retries=Retries(attempts=1)) as client, self.assertRaises(ConnectionFailed):
                create(client)
        self.assertEqual(len(server.asked), 1)


class Waits(unittest.TestCase):
    failure = ConnectionFailed("the network is down")

    def busy(self, seconds: float | None) -> Problem:
        document = {"code": "overloaded", "status": 503, "title": "", "detail": "", "type": "", "request_id": ""}
        return Problem(document, seconds)

    def test_grow_and_differ_and_end(self) -> None:
        retries = Retries(attempts=9, first_wait=1, longest_wait=5)
        for attempt, ceiling in ((1, 1), (2, 2), (3, 4), (4, 5), (8, 5)):
            waits = {retries.wait(attempt, self.failure) for _ in range(50)}
            self.assertGreater(len(waits), 1)
            for wait in waits:
                assert wait is not None
                self.assertTrue(ceiling / 2 <= wait <= ceiling, wait)
        self.assertIsNone(retries.wait(9, self.failure))

    def test_are_as_long_as_the_server_asks_within_reason(self) -> None:
        self.assertEqual(Retries().wait(1, self.busy(7)), 7)
        self.assertIsNone(Retries(longest_wait=30).wait(1, self.busy(31)))

    def test_happen(self) -> None:
        answers = script(problem(503, "overloaded", retry_after="3"), data(plan()))
        with FakeServer(answers) as server, Perennial(server.url, "c") as client, mock.patch("time.sleep") as sleep:
            client.plans.get("pro")
        sleep.assert_called_once_with(3.0)

    def test_an_unknown_failure_is_not_repeated(self) -> None:
        from perennial_client._generated.operations import LIST_PLANS

        self.assertFalse(may_repeat(LIST_PLANS, PerennialError("?")))


if __name__ == "__main__":
    unittest.main()
