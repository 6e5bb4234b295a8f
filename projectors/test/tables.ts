import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLog } from '@tidings/codec'
import { comparePositions } from '@tidings/event-store'
import { type AnyProjection, createProgress, runProjection } from '@tidings/projections'
import type { Pool } from 'pg'

/** Every row of every table of the projections, as Postgres writes them, in the order of their keys. */
export async function dump(pool: Pool, projections: readonly AnyProjection[]): Promise<Record<string, string[]>> {
  const dumped: Record<string, string[]> = {}
  for (const { name, key } of projections.flatMap(({ tables }) => tables)) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from read.${name} t order by ${key.join(', ')}`)
    dumped[name] = rows.map(({ row }) => row)
  }
  return dumped
}

/** Resets the tables to those of a new database. */
export async function forget(pool: Pool, projections: readonly AnyProjection[]): Promise<void> {
  const names = projections.flatMap(({ tables }) => tables.map(({ name }) => `read.${name}`))
  await pool.query(`drop table if exists ${names.join(', ')}`)
  await pool.query('truncate ops.projection_checkpoint, ops.projection_lease, ops.projection_status, ops.parked_stream')
}

type Live = Readonly<{ pool: Pool; log: EventLog; projections: readonly AnyProjection[]; maxBatch?: number }>

/** Runs the projections until they have reached the end of the log, then stops them. Throws what they fail with. */
export async function runToHead({ projections, ...options }: Live): Promise<void> {
  const progress = createProgress()
  const failures: unknown[] = []
  const onFailure = (_: string, error: unknown) => failures.push(error)
  const running = projections.map((projection) => runProjection({ ...options, projection, progress, owner: randomUUID(), onFailure }))
  const head = await options.log.head()
  const isBehind = ({ name }: AnyProjection) => comparePositions(progress.of(name)?.position ?? { commit: -2n, prepare: -2n }, head) < 0
  while (failures.length === 0 && projections.some(isBehind)) await sleep(2)
  await Promise.all(running.map(({ stop }) => stop()))
  if (failures.length > 0) throw failures[0]
}
