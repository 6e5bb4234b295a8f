import { databaseNow } from '@tidings/async/clock'
import { runDirectConsumer, type Transport } from '@tidings/bus'
import type { ContentStore, EventLog, Recorded } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { readContact } from '@tidings/directory'
import type { ContactAddedToList, EmailContent } from '@tidings/domain'
import {
  dueLagSeconds,
  FLOW_ENTRY,
  FLOW_RELEASE,
  FLOW_RUN,
  inboxDepth,
  type Job,
  MARKETING_KINDS,
  runLanes,
  Unrecoverable,
  type Verdict,
} from '@tidings/jobs'
import type { Links } from '@tidings/mail-content'
import type { Logger } from '@tidings/observability/log'
import { observe, sharedRead } from '@tidings/observability/metrics'
import { kyselyOn } from '@tidings/postgres'
import type { ReadYourWrites } from '@tidings/projections'
import { activityCounts, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import { createReadGate } from '../reads/read-gate.ts'
import { faultLines, type RunningConsumers } from '../running.ts'
import { releaseInPasses } from '../send/release-put-off.ts'
import { createSuspendedMessages } from '../send/suspended-messages.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'
import { causeOf, type FlowCause } from './cause.ts'
import { isByRule, isFirstConfirmation, joinedUnconfirmed, wasUnconfirmed } from './first-confirmation.ts'
import { flowConsumer } from './flow-consumer.ts'
import type { FlowEntry } from './flow-entry.ts'
import { laneOfRun, refOf } from './flow-kinds.ts'
import type { FlowView } from './flow-view.ts'
import type { CountEvents, FlowWork } from './flow-work.ts'
import { runFlow } from './run-flow.ts'

/**
 * `requestPool`: for what is read at a scrape. `reads`: of what branches on events are decided on. `countEvents`: by default from the read models.
 * `leaseMs`: of a job, default 30 s. `transport`: how events come, by default from the log.
 */
export type FlowsOptions = Readonly<{
  log: EventLog
  pool: Pool
  requestPool: Pool
  commands: CommandRunner
  content: ContentStore<EmailContent>
  links: Pick<Links, 'unsubscribeUrl'>
  reads: ReadYourWrites
  flows: FlowView
  flowEntry: FlowEntry
  workspaces: WorkspaceView
  logger: Logger
  countEvents?: CountEvents
  leaseMs?: number
  transport?: Transport
  now?: () => number
}>

const CONCURRENCY = 64
const LEASE_MS = 30_000

/** Lets contacts into flows and walks them through. */
export function startFlows(options: FlowsOptions): RunningConsumers {
  const { log, pool, flows, flowEntry, workspaces, transport = runDirectConsumer, leaseMs = LEASE_MS, now = databaseNow } = options
  const onFault = faultLines(options.logger, 'a job failed')
  const fault = (error: unknown): void => onFault(error, null, null)
  const db = kyselyOn<ReadModels>(pool)
  observeFlows(options.requestPool)
  const shared = { pool, leaseMs, onFault }
  const suspended = createSuspendedMessages({ pool, kind: FLOW_RUN, workspaces, onReleased: () => runs.wake(), onFault: fault })
  const gate = createReadGate({
    pool,
    kind: FLOW_RUN,
    head: () => log.head(),
    reads: options.reads,
    onReleased: () => runs.wake(),
    onFault: fault,
  })
  const work: FlowWork = { countEvents: (asked) => activityCounts(db, asked), ...options, suspended, gate, now }
  const entries = runLanes({
    ...shared,
    kind: FLOW_ENTRY,
    concurrency: CONCURRENCY,
    work: (job) => enterByEvent({ log, entry: flowEntry, flows }, job),
  })
  const runs = runLanes({
    ...shared,
    kind: FLOW_RUN,
    concurrency: CONCURRENCY,
    work: gate.guard(
      (job) => laneOfRun(refOf(job)),
      (job, _, signal) => runFlow(work, job, signal),
    ),
  })
  const releases = runLanes({
    ...shared,
    kind: FLOW_RELEASE,
    concurrency: 1,
    work: async ({ workspaceId, payload: flowId, attempt }, _, signal) => {
      const paused = { workspaceId, deferredFor: 'flow_paused', deferredBy: flowId } as const
      const waiting = [FLOW_RUN, ...MARKETING_KINDS].map((kind) => ({ ...paused, kind }))
      const verdict = await releaseInPasses(pool, waiting, { attempt, signal })
      runs.wake()
      return verdict
    },
  })
  const admit = { entries: entries.admit, runs: runs.admit, releases: releases.admit }
  // The group reads from the start of the log: each flow's position, and the age of an event (M38), keep out what came before the group existed.
  const consumer = transport({ consumer: flowConsumer({ pool, flows, admit }), log, pool, startAt: 'start', onFault: fault })
  return {
    views: [flows, workspaces, suspended.view],
    progress: () => ({ [consumer.group]: consumer.progress() }),
    stop: async () => {
      await consumer.stop()
      await Promise.all([entries.stop(), runs.stop(), releases.stop(), suspended.stop(), gate.stop()])
    },
  }
}

/** Runs of flows that wait or are due, and how late the latest of them is. */
function observeFlows(pool: Pool): void {
  const waiting = sharedRead(async () => (await inboxDepth(pool)).find(({ kind }) => kind === FLOW_RUN)?.waiting ?? 0)
  const lag = sharedRead(() => dueLagSeconds(pool, FLOW_RUN))
  observe({
    name: 'tidings_flow_runs_waiting',
    help: 'Runs of flows that wait for their time or are due; an estimate from 10 000 on',
    read: waiting,
  })
  observe({
    name: 'tidings_flow_due_lag_seconds',
    help: 'For how long the run is due that has waited longest for its step',
    read: lag,
  })
}

type Entering = Readonly<{ log: EventLog; entry: FlowEntry; flows: Pick<FlowView, 'at'> }>

/** Enters the flows that an event lets its contact into, where the route that recorded it has not (M38); none where the contact is gone by now. */
async function enterByEvent(entering: Entering, { workspaceId, payload }: Job): Promise<Verdict> {
  const { log, entry } = entering
  const at = payload.lastIndexOf('@')
  const [stream, revision] = [payload.slice(0, at), Number(payload.slice(at + 1))]
  const [event] = await log.readStream(workspaceId, stream, { from: revision, limit: 1 })
  if (event?.revision !== revision) throw new Unrecoverable(`the log does not show the event ${payload}, which a job is about`)
  const cause = causeOf(event)
  if (cause === null || (await readContact(log, cause)) === null) return 'done'
  if (isAddition(event) && isByRule(event) && (await wasUnconfirmed(log, cause, event.position))) return 'done'
  if (event.type === 'SignUpConfirmed') {
    if (!(await isFirstConfirmation(log, cause, event))) return 'done'
    await enterLists(entering, cause)
  }
  await entry.enterFlows(cause)
  return 'done'
}

const isAddition = (event: Recorded): event is Recorded<ContactAddedToList> => event.type === 'ContactAddedToList'

/** The contact has confirmed: it joins, as of now, the dynamic lists that it came onto before (M56). Each addition is one cause, however often it is seen. */
const enterLists = async ({ log, entry, flows }: Entering, confirmed: FlowCause): Promise<void> => {
  const known = [...(await flows.at(confirmed.workspaceId, confirmed.position)).values()]
  const listIds = new Set(known.flatMap(({ trigger }) => (trigger.type === 'list_joined' ? [trigger.listId] : [])))
  const { position, at, requestId } = confirmed
  for (const event of await joinedUnconfirmed(log, confirmed, [...listIds])) {
    const cause = causeOf(event)
    if (cause !== null) await entry.enterFlows({ ...cause, position, at, requestId })
  }
}
