"""A client of the Tidings messaging service. `tidings.types` has the shapes of bodies and answers."""

from . import types
from ._client import AsyncTidings, Tidings
from ._request import Retry
from .errors import ApiError, CallFacts, ConnectionFailed, TidingsError, WebhookError
from .webhooks import is_built_in, verify_webhook

__all__ = [
    "ApiError",
    "AsyncTidings",
    "CallFacts",
    "ConnectionFailed",
    "Retry",
    "Tidings",
    "TidingsError",
    "WebhookError",
    "is_built_in",
    "types",
    "verify_webhook",
]
__version__ = "0.1.0"
