"""The feed: followed without a gap, from a cursor, through outages."""

from __future__ import annotations

import json
import pickle
import unittest
from unittest import mock
from urllib.parse import parse_qs, urlsplit

from perennial_client import ConnectionFailed, CursorGone, Perennial, Retries

from .fake_server import LOST, Asked, FakeServer, Told, problem, raw, script
from .records import event

SOON = Retries(first_wait=0.001)


def page(ids: list[str], cursor: str, has_more: bool = False) -> Told:
    about = {"next_cursor": cursor, "has_more": has_more, "limit": 200}
    return raw(json.dumps({"data": [event(id=name) for name in ids], "page": about}))


def asked_for(asked: Asked) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(asked.target).query).items()}


class Feed(unittest.TestCase):
    def test_is_followed_and_each_cursor_is_given_once_its_events_were_handled(self) -> None:
        pages = script(
            page([], "c0"),
            page(["a", "b"], "c1", True),
            page([], "c2", True),
            page(["c"], "c3"),
            page([], "c4"),
            page(["d"], "c5"),
        )
        log: list[str] = []
        with FakeServer(pages) as server, Perennial(server.url, "c") as client, mock.patch("time.sleep") as sleep:
            types = ["subscription.*", "payment.created"]
            for read in client.events(types=types, start="newest", on_cursor=log.append):
                log.append(read.id)
                if read.id == "d":
                    break
        self.assertEqual(log, ["c0", "a", "b", "c1", "c2", "c", "c3", "c4", "d"], "the page of `d` was not finished")
        common = {"type": "subscription.*,payment.created", "limit": "200"}
        cursors = [{"cursor": cursor, "wait": "25"} for cursor in ("c0", "c1", "c2", "c3", "c4")]
        places = [{"start": "newest"}, *cursors]
        self.assertEqual([asked_for(asked) for asked in server.asked], [common | place for place in places])
        # A call that should have waited and did not is not repeated at once.
        sleep.assert_called_once_with(1.0)

    def test_resumes_from_a_stored_cursor(self) -> None:
        with FakeServer(script(page(["a"], "c2"))) as server, Perennial(server.url, "c") as client:
            next(client.events(cursor="c1", types="plan.updated"))
        self.assertEqual(
            asked_for(server.asked[0]), {"type": "plan.updated", "wait": "25", "limit": "200", "cursor": "c1"}
        )

    def test_survives_an_outage_after_the_first_page(self) -> None:
        busy, limited = problem(503, "overloaded"), problem(429, "rate_limited")
        pages = script(page(["a"], "c1"), LOST, busy, limited, LOST, LOST, Told(502, b"<html>"), page(["b"], "c2"))
        with FakeServer(pages) as server, Perennial(server.url, "c", retries=SOON) as client:
            with mock.patch("time.sleep"):
                events = client.events()
                self.assertEqual([next(events).id, next(events).id], ["a", "b"])
        self.assertEqual([asked_for(asked).get("cursor") for asked in server.asked], [None] + ["c1"] * 7)

    def test_reports_an_outage_at_the_start(self) -> None:
        with FakeServer(script(LOST)) as server, Perennial(server.url, "c", retries=SOON) as client:
            with self.assertRaises(ConnectionFailed):
                next(client.events())

    def test_raises_what_to_know_if_the_cursor_is_gone(self) -> None:
        gone = problem(410, "cursor_gone", oldest="2026-11-01T00:00:00.000000Z", restored=True)
        with FakeServer(script(gone)) as server, Perennial(server.url, "c") as client:
            with self.assertRaises(CursorGone) as raised:
                next(client.events(cursor="old"))
        for failure in (raised.exception, pickle.loads(pickle.dumps(raised.exception))):
            assert failure.oldest is not None
            self.assertEqual((failure.oldest.isoformat(), failure.restored), ("2026-11-01T00:00:00+00:00", True))
        self.assertEqual(len(server.asked), 1)


if __name__ == "__main__":
    unittest.main()
