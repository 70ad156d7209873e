"""What can go wrong, by who said so: the API (`Problem`), the network, or something in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ._generated.types import ProblemCode
from ._wire import instant, optional


class PerennialError(Exception):
    """Every failure of this package."""

    #: How often the request was sent. Above one, an earlier attempt may have done what a later one then collided with.
    attempts: int = 1
    #: Seconds to wait before trying again, if the answer said so.
    retry_after: float | None = None


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with the input, and where: one of `pointer`, `parameter` and `header` is set."""

    code: str
    detail: str
    pointer: str | None = None
    parameter: str | None = None
    header: str | None = None


class Problem(PerennialError):
    """A refusal of the API (RFC 9457). `code` is stable; `detail` is for people."""

    def __init__(self, document: Mapping[str, Any], retry_after: float | None = None) -> None:
        #: All that was answered, with members that are not known here.
        self.document = dict(document)
        self.code: ProblemCode = document["code"]
        self.status: int = document["status"]
        self.title: str = document["title"]
        self.detail: str = document["detail"]
        self.type: str = document["type"]
        self.request_id: str = document["request_id"]
        #: All faults of the input at once.
        self.errors: tuple[Fault, ...] = tuple(
            Fault(
                code=fault["code"],
                detail=fault["detail"],
                pointer=fault.get("pointer"),
                parameter=fault.get("parameter"),
                header=fault.get("header"),
            )
            for fault in document.get("errors", ())
        )
        #: The scope that the client lacks.
        self.required_scope: str | None = document.get("required_scope")
        #: The record that has the external id already.
        self.conflicting_id: str | None = document.get("conflicting_id")
        #: How many subscriptions hold a plan that was to be deleted.
        self.subscriptions: int | None = document.get("subscriptions")
        #: The statuses that would have been allowed.
        self.allowed: tuple[str, ...] = tuple(document.get("allowed", ()))
        self.retry_after = retry_after
        super().__init__(self._sentence())

    def __reduce__(self) -> tuple[Any, ...]:
        # Queues of work hand failures from process to process.
        return type(self), (self.document, self.retry_after), {"attempts": self.attempts}

    def _sentence(self) -> str:
        places = (fault.pointer or fault.parameter or fault.header or "" for fault in self.errors)
        faults = "; ".join(f"{place} {fault.detail}" for place, fault in zip(places, self.errors))
        told = f"{self.detail} ({faults})" if faults else self.detail
        return f"{self.status} {self.code}: {told} [request {self.request_id}]"


class CursorGone(Problem):
    """The feed of events no longer continues at this cursor. Read your records again, then read the feed from
    `start="oldest"`."""

    def __init__(self, document: Mapping[str, Any], retry_after: float | None = None) -> None:
        super().__init__(document, retry_after)
        #: When the oldest event entered the feed.
        self.oldest: datetime | None = optional(instant, document.get("oldest"))
        #: False if the events after the cursor were pruned; true if the database was restored to an earlier state.
        self.restored: bool = document.get("restored", False)


class UnexpectedAnswer(PerennialError):
    """An answer that is not the API's: a proxy's page, or something else at this URL."""

    def __init__(self, status: int, body: bytes, retry_after: float | None = None) -> None:
        self.status = status
        self.retry_after = retry_after
        #: The beginning of what was answered.
        self.excerpt = body[:200].decode("utf-8", "replace")
        super().__init__(f"{status}, and no answer of Perennial's: {self.excerpt!r}. Check the base URL.")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, self.excerpt.encode(), self.retry_after), {"attempts": self.attempts}


class ConnectionFailed(PerennialError):
    """No answer came: the network failed or the time ran out. Its `__cause__` says how."""


class SignedOut(PerennialError):
    """A refresh was asked for, and there is nothing to refresh."""
