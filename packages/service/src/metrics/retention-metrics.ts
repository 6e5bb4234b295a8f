import { metrics } from '@tidings/http'
import { Counter } from 'prom-client'

const deleted = new Counter({
  name: 'tidings_retention_deleted_total',
  help: 'Rows that were deleted because their time was over, by task; a task that was never run has no series',
  labelNames: ['task'],
  registers: [metrics],
})

export function countDeleted(task: string, rows: number): void {
  deleted.inc({ task }, rows)
}
