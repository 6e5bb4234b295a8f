import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunningCluster, startCluster } from '@tidings/postgres/embedded'
import { freePort } from './free-port.ts'
import { scratchFolder } from './sweep.ts'

const PASSWORD = 'test'

/** Forgets everything at a power cut, and takes the connections of many services. */
const FORGETFUL = {
  settings: {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '500',
    shared_buffers: '128MB',
    wal_init_zero: 'on',
    autovacuum_naptime: '1min',
  },
  initdbArguments: ['--no-sync', '--no-data-checksums'],
}

/** A Postgres of its own: durable, on a data directory that `stop` removes. `url` stays the same over `kill` and `start`. */
export type TestPostgres = Readonly<{
  url: string
  /** `kill -9` of the server process; resolves when it is gone. Its backends end by themselves, with the statement they are in. */
  kill: () => Promise<void>
  /** Starts it again after `kill`; resolves when crash recovery is done. */
  start: () => Promise<void>
  stop: () => Promise<void>
}>

/** Starts a durable Postgres 18 for one test that kills it; without `durable` one that forgets everything at a power cut, and is faster. `settings` are of Postgres. */
export async function startTestPostgres(
  options: Readonly<{ durable?: boolean; settings?: Readonly<Record<string, string>> }> = {},
): Promise<TestPostgres> {
  const dir = await scratchFolder()
  const port = await freePort()
  const start = async (): Promise<RunningCluster> => {
    const place = {
      clusterDir: join(dir, 'postgres'),
      logFile: join(dir, 'log'),
      password: PASSWORD,
      port,
      buffersMb: null,
      ...(options.durable === false && FORGETFUL),
      ...(options.settings && { settings: options.settings }),
      warn: (message: string) => process.emitWarning(message),
    }
    return await startCluster(place)
  }
  let cluster = await start()
  return {
    url: cluster.url,
    kill: () => cluster.stop('kill'),
    start: async () => {
      cluster = await start()
    },
    stop: async () => {
      await cluster.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
