import type { Stores } from '@tidings/service/stores'
import { testDatabase } from '@tidings/testing'
import { type Client, clientOf } from './client.ts'
import { type Operator, operatorOf } from './operator.ts'
import type { Environment } from './service-process.ts'
import { startUnderTest } from './service-under-test.ts'
import { refusedSince, undeclaredRefusals } from './undeclared-refusals.ts'

/** A whole service on a private database, listening on a real port, and workspaces to use it with. */
export type World = Operator &
  Readonly<{
    url: string
    /** What the service stands on, to look behind it. */
    stores: Stores
    /** A workspace with one key, a verified sender (`hello@<slug>.example`) and the templates of `file` (YAML, below `workspace`). */
    workspace: (slug: string, file?: string) => Promise<Client>
    stop: () => Promise<void>
  }>

const MASTER_KEY = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'

/** A test of something else waits as long as any machine needs: within the five seconds of a service a machine that stands still answers 503. */
const defaults = {
  PORT: '0',
  TIDINGS_DATABASE_WAIT_MS: '240000',
  TIDINGS_MASTER_KEY: MASTER_KEY,
  TIDINGS_LOG_LEVEL: 'error',
  TIDINGS_DOMAIN_BLOCKLISTS: '',
  TIDINGS_RATE_LIMIT_DEFAULT: 'off',
  TIDINGS_RATE_LIMIT_KEY: 'off',
}

const fileOf = (slug: string, file: string): string => `workspace: { slug: ${slug}, name: ${slug} }
apiKeys: [{ name: test }]
senderDomains: [{ domain: ${slug}.example, verified: true }]
senderAddresses: [{ email: hello@${slug}.example, name: Hello, verified: true }]
${file}`

const startOwn = async (env: Environment): Promise<World> => {
  const database = await testDatabase()
  const { url, stores, stop } = await startUnderTest({ TIDINGS_DATABASE_URL: database.url, ...defaults, ...env })
  const operator = operatorOf(stores)
  const before = await undeclaredRefusals(url)
  return {
    ...operator,
    url,
    stores,
    workspace: async (slug, file = '') => clientOf({ url, applied: await operator.apply(fileOf(slug, file)), shown: operator.settle }),
    stop: async () => {
      const undeclared = refusedSince(before, await undeclaredRefusals(url))
      await stop()
      await database.drop()
      if (undeclared.length > 0)
        throw new Error(`refused with codes that config.refusals of the route does not name: ${undeclared.join(', ')}`)
    },
  }
}

let shared: Readonly<{ world: World; env: Environment }> | null = null

/** Starts the one world that every file of this process uses whose settings are among these. Answers how to stop it. */
export async function shareWorld(env: Environment): Promise<() => Promise<void>> {
  const world = await startOwn(env)
  shared = { world, env }
  return () => {
    shared = null
    return world.stop()
  }
}

/** `env` as an operator would set it. Where it runs, `TIDINGS_E2E` says (`aim.ts`). Where a world is shared, its own workspaces keep a file apart. */
export async function startWorld(env: Environment = {}): Promise<World> {
  const isShared = shared !== null && Object.entries(env).every(([name, value]) => shared?.env[name] === value)
  return isShared && shared ? { ...shared.world, stop: async () => undefined } : startOwn(env)
}
