import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endServerOf, findRunning } from '@tidings/postgres/embedded'
import { patientPool, type TestDatabase, testDatabase } from '@tidings/testing'
import { startEventStoreProcess } from '@tidings/testing/eventstoredb'
import { afterEach, describe, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { install } from './support/installation.ts'
import { type Environment, freePort, runTidings, type ServiceProcess, startProcess } from './support/service-process.ts'

/** The whole service, which is killed and started again at once: whatever it says first has to be true. */
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

type World = Environment & Readonly<{ PORT: string }>

const onItsOwnDataDirectory = async (): Promise<World> => {
  const dataDir = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  closing.push(async () => {
    // The server of a killed service lives, and writes into the folder.
    await endServerOf(join(dataDir, 'postgres'))
    await rm(dataDir, { recursive: true, force: true })
  })
  return { TIDINGS_DATA_DIR: dataDir, TIDINGS_LOG_LEVEL: 'error', PORT: String(await freePort()) }
}

const onADatabaseOfItsOwn = async (): Promise<World> => {
  const database: TestDatabase = await testDatabase()
  closing.push(() => database.drop())
  const installation = await install(database.url)
  closing.push(installation.close)
  return installation.env
}

const eventStoreDb = async (): Promise<Environment> => {
  const store = await startEventStoreProcess()
  closing.push(store.stop)
  return { TIDINGS_EVENT_STORE: store.connectionString }
}

const started = async (env: World): Promise<ServiceProcess> => {
  const service = await startProcess(env)
  closing.push(() => service.end('SIGTERM'))
  return service
}

const workspace = async (env: World): Promise<Client> => {
  const { stdout } = await runTidings(
    ['apply', '-f', '-', '--json'],
    env,
    'workspace: { slug: acme, name: acme }\napiKeys: [{ name: test }]',
  )
  return clientOf({ url: `http://127.0.0.1:${env.PORT}`, applied: JSON.parse(stdout) })
}

const create = async (acme: Client, name: string) => {
  const { status, headers } = await acme.request('POST', '/public/profiles', { email: `${name}@example.com` })
  return { status, consistency: headers.get('x-consistency') }
}

const total = async (acme: Client): Promise<number> => {
  const { body } = await acme.request('GET', '/public/profiles?limit=1')
  return (body.data as { total: number }).total
}

/** Runs `work` while no session can write the table of profiles. */
const whileHeld = async (env: World, work: () => Promise<void>): Promise<void> => {
  const url = env.TIDINGS_DATABASE_URL ?? (await findRunning(env.TIDINGS_DATA_DIR ?? '')) ?? ''
  const pool = patientPool({ url, max: 1, name: 'test' })
  const holder = await pool.connect()
  await holder.query('begin; lock table read.profiles in share mode')
  try {
    await work()
  } finally {
    holder.release(true)
    await pool.end()
  }
}

const PENDING = { status: 201, consistency: 'pending' }
const VISIBLE = { status: 201, consistency: null }

/**
 * Two writes, one after the other, of which at least one is shown when it is answered: reads may be behind for one while something stands still, and are for
 * both, 4 s, while no process follows the log.
 */
const expectShown = async (acme: Client, name: string): Promise<void> => {
  const both = [await create(acme, `${name}-first`), await create(acme, `${name}-second`)]
  for (const one of both) expect([VISIBLE, PENDING]).toContainEqual(one)
  expect(both).toContainEqual(VISIBLE)
}

// Where the log lies and whose Postgres it is are met by one case each: the first is how `npm start` runs.
describe('a service that was killed and started again at once', () => {
  it.each([
    ['on its own data directory, log in Postgres', onItsOwnDataDirectory, async () => ({})],
    ['on a database, log in EventStoreDB', onADatabaseOfItsOwn, eventStoreDb],
  ])('says that it is ready when its first read holds all, and its first write can be read: %s', async (_, world, logIn) => {
    const env = { ...(await world()), ...(await logIn()) }
    let service = await started(env)
    const acme = await workspace(env)
    for (let n = 0; n < 20; n++) expect(await create(acme, `before-${n}`)).toMatchObject({ status: 201 })
    await whileHeld(env, async () => {
      const held = await Promise.all(Array.from({ length: 20 }, (__, n) => create(acme, `held-${n}`)))
      expect(new Set(held.map(({ consistency }) => consistency))).toEqual(new Set(['pending']))
      await service.end('SIGKILL')
    })
    for (let round = 0; round < 2; round++) {
      service = await started(env)
      expect(await total(acme)).toBe(40 + 2 * round)
      await expectShown(acme, `after-${round}`)
      await service.end('SIGKILL')
    }
  })
})
