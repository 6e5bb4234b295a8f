import type { RunningRelay } from '@tidings/bus/kafka'
import { assertProviders, type Config, OperationFailed } from '@tidings/config'
import type { Log } from '@tidings/log'
import { createProgress, type Progress, projectionOwners, readSide } from '@tidings/projections'
import { startProjectors } from '@tidings/projectors'
import { commandSide } from './commands/command-side.ts'
import { createReferences } from './commands/references.ts'
import { startConsuming } from './consumers/consumers.ts'
import { startRelaying } from './consumers/kafka.ts'
import { answerSealer } from './http/answer-sealer.ts'
import { httpApp } from './http/http-app.ts'
import { listen } from './http/listen.ts'
import {
  observeCaches,
  observeConsumers,
  observePools,
  observeProjections,
  observeReads,
  observeRelay,
  observeRoles,
} from './metrics/metrics.ts'
import { startQueryService } from './query-service.ts'
import { projectionsAreLive } from './readiness/projections-live.ts'
import { type Checks, databaseAnswers, logIsHeard, readModelsExist } from './readiness/readiness.ts'
import { groupsKnowTheirEvents, relayKnowsItsEvents } from './readiness/unknown-events.ts'
import { modeOf, type Role } from './roles.ts'
import { openStores, type Stores } from './stores/stores.ts'

/** `stop` drains in the order of the work: no new requests and no new jobs, then what they stand on, the projections last; at most 10 s. `stores` is null where only tables are read. */
export type Service = Readonly<{ url: string; stores: Stores | null; stop: () => Promise<void> }>

/** `alone`: no other process serves this installation. */
export type Starting = Readonly<{ config: Config; log: Log; roles: ReadonlySet<Role>; alone: boolean }>

const checkRoles = ({ config, roles }: Starting): void => {
  const { kafka } = config
  if (roles.has('consumers')) assertProviders(config)
  if (roles.size === 1 && roles.has('relay') && kafka.brokers.length === 0)
    throw new OperationFailed('The role relay has work only with Kafka: set TIDINGS_KAFKA_BROKERS, or leave the role out.')
}

const servesRequests = (roles: ReadonlySet<Role>): boolean => roles.has('command-api') || roles.has('query-api')

type Running = Readonly<{
  progress: Progress
  follower: Parameters<typeof logIsHeard>[0]
  consumers: Parameters<typeof groupsKnowTheirEvents>[0] | null
  relay: RunningRelay | null
}>

const checksOf = ({ roles }: Starting, { pool, ready }: Stores, { progress, follower, consumers, relay }: Running): Checks => ({
  database: databaseAnswers(pool),
  ...ready,
  'event log': logIsHeard(follower),
  ...(servesRequests(roles) && { 'read models': readModelsExist(pool) }),
  ...(consumers !== null && { consumers: groupsKnowTheirEvents(consumers) }),
  ...(relay !== null && { relay: servesRequests(roles) ? relayKnowsItsEvents(relay) : relay.ready }),
  projections: projectionsAreLive({ progress: roles.has('projectors') ? progress : null, owners: projectionOwners(pool) }),
})

const startWhole = async (starting: Starting): Promise<Service> => {
  const { config, log, roles, alone } = starting
  const stores = await openStores({ config, log, mode: modeOf(roles) })
  const { pool, workPool, keyRing } = stores
  const progress = createProgress()
  const stops: (() => Promise<void>)[] = [stores.close]
  /** What takes work in. Each may need its whole patience where the log is away, so they end side by side. */
  const intakes: (() => Promise<void>)[] = []
  const stop = async () => {
    await Promise.all(intakes.map((close) => close()))
    for (const close of stops.toReversed()) await close()
  }
  try {
    observeRoles(roles)
    observePools({ requests: pool, work: workPool })
    if (roles.has('projectors')) {
      const onFailure = (projection: string, error: unknown) => log.error({ err: error, projection }, 'a projection failed')
      stops.push(startProjectors({ log: stores.log, pool: workPool, progress, onFailure }).stop)
      observeProjections(stores, progress)
    }
    const reads = observeReads(readSide({ pool, ...(roles.has('projectors') && { progress }) }))
    stops.push(reads.close)
    const references = createReferences(stores, log, [...roles].join('+'))
    stops.push(references.stop)
    const { directory } = references
    observeCaches(directory.caches)
    const side = commandSide(stores, { directory, readSide: reads, log, config })
    const consumers = roles.has('consumers') ? await startConsuming({ config, log, stores, commandSide: side }) : null
    if (consumers !== null) {
      intakes.push(consumers.stop)
      observeConsumers(pool, consumers.progress)
    }
    const relay = roles.has('relay') ? await startRelaying({ config, log, stores }) : null
    if (relay !== null) {
      intakes.push(relay.stop)
      observeRelay(relay.progress)
    }
    const follower = await references.start(consumers?.views ?? [])
    const writing = { dependencies: side.dependencies, idempotency: { pool, sealer: answerSealer(keyRing) } }
    const ready = checksOf(starting, stores, { progress, follower, consumers: consumers?.progress ?? null, relay })
    const app = httpApp({ config, log, pool, credentials: directory, roles, alone, others: stores.others, ready, writing })
    const { url, close } = await listen({ config, log, app, ready })
    intakes.push(close)
    return { url, stores, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts the roles in this process and listens. Rejects with one sentence when something is missing; then nothing is left running. */
export const startService = async (starting: Starting): Promise<Service> => {
  checkRoles(starting)
  const onlyReads = starting.roles.size === 1 && starting.roles.has('query-api')
  return await (onlyReads ? startQueryService(starting) : startWhole(starting))
}
