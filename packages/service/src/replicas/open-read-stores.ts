import { followDatabaseClock } from '@tidings/async/clock'
import { OperationFailed } from '@tidings/config'
import type { ReadinessCheck } from '@tidings/http'
import { isTransient } from '@tidings/postgres'
import { assertUsable, connectTimeoutOf, DatabaseAway } from '../stores/connect-database.ts'
import { watchConnections } from '../stores/connections-left.ts'
import { type Opening, openPools, type Pools, poolsOn } from '../stores/open-pools.ts'
import { assertSchemaVersion } from '../stores/schema-version.ts'
import { openReplicas } from './open-replicas.ts'
import { IS_OF_ANOTHER } from './replica-fault.ts'
import type { ReplicaReads } from './replica-reads.ts'

/** `ask` rejects until the primary has been asked what a start asks. `isRefused`: it answers that this process may not. */
export type PrimaryAsked = Readonly<{ ask: ReadinessCheck; isRefused: () => boolean }>

/** `primaryAsked`: null where a start has asked it. */
type ReadStores = Readonly<{
  pools: Pools
  replicas: ReplicaReads | null
  primaryAsked: PrimaryAsked | null
  close: () => Promise<void>
}>

/**
 * What a process needs that only reads. Where its replicas answer, it starts while the primary is away. Rejects with one sentence where nothing can be read,
 * or what is there cannot be used.
 */
export async function openReadStores(opening: Opening): Promise<ReadStores> {
  const { storage } = opening.config
  const found = await openPools(opening).catch((error: unknown) => asAway(error))
  if (found instanceof DatabaseAway) {
    if (storage.databaseUrl === null || storage.readDatabaseUrls.length === 0) throw found
    return await openOnReplicas(opening, { url: storage.databaseUrl, away: found })
  }
  const replicas = await openReplicas({ ...opening, pools: found })
  return { pools: found, replicas, primaryAsked: null, close: closingOf(found, replicas) }
}

/** The primary may go away at any moment of the start. */
const asAway = (error: unknown): DatabaseAway => {
  if (error instanceof DatabaseAway) return error
  if (isTransient(error))
    return new DatabaseAway(`The database went away during the start (${(error as Error).message}).`, { cause: error })
  throw error
}

const closingOf = (pools: Pools, replicas: ReplicaReads | null) => async (): Promise<void> => {
  await replicas?.stop()
  await pools.close()
}

/** A replica has the schema, the keys and the time; what only the primary can say is asked of it when it is back, and the process is not ready where that is a no. */
const openOnReplicas = async (opening: Opening, { url, away }: Readonly<{ url: string; away: DatabaseAway }>): Promise<ReadStores> => {
  const { config, log, mode } = opening
  const database = { url, embedded: false, others: null, serverFault: async () => null, close: async () => undefined }
  const pools = poolsOn(database, opening)
  const replicas = await openReplicas({ config, log, pools })
  if (replicas === null) throw away
  const close = closingOf(pools, replicas)
  try {
    assertReadable(replicas, away)
    const reads = replicas.poolOf({ caller: 'start' })
    await assertSchemaVersion(reads, log)
    const nearest = () => (replicas.watch.isPrimaryAway() ? reads : pools.workPool)
    const clock = await followDatabaseClock({ query: (sql) => nearest().query(sql) })
    const connections = watchConnections({ pool: pools.workPool, poolSize: config.storage.poolSize, log })
    const askPrimary = async (): Promise<void> => {
      await assertUsable(url, connectTimeoutOf(config, mode))
      await assertSchemaVersion(pools.pool, log)
    }
    const closeAll = async (): Promise<void> => {
      connections.stop()
      clock.stop()
      await close()
    }
    const isRefused = () => REFUSAL.test(codeOf(replicas.watch.primaryFault()))
    return { pools, replicas, primaryAsked: { ask: untilDone(askPrimary), isRefused }, close: closeAll }
  } catch (error) {
    await close()
    throw error
  }
}

const assertReadable = ({ watch }: ReplicaReads, away: DatabaseAway): void => {
  const faults = watch.replicas.flatMap(({ name, fault }) => (fault === null ? [] : [`${name} ${fault}`])).join('; ')
  // Which of them is that of the database, only the database can say.
  if (watch.isPrimaryAway() && watch.replicas.some(({ fault }) => fault === IS_OF_ANOTHER))
    throw new OperationFailed(`${away.message} The replicas are of several servers: ${faults}.`, { cause: away })
  if (watch.isPrimaryAway() && watch.fit().length === 0)
    throw new OperationFailed(`${away.message} No replica can be read either: ${faults}.`, { cause: away })
}

/** SQLSTATEs: a login, a database or a right that is not there. An outage has none of them. */
const REFUSAL = /^(28|3D|42)/

const codeOf = (error: Error | null): string => (error !== null && 'code' in error ? String(error.code) : '')

/** Asks until it was answered once. */
const untilDone = (ask: () => Promise<void>): ReadinessCheck => {
  let isDone = false
  return async () => {
    if (!isDone) await ask()
    isDone = true
  }
}
