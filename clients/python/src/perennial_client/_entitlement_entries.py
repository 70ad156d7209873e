"""The answers of `EntitlementCache`: by user, and by whatever else they name, so that an event drops what it concerns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ._generated.types import Event
from ._wire import instant, optional

#: What of a subscription decides what it grants. A renewal, for example, changes none of it.
DECISIVE = (
    "user_id",
    "subscription_plan_id",
    "status",
    "is_active",
    "has_access",
    "starts_at",
    "ends_at",
    "quantity",
    "entitlements",
)


@dataclass(frozen=True)
class EntitlementDecision:
    """Whether a user may use a feature."""

    allowed: bool
    value: bool | int | Literal["unlimited"] | None
    #: What is left of a quota; `None` for other kinds.
    remaining: int | Literal["unlimited"] | None
    #: `None` if allowed. The API's reasons, and `unavailable` if the service gave no answer.
    reason: str | None


@dataclass(frozen=True)
class CachedEntitlements:
    """All entitlements of a user."""

    user_id: str
    #: When the clock alone changes the answer.
    valid_until: datetime | None
    truncated: bool
    #: By the key of the feature: `kind`, `value`, `used`, `remaining`, `resets_at`, `sources`.
    entitlements: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> CachedEntitlements:
        """From the members of its JSON."""
        valid_until = optional(instant, members["valid_until"])
        return cls(members["user_id"], valid_until, members["truncated"], members["entitlements"])


class Entry:
    """One user's answer, and what was decided from it."""

    __slots__ = ("answer", "valid_until", "decisions", "absent")

    def __init__(self, answer: CachedEntitlements) -> None:
        self.answer = answer
        #: Seconds since 1970.
        self.valid_until = float("inf") if answer.valid_until is None else answer.valid_until.timestamp()
        #: The last decision of each feature, with its need.
        self.decisions: dict[str, tuple[int, EntitlementDecision]] = {}
        #: The service's word on features that the user does not have, whatever the need.
        self.absent: dict[str, EntitlementDecision] = {}

    def decided(self, feature: str, need: int) -> EntitlementDecision | None:
        """What follows from the answer, unless the service must be asked."""
        decision = decide(self.answer, feature, need) or self.absent.get(feature)
        if decision is not None:
            self.decisions[feature] = (need, decision)
        return decision


class Entries:
    """The answers. The caller holds a lock while it changes them; `by_user` may be read without."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.by_user: dict[str, Entry] = {}
        #: The users whose answers name this user or subscription.
        self._named: dict[str, set[str]] = {}

    def put(self, user: str, answer: CachedEntitlements) -> None:
        """Keeps an answer, in place of the oldest one if there are too many."""
        self._remove(user)
        while len(self.by_user) >= self._most:
            self._remove(next(iter(self.by_user)))
        self.by_user[user] = Entry(answer)
        for name in _names(answer):
            self._named.setdefault(name, set()).add(user)

    def drop(self, name: str) -> None:
        """Drops the answers that name this user or subscription."""
        for user in tuple(self._named.get(name, ())):
            self._remove(user)

    def clear(self) -> None:
        """Drops all."""
        self.by_user.clear()
        self._named.clear()

    def _remove(self, user: str) -> None:
        entry = self.by_user.pop(user, None)
        if entry is None:
            return
        for name in _names(entry.answer):
            users = self._named.get(name, set())
            users.discard(user)
            if not users:
                self._named.pop(name, None)


def _names(answer: CachedEntitlements) -> set[str]:
    granted = answer.entitlements.values()
    return {answer.user_id} | {source["subscription_id"] for one in granted for source in one["sources"]}


def decide(answer: CachedEntitlements, feature: str, need: int) -> EntitlementDecision | None:
    """The rule of the API. `None` for a quota, whose use is counted by the service, and for a feature that is absent."""
    granted = answer.entitlements.get(feature)
    if granted is None or granted["kind"] == "quota":
        return None
    value = granted["value"]
    if isinstance(value, bool):
        allowed = value
    else:
        allowed = value == "unlimited" or value >= need
    reason = None if allowed else "not_granted" if not value else "limit_reached"
    return EntitlementDecision(allowed, value, None, reason)


@dataclass(frozen=True)
class Reached:
    """Whose entitlements an event may have changed."""

    #: Users and subscriptions: all answers that name one of them.
    names: tuple[str, ...] = ()
    #: A subscription whose members are concerned even if their answers do not name it.
    members_of: str | None = None
    everyone: bool = False


def reach(event: Event) -> Reached:
    """Whose entitlements an event of the feed may have changed."""
    kind, _, action = str(event.type).partition(".")
    if kind == "usage":
        return Reached((event.record_id,))
    if event.data is None or kind not in ("member", "subscription"):
        return Reached(everyone=True)
    before = event.before or {}
    owners = tuple(str(record["user_id"]) for record in (event.data, before) if "user_id" in record)
    if kind == "member":
        return Reached(owners)
    names = (event.record_id, *owners)
    # A new one has no members, and a deleted one takes away only what answers name.
    is_known = action in ("created", "deleted")
    is_decisive = event.before is None or any(event.data.get(name) != before.get(name) for name in DECISIVE)
    return Reached(names, event.record_id if is_decisive and not is_known else None)
