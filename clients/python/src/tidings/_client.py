"""The two clients: one that blocks, one to await."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any

import httpx

from ._generated.async_resources import AsyncResources
from ._generated.resources import Resources
from ._request import FAILURES, Call, Retry, Settings


class Tidings(Resources):
    """A workspace of a Tidings service.

    `url`: the address of the service; a path behind the host is kept. `workspace`: its slug or UUID. `timeout`: seconds that an attempt may take, its
    whole answer included. `retries`: how many more attempts follow one that failed in passing. `longest_wait`: a longer `Retry-After` is thrown.
    `on_retry` gets what failed and how long the wait is, before each attempt after the first: for a log. `http` and `sleep`: what sends requests, and what waits between attempts.
    """

    def __init__(
        self,
        url: str,
        *,
        workspace: str,
        key: str,
        timeout: float = 30.0,
        retries: int = 4,
        longest_wait: float = 60.0,
        http: httpx.Client | None = None,
        on_retry: Callable[[Retry], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = Settings(url, workspace, key, timeout, retries, longest_wait, on_retry)
        self._http = httpx.Client() if http is None else http
        self._sleep = sleep
        super().__init__(self._request)

    def _request(self, method: str, path: str, **more: Any) -> Any:
        call = Call(self._settings, method, path, **more)
        while True:
            try:
                return self._attempt(call)
            except FAILURES as error:
                wait = call.after(error)
            self._sleep(wait)

    def _attempt(self, call: Call) -> Any:
        content = bytearray()
        # Followed, a redirect would hand the key to another host.
        with self._http.stream(**call.begin(), follow_redirects=False) as response:
            for chunk in response.iter_bytes():
                content += chunk
                call.in_time()
            return call.read(response, bytes(content))

    def close(self) -> None:
        """Ends its connections."""
        self._http.close()

    def __enter__(self) -> Tidings:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncTidings(AsyncResources):
    """The same as `Tidings`, with methods to await."""

    def __init__(
        self,
        url: str,
        *,
        workspace: str,
        key: str,
        timeout: float = 30.0,
        retries: int = 4,
        longest_wait: float = 60.0,
        http: httpx.AsyncClient | None = None,
        on_retry: Callable[[Retry], None] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._settings = Settings(url, workspace, key, timeout, retries, longest_wait, on_retry)
        self._http = httpx.AsyncClient() if http is None else http
        self._sleep = sleep
        super().__init__(self._request)

    async def _request(self, method: str, path: str, **more: Any) -> Any:
        call = Call(self._settings, method, path, **more)
        while True:
            try:
                return await self._attempt(call)
            except FAILURES as error:
                wait = call.after(error)
            await self._sleep(wait)

    async def _attempt(self, call: Call) -> Any:
        content = bytearray()
        async with self._http.stream(**call.begin(), follow_redirects=False) as response:
            async for chunk in response.aiter_bytes():
                content += chunk
                call.in_time()
            return call.read(response, bytes(content))

    async def close(self) -> None:
        """Ends its connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncTidings:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()
