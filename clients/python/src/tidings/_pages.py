"""Reading all pages of a list."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any


def each_of(page_at: Callable[[int | None], Any]) -> Iterator[Any]:
    """The records of all pages: the first as its caller asked for it, then from the offset that the one before names."""
    page = page_at(None)
    while True:
        yield from page["items"]
        if page["next_cursor"] is None:
            return
        page = page_at(int(page["next_cursor"]))


async def each_of_async(page_at: Callable[[int | None], Awaitable[Any]]) -> AsyncIterator[Any]:
    """The same, to be awaited."""
    page = await page_at(None)
    while True:
        for item in page["items"]:
            yield item
        if page["next_cursor"] is None:
            return
        page = await page_at(int(page["next_cursor"]))
