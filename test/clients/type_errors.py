"""Checked by mypy, never run: each marked line is an error, or the mark itself is one."""

from tidings import Tidings, is_built_in
from tidings.types import WebhookEvent


def refused(tidings: Tidings) -> None:
    tidings.messages.send_email({"to": "ada@example.com", "fromMail": "hello@demo.example"})  # type: ignore[typeddict-item]
    tidings.messages.send_email({"to": "ada@example.com"})  # type: ignore[typeddict-item]
    tidings.profiles.upsert({"email": "ada@example.com", "emailConsent": "yes"})  # type: ignore[typeddict-item]
    tidings.profiles.list(segment="vip")  # type: ignore[call-arg]
    tidings.profiles.lookup()  # type: ignore[call-arg]
    tidings.messages.each(status="sent")  # type: ignore[call-arg]
    tidings.me(idempotency_key="k")  # type: ignore[call-arg]
    tidings.store_events.report({"event": "order.completed"})  # type: ignore[call-arg]
    if tidings.messages.get("m-1")["status"] == "opened":  # type: ignore[comparison-overlap]
        raise AssertionError
    Tidings("http://127.0.0.1:3000", key="sk_evt_")  # type: ignore[call-arg]


def data_of_event(event: WebhookEvent) -> str | None:
    if not is_built_in(event):
        return None
    if event["event"] == "contact.created":
        return event["data"]["email"]
    if event["event"] == "list.subscribed":
        return event["data"]["listName"]
    if event["event"] == "order.completed":
        return event["data"]["email"]  # type: ignore[typeddict-item, no-any-return]
    return event["data"]["occurredAt"]


def shown_name(tidings: Tidings) -> str:
    profile = tidings.profiles.get("c-1")
    return profile["firstName"] or profile["email"]  # type: ignore[return-value]
