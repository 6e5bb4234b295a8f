import type { Consumer } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import type {
  ContactEnteredFlow,
  FlowResumed,
  MessageBounced,
  MessageComplained,
  MessageDelivered,
  MessageFailed,
  MessageId,
  MessageSent,
  MessageSkipped,
  MessageSuppressed,
  WorkspaceId,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { Admission, NewJob } from '@tidings/jobs'
import type { Pool, PoolClient } from 'pg'
import { type CountedMessage, uncount } from '../send/marketing-count.ts'
import { causeOf, type FlowCause, TRIGGERING_TYPES } from './cause.ts'
import { entryJob, runJob } from './flow-kinds.ts'
import { runsOfMessages, takeRunsOfMessages } from './flow-messages.ts'
import { type Flow, type FlowView, isEnteredBy } from './flow-view.ts'

const FLOWS = 'flows'

type MessageOutcome =
  | MessageSent
  | MessageDelivered
  | MessageBounced
  | MessageComplained
  | MessageFailed
  | MessageSuppressed
  | MessageSkipped

/** Each of them takes a queued message out of `queued`: a receipt also where the answer of the provider was lost. */
const OUTCOME_TYPES = [
  'MessageSent',
  'MessageDelivered',
  'MessageBounced',
  'MessageComplained',
  'MessageFailed',
  'MessageSuppressed',
  'MessageSkipped',
] as const satisfies readonly MessageOutcome['type'][]
const NOT_SENT: readonly string[] = ['MessageFailed', 'MessageSuppressed', 'MessageSkipped'] satisfies readonly MessageOutcome['type'][]

/** Admissions of each kind of job. */
export type FlowAdmissions = Readonly<{ entries: Admission; runs: Admission; releases: Admission }>

/**
 * Admits what moves runs: an event that lets a contact in, a contact that entered, a message that is not queued any more, a flow that goes on.
 * Messages that were not sent do not count for the frequency cap (D13).
 */
export function flowConsumer({
  pool,
  flows,
  admit,
}: Readonly<{ pool: Pool; flows: Pick<FlowView, 'at'>; admit: FlowAdmissions }>): Consumer {
  return {
    group: FLOWS,
    types: [...TRIGGERING_TYPES, ...OUTCOME_TYPES, 'ContactEnteredFlow', 'FlowResumed'],
    // One look instead of a transaction, and none where no workspace has a flow: of most messages that are sent, none is of a flow.
    concerns: async (events) =>
      events.some((event) => !isOutcome(event) || NOT_SENT.includes(event.type)) ||
      (await runsOfMessages(pool, messagesOf(await mayBeOfFlows(flows, events.filter(isOutcome))))).size > 0,
    handle: async (events, tx) => {
      const outcomes = events.filter(isOutcome)
      await uncount(tx, outcomes.filter(({ type }) => NOT_SENT.includes(type)).flatMap(countedOf))
      const runs = [...events.filter(isEntry).map(runOf), ...(await runsOf(tx, outcomes))]
      const committed = [
        await admit.entries(tx, await entriesOf(flows, events)),
        await admit.runs(tx, runs),
        await admit.releases(tx, events.filter(isResume).map(releaseOf)),
      ]
      return () => {
        for (const begin of committed) begin()
      }
    },
  }
}

/** A passcode has no contact. */
const countedOf = ({ meta, data: { contactId, channel, messageId } }: Recorded<MessageOutcome>): readonly CountedMessage[] =>
  contactId === null ? [] : [{ workspaceId: meta.workspaceId, contactId, channel, messageId }]

const isOutcome = (event: Recorded): event is Recorded<MessageOutcome> => OUTCOME_TYPES.some((type) => type === event.type)
const isEntry = (event: Recorded): event is Recorded<ContactEnteredFlow> => event.type === 'ContactEnteredFlow'
const isResume = (event: Recorded): event is Recorded<FlowResumed> => event.type === 'FlowResumed'

const entriesOf = async (flows: Pick<FlowView, 'at'>, events: readonly Recorded[]): Promise<readonly NewJob[]> => {
  const causes = events
    .filter(({ type }) => TRIGGERING_TYPES.some((known) => known === type))
    .flatMap((event) => {
      const cause = causeOf(event)
      return cause === null ? [] : [{ event, cause }]
    })
  const last = causes.at(-1)
  if (last === undefined) return []
  const workspaceIds = causes.map(({ cause }) => cause.workspaceId)
  const known = await flowsOf(flows, { workspaceIds, position: last.cause.position })
  return causes
    .filter(({ cause }) => known.get(cause.workspaceId)?.some((flow) => mayEnter(flow, cause)))
    .map(({ event, cause }) => entryJob(event, cause.contactId))
}

/** A flow sends no message before it is defined, and a retired one is still there: a workspace without any has no message of one. */
const mayBeOfFlows = async (
  flows: Pick<FlowView, 'at'>,
  outcomes: readonly Recorded<MessageOutcome>[],
): Promise<readonly Recorded<MessageOutcome>[]> => {
  const last = outcomes.at(-1)
  if (last === undefined) return []
  const known = await flowsOf(flows, { workspaceIds: outcomes.map(({ meta }) => meta.workspaceId), position: last.position })
  return outcomes.filter(({ meta }) => known.get(meta.workspaceId)?.length !== 0)
}

type WorkspacesAtPosition = Readonly<{ workspaceIds: readonly WorkspaceId[]; position: Position }>

/** One look a workspace: while the follower is behind, each look reads the log. */
const flowsOf = async (
  flows: Pick<FlowView, 'at'>,
  { workspaceIds, position }: WorkspacesAtPosition,
): Promise<ReadonlyMap<string, readonly Flow[]>> => {
  const known = new Map<string, readonly Flow[]>()
  for (const workspaceId of new Set(workspaceIds)) known.set(workspaceId, [...(await flows.at(workspaceId, position)).values()])
  return known
}

/** A confirmation also lets its contact into the flows of lists that it came onto before (M56). */
const mayEnter = (flow: Flow, cause: FlowCause): boolean =>
  isEnteredBy(flow, cause) ||
  (cause.type === 'SignUpConfirmed' && flow.trigger.type === 'list_joined' && isEnteredBy(flow, { ...cause, trigger: flow.trigger }))

const runOf = (event: Recorded<ContactEnteredFlow>): NewJob =>
  runJob(event, { workspaceId: event.meta.workspaceId, flowId: event.data.flowId, contactId: event.data.contactId })

const messagesOf = (outcomes: readonly Recorded<MessageOutcome>[]): readonly MessageId[] => [
  ...new Set(outcomes.map(({ data }) => data.messageId)),
]

const runsOf = async (tx: PoolClient, outcomes: readonly Recorded<MessageOutcome>[]): Promise<readonly NewJob[]> => {
  const refs = await takeRunsOfMessages(tx, messagesOf(outcomes))
  return outcomes.flatMap((event) => {
    const ref = refs.get(event.data.messageId)
    return ref === undefined || ref.workspaceId !== event.meta.workspaceId ? [] : [runJob(event, ref)]
  })
}

const releaseOf = ({ meta, data, position }: Recorded<FlowResumed>): NewJob => ({
  workspaceId: meta.workspaceId,
  lane: data.flowId,
  seq: position.commit,
  payload: data.flowId,
})
