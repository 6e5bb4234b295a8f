import type { EventLog } from '@tidings/codec'
import type { LogFollower } from '@tidings/commands'
import { type WorkspaceEvent, workspaceDeclarations, workspaceStream } from '@tidings/domain'
import { followedStates } from './followed-states.ts'

/** Whether a workspace may still send from an address: its domain and the mailbox are verified. */
export type Senders = Readonly<{ isVerified: (workspaceId: string, fromEmail: string) => boolean | Promise<boolean> }>

type Entries = Readonly<Record<string, boolean>>
type SenderState = Readonly<{ domains: Entries; mailboxes: Entries }>

const MAX_WORKSPACES = 1_000

/** Senders from the log itself; see `followedStates` for how fresh that is. */
export function sendersFromLog({ log, follower }: Readonly<{ log: EventLog; follower: LogFollower }>): Senders {
  const types = Object.keys(workspaceDeclarations) as WorkspaceEvent['type'][]
  const initial: SenderState = { domains: {}, mailboxes: {} }
  const states = followedStates<WorkspaceEvent, SenderState>({ log, follower, types, initial, evolve, max: MAX_WORKSPACES })
  return {
    isVerified: (workspaceId, fromEmail) => {
      const state = states.get(workspaceId, workspaceStream(workspaceId))
      return state instanceof Promise ? state.then((loaded) => mayUse(loaded, fromEmail)) : mayUse(state, fromEmail)
    },
  }
}

const mayUse = ({ domains, mailboxes }: SenderState, fromEmail: string): boolean =>
  domains[fromEmail.slice(fromEmail.lastIndexOf('@') + 1)] === true && mailboxes[fromEmail] === true

function evolve(state: SenderState, event: WorkspaceEvent): SenderState {
  switch (event.type) {
    case 'SenderDomainConfigured':
      return { ...state, domains: { ...state.domains, [event.data.domain]: event.data.verified } }
    case 'SenderAddressConfigured':
      return { ...state, mailboxes: { ...state.mailboxes, [event.data.email]: event.data.status === 'verified' } }
    default:
      return state
  }
}
