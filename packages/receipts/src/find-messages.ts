import { emailKey } from '@tidings/addresses'
import type { StateLoader } from '@tidings/commands'
import { type MessageId, message, messageStream, type WorkspaceId } from '@tidings/domain'
import { parseProviderId } from '@tidings/providers'

/** How messages are found on the read side. */
export type MessageLookup = Readonly<{
  /** Workspace of each message, and of each mail that asks to confirm a sender address, that the read side shows. */
  workspacesOfMessages: (messageIds: readonly MessageId[]) => Promise<ReadonlyMap<string, WorkspaceId>>
  /** The messages of the names that their providers gave them, that the read side shows; null for a name that several have. */
  messagesOfProviderIds: (names: readonly string[]) => Promise<ReadonlyMap<string, MessageRef | null>>
  /** Those of the ids and names whose message the read side shows by now, if the log had one when it was first asked for them. */
  shownOrUnknown: (messages: readonly string[]) => Promise<ReadonlySet<string>>
}>

/** How a report names its message: by our id, or by what the provider was given as its own. */
export type NamedMessage = Readonly<{ messageId?: MessageId; providerMessageId?: string }>

export type MessageRef = Readonly<{ workspaceId: WorkspaceId; messageId: MessageId }>

/** `unknown`: the log has no message of that id. `behind`: not known until the read side has caught up. */
type LookedUpMessage = MessageRef | 'unknown' | 'behind'

/** `id`: what it is asked for by. */
type NamedReport = Readonly<{ id: string; messageId: MessageId | null; workspaceId: WorkspaceId | null }>

/** What a provider can have given as a name, and Postgres takes. */
const PROVIDER_ID = /^[\x21-\x7e][\x20-\x7e]{0,254}$/

/**
 * The messages that the reports name, in their order. Our Message-ID contains the workspace. Without it, and for a name of the provider's own, the read side is queried, and a
 * message that it does not show is unknown only when it shows everything that the log had when a report first named it (M30: an accepted receipt is
 * never lost; M44: a read side that is always a little behind is no reason to wait for ever). A provider's own name counts where one message of the installation
 * has it, once all that the log had is shown: servers use their names anew, and the newer message of a name may be the one that does not show yet.
 */
export async function findMessages(lookup: MessageLookup, reports: readonly NamedMessage[]): Promise<readonly LookedUpMessage[]> {
  const named = reports.map(nameIn)
  const first = await look(lookup, named)
  const open = named.flatMap((name, n) => (name !== null && isOpen(name, first[n]) ? [name.id] : []))
  if (open.length === 0) return first
  const decided = await lookup.shownOrUnknown([...new Set(open)])
  const second = decided.size === 0 ? first : await look(lookup, named)
  return second.map((found, n) => {
    const name = named[n]
    if (!name || !isOpen(name, found)) return found
    if (!decided.has(name.id)) return 'behind'
    return found === 'behind' ? 'unknown' : found
  })
}

const isOpen = ({ messageId }: NamedReport, found: LookedUpMessage | undefined): boolean =>
  found === 'behind' || (messageId === null && found !== 'unknown')

const nameIn = ({ messageId, providerMessageId = '' }: NamedMessage): NamedReport | null => {
  if (messageId !== undefined) return { id: messageId, messageId, workspaceId: null }
  const ours = parseProviderId(providerMessageId)
  if (ours !== null) return { id: ours.messageId, ...ours }
  return PROVIDER_ID.test(providerMessageId) ? { id: providerMessageId, messageId: null, workspaceId: null } : null
}

async function look(lookup: MessageLookup, named: readonly (NamedReport | null)[]): Promise<readonly LookedUpMessage[]> {
  const wanted = named.filter((name) => name !== null && name.workspaceId === null)
  const ids = new Set(wanted.flatMap((name) => name?.messageId ?? []))
  const names = new Set(wanted.flatMap((name) => (name !== null && name.messageId === null ? [name.id] : [])))
  const [shown, byName] = await Promise.all([
    lookup.workspacesOfMessages([...ids]),
    names.size === 0 ? new Map<string, MessageRef | null>() : lookup.messagesOfProviderIds([...names]),
  ])
  return named.map((name) => {
    if (name === null) return 'unknown'
    if (name.messageId === null) return byName.has(name.id) ? (byName.get(name.id) ?? 'unknown') : 'behind'
    const workspaceId = name.workspaceId ?? shown.get(name.messageId)
    return workspaceId === undefined ? 'behind' : { workspaceId, messageId: name.messageId }
  })
}

type AddressedReport = NamedMessage & Readonly<{ to?: string }>

/**
 * False where a report that knows its message by the provider's own name alone says that it was for another address: the name is one that the
 * provider has used before or elsewhere.
 */
export async function isRecipient({ load }: StateLoader, report: AddressedReport, ref: MessageRef): Promise<boolean> {
  const { to, messageId, providerMessageId = '' } = report
  if (to === undefined || messageId !== undefined || parseProviderId(providerMessageId) !== null) return true
  const { workspaceId } = ref
  const { state } = await load({ decider: message, stream: messageStream(workspaceId, ref.messageId), workspaceId })
  const said = emailKey(to.replace(/^[^<]*<([^<>]*)>\s*$/, '$1').trim())
  return [state.to, ...state.earlier].some((one) => one !== null && emailKey(one) === said)
}
