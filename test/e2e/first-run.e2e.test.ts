import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCommandRunner } from '@tidings/commands'
import { loadConfig } from '@tidings/config'
import { workspaceIdOf } from '@tidings/directory'
import { workspace, workspaceStream } from '@tidings/domain'
import { Unavailable } from '@tidings/event-store'
import { createLog } from '@tidings/observability/log'
import { startProjectors } from '@tidings/projectors'
import { createProvisioner } from '@tidings/provisioning'
import { openStores, type Stores } from '@tidings/service/stores'
import { createSessions, createSignInByLink } from '@tidings/sign-in'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDemo, type Demo, noteDemoPrinted } from '../../packages/cli/src/demo/demo.ts'

let dataDir: string
let db: TestDatabase
let stores: Stores
let projectors: ReturnType<typeof startProjectors>
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  db = await testDatabase()
  const env = { TIDINGS_DATABASE_URL: db.url, TIDINGS_MASTER_KEY: '11'.repeat(32), TIDINGS_LOG_LEVEL: 'error' }
  stores = await openStores({ config: loadConfig(env, null), log: await createLog({ level: 'error' }), mode: 'command' })
  projectors = startProjectors({ log: stores.log, pool: stores.workPool })
})
afterEach(async () => {
  await projectors?.stop()
  await stores?.close()
  await db?.drop()
  await rm(dataDir, { recursive: true, force: true })
})

const firstRun = (on: Stores = stores): Promise<Demo | null> => createDemo(on, { dataDir, isStopping: () => false })

/** Whether the key is active, and the link signs in. */
const works = async (demo: Demo | null): Promise<Readonly<{ key: boolean; link: string | null }>> => {
  const id = workspaceIdOf('demo')
  const commands = createCommandRunner({ log: stores.log })
  const { state } = await commands.load({ workspaceId: id, decider: workspace, stream: workspaceStream(id) })
  const hash = createHash('sha256')
    .update(demo?.key ?? '')
    .digest('hex')
  const { pool, keyRing } = stores
  const signIn = createSignInByLink({ pool, commands, keyRing, sessions: createSessions({ pool, commands }), localOperators: false })
  const { user } = await signIn(demo?.linkToken ?? '')
  return { key: Object.values(state.apiKeys).some((key) => key.hash === hash && key.status === 'active'), link: user.role }
}
const WORKS = { key: true, link: 'owner' }

/** A log whose every second append is done and has no answer, and whose first reads have none. */
const poorLog = (): Stores['log'] => {
  let reads = 0
  let appends = 0
  return {
    ...stores.log,
    readStream: async (...asked) => {
      if (++reads <= 2) throw new Unavailable('the log does not answer')
      return await stores.log.readStream(...asked)
    },
    append: async (...asked) => {
      const appended = await stores.log.append(...asked)
      if (++appends % 2 === 0 && appends < 8) throw new Unavailable('the log does not answer')
      return appended
    },
  }
}

test('the first run gives a key and a link that work, however often the log does not answer while the workspace is made', async () => {
  const demo = await firstRun({ ...stores, log: poorLog() })
  expect(await works(demo)).toEqual(WORKS)
  // A read side that is late does not delay a start further than ten seconds.
  await expect.poll(async () => (await db.pool.query('select name from read.workspaces')).rows).toEqual([{ name: 'Demo' }])
  await noteDemoPrinted(dataDir)
  expect(await firstRun()).toBeNull()
})

test('a stop ends the attempts', async () => {
  const away = { ...stores.log, readStream: () => Promise.reject(new Unavailable('the log does not answer')) }
  await expect(createDemo({ ...stores, log: away }, { dataDir, isStopping: () => true })).rejects.toThrow('does not answer')
})

/** Ends at its step of that number: from then on it reads, appends and asks nothing. */
const endingAt = (step: number): Stores => {
  let steps = 0
  const live = (): void => {
    if (++steps >= step) throw new Error('killed')
  }
  const log: Stores['log'] = {
    ...stores.log,
    readStream: async (...asked) => {
      live()
      return await stores.log.readStream(...asked)
    },
    append: async (...asked) => {
      live()
      const appended = await stores.log.append(...asked)
      live()
      return appended
    },
  }
  // How often the reads are asked whether they show it depends on the machine: the link alone is a step.
  const pool = new Proxy(stores.pool, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value
      return (text: unknown, ...more: unknown[]) => {
        if (String(text).includes('ops.sign_in_link')) live()
        return Reflect.apply(target.query, target, [text, ...more])
      }
    },
  })
  return { ...stores, log, pool }
}

/** Runs that each end one step later than the one before, until one is through. */
const runsUntilOneIsThrough = async (): Promise<Readonly<{ demo: Demo | null; ended: number }>> => {
  for (let ended = 0; ; ended++) {
    const demo = await firstRun(endingAt(ended + 1)).catch((error: Error) =>
      error.message === 'killed' ? 'killed' : Promise.reject(error),
    )
    if (demo !== 'killed') return { demo, ended }
  }
}

test('runs that end at each step between the workspace and its link are finished by the next, and one gives a key', async () => {
  const { demo, ended } = await runsUntilOneIsThrough()
  expect(ended).toBeGreaterThan(10)
  expect(await works(demo)).toEqual(WORKS)
  // It ends before it has printed them: the next prints its own.
  const again = await firstRun()
  expect(await works(again)).toEqual(WORKS)
  await noteDemoPrinted(dataDir)
  expect(await firstRun()).toBeNull()
  await expect.poll(async () => (await db.pool.query('select count(*)::int as users from read.users')).rows).toEqual([{ users: 1 }])
})

test('two first runs at once on one directory make one workspace, and what each gives works', async () => {
  const given = await Promise.all([firstRun(), firstRun()])
  for (const demo of given.filter((one) => one !== null)) expect(await works(demo)).toEqual(WORKS)
  expect(given).not.toEqual([null, null])
  await noteDemoPrinted(dataDir)
  expect(await firstRun()).toBeNull()
  await expect.poll(async () => (await db.pool.query('select name from read.workspaces')).rows).toEqual([{ name: 'Demo' }])
})

test('a workspace that is closed before its key was printed gets no other', async () => {
  await firstRun()
  const id = workspaceIdOf('demo')
  const close = { type: 'ChangeWorkspaceStatus', data: { status: 'closed' } } as const
  await createProvisioner(createCommandRunner({ log: stores.log })).execute(id, workspace, workspaceStream(id), close)
  expect(await firstRun()).toBeNull()
})
