"""Lists: a page, and all the pages one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ._generated.types import AnalyticsMeta
from ._wire import Unset

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list. Under a rare filter it may be short, even empty, and still have more."""

    data: tuple[T, ...]
    next_cursor: str | None
    has_more: bool
    limit: int


@dataclass(frozen=True)
class Figures(Generic[T]):
    """Rows of figures, and how far they are."""

    data: tuple[T, ...]
    meta: AnalyticsMeta


def figures(body: Mapping[str, Any], read: Callable[[Any], T]) -> Figures[T]:
    """Figures from the members of their answer."""
    return Figures(tuple(read(row) for row in body["data"]), AnalyticsMeta.read(body["meta"]))


def page(body: Mapping[str, Any], read: Callable[[Any], T]) -> Page[T]:
    """A page from the members of its answer."""
    return Page(*parts(body, read))


def parts(body: Mapping[str, Any], read: Callable[[Any], T]) -> tuple[tuple[T, ...], str | None, bool, int]:
    """The fields of a page, in their order."""
    about = body["page"]
    data = tuple(read(record) for record in body["data"])
    return data, about["next_cursor"], about["has_more"], about["limit"]


def walk(first: str | Unset, fetch: Callable[[str | Unset], Page[T]]) -> Iterator[T]:
    """Every record from a cursor on, a page at a time; the next page is asked for when it is needed."""
    cursor = first
    while True:
        fetched = fetch(cursor)
        yield from fetched.data
        if not fetched.has_more or fetched.next_cursor is None:
            return
        cursor = fetched.next_cursor
