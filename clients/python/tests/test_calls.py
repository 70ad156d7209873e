"""Requests and answers: what is sent, what comes back, and what is raised."""

from __future__ import annotations

import json
import pickle
import threading
import unittest
from decimal import Decimal

from perennial_client import Perennial, Problem, Retries, UnexpectedAnswer, ConnectionFailed

from .fake_server import Asked, FakeServer, Told, data, problem, raw, script
from .records import plan

ONCE = Retries(attempts=1)


class Records(unittest.TestCase):
    def test_are_typed_and_exact(self) -> None:
        answer = json.dumps({"data": plan()}).replace("19.99", "999999999999.99")
        with FakeServer(script(raw(answer))) as server, Perennial(server.url, "pk_1") as client:
            read = client.plans.get("pro")
        self.assertEqual(read.price, Decimal("999999999999.99"))
        self.assertEqual(read.variants, ("eu",))
        self.assertEqual(read.created_at.isoformat(), "2026-01-31T09:30:00+00:00")

    def test_may_grow_members_and_words(self) -> None:
        newer = plan(colour="green", billing_cycle="hourly")
        with FakeServer(script(data(newer))) as server, Perennial(server.url, "pk_1") as client:
            self.assertEqual(client.plans.get("pro").billing_cycle, "hourly")

    def test_carry_their_entity_tag(self) -> None:
        answers = script(data(plan(), etag='"r1"'), data(plan(), etag='"r2"'))
        with FakeServer(answers) as server, Perennial(server.url, "pk_1") as client:
            read = client.plans.get("pro")
            client.plans.update("pro", price=Decimal("5"), if_match=read.etag)
        self.assertEqual(server.asked[1].headers["if-match"], '"r1"')
        self.assertEqual(server.asked[1].body, b'{"price":5}')

    def test_of_a_list_cannot_be_matched(self) -> None:
        page = {"data": [plan()], "page": {"next_cursor": None, "has_more": False, "limit": 1}}
        with FakeServer(script(raw(json.dumps(page)))) as server, Perennial(server.url, "c") as client:
            (listed,) = client.plans.list().data
            with self.assertRaisesRegex(ValueError, "entity tag"):
                client.plans.delete("pro", if_match=listed.etag)
        self.assertEqual(len(server.asked), 1)

    def test_that_have_not_changed_are_not_read_again(self) -> None:
        with FakeServer(script(Told(304, headers={"etag": '"r1"'}))) as server, Perennial(server.url, "c") as client:
            self.assertIsNone(client.plans.get_if_changed("pro", '"r1"'))
        self.assertEqual(server.asked[0].headers["if-none-match"], '"r1"')


class Requests(unittest.TestCase):
    def test_send_what_was_given(self) -> None:
        with FakeServer(script(data(plan(), 201))) as server, Perennial(server.url + "/billing/", "pk_1") as client:
            client.plans.create(
                name="Pro", slug="pro", price=Decimal("0.10"), billing_cycle="monthly", product_id=None
            )
        (asked,) = server.asked
        self.assertEqual((asked.method, asked.target), ("POST", "/billing/subscription-plans"))
        self.assertEqual(
            asked.body, b'{"name":"Pro","product_id":null,"slug":"pro","price":0.10,"billing_cycle":"monthly"}'
        )
        self.assertEqual(asked.headers["client-id"], "pk_1")
        self.assertEqual(asked.headers["content-type"], "application/json")

    def test_paths_and_queries_are_encoded(self) -> None:
        page = {"data": [], "page": {"next_cursor": None, "has_more": False, "limit": 1}}
        with FakeServer(script(raw(json.dumps(page)))) as server, Perennial(server.url, "c") as client:
            client.plans.list(product_id="a&b +", is_active=True, limit=1)
        self.assertEqual(server.asked[0].target, "/subscription-plans?is_active=true&product_id=a%26b%20%2B&limit=1")
        with FakeServer(script(data(plan()))) as server, Perennial(server.url, "c") as client:
            client.plans.get("a/../b")
        self.assertEqual(server.asked[0].target, "/subscription-plans/a%2F..%2Fb")

    def test_an_empty_id_is_not_the_list(self) -> None:
        with Perennial("http://127.0.0.1:1", "c") as client:
            for slug in ("", ".."):
                with self.assertRaises(ValueError):
                    client.plans.delete(slug)

    def test_use_one_connection_after_the_other(self) -> None:
        with FakeServer(script(data(plan()))) as server, Perennial(server.url, "c") as client:
            for _ in range(5):
                client.plans.get("pro")
            client.with_options(timeout=5).plans.get("pro")
        self.assertEqual(server.connections, 1)

    def test_a_connection_that_was_closed_at_rest_is_not_used(self) -> None:
        answer = Told(200, json.dumps({"data": plan()}).encode(), hangs_up=True)
        with FakeServer(script(answer)) as server, Perennial(server.url, "c", retries=ONCE) as client:
            for _ in range(3):
                client.plans.get("pro")
                server.closed.acquire(timeout=10)
        self.assertEqual(server.connections, 3)

    def test_do_not_wait_for_ever(self) -> None:
        over = threading.Event()

        def once(asked: Asked) -> Told:
            if len(server.asked) > 1:
                over.wait(2)
            return data(plan())

        with FakeServer(once) as server, Perennial(server.url, "c", retries=ONCE) as client:
            client.plans.get("pro")
            hasty = client.with_options(timeout=0.05)
            # On the connection that is there, and then on a new one.
            for _ in range(2):
                with self.assertRaises(ConnectionFailed) as caught:
                    hasty.plans.get("pro")
                self.assertIsInstance(caught.exception.__cause__, TimeoutError)
            over.set()


class Refusals(unittest.TestCase):
    def test_are_problems_with_all_their_faults(self) -> None:
        faults = [
            {"pointer": "/price", "code": "out_of_range", "detail": "must not be negative"},
            {"pointer": "/slug", "code": "required", "detail": "is required"},
        ]
        refused = problem(422, "invalid_input", errors=faults)
        with FakeServer(script(refused)) as server, Perennial(server.url, "c") as client:
            with self.assertRaises(Problem) as caught:
                client.plans.create(name="x", slug="", price=-1, billing_cycle="monthly")
        told = caught.exception
        self.assertEqual((told.status, told.code, told.request_id), (422, "invalid_input", "req_1"))
        self.assertEqual([fault.pointer for fault in told.errors], ["/price", "/slug"])
        self.assertIn("/price must not be negative", str(told))
        self.assertEqual(len(server.asked), 1)

    def test_carry_what_helps(self) -> None:
        answers = script(
            problem(409, "plan_in_use", subscriptions=3), problem(409, "invalid_transition", allowed=["active"])
        )
        with FakeServer(answers) as server, Perennial(server.url, "c") as client:
            with self.assertRaises(Problem) as caught:
                client.plans.delete("pro")
            self.assertEqual(caught.exception.subscriptions, 3)
            with self.assertRaises(Problem) as caught:
                client.subscriptions.update("sub_1", status="pending")
            self.assertEqual(caught.exception.allowed, ("active",))

    def test_go_from_process_to_process(self) -> None:
        document = json.loads(problem(409, "invalid_transition", allowed=["active"]).body)
        told = Problem(document, 3.0)
        told.attempts = 2
        for failure in (told, UnexpectedAnswer(502, b"<html>"), ConnectionFailed("lost")):
            copy = pickle.loads(pickle.dumps(failure))
            self.assertEqual((str(copy), copy.attempts), (str(failure), failure.attempts))
        self.assertEqual(pickle.loads(pickle.dumps(told)).allowed, ("active",))

    def test_a_page_of_a_proxy_is_no_problem_of_ours(self) -> None:
        for told in (Told(404, b"<html>nothing here</html>"), Told(200, b"<html>"), Told(302, b"")):
            with FakeServer(script(told)) as server, Perennial(server.url, "c") as client:
                with self.assertRaises(UnexpectedAnswer) as caught:
                    client.plans.get("pro")
                self.assertEqual(caught.exception.status, told.status)

    def test_no_answer_is_unreachable(self) -> None:
        with Perennial("http://127.0.0.1:1", "c", retries=ONCE) as client:
            with self.assertRaises(ConnectionFailed) as caught:
                client.plans.get("pro")
        self.assertIsInstance(caught.exception.__cause__, OSError)


class Lists(unittest.TestCase):
    def answer(self, asked: Asked) -> Told:
        pages = {
            "/subscription-plans?tier=1&limit=2": (["a", "b"], "c1"),
            "/subscription-plans?tier=1&limit=2&cursor=c1": ([], "c2"),
            "/subscription-plans?tier=1&limit=2&cursor=c2": (["c"], None),
        }
        slugs, cursor = pages[asked.target]
        page = {"next_cursor": cursor, "has_more": cursor is not None, "limit": 2}
        return raw(json.dumps({"data": [plan(slug=slug) for slug in slugs], "page": page}))

    def test_are_walked_page_by_page_past_an_empty_one(self) -> None:
        with FakeServer(self.answer) as server, Perennial(server.url, "c") as client:
            walk = client.plans.each(tier=1, limit=2)
            self.assertEqual(len(server.asked), 0)
            self.assertEqual(next(walk).slug, "a")
            self.assertEqual(len(server.asked), 1)
            self.assertEqual([plan.slug for plan in walk], ["b", "c"])

    def test_a_page_says_where_the_next_begins(self) -> None:
        with FakeServer(self.answer) as server, Perennial(server.url, "c") as client:
            page = client.plans.list(tier=1, limit=2)
        self.assertEqual((len(page.data), page.next_cursor, page.has_more, page.limit), (2, "c1", True, 2))


if __name__ == "__main__":
    unittest.main()
