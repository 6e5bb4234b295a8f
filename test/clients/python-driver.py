"""Makes the calls that come in as lines of JSON, and answers each with a line: `python python-driver.py sync|async`."""

import asyncio
import json
import re
import sys
from inspect import isasyncgen, isawaitable
from typing import Any

import httpx
from tidings import ApiError, AsyncTidings, Tidings, TidingsError, WebhookError, is_built_in, verify_webhook

OPTIONS = {"idempotencyKey": "idempotency_key", "connectorSecret": "connector_secret", "headers": "headers"}


def snake(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def client_of(settings: dict[str, Any], waits: list[float], announced: list[float], *, is_async: bool) -> Any:
    async def later(seconds: float) -> None:
        waits.append(seconds * 1000)

    given = {
        "on_retry": lambda retry: announced.append(retry.wait * 1000),
        "workspace": settings.get("workspace", "demo"),
        "key": settings.get("key", "sk_evt_" + "0" * 64),
        **({"timeout": settings["timeoutMs"] / 1000} if "timeoutMs" in settings else {}),
        **({"retries": settings["retries"]} if "retries" in settings else {}),
    }
    if is_async:
        return AsyncTidings(settings["url"], sleep=later, http=httpx.AsyncClient(verify=False), **given)
    # Nothing here is sent over TLS, and reading the authorities takes longer than the call.
    return Tidings(settings["url"], sleep=lambda seconds: waits.append(seconds * 1000), http=httpx.Client(verify=False), **given)


def begin(client: Any, made: dict[str, Any]) -> Any:
    method = client
    for part in made["call"].split("."):
        method = getattr(method, snake(part))
    body = [made["body"]] if "body" in made else []
    query = {snake(name): value for name, value in made.get("query", {}).items()}
    options = {OPTIONS[name]: value for name, value in made.get("options", {}).items()}
    return method(*made.get("ids", []), *body, **query, **options)


async def end(begun: Any) -> Any:
    if isasyncgen(begun):
        return [item async for item in begun]
    if isawaitable(begun):
        return await begun
    return list(begun) if hasattr(begun, "__next__") else begun


def facts_of(error: TidingsError) -> dict[str, Any]:
    facts = {"attempts": error.call.attempts, "idempotencyKey": error.call.idempotency_key}
    if not isinstance(error, ApiError):
        return {"name": "ConnectionError", **facts}
    return {
        "name": "ApiError",
        "status": error.status,
        "code": error.code,
        "requestId": error.request_id,
        "retryAfterSeconds": error.retry_after_seconds,
        "details": error.details,
        **facts,
    }


async def call(line: dict[str, Any], *, is_async: bool) -> dict[str, Any]:
    waits: list[float] = []
    announced: list[float] = []
    client = client_of(line["settings"], waits, announced, is_async=is_async)
    try:
        return {"value": await end(begin(client, line["call"])), "waits": waits, "announced": announced}
    except TidingsError as error:
        return {"error": facts_of(error), "waits": waits, "announced": announced}
    except UnicodeError:
        raise
    except ValueError:
        return {"error": {"name": "WrongUse", "attempts": 0, "idempotencyKey": None}, "waits": waits, "announced": announced}
    finally:
        closed = client.close()
        if isawaitable(closed):
            await closed


def verify(request: dict[str, Any]) -> dict[str, Any]:
    try:
        event = verify_webhook(request["secret"], request["body"], request["signature"])
    except WebhookError as error:
        return {"refused": error.reason}
    except UnicodeError:
        raise
    except ValueError:
        return {"refused": "WrongUse"}
    return {"event": event, "builtIn": is_built_in(event)}


async def main(mode: str) -> None:
    for text in sys.stdin:
        line = json.loads(text)
        answer = verify(line["verify"]) if "verify" in line else await call(line, is_async=mode == "async")
        print(json.dumps(answer), flush=True)


asyncio.run(main(sys.argv[1]))
