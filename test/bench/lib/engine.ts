import { randomUUID } from 'node:crypto'
import { type AppendContext, createEventLog, type EventLog, type KeyRing, openKeyRing, upcasters } from '@tidings/codec'
import { workspaceIdOf } from '@tidings/directory'
import { eventDeclarations } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { createPool, migrate } from '@tidings/postgres'
import { PATIENT_MS } from '@tidings/testing'
import type { Pool } from 'pg'

export const WORKSPACE_ID = workspaceIdOf('bench')

export const MASTER_KEY = 'be'.repeat(32)

/** The log as a process of the service has it: encrypted and typed, over Postgres; without HTTP around it. */
export type Engine = Readonly<{
  pool: Pool
  workPool: Pool
  store: EventStore
  log: EventLog
  keyRing: KeyRing
  close: () => Promise<void>
}>

export async function openEngine(url: string): Promise<Engine> {
  const pool = createPool({ url, max: 10, name: 'bench' })
  const workPool = createPool({ url, max: 10, name: 'bench-work' })
  await migrate(pool)
  const keyRing = await openKeyRing({ pool, masterKey: MASTER_KEY })
  const store = postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS })
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
  return {
    pool,
    workPool,
    store,
    log,
    keyRing,
    close: async () => {
      await log.close()
      await Promise.all([pool.end(), workPool.end()])
    },
  }
}

/** The context of one more command, now. */
export function newContext(): AppendContext {
  return {
    commandId: randomUUID(),
    workspaceId: WORKSPACE_ID,
    actor: 'key:bench',
    requestId: randomUUID(),
    at: new Date().toISOString(),
  }
}
