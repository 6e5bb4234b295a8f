# Written by `npm run snapshots` from the OpenAPI document: do not edit.
from __future__ import annotations

from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict

class AddMembersBody(TypedDict):
    """Contacts to put on a list; at least one."""

    emails: NotRequired[list[str]]
    """Addresses; an unknown one makes a contact."""

    contactIds: NotRequired[list[str]]
    """UUIDs of existing contacts."""


class BlacklistBody(TypedDict):
    """A contact and a channel; `email` or `contactId` is needed."""

    email: NotRequired[str]
    """The address of the contact."""

    contactId: NotRequired[str]
    """The UUID of the contact; wins over `email` where both are sent."""

    channel: BlacklistChannel
    """What is suppressed, or no longer."""


BlacklistChannel: TypeAlias = "Literal['email', 'sms', 'both']"
"""What is suppressed."""


CampaignChannel: TypeAlias = "Literal['email', 'sms']"
"""What a campaign is sent by."""


class CampaignOption(TypedDict):
    """A campaign, as an entry of a picker."""

    value: str
    """The UUID of the campaign."""

    label: str
    """The name of the campaign."""

    channel: CampaignChannel
    """What the campaign is sent by."""

    status: CampaignStatus
    """Where the campaign is in its life."""


class CampaignOptionPage(TypedDict):
    """One page of CampaignOption records."""

    items: list[CampaignOption]
    """The records of the page."""

    limit: int
    """The limit that was applied."""

    offset: int
    """The offset that was applied."""

    total: int
    """How many records match, whatever the limit and the offset."""

    has_more: bool
    """Whether records follow this page."""

    next_cursor: str | None
    """The offset of the next page as text; null on the last page."""


class CampaignSentData(TypedDict):
    """A message of a campaign that was sent."""

    contactId: str
    """The UUID of the contact."""

    occurredAt: str
    """When it happened."""

    channel: str
    """What the message was sent by."""

    messageId: str
    """The UUID of the message."""

    providerMessageId: str | None
    """The id that the provider gave the message, or null."""

    campaignId: str
    """The UUID of the campaign."""


class CampaignSentDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: CampaignSentEventName
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: CampaignSentData
    """What happened."""


CampaignSentEventName: TypeAlias = "Literal['campaign.sent']"
"""The names of the events of this group."""


CampaignStatus: TypeAlias = "Literal['draft', 'scheduled', 'sending', 'sent', 'paused', 'cancelled', 'failed']"
"""Where a campaign is in its life."""


ConsentChannel: TypeAlias = "Literal['email', 'sms']"
"""The channel of a consent."""


ConsentState: TypeAlias = "Literal['subscribed', 'unsubscribed', 'never_subscribed', 'cleaned']"
"""Whether a contact agreed to be written to on a channel."""


class ContactDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: ContactEventName
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: ContactEventData
    """What happened."""


class ContactEventData(TypedDict):
    """The contact as it was after the event."""

    id: str
    """The UUID of the contact."""

    email: str | None
    """The address, or null."""

    phone: str | None
    """The number in E.164, or null."""

    firstName: str | None
    """The first name, or null."""

    lastName: str | None
    """The last name, or null."""

    tags: list[str]
    """The tags on the contact."""

    emailConsent: ConsentState
    """The consent to email."""

    smsConsent: ConsentState
    """The consent to text messages."""

    createdAt: str
    """When the contact was created."""

    updatedAt: str
    """When the contact changed last."""

    occurredAt: str
    """When it happened."""


ContactEventName: TypeAlias = "Literal['contact.created', 'contact.updated']"
"""The names of the events of this group."""


class ContactUnsubscribedData(TypedDict):
    """The contact as it was after the event, and the channel that it left."""

    id: str
    """The UUID of the contact."""

    email: str | None
    """The address, or null."""

    phone: str | None
    """The number in E.164, or null."""

    firstName: str | None
    """The first name, or null."""

    lastName: str | None
    """The last name, or null."""

    tags: list[str]
    """The tags on the contact."""

    emailConsent: ConsentState
    """The consent to email."""

    smsConsent: ConsentState
    """The consent to text messages."""

    createdAt: str
    """When the contact was created."""

    updatedAt: str
    """When the contact changed last."""

    occurredAt: str
    """When it happened."""

    channel: UnsubscribedChannel
    """The channel that the contact left."""


class ContactUnsubscribedDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: ContactUnsubscribedEventName
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: ContactUnsubscribedData
    """What happened."""


ContactUnsubscribedEventName: TypeAlias = "Literal['contact.unsubscribed']"
"""The names of the events of this group."""


ContentMode: TypeAlias = "Literal['manual', 'template']"
"""Whether the content is in the request or in a template."""


class CreateTagBody(TypedDict):
    """A new tag."""

    name: str
    """The name, 1 to 60 characters after trimming, unique in the workspace."""

    color: NotRequired[TagColor]
    """The colour; none where it is left out."""


class CreateWebhookBody(TypedDict):
    """A new webhook endpoint."""

    url: str
    """An HTTPS URL on the default port, whose host resolves to public addresses only."""

    events: list[str]
    """The names to subscribe; only `*` means every event."""

    label: NotRequired[str]
    """A label for people."""


class CreatedWebhookEndpoint(TypedDict):
    """A new endpoint with its secret, which is shown this once."""

    id: str
    """The UUID of the endpoint."""

    label: str | None
    """The label from its creation, or null."""

    url: str
    """Where deliveries go."""

    events: list[str]
    """The names that the endpoint subscribed; only `*` means every event."""

    active: bool
    """False while the endpoint is paused."""

    createdAt: str
    """When the endpoint was created."""

    signingSecret: str
    """The key of the signatures of deliveries: 64 lower-case hex characters."""


class CustomDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: str
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: CustomEventData
    """What happened."""


class CustomEventData(TypedDict):
    """A custom event, as it was ingested."""

    contactId: str
    """The UUID of the contact."""

    occurredAt: str
    """When it happened."""

    properties: JsonObject
    """What was ingested."""


class CustomFieldChoice(TypedDict):
    """One of the values that a custom field allows."""

    label: str
    """What a person reads."""

    value: str
    """What is stored."""


CustomFieldKind: TypeAlias = "Literal['text', 'number', 'date', 'boolean', 'select', 'multiSelect', 'url', 'list']"
"""What a custom field holds."""


class CustomFieldOption(TypedDict):
    """A custom field of the workspace, as an entry of a picker."""

    value: str
    """The UUID of the custom field."""

    label: str
    """What a person reads."""

    kind: CustomFieldKind
    """What the field holds."""

    key: str
    """The name of the field inside a profile's `customProperties`."""

    allowedValues: Any | None
    """The values of a `select` or `multiSelect`, else null."""

    options: list[CustomFieldChoice]
    """The same values with labels; empty where there are none."""


class CustomFieldOptionPage(TypedDict):
    """One page of CustomFieldOption records."""

    items: list[CustomFieldOption]
    """The records of the page."""

    limit: int
    """The limit that was applied."""

    offset: int
    """The offset that was applied."""

    total: int
    """How many records match, whatever the limit and the offset."""

    has_more: bool
    """Whether records follow this page."""

    next_cursor: str | None
    """The offset of the next page as text; null on the last page."""


class EmailClickedData(TypedDict):
    """A click on a link of a tracked mail."""

    contactId: str
    """The UUID of the contact."""

    occurredAt: str
    """When it happened."""

    channel: str
    """What the message was sent by."""

    messageId: str
    """The UUID of the message."""

    url: str
    """Where the link led, as the mail had it."""


class EmailClickedDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: EmailClickedEventName
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: EmailClickedData
    """What happened."""


EmailClickedEventName: TypeAlias = "Literal['email.clicked']"
"""The names of the events of this group."""


class EmailOpenedData(TypedDict):
    """The first open of a tracked mail."""

    contactId: str
    """The UUID of the contact."""

    occurredAt: str
    """When it happened."""

    channel: str
    """What the message was sent by."""

    messageId: str
    """The UUID of the message."""


class EmailOpenedDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: EmailOpenedEventName
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: EmailOpenedData
    """What happened."""


EmailOpenedEventName: TypeAlias = "Literal['email.opened']"
"""The names of the events of this group."""


EmailValidationState: TypeAlias = "Literal['unknown', 'valid', 'risky', 'invalid']"
"""What is known about an address."""


EventIngestStatus: TypeAlias = "Literal['ok', 'no_contact']"
"""Whether an event has a contact."""


class EventIngested(TypedDict):
    """What became of an event."""

    status: EventIngestStatus
    """`no_contact` where no contact could be found or made."""

    enrolled: int
    """How many flows the contact entered by this event."""

    contactId: str | None
    """The UUID of the contact; null where there is none."""

    created: bool
    """Whether the event made the contact."""


class EventItem(TypedDict):
    """An entry of the event catalogue."""

    value: str
    """The name: of a system event for `events` of a webhook endpoint, of a custom event for event ingest."""

    label: str
    """The name that a person reads; of a system event the same as `value`."""

    kind: EventKind
    """`system` is built in, `custom_event` was seen in this workspace."""

    properties: NotRequired[list[str]]
    """Only of custom events: the names of properties that were seen or declared."""


class EventItemPage(TypedDict):
    """One page of EventItem records."""

    items: list[EventItem]
    """The records of the page."""

    limit: int
    """The limit that was applied."""

    offset: int
    """The offset that was applied."""

    total: int
    """How many records match, whatever the limit and the offset."""

    has_more: bool
    """Whether records follow this page."""

    next_cursor: str | None
    """The offset of the next page as text; null on the last page."""


EventKind: TypeAlias = "Literal['system', 'custom_event']"
"""Whether an event is built in, or of this workspace."""


FailureReason: TypeAlias = "Literal['hard_bounce', 'soft_bounce', 'invalid_address', 'global_blocklist', 'insufficient_credits', 'sender_id_not_approved', 'from_domain_not_verified', 'provider_rejected', 'provider_unavailable', 'undeliverable', 'expired', 'template_render_failed', 'no_consent', 'frequency_cap', 'quiet_hours', 'campaign_cancelled', 'spam_complaint', 'push_endpoint_gone', 'sms_stop', 'list_cleanup', 'address_changed']"
"""Why a message was not sent or not delivered; null where nothing went wrong."""


class IngestEventBody(TypedDict):
    """A custom event: something that a contact did."""

    event: str
    """The name of the event; flows that wait for it enrol the contact."""

    contactId: NotRequired[str]
    """The UUID of an existing contact; without it the contact is found by `email`, else by `phone`, or made."""

    email: NotRequired[str]
    """The address by which the contact is found or made."""

    phone: NotRequired[str]
    """The number by which the contact is found or made."""

    firstName: NotRequired[str]
    """The first name of a contact that the event makes."""

    lastName: NotRequired[str]
    """The last name of a contact that the event makes."""

    properties: NotRequired[JsonObject]
    """What happened, as the client says it; about 8 KB at most. Flow templates have its keys as merge tags."""


JsonObject: TypeAlias = "dict[str, Any]"
"""A JSON object whose keys are the client's own."""


class List(TypedDict):
    """A list of contacts, also called a segment."""

    id: str
    """The UUID of the list."""

    name: str
    """The name of the list."""

    type: ListType
    """Only the members of a `static` list can be changed."""

    profiles: int
    """How many members the list has; a cached count."""


class ListDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: ListEventName
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: ListEventData
    """What happened."""


class ListEventData(TypedDict):
    """A contact and a static list."""

    listId: str
    """The UUID of the list."""

    listName: str
    """The name of the list."""

    contactId: str
    """The UUID of the contact."""

    occurredAt: str
    """When it happened."""


ListEventName: TypeAlias = "Literal['list.subscribed', 'list.unsubscribed']"
"""The names of the events of this group."""


class ListPage(TypedDict):
    """One page of List records."""

    items: list[List]
    """The records of the page."""

    limit: int
    """The limit that was applied."""

    offset: int
    """The offset that was applied."""

    total: int
    """How many records match, whatever the limit and the offset."""

    has_more: bool
    """Whether records follow this page."""

    next_cursor: str | None
    """The offset of the next page as text; null on the last page."""


ListType: TypeAlias = "Literal['static', 'dynamic']"
"""Whether members are added one by one, or by a rule."""


class LoyaltyDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: LoyaltyEventName
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: LoyaltyEventData
    """What happened."""


class LoyaltyEventData(TypedDict):
    """A step in a loyalty programme. What the vendor left out is null."""

    vendor: str | None
    """The vendor of the programme."""

    points: float | None
    """The points."""

    tier: str | None
    """The tier."""

    rewardCode: str | None
    """The code of the reward."""

    contactId: str
    """The UUID of the contact."""

    occurredAt: str
    """When it happened."""


LoyaltyEventName: TypeAlias = "Literal['loyalty.points_earned', 'loyalty.points_expiring', 'loyalty.tier_changed', 'loyalty.redemption', 'loyalty.referral']"
"""The names of the events of this group."""


class Me(TypedDict):
    """The workspace that the key belongs to, and the version of the API."""

    tenant: Tenant
    """The workspace."""

    apiVersion: str
    """The version of the API."""


class MembersAdded(TypedDict):
    """Members that were added."""

    added: int
    """How many contacts this call added."""

    count: int
    """How many members the list has after the call."""


class MembersCount(TypedDict):
    """The members of a list."""

    count: int
    """How many members the list has after the call."""


class MembersRemoved(TypedDict):
    """Members that were removed."""

    removed: int
    """How many contacts this call removed."""

    count: int
    """How many members the list has after the call."""


class MergeFields(TypedDict):
    """The merge tags of a template."""

    items: list[str]
    """The keys of the merge tags, sorted, each once."""


class Message(TypedDict):
    """What became of a message."""

    id: str
    """The UUID of the message."""

    channel: MessageChannel
    """What the message is sent by."""

    status: MessageStatus
    """Where the message is in its life."""

    failureReason: FailureReason | None
    """Why the message was not sent or not delivered; null where nothing went wrong."""

    providerMessageId: str | None
    """The id that the provider gave the message, once it accepted it; else null."""

    queuedAt: str
    """When the send was accepted."""

    sentAt: str | None
    """When the provider accepted the message, or null."""

    deliveredAt: str | None
    """When the provider reported the delivery, or null."""

    updatedAt: str
    """When the status changed last."""


class MessageAccepted(TypedDict):
    """A send that was accepted for processing. Accepted is not delivered."""

    messageId: str
    """The UUID of the message: read its status under it."""


MessageChannel: TypeAlias = "Literal['email', 'sms', 'push', 'voice', 'whatsapp']"
"""What a message is sent by."""


class MessageOutcomeData(TypedDict):
    """A message whose status moved (M64)."""

    contactId: str
    """The UUID of the contact."""

    occurredAt: str
    """When it happened."""

    channel: str
    """What the message was sent by."""

    messageId: str
    """The UUID of the message."""

    providerMessageId: str | None
    """The id that the provider gave the message; null before it took it."""

    reason: NotRequired[str]
    """Why, as `failureReason` of the message says; absent where it has none."""

    campaignId: NotRequired[str]
    """The UUID of the campaign that it is of; absent where it is of none."""

    flowId: NotRequired[str]
    """The UUID of the flow that it is of; absent where it is of none."""


class MessageOutcomeDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: MessageOutcomeEventName
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: MessageOutcomeData
    """What happened."""


MessageOutcomeEventName: TypeAlias = "Literal['email.sent', 'email.delivered', 'email.bounced', 'email.complained', 'email.failed', 'email.suppressed', 'sms.sent', 'sms.bounced', 'sms.complained', 'sms.suppressed', 'push.sent', 'push.delivered', 'push.bounced', 'push.complained', 'push.failed', 'push.suppressed']"
"""The names of the events of this group."""


class MessagePage(TypedDict):
    """One page of Message records."""

    items: list[Message]
    """The records of the page."""

    limit: int
    """The limit that was applied."""

    offset: int
    """The offset that was applied."""

    total: int
    """How many records match, whatever the limit and the offset."""

    has_more: bool
    """Whether records follow this page."""

    next_cursor: str | None
    """The offset of the next page as text; null on the last page."""


MessageStatus: TypeAlias = "Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed', 'skipped']"
"""Where a message is in its life."""


class OrderDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: OrderEventName
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: OrderEventData
    """What happened."""


class OrderEventData(TypedDict):
    """An order, a shipment, a checkout or a cart. What the store left out is null."""

    externalId: str | None
    """The store's id of the record."""

    orderId: str | None
    """The id of the order."""

    amount: float | None
    """The amount, in `currency`; of a refund, what was refunded."""

    currency: str | None
    """The currency."""

    contactId: str
    """The UUID of the contact."""

    occurredAt: str
    """When it happened."""


OrderEventName: TypeAlias = "Literal['order.completed', 'order.refunded', 'order.fulfilled', 'order.partially_fulfilled', 'order.cancelled', 'shipment.confirmed', 'shipment.out_for_delivery', 'shipment.delivered', 'checkout.started', 'cart.abandoned']"
"""The names of the events of this group."""


OtpChannel: TypeAlias = "Literal['sms', 'voice']"
"""How a passcode reaches its person."""


OtpFailure: TypeAlias = "Literal['expired_or_unknown', 'code_mismatch', 'too_many_attempts']"
"""Why a passcode was not verified."""


class OtpSent(TypedDict):
    """A passcode that was sent."""

    verificationId: str
    """What the code is verified under; an opaque text."""

    channel: OtpChannel
    """How the passcode was sent."""

    expiresInSeconds: int
    """How long the code is valid: always 300 seconds."""

    segments: int
    """How many segments the message has."""


class OtpVerification(TypedDict):
    """Whether the code was the right one. A match consumes it."""

    verified: bool
    """Whether the code was the right one."""

    reason: NotRequired[OtpFailure]
    """Why not; only there where `verified` is false."""


class PatchByEmailBody(TypedDict):
    """A change of the contact that has an address. What is not sent is left as it is."""

    email: str
    """The address by which the contact is found; it is not rewritten."""

    newEmail: NotRequired[str]
    """The address that the contact has afterwards."""

    phone: NotRequired[str]
    """The number; stored in E.164."""

    firstName: NotRequired[str]
    """The first name."""

    lastName: NotRequired[str]
    """The last name."""

    timezone: NotRequired[str]
    """The time zone: a name of IANA, or an offset such as `+03:00`; empty for none."""

    locale: NotRequired[str]
    """The language."""

    emailConsent: NotRequired[ConsentState]
    """The consent to marketing by email, as it is now."""

    smsConsent: NotRequired[ConsentState]
    """The consent to marketing by text message, as it is now."""

    pushConsent: NotRequired[ConsentState]
    """The consent to marketing by web push, as it is now."""

    tags: NotRequired[list[str]]
    """Free texts on the contact; they replace those that it has."""

    customProperties: NotRequired[JsonObject]
    """What else the client stores about the contact, under keys of its own."""

    notes: NotRequired[str | None]
    """A free text for people; null removes it."""

    city: NotRequired[str]
    """Merged into `customProperties`."""

    country: NotRequired[str]
    """Merged into `customProperties`."""

    stateProvince: NotRequired[str]
    """Merged into `customProperties`."""

    zip: NotRequired[str]
    """Merged into `customProperties`."""

    address1: NotRequired[str]
    """Merged into `customProperties`."""

    address2: NotRequired[str]
    """Merged into `customProperties`."""

    dateOfBirth: NotRequired[str]
    """Merged into `customProperties`."""

    gender: NotRequired[str]
    """Merged into `customProperties`."""

    jobTitle: NotRequired[str]
    """Merged into `customProperties`."""


Plan: TypeAlias = "Literal['free', 'starter', 'pro', 'enterprise']"
"""The plan of a workspace."""


class Profile(TypedDict):
    """A contact of the workspace. What was never set is null."""

    id: str
    """The UUID of the contact."""

    email: str | None
    """The address, in lower case."""

    phone: str | None
    """The number, in E.164."""

    firstName: str | None
    """The first name."""

    lastName: str | None
    """The last name."""

    timezone: str | None
    """The time zone, as it was sent."""

    locale: str | None
    """The language, as it was sent."""

    emailConsent: ConsentState
    """Whether the contact agreed to marketing by email."""

    smsConsent: ConsentState
    """Whether the contact agreed to marketing by text message."""

    pushConsent: ConsentState
    """Whether the contact agreed to marketing by web push."""

    emailConsentTimestamp: str | None
    """When the consent for email was recorded last."""

    smsConsentTimestamp: str | None
    """When the consent for text messages was recorded last."""

    pushConsentTimestamp: str | None
    """When the consent for web push was recorded last."""

    emailValidationState: EmailValidationState
    """What is known about the address."""

    customProperties: JsonObject
    """What else the client stores about the contact, under keys of its own."""

    tags: list[str]
    """Free texts on the contact; they have nothing to do with the tags of `/public/tags`."""

    rfmTier: RfmTier | None
    """How recently, how often and for how much the contact buys; null until a store is connected."""

    notes: str | None
    """A free text for people."""

    emailSuppressed: bool
    """Whether email to the contact is suppressed."""

    smsSuppressed: bool
    """Whether text messages to the contact are suppressed."""

    createdAt: str
    """When the contact was created."""

    updatedAt: str
    """When the contact changed last."""


class ProfileBody(TypedDict):
    """What a contact is created with, or changed to. What is not sent is left as it is."""

    email: NotRequired[str]
    """The address; stored trimmed and in lower case."""

    phone: NotRequired[str]
    """The number; stored in E.164."""

    firstName: NotRequired[str]
    """The first name."""

    lastName: NotRequired[str]
    """The last name."""

    timezone: NotRequired[str]
    """The time zone: a name of IANA, or an offset such as `+03:00`; empty for none."""

    locale: NotRequired[str]
    """The language."""

    emailConsent: NotRequired[ConsentState]
    """The consent to marketing by email, as it is now."""

    smsConsent: NotRequired[ConsentState]
    """The consent to marketing by text message, as it is now."""

    pushConsent: NotRequired[ConsentState]
    """The consent to marketing by web push, as it is now."""

    emailConsentSource: NotRequired[str]
    """Where the consent for email was given. Written, never shown."""

    smsConsentSource: NotRequired[str]
    """Where the consent for text messages was given. Written, never shown."""

    pushConsentSource: NotRequired[str]
    """Where the consent for web push was given. Written, never shown."""

    tags: NotRequired[list[str]]
    """Free texts on the contact; they replace those that it has."""

    customProperties: NotRequired[JsonObject]
    """What else the client stores about the contact, under keys of its own."""

    notes: NotRequired[str | None]
    """A free text for people; null removes it."""


class ProfilePage(TypedDict):
    """One page of Profile records."""

    items: list[Profile]
    """The records of the page."""

    limit: int
    """The limit that was applied."""

    offset: int
    """The offset that was applied."""

    total: int
    """How many records match, whatever the limit and the offset."""

    has_more: bool
    """Whether records follow this page."""

    next_cursor: str | None
    """The offset of the next page as text; null on the last page."""


class PushKeys(TypedDict):
    """The keys that pushes to the browser are encrypted with (RFC 8291)."""

    p256dh: str
    """The public key of the browser, as base64url."""

    auth: str
    """The secret of the subscription, as base64url."""


class PushPublicKey(TypedDict):
    """The key that browsers subscribe to web push with."""

    publicKey: str | None
    """The VAPID public key as base64url, or null where there is none."""

    enabled: bool
    """Whether pushes can be delivered; else registrations are recorded only."""


class PushSubscription(TypedDict):
    """A browser that pushes can be sent to."""

    id: str
    """The UUID of the subscription."""

    profileId: str
    """The UUID of the profile that the browser belongs to."""

    endpointHash: str
    """The SHA-256 of the endpoint in hex."""

    browser: str | None
    """The label of the browser, or null."""

    platform: str | None
    """The label of the platform, or null."""

    createdAt: str
    """When the browser was registered first."""

    lastSeenAt: str
    """When the browser was registered last."""

    revokedAt: str | None
    """When the subscription ended, or null."""

    revokeReason: str | None
    """Why the subscription ended, or null."""


class RegisterPushBody(TypedDict):
    """A browser that subscribed to web push, and whose it is."""

    profileId: str
    """The UUID of the profile that the browser belongs to."""

    endpoint: str
    """The URL of the push service, as the browser says it."""

    keys: PushKeys
    """The keys of the subscription, as the browser says them."""

    userAgent: NotRequired[str]
    """The user agent of the browser; never returned."""

    browser: NotRequired[str]
    """A label for the browser."""

    platform: NotRequired[str]
    """A label for the platform."""


class RemoveMembersBody(TypedDict):
    """Contacts to take off a list; at least one."""

    email: NotRequired[str]
    """One address."""

    emails: NotRequired[list[str]]
    """Addresses; unknown ones are skipped."""

    contactIds: NotRequired[list[str]]
    """UUIDs of contacts."""


class ReviewDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: ReviewEventName
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: ReviewEventData
    """What happened."""


class ReviewEventData(TypedDict):
    """A review, a question or an answer. What the vendor left out is null."""

    vendor: str | None
    """The vendor of the reviews."""

    rating: float | None
    """The rating."""

    productId: str | None
    """The id of the product."""

    published: bool
    """Whether it is published; false where the vendor left it out."""

    orderId: str | None
    """The id of the order."""

    contactId: str
    """The UUID of the contact."""

    occurredAt: str
    """When it happened."""


ReviewEventName: TypeAlias = "Literal['review.request_ready', 'review.submitted', 'review.question', 'review.answer']"
"""The names of the events of this group."""


RfmTier: TypeAlias = "Literal['champions', 'loyal', 'potential_loyalist', 'new', 'promising', 'needs_attention', 'about_to_sleep', 'at_risk', 'cannot_lose', 'hibernating', 'lost']"
"""How recently, how often and for how much a contact buys."""


class SendEmailBody(TypedDict):
    """A transactional email to one person: with a content of its own, or made from a template."""

    to: NotRequired[str]
    """The address of the recipient, trimmed and lower-cased before the look-up; `to` or `contactId` is needed. An unknown one makes a contact."""

    contactId: NotRequired[str]
    """The UUID of an existing contact; wins over `to` where both are sent."""

    fromEmail: str
    """The sender: a verified address on a verified domain of the workspace."""

    fromName: NotRequired[str]
    """The name of the sender; with a template it falls back to the one of the template."""

    replyTo: NotRequired[str]
    """Where answers go; it need not be verified."""

    contentMode: NotRequired[ContentMode]
    """`manual` unless `templateId` is sent, which is enough for a template; `manual` together with `templateId` is refused."""

    subject: NotRequired[str]
    """The subject; needed without a template, ignored with one."""

    html: NotRequired[str]
    """The content as HTML; needed without a template, ignored with one."""

    text: NotRequired[str]
    """The content as plain text; ignored with a template."""

    templateId: NotRequired[str]
    """The UUID of an email template of the workspace."""

    templateFields: NotRequired[JsonObject]
    """Values for `{{key}}` in the template: flat, each a string, number, boolean or null."""


class SendOtpBody(TypedDict):
    """A one-time passcode to a mobile number."""

    phone: str
    """An Israeli mobile number; blanks, hyphens, parentheses and dots are ignored, and a leading `00` is `+`."""

    channel: NotRequired[OtpChannel]
    """`sms` unless it says `voice`, which reads the digits aloud."""

    message: NotRequired[str]
    """The text, which must hold `{{code}}`; else it is `Your verification code is {{code}}`."""

    senderId: NotRequired[str]
    """One of the active sender IDs of the workspace, in any case."""


class SendSmsBody(TypedDict):
    """A transactional text message to one person: with a content of its own, or made from a template."""

    to: NotRequired[str]
    """The number of the recipient, in E.164; `to` or `contactId` is needed."""

    contactId: NotRequired[str]
    """The UUID of an existing contact; wins over `to` where both are sent."""

    senderId: str
    """One of the active sender IDs of the workspace, in any case. There is no default."""

    contentMode: NotRequired[ContentMode]
    """`manual` unless `templateId` is sent, which is enough for a template; `manual` together with `templateId` is refused."""

    body: NotRequired[str]
    """The text; needed without a template, ignored with one. One credit pays for 268 billable characters."""

    templateId: NotRequired[str]
    """The UUID of an SMS template of the workspace."""

    templateFields: NotRequired[JsonObject]
    """Values for `{{key}}` in the template: flat, each a string, number, boolean or null."""


class SenderAddressOption(TypedDict):
    """An address that may be sent from: its domain and its inbox are verified."""

    value: str
    """The address: the `fromEmail` of a send."""

    label: str
    """`Name <address>` where a name is set, else the address."""

    fromName: str | None
    """The name of the sender, or null."""


class SenderAddressOptionPage(TypedDict):
    """One page of SenderAddressOption records."""

    items: list[SenderAddressOption]
    """The records of the page."""

    limit: int
    """The limit that was applied."""

    offset: int
    """The offset that was applied."""

    total: int
    """How many records match, whatever the limit and the offset."""

    has_more: bool
    """Whether records follow this page."""

    next_cursor: str | None
    """The offset of the next page as text; null on the last page."""


class SmsDeliveredData(TypedDict):
    """A text message that was delivered."""

    contactId: str
    """The UUID of the contact."""

    occurredAt: str
    """When it happened."""

    channel: str
    """What the message was sent by."""

    messageId: str
    """The UUID of the message."""

    providerMessageId: str | None
    """The id that the provider gave the message, or null."""


class SmsDeliveredDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: SmsDeliveredEventName
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: SmsDeliveredData
    """What happened."""


SmsDeliveredEventName: TypeAlias = "Literal['sms.delivered']"
"""The names of the events of this group."""


class SmsFailedData(TypedDict):
    """A text message that failed."""

    contactId: str
    """The UUID of the contact."""

    occurredAt: str
    """When it happened."""

    channel: str
    """What the message was sent by."""

    messageId: str
    """The UUID of the message."""

    providerMessageId: str | None
    """The id that the provider gave the message, or null."""

    reason: str
    """Why, as `failureReason` of the message says."""


class SmsFailedDelivery(TypedDict):
    """The body of a delivery. Branch on `event`, and ignore keys that you do not know."""

    event: SmsFailedEventName
    """The name of the event."""

    deliveryId: str
    """The UUID of the delivery, the same at every attempt."""

    data: SmsFailedData
    """What happened."""


SmsFailedEventName: TypeAlias = "Literal['sms.failed']"
"""The names of the events of this group."""


class SmsSenderIdOption(TypedDict):
    """An SMS sender ID that is approved and active."""

    value: str
    """The sender ID: the `senderId` of a send."""

    label: str
    """The same as `value`."""


class SmsSenderIdOptionPage(TypedDict):
    """One page of SmsSenderIdOption records."""

    items: list[SmsSenderIdOption]
    """The records of the page."""

    limit: int
    """The limit that was applied."""

    offset: int
    """The offset that was applied."""

    total: int
    """How many records match, whatever the limit and the offset."""

    has_more: bool
    """Whether records follow this page."""

    next_cursor: str | None
    """The offset of the next page as text; null on the last page."""


class StoreEventBody(TypedDict):
    """An event of a connected store, of reviews or of a loyalty programme."""

    event: str
    """One of the built-in names of these events, such as `order.completed`."""

    contactId: NotRequired[str]
    """The UUID of an existing contact; without it the contact is found by `email`, else by `phone`, or made."""

    email: NotRequired[str]
    """The address by which the contact is found or made."""

    phone: NotRequired[str]
    """The number by which the contact is found or made."""

    occurredAt: NotRequired[str]
    """When it happened, in ISO 8601; now, where it is left out."""

    data: NotRequired[JsonObject]
    """The keys of the group of the event, and no others."""


class SubscribeBody(TypedDict):
    """What a visitor filled into an embedded form."""

    email: str
    """The address of the visitor."""

    phone: NotRequired[str]
    """The number of the visitor."""

    formId: NotRequired[str]
    """A label that the page chose for its form. It is no security boundary."""

    fields: NotRequired[JsonObject]
    """The other fields: keys that a profile has go to it, every other one to its custom properties."""

    sourceUrl: NotRequired[str]
    """The page that the form is on."""


class Subscribed(TypedDict):
    """A sign-up that was taken."""

    ok: bool
    """Always true."""

    contactId: str
    """The UUID of the contact."""

    isNew: bool
    """Whether the sign-up made the contact."""

    pending: NotRequired[bool]
    """Only there, and true, where the owner of the address is asked to confirm first."""


class Tag(TypedDict):
    """A label for campaigns, flows, templates and lists."""

    id: str
    """The UUID of the tag."""

    name: str
    """The name, unique in the workspace."""

    color: TagColor | None
    """The colour, or null."""

    createdAt: str
    """When the tag was created."""

    updatedAt: str
    """When the tag changed last."""


TagColor: TypeAlias = "Literal['neutral', 'primary', 'accent', 'warn', 'danger', 'info', 'violet']"
"""The colour of a tag."""


class TagOption(TypedDict):
    """A tag, as an entry of a picker."""

    value: str
    """The name of the tag."""

    label: str
    """The same as `value`."""

    id: str
    """The UUID of the tag."""

    color: TagColor | None
    """The colour, or null."""


class TagOptionPage(TypedDict):
    """One page of TagOption records."""

    items: list[TagOption]
    """The records of the page."""

    limit: int
    """The limit that was applied."""

    offset: int
    """The offset that was applied."""

    total: int
    """How many records match, whatever the limit and the offset."""

    has_more: bool
    """Whether records follow this page."""

    next_cursor: str | None
    """The offset of the next page as text; null on the last page."""


TemplateChannel: TypeAlias = "Literal['email', 'sms', 'push']"
"""What a template is for."""


class TemplateOption(TypedDict):
    """A template of the library of the workspace, as an entry of a picker."""

    value: str
    """The UUID of the template: the `templateId` of a send."""

    label: str
    """The name of the template."""

    channel: TemplateChannel
    """What the template is for."""

    mergeFields: list[str]
    """The keys of the merge tags that the template holds, sorted, each once."""


class TemplateOptionPage(TypedDict):
    """One page of TemplateOption records."""

    items: list[TemplateOption]
    """The records of the page."""

    limit: int
    """The limit that was applied."""

    offset: int
    """The offset that was applied."""

    total: int
    """How many records match, whatever the limit and the offset."""

    has_more: bool
    """Whether records follow this page."""

    next_cursor: str | None
    """The offset of the next page as text; null on the last page."""


class Tenant(TypedDict):
    """A workspace."""

    id: str
    """The UUID of the workspace."""

    slug: str
    """The public name of the workspace, as `X-Sender-Tenant` takes it."""

    name: str
    """The name for people."""

    plan: Plan
    """The plan."""

    status: WorkspaceStatus
    """Whether the workspace may be used."""


UnsubscribedChannel: TypeAlias = "Literal['email', 'sms', 'push']"
"""The channel that a contact left."""


class UpsertProfileBody(TypedDict):
    """A contact, found by `email`, else by `phone`, else created; at least one of the two."""

    email: NotRequired[str]
    """The address; stored trimmed and in lower case."""

    phone: NotRequired[str]
    """The number; stored in E.164."""

    firstName: NotRequired[str]
    """The first name."""

    lastName: NotRequired[str]
    """The last name."""

    timezone: NotRequired[str]
    """The time zone: a name of IANA, or an offset such as `+03:00`; empty for none."""

    locale: NotRequired[str]
    """The language."""

    emailConsent: NotRequired[ConsentState]
    """The consent to marketing by email, as it is now."""

    smsConsent: NotRequired[ConsentState]
    """The consent to marketing by text message, as it is now."""

    pushConsent: NotRequired[ConsentState]
    """The consent to marketing by web push, as it is now."""

    emailConsentSource: NotRequired[str]
    """Where the consent for email was given. Written, never shown."""

    smsConsentSource: NotRequired[str]
    """Where the consent for text messages was given. Written, never shown."""

    pushConsentSource: NotRequired[str]
    """Where the consent for web push was given. Written, never shown."""

    tags: NotRequired[list[str]]
    """Free texts on the contact; they replace those that it has."""

    customProperties: NotRequired[JsonObject]
    """What else the client stores about the contact, under keys of its own."""

    notes: NotRequired[str | None]
    """A free text for people; null removes it."""


class VerifyOtpBody(TypedDict):
    """The code that somebody typed."""

    verificationId: str
    """The id that the send answered with."""

    code: str
    """The six digits, as they were typed."""


class WebhookEndpoint(TypedDict):
    """A URL that events are delivered to."""

    id: str
    """The UUID of the endpoint."""

    label: str | None
    """The label from its creation, or null."""

    url: str
    """Where deliveries go."""

    events: list[str]
    """The names that the endpoint subscribed; only `*` means every event."""

    active: bool
    """False while the endpoint is paused."""

    createdAt: str
    """When the endpoint was created."""


WebhookEndpoints: TypeAlias = "list[WebhookEndpoint]"
"""Every endpoint of the workspace, newest first."""


WorkspaceStatus: TypeAlias = "Literal['active', 'suspended', 'closed']"
"""Whether a workspace may be used."""


BuiltInEvent: TypeAlias = OrderDelivery | ContactDelivery | ContactUnsubscribedDelivery | ListDelivery | CampaignSentDelivery | EmailOpenedDelivery | EmailClickedDelivery | SmsDeliveredDelivery | SmsFailedDelivery | ReviewDelivery | LoyaltyDelivery | MessageOutcomeDelivery
"""What is delivered for an event of the catalogue: its `data` follows from `event`."""

WebhookEvent: TypeAlias = BuiltInEvent | CustomDelivery
"""What an endpoint receives."""

BUILT_IN_EVENTS: Final = frozenset((
    "order.completed",
    "order.refunded",
    "order.fulfilled",
    "order.partially_fulfilled",
    "order.cancelled",
    "shipment.confirmed",
    "shipment.out_for_delivery",
    "shipment.delivered",
    "checkout.started",
    "cart.abandoned",
    "contact.created",
    "contact.updated",
    "contact.unsubscribed",
    "list.subscribed",
    "list.unsubscribed",
    "campaign.sent",
    "email.opened",
    "email.clicked",
    "sms.delivered",
    "sms.failed",
    "review.request_ready",
    "review.submitted",
    "review.question",
    "review.answer",
    "loyalty.points_earned",
    "loyalty.points_expiring",
    "loyalty.tier_changed",
    "loyalty.redemption",
    "loyalty.referral",
    "email.sent",
    "email.delivered",
    "email.bounced",
    "email.complained",
    "email.failed",
    "email.suppressed",
    "sms.sent",
    "sms.bounced",
    "sms.complained",
    "sms.suppressed",
    "push.sent",
    "push.delivered",
    "push.bounced",
    "push.complained",
    "push.failed",
    "push.suppressed",
))
"""The events of the catalogue."""
