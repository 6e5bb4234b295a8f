"""Which answers are worth another attempt, and when it is made."""

from __future__ import annotations

import random
import re
import time
from datetime import timezone
from email.utils import parsedate_to_datetime

import httpx

_NUMBER = re.compile(r"\d+(\.\d+)?")
_FIRST = 0.5
_LONGEST = 8.0
# More digits may stand in a header than a number holds.
_LONGEST_SAID = 2.0**53 - 1


def may_retry(status: int, code: str | None) -> bool:
    """408 was not read whole, 429 and every 5xx are not stored under an `Idempotency-Key`, and a request that still runs has its answer soon."""
    return status in (408, 429) or status >= 500 or (status == 409 and code == "idempotency_in_progress")


def _moment(text: str | None) -> float | None:
    try:
        parsed = parsedate_to_datetime(text or "")
    except (ValueError, OverflowError):
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)).timestamp()


def _seconds(text: str, headers: httpx.Headers) -> float | None:
    """A date is by the clock of the server, so it is compared with that clock."""
    if _NUMBER.fullmatch(text):
        return min(float(text), _LONGEST_SAID)
    asked, now = _moment(text), _moment(headers.get("Date"))
    return None if asked is None else asked - (time.time() if now is None else now)


def retry_after_seconds(headers: httpx.Headers) -> float | None:
    """The longest wait that an answer asks for, in either header; the bucket of the key has one of its own. None where it asks nothing that can be read."""
    texts = [headers[name].strip() for name in ("Retry-After", "Retry-After-tenant") if name in headers]
    waits: list[float] = [seconds for seconds in (_seconds(text, headers) for text in texts) if seconds is not None]
    return max(0.0, *waits) if waits else None


def wait_seconds(attempt: int, asked: float | None) -> float:
    """The wait before the next attempt: twice as long each time, and a random part of it so that clients do not come together; after what was asked, if anything."""
    step = min(_FIRST * 2.0 ** (attempt - 1), _LONGEST)
    return step * (0.5 + random.random() / 2) if asked is None else asked + step * random.random()
