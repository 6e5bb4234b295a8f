import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { contactFieldNames } from '../src/contact/contact.events.ts'
import { eventDeclarations } from '../src/declarations.ts'
import { withoutSecrets } from '../src/secrets.ts'

/** Ids of records and times, whatever the event: knowing one opens nothing. */
const IDS_AND_TIMES =
  'activityId addressId campaignId claimId commandId confirmationId connectorId contactId contentId createdAt emailClaimId endpointId eventId expiresAt fieldId flowId formId keyId listId messageId occurredAt ownerId phoneClaimId providerMessageId runId scheduleAt senderAddressId senderId signUpId startedAt subscriptionId tagId tagIds[] templateId userId verificationId workspaceId'

/**
 * Every other text that an event may have. One that is added here may hold no token and no secret in clear: such a field is encrypted, and declared as `secret` where
 * the service alone needs it (M61). What may open something:
 * - our links with their tokens stand in mails (`content`), and so in what relays answer (`response`, `detail`, `facts`) and in addresses that were followed (`url`):
 *   encrypted, and opened without the token
 * - what a workspace writes or reports (`body`, `content`, `url`, `properties`, `sourceUrl`) may hold tokens of its own site: encrypted, and opened as it is
 * - `endpoint` of a browser is called with the installation's VAPID key alone; `digest` of a passcode is keyed
 * - `hash` is of a key of 256 random bits; `token` of a sender domain is published in the DNS
 */
const TEXTS: Readonly<Record<string, string>> = {
  ActivityRecorded: 'event properties{} propertyNames[]',
  ApiKeyCreated: 'hash ip name prefix userAgent',
  ApiKeyDeleted: 'ip userAgent',
  ApiKeyRevoked: 'ip userAgent',
  BalanceCarriedForward: 'holds[].holder recent[]',
  CampaignCreated: 'name',
  ConnectorConfigured: 'name secret',
  ContactBrowserAdded: 'endpointHash',
  ContactBrowserRemoved: 'endpointHash',
  ContactConsentRecorded: 'givenAt ip source sourceText userAgent',
  ContactCreated: 'email phone source',
  ContactEmailChanged: 'email',
  ContactEnteredFlow: 'cause.at cause.stream cause.type earlier[]',
  ContactLeftFlow: 'at',
  ContactPhoneChanged: 'phone',
  CreditHoldsTakenOver: 'holds[].holder',
  CreditsAdded: 'note',
  CreditsHeld: 'holds[].holder',
  CustomEventDeclared: 'label name properties[]',
  CustomFieldConfigured: 'key label options[].label options[].value',
  DetailsEnded: 'until',
  DkimKeyCreated: 'domain privateKey publicKey selector',
  DkimSelectorChosen: 'domain selector',
  EmailAccepted:
    'content.html content.subject content.text fromEmail fromName ip merged.html[] merged.subject merged.text[] replyTo templateDigest to',
  EmailClicked: 'url',
  FlowDefined: 'name steps[].from steps[].matched steps[].otherwise steps[].rule trigger.event',
  FlowMessageResolved: 'at reason',
  FlowWaitBegun: 'until',
  FormOriginsSet: 'origins[]',
  FormSubmitted: 'confirmBy pending.email pending.phone sourceUrl',
  ListCreated: 'name',
  ListRuleChanged: 'rule.all[] rule.any[] rule.field rule.value rule.value[]',
  MarketingRulesChanged: 'quietHours.from quietHours.to timezone',
  MessageBounced: 'detail',
  MessageFailed: 'detail',
  MessageReaddressed: 'to',
  MessageReceiptIgnored: 'facts{}',
  MessageSent: 'provider response',
  MessageUnconfirmed: 'provider',
  OtpIssued: 'digest phone',
  PasscodeAccepted: 'from ip to',
  PushAccepted: 'body icon title url',
  PushAttempted: 'accepted[] refused[] waiting[]',
  PushClicked: 'url',
  PushSubscriptionRegistered: 'auth browser endpoint endpointHash p256dh platform userAgent',
  PushSubscriptionRevoked: 'endpointHash',
  SenderAddressConfigured: 'email name',
  SenderConfirmationIssued: 'at',
  SenderDomainChecked: 'at domain listedIn[]',
  SenderDomainConfigured: 'domain',
  SenderDomainTokenIssued: 'domain token',
  SmsAccepted: 'body from ip to',
  SmsRepliesSet: 'help start stop',
  SmsSenderIdRejected: 'reason',
  WorkspaceStatusChanged: 'reason',
  SmsSenderNumberRemoved: 'number',
  SmsSenderNumberSet: 'number',
  SmsStopWordsSet: 'words[]',
  TagCreated: 'name',
  TemplateContentChanged: 'body fromName html push.body push.icon push.title push.url subject text',
  TemplateCreated: 'body fromName html name push.body push.icon push.title push.url subject text',
  UserConfigured: 'email passwordHash',
  WebhookEndpointCreated: 'events[] label signingSecret url',
  WorkspaceCreated: 'country name slug',
  WorkspaceSettingsChanged: 'country name',
}

type Schema = Readonly<Record<string, unknown>>
const { $defs } = JSON.parse(readFileSync(new URL('../../docs/reference/events.schema.json', import.meta.url), 'utf8')) as Readonly<{
  $defs: Readonly<Record<string, Readonly<{ properties: Readonly<{ data: Schema }> }>>>
}>

const schemasIn = (value: unknown): readonly Schema[] => (Array.isArray(value) ? (value as Schema[]) : [])
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The paths of all that may be a text, but for closed lists of words. */
const textsOf = (schema: Schema, path = ''): readonly string[] => {
  if ('enum' in schema || 'const' in schema) return []
  const members = isSchema(schema.properties) ? Object.entries(schema.properties as Readonly<Record<string, Schema>>) : []
  const inside = [
    ...members.flatMap(([name, member]) => textsOf(member, path === '' ? name : `${path}.${name}`)),
    ...(isSchema(schema.items) ? textsOf(schema.items, `${path}[]`) : []),
    ...(isSchema(schema.additionalProperties) ? textsOf(schema.additionalProperties, `${path}{}`) : []),
  ]
  const choices = schemasIn(schema.anyOf)
  const isOther = ['number', 'integer', 'boolean', 'null'].includes(String(schema.type))
  const isLeaf =
    !isOther && members.length === 0 && choices.length === 0 && !isSchema(schema.items) && !isSchema(schema.additionalProperties)
  return [...(isLeaf && path !== '' ? [path] : []), ...inside, ...choices.flatMap((choice) => textsOf(choice, path))]
}

const textsOfType = (type: string): readonly string[] => [...new Set(textsOf($defs[type]!.properties.data))]
const known = new Set(IDS_AND_TIMES.split(' '))
const listed = (type: string): readonly string[] => (TEXTS[type] ?? '').split(' ').filter((path) => path !== '')

/** Fields of a profile are encrypted in all three, by their one list. */
const OF_PROFILES = ['ContactCreated', 'ContactDetailsChanged', 'FormSubmitted']
const isContactField = (type: string, path: string): boolean => {
  const names: readonly string[] = contactFieldNames
  return OF_PROFILES.includes(type) && names.includes(path.replace(/^pending\.details\./, '').replace(/[[{].*$/, ''))
}

test.each(Object.keys(eventDeclarations))(
  'every text that %s may have is listed here, so that somebody has asked whether it opens anything',
  (type) => {
    const texts = textsOfType(type).filter((path) => !known.has(path.split('.').at(-1)!) && !isContactField(type, path))
    expect(texts.toSorted()).toEqual(listed(type))
  },
)

test('nothing is listed that no event has', () => {
  expect(Object.keys(TEXTS).filter((type) => !Object.hasOwn(eventDeclarations, type))).toEqual([])
  const all = new Set(Object.values($defs).flatMap(({ properties }) => textsOf(properties.data).map((path) => path.split('.').at(-1))))
  expect([...known].filter((name) => !all.has(name))).toEqual([])
})

const TOKEN = `AQ${'aZ0_-9'.repeat(12)}`
/** As templates, values that are merged by place (M52), and redirectors write it. */
const LINKS = [
  `https://tidings.example/forms/confirm?t=${TOKEN}`,
  `See https://tidings.example/prefix/u?t=${TOKEN}. Bye`,
  `<a href=https://tidings.example/verify?t&#61;${TOKEN}>`,
  `https://r.example/?to=${encodeURIComponent(`https://tidings.example/c?t=${TOKEN}`)}`,
  `https://r.example/?to=${encodeURIComponent(encodeURIComponent(`https://tidings.example/c?t=${TOKEN}`))}`,
]

/** The data of an event whose text at this path is `text`. */
const dataWith = (path: string, text: string): unknown => {
  const [, name = '', kind = '', rest = ''] = /^([^.[{]*)(\[\]|\{\})?\.?(.*)$/.exec(path) ?? []
  const inner = rest === '' ? text : dataWith(rest, text)
  const held = kind === '[]' ? [inner] : kind === '{}' ? { any: inner, deep: [{ more: inner }] } : inner
  return { [name]: held }
}

const encrypted = Object.entries(eventDeclarations).flatMap(([type, { personal }]) =>
  textsOfType(type)
    .filter((path) => personal?.fields.includes(path.split(/[.[{]/)[0]!))
    .map((path) => [type, path] as const),
)

describe('what was encrypted and is opened shows no token of a link of ours', () => {
  test.each(encrypted)('%s, %s', (type, path) => {
    for (const link of LINKS) {
      const data = dataWith(path, link) as object
      expect(JSON.stringify(data)).toContain(TOKEN)
      expect(JSON.stringify(withoutSecrets(type, data))).not.toContain(TOKEN)
    }
  })

  test('and leaves addresses of others as they are', () => {
    const url = 'https://shop.example/u?t=summer-sale-2026&code=AQx'
    const data = { to: 'ada@example.com', body: `Your code is 123 456: ${url}`, ip: null }
    expect(withoutSecrets('SmsAccepted', data)).toBe(data)
  })

  test('however deeply a workspace nests what it reports', () => {
    const nested = (depth: number, text: string): unknown => (depth === 0 ? text : { ['__proto__']: [nested(depth - 1, text), 1] })
    const shown = withoutSecrets('ActivityRecorded', { properties: nested(60, LINKS[0]!) })
    expect(JSON.stringify(shown)).toBe(JSON.stringify({ properties: nested(60, 'https://tidings.example/forms/confirm?t=(secret)') }))
  })
})
