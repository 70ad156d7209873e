"""Values and their JSON: money stays exact, instants keep their zone, and what was not given is not sent."""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, Final, TypeVar

T = TypeVar("T")


class Unset(enum.Enum):
    """The kind of `UNSET`: an argument that was left out, which `None` is not."""

    UNSET = "unset"

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET


def decode(text: bytes) -> Any:
    """JSON with every number as it stands in the text: a `float` would lose cents."""
    return json.loads(text, parse_float=Decimal)


def encode(value: object) -> str:
    """JSON with a `Decimal` written digit by digit. The standard encoder would want a `float`."""
    if value is None or isinstance(value, (str, bool, int)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is not a number that can be sent.")
        return format(value, "f")
    if isinstance(value, datetime):
        return json.dumps(instant_text(value))
    if isinstance(value, Mapping):
        members = (f"{encode(str(name))}:{encode(member)}" for name, member in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return "[" + ",".join(encode(item) for item in value) + "]"
    if isinstance(value, float):
        raise TypeError(f"{value!r} is a float, which cannot hold cents exactly: send Decimal({str(value)!r}).")
    raise TypeError(f"{value!r} has no form in JSON.")


def given(members: Mapping[str, object]) -> dict[str, object]:
    """Only what the caller gave."""
    return {name: value for name, value in members.items() if value is not UNSET}


def query_text(value: object) -> str:
    """A value in the query of a URL."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return instant_text(value)
    return str(value)


def instant_text(value: datetime) -> str:
    """RFC 3339 in UTC."""
    if value.utcoffset() is None:
        raise ValueError(f"{value!r} has no time zone: give it one, such as tzinfo=timezone.utc.")
    return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def instant(text: str) -> datetime:
    """An instant of an answer, in UTC."""
    # Python 3.10 does not read `Z`.
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def money(number: int | Decimal) -> Decimal:
    """An amount of an answer. A whole one came without decimals."""
    return Decimal(number)


def optional(read: Callable[[Any], T], value: Any) -> T | None:
    """What may be null."""
    return None if value is None else read(value)
