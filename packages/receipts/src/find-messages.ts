import { parseProviderId } from '@tidings/providers'

/** How messages are found on the read side. */
export type MessageLookup = Readonly<{
  /** Workspace of each message, and of each mail that asks to confirm a sender address, that the read side shows. */
  workspacesOfMessages: (messageIds: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** Those of the ids whose message the read side shows by now, if the log had one when it was first asked for them. */
  shownOrUnknown: (messageIds: readonly string[]) => Promise<ReadonlySet<string>>
}>

/** How a report names its message: by our id, or by what the provider was given as its own. */
export type NamedMessage = Readonly<{ messageId?: string; providerMessageId?: string }>

/** `unknown`: the log has no message of that id. `behind`: not known until the read side has caught up. */
type Found = Readonly<{ workspaceId: string; messageId: string }> | 'unknown' | 'behind'

type Named = Readonly<{ messageId: string; workspaceId: string | null }>

/**
 * The messages that the reports name, in their order. Our Message-ID contains the workspace. Without it the read side is queried, and a
 * message that it does not show is unknown only when it shows everything that the log had when a report first named it (M30: an accepted receipt is
 * never lost; M44: a read side that is always a little behind is no reason to wait for ever).
 */
export async function findMessages(lookup: MessageLookup, reports: readonly NamedMessage[]): Promise<readonly Found[]> {
  const named = reports.map(nameIn)
  const first = await look(lookup, named)
  const behind = named.flatMap((name, n) => (name !== null && first[n] === 'behind' ? [name.messageId] : []))
  if (behind.length === 0) return first
  const decided = await lookup.shownOrUnknown([...new Set(behind)])
  if (decided.size === 0) return first
  return (await look(lookup, named)).map((found, n) => (found === 'behind' && decided.has(named[n]?.messageId ?? '') ? 'unknown' : found))
}

const nameIn = ({ messageId, providerMessageId }: NamedMessage): Named | null =>
  messageId === undefined ? parseProviderId(providerMessageId ?? '') : { messageId, workspaceId: null }

async function look({ workspacesOfMessages }: MessageLookup, named: readonly (Named | null)[]): Promise<readonly Found[]> {
  const wanted = named.flatMap((name) => (name === null || name.workspaceId !== null ? [] : [name.messageId]))
  const shown = await workspacesOfMessages([...new Set(wanted)])
  return named.map((name) => {
    if (name === null) return 'unknown'
    const workspaceId = name.workspaceId ?? shown.get(name.messageId)
    return workspaceId === undefined ? 'behind' : { workspaceId, messageId: name.messageId }
  })
}
