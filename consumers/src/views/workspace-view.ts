import type { EventLog } from '@tidings/codec'
import {
  type MarketingRules,
  noMarketingRules,
  type WorkspaceEvent,
  type WorkspaceStatus,
  workspaceDeclarations,
  workspaceStream,
} from '@tidings/domain'
import { createFollowedStates, type LogView } from '@tidings/log-views'

/** `verified`: the workspace is active, and the domain and the mailbox of the address are verified. */
export type SenderStatus = 'verified' | 'unverified' | 'suspended' | 'closed'

export type WorkspaceView = LogView &
  Readonly<{
    /** Whether a workspace may send from an address. */
    senderStatus: (workspaceId: string, fromEmail: string) => SenderStatus | Promise<SenderStatus>
    status: (workspaceId: string) => WorkspaceStatus | Promise<WorkspaceStatus>
    /** As the log has it now, read even where it is known. */
    statusNow: (workspaceId: string) => Promise<WorkspaceStatus>
    /** Whether the workspace turned tracking on for html of its own (M5). */
    tracks: (workspaceId: string) => boolean | Promise<boolean>
    /** Quiet hours, frequency cap and time zone (M34). */
    marketing: (workspaceId: string) => MarketingRules | Promise<MarketingRules>
  }>

type Entries = Readonly<Record<string, boolean>>
type State = Readonly<{ status: WorkspaceStatus; tracking: boolean; domains: Entries; mailboxes: Entries; marketing: MarketingRules }>

const unknownWorkspace: State = { status: 'active', tracking: false, domains: {}, mailboxes: {}, marketing: noMarketingRules }
const MAX_WORKSPACES = 10_000

/** What sending and webhooks ask of a workspace, from the log itself. */
export function createWorkspaceView(log: EventLog): WorkspaceView {
  const types = Object.keys(workspaceDeclarations) as WorkspaceEvent['type'][]
  const states = createFollowedStates<WorkspaceEvent, State>({ log, types, initial: unknownWorkspace, evolve, max: MAX_WORKSPACES })
  const ask = <A>(workspaceId: string, answer: (state: State) => A): A | Promise<A> => {
    const state = states.get(workspaceId, workspaceStream(workspaceId))
    return state instanceof Promise ? state.then(answer) : answer(state)
  }
  return {
    ...states,
    senderStatus: (workspaceId, fromEmail) => ask(workspaceId, (state) => senderStatusOf(state, fromEmail)),
    status: (workspaceId) => ask(workspaceId, ({ status }) => status),
    statusNow: async (workspaceId) => (await states.readNow(workspaceId, workspaceStream(workspaceId))).status,
    tracks: (workspaceId) => ask(workspaceId, ({ tracking }) => tracking),
    marketing: (workspaceId) => ask(workspaceId, ({ marketing }) => marketing),
  }
}

const senderStatusOf = ({ status, domains, mailboxes }: State, fromEmail: string): SenderStatus => {
  if (status !== 'active') return status
  const verified = domains[fromEmail.slice(fromEmail.lastIndexOf('@') + 1)] === true && mailboxes[fromEmail] === true
  return verified ? 'verified' : 'unverified'
}

function evolve(state: State, event: WorkspaceEvent): State {
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
    case 'MarketingRulesChanged':
      return { ...state, marketing: { ...state.marketing, ...event.data } }
    default:
      return state
  }
}
