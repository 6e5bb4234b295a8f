import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '@tidings/config'
import type { EventStore } from '@tidings/event-store'
import type { LogReplicas } from '@tidings/event-store/read-on-replicas'
import type { Pool } from 'pg'
import { type Look, lookAtServer, lookingPool, serverName } from './look-at-server.ts'
import { faultOf } from './replica-fault.ts'

const EVERY_MS = 100

type Primary = Readonly<{ config: Config; pool: Pool; store: Pick<EventStore, 'head' | 'readAll'> }>

/**
 * The replicas for a command that reads much of the log: those that show all that the primary has now. They have the time of `TIDINGS_READ_LAG_SECONDS` to get
 * there. Undefined where there is none; where some are configured, that is said.
 */
export async function replicasWithLog({ config: { storage }, pool, store }: Primary): Promise<LogReplicas | undefined> {
  const { readDatabaseUrls: urls, readLagSeconds: lagSeconds } = storage
  if (urls.length === 0) return undefined
  const { commit } = await store.head()
  const [end] = (await store.readAll({ commit: commit - 1n, prepare: 0n }, 1)).events
  if (end === undefined) return undefined
  const primary = await lookAtServer(pool)
  const replicas = urls.map((url) => ({ name: serverName(url), url, pool: lookingPool(url, 'tidings-watch') }))
  try {
    const servers = await untilReached(replicas, { primary, lagSeconds })
    return servers.length === 0 ? undefined : { servers, end: { position: end.position, id: end.id } }
  } finally {
    await Promise.all(replicas.map((replica) => replica.pool.end()))
  }
}

type Replica = LogReplicas['servers'][number] & Readonly<{ pool: Pool }>
type Goal = Readonly<{ primary: Look; lagSeconds: number }>

/** Those that have replayed what the primary had, as soon as there is one; none where none gets there in time. */
const untilReached = async (replicas: readonly Replica[], goal: Goal): Promise<LogReplicas['servers']> => {
  const deadline = performance.now() + 1_000 * goal.lagSeconds
  for (;;) {
    const found = await Promise.all(replicas.map(async (replica) => ({ ...replica, ...(await stateOf(replica, goal)) })))
    const fit = found.filter(({ fault }) => fault === null)
    if (fit.length > 0) return fit.map(({ name, url }) => ({ name, url }))
    if (performance.now() > deadline || !found.some(({ isBehind }) => isBehind)) {
      const faults = found.map(({ name, fault }) => `${name} ${fault}`).join('; ')
      process.stderr.write(`The log is read from the primary, because no replica can be read: ${faults}.\n`)
      return []
    }
    await sleep(EVERY_MS)
  }
}

const stateOf = async ({ pool }: Replica, { primary, lagSeconds }: Goal) => {
  const look = await lookAtServer(pool).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
  const context = { isAway: false, system: primary.system, isStray: false, lagSeconds }
  const other = faultOf(look, { ...context, lagMs: 0 })
  const isBehind = other === null && !(look instanceof Error) && look.lsn < primary.lsn
  return { isBehind, fault: isBehind ? faultOf(look, { ...context, lagMs: null }) : other }
}
