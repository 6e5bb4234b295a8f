import { parseProviderId } from '@tidings/providers'
import type { Dependencies } from '../dependencies.ts'
import type { EmailEvent } from './parse-email-events.ts'

/** `unknown`: the log has no message of that id. `behind`: not known until the read side has caught up. */
export type Found = Readonly<{ workspaceId: string; messageId: string }> | 'unknown' | 'behind'

type Finding = Pick<Dependencies, 'workspacesOfMessages' | 'showsAllMessages'>
type Named = Readonly<{ messageId: string; workspaceId: string | null }>

/**
 * The messages that the events name, in their order. Our Message-ID contains the workspace. Without it the read side is queried, and a
 * message that it does not show is unknown only when it shows everything in the log (M30: an accepted receipt is never lost).
 */
export async function findMessages(deps: Finding, events: readonly EmailEvent[]): Promise<readonly Found[]> {
  const named = events.map(nameIn)
  const first = await look(deps, named)
  if (!first.includes('behind') || !(await deps.showsAllMessages())) return first
  return (await look(deps, named)).map((found) => (found === 'behind' ? 'unknown' : found))
}

const nameIn = ({ messageId, providerMessageId }: EmailEvent): Named | null =>
  messageId === undefined ? parseProviderId(providerMessageId ?? '') : { messageId, workspaceId: null }

async function look({ workspacesOfMessages }: Finding, named: readonly (Named | null)[]): Promise<readonly Found[]> {
  const wanted = named.flatMap((name) => (name === null || name.workspaceId !== null ? [] : [name.messageId]))
  const shown = await workspacesOfMessages([...new Set(wanted)])
  return named.map((name) => {
    if (name === null) return 'unknown'
    const workspaceId = name.workspaceId ?? shown.get(name.messageId)
    return workspaceId === undefined ? 'behind' : { workspaceId, messageId: name.messageId }
  })
}
