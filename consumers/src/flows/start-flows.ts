import { runDirectConsumer, type Transport } from '@tidings/bus'
import { databaseNow } from '@tidings/clock'
import type { FlowEntry, FlowView } from '@tidings/flows'
import { type Job, runLanes } from '@tidings/inbox'
import type { ReadSide } from '@tidings/projections'
import { createReadGate } from '../reads/read-gate.ts'
import { holdSuspended } from '../send/hold-suspended.ts'
import { MARKETING_KINDS } from '../send/lane-kinds.ts'
import { releaseInPasses } from '../send/release-put-off.ts'
import type { RunningConsumers } from '../start-consumers.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'
import { enterByEvent } from './enter-flows.ts'
import { flowConsumer } from './flow-consumer.ts'
import { FLOW_ENTRY, FLOW_RELEASE, FLOW_RUN, laneOfRun, pausedReason, placeOf } from './flow-kinds.ts'
import type { FlowWork } from './flow-work.ts'
import { runFlow } from './run-flow.ts'

/** `reads`: of what branches on events are decided on. `leaseMs`: of a job, default 30 s. `transport`: how events come, by default from the log. */
export type FlowsOptions = Readonly<
  Omit<FlowWork, 'flows' | 'workspaces' | 'suspended' | 'gate' | 'now'> & {
    reads: Pick<ReadSide, 'wait'>
    flows: FlowView
    entry: FlowEntry
    workspaces: WorkspaceView
    leaseMs?: number
    transport?: Transport
    now?: () => number
    onFault?: (error: unknown, job: Job | null) => void
  }
>

const CONCURRENCY = 64
const LEASE_MS = 30_000

/** Lets contacts into flows and walks them through. */
export function startFlows(options: FlowsOptions): RunningConsumers {
  const { log, pool, flows, entry, workspaces, onFault, transport = runDirectConsumer, leaseMs = LEASE_MS, now = databaseNow } = options
  const fault = (error: unknown): void => onFault?.(error, null)
  const shared = { pool, leaseMs, ...(onFault && { onFault }) }
  const suspended = holdSuspended({ pool, kind: FLOW_RUN, workspaces, onReleased: () => runs.wake(), onFault: fault })
  const gate = createReadGate({
    pool,
    kind: FLOW_RUN,
    head: () => log.head(),
    reads: options.reads,
    onReleased: () => runs.wake(),
    onFault: fault,
  })
  const work: FlowWork = { ...options, suspended, gate, now }
  const entries = runLanes({
    ...shared,
    kind: FLOW_ENTRY,
    concurrency: CONCURRENCY,
    work: (job) => enterByEvent({ log, entry, flows }, job),
  })
  const runs = runLanes({
    ...shared,
    kind: FLOW_RUN,
    concurrency: CONCURRENCY,
    work: gate.guard(
      (job) => laneOfRun(placeOf(job)),
      (job, _, signal) => runFlow(work, job, signal),
    ),
  })
  const releases = runLanes({
    ...shared,
    kind: FLOW_RELEASE,
    concurrency: 1,
    work: async ({ workspaceId, payload: flowId, attempt }, _, signal) => {
      const reasons = [pausedReason(flowId)]
      const waiting = [FLOW_RUN, ...MARKETING_KINDS].map((kind) => ({ kind, workspaceId, reasons }))
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
