"""Reading all pages of a list."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any


def each_of(page_at: Callable[[int | None], Any]) -> Iterator[Any]:
    """The records of all pages: the first as its caller asked for it, then from the offset that the one before names."""
    page = page_at(None)
    offset = -1
    while True:
        yield from page["items"]
        if page["next_cursor"] is None:
            return
        offset = _after(offset, page["next_cursor"])
        page = page_at(offset)


async def each_of_async(page_at: Callable[[int | None], Awaitable[Any]]) -> AsyncIterator[Any]:
    """The same, to be awaited."""
    page = await page_at(None)
    offset = -1
    while True:
        for item in page["items"]:
            yield item
        if page["next_cursor"] is None:
            return
        offset = _after(offset, page["next_cursor"])
        page = await page_at(offset)


def _after(offset: int, cursor: Any) -> int:
    """Where the next page begins. A list whose pages do not go on would never end."""
    if isinstance(cursor, str) and cursor.isascii() and cursor.isdigit() and len(cursor) < 20 and int(cursor) > offset:
        return int(cursor)
    raise ValueError("the next page of the list is not behind this one")
