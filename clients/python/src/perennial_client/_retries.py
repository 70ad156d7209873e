"""Which requests may be sent again, and when. Nothing here sends anything."""

from __future__ import annotations

import random
from dataclasses import dataclass

from ._errors import PerennialError, Problem, UnexpectedAnswer, ConnectionFailed
from ._operation import Operation

#: With these codes the API says that it changed nothing, whatever was asked.
NOTHING_CHANGED = frozenset(
    {
        "contended",
        "identity_provider_unavailable",
        "idempotency_in_flight",
        "overloaded",
        "rate_limited",
        "shutting_down",
        "storage_unavailable",
    }
)

#: Whether the request was carried out is open, or it was not; another time it may be.
PASSING = frozenset({408, 429, 502, 503, 504})


@dataclass(frozen=True)
class Retries:
    """How often a call is tried, and how long to wait in between, in seconds."""

    #: With the first one; 1 means never again.
    attempts: int = 4
    #: About how long the first wait is; each further one is twice as long.
    first_wait: float = 0.25
    #: How long a wait may be. Who is told to come back later than that (`Retry-After`) gets the problem at once.
    longest_wait: float = 30.0

    def wait(self, attempt: int, failure: PerennialError) -> float | None:
        """How long to wait after this attempt, the first being 1; `None` to give up."""
        if attempt >= self.attempts:
            return None
        ceiling = min(self.longest_wait, self.first_wait * 2 ** (attempt - 1))
        # Between half and all of it, so that clients that failed together do not come back together.
        wait = ceiling * random.uniform(0.5, 1.0)
        asked = failure.retry_after or 0.0
        return None if asked > self.longest_wait else max(wait, asked)


def may_repeat(operation: Operation, failure: PerennialError) -> bool:
    """Whether sending the same request again can do no harm and may do good."""
    if isinstance(failure, Problem) and failure.code in NOTHING_CHANGED:
        return True
    if isinstance(failure, (Problem, UnexpectedAnswer)) and failure.status == 429:
        return True
    return operation.repeatable and is_passing(failure)


def is_passing(failure: PerennialError) -> bool:
    """Whether a read may succeed later."""
    if isinstance(failure, Problem) and failure.code in NOTHING_CHANGED:
        return True
    if isinstance(failure, (Problem, UnexpectedAnswer)):
        return failure.status in PASSING
    return isinstance(failure, ConnectionFailed)
