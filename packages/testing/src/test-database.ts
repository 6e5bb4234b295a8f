import { randomBytes } from 'node:crypto'
import { createPool } from '@tidings/postgres'
import type { Pool } from 'pg'
import { inject } from 'vitest'

export type TestDatabase = Readonly<{ url: string; pool: Pool; drop: () => Promise<void> }>

/**
 * A database of its own with every migration applied, copied from the run's template (some 60 ms of CPU in memory, `drop` included). Call it in `beforeAll` and
 * `drop` it in `afterAll`; `drop` ends the pool and cuts off every connection that is left.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { url: server, template } = inject('testPostgres')
  const name = `test_${randomBytes(6).toString('hex')}`
  // Files are copied, not their pages logged one by one: a third of the CPU on a server that need not outlive a power cut.
  await once(server, `create database ${name} template ${template} strategy file_copy`)
  const url = inDatabase(server, name)
  const pool = patientPool({ url, max: 10, name: 'test' })
  const drop = async () => {
    await pool.end()
    await once(server, `drop database ${name} with (force)`)
  }
  return { url, pool, drop }
}

/** A query waits so long for a connection that is free. */
const CONNECTION_MS = 240_000

/** A pool of a test: its queries wait for a connection as long as any machine needs, where those of a service fail after five seconds. */
export function patientPool(settings: Parameters<typeof createPool>[0]): Pool {
  const pool = createPool(settings)
  pool.options.connectionTimeoutMillis = CONNECTION_MS
  return pool
}

/** The same server's address with another database. */
export function inDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}

async function once(url: string, statement: string): Promise<void> {
  const pool = patientPool({ url, max: 1, name: 'test-admin' })
  try {
    await pool.query(statement)
  } finally {
    await pool.end()
  }
}
