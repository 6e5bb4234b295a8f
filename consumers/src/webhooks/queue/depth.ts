import { estimatedRows } from '@tidings/postgres'
import type { Pool } from 'pg'

/** `all` deliveries wait, `longest` of them for one endpoint. */
export type WebhookDepth = Readonly<{ all: number; longest: number }>

/** At most so many queues are counted; beyond, `all` is the planner's estimate and `longest` the longest counted one. */
const COUNTED = 10_000

type QueueDepthRow = Readonly<{ queues: number; waiting: number; longest: number }>

/** Counts the webhook deliveries that wait in the installation. Costs the same whatever waits. */
export async function webhookDepth(pool: Pool, counted: number = COUNTED): Promise<WebhookDepth> {
  const { rows } = await pool.query<QueueDepthRow>('select queues, waiting::float8 as waiting, longest from webhooks.depth($1)', [counted])
  const { queues, waiting, longest } = rows[0] ?? { queues: 0, waiting: 0, longest: 0 }
  if (queues < counted) return { all: waiting, longest }
  return { all: Math.max(waiting, await estimatedRows(pool, 'webhooks.delivery')), longest }
}
