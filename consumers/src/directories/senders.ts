import type { EventLog } from '@tidings/codec'
import type { LogFollower } from '@tidings/commands'
import { type WorkspaceEvent, type WorkspaceStatus, workspaceDeclarations, workspaceStream } from '@tidings/domain'
import { followedStates } from './followed-states.ts'

/** Whether a workspace may still send from an address: it is active, and the domain and the mailbox are `verified`. */
export type Standing = 'verified' | 'unverified' | 'suspended' | 'closed'
export type Senders = Readonly<{
  standing: (workspaceId: string, fromEmail: string) => Standing | Promise<Standing>
  status: (workspaceId: string) => WorkspaceStatus | Promise<WorkspaceStatus>
  /** As the log has it now, whatever is known. */
  statusNow: (workspaceId: string) => Promise<WorkspaceStatus>
  /** Whether the workspace turned tracking on for html of its own (decisions.md M5). */
  tracks: (workspaceId: string) => boolean | Promise<boolean>
}>

type Entries = Readonly<Record<string, boolean>>
type SenderState = Readonly<{ status: WorkspaceStatus; tracking: boolean; domains: Entries; mailboxes: Entries }>

const MAX_WORKSPACES = 1_000

/** Senders from the log itself; see `followedStates` for how fresh that is. */
export function sendersFromLog({ log, follower }: Readonly<{ log: EventLog; follower: LogFollower }>): Senders {
  const types = Object.keys(workspaceDeclarations) as WorkspaceEvent['type'][]
  const initial: SenderState = { status: 'active', tracking: false, domains: {}, mailboxes: {} }
  const states = followedStates<WorkspaceEvent, SenderState>({ log, follower, types, initial, evolve, max: MAX_WORKSPACES })
  return {
    standing: (workspaceId, fromEmail) => states.ask(workspaceId, workspaceStream(workspaceId), (state) => standingOf(state, fromEmail)),
    status: (workspaceId) => states.ask(workspaceId, workspaceStream(workspaceId), ({ status }) => status),
    statusNow: async (workspaceId) => (await states.read(workspaceId, workspaceStream(workspaceId))).status,
    tracks: (workspaceId) => states.ask(workspaceId, workspaceStream(workspaceId), ({ tracking }) => tracking),
  }
}

const standingOf = ({ status, domains, mailboxes }: SenderState, fromEmail: string): Standing => {
  if (status !== 'active') return status
  const verified = domains[fromEmail.slice(fromEmail.lastIndexOf('@') + 1)] === true && mailboxes[fromEmail] === true
  return verified ? 'verified' : 'unverified'
}

function evolve(state: SenderState, event: WorkspaceEvent): SenderState {
  switch (event.type) {
    case 'WorkspaceCreated':
    case 'WorkspaceSettingsChanged':
      return { ...state, tracking: event.data.tracking ?? state.tracking }
    case 'WorkspaceStatusChanged':
      return { ...state, status: event.data.status }
    case 'SenderDomainConfigured':
      return { ...state, domains: { ...state.domains, [event.data.domain]: event.data.verified } }
    case 'SenderAddressConfigured':
      return { ...state, mailboxes: { ...state.mailboxes, [event.data.email]: event.data.status === 'verified' } }
    default:
      return state
  }
}
