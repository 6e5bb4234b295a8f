# Written by `npm run snapshots` from the OpenAPI document: do not edit.
from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, cast

from .._pages import each_of_async
from .._request import path_of
from .types import (
    AddMembersBody,
    BlacklistBody,
    CampaignChannel,
    CampaignOption,
    CampaignOptionPage,
    CampaignStatus,
    ConsentChannel,
    ConsentState,
    CreateTagBody,
    CreateWebhookBody,
    CreatedWebhookEndpoint,
    CustomFieldOption,
    CustomFieldOptionPage,
    EventIngested,
    EventItem,
    EventItemPage,
    IngestEventBody,
    List,
    ListPage,
    Me,
    MembersAdded,
    MembersCount,
    MembersRemoved,
    MergeFields,
    Message,
    MessageAccepted,
    MessagePage,
    OtpSent,
    OtpVerification,
    PatchByEmailBody,
    Profile,
    ProfileBody,
    ProfilePage,
    PushPublicKey,
    PushSubscription,
    RegisterPushBody,
    RemoveMembersBody,
    SendEmailBody,
    SendOtpBody,
    SendSmsBody,
    SenderAddressOption,
    SenderAddressOptionPage,
    SmsSenderIdOption,
    SmsSenderIdOptionPage,
    StoreEventBody,
    SubscribeBody,
    Subscribed,
    Tag,
    TagOption,
    TagOptionPage,
    TemplateChannel,
    TemplateOption,
    TemplateOptionPage,
    UpsertProfileBody,
    VerifyOtpBody,
    WebhookEndpoints,
)


class AsyncProfiles:
    """Create, find and change contacts, and suppress them."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def create(self, body: ProfileBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Profile:
        """Create a profile. `POST /public/profiles`"""
        return cast(Profile, await self._request("POST", "/api/v1/public/profiles", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def upsert(self, body: UpsertProfileBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Profile:
        """Create a profile, or change the one that has the email or phone. `PUT /public/profiles`"""
        return cast(Profile, await self._request("PUT", "/api/v1/public/profiles", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def update_by_email(self, body: PatchByEmailBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Profile:
        """Change the profile that has an email. `PATCH /public/profiles`"""
        return cast(Profile, await self._request("PATCH", "/api/v1/public/profiles", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def list(self, *, limit: int | None = None, offset: int | None = None, page: int | None = None, search: str | None = None, segment_id: str | None = None, consent: ConsentState | None = None, channel: ConsentChannel | None = None, sort: str | None = None, headers: Mapping[str, str] | None = None) -> ProfilePage:
        """List profiles. `GET /public/profiles`"""
        return cast(ProfilePage, await self._request("GET", "/api/v1/public/profiles", query={"limit": limit, "offset": offset, "page": page, "search": search, "segmentId": segment_id, "consent": consent, "channel": channel, "sort": sort}, headers=headers))

    def each(self, *, limit: int | None = None, offset: int | None = None, page: int | None = None, search: str | None = None, segment_id: str | None = None, consent: ConsentState | None = None, channel: ConsentChannel | None = None, sort: str | None = None, headers: Mapping[str, str] | None = None) -> AsyncIterator[Profile]:
        """Every record that `list` has, page by page, `limit` at a time."""
        return each_of_async(lambda at: self.list(limit=limit, offset=offset if at is None else at, page=page, search=search, segment_id=segment_id, consent=consent, channel=channel, sort=sort, headers=headers))

    async def update(self, id: str, body: ProfileBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Profile:
        """Change a profile. `PATCH /public/profiles/{id}`"""
        return cast(Profile, await self._request("PATCH", path_of("/api/v1/public/profiles/{}", id), body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def get(self, id: str, *, headers: Mapping[str, str] | None = None) -> Profile:
        """Read a profile. `GET /public/profiles/{id}`"""
        return cast(Profile, await self._request("GET", path_of("/api/v1/public/profiles/{}", id), headers=headers))

    async def blacklist(self, body: BlacklistBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Profile:
        """Suppress a contact on a channel. `POST /public/profiles/blacklist`"""
        return cast(Profile, await self._request("POST", "/api/v1/public/profiles/blacklist", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def lift_blacklist(self, body: BlacklistBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Profile:
        """Lift every suppression of a contact on a channel. `DELETE /public/profiles/blacklist`"""
        return cast(Profile, await self._request("DELETE", "/api/v1/public/profiles/blacklist", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def lookup(self, *, email: str, headers: Mapping[str, str] | None = None) -> Profile:
        """Find the profile that has an email. `GET /public/profiles/lookup`"""
        return cast(Profile, await self._request("GET", "/api/v1/public/profiles/lookup", query={"email": email}, headers=headers))


class AsyncMessages:
    """Send transactional messages, and read what became of them."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def send_email(self, body: SendEmailBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> MessageAccepted:
        """Send a transactional email. `POST /public/messages/email`"""
        return cast(MessageAccepted, await self._request("POST", "/api/v1/public/messages/email", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def send_sms(self, body: SendSmsBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> MessageAccepted:
        """Send a transactional text message. `POST /public/messages/sms`"""
        return cast(MessageAccepted, await self._request("POST", "/api/v1/public/messages/sms", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def list(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> MessagePage:
        """List messages with their status. `GET /public/messages`"""
        return cast(MessagePage, await self._request("GET", "/api/v1/public/messages", query={"limit": limit, "offset": offset}, headers=headers))

    def each(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> AsyncIterator[Message]:
        """Every record that `list` has, page by page, `limit` at a time."""
        return each_of_async(lambda at: self.list(limit=limit, offset=offset if at is None else at, headers=headers))

    async def get(self, id: str, *, headers: Mapping[str, str] | None = None) -> Message:
        """Read the status of a message. `GET /public/messages/{id}`"""
        return cast(Message, await self._request("GET", path_of("/api/v1/public/messages/{}", id), headers=headers))


class AsyncOtp:
    """Send one-time passcodes, and verify them."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def send(self, body: SendOtpBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> OtpSent:
        """Send a one-time passcode. `POST /otp/send`"""
        return cast(OtpSent, await self._request("POST", "/api/v1/otp/send", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def verify(self, body: VerifyOtpBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> OtpVerification:
        """Verify a one-time passcode. `POST /otp/verify`"""
        return cast(OtpVerification, await self._request("POST", "/api/v1/otp/verify", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))


class AsyncEvents:
    """Read the entries of pickers: templates, senders, campaigns, custom fields, events."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def ingest(self, body: IngestEventBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> EventIngested:
        """Report what a contact did: a custom event. `POST /events/ingest`"""
        return cast(EventIngested, await self._request("POST", "/api/v1/events/ingest", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def list(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> EventItemPage:
        """List the event catalogue. `GET /public/events`"""
        return cast(EventItemPage, await self._request("GET", "/api/v1/public/events", query={"limit": limit, "offset": offset}, headers=headers))

    def each(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> AsyncIterator[EventItem]:
        """Every record that `list` has, page by page, `limit` at a time."""
        return each_of_async(lambda at: self.list(limit=limit, offset=offset if at is None else at, headers=headers))


class AsyncStoreEvents:
    """Report events of connected stores, reviews and loyalty programmes."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def report(self, body: StoreEventBody, *, connector_secret: str, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> EventIngested:
        """Report an event of a connected store, a review or a loyalty programme. `POST /integrations/store-events`"""
        return cast(EventIngested, await self._request("POST", "/api/v1/integrations/store-events", body=body, takes_key=True, idempotency_key=idempotency_key, headers={**(headers or {}), "X-Connector-Secret": connector_secret}))


class AsyncTags:
    """Read and create the labels of campaigns, flows, templates and lists."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def create(self, body: CreateTagBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Tag:
        """Create a tag. `POST /public/tags`"""
        return cast(Tag, await self._request("POST", "/api/v1/public/tags", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def list(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> TagOptionPage:
        """List the tags. `GET /public/tags`"""
        return cast(TagOptionPage, await self._request("GET", "/api/v1/public/tags", query={"limit": limit, "offset": offset}, headers=headers))

    def each(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> AsyncIterator[TagOption]:
        """Every record that `list` has, page by page, `limit` at a time."""
        return each_of_async(lambda at: self.list(limit=limit, offset=offset if at is None else at, headers=headers))


class AsyncLists:
    """Read lists of contacts, and change the members of static ones."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def add_members(self, id: str, body: AddMembersBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> MembersAdded:
        """Add contacts to a static list. `POST /public/lists/{id}/members`"""
        return cast(MembersAdded, await self._request("POST", path_of("/api/v1/public/lists/{}/members", id), body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def remove_members(self, id: str, body: RemoveMembersBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> MembersRemoved:
        """Remove contacts from a static list. `DELETE /public/lists/{id}/members`"""
        return cast(MembersRemoved, await self._request("DELETE", path_of("/api/v1/public/lists/{}/members", id), body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def remove_member(self, id: str, contact_id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> MembersCount:
        """Remove one contact from a static list. `DELETE /public/lists/{id}/members/{contactId}`"""
        return cast(MembersCount, await self._request("DELETE", path_of("/api/v1/public/lists/{}/members/{}", id, contact_id), takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def list(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> ListPage:
        """List the lists with the number of their members. `GET /public/lists`"""
        return cast(ListPage, await self._request("GET", "/api/v1/public/lists", query={"limit": limit, "offset": offset}, headers=headers))

    def each(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> AsyncIterator[List]:
        """Every record that `list` has, page by page, `limit` at a time."""
        return each_of_async(lambda at: self.list(limit=limit, offset=offset if at is None else at, headers=headers))


class AsyncWebhooks:
    """Manage the endpoints that events are delivered to."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def create(self, body: CreateWebhookBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> CreatedWebhookEndpoint:
        """Create a webhook endpoint; the answer shows its signing secret, once. `POST /public/webhooks`"""
        return cast(CreatedWebhookEndpoint, await self._request("POST", "/api/v1/public/webhooks", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def list(self, *, headers: Mapping[str, str] | None = None) -> WebhookEndpoints:
        """List the webhook endpoints. `GET /public/webhooks`"""
        return cast(WebhookEndpoints, await self._request("GET", "/api/v1/public/webhooks", headers=headers))

    async def delete(self, id: str, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> None:
        """Delete a webhook endpoint, its secret and what waits for it. `DELETE /public/webhooks/{id}`"""
        await self._request("DELETE", path_of("/api/v1/public/webhooks/{}", id), takes_key=True, idempotency_key=idempotency_key, headers=headers)


class AsyncPush:
    """Register browsers for web push."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def register(self, body: RegisterPushBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> PushSubscription:
        """Register a browser for web push, which is consent to it. `POST /push/subscriptions`"""
        return cast(PushSubscription, await self._request("POST", "/api/v1/push/subscriptions", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))

    async def public_key(self, *, headers: Mapping[str, str] | None = None) -> PushPublicKey:
        """Tell the key that browsers subscribe to web push with. `GET /push/public-key`"""
        return cast(PushPublicKey, await self._request("GET", "/api/v1/push/public-key", headers=headers))


class AsyncForms:
    """Take the sign-ups of embedded forms."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def subscribe(self, body: SubscribeBody, *, idempotency_key: str | None = None, headers: Mapping[str, str] | None = None) -> Subscribed:
        """Subscribe a visitor of an allowed origin. `POST /forms/subscribe`"""
        return cast(Subscribed, await self._request("POST", "/api/v1/forms/subscribe", body=body, takes_key=True, idempotency_key=idempotency_key, headers=headers))


class AsyncTemplates:
    """Read the entries of pickers: templates, senders, campaigns, custom fields, events."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def list(self, *, limit: int | None = None, offset: int | None = None, channel: TemplateChannel | None = None, headers: Mapping[str, str] | None = None) -> TemplateOptionPage:
        """List the templates of the library. `GET /public/templates`"""
        return cast(TemplateOptionPage, await self._request("GET", "/api/v1/public/templates", query={"limit": limit, "offset": offset, "channel": channel}, headers=headers))

    def each(self, *, limit: int | None = None, offset: int | None = None, channel: TemplateChannel | None = None, headers: Mapping[str, str] | None = None) -> AsyncIterator[TemplateOption]:
        """Every record that `list` has, page by page, `limit` at a time."""
        return each_of_async(lambda at: self.list(limit=limit, offset=offset if at is None else at, channel=channel, headers=headers))

    async def merge_fields(self, id: str, *, headers: Mapping[str, str] | None = None) -> MergeFields:
        """List the merge tags of a template. `GET /public/templates/{id}/merge-fields`"""
        return cast(MergeFields, await self._request("GET", path_of("/api/v1/public/templates/{}/merge-fields", id), headers=headers))


class AsyncSenderAddresses:
    """Read the entries of pickers: templates, senders, campaigns, custom fields, events."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def list(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> SenderAddressOptionPage:
        """List the addresses that may be sent from. `GET /public/sender-addresses`"""
        return cast(SenderAddressOptionPage, await self._request("GET", "/api/v1/public/sender-addresses", query={"limit": limit, "offset": offset}, headers=headers))

    def each(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> AsyncIterator[SenderAddressOption]:
        """Every record that `list` has, page by page, `limit` at a time."""
        return each_of_async(lambda at: self.list(limit=limit, offset=offset if at is None else at, headers=headers))


class AsyncSmsSenderIds:
    """Read the entries of pickers: templates, senders, campaigns, custom fields, events."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def list(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> SmsSenderIdOptionPage:
        """List the SMS sender IDs that may be used. `GET /public/sms-sender-ids`"""
        return cast(SmsSenderIdOptionPage, await self._request("GET", "/api/v1/public/sms-sender-ids", query={"limit": limit, "offset": offset}, headers=headers))

    def each(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> AsyncIterator[SmsSenderIdOption]:
        """Every record that `list` has, page by page, `limit` at a time."""
        return each_of_async(lambda at: self.list(limit=limit, offset=offset if at is None else at, headers=headers))


class AsyncCustomFields:
    """Read the entries of pickers: templates, senders, campaigns, custom fields, events."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def list(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> CustomFieldOptionPage:
        """List the custom fields. `GET /public/custom-fields`"""
        return cast(CustomFieldOptionPage, await self._request("GET", "/api/v1/public/custom-fields", query={"limit": limit, "offset": offset}, headers=headers))

    def each(self, *, limit: int | None = None, offset: int | None = None, headers: Mapping[str, str] | None = None) -> AsyncIterator[CustomFieldOption]:
        """Every record that `list` has, page by page, `limit` at a time."""
        return each_of_async(lambda at: self.list(limit=limit, offset=offset if at is None else at, headers=headers))


class AsyncCampaigns:
    """Read the entries of pickers: templates, senders, campaigns, custom fields, events."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._request = request

    async def list(self, *, limit: int | None = None, offset: int | None = None, page: int | None = None, status: CampaignStatus | None = None, channel: CampaignChannel | None = None, search: str | None = None, sort: str | None = None, tag_ids: Sequence[str] | None = None, statuses: Sequence[CampaignStatus] | None = None, segment_id: str | None = None, archived: bool | None = None, multi_variant: bool | None = None, headers: Mapping[str, str] | None = None) -> CampaignOptionPage:
        """List the campaigns. `GET /public/campaigns`"""
        return cast(CampaignOptionPage, await self._request("GET", "/api/v1/public/campaigns", query={"limit": limit, "offset": offset, "page": page, "status": status, "channel": channel, "search": search, "sort": sort, "tagIds": tag_ids, "statuses": statuses, "segmentId": segment_id, "archived": archived, "multiVariant": multi_variant}, headers=headers))

    def each(self, *, limit: int | None = None, offset: int | None = None, page: int | None = None, status: CampaignStatus | None = None, channel: CampaignChannel | None = None, search: str | None = None, sort: str | None = None, tag_ids: Sequence[str] | None = None, statuses: Sequence[CampaignStatus] | None = None, segment_id: str | None = None, archived: bool | None = None, multi_variant: bool | None = None, headers: Mapping[str, str] | None = None) -> AsyncIterator[CampaignOption]:
        """Every record that `list` has, page by page, `limit` at a time."""
        return each_of_async(lambda at: self.list(limit=limit, offset=offset if at is None else at, page=page, status=status, channel=channel, search=search, sort=sort, tag_ids=tag_ids, statuses=statuses, segment_id=segment_id, archived=archived, multi_variant=multi_variant, headers=headers))


class AsyncResources:
    """Every route that a server calls, in groups."""

    def __init__(self, request: Callable[..., Awaitable[Any]]) -> None:
        self._own_request = request
        self.profiles = AsyncProfiles(request)
        self.messages = AsyncMessages(request)
        self.otp = AsyncOtp(request)
        self.events = AsyncEvents(request)
        self.store_events = AsyncStoreEvents(request)
        self.tags = AsyncTags(request)
        self.lists = AsyncLists(request)
        self.webhooks = AsyncWebhooks(request)
        self.push = AsyncPush(request)
        self.forms = AsyncForms(request)
        self.templates = AsyncTemplates(request)
        self.sender_addresses = AsyncSenderAddresses(request)
        self.sms_sender_ids = AsyncSmsSenderIds(request)
        self.custom_fields = AsyncCustomFields(request)
        self.campaigns = AsyncCampaigns(request)

    async def me(self, *, headers: Mapping[str, str] | None = None) -> Me:
        """Tell the workspace of the key. `GET /public/me`"""
        return cast(Me, await self._own_request("GET", "/api/v1/public/me", headers=headers))
