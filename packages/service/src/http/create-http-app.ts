import { actNotes } from '@tidings/administration'
import {
  type CommandApiDependencies,
  commandApi,
  dashboardPages,
  devOutbox,
  formPages,
  logKey,
  mailLinks,
  storefront,
} from '@tidings/command-api'
import { type Config, publicUrl } from '@tidings/config'
import { dashboardApi } from '@tidings/dashboard-api'
import type { credentialsFromTables } from '@tidings/directory'
import {
  type App,
  type AppParts,
  createApp,
  dashboardDocument,
  keyUsage,
  memoryCounters,
  notReady,
  openApiText,
  type RateCounters,
  throughSessionDoor,
} from '@tidings/http'
import type { Log } from '@tidings/observability/log'
import { sharedRead } from '@tidings/observability/metrics'
import { kyselyOn } from '@tidings/postgres'
import { readMarks } from '@tidings/projections'
import { queryApi } from '@tidings/query-api'
import type { ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import type { OwnDependencies } from '../command-side/dashboard-dependencies.ts'
import { VERSION } from '../process-metrics.ts'
import type { Peers } from '../processes/peers.ts'
import type { Checks } from '../readiness/checks.ts'
import { onReplicas, readOnReplicas } from '../replicas/on-replicas.ts'
import type { ReplicaReads } from '../replicas/replica-reads.ts'
import type { Role } from '../roles.ts'
import { createRateCounters } from './rate-counters.ts'

type HttpAppDependencies = Readonly<{
  config: Config
  log: Log
  pool: Pool
  credentials: Pick<ReturnType<typeof credentialsFromTables>, 'findKey' | 'findWorkspace'>
  roles: ReadonlySet<Role>
  /** No other process serves requests: counters may stay in memory. */
  alone: boolean
  /** Whether another process serves the same data directory; null where that cannot be known. */
  others: (() => Promise<boolean>) | null
  ready: Checks
  /** Checks of what this process can do without. */
  lacking?: Checks | undefined
  /** Where the reads of the API go, if not to the database. */
  replicas: ReplicaReads | null
  peers?: Peers | undefined
  vapidPublicKey: string | null
  /** What the routes that write need, where this process has any. */
  writing?: Readonly<{
    dependencies: CommandApiDependencies
    /** What the routes of the dashboard need beside. */
    dashboard: OwnDependencies
    idempotency: NonNullable<AppParts['idempotency']>
  }>
}>

type Routes = Pick<HttpAppDependencies, 'pool' | 'credentials' | 'roles' | 'writing' | 'config' | 'ready' | 'vapidPublicKey' | 'replicas'> &
  Readonly<{ counters?: RateCounters }>

const PREFIX = '/api/v1'

/** What stands behind a session instead of a key: not authentication by this prefix, but by what the door makes of each route (M72). */
const DASHBOARD_PREFIX = `${PREFIX}/dashboard`

const addRoutes = (
  app: App,
  { pool, credentials, roles, writing, config, ready, vapidPublicKey, replicas, counters = memoryCounters() }: Routes,
): void => {
  const { findWorkspace } = credentials
  const readPool = replicas?.pool ?? pool
  const db = kyselyOn<ReadModels>(readPool)
  const reads = queryApi({
    db,
    poolSize: config.storage.poolSize,
    findWorkspace,
    vapidPublicKey,
  })
  if (writing && roles.has('command-api')) {
    app.register(commandApi(writing.dependencies), { prefix: PREFIX })
    app.register(mailLinks(writing.dependencies))
    app.register(logKey(writing.dependencies))
    app.register(formPages(writing.dependencies))
    app.register(storefront({ publicKey: vapidPublicKey }))
    const withPages = config.http.dashboard === 1
    if (withPages) app.register(dashboardPages(writing.dependencies, publicUrl(config.http)))
    if (config.environment !== 'production') app.register(devOutbox(writing.dependencies, { publicUrl: publicUrl(config.http), withPages }))
  }
  if (roles.has('query-api')) app.register(replicas ? onReplicas(reads, replicas) : reads, { prefix: PREFIX })
  // A process with `command-api` alone has the reads as well: sessions are checked against the log, which `query-api` does not have.
  if (writing && roles.has('command-api') && config.http.dashboard === 1) {
    const missingParts = sharedRead(() => notReady(ready))
    const own = dashboardApi({
      ...writing.dependencies,
      ...writing.dashboard,
      senders: { ...writing.dashboard.senders, counters },
      db,
      reads: readPool,
      dbOfLong: (caller) => (replicas ? kyselyOn<ReadModels>(replicas.poolOf({ caller, confirmed: 'always' })) : db),
      missingParts,
      publicUrl: publicUrl(config.http),
      lowCredits: config.credits.low,
      sendsForReal: config.email.provider !== 'outbox',
      poolSize: config.storage.poolSize,
    })
    const marks = async (projections: readonly string[]): Promise<string | null> => {
      const asked = readMarks(readPool, projections)
      // A database that does not answer in time: the handler says so itself. What fails on a replica is read elsewhere.
      const seen = await (replicas ? asked : asked.catch(() => null))
      return seen === null ? null : `${VERSION} ${seen}`
    }
    const behind = { marks, noteAct: actNotes(pool), ...(replicas && { readOnce: readOnReplicas(replicas) }) }
    for (const plugin of [commandApi(writing.dependencies), reads, own, dashboardDocument])
      app.register(throughSessionDoor(plugin, behind), { prefix: DASHBOARD_PREFIX })
  }
}

const APIS: ReadonlySet<Role> = new Set(['command-api', 'query-api'])

/** The OpenAPI document of the whole API, from an app that never listens: an integrator asks one process and knows nothing of roles. */
const wholeDocument = async (settings: AppParts['settings'], parts: HttpAppDependencies): Promise<string> => {
  const app = createApp({ settings, authentication: { credentials: parts.credentials } })
  try {
    addRoutes(app, { ...parts, roles: APIS })
    await app.ready()
    return openApiText(app)
  } finally {
    await app.close()
  }
}

/** Builds the HTTP app of this process: the routes of its roles, health and metrics. It does not listen. */
export function createHttpApp(parts: HttpAppDependencies): App {
  const { config, log, pool, credentials, roles, alone, others, ready, lacking, writing, peers, replicas } = parts
  const usage = keyUsage(pool, (error) => log.warn({ err: error }, 'the last use of API keys could not be written; it is tried again'))
  const { trustProxy } = config.http
  const settings = {
    rateLimits: config.rateLimit,
    bodyLimit: config.http.bodyLimitBytes,
    bodyBudget: config.http.bodyBudgetBytes,
    ...(trustProxy.length > 0 && { trustProxy: trustProxy.join(',') }),
    ...(config.http.publicUrl !== null && { publicUrl: publicUrl(config.http) }),
  }
  const counters = createRateCounters({ pool, log, alone, others, isAway: replicas?.watch.isPrimaryAway })
  const app = createApp({
    settings,
    ...(counters && { counters }),
    authentication: { credentials, onAuthenticated: usage.stamp, ...(writing && { sessions: writing.dependencies.users.authenticate }) },
    ...(writing && { idempotency: writing.idempotency }),
    ...(roles.has('command-api') && !roles.has('query-api') && { openApi: () => wholeDocument(settings, parts) }),
    log,
    ready,
    lacking,
    metricsOfAll: peers?.metrics,
    othersServe: peers?.othersServe,
    adminPort: config.http.adminPort !== null,
  })
  addRoutes(app, { ...parts, ...(counters && { counters: counters.route }) })
  app.addHook('onClose', usage.close)
  if (counters) app.addHook('onClose', counters.close)
  return app
}
