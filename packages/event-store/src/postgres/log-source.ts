import { createPool } from '@tidings/postgres/pool'
import type pg from 'pg'
import type { SeenPosition } from '../last-seen.ts'
import type { EventStore } from '../port.ts'
import { postgresEventStore } from './postgres-store.ts'
import { type LogReplicas, readOnReplicas } from './read-on-replicas.ts'

/** The settings with which another thread reads the log by connections of its own. `seen`: a log that does not reach this place has gone back. */
export type LogSource = Readonly<{ url: string; seen: SeenPosition; replicas?: LogReplicas | undefined }>

/** One that works, and one whose page is on its way. */
const CONNECTIONS = 2

/** Opens the log for a thread, whose end closes the connections. */
export function openLogSource({ url, seen, replicas }: LogSource): Readonly<{ pool: pg.Pool; store: EventStore }> {
  const pool = createPool({ url, max: CONNECTIONS, name: 'tidings-thread' })
  const store = postgresEventStore({ pool, seen })
  return { pool, store: replicas ? readOnReplicas(store, replicas) : store }
}
