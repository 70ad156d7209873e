"""Whose session a client holds, and its refresh: one at a time, however many threads need it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Protocol

from ._errors import PerennialError, Problem
from ._generated.types import Tokens

#: A token with less time left is refreshed before it is used rather than after it was refused.
MARGIN = timedelta(seconds=30)

#: Refusals of a refresh that no later one can undo. Any other leaves the tokens as they are.
SESSION_IS_OVER = frozenset({"invalid_refresh_token", "refresh_token_expired", "refresh_token_reused"})


@dataclass(frozen=True)
class StoredTokens:
    """A person's tokens, as a `TokenStore` keeps them. Both are secrets."""

    token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    #: When the access token ends, by the clock of this machine.
    expires_at: datetime

    @classmethod
    def of(cls, tokens: Tokens) -> StoredTokens:
        """The tokens that signing in or refreshing answered just now."""
        # The server's own instant would be wrong by what our clock is.
        ends = datetime.now(timezone.utc) + timedelta(seconds=tokens.expires_in)
        return cls(tokens.token, tokens.refresh_token, ends)


class TokenStore(Protocol):
    """Where the tokens of one person are. Processes that act for the same person must share one, since a refresh token
    is good once; the API gives them ten seconds to agree."""

    def get(self) -> StoredTokens | None:
        """The newest tokens; `None` when nobody is signed in."""
        ...

    def set(self, tokens: StoredTokens | None) -> None:
        """Keeps the newest tokens, or forgets them. What is not kept here is lost: the old ones end with this."""
        ...


class MemoryTokens:
    """Tokens for as long as the process lives."""

    def __init__(self, tokens: StoredTokens | None = None) -> None:
        self._tokens = tokens

    def get(self) -> StoredTokens | None:
        return self._tokens

    def set(self, tokens: StoredTokens | None) -> None:
        self._tokens = tokens


class Refresher:
    """The tokens of one client, and the single flight of their refresh."""

    def __init__(self, store: TokenStore, exchange: Callable[[str], Tokens]) -> None:
        self.store = store
        self._exchange = exchange
        self._lock = threading.Lock()
        self._flight: Future[StoredTokens] | None = None

    def begin(self, tokens: Tokens) -> None:
        """Somebody signed in."""
        with self._lock:
            self.store.set(StoredTokens.of(tokens))

    def end(self) -> None:
        """The session is over."""
        with self._lock:
            self.store.set(None)

    def access_token(self) -> str | None:
        """A token that is good for a while, refreshed first if need be; `None` when nobody is signed in."""
        tokens = self.store.get()
        left = MARGIN if tokens is None else tokens.expires_at - datetime.now(timezone.utc)
        if tokens is not None and left < MARGIN:
            try:
                tokens = self.refresh(tokens.token)
            except PerennialError as failure:
                # A server that cannot refresh just now may still take a token that has not ended.
                if _is_over(failure) or left <= timedelta():
                    raise
        return None if tokens is None else tokens.token

    def refresh(self, refused: str | None) -> StoredTokens | None:
        """The successor of the token that is no longer good; `None` when nobody is signed in. Threads that come
        meanwhile get the same one, or the same failure; who comes late gets what is there already."""
        used: str | None = None
        with self._lock:
            flight = self._flight
            if flight is None:
                current = self.store.get()
                if current is None or (refused is not None and current.token != refused):
                    return current
                used = current.refresh_token
                flight = self._flight = Future()
        return flight.result() if used is None else self._fly(flight, used)

    def _fly(self, flight: Future[StoredTokens], used: str) -> StoredTokens:
        try:
            tokens = self._successor(used)
        except BaseException as failure:
            self._land()
            flight.set_exception(failure)
            raise
        self._land()
        flight.set_result(tokens)
        return tokens

    def _land(self) -> None:
        with self._lock:
            self._flight = None

    def _successor(self, used: str) -> StoredTokens:
        try:
            tokens = StoredTokens.of(self._exchange(used))
        except Problem as problem:
            if not _is_over(problem):
                raise
            others = self._replace(used, None)
            if others is None:
                raise
            return others
        self._replace(used, tokens)
        return tokens

    def _replace(self, used: str, tokens: StoredTokens | None) -> StoredTokens | None:
        """Puts tokens where the used ones are. If they are no longer there, because another process was first or
        somebody else signed in, what is there stays and is answered."""
        with self._lock:
            current = self.store.get()
            if current is None or current.refresh_token != used:
                return current
            self.store.set(tokens)
            return None


def _is_over(failure: PerennialError) -> bool:
    return isinstance(failure, Problem) and failure.code in SESSION_IS_OVER
