import type { ApiKeyId, FormId, ListId, TemplateId, WorkspaceId } from '../ids.ts'
import type { Event, EventDeclarations } from '../kernel.ts'
import { type DkimEvent, dkimDeclarations } from './dkim-keys.ts'
import { type SenderAddressEvent, senderAddressDeclarations } from './sender-addresses.ts'
import { type SenderDomainEvent, senderDomainDeclarations } from './sender-domains.ts'

export type WorkspacePlan = 'free' | 'starter' | 'pro' | 'enterprise'
export type WorkspaceStatus = 'active' | 'suspended' | 'closed'

/** `country`: default region of local phone numbers, ISO 3166 alpha-2. `tracking`: rewrite links and add the pixel to manual email too. */
export type WorkspaceSettings = Readonly<{ name: string; plan: WorkspacePlan; country: string; tracking: boolean }>

/** What a workspace may have switched on. */
export const FEATURES = ['embedded_forms'] as const
export type Feature = (typeof FEATURES)[number]

// Stored for ever: change only together with an upcast.
export type WorkspaceCreated = Event<'WorkspaceCreated', WorkspaceSettings & { workspaceId: WorkspaceId; slug: string }>
/** Holds only what changed. */
export type WorkspaceSettingsChanged = Event<'WorkspaceSettingsChanged', Partial<WorkspaceSettings>>
/** `reason`: the operator's words, which may name a person (since version 2); null where none was given. */
export type WorkspaceStatusChanged = Event<'WorkspaceStatusChanged', { status: WorkspaceStatus; reason: string | null }>
/** The user who asked, and from where; all null where the operator did. */
export type AskedBy = Readonly<{ userId: string | null; ip: string | null; userAgent: string | null }>
/** `hash`: SHA-256 of the whole key, lowercase hex; `prefix`: `sk_evt_` and its first 8 digits. */
export type ApiKeyCreated = Event<'ApiKeyCreated', { keyId: ApiKeyId; name: string; prefix: string; hash: string } & AskedBy>
export type ApiKeyRevoked = Event<'ApiKeyRevoked', { keyId: ApiKeyId } & AskedBy>
export type ApiKeyDeleted = Event<'ApiKeyDeleted', { keyId: ApiKeyId } & AskedBy>

/** All of them, sorted. */
export type WorkspaceFeaturesSet = Event<'WorkspaceFeaturesSet', { features: readonly Feature[] }>
/** All of them, sorted, each as a browser sends it in `Origin`. */
export type FormOriginsSet = Event<'FormOriginsSet', { origins: readonly string[] }>
/** The mail that asks the owner of an address whether they want to subscribe: its template, and the sender address it comes from. */
export type FormConfirmation = Readonly<{ templateId: TemplateId; senderAddressId: string }>
/** Subscribers of this form join the list: at once, or where there is a `confirmation` when they confirm it. */
export type FormConfigured = Event<'FormConfigured', { formId: FormId; listId: ListId; confirmation: FormConfirmation | null }>
/** From now on the form takes no sign-up. */
export type FormArchived = Event<'FormArchived', { formId: FormId }>
export type FormRestored = Event<'FormRestored', { formId: FormId }>
/** What a person gets who texts STOP, START or HELP to a sender of the workspace; null is no answer. All of them. */
export type SmsReplies = Readonly<{ stop: string | null; start: string | null; help: string | null }>
type SmsRepliesSet = Event<'SmsRepliesSet', SmsReplies>
/** Words that withdraw the consent to text messages, beside those that everybody knows (M49). All of them, as they were written. */
type SmsStopWordsSet = Event<'SmsStopWordsSet', { words: readonly string[] }>

/** `from`, `to`: local times like 21:00; the hours in between may span midnight. */
export type QuietHours = Readonly<{ from: string; to: string }>
/** The most messages per contact and channel in a rolling window. */
export type FrequencyCap = Readonly<{ messages: number; days: number }>
/** What holds for marketing messages (M34). `timezone`: an IANA name, for contacts without one (D14). Null: none. */
export type MarketingRules = Readonly<{ timezone: string; quietHours: QuietHours | null; frequencyCap: FrequencyCap | null }>
/** Holds only what changed. */
type MarketingRulesChanged = Event<'MarketingRulesChanged', Partial<MarketingRules>>

export type WorkspaceEvent =
  | WorkspaceCreated
  | WorkspaceSettingsChanged
  | WorkspaceStatusChanged
  | ApiKeyCreated
  | ApiKeyRevoked
  | ApiKeyDeleted
  | SenderDomainEvent
  | SenderAddressEvent
  | DkimEvent
  | WorkspaceFeaturesSet
  | FormOriginsSet
  | FormConfigured
  | FormArchived
  | FormRestored
  | SmsRepliesSet
  | SmsStopWordsSet
  | MarketingRulesChanged

const askedBySubject = ({ userId }: AskedBy): string => `user:${userId}`
const askedBy = { subject: askedBySubject, fields: ['ip', 'userAgent'], ending: { client: ['ip', 'userAgent'] } }

export const workspaceDeclarations = {
  WorkspaceCreated: { version: 1 },
  WorkspaceSettingsChanged: { version: 1 },
  WorkspaceStatusChanged: { version: 2, personal: { subject: () => 'workspace:status', fields: ['reason'] } },
  ApiKeyCreated: { version: 2, personal: askedBy },
  ApiKeyRevoked: { version: 2, personal: askedBy },
  ApiKeyDeleted: { version: 2, personal: askedBy },
  ...senderDomainDeclarations,
  ...senderAddressDeclarations,
  ...dkimDeclarations,
  WorkspaceFeaturesSet: { version: 1 },
  FormOriginsSet: { version: 1 },
  FormConfigured: { version: 2 },
  FormArchived: { version: 1 },
  FormRestored: { version: 1 },
  SmsRepliesSet: { version: 1 },
  SmsStopWordsSet: { version: 1 },
  MarketingRulesChanged: { version: 1 },
} as const satisfies EventDeclarations & Record<WorkspaceEvent['type'], unknown>
