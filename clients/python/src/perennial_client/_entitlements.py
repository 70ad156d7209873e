"""What users are entitled to, answered from memory. The feed of events names what has changed, and that is dropped.

An answer is kept only if the feed was open before the answer was asked for, and named nothing while it was on its way: no
change can fall in between.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from ._entitlement_entries import CachedEntitlements, EntitlementDecision, Entries, Entry, decide, reach
from ._errors import CursorGone, PerennialError, Problem
from ._events import WAIT
from ._generated.types import Event
from ._operation import Operation
from ._pages import Page, page, walk
from ._retries import is_passing
from ._wire import UNSET, Unset

if TYPE_CHECKING:
    from ._client import Perennial

TYPES = ("subscription.*", "plan.updated", "feature.*", "member.*", "usage.*")
#: The first pause after the feed failed, in seconds; each next one is twice as long.
PAUSE = 1.0
LONGEST_PAUSE = 30.0
LARGEST_NEED = 2**53 - 1

_READ = Operation(id="getEntitlements", method="GET", path="/users/{id}/entitlements", person="if_signed_in")
_CHECK = Operation(
    id="checkEntitlement", method="GET", path="/users/{id}/entitlements/{feature_key}", person="if_signed_in"
)
_MEMBERS = Operation(id="listMembers", method="GET", path="/subscriptions/{id}/members", person="if_signed_in")


class _Closed(Exception):
    """Ends the thread that follows the feed."""


class EntitlementCache:
    """Entitlements in memory. Threads may share it.

    The client needs the scopes `entitlements:read` and `events:read`; with `subscriptions:read` a change of a subscription
    drops its members only, and everyone otherwise. Quotas are always asked for.

    Answers are used for `stale_seconds` after the feed was last heard from. `on_unavailable` is what `check` returns if an
    answer is needed and the service gives none. At most `max_users` are kept. `on_feed_error` is called, on another thread,
    when the feed cannot be read; it is tried again."""

    def __init__(
        self,
        client: Perennial,
        *,
        stale_seconds: float = 300.0,
        on_unavailable: Literal["deny", "allow"] = "deny",
        max_users: int = 10_000,
        on_feed_error: Callable[[PerennialError], object] | None = None,
    ) -> None:
        if on_unavailable not in ("deny", "allow"):
            raise ValueError(f"`on_unavailable` is `deny` or `allow`; {on_unavailable!r} is neither.")
        self._client = client
        self._stale = stale_seconds
        self._unavailable = EntitlementDecision(on_unavailable == "allow", None, None, "unavailable")
        self._on_feed_error = on_feed_error
        self._lock = threading.Lock()
        self._entries = Entries(max_users)
        self._by_user = self._entries.by_user
        self._loading: dict[str, _Load] = {}
        #: Features whose use is counted. A feature's kind never changes.
        self._quotas: set[str] = set()
        #: When the feed was last heard from.
        self._heard_at = float("-inf")
        self._events = 0
        self._stop = threading.Event()
        self._now = time.time
        self._monotonic = time.monotonic
        threading.Thread(target=self._follow, name="perennial-entitlements", daemon=True).start()

    def get(self, user: str) -> CachedEntitlements:
        """All entitlements of a user. `used` and `remaining` of quotas are those of when they were read. If there is no
        answer in memory and the service gives none, the failure is raised; with `on_unavailable="allow"` the last answer
        is returned, if there was one."""
        entry = self._fresh(user)
        if entry is not None:
            return entry.answer
        try:
            return self._load(user)
        except PerennialError as failure:
            last = self._by_user.get(user) if self._unavailable.allowed and _is_unavailable(failure) else None
            if last is None:
                raise
            return last.answer

    def check(self, user: str, feature: str, need: int = 1) -> EntitlementDecision:
        """Whether a user may use a feature, or `need` of it."""
        entry = self._by_user.get(user)
        if entry is not None:
            known = entry.decisions.get(feature)
            if (
                known is not None
                and known[0] == need
                and self._monotonic() - self._heard_at <= self._stale
                and self._now() < entry.valid_until
            ):
                return known[1]
        return self._decide(user, feature, need)

    def close(self) -> None:
        """Stops following the feed. Every call asks the service from then on."""
        self._stop.set()
        with self._lock:
            self._heard_at = float("-inf")
            self._entries.clear()

    def __enter__(self) -> EntitlementCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _fresh(self, user: str) -> Entry | None:
        entry = self._by_user.get(user)
        if entry is None or self._monotonic() - self._heard_at > self._stale or self._now() >= entry.valid_until:
            return None
        return entry

    def _decide(self, user: str, feature: str, need: int) -> EntitlementDecision:
        if type(need) is not int or not 1 <= need <= LARGEST_NEED:
            raise ValueError(f"`need` must be an integer from 1 to {LARGEST_NEED}; {need} is not.")
        entry = self._fresh(user)
        known = None if entry is None else entry.decided(feature, need)
        if known is not None:
            return known
        try:
            return self._ask(user, feature, need)
        except PerennialError as failure:
            if not _is_unavailable(failure):
                raise
            return self._unavailable

    def _ask(self, user: str, feature: str, need: int) -> EntitlementDecision:
        if feature not in self._quotas and self._fresh(user) is None:
            decision = decide(self._load(user), feature, need)
            if decision is not None:
                return decision
        entry, events = self._fresh(user), self._events
        path = {"id": user, "feature_key": feature}
        answer = self._client.call(_CHECK, path=path, query={"need": need}).body["data"]
        decision = EntitlementDecision(answer["allowed"], answer["value"], answer["remaining"], answer["reason"])
        if answer["kind"] == "quota":
            self._quotas.add(feature)
        elif entry is not None and answer["value"] is None:
            with self._lock:
                if events == self._events:
                    entry.absent[feature] = decision
        return decision

    def _load(self, user: str) -> CachedEntitlements:
        """Asks the service. Calls at the same time share one request, unless the feed said something in between."""
        with self._lock:
            load = self._loading.get(user)
            is_mine = load is None or load.events != self._events
            if load is None or is_mine:
                load = self._loading[user] = _Load(self._events, self._heard_at > float("-inf"))
        if not is_mine:
            return load.wait()
        try:
            load.answer = CachedEntitlements.read(self._client.call(_READ, path={"id": user}).body["data"])
        except PerennialError as failure:
            load.failure = failure
        finally:
            with self._lock:
                if self._loading.get(user) is load:
                    del self._loading[user]
                is_current = load.is_covered and load.events == self._events and not self._stop.is_set()
                if load.answer is not None and is_current:
                    self._entries.put(user, load.answer)
            load.done.set()
        return load.wait()

    def _follow(self) -> None:
        cursor: str | None = None
        pause = PAUSE
        # The feed is heard from twice before an answer is stale.
        wait = int(min(max(self._stale / 2, 1), WAIT))

        def on_cursor(following: str) -> None:
            nonlocal cursor, pause
            cursor, pause = following, PAUSE
            with self._lock:
                if self._stop.is_set():
                    raise _Closed
                self._heard_at = self._monotonic()

        while not self._stop.is_set():
            try:
                events = self._client.events(
                    types=TYPES, start="newest", cursor=cursor, on_cursor=on_cursor, wait=wait
                )
                for event in events:
                    self._apply(event)
            except _Closed:
                return
            except PerennialError as failure:
                if isinstance(failure, CursorGone):
                    # Events were missed.
                    cursor = None
                    with self._lock:
                        self._heard_at = float("-inf")
                    self._forget()
                if self._on_feed_error is not None and not self._stop.is_set():
                    self._on_feed_error(failure)
                self._stop.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    def _apply(self, event: Event) -> None:
        reached = reach(event)
        if reached.everyone:
            self._forget()
            return
        with self._lock:
            self._events += 1
            for name in reached.names:
                self._entries.drop(name)
        if reached.members_of is not None and self._by_user:
            self._drop_members(reached.members_of)

    def _drop_members(self, subscription: str) -> None:
        """A member whom the subscription gave nothing until now does not have it among its sources."""

        def fetch(cursor: str | Unset) -> Page[str]:
            query = {"limit": 200, "cursor": cursor}
            answer = self._client.call(_MEMBERS, path={"id": subscription}, query=query)
            return page(answer.body, _user_id)

        try:
            users = tuple(walk(UNSET, fetch))
        except PerennialError as failure:
            if not (isinstance(failure, Problem) and failure.status == 404):
                self._forget()
            return
        with self._lock:
            for user in users:
                self._entries.drop(user)

    def _forget(self) -> None:
        with self._lock:
            self._events += 1
            self._entries.clear()


class _Load:
    """A request in progress, and how many events had been seen when it began."""

    def __init__(self, events: int, is_covered: bool) -> None:
        self.events = events
        self.is_covered = is_covered
        self.done = threading.Event()
        self.answer: CachedEntitlements | None = None
        self.failure: PerennialError | None = None

    def wait(self) -> CachedEntitlements:
        """The answer of the request, whoever sent it."""
        self.done.wait()
        if self.answer is not None:
            return self.answer
        raise self.failure or PerennialError("The request was interrupted.")


def _user_id(member: Any) -> str:
    return str(member["user_id"])


def _is_unavailable(failure: PerennialError) -> bool:
    """Whether the service could not answer. A refusal, such as of an unknown user, is an answer."""
    return is_passing(failure) or (isinstance(failure, Problem) and failure.status >= 500)
