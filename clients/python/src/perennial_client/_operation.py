"""An operation of the API as the runtime sees it. The generated code holds one for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol
from urllib.parse import quote

from ._wire import UNSET, query_text


@dataclass(frozen=True)
class Operation:
    """What is fixed about a call: its name in the document, where it goes, and what it takes."""

    id: str
    method: str
    path: str
    #: Whether a person's token goes along: never, if there is one, or always.
    person: Literal["never", "if_signed_in", "always"] = "never"
    #: Whether it takes an Idempotency-Key.
    takes_key: bool = False
    #: Whether a second copy of the request changes nothing more. A create has its key for that.
    repeatable: bool = True


@dataclass(frozen=True)
class Answer:
    """A success: the members of its body, and its entity tag if it has one."""

    body: Any
    etag: str | None
    #: Whether the record is still what the caller has (304); `body` is then `None`.
    not_modified: bool = False


class Caller(Protocol):
    """What carries operations out."""

    def call(
        self,
        operation: Operation,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        headers: Mapping[str, object] | None = None,
    ) -> Answer:
        """Sends a request, again if need be, and answers its success; a refusal is raised."""
        ...


def target(operation: Operation, path: Mapping[str, str] | None, query: Mapping[str, object] | None) -> str:
    """The path and query of one call."""
    filled = operation.path
    for name, value in (path or {}).items():
        # An empty segment, or one that proxies resolve, would be another operation's path.
        if value in ("", ".", ".."):
            raise ValueError(f"{value!r} cannot be the {name} of a record.")
        filled = filled.replace(f"{{{name}}}", quote(value, safe=""))
    pairs = [(name, value) for name, value in (query or {}).items() if value is not UNSET and value is not None]
    if not pairs:
        return filled
    return filled + "?" + "&".join(f"{name}={quote(query_text(value), safe='')}" for name, value in pairs)
