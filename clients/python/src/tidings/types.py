"""The shapes of bodies, answers and events, under the names of the OpenAPI document."""

from ._generated.types import *  # noqa: F403
