import type { Config } from '@tidings/config'
import { closeGracefully } from '@tidings/http'
import type { Log } from '@tidings/log'
import { createProgress, readSide } from '@tidings/projections'
import { startProjectors } from '@tidings/projectors'
import { OperationFailed } from '../terminal/answer.ts'
import { commandSide } from './command-side.ts'
import { startConsuming } from './consumers.ts'
import { httpApp } from './http-app.ts'
import { observe } from './metrics.ts'
import { createReferences } from './references.ts'
import type { Role } from './roles.ts'
import { openStores, type Stores } from './stores.ts'

/** `stop` drains in the order of the work: no new requests, no new jobs, the projections last; at most 10 s. */
export type Service = Readonly<{ url: string; stores: Stores; stop: () => Promise<void> }>

type Starting = Readonly<{ config: Config; log: Log; roles: ReadonlySet<Role> }>

const refuseKafka = ({ kafka }: Config): void => {
  if (kafka.brokers.length === 0) return
  throw new OperationFailed('TIDINGS_KAFKA_BROKERS is set, but this version of Tidings does not speak to Kafka yet: unset it.')
}

/** Starts the roles in this process and listens. Rejects with one sentence when something is missing; then nothing is left running. */
export const startService = async ({ config, log, roles }: Starting): Promise<Service> => {
  refuseKafka(config)
  const stores = await openStores({ config, log, mode: 'service' })
  const progress = createProgress()
  const stops: (() => Promise<void>)[] = [stores.close]
  const stop = async () => {
    for (const close of stops.toReversed()) await close()
  }
  try {
    if (roles.has('projectors')) {
      const onFailure = (projection: string, error: unknown) => log.error({ err: error, projection }, 'a projection failed')
      stops.push(startProjectors({ log: stores.log, pool: stores.workPool, progress, onFailure }).stop)
    }
    const reads = readSide({ pool: stores.pool, ...(roles.has('projectors') && { progress }) })
    stops.push(reads.close)
    const references = createReferences(stores, log, [...roles].join('+'))
    stops.push(references.stop)
    const { directory, follower } = references
    const side = commandSide(stores, { directory, readSide: reads, log, providerSecret: config.secrets.providerSecret })
    const consumers = roles.has('consumers') ? await startConsuming({ config, log, stores, follower, commandSide: side }) : null
    if (consumers) stops.push(consumers.stop)
    observe({ stores, caches: directory.caches, consumers: () => consumers?.progress() ?? {} })
    references.start()
    const ready = {
      database: async () => {
        await stores.pool.query('select 1')
      },
      caches: async () => {
        if (!follower.isFresh()) throw new Error('the event log has not been heard for a second')
      },
    }
    const app = httpApp({ config, log, stores, directory, roles, commandSide: side, ready })
    stops.push(() => closeGracefully(app))
    const url = await app.listen({ host: config.http.host, port: config.http.port })
    return { url, stores, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
