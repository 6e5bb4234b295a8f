"""What a failed call throws."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class CallFacts:
    """What every failed call says. A later call under `idempotency_key` carries the same request on."""

    method: str
    url: str
    attempts: int
    idempotency_key: str | None


def _parse(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except ValueError:  # a proxy's page, or 413, which is plain text
        return {}
    return body if isinstance(body, dict) else {}


class TidingsError(Exception):
    """Any failure of a call."""

    def __init__(self, message: str, call: CallFacts) -> None:
        super().__init__(message)
        self.call = call


class ApiError(TidingsError):
    """The service, or something before it, refused the request. Branch on `status` and `code`; the message is for people."""

    def __init__(
        self,
        status: int,
        text: str,
        call: CallFacts,
        *,
        request_id: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        details = _parse(text)
        details.pop("success", None)
        message, code = details.pop("message", None), details.pop("code", None)
        other = f"{call.method} {call.url} was answered with {status}, and not by Tidings"
        super().__init__(message if isinstance(message, str) else other, call)
        self.status = status
        #: Stable, in snake_case; None where the service gives none.
        self.code: str | None = code if isinstance(code, str) else None
        #: The `X-Request-Id` of the answer: the service logs its side under it.
        self.request_id = request_id
        #: What the answer asked to wait; None where it asked nothing.
        self.retry_after_seconds = retry_after_seconds
        #: What else the service said about a refusal.
        self.details: Mapping[str, Any] = details


class ConnectionFailed(TidingsError):
    """No whole answer came: whether the request was carried out is unknown. `__cause__` says what happened."""

    def __init__(self, call: CallFacts) -> None:
        times = "one attempt" if call.attempts == 1 else f"{call.attempts} attempts"
        super().__init__(f"{call.method} {call.url} got no answer in {times}", call)


class WebhookError(Exception):
    """A request that Tidings did not sign (`signature`), or that it signed and that is no event (`body`): answer it with 401, and do nothing."""

    def __init__(self, reason: Literal["signature", "body"]) -> None:
        super().__init__("the body is no event" if reason == "body" else "the signature is not that of Tidings for this body")
        self.reason: Literal["signature", "body"] = reason
