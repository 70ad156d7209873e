"""A server on loopback that answers from a script and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A request as it arrived. Headers are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Told:
    """An answer; without a status the connection is closed instead."""

    status: int | None
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Closes the connection after the answer without having said so.
    hangs_up: bool = False


def data(value: object, status: int = 200, **headers: str) -> Told:
    return Told(status, json.dumps({"data": value}).encode(), {"content-type": "application/json", **headers})


def raw(text: str, status: int = 200) -> Told:
    return Told(status, text.encode(), {"content-type": "application/json"})


def problem(status: int, code: str, *, retry_after: str | None = None, **more: object) -> Told:
    document = {
        "type": f"/docs/errors#{code}",
        "title": code,
        "status": status,
        "detail": f"This is {code}.",
        "code": code,
        "request_id": "req_1",
        **more,
    }
    headers = {"content-type": "application/problem+json"}
    if retry_after is not None:
        headers["retry-after"] = retry_after
    return Told(status, json.dumps(document).encode(), headers)


LOST = Told(None)


class FakeServer:
    """`answer` is asked for each request, on the thread of its connection."""

    def __init__(self, answer: Callable[[Asked], Told]) -> None:
        self.asked: list[Asked] = []
        self.connections = 0
        #: Released for each connection that was closed.
        self.closed = threading.Semaphore(0)
        self._lock = threading.Lock()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body are two packets otherwise, and the second waits for an acknowledgement.
            wbufsize = -1
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                with fake._lock:
                    fake.connections += 1

            def answer(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.command, self.path, headers, self.rfile.read(length))
                with fake._lock:
                    fake.asked.append(asked)
                told = answer(asked)
                if told.status is None:
                    self.close_connection = True
                    return
                self.send_response(told.status)
                for name, value in told.headers.items():
                    self.send_header(name, value)
                if told.status != 304:
                    self.send_header("content-length", str(len(told.body)))
                self.end_headers()
                self.wfile.write(told.body)
                self.close_connection = self.close_connection or told.hangs_up

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            # The usual five would keep twenty threads waiting for the network.
            request_queue_size = 64

            def shutdown_request(self, request: Any) -> None:
                super().shutdown_request(request)
                fake.closed.release()

        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FakeServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def script(*answers: Told) -> Callable[[Asked], Told]:
    """One answer after the other; the last one stays."""
    left = list(answers)
    lock = threading.Lock()

    def answer(_: Asked) -> Told:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return answer
