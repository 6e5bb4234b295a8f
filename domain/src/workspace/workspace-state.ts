import type { ApiKeyId, FormId } from '../ids.ts'
import { ownValue } from '../values.ts'
import { type DkimByDomain, evolveDkim } from './dkim-keys.ts'
import { evolveSenderAddresses, type SenderAddresses } from './sender-addresses.ts'
import { evolveSenderDomains, type SenderDomains } from './sender-domains.ts'
import type {
  Feature,
  FormConfigured,
  MarketingRules,
  SmsReplies,
  WorkspaceEvent,
  WorkspaceSettings,
  WorkspaceStatus,
} from './workspace.events.ts'

/** The routes that a key opens: every public one, or only what a page may do with it (M63). */
export type ApiKeyKind = 'secret' | 'publishable'

/** Written into the key itself, so that its SHA-256 covers it: no row or event can turn one kind into the other. */
const PREFIXES = { secret: 'sk_evt_', publishable: 'pk_evt_' } as const

export function apiKeyPrefix(kind: ApiKeyKind): string {
  return PREFIXES[kind]
}

/** The kind of a whole key, or of the prefix by which one is shown. */
export function apiKeyKind(keyOrPrefix: string): ApiKeyKind {
  return keyOrPrefix.startsWith(PREFIXES.publishable) ? 'publishable' : 'secret'
}

type ApiKeyStatus = 'active' | 'revoked' | 'deleted'
type Entries<T> = Readonly<Record<string, T>>
type KnownForm = Omit<FormConfigured['data'], 'formId'> & Readonly<{ archived: boolean }>

export type WorkspaceState = Readonly<{
  exists: boolean
  slug: string
  status: WorkspaceStatus
  /** Why it has this status, in the words of an operator; null where none were given. */
  statusReason: string | null
  /** Counts how often it stopped being active: what was begun before the last time stays ended. */
  suspensions: number
  settings: WorkspaceSettings
  apiKeys: Entries<Readonly<{ name: string; kind: ApiKeyKind; status: ApiKeyStatus; hash: string }>>
  /** Keyed by domain. */
  senderDomains: SenderDomains
  /** Keyed by address id. */
  senderAddresses: SenderAddresses
  dkim: DkimByDomain
  features: readonly Feature[]
  /** Sites that may embed the forms. */
  formOrigins: readonly string[]
  /** Keyed by form id. */
  forms: Entries<KnownForm>
  /** Answers to STOP, START and HELP. */
  smsReplies: SmsReplies
  /** The workspace's own words beside STOP and its like (M49). */
  stopWords: readonly string[]
  marketing: MarketingRules
}>

export const noMarketingRules: MarketingRules = { timezone: 'UTC', quietHours: null, frequencyCap: null }

export const unknownWorkspace: WorkspaceState = {
  exists: false,
  slug: '',
  status: 'active',
  statusReason: null,
  suspensions: 0,
  settings: { name: '', plan: 'free', country: 'IL', tracking: false },
  apiKeys: {},
  senderDomains: {},
  senderAddresses: {},
  dkim: {},
  features: [],
  formOrigins: [],
  forms: {},
  smsReplies: { stop: null, start: null, help: null },
  stopWords: [],
  marketing: noMarketingRules,
}

export function evolveWorkspace(state: WorkspaceState, event: WorkspaceEvent): WorkspaceState {
  switch (event.type) {
    case 'WorkspaceCreated': {
      const { slug, workspaceId: _, ...settings } = event.data
      return { ...state, exists: true, slug, settings }
    }
    case 'WorkspaceSettingsChanged':
      return { ...state, settings: { ...state.settings, ...event.data } }
    case 'WorkspaceStatusChanged': {
      const { status, reason } = event.data
      return { ...state, status, statusReason: reason, suspensions: state.suspensions + (status === 'active' ? 0 : 1) }
    }
    case 'ApiKeyCreated':
      return withKey(state, event.data.keyId, {
        name: event.data.name,
        kind: apiKeyKind(event.data.prefix),
        status: 'active',
        hash: event.data.hash,
      })
    case 'ApiKeyRevoked':
      return withKey(state, event.data.keyId, { ...noKey, ...state.apiKeys[event.data.keyId], status: 'revoked' })
    case 'ApiKeyDeleted':
      return withKey(state, event.data.keyId, { ...noKey, kind: state.apiKeys[event.data.keyId]?.kind ?? noKey.kind, status: 'deleted' })
    case 'SenderDomainConfigured':
    case 'SenderDomainTokenIssued':
    case 'SenderDomainChecked':
      return { ...state, senderDomains: evolveSenderDomains(state.senderDomains, event) }
    case 'SenderAddressConfigured':
    case 'SenderConfirmationIssued':
    case 'SenderConfirmationSent':
    case 'SenderAddressVerified':
    case 'SenderAddressFailed':
      return { ...state, senderAddresses: evolveSenderAddresses(state.senderAddresses, event) }
    case 'DkimKeyCreated':
    case 'DkimSelectorChosen':
      return { ...state, dkim: evolveDkim(state.dkim, event) }
    case 'WorkspaceFeaturesSet':
      return { ...state, features: event.data.features }
    case 'FormOriginsSet':
      return { ...state, formOrigins: event.data.origins }
    case 'FormConfigured':
      return withForm(state, event.data)
    case 'FormArchived':
      return withArchived(state, event.data.formId, true)
    case 'FormRestored':
      return withArchived(state, event.data.formId, false)
    case 'SmsRepliesSet':
      return { ...state, smsReplies: event.data }
    case 'SmsStopWordsSet':
      return { ...state, stopWords: event.data.words }
    case 'MarketingRulesChanged':
      return { ...state, marketing: { ...state.marketing, ...event.data } }
    default:
      return event satisfies never
  }
}

const noKey = { name: '', kind: 'secret', hash: '' } as const

const withKey = (state: WorkspaceState, keyId: ApiKeyId, key: WorkspaceState['apiKeys'][string]): WorkspaceState => ({
  ...state,
  apiKeys: { ...state.apiKeys, [keyId]: key },
})

const withForm = (state: WorkspaceState, { formId, ...form }: FormConfigured['data']): WorkspaceState => ({
  ...state,
  forms: { ...state.forms, [formId]: { ...form, archived: ownValue(state.forms, formId)?.archived ?? false } },
})

const withArchived = (state: WorkspaceState, formId: FormId, archived: boolean): WorkspaceState => {
  const form = ownValue(state.forms, formId)
  return form === undefined ? state : { ...state, forms: { ...state.forms, [formId]: { ...form, archived } } }
}
