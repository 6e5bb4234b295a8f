import type { CountEvents } from '@tidings/consumers'
import type { ReadSide } from '@tidings/projections'
import type { Stores } from '../stores/open-stores.ts'

type Row = Readonly<{ event: string; count: string; last_at: Date }>

/** What the read models count, once they show everything that the log has now; at the latest after 2 s as they are. */
export function countEvents({ pool, log }: Pick<Stores, 'pool' | 'log'>, readSide: Pick<ReadSide, 'wait'>): CountEvents {
  return async ({ workspaceId, contactId, names }) => {
    await readSide.wait(await log.head(), ['activity_facts'])
    const { rows } = await pool.query<Row>(
      'select event, count, last_at from read.activity_facts where workspace_id = $1 and contact_id = $2 and event = any ($3::text[])',
      [workspaceId, contactId, names],
    )
    return new Map(rows.map(({ event, count, last_at }) => [event, { count: Number(count), lastAt: last_at.getTime() }]))
  }
}
