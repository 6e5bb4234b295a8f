import { FLOW_RUN } from '@tidings/consumers'
import { dueLagSeconds, inboxDepth } from '@tidings/inbox'
import type { Pool } from 'pg'
import { figureGauge } from './figure-gauge.ts'
import { sharedRead } from './shared-read.ts'

/** Runs of flows that wait or are due, and how late the latest of them is. */
export function observeFlows(pool: Pool): void {
  const waiting = sharedRead(async () => (await inboxDepth(pool)).find(({ kind }) => kind === FLOW_RUN)?.waiting ?? 0)
  const lag = sharedRead(() => dueLagSeconds(pool, FLOW_RUN))
  figureGauge('tidings_flow_runs_waiting', 'Runs of flows that wait for their time or are due; an estimate from 10 000 on', waiting)
  figureGauge('tidings_flow_due_lag_seconds', 'For how long the run is due that has waited longest for its step', lag)
}
