// Written by `npm run snapshots` from the OpenAPI document: do not edit.
import { type Api, type ConnectorOptions, connectorInit, dataOf, eachOf, type Query, type ReadOptions, readInit, type WriteOptions, writeInit } from '../call.ts'
import type * as models from './models.ts'

/** Create, find and change contacts, and suppress them. */
export class Profiles {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** Create a profile. `POST /public/profiles` */
  async create(body: models.ProfileBody, options: WriteOptions = {}): Promise<models.Profile> {
    return dataOf(await this.#api.POST('/api/v1/public/profiles', { body, ...(await writeInit(options)) }))
  }

  /** Create a profile, or change the one that has the email or phone. `PUT /public/profiles` */
  async upsert(body: models.UpsertProfileBody, options: WriteOptions = {}): Promise<models.Profile> {
    return dataOf(await this.#api.PUT('/api/v1/public/profiles', { body, ...(await writeInit(options)) }))
  }

  /** Change the profile that has an email. `PATCH /public/profiles` */
  async updateByEmail(body: models.PatchByEmailBody, options: WriteOptions = {}): Promise<models.Profile> {
    return dataOf(await this.#api.PATCH('/api/v1/public/profiles', { body, ...(await writeInit(options)) }))
  }

  /** List profiles. `GET /public/profiles` */
  async list(query: Query<'profiles.list'> = {}, options: ReadOptions = {}): Promise<models.ProfilePage> {
    return dataOf(await this.#api.GET('/api/v1/public/profiles', { params: { query }, ...readInit(options) }))
  }

  /** Every record that `list` has, page by page: from `query.offset` or `query.page` on, `query.limit` at a time. */
  each(query: Query<'profiles.list'> = {}, options: ReadOptions = {}): AsyncGenerator<models.Profile> {
    return eachOf((next) => this.list(next, options), query)
  }

  /** Change a profile. `PATCH /public/profiles/{id}` */
  async update(id: string, body: models.ProfileBody, options: WriteOptions = {}): Promise<models.Profile> {
    return dataOf(await this.#api.PATCH('/api/v1/public/profiles/{id}', { params: { path: { id } }, body, ...(await writeInit(options)) }))
  }

  /** Read a profile. `GET /public/profiles/{id}` */
  async get(id: string, options: ReadOptions = {}): Promise<models.Profile> {
    return dataOf(await this.#api.GET('/api/v1/public/profiles/{id}', { params: { path: { id } }, ...readInit(options) }))
  }

  /** Suppress a contact on a channel. `POST /public/profiles/blacklist` */
  async blacklist(body: models.BlacklistBody, options: WriteOptions = {}): Promise<models.Profile> {
    return dataOf(await this.#api.POST('/api/v1/public/profiles/blacklist', { body, ...(await writeInit(options)) }))
  }

  /** Lift every suppression of a contact on a channel. `DELETE /public/profiles/blacklist` */
  async liftBlacklist(body: models.BlacklistBody, options: WriteOptions = {}): Promise<models.Profile> {
    return dataOf(await this.#api.DELETE('/api/v1/public/profiles/blacklist', { body, ...(await writeInit(options)) }))
  }

  /** Find the profile that has an email. `GET /public/profiles/lookup` */
  async lookup(query: Query<'profiles.lookup'>, options: ReadOptions = {}): Promise<models.Profile> {
    return dataOf(await this.#api.GET('/api/v1/public/profiles/lookup', { params: { query }, ...readInit(options) }))
  }
}

/** Send transactional messages, and read what became of them. */
export class Messages {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** Send a transactional email. `POST /public/messages/email` */
  async sendEmail(body: models.SendEmailBody, options: WriteOptions = {}): Promise<models.MessageAccepted> {
    return dataOf(await this.#api.POST('/api/v1/public/messages/email', { body, ...(await writeInit(options)) }))
  }

  /** Send a transactional text message. `POST /public/messages/sms` */
  async sendSms(body: models.SendSmsBody, options: WriteOptions = {}): Promise<models.MessageAccepted> {
    return dataOf(await this.#api.POST('/api/v1/public/messages/sms', { body, ...(await writeInit(options)) }))
  }

  /** List messages with their status. `GET /public/messages` */
  async list(query: Query<'messages.list'> = {}, options: ReadOptions = {}): Promise<models.MessagePage> {
    return dataOf(await this.#api.GET('/api/v1/public/messages', { params: { query }, ...readInit(options) }))
  }

  /** Every record that `list` has, page by page: from `query.offset` or `query.page` on, `query.limit` at a time. */
  each(query: Query<'messages.list'> = {}, options: ReadOptions = {}): AsyncGenerator<models.Message> {
    return eachOf((next) => this.list(next, options), query)
  }

  /** Read the status of a message. `GET /public/messages/{id}` */
  async get(id: string, options: ReadOptions = {}): Promise<models.Message> {
    return dataOf(await this.#api.GET('/api/v1/public/messages/{id}', { params: { path: { id } }, ...readInit(options) }))
  }
}

/** Send one-time passcodes, and verify them. */
export class Otp {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** Send a one-time passcode. `POST /otp/send` */
  async send(body: models.SendOtpBody, options: WriteOptions = {}): Promise<models.OtpSent> {
    return dataOf(await this.#api.POST('/api/v1/otp/send', { body, ...(await writeInit(options)) }))
  }

  /** Verify a one-time passcode. `POST /otp/verify` */
  async verify(body: models.VerifyOtpBody, options: WriteOptions = {}): Promise<models.OtpVerification> {
    return dataOf(await this.#api.POST('/api/v1/otp/verify', { body, ...(await writeInit(options)) }))
  }
}

/** Read the entries of pickers: templates, senders, campaigns, custom fields, events. */
export class Events {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** Report what a contact did: a custom event. `POST /events/ingest` */
  async ingest(body: models.IngestEventBody, options: WriteOptions = {}): Promise<models.EventIngested> {
    return dataOf(await this.#api.POST('/api/v1/events/ingest', { body, ...(await writeInit(options)) }))
  }

  /** List the event catalogue. `GET /public/events` */
  async list(query: Query<'events.list'> = {}, options: ReadOptions = {}): Promise<models.EventItemPage> {
    return dataOf(await this.#api.GET('/api/v1/public/events', { params: { query }, ...readInit(options) }))
  }

  /** Every record that `list` has, page by page: from `query.offset` or `query.page` on, `query.limit` at a time. */
  each(query: Query<'events.list'> = {}, options: ReadOptions = {}): AsyncGenerator<models.EventItem> {
    return eachOf((next) => this.list(next, options), query)
  }
}

/** Report events of connected stores, reviews and loyalty programmes. */
export class StoreEvents {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** Report an event of a connected store, a review or a loyalty programme. `POST /integrations/store-events` */
  async report(body: models.StoreEventBody, options: ConnectorOptions): Promise<models.EventIngested> {
    return dataOf(await this.#api.POST('/api/v1/integrations/store-events', { body, ...(await connectorInit(options)) }))
  }
}

/** Read and create the labels of campaigns, flows, templates and lists. */
export class Tags {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** Create a tag. `POST /public/tags` */
  async create(body: models.CreateTagBody, options: WriteOptions = {}): Promise<models.Tag> {
    return dataOf(await this.#api.POST('/api/v1/public/tags', { body, ...(await writeInit(options)) }))
  }

  /** List the tags. `GET /public/tags` */
  async list(query: Query<'tags.list'> = {}, options: ReadOptions = {}): Promise<models.TagOptionPage> {
    return dataOf(await this.#api.GET('/api/v1/public/tags', { params: { query }, ...readInit(options) }))
  }

  /** Every record that `list` has, page by page: from `query.offset` or `query.page` on, `query.limit` at a time. */
  each(query: Query<'tags.list'> = {}, options: ReadOptions = {}): AsyncGenerator<models.TagOption> {
    return eachOf((next) => this.list(next, options), query)
  }
}

/** Read lists of contacts, and change the members of static ones. */
export class Lists {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** Add contacts to a static list. `POST /public/lists/{id}/members` */
  async addMembers(id: string, body: models.AddMembersBody, options: WriteOptions = {}): Promise<models.MembersAdded> {
    return dataOf(await this.#api.POST('/api/v1/public/lists/{id}/members', { params: { path: { id } }, body, ...(await writeInit(options)) }))
  }

  /** Remove contacts from a static list. `DELETE /public/lists/{id}/members` */
  async removeMembers(id: string, body: models.RemoveMembersBody, options: WriteOptions = {}): Promise<models.MembersRemoved> {
    return dataOf(await this.#api.DELETE('/api/v1/public/lists/{id}/members', { params: { path: { id } }, body, ...(await writeInit(options)) }))
  }

  /** Remove one contact from a static list. `DELETE /public/lists/{id}/members/{contactId}` */
  async removeMember(id: string, contactId: string, options: WriteOptions = {}): Promise<models.MembersCount> {
    return dataOf(await this.#api.DELETE('/api/v1/public/lists/{id}/members/{contactId}', { params: { path: { id, contactId } }, ...(await writeInit(options)) }))
  }

  /** List the lists with the number of their members. `GET /public/lists` */
  async list(query: Query<'lists.list'> = {}, options: ReadOptions = {}): Promise<models.ListPage> {
    return dataOf(await this.#api.GET('/api/v1/public/lists', { params: { query }, ...readInit(options) }))
  }

  /** Every record that `list` has, page by page: from `query.offset` or `query.page` on, `query.limit` at a time. */
  each(query: Query<'lists.list'> = {}, options: ReadOptions = {}): AsyncGenerator<models.List> {
    return eachOf((next) => this.list(next, options), query)
  }
}

/** Manage the endpoints that events are delivered to. */
export class Webhooks {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** Create a webhook endpoint; the answer shows its signing secret, once. `POST /public/webhooks` */
  async create(body: models.CreateWebhookBody, options: WriteOptions = {}): Promise<models.CreatedWebhookEndpoint> {
    return dataOf(await this.#api.POST('/api/v1/public/webhooks', { body, ...(await writeInit(options)) }))
  }

  /** List the webhook endpoints. `GET /public/webhooks` */
  async list(options: ReadOptions = {}): Promise<models.WebhookEndpoints> {
    return dataOf(await this.#api.GET('/api/v1/public/webhooks', { ...readInit(options) }))
  }

  /** Delete a webhook endpoint, its secret and what waits for it. `DELETE /public/webhooks/{id}` */
  async delete(id: string, options: WriteOptions = {}): Promise<void> {
    await this.#api.DELETE('/api/v1/public/webhooks/{id}', { params: { path: { id } }, ...(await writeInit(options)) })
  }
}

/** Register browsers for web push. */
export class Push {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** Register a browser for web push, which is consent to it. `POST /push/subscriptions` */
  async register(body: models.RegisterPushBody, options: WriteOptions = {}): Promise<models.PushSubscription> {
    return dataOf(await this.#api.POST('/api/v1/push/subscriptions', { body, ...(await writeInit(options)) }))
  }

  /** Tell the key that browsers subscribe to web push with. `GET /push/public-key` */
  async publicKey(options: ReadOptions = {}): Promise<models.PushPublicKey> {
    return dataOf(await this.#api.GET('/api/v1/push/public-key', { ...readInit(options) }))
  }
}

/** Take the sign-ups of embedded forms. */
export class Forms {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** Subscribe a visitor of an allowed origin. `POST /forms/subscribe` */
  async subscribe(body: models.SubscribeBody, options: WriteOptions = {}): Promise<models.Subscribed> {
    return dataOf(await this.#api.POST('/api/v1/forms/subscribe', { body, ...(await writeInit(options)) }))
  }
}

/** Read the entries of pickers: templates, senders, campaigns, custom fields, events. */
export class Templates {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** List the templates of the library. `GET /public/templates` */
  async list(query: Query<'templates.list'> = {}, options: ReadOptions = {}): Promise<models.TemplateOptionPage> {
    return dataOf(await this.#api.GET('/api/v1/public/templates', { params: { query }, ...readInit(options) }))
  }

  /** Every record that `list` has, page by page: from `query.offset` or `query.page` on, `query.limit` at a time. */
  each(query: Query<'templates.list'> = {}, options: ReadOptions = {}): AsyncGenerator<models.TemplateOption> {
    return eachOf((next) => this.list(next, options), query)
  }

  /** List the merge tags of a template. `GET /public/templates/{id}/merge-fields` */
  async mergeFields(id: string, options: ReadOptions = {}): Promise<models.MergeFields> {
    return dataOf(await this.#api.GET('/api/v1/public/templates/{id}/merge-fields', { params: { path: { id } }, ...readInit(options) }))
  }
}

/** Read the entries of pickers: templates, senders, campaigns, custom fields, events. */
export class SenderAddresses {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** List the addresses that may be sent from. `GET /public/sender-addresses` */
  async list(query: Query<'senderAddresses.list'> = {}, options: ReadOptions = {}): Promise<models.SenderAddressOptionPage> {
    return dataOf(await this.#api.GET('/api/v1/public/sender-addresses', { params: { query }, ...readInit(options) }))
  }

  /** Every record that `list` has, page by page: from `query.offset` or `query.page` on, `query.limit` at a time. */
  each(query: Query<'senderAddresses.list'> = {}, options: ReadOptions = {}): AsyncGenerator<models.SenderAddressOption> {
    return eachOf((next) => this.list(next, options), query)
  }
}

/** Read the entries of pickers: templates, senders, campaigns, custom fields, events. */
export class SmsSenderIds {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** List the SMS sender IDs that may be used. `GET /public/sms-sender-ids` */
  async list(query: Query<'smsSenderIds.list'> = {}, options: ReadOptions = {}): Promise<models.SmsSenderIdOptionPage> {
    return dataOf(await this.#api.GET('/api/v1/public/sms-sender-ids', { params: { query }, ...readInit(options) }))
  }

  /** Every record that `list` has, page by page: from `query.offset` or `query.page` on, `query.limit` at a time. */
  each(query: Query<'smsSenderIds.list'> = {}, options: ReadOptions = {}): AsyncGenerator<models.SmsSenderIdOption> {
    return eachOf((next) => this.list(next, options), query)
  }
}

/** Read the entries of pickers: templates, senders, campaigns, custom fields, events. */
export class CustomFields {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** List the custom fields. `GET /public/custom-fields` */
  async list(query: Query<'customFields.list'> = {}, options: ReadOptions = {}): Promise<models.CustomFieldOptionPage> {
    return dataOf(await this.#api.GET('/api/v1/public/custom-fields', { params: { query }, ...readInit(options) }))
  }

  /** Every record that `list` has, page by page: from `query.offset` or `query.page` on, `query.limit` at a time. */
  each(query: Query<'customFields.list'> = {}, options: ReadOptions = {}): AsyncGenerator<models.CustomFieldOption> {
    return eachOf((next) => this.list(next, options), query)
  }
}

/** Read the entries of pickers: templates, senders, campaigns, custom fields, events. */
export class Campaigns {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

  /** List the campaigns. `GET /public/campaigns` */
  async list(query: Query<'campaigns.list'> = {}, options: ReadOptions = {}): Promise<models.CampaignOptionPage> {
    return dataOf(await this.#api.GET('/api/v1/public/campaigns', { params: { query }, ...readInit(options) }))
  }

  /** Every record that `list` has, page by page: from `query.offset` or `query.page` on, `query.limit` at a time. */
  each(query: Query<'campaigns.list'> = {}, options: ReadOptions = {}): AsyncGenerator<models.CampaignOption> {
    return eachOf((next) => this.list(next, options), query)
  }
}

/** Every route that a server calls, in groups. */
export class Resources {
  readonly #api: Api
  readonly profiles: Profiles
  readonly messages: Messages
  readonly otp: Otp
  readonly events: Events
  readonly storeEvents: StoreEvents
  readonly tags: Tags
  readonly lists: Lists
  readonly webhooks: Webhooks
  readonly push: Push
  readonly forms: Forms
  readonly templates: Templates
  readonly senderAddresses: SenderAddresses
  readonly smsSenderIds: SmsSenderIds
  readonly customFields: CustomFields
  readonly campaigns: Campaigns

  constructor(api: Api) {
    this.#api = api
    this.profiles = new Profiles(api)
    this.messages = new Messages(api)
    this.otp = new Otp(api)
    this.events = new Events(api)
    this.storeEvents = new StoreEvents(api)
    this.tags = new Tags(api)
    this.lists = new Lists(api)
    this.webhooks = new Webhooks(api)
    this.push = new Push(api)
    this.forms = new Forms(api)
    this.templates = new Templates(api)
    this.senderAddresses = new SenderAddresses(api)
    this.smsSenderIds = new SmsSenderIds(api)
    this.customFields = new CustomFields(api)
    this.campaigns = new Campaigns(api)
  }

  /** Tell the workspace of the key. `GET /public/me` */
  async me(options: ReadOptions = {}): Promise<models.Me> {
    return dataOf(await this.#api.GET('/api/v1/public/me', { ...readInit(options) }))
  }
}
