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
  /** The folder of its data. */
  folder: string
  /** `kill -9` of the server process; resolves when it is gone. Its backends end by themselves, with the statement they are in. */
  kill: () => Promise<void>
  /** Stops it, its data in order. */
  shutDown: () => Promise<void>
  /** Starts it again; resolves when it takes connections. */
  start: () => Promise<void>
  stop: () => Promise<void>
}>

type ServerOptions = Readonly<{ durable?: boolean; settings?: Readonly<Record<string, string>> }>

/** Starts a durable Postgres 18 for one test that kills it; without `durable` one that forgets everything at a power cut, and is faster. `settings` are of Postgres. */
export async function startTestPostgres(options: ServerOptions = {}): Promise<TestPostgres> {
  return await startServerIn(await scratchFolder(), options)
}

/** The same in a folder that has the data of a server, or will have. */
export async function startServerIn(dir: string, options: ServerOptions): Promise<TestPostgres> {
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
    folder: join(dir, 'postgres'),
    kill: () => cluster.stop('kill'),
    shutDown: () => cluster.stop(),
    start: async () => {
      cluster = await start()
    },
    stop: async () => {
      await cluster.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
