"""Webhooks: what our service signs, verified by this package and by the library that Standard Webhooks publishes."""

from __future__ import annotations

import json
import sys
import unittest
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest import mock

import standardwebhooks.webhooks
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from perennial_client import InvalidWebhook, verify_webhook
from perennial_client._webhooks import verified

VECTORS = json.loads((Path(__file__).parents[2] / "webhook-vectors.json").read_text())


def vector(name: str) -> Any:
    return next(known for known in VECTORS if known["name"] == name)


def time_of(known: Any) -> int:
    return int(known["headers"]["webhook-timestamp"])


class Signatures(unittest.TestCase):
    def test_of_the_service_are_verified(self) -> None:
        for known in VECTORS:
            for key in known["keys"]:
                body = verified(known["body"], known["headers"], key, tolerance=300, now=time_of(known))
                self.assertEqual(body, known["body"].encode())

    def test_are_verified_by_the_published_library(self) -> None:
        count = 0
        for known in VECTORS:
            now = datetime.fromtimestamp(time_of(known), timezone.utc)
            with mock.patch.object(standardwebhooks.webhooks, "datetime", wraps=datetime) as clock:
                clock.now.side_effect = lambda tz: now
                for key in known["keys"]:
                    if key.startswith("whsec_"):
                        count += 1
                        read = Webhook(key).verify(known["body"], known["headers"])
                        self.assertEqual(read, json.loads(known["body"]))
                        with self.assertRaises(WebhookVerificationError):
                            Webhook(key).verify(known["body"] + " ", known["headers"])
        self.assertEqual(count, 4)

    def test_give_the_event(self) -> None:
        for name in ("hmac", "ed25519", "rotation", "rotation-ed25519"):
            known = vector(name)
            headers = {key.upper(): value for key, value in known["headers"].items()}
            keys = ["whsec_b3RoZXI=", *known["keys"]]
            read = verify_webhook(known["body"].encode(), headers, keys, now=time_of(known))
            assert read.data is not None
            self.assertEqual((read.type, read.data["price"], read.test), ("plan.updated", Decimal("19.90"), True))

    def test_reject_what_was_changed_on_the_way(self) -> None:
        for name in ("hmac", "ed25519", "rotation"):
            known = vector(name)
            headers, body, keys, now = known["headers"], known["body"], known["keys"], time_of(known)
            other = headers["webhook-signature"].replace("v1,", "v2,").replace("v1a,", "v1,")
            changed = [
                (body + " ", headers),
                (body, headers | {"webhook-id": "evt_other"}),
                (body, headers | {"webhook-timestamp": str(now + 1)}),
                (body, headers | {"webhook-signature": other}),
                (body, headers | {"webhook-signature": "v1,%%% v1a, v1"}),
            ]
            for text, lines in changed:
                with self.assertRaises(InvalidWebhook):
                    verify_webhook(text, lines, keys, now=now)
            unrelated: tuple[str | list[str], ...] = ("whsec_b3RoZXI=", [])
            for wrong in unrelated:
                with self.assertRaisesRegex(InvalidWebhook, "No signature matches"):
                    verify_webhook(body, headers, wrong, now=now)

    def test_reject_what_is_too_old_too_new_or_not_whole(self) -> None:
        known = vector("hmac")
        headers, body, keys, now = known["headers"], known["body"], known["keys"], time_of(known)
        verify_webhook(body, headers, keys, now=now + 300)
        verify_webhook(body, headers, keys, now=now + 3000, tolerance=3000)
        for wrong in (now + 301, now - 301, None):
            with self.assertRaisesRegex(InvalidWebhook, "within 300 seconds"):
                verify_webhook(body, headers, keys, now=wrong)
        for timestamp in ("soon", "²", "1e9", "-1"):
            with self.assertRaises(InvalidWebhook):
                verify_webhook(body, headers | {"webhook-timestamp": timestamp}, keys, now=now)
        for name in headers:
            without = {key: value for key, value in headers.items() if key != name}
            with self.assertRaisesRegex(InvalidWebhook, f"{name} is missing"):
                verify_webhook(body, without, keys, now=now)

    def test_are_no_events_by_themselves(self) -> None:
        known = vector("published")
        with self.assertRaisesRegex(InvalidWebhook, "not an event"):
            verify_webhook(known["body"], known["headers"], known["keys"], now=time_of(known))

    def test_need_a_key(self) -> None:
        known = vector("hmac")
        for key in ("", "secret", "whsec_", "whpk_%"):
            with self.assertRaises(ValueError):
                verify_webhook(known["body"], known["headers"], key, now=time_of(known))

    def test_of_key_pairs_need_a_package(self) -> None:
        known = vector("ed25519")
        with mock.patch.dict(sys.modules, {"cryptography.exceptions": None}):
            with self.assertRaisesRegex(RuntimeError, "pip install cryptography"):
                verify_webhook(known["body"], known["headers"], known["keys"], now=time_of(known))


if __name__ == "__main__":
    unittest.main()
