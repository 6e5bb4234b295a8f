import { describe, expect, it } from 'vitest'
import {
  AddMembersBody,
  addressFields,
  BlacklistBody,
  CampaignOption,
  CreatedWebhookEndpoint,
  CreateTagBody,
  CreateWebhookBody,
  CustomFieldOption,
  EventItem,
  List,
  ListCampaignsQuery,
  ListProfilesQuery,
  ListTemplatesQuery,
  MembersAdded,
  MembersRemoved,
  MessageRecord,
  PatchByEmailBody,
  Profile,
  ProfileBody,
  RemoveMembersBody,
  SendEmailBody,
  SenderAddressOption,
  SmsSenderIdOption,
  StandardQuery,
  Tag,
  TagOption,
  TemplateOption,
  WebhookEndpoint,
} from '../src/index.ts'

const names = (schema: { properties: object }) => Object.keys(schema.properties)
const consents = ['emailConsent', 'smsConsent', 'pushConsent']
const person = ['phone', 'firstName', 'lastName', 'timezone', 'locale']

describe('the properties, in the order of the contract', () => {
  it('of the profile', () => {
    expect(names(Profile)).toEqual([
      ...['id', 'email', ...person, ...consents, 'emailConsentTimestamp', 'smsConsentTimestamp', 'pushConsentTimestamp'],
      ...[
        'emailValidationState',
        'customProperties',
        'tags',
        'rfmTier',
        'notes',
        'emailSuppressed',
        'smsSuppressed',
        'createdAt',
        'updatedAt',
      ],
    ])
  })
  it('of the profile bodies', () => {
    const sources = consents.map((consent) => `${consent}Source`)
    expect(names(ProfileBody)).toEqual(['email', ...person, ...consents, ...sources, 'tags', 'customProperties', 'notes'])
    expect(names(PatchByEmailBody)).toEqual([
      ...['email', 'newEmail', ...person, ...consents, 'tags', 'customProperties', 'notes'],
      ...addressFields,
    ])
    expect(names(BlacklistBody)).toEqual(['email', 'contactId', 'channel'])
  })
  it('of the email send and the message record', () => {
    expect(names(SendEmailBody)).toEqual([
      ...['to', 'contactId', 'fromEmail', 'fromName', 'replyTo', 'contentMode', 'subject', 'html', 'text', 'templateId', 'templateFields'],
    ])
    expect(names(MessageRecord)).toEqual([
      ...['id', 'channel', 'status', 'failureReason', 'providerMessageId', 'queuedAt', 'sentAt', 'deliveredAt', 'updatedAt'],
    ])
  })
  it('of the list and its members', () => {
    expect(names(List)).toEqual(['id', 'name', 'type', 'profiles'])
    expect(names(AddMembersBody)).toEqual(['emails', 'contactIds'])
    expect(names(RemoveMembersBody)).toEqual(['email', 'emails', 'contactIds'])
    expect([names(MembersAdded), names(MembersRemoved)]).toEqual([
      ['added', 'count'],
      ['removed', 'count'],
    ])
  })
  it('of the webhook endpoint', () => {
    expect(names(CreateWebhookBody)).toEqual(['url', 'events', 'label'])
    expect(names(WebhookEndpoint)).toEqual(['id', 'label', 'url', 'events', 'active', 'createdAt'])
    expect(names(CreatedWebhookEndpoint)).toEqual([...names(WebhookEndpoint), 'signingSecret'])
  })
  it('of the tag', () => {
    expect(names(CreateTagBody)).toEqual(['name', 'color'])
    expect(names(Tag)).toEqual(['id', 'name', 'color', 'createdAt', 'updatedAt'])
  })
  it('of the queries and the lookup options', () => {
    expect(names(StandardQuery)).toEqual(['limit', 'offset'])
    expect(names(ListProfilesQuery)).toEqual(['limit', 'offset', 'page', 'search', 'segmentId', 'consent', 'channel', 'sort'])
    expect(names(ListTemplatesQuery)).toEqual(['limit', 'offset', 'channel'])
    expect(names(TemplateOption)).toEqual(['value', 'label', 'channel', 'mergeFields'])
    expect(names(ListCampaignsQuery)).toEqual([
      ...['limit', 'offset', 'page', 'status', 'channel', 'search', 'sort', 'tagIds'],
      ...['statuses', 'segmentId', 'archived', 'multiVariant'],
    ])
    expect(names(CampaignOption)).toEqual(['value', 'label', 'channel', 'status'])
    expect(names(CustomFieldOption)).toEqual(['value', 'label', 'kind', 'key', 'allowedValues', 'options'])
    expect(names(SmsSenderIdOption)).toEqual(['value', 'label'])
    expect(names(EventItem)).toEqual(['value', 'label', 'kind', 'properties'])
    expect(names(SenderAddressOption)).toEqual(['value', 'label', 'fromName'])
    expect(names(TagOption)).toEqual(['value', 'label', 'id', 'color'])
  })
})

describe('what is required', () => {
  it('is only what the contract requires', () => {
    expect(ProfileBody.required).toBeUndefined()
    expect(PatchByEmailBody.required).toEqual(['email'])
    expect(SendEmailBody.required).toEqual(['fromEmail'])
    expect(BlacklistBody.required).toEqual(['channel'])
    expect(CreateTagBody.required).toEqual(['name'])
    expect(CreateWebhookBody.required).toEqual(['url', 'events'])
  })
})
