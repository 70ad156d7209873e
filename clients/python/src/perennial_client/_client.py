"""The client: carries operations out with retries, and with a person's token where one is asked for."""

from __future__ import annotations

import copy
import email.utils
import http.client
import ssl
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from ._errors import CursorGone, PerennialError, Problem, SignedOut, UnexpectedAnswer, ConnectionFailed
from ._events import TIMEOUT, WAIT, follow
from ._generated.operations import REFRESH_TOKEN, Resources
from ._generated.types import Event, EventType, Tokens
from ._generated.version import VERSION
from ._operation import Answer, Operation, target
from ._retries import Retries, may_repeat
from ._session import MemoryTokens, Refresher, StoredTokens, TokenStore
from ._transport import Reply, Transport
from ._pages import Page
from ._wire import UNSET, Unset, decode, encode, given, query_text

USER_AGENT = f"perennial-python/{VERSION}"
BEGIN_A_SESSION = frozenset({"signUp", "signIn", "refreshToken"})
END_THE_SESSION = frozenset({"logout", "revokeAllTokens", "deleteMyAccount"})


class Perennial(Resources):
    """A client of one Perennial server. Threads may share it.

    `client_id` names the client as the operator created it. `tokens` is where the signed-in person's tokens are kept;
    in memory unless given. `timeout` is in seconds, for each wait on the network.
    """

    def __init__(
        self,
        base_url: str,
        client_id: str,
        *,
        tokens: TokenStore | None = None,
        timeout: float = 30.0,
        retries: Retries | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        if not client_id:
            raise ValueError("A client id is needed: the operator has it from `perennial client create`.")
        self._transport = Transport(base_url, ssl_context)
        self._client_id = client_id
        self._timeout = timeout
        self._retries = retries or Retries()
        self._token: str | None = None
        self._session = Refresher(tokens or MemoryTokens(), self._exchange_refresh_token)
        super().__init__(self)

    def with_options(
        self,
        *,
        tokens: TokenStore | None = None,
        token: str | None = None,
        timeout: float | None = None,
        retries: Retries | None = None,
    ) -> Perennial:
        """The same client with something else about it; connections are shared. With `tokens` it acts for another
        person, as a server does that has many of them; with `token` too, an access token that somebody sent along, which
        is not refreshed."""
        other = copy.copy(self)
        if tokens is not None:
            other._token, other._session = None, Refresher(tokens, other._exchange_refresh_token)
        if token is not None:
            other._token, other._session = token, Refresher(MemoryTokens(), other._exchange_refresh_token)
        other._timeout = self._timeout if timeout is None else timeout
        other._retries = retries or self._retries
        Resources.__init__(other, other)
        return other

    def events(
        self,
        *,
        types: str | Sequence[EventType | str] = (),
        start: str | datetime = "oldest",
        cursor: str | None = None,
        on_cursor: Callable[[str], object] | None = None,
        wait: int = WAIT,
    ) -> Iterator[Event]:
        """Every event from a place in the feed on, in order, without an end: it waits for the next one.

        `types` are like `payment.created` or `subscription.*`; all unless given. `start` is `oldest`, `newest` or a time;
        `cursor`, if given, takes precedence. `on_cursor` is called after all events of a page were handled, and after an
        empty page: store the cursor, and pass it as `cursor` to continue there. A call waits for the next event for `wait`
        seconds, 1 to 25. An outage is waited for; a `CursorGone` is raised."""
        patient = self.with_options(timeout=max(self._timeout, TIMEOUT))
        kinds = (types if isinstance(types, str) else ",".join(types)) or UNSET

        def fetch(cursor: str | Unset, start: str | Unset, wait: int | Unset) -> Page[Event]:
            return patient.feed.list(type=kinds, cursor=cursor, start=start, wait=wait, limit=200)

        return follow(fetch, query_text(start), cursor, on_cursor, wait)

    @property
    def tokens(self) -> StoredTokens | None:
        """The signed-in person's tokens."""
        return self._session.store.get()

    def refresh(self) -> StoredTokens:
        """Exchanges the tokens now. Calls do it by themselves when a token is about to end or was refused."""
        tokens = self._session.refresh(None)
        if tokens is None:
            raise SignedOut("Nobody is signed in with this client: sign in first.")
        return tokens

    def close(self) -> None:
        """Closes the connections at rest. The client opens new ones if it is used again."""
        self._transport.close()

    def __enter__(self) -> Perennial:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(
        self,
        operation: Operation,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        headers: Mapping[str, object] | None = None,
    ) -> Answer:
        """Sends a request, again if need be, and answers its success. The methods of the resources are made of this."""
        answer = self._carry_out(operation, path, query, body, headers)
        if operation.id in BEGIN_A_SESSION:
            self._session.begin(Tokens.read(answer.body["data"]))
        elif operation.id in END_THE_SESSION:
            self._session.end()
        return answer

    def _carry_out(
        self,
        operation: Operation,
        path: Mapping[str, str] | None,
        query: Mapping[str, object] | None,
        body: Mapping[str, object] | None,
        headers: Mapping[str, object] | None,
    ) -> Answer:
        where = target(operation, path, query)
        lines = {"client-id": self._client_id, "accept": "application/json", "user-agent": USER_AGENT}
        for name, value in given(headers or {}).items():
            if value is None:
                # To leave it out in silence would undo the very guard that was asked for.
                raise ValueError(f"{name} is None. A record from a list has no entity tag: get it by itself first.")
            lines[name] = str(value)
        if operation.takes_key:
            # One key for all attempts: that is what makes a create safe to repeat.
            lines.setdefault("idempotency-key", str(uuid.uuid4()))
        content = None
        if body is not None:
            content = encode(given(body)).encode()
            lines["content-type"] = "application/json"
        elif operation.method == "POST":
            content = b""
        return self._with_a_token(operation, where, lines, content)

    def _with_a_token(
        self, operation: Operation, where: str, lines: dict[str, str], content: bytes | None
    ) -> Answer:
        if operation.person == "never":
            return self._until_answered(operation, where, lines, content)
        token = self._token or self._session.access_token()
        if token is None:
            return self._until_answered(operation, where, lines, content)
        try:
            return self._until_answered(operation, where, lines | {"authorization": f"Bearer {token}"}, content)
        except Problem as problem:
            # The token ended sooner than our clock says, or with its session.
            renewed = self._session.refresh(token) if problem.code == "invalid_token" else None
            if renewed is None:
                raise
        # It was refused before anything was done, so one more time is safe.
        lines = lines | {"authorization": f"Bearer {renewed.token}"}
        return self._until_answered(operation, where, lines, content)

    def _until_answered(
        self, operation: Operation, where: str, lines: dict[str, str], content: bytes | None
    ) -> Answer:
        attempt = 1
        while True:
            try:
                return self._once(operation, where, lines, content)
            except PerennialError as failure:
                failure.attempts = attempt
                wait = self._retries.wait(attempt, failure) if may_repeat(operation, failure) else None
                if wait is None:
                    raise
            time.sleep(wait)
            attempt += 1

    def _once(self, operation: Operation, where: str, lines: dict[str, str], content: bytes | None) -> Answer:
        try:
            reply = self._transport.exchange(operation.method, where, lines, content, self._timeout)
        except (OSError, http.client.HTTPException) as failure:
            raise ConnectionFailed(f"{operation.method} {operation.path} was not answered: {failure}") from failure
        if reply.status == 304:
            return Answer(None, reply.headers.get("etag"), not_modified=True)
        document = _members(reply)
        if 200 <= reply.status < 300 and document is not None and "data" in document:
            return Answer(document, reply.headers.get("etag"))
        raise _refusal(reply, document)

    def _exchange_refresh_token(self, refresh_token: str) -> Tokens:
        # Not `call`, which would take the answer for a new session's.
        answer = self._carry_out(REFRESH_TOKEN, None, None, {"refresh_token": refresh_token}, None)
        return Tokens.read(answer.body["data"])


def _members(reply: Reply) -> dict[str, Any] | None:
    """The body if it is a JSON object."""
    try:
        document = decode(reply.body)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _refusal(reply: Reply, document: dict[str, Any] | None) -> PerennialError:
    retry_after = _seconds(reply.headers.get("retry-after"))
    kind = reply.headers.get("content-type", "").split(";")[0].strip()
    if document is not None and kind == "application/problem+json":
        try:
            kind_of_problem = CursorGone if document["code"] == "cursor_gone" else Problem
            return kind_of_problem(document, retry_after)
        except KeyError:
            pass  # Somebody else's problem document.
    return UnexpectedAnswer(reply.status, reply.body, retry_after)


def _seconds(retry_after: str | None) -> float | None:
    """`Retry-After` holds seconds, or a date when a proxy wrote it."""
    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        until = email.utils.parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=timezone.utc)
    return max(0.0, (until - datetime.now(timezone.utc)).total_seconds())
