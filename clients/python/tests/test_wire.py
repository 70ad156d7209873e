"""Money and instants, in and out."""

from __future__ import annotations

import json
import unittest
from datetime import datetime, timedelta, timezone
from decimal import Decimal

from perennial_client import UNSET
from perennial_client._wire import decode, encode, given, instant, instant_text, money, query_text


class Money(unittest.TestCase):
    def test_is_exact_where_a_float_is_not(self) -> None:
        text = "999999999999.9999"
        self.assertEqual(money(decode(text.encode())), Decimal(text))
        self.assertEqual(encode(Decimal(text)), text)
        self.assertEqual(encode({"amount": Decimal("0.10")}), '{"amount":0.10}')

    def test_has_no_exponent(self) -> None:
        self.assertEqual(encode(Decimal("1E+3")), "1000")
        self.assertEqual(encode(Decimal("1E-4")), "0.0001")

    def test_may_be_whole(self) -> None:
        self.assertEqual(money(decode(b"20")), Decimal(20))
        self.assertEqual(encode(20), "20")

    def test_is_never_a_float(self) -> None:
        with self.assertRaisesRegex(TypeError, r"Decimal\('19.99'\)"):
            encode({"price": 19.99})
        with self.assertRaises(ValueError):
            encode(Decimal("NaN"))


class Texts(unittest.TestCase):
    def test_are_json(self) -> None:
        value = {"a\n": ["\"ü\" \u2028", True, None, {}], "b": []}
        self.assertEqual(json.loads(encode(value)), value)

    def test_what_was_left_out_is_not_sent_and_none_is(self) -> None:
        self.assertEqual(given({"a": UNSET, "b": None}), {"b": None})

    def test_in_a_query(self) -> None:
        self.assertEqual([query_text(True), query_text(3), query_text("x")], ["true", "3", "x"])


class Instants(unittest.TestCase):
    def test_keep_their_microseconds(self) -> None:
        text = "2026-01-31T09:30:00.000001Z"
        self.assertEqual(instant_text(instant(text)), text)

    def test_are_sent_in_utc(self) -> None:
        east = datetime(2026, 1, 31, 11, 30, tzinfo=timezone(timedelta(hours=2)))
        self.assertEqual(instant_text(east), "2026-01-31T09:30:00Z")

    def test_need_a_zone(self) -> None:
        with self.assertRaisesRegex(ValueError, "time zone"):
            instant_text(datetime(2026, 1, 31))


if __name__ == "__main__":
    unittest.main()
