import { databaseNow } from '@tidings/clock'
import { dueUntil, openEnds, type RetentionDays } from '@tidings/consumers'
import { metrics } from '@tidings/http'
import type { Pool } from 'pg'
import { Counter } from 'prom-client'
import { figureGauge } from './figure-gauge.ts'

const deleted = new Counter({
  name: 'tidings_retention_deleted_total',
  help: 'Rows that were deleted because their time was over, by task; a task that was never run has no series',
  labelNames: ['task'],
  registers: [metrics],
})

export function countDeleted(task: string, rows: number): void {
  deleted.inc({ task }, rows)
}

/** How far the ends of details of events are behind the settings. */
export function observeDetails(pool: Pool, days: RetentionDays): void {
  figureGauge(
    'tidings_retention_details_open',
    'Ends of details of events, by workspace and kind, that are due and not yet in every table',
    () => openEnds(pool, dueUntil(days, databaseNow())),
  )
}
