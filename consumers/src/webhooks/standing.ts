import type { EventLog } from '@tidings/codec'
import type { LogFollower } from '@tidings/commands'
import { type WorkspaceEvent, type WorkspaceStatus, workspaceDeclarations, workspaceStream } from '@tidings/domain'
import { followedStates } from '../directories/followed-states.ts'

/** How a workspace stands now. */
export type Standing = (workspaceId: string) => WorkspaceStatus | Promise<WorkspaceStatus>

type State = Readonly<{ status: WorkspaceStatus }>

const MAX_WORKSPACES = 10_000

/** From the log itself; see `followedStates` for how fresh that is. Make it before the follower starts. */
export function standingFromLog({ log, follower }: Readonly<{ log: EventLog; follower: LogFollower }>): Standing {
  const types = Object.keys(workspaceDeclarations) as WorkspaceEvent['type'][]
  const states = followedStates<WorkspaceEvent, State>({ log, follower, types, initial: { status: 'active' }, evolve, max: MAX_WORKSPACES })
  return (workspaceId) => states.ask(workspaceId, workspaceStream(workspaceId), ({ status }) => status)
}

const evolve = (state: State, { type, data }: WorkspaceEvent): State =>
  type === 'WorkspaceStatusChanged' ? { status: data.status } : state
