"""The requests that Tidings sends to an endpoint."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import TypeGuard, cast

from ._generated.types import BUILT_IN_EVENTS, BuiltInEvent, WebhookEvent
from .errors import WebhookError


def verify_webhook(secret: str, body: bytes | str, signature: str | None) -> WebhookEvent:
    """The event of a request that Tidings signed with this secret; compares in constant time. Throws `WebhookError` for any other.

    `body`: as it came, before any parsing. `signature`: its header `X-Sender-Signature`. Throws `ValueError` for an empty secret: anyone could sign.
    """
    if not secret:
        raise ValueError("the secret of the webhook is empty")
    # A framework may give bytes that are no text as surrogates, which have no encoding.
    raw = body.encode(errors="replace") if isinstance(body, str) else body
    expected = f"sha256={hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()}"
    if not hmac.compare_digest(expected.encode(), (signature or "").encode(errors="replace")):
        raise WebhookError("signature")
    try:
        event = json.loads(raw)
    except ValueError:
        raise WebhookError("body") from None
    texts = isinstance(event, dict) and isinstance(event.get("event"), str) and isinstance(event.get("deliveryId"), str)
    if not texts or not isinstance(event.get("data"), dict):
        raise WebhookError("body")
    return cast(WebhookEvent, event)


def is_built_in(event: WebhookEvent) -> TypeGuard[BuiltInEvent]:
    """Whether an event is one of the catalogue. Any other is one of your own, or newer than this client."""
    return event["event"] in BUILT_IN_EVENTS
