import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPool } from '@tidings/postgres'
import { endServerOf, findRunning } from '@tidings/postgres/embedded'
import { type Environment, freePort, launchProcess, type ServiceProcess, startProcess } from '../e2e/support/service-process.ts'
import { killBackend } from './kill-backend.ts'
import type { Api } from './kill-service.client.ts'
import { type ChaosEventStore, type LogPlace, startChaosEventStore } from './kill-service.event-store.ts'
import type { TakenMail } from './kill-service.sink.ts'
import { startSinkProcess } from './sink-process.ts'

/** What an audit looks at. */
export type Audited = Pick<World, 'env' | 'api' | 'eventStore' | 'taken' | 'databaseUrl'> &
  Readonly<{
    /** Messages that the relay refused for its own reasons; they end as `failed`. */
    refused?: () => Promise<ReadonlySet<string>>
    /** The time for which an accepted message may still be on its way. */
    drainMs?: number
  }>

/** A service on its own data directory, as `npm start` runs it, with its mail going to a sink in another process. */
export type World = Readonly<{
  /** What every command of this installation is run with. */
  env: Environment
  api: Api
  /** The process as of now: a kill replaces it. */
  service: () => ServiceProcess
  killService: () => Promise<void>
  killPostgres: () => Promise<void>
  /** One of the service's own connections, in the middle of whatever it does: the server then restarts all of them. */
  killBackend: () => Promise<void>
  /** Null where the log lies in Postgres. */
  eventStore: ChaosEventStore | null
  /** Starts the service again, without waiting for it. */
  start: () => ServiceProcess
  taken: () => Promise<readonly TakenMail[]>
  databaseUrl: () => Promise<string>
  stop: () => Promise<void>
}>

const demoKey = (output: string): string => /API key {4}(sk_evt_[0-9a-f]{64})/.exec(output)?.[1] ?? ''

const untilGreeted = async (service: ServiceProcess): Promise<string> => {
  for (const deadline = Date.now() + 150_000; demoKey(service.output()) === ''; ) {
    if (Date.now() > deadline) throw new Error(`the first start printed no key: ${service.output()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return demoKey(service.output())
}

export async function startWorld(log: LogPlace = 'postgres'): Promise<World> {
  // Named as the sweep of the test setup expects, which ends what a killed test run leaves behind.
  const dataDir = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  const clusterDir = join(dataDir, 'postgres')
  const eventStore = log === 'eventstoredb' ? await startChaosEventStore(join(dataDir, 'events')) : null
  const sink = await startSinkProcess()
  const env = {
    TIDINGS_DATA_DIR: dataDir,
    PORT: String(await freePort()),
    TIDINGS_EMAIL_PROVIDER: sink.url,
    TIDINGS_LOG_LEVEL: 'error',
    ...(eventStore && { TIDINGS_EVENT_STORE: eventStore.connectionString }),
  }
  let service = await startProcess(env)
  const api = { url: service.url, slug: 'demo', key: await untilGreeted(service) }
  const databaseUrl = async () => {
    const url = await findRunning(dataDir)
    if (url === null) throw new Error('no embedded Postgres runs')
    return url
  }
  return {
    env,
    eventStore,
    api,
    service: () => service,
    start: () => {
      service = launchProcess(env)
      return service
    },
    killService: async () => {
      await service.end('SIGKILL')
    },
    killPostgres: () => endServerOf(clusterDir),
    killBackend: async () => killOneOf(await databaseUrl()),
    databaseUrl,
    taken: sink.taken,
    stop: async () => {
      await service.end('SIGTERM')
      await endServerOf(clusterDir)
      await eventStore?.stop()
      sink.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const killOneOf = async (url: string): Promise<void> => {
  const pool = createPool({ url, max: 1, name: 'chaos' })
  try {
    const { rows } = await pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name like 'tidings%' and datname = current_database()
       order by (state = 'active') desc, random() limit 1`,
    )
    for (const { pid } of rows) killBackend(pid)
  } finally {
    await pool.end()
  }
}
