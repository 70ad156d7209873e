"""The feed of events, followed for as long as the caller likes. At the end of the feed a call waits for the next event.

The cursor of a page is passed on only after all events of the page were handled: after a crash, the page is read again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from ._errors import PerennialError
from ._generated.types import Event
from ._pages import Page
from ._retries import is_passing
from ._wire import UNSET, Unset

#: The most that the service waits, in seconds.
WAIT = 25
#: A call that waits needs this much time, whatever the client's timeout is.
TIMEOUT = 35.0
#: The pause after a call that failed although it was retried, and after one that should have waited and did not.
PAUSE = 1.0


def follow(
    fetch: Callable[[str | Unset, str | Unset, int | Unset], Page[Event]],
    start: str,
    cursor: str | None,
    on_cursor: Callable[[str], object] | None,
    wait: int,
) -> Iterator[Event]:
    """Every event from a place in the feed on. `fetch` takes a cursor or a start, and how long to wait."""
    is_first = True
    while True:
        since = time.monotonic()
        try:
            # Without a cursor it does not wait, so that the caller has one to store from the first moment on.
            read = fetch(UNSET, start, UNSET) if cursor is None else fetch(cursor, UNSET, wait)
        except PerennialError as failure:
            # A mistake in the address should be noticed, and an outage later on should not end a consumer.
            if is_first or not is_passing(failure):
                raise
            time.sleep(max(PAUSE, failure.retry_after or 0.0))
            continue
        is_first = False
        yield from read.data
        is_end = cursor is not None and not read.data and not read.has_more
        if read.next_cursor is not None:
            cursor = read.next_cursor
            if on_cursor is not None:
                on_cursor(cursor)
        # A server that is stopping, or on which too many calls wait already, returns at once.
        if is_end and time.monotonic() - since < PAUSE:
            time.sleep(PAUSE)
