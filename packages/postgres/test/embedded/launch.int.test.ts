import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@tidings/testing'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type Binaries, binariesFor } from '../../src/embedded/binaries.ts'
import { chooseEndpoint, endpointUrl } from '../../src/embedded/endpoint.ts'
import { serverIdentity } from '../../src/embedded/identity.ts'
import { initialise } from '../../src/embedded/initdb.ts'
import { endServerOf, type Launch, launch } from '../../src/embedded/launch.ts'
import { supervise } from '../../src/embedded/supervise.ts'

/** Kilobytes of address space: enough for a server with 128 MB for pages. */
const BOUND = 700_000
const PASSWORD = 'test'

let folder: string
let paths: Omit<Launch, 'buffersMb' | 'warn'>

/** Elsewhere no process bounds its address space. */
const onLinux = test.runIf(process.platform === 'linux')

/** The server's program under a bound, as `LimitAS` of a systemd unit sets it; a process of Node cannot live under it. */
const bounded = async ({ initdb, postgres }: Binaries): Promise<Binaries> => {
  const program = join(folder, 'postgres-bounded')
  await writeFile(program, `#!/bin/sh\nulimit -v ${BOUND}\nexec '${postgres}' "$@"\n`)
  await chmod(program, 0o755)
  return { initdb, postgres: program }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-launch-'))
  await chmod(folder, 0o755)
  const clusterDir = join(folder, 'postgres')
  const identity = await serverIdentity(clusterDir)
  const binaries = await binariesFor(identity)
  await initialise({ clusterDir, binaries, identity, password: PASSWORD })
  const endpoint = await chooseEndpoint(clusterDir, null)
  paths = { clusterDir, logFile: join(folder, 'log'), binaries: await bounded(binaries), identity, endpoint }
})

afterEach(() => endServerOf(paths.clusterDir))
afterAll(() => rm(folder, { recursive: true, force: true }))

const buffers = async (): Promise<unknown> => {
  const client = new pg.Client({ connectionString: endpointUrl(paths.endpoint, PASSWORD, 'postgres') })
  await client.connect()
  try {
    return (await client.query('show shared_buffers')).rows[0]
  } finally {
    await client.end()
  }
}

const UNMAPPED = 'could not map anonymous shared memory: Cannot allocate memory'
const WARNING = `The embedded Postgres starts with 128 MB for pages, because 1024 MB cannot be had (${UNMAPPED}): allow it more memory, or set TIDINGS_EMBEDDED_BUFFERS_MB to what it can have.`

onLinux('a server that cannot have its memory for pages starts with 128 MB, at the first start and when it died, and warns', async () => {
  const warnings: string[] = []
  const start = () => launch({ ...paths, buffersMb: 1_024, warn: (message) => warnings.push(message) })
  const pid = await start()
  expect(await buffers()).toEqual({ shared_buffers: '128MB' })
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const supervised = supervise({ clusterDir: paths.clusterDir, pid, restart: start, log })
  process.kill(pid, 'SIGKILL')
  await until(async () => expect(await buffers()).toEqual({ shared_buffers: '128MB' }), 100)
  expect(await supervised.stop()).not.toBe(pid)
  expect(warnings).toEqual([WARNING, WARNING])
})

test('a server that can have its memory for pages gets it, and nothing is said', async () => {
  const warn = vi.fn<Launch['warn']>()
  await launch({ ...paths, buffersMb: 64, warn })
  expect(await buffers()).toEqual({ shared_buffers: '64MB' })
  expect(warn).not.toHaveBeenCalled()
})

onLinux('a server that cannot even have 128 MB says why, in the words of Postgres', async () => {
  const postgres = join(folder, 'postgres-starved')
  await writeFile(postgres, `#!/bin/sh\nulimit -v 150000\nexec '${paths.binaries.postgres}' "$@"\n`)
  await chmod(postgres, 0o755)
  const starved = { ...paths, binaries: { ...paths.binaries, postgres }, buffersMb: 128, warn: () => undefined }
  await expect(launch(starved)).rejects.toThrow(`Postgres did not start: ${UNMAPPED}`)
})

test('a server whose killed predecessor was making a table that is not logged starts: its backend leaves the one file and removes the other', async () => {
  const start = () => launch({ ...paths, buffersMb: 64, warn: () => undefined })
  const pid = await start()
  const [making, other] = [0, 1].map(() => new pg.Client({ connectionString: endpointUrl(paths.endpoint, PASSWORD, 'postgres') }))
  const ended = new Promise((resolve) => making?.once('end', resolve))
  for (const client of [making, other]) client?.on('error', () => undefined)
  await Promise.all([making?.connect(), other?.connect()])
  await making?.query('begin')
  await making?.query('create unlogged table half_made (id int primary key, name text)')
  // What comes with a commit of another takes the creation to the disk.
  await other?.query('create table made (id int)')
  process.kill(pid, 'SIGKILL')
  await ended
  await start()
  const client = new pg.Client({ connectionString: endpointUrl(paths.endpoint, PASSWORD, 'postgres') })
  await client.connect()
  expect((await client.query("select to_regclass('made') is not null as made, to_regclass('half_made') as half")).rows).toEqual([
    { made: true, half: null },
  ])
  await client.end()
})
