import type { EventLog } from '@tidings/codec'
import { type SenderIdsEvent, senderIdNamed, senderIds, senderIdsDeclarations, senderIdsStream, type WorkspaceId } from '@tidings/domain'
import { createFollowedStates, type LogView } from '@tidings/log-views'

export type SenderIdView = LogView &
  Readonly<{
    /** Whether a workspace may send text messages under a name now, in any case: approved, and not deactivated. */
    isApproved: (workspaceId: WorkspaceId, name: string) => boolean | Promise<boolean>
  }>

const MAX_WORKSPACES = 10_000

/** The SMS sender IDs of workspaces, from the log itself. */
export function createSenderIdView(log: EventLog): SenderIdView {
  const types = Object.keys(senderIdsDeclarations) as SenderIdsEvent['type'][]
  const { evolve, initialState } = senderIds
  const states = createFollowedStates({ log, types, initial: initialState, evolve, max: MAX_WORKSPACES })
  return {
    ...states,
    isApproved: (workspaceId, name) => {
      const known = states.get(workspaceId, senderIdsStream(workspaceId))
      return known instanceof Promise ? known.then((state) => has(state, name)) : has(known, name)
    },
  }
}

const has = (state: typeof senderIds.initialState, name: string): boolean => senderIdNamed(state, name)?.status === 'approved'
