import type { WorkspaceId } from '../ids.ts'
import { type Command, type Decider, Refused } from '../kernel.ts'
import { ownValue, sameJson } from '../values.ts'
import { type DkimCommand, decideDkim } from './dkim-keys.ts'
import { decideSenderAddress, type SenderAddressCommand } from './sender-addresses.ts'
import { decideSenderDomain, type SenderDomainCommand } from './sender-domains.ts'
import type {
  ApiKeyCreated,
  ApiKeyDeleted,
  ApiKeyRevoked,
  AskedBy,
  Feature,
  FormConfigured,
  FormOriginsSet,
  MarketingRules,
  SmsReplies,
  WorkspaceCreated,
  WorkspaceEvent,
  WorkspaceFeaturesSet,
  WorkspaceSettings,
  WorkspaceStatus,
} from './workspace.events.ts'
import { type ApiKeyKind, apiKeyKind, evolveWorkspace, unknownWorkspace, type WorkspaceState } from './workspace-state.ts'

/** `firstKey`: made by the same append: there are both or neither. */
type CreateWorkspace = Command<'CreateWorkspace', WorkspaceCreated['data'] & { firstKey?: ApiKeyCreated['data'] }>
type ChangeWorkspaceSettings = Command<'ChangeWorkspaceSettings', Partial<WorkspaceSettings>>
type ChangeWorkspaceStatus = Command<'ChangeWorkspaceStatus', { status: WorkspaceStatus; reason?: string | null }>
export type CreateApiKey = Command<'CreateApiKey', ApiKeyCreated['data']>
/** Makes the key unless an active one has its name and kind: two at once make one. */
type ProvideApiKey = Command<'ProvideApiKey', ApiKeyCreated['data']>
type RevokeApiKey = Command<'RevokeApiKey', ApiKeyRevoked['data']>
type DeleteApiKey = Command<'DeleteApiKey', ApiKeyDeleted['data']>
type SetFeatures = Command<'SetFeatures', WorkspaceFeaturesSet['data']>
/** Each origin as a browser sends it (`formOrigin`). */
type SetFormOrigins = Command<'SetFormOrigins', FormOriginsSet['data']>
type SetFormSettings = Command<'SetFormSettings', WorkspaceFeaturesSet['data'] & FormOriginsSet['data']>
/** Makes the form be as described: what differs changes, and it takes sign-ups unless it is archived. */
export type ConfigureForm = Command<'ConfigureForm', FormConfigured['data'] & { archived: boolean }>
type SetSmsReplies = Command<'SetSmsReplies', SmsReplies>
type SetStopWords = Command<'SetStopWords', { words: readonly string[] }>
type ChangeMarketingRules = Command<'ChangeMarketingRules', Partial<MarketingRules>>

export type WorkspaceCommand =
  | CreateWorkspace
  | ChangeWorkspaceSettings
  | ChangeWorkspaceStatus
  | CreateApiKey
  | ProvideApiKey
  | RevokeApiKey
  | DeleteApiKey
  | SenderDomainCommand
  | SenderAddressCommand
  | DkimCommand
  | SetFeatures
  | SetFormOrigins
  | SetFormSettings
  | ConfigureForm
  | SetSmsReplies
  | SetStopWords
  | ChangeMarketingRules

/** A workspace's own stream. Its id comes from its slug, so the slug is taken when the stream exists. */
export function workspaceStream(workspaceId: WorkspaceId): string {
  return `workspace-${workspaceId}`
}

const decide = (command: WorkspaceCommand, state: WorkspaceState): readonly WorkspaceEvent[] => {
  if (command.type === 'CreateWorkspace') return state.exists ? [] : createWorkspace(command.data)
  if (!state.exists) throw new Refused('workspace_not_found')
  switch (command.type) {
    case 'ChangeWorkspaceSettings':
      return changeSettings(command.data, state)
    case 'ChangeWorkspaceStatus':
      return changeStatus(command.data, state)
    case 'CreateApiKey':
      return createApiKey(command.data, state)
    case 'ProvideApiKey':
      return activeApiKey(state, { name: command.data.name, kind: apiKeyKind(command.data.prefix) })
        ? []
        : createApiKey(command.data, state)
    case 'RevokeApiKey':
      return revokeApiKey(command.data, state)
    case 'DeleteApiKey':
      return deleteApiKey(command.data, state)
    case 'ConfigureSenderDomain':
    case 'RecordDomainCheck':
      return decideSenderDomain(command, state.senderDomains)
    case 'ConfigureSenderAddress':
    case 'ResendSenderConfirmation':
    case 'RecordConfirmationSent':
    case 'VerifySenderAddress':
    case 'FailSenderConfirmation':
      return decideSenderAddress(command, state.senderAddresses)
    case 'CreateDkimKey':
    case 'ChooseDkimSelector':
      return decideDkim(command, state.dkim)
    case 'SetFeatures':
      return setFeatures(command.data.features, state)
    case 'SetFormOrigins':
      return setFormOrigins(command.data.origins, state)
    case 'SetFormSettings':
      return [...setFeatures(command.data.features, state), ...setFormOrigins(command.data.origins, state)]
    case 'ConfigureForm':
      return configureForm(command.data, state)
    case 'SetSmsReplies':
      return sameJson(command.data, state.smsReplies) ? [] : [{ type: 'SmsRepliesSet', data: command.data }]
    case 'SetStopWords':
      return sameJson(command.data.words, state.stopWords) ? [] : [{ type: 'SmsStopWordsSet', data: command.data }]
    case 'ChangeMarketingRules':
      return changeMarketingRules(command.data, state)
    default:
      return command satisfies never
  }
}

const createWorkspace = ({ firstKey, ...data }: CreateWorkspace['data']): readonly WorkspaceEvent[] => [
  { type: 'WorkspaceCreated', data },
  ...(firstKey === undefined ? [] : [{ type: 'ApiKeyCreated', data: firstKey } as const]),
]

const changeSettings = (wanted: Partial<WorkspaceSettings>, { settings }: WorkspaceState): readonly WorkspaceEvent[] => {
  const data = changedOf(wanted, settings)
  return data === null ? [] : [{ type: 'WorkspaceSettingsChanged', data }]
}

const changeMarketingRules = (wanted: Partial<MarketingRules>, { marketing }: WorkspaceState): readonly WorkspaceEvent[] => {
  const data = changedOf(wanted, marketing)
  return data === null ? [] : [{ type: 'MarketingRulesChanged', data }]
}

/** The wanted settings that differ; null if none does. */
const changedOf = <T extends object>(wanted: Partial<T>, known: T): Partial<T> | null => {
  const before = new Map<string, unknown>(Object.entries(known))
  const changed = Object.entries(wanted).filter(([name, value]) => value !== undefined && !sameJson(before.get(name), value))
  // The cast is the edge where the entries of `wanted` get its type back.
  return changed.length === 0 ? null : (Object.fromEntries(changed) as Partial<T>)
}

/** Active and suspended change into each other; closed is final. */
const changeStatus = ({ status, reason = null }: ChangeWorkspaceStatus['data'], state: WorkspaceState): readonly WorkspaceEvent[] => {
  if (status === state.status) return []
  if (state.status === 'closed') throw new Refused('workspace_closed')
  return [{ type: 'WorkspaceStatusChanged', data: { status, reason } }]
}

const createApiKey = (key: CreateApiKey['data'], state: WorkspaceState): readonly WorkspaceEvent[] =>
  ownValue(state.apiKeys, key.keyId) ? [] : [{ type: 'ApiKeyCreated', data: key }]

/** The id of the oldest active key of this name and kind. A key of the other kind is another key. */
export function activeApiKey(
  { apiKeys }: WorkspaceState,
  { name, kind }: Readonly<{ name: string; kind: ApiKeyKind }>,
): string | undefined {
  return Object.entries(apiKeys).find(([, key]) => key.name === name && key.kind === kind && key.status === 'active')?.[0]
}

const revokeApiKey = (data: ApiKeyRevoked['data'], state: WorkspaceState): readonly WorkspaceEvent[] => {
  const key = ownValue(state.apiKeys, data.keyId)
  if (key === undefined || key.status === 'deleted') throw new Refused('api_key_not_found')
  return key.status === 'revoked' ? [] : [{ type: 'ApiKeyRevoked', data }]
}

/** Only a revoked key can be deleted (contract: API keys). */
const deleteApiKey = (data: ApiKeyDeleted['data'], state: WorkspaceState): readonly WorkspaceEvent[] => {
  const key = ownValue(state.apiKeys, data.keyId)
  if (key === undefined) throw new Refused('api_key_not_found')
  if (key.status === 'active') throw new Refused('api_key_active')
  return key.status === 'deleted' ? [] : [{ type: 'ApiKeyDeleted', data }]
}

const setFeatures = (wanted: readonly Feature[], state: WorkspaceState): readonly WorkspaceEvent[] => {
  const features = wanted.toSorted()
  return sameJson(features, state.features) ? [] : [{ type: 'WorkspaceFeaturesSet', data: { features } }]
}

const setFormOrigins = (wanted: readonly string[], state: WorkspaceState): readonly WorkspaceEvent[] => {
  const origins = wanted.toSorted()
  return sameJson(origins, state.formOrigins) ? [] : [{ type: 'FormOriginsSet', data: { origins } }]
}

const configureForm = ({ formId, archived, ...form }: ConfigureForm['data'], { forms }: WorkspaceState): readonly WorkspaceEvent[] => {
  const { archived: wasArchived = false, ...known } = ownValue(forms, formId) ?? {}
  const changed: readonly WorkspaceEvent[] = sameJson(known, form) ? [] : [{ type: 'FormConfigured', data: { formId, ...form } }]
  return archived === wasArchived ? changed : [...changed, { type: archived ? 'FormArchived' : 'FormRestored', data: { formId } }]
}

/** No user asks for what the operator does. */
export const byOperator: AskedBy = { userId: null, ip: null, userAgent: null }

/** A tenant: its settings, status, keys and senders. */
export const workspace: Decider<WorkspaceCommand, WorkspaceEvent, WorkspaceState> = {
  decide,
  evolve: evolveWorkspace,
  initialState: unknownWorkspace,
}
