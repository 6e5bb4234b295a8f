// Written by `npm run snapshots` from the OpenAPI document: do not edit.
import type { components } from './schema.ts'

type Schemas = components['schemas']

/** Contacts to put on a list; at least one. */
export type AddMembersBody = Schemas['AddMembersBody']
/** A contact and a channel; `email` or `contactId` is needed. */
export type BlacklistBody = Schemas['BlacklistBody']
/** What is suppressed. */
export type BlacklistChannel = Schemas['BlacklistChannel']
/** What a campaign is sent by. */
export type CampaignChannel = Schemas['CampaignChannel']
/** A campaign, as an entry of a picker. */
export type CampaignOption = Schemas['CampaignOption']
/** One page of CampaignOption records. */
export type CampaignOptionPage = Schemas['CampaignOptionPage']
/** A message of a campaign that was sent. */
export type CampaignSentData = Schemas['CampaignSentData']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type CampaignSentDelivery = Schemas['CampaignSentDelivery']
/** The names of the events of this group. */
export type CampaignSentEventName = Schemas['CampaignSentEventName']
/** Where a campaign is in its life. */
export type CampaignStatus = Schemas['CampaignStatus']
/** The channel of a consent. */
export type ConsentChannel = Schemas['ConsentChannel']
/** Whether a contact agreed to be written to on a channel. */
export type ConsentState = Schemas['ConsentState']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type ContactDelivery = Schemas['ContactDelivery']
/** The contact as it was after the event. */
export type ContactEventData = Schemas['ContactEventData']
/** The names of the events of this group. */
export type ContactEventName = Schemas['ContactEventName']
/** The contact as it was after the event, and the channel that it left. */
export type ContactUnsubscribedData = Schemas['ContactUnsubscribedData']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type ContactUnsubscribedDelivery = Schemas['ContactUnsubscribedDelivery']
/** The names of the events of this group. */
export type ContactUnsubscribedEventName = Schemas['ContactUnsubscribedEventName']
/** Whether the content is in the request or in a template. */
export type ContentMode = Schemas['ContentMode']
/** A new tag. */
export type CreateTagBody = Schemas['CreateTagBody']
/** A new webhook endpoint. */
export type CreateWebhookBody = Schemas['CreateWebhookBody']
/** A new endpoint with its secret, which is shown this once. */
export type CreatedWebhookEndpoint = Schemas['CreatedWebhookEndpoint']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type CustomDelivery = Schemas['CustomDelivery']
/** A custom event, as it was ingested. */
export type CustomEventData = Schemas['CustomEventData']
/** One of the values that a custom field allows. */
export type CustomFieldChoice = Schemas['CustomFieldChoice']
/** What a custom field holds. */
export type CustomFieldKind = Schemas['CustomFieldKind']
/** A custom field of the workspace, as an entry of a picker. */
export type CustomFieldOption = Schemas['CustomFieldOption']
/** One page of CustomFieldOption records. */
export type CustomFieldOptionPage = Schemas['CustomFieldOptionPage']
/** A click on a link of a tracked mail. */
export type EmailClickedData = Schemas['EmailClickedData']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type EmailClickedDelivery = Schemas['EmailClickedDelivery']
/** The names of the events of this group. */
export type EmailClickedEventName = Schemas['EmailClickedEventName']
/** The first open of a tracked mail. */
export type EmailOpenedData = Schemas['EmailOpenedData']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type EmailOpenedDelivery = Schemas['EmailOpenedDelivery']
/** The names of the events of this group. */
export type EmailOpenedEventName = Schemas['EmailOpenedEventName']
/** What is known about an address. */
export type EmailValidationState = Schemas['EmailValidationState']
/** Whether an event has a contact. */
export type EventIngestStatus = Schemas['EventIngestStatus']
/** What became of an event. */
export type EventIngested = Schemas['EventIngested']
/** An entry of the event catalogue. */
export type EventItem = Schemas['EventItem']
/** One page of EventItem records. */
export type EventItemPage = Schemas['EventItemPage']
/** Whether an event is built in, or of this workspace. */
export type EventKind = Schemas['EventKind']
/** Why a message was not sent or not delivered; null where nothing went wrong. */
export type FailureReason = Schemas['FailureReason']
/** A custom event: something that a contact did. */
export type IngestEventBody = Schemas['IngestEventBody']
/** A JSON object whose keys are the client's own. */
export type JsonObject = Schemas['JsonObject']
/** A list of contacts, also called a segment. */
export type List = Schemas['List']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type ListDelivery = Schemas['ListDelivery']
/** A contact and a static list. */
export type ListEventData = Schemas['ListEventData']
/** The names of the events of this group. */
export type ListEventName = Schemas['ListEventName']
/** One page of List records. */
export type ListPage = Schemas['ListPage']
/** Whether members are added one by one, or by a rule. */
export type ListType = Schemas['ListType']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type LoyaltyDelivery = Schemas['LoyaltyDelivery']
/** A step in a loyalty programme. What the vendor left out is null. */
export type LoyaltyEventData = Schemas['LoyaltyEventData']
/** The names of the events of this group. */
export type LoyaltyEventName = Schemas['LoyaltyEventName']
/** The workspace that the key belongs to, and the version of the API. */
export type Me = Schemas['Me']
/** Members that were added. */
export type MembersAdded = Schemas['MembersAdded']
/** The members of a list. */
export type MembersCount = Schemas['MembersCount']
/** Members that were removed. */
export type MembersRemoved = Schemas['MembersRemoved']
/** The merge tags of a template. */
export type MergeFields = Schemas['MergeFields']
/** What became of a message. */
export type Message = Schemas['Message']
/** A send that was accepted for processing. Accepted is not delivered. */
export type MessageAccepted = Schemas['MessageAccepted']
/** What a message is sent by. */
export type MessageChannel = Schemas['MessageChannel']
/** A message whose status moved (M64). */
export type MessageOutcomeData = Schemas['MessageOutcomeData']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type MessageOutcomeDelivery = Schemas['MessageOutcomeDelivery']
/** The names of the events of this group. */
export type MessageOutcomeEventName = Schemas['MessageOutcomeEventName']
/** One page of Message records. */
export type MessagePage = Schemas['MessagePage']
/** Where a message is in its life. */
export type MessageStatus = Schemas['MessageStatus']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type OrderDelivery = Schemas['OrderDelivery']
/** An order, a shipment, a checkout or a cart. What the store left out is null. */
export type OrderEventData = Schemas['OrderEventData']
/** The names of the events of this group. */
export type OrderEventName = Schemas['OrderEventName']
/** How a passcode reaches its person. */
export type OtpChannel = Schemas['OtpChannel']
/** Why a passcode was not verified. */
export type OtpFailure = Schemas['OtpFailure']
/** A passcode that was sent. */
export type OtpSent = Schemas['OtpSent']
/** Whether the code was the right one. A match consumes it. */
export type OtpVerification = Schemas['OtpVerification']
/** A change of the contact that has an address. What is not sent is left as it is. */
export type PatchByEmailBody = Schemas['PatchByEmailBody']
/** The plan of a workspace. */
export type Plan = Schemas['Plan']
/** A contact of the workspace. What was never set is null. */
export type Profile = Schemas['Profile']
/** What a contact is created with, or changed to. What is not sent is left as it is. */
export type ProfileBody = Schemas['ProfileBody']
/** One page of Profile records. */
export type ProfilePage = Schemas['ProfilePage']
/** The keys that pushes to the browser are encrypted with (RFC 8291). */
export type PushKeys = Schemas['PushKeys']
/** The key that browsers subscribe to web push with. */
export type PushPublicKey = Schemas['PushPublicKey']
/** A browser that pushes can be sent to. */
export type PushSubscription = Schemas['PushSubscription']
/** A browser that subscribed to web push, and whose it is. */
export type RegisterPushBody = Schemas['RegisterPushBody']
/** Contacts to take off a list; at least one. */
export type RemoveMembersBody = Schemas['RemoveMembersBody']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type ReviewDelivery = Schemas['ReviewDelivery']
/** A review, a question or an answer. What the vendor left out is null. */
export type ReviewEventData = Schemas['ReviewEventData']
/** The names of the events of this group. */
export type ReviewEventName = Schemas['ReviewEventName']
/** How recently, how often and for how much a contact buys. */
export type RfmTier = Schemas['RfmTier']
/** A transactional email to one person: with a content of its own, or made from a template. */
export type SendEmailBody = Schemas['SendEmailBody']
/** A one-time passcode to a mobile number. */
export type SendOtpBody = Schemas['SendOtpBody']
/** A transactional text message to one person: with a content of its own, or made from a template. */
export type SendSmsBody = Schemas['SendSmsBody']
/** An address that may be sent from: its domain and its inbox are verified. */
export type SenderAddressOption = Schemas['SenderAddressOption']
/** One page of SenderAddressOption records. */
export type SenderAddressOptionPage = Schemas['SenderAddressOptionPage']
/** A text message that was delivered. */
export type SmsDeliveredData = Schemas['SmsDeliveredData']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type SmsDeliveredDelivery = Schemas['SmsDeliveredDelivery']
/** The names of the events of this group. */
export type SmsDeliveredEventName = Schemas['SmsDeliveredEventName']
/** A text message that failed. */
export type SmsFailedData = Schemas['SmsFailedData']
/** The body of a delivery. Branch on `event`, and ignore keys that you do not know. */
export type SmsFailedDelivery = Schemas['SmsFailedDelivery']
/** The names of the events of this group. */
export type SmsFailedEventName = Schemas['SmsFailedEventName']
/** An SMS sender ID that is approved and active. */
export type SmsSenderIdOption = Schemas['SmsSenderIdOption']
/** One page of SmsSenderIdOption records. */
export type SmsSenderIdOptionPage = Schemas['SmsSenderIdOptionPage']
/** An event of a connected store, of reviews or of a loyalty programme. */
export type StoreEventBody = Schemas['StoreEventBody']
/** What a visitor filled into an embedded form. */
export type SubscribeBody = Schemas['SubscribeBody']
/** A sign-up that was taken. */
export type Subscribed = Schemas['Subscribed']
/** A label for campaigns, flows, templates and lists. */
export type Tag = Schemas['Tag']
/** The colour of a tag. */
export type TagColor = Schemas['TagColor']
/** A tag, as an entry of a picker. */
export type TagOption = Schemas['TagOption']
/** One page of TagOption records. */
export type TagOptionPage = Schemas['TagOptionPage']
/** What a template is for. */
export type TemplateChannel = Schemas['TemplateChannel']
/** A template of the library of the workspace, as an entry of a picker. */
export type TemplateOption = Schemas['TemplateOption']
/** One page of TemplateOption records. */
export type TemplateOptionPage = Schemas['TemplateOptionPage']
/** A workspace. */
export type Tenant = Schemas['Tenant']
/** The channel that a contact left. */
export type UnsubscribedChannel = Schemas['UnsubscribedChannel']
/** A contact, found by `email`, else by `phone`, else created; at least one of the two. */
export type UpsertProfileBody = Schemas['UpsertProfileBody']
/** The code that somebody typed. */
export type VerifyOtpBody = Schemas['VerifyOtpBody']
/** A URL that events are delivered to. */
export type WebhookEndpoint = Schemas['WebhookEndpoint']
/** Every endpoint of the workspace, newest first. */
export type WebhookEndpoints = Schemas['WebhookEndpoints']
/** Whether a workspace may be used. */
export type WorkspaceStatus = Schemas['WorkspaceStatus']
