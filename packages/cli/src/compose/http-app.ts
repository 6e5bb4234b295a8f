import { commandApi, devOutbox } from '@tidings/command-api'
import type { Config } from '@tidings/config'
import type { Directory } from '@tidings/directory'
import { type App, createApp, keyUsage, type ReadinessCheck } from '@tidings/http'
import type { Log } from '@tidings/log'
import { kyselyOn } from '@tidings/postgres'
import { queryApi } from '@tidings/query-api'
import type { ReadModels } from '@tidings/read-models'
import { answerSealer } from './answer-sealer.ts'
import type { CommandSide } from './command-side.ts'
import type { Role } from './roles.ts'
import type { Stores } from './stores.ts'

type Parts = Readonly<{
  config: Config
  log: Log
  stores: Stores
  directory: Directory
  roles: ReadonlySet<Role>
  commandSide: CommandSide
  ready: Readonly<Record<string, ReadinessCheck>>
}>

const PREFIX = '/api/v1'

/** The HTTP face of the roles of this process; health and metrics are there whatever the roles. It does not listen. */
export const httpApp = ({ config, log, stores, directory, roles, commandSide, ready }: Parts): App => {
  const usage = keyUsage(stores.pool, (error) => log.warn({ err: error }, 'the last use of API keys was not stamped; trying again'))
  const { trustProxy } = config.http
  const app = createApp({
    settings: {
      rateLimits: config.rateLimit,
      bodyLimit: config.http.bodyLimitBytes,
      bodyBudget: config.http.bodyBudgetBytes,
      ...(trustProxy.length > 0 && { trustProxy: trustProxy.join(',') }),
    },
    authentication: { credentials: directory, onAuthenticated: usage.stamp },
    idempotency: { pool: stores.pool, sealer: answerSealer(stores.keyRing) },
    log,
    ready,
  })
  if (roles.has('command-api')) app.register(commandApi(commandSide.dependencies), { prefix: PREFIX })
  if (roles.has('query-api')) app.register(queryApi({ db: kyselyOn<ReadModels>(stores.pool) }), { prefix: PREFIX })
  if (config.environment !== 'production' && roles.has('command-api')) app.register(devOutbox(commandSide.dependencies))
  app.addHook('onClose', usage.close)
  return app
}
