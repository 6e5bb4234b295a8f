import { asciiDomain, emailKey } from '@tidings/addresses'
import type { EventLog } from '@tidings/codec'
import {
  type DkimEvent,
  effectiveDomain,
  evolveSenderDomains,
  type MarketingRules,
  noMarketingRules,
  ownValue,
  type SenderDomains,
  type WorkspaceEvent,
  type WorkspaceId,
  type WorkspaceStatus,
  workspaceDeclarations,
  workspaceStream,
} from '@tidings/domain'
import { createFollowedStates, type LogView } from '@tidings/log-views'
import type { DkimKey } from '@tidings/providers'

/** `verified`: the workspace is active, the domain and the mailbox of the address are verified, and no blocklist has the domain. */
export type SenderStatus = 'verified' | 'unverified' | 'blocklisted' | 'suspended' | 'closed'

export type WorkspaceView = LogView &
  Readonly<{
    /** Whether a workspace may send from an address. */
    senderStatus: (workspaceId: WorkspaceId, fromEmail: string) => SenderStatus | Promise<SenderStatus>
    status: (workspaceId: WorkspaceId) => WorkspaceStatus | Promise<WorkspaceStatus>
    /** The status as the log has it now, read even if it is known. */
    statusNow: (workspaceId: WorkspaceId) => Promise<WorkspaceStatus>
    /** Whether the workspace turned tracking on for html of its own (M5). */
    tracks: (workspaceId: WorkspaceId) => boolean | Promise<boolean>
    /** The key that mail of a domain is signed with; null where the relay alone signs (M26). */
    dkimKey: (workspaceId: WorkspaceId, domain: string) => DkimKey | null | Promise<DkimKey | null>
    /** Quiet hours, frequency cap and time zone (M34). */
    marketing: (workspaceId: WorkspaceId) => MarketingRules | Promise<MarketingRules>
  }>

type Entries<Value> = Readonly<Record<string, Value>>
type WorkspaceViewState = Readonly<{
  status: WorkspaceStatus
  tracking: boolean
  domains: SenderDomains
  /** Whether it is verified, by the key of the address (M46). */
  mailboxes: Entries<boolean>
  /** Email by address id. */
  emails: Entries<string>
  /** Keyed by the ASCII form of the domain. */
  dkim: Entries<DkimOfSender>
  marketing: MarketingRules
}>

const NO_DKIM: Entries<DkimOfSender> = {}

const unknownWorkspace: WorkspaceViewState = {
  status: 'active',
  tracking: false,
  domains: {},
  mailboxes: {},
  emails: {},
  dkim: NO_DKIM,
  marketing: noMarketingRules,
}
const MAX_WORKSPACES = 10_000

/** Answers the questions of sending and webhooks about a workspace, from the log itself. */
export function createWorkspaceView(log: EventLog): WorkspaceView {
  const types = Object.keys(workspaceDeclarations) as WorkspaceEvent['type'][]
  const states = createFollowedStates<WorkspaceEvent, WorkspaceViewState>({
    log,
    types,
    initial: unknownWorkspace,
    evolve,
    max: MAX_WORKSPACES,
  })
  const ask = <A>(workspaceId: WorkspaceId, answer: (state: WorkspaceViewState) => A): A | Promise<A> => {
    const state = states.get(workspaceId, workspaceStream(workspaceId))
    return state instanceof Promise ? state.then(answer) : answer(state)
  }
  const senderStatus = withLastAnswer(senderStatusOf)
  const dkimKeyOf = withLastAnswer((dkim: Entries<DkimOfSender>, domain) => activeKey(ownValue(dkim, asciiDomain(domain)), domain))
  return {
    ...states,
    senderStatus: (workspaceId, fromEmail) => ask(workspaceId, (state) => senderStatus(state, fromEmail)),
    status: (workspaceId) => ask(workspaceId, ({ status }) => status),
    statusNow: async (workspaceId) => (await states.readNow(workspaceId, workspaceStream(workspaceId))).status,
    tracks: (workspaceId) => ask(workspaceId, ({ tracking }) => tracking),
    dkimKey: (workspaceId, domain) => ask(workspaceId, ({ dkim }) => (dkim === NO_DKIM ? null : dkimKeyOf(dkim, domain))),
    marketing: (workspaceId) => ask(workspaceId, ({ marketing }) => marketing),
  }
}

/** A mail asks three times, and the next mails ask the same: a state is never changed, so its last answer is true for as long as it is asked. */
const withLastAnswer = <State extends object, A>(answer: (state: State, text: string) => A): ((state: State, text: string) => A) => {
  const last = new WeakMap<State, Readonly<{ text: string; answer: A }>>()
  return (state, text) => {
    const known = last.get(state)
    if (known?.text === text) return known.answer
    const found = answer(state, text)
    last.set(state, { text, answer: found })
    return found
  }
}

const senderStatusOf = ({ status, domains, mailboxes }: WorkspaceViewState, fromEmail: string): SenderStatus => {
  if (status !== 'active') return status
  const key = emailKey(fromEmail)
  const domain = domainNamed(domains, key.slice(key.lastIndexOf('@') + 1))
  if (domain === undefined) return 'unverified'
  const { verified, blocklisted } = effectiveDomain(domain)
  if (!verified || mailboxes[key] !== true) return 'unverified'
  return blocklisted ? 'blocklisted' : 'verified'
}

/** `ascii`: in its ASCII form. A log from before M46 may have the domain in two spellings: the one that is verified counts. */
const domainNamed = (domains: SenderDomains, ascii: string): SenderDomains[string] | undefined => {
  const own = ownValue(domains, ascii)
  if (own !== undefined && effectiveDomain(own).verified) return own
  const spelled = Object.values(domains).filter(({ domain }) => asciiDomain(domain) === ascii)
  return spelled.find((one) => effectiveDomain(one).verified) ?? spelled[0]
}

function evolve(state: WorkspaceViewState, event: WorkspaceEvent): WorkspaceViewState {
  switch (event.type) {
    case 'WorkspaceCreated':
    case 'WorkspaceSettingsChanged':
      return { ...state, tracking: event.data.tracking ?? state.tracking }
    case 'WorkspaceStatusChanged':
      return { ...state, status: event.data.status }
    case 'SenderDomainConfigured':
    case 'SenderDomainTokenIssued':
    case 'SenderDomainChecked':
      return { ...state, domains: evolveSenderDomains(state.domains, event) }
    case 'SenderAddressConfigured': {
      const { addressId, email, status } = event.data
      return { ...withMailbox(state, email, status === 'verified'), emails: { ...state.emails, [addressId]: email } }
    }
    case 'SenderAddressVerified':
    case 'SenderAddressFailed':
      return withMailbox(state, state.emails[event.data.addressId], event.type === 'SenderAddressVerified')
    case 'DkimKeyCreated':
    case 'DkimSelectorChosen': {
      const domain = asciiDomain(event.data.domain)
      return { ...state, dkim: { ...state.dkim, [domain]: evolveDkimOfSender(ownValue(state.dkim, domain), event) } }
    }
    case 'MarketingRulesChanged':
      return { ...state, marketing: { ...state.marketing, ...event.data } }
    default:
      return state
  }
}

const withMailbox = (state: WorkspaceViewState, email: string | undefined, isVerified: boolean): WorkspaceViewState =>
  email === undefined ? state : { ...state, mailboxes: { ...state.mailboxes, [emailKey(email)]: isVerified } }

/** Private keys by selector, and the selector in use. */
type DkimOfSender = Readonly<{ active: string | null; privateKeys: Readonly<Record<string, string>> }>

const noKeys: DkimOfSender = { active: null, privateKeys: {} }

function evolveDkimOfSender(known: DkimOfSender = noKeys, { type, data }: DkimEvent): DkimOfSender {
  if (type === 'DkimSelectorChosen') return { ...known, active: data.selector }
  return { ...known, privateKeys: { ...known.privateKeys, [data.selector]: data.privateKey } }
}

/** Null where none is in use, or the key was erased. */
function activeKey(known: DkimOfSender | undefined, domain: string): DkimKey | null {
  const selector = known?.active ?? null
  const privateKey = selector === null ? undefined : ownValue(known?.privateKeys ?? {}, selector)
  return selector === null || !privateKey ? null : { domain, selector, privateKey }
}
