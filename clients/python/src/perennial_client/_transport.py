"""One exchange over HTTP, on connections that are kept and shared by threads. Knows nothing of the API."""

from __future__ import annotations

import http.client
import select
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

#: A connection that rested longer is not used again: the other side may be about to close it.
LONGEST_REST = 20.0


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Connections to one server. A thread takes one for an exchange, and the next takes it over."""

    def __init__(self, base_url: str, ssl_context: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{base_url!r} is not a base URL such as https://billing.example.com.")
        if parts.username is not None:
            raise ValueError("The base URL takes no user or password; the client id is given by itself.")
        self._secure = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._prefix = parts.path.rstrip("/")
        self._ssl = (ssl_context or ssl.create_default_context()) if self._secure else None
        self._resting: list[tuple[float, http.client.HTTPConnection]] = []
        self._lock = threading.Lock()

    def exchange(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None, timeout: float
    ) -> Reply:
        """Sends one request and reads its answer whole. Any failure of the network is an `OSError` or an
        `http.client.HTTPException`."""
        connection = self._take(timeout)
        try:
            connection.request(method, self._prefix + target, body=body, headers=dict(headers))
            response = connection.getresponse()
            content = response.read()
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._resting.append((time.monotonic(), connection))
        return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, content)

    def close(self) -> None:
        """Closes the connections at rest."""
        with self._lock:
            resting, self._resting = self._resting, []
        for _, connection in resting:
            connection.close()

    def _take(self, timeout: float) -> http.client.HTTPConnection:
        while True:
            with self._lock:
                since, connection = self._resting.pop() if self._resting else (0.0, None)
            if connection is None:
                return self._new(timeout)
            if time.monotonic() - since < LONGEST_REST and _is_open(connection):
                connection.sock.settimeout(timeout)
                return connection
            connection.close()

    def _new(self, timeout: float) -> http.client.HTTPConnection:
        if self._secure:
            return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._ssl)
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout)


def _is_open(connection: http.client.HTTPConnection) -> bool:
    """A connection at rest has nothing to say; if it has, it says that it is closed."""
    if connection.sock is None:
        return False
    try:
        # `poll` knows no limit of descriptors, as `select` does.
        poll = select.poll()
        poll.register(connection.sock, select.POLLIN)
        return not poll.poll(0)
    except AttributeError:
        # Windows has no `poll`.
        return not select.select([connection.sock], [], [], 0)[0]
