"""A request of a client, and what is made of its answers: all that does not depend on how it is sent."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from ._retry import may_retry, retry_after_seconds, wait_seconds
from .errors import ApiError, CallFacts, ConnectionFailed, TidingsError

Query = Mapping[str, Any]


@dataclass(frozen=True)
class Retry:
    """A wait before the next attempt. `attempt`: the number of the one that failed. `wait`: seconds."""

    attempt: int
    wait: float
    error: TidingsError


@dataclass(frozen=True)
class Settings:
    """The service, who calls it, and how requests are sent."""

    url: str
    workspace: str
    #: Not in what an error report shows of the variables of a call.
    key: str = field(repr=False)
    timeout: float
    retries: int
    longest_wait: float
    on_retry: Callable[[Retry], None] | None


def path_of(template: str, *ids: str) -> str:
    """A path with its ids, of which each stays one part of it: these words would lead to another path."""
    if any(one in ("", ".", "..") for one in ids):
        raise ValueError("an id is empty, or only dots")
    parts = [quote(one, safe="") for one in ids]
    return template.format(*parts)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):  # the service takes several values of a filter with commas between them
        return ",".join(str(one) for one in value)
    return str(value)


class Late(Exception):
    """An answer that was not whole in time."""


@dataclass
class Call:
    """One call with its attempts. Every attempt sends the same bytes, and a write the same `Idempotency-Key`."""

    settings: Settings
    method: str
    path: str
    query: Query | None = None
    body: Any = field(default=None, repr=False)
    takes_key: bool = False
    idempotency_key: str | None = None
    headers: Mapping[str, str] | None = field(default=None, repr=False)
    attempts: int = 0
    deadline: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        if self.takes_key and self.idempotency_key is None:
            self.idempotency_key = str(uuid.uuid4())

    @property
    def url(self) -> str:
        return f"{self.settings.url.rstrip('/')}{self.path}"

    def begin(self) -> dict[str, Any]:
        """The arguments of httpx for the next attempt."""
        self.attempts += 1
        self.deadline = time.monotonic() + self.settings.timeout
        headers = {"X-Sender-Tenant": self.settings.workspace, "X-API-Key": self.settings.key, **(self.headers or {})}
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = self.idempotency_key
        given = {name: _text(value) for name, value in (self.query or {}).items() if value is not None}
        arguments: dict[str, Any] = {"method": self.method, "url": self.url, "timeout": self.settings.timeout, "headers": headers}
        if given:
            arguments["params"] = given
        if self.body is not None:
            headers["Content-Type"] = "application/json"
            arguments["content"] = json.dumps(self.body, ensure_ascii=False, allow_nan=False).encode()
        return arguments

    def in_time(self) -> None:
        """httpx limits each read alone: an answer that comes byte by byte would never be late."""
        if time.monotonic() > self.deadline:
            raise Late(f"no whole answer within {self.settings.timeout} s")

    def _facts(self) -> CallFacts:
        return CallFacts(self.method, self.url, self.attempts, self.idempotency_key)

    def read(self, response: httpx.Response, content: bytes) -> Any:
        """What an answer has in `data`. Throws `ApiError` for any other."""
        text = content.decode(errors="replace")
        if response.is_success and response.status_code in (204, 205):
            return None
        if response.is_success:
            try:
                body = json.loads(text)
            except ValueError:
                body = None
            if isinstance(body, dict) and "data" in body:
                return body["data"]
        asked = retry_after_seconds(response.headers)
        request_id = response.headers.get("X-Request-Id")
        raise ApiError(response.status_code, text, self._facts(), request_id=request_id, retry_after_seconds=asked)

    def after(self, error: Exception) -> float:
        """How long to wait before the next attempt. Throws the failure where none is worth it."""
        failure: TidingsError = error if isinstance(error, ApiError) else ConnectionFailed(self._facts())
        cause = None if isinstance(error, ApiError) else error
        again, asked = True, None
        if isinstance(failure, ApiError):
            again, asked = may_retry(failure.status, failure.code), failure.retry_after_seconds
        if not again or self.attempts > self.settings.retries or (asked or 0) > self.settings.longest_wait:
            raise failure from cause
        wait = wait_seconds(self.attempts, asked)
        if self.settings.on_retry is not None:
            self.settings.on_retry(Retry(self.attempts, wait, failure))
        return wait


FAILURES = (ApiError, Late, httpx.TransportError, httpx.DecodingError)
