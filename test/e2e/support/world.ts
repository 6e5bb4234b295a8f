import type { Stores } from '@tidings/cli'
import { testDatabase } from '@tidings/testing'
import { type Client, clientOf } from './client.ts'
import { type Operator, operatorOf } from './operator.ts'
import { startUnderTest } from './service-under-test.ts'

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

const defaults = {
  PORT: '0',
  TIDINGS_MASTER_KEY: MASTER_KEY,
  TIDINGS_LOG_LEVEL: 'error',
  TIDINGS_RATE_LIMIT_DEFAULT: 'off',
  TIDINGS_RATE_LIMIT_KEY: 'off',
}

const fileOf = (slug: string, file: string): string => `workspace: { slug: ${slug}, name: ${slug} }
apiKeys: [{ name: test }]
senderDomains: [{ domain: ${slug}.example, verified: true }]
senderAddresses: [{ email: hello@${slug}.example, name: Hello, verified: true }]
${file}`

/** `env` as an operator would set it. Where it runs, `TIDINGS_E2E` says (`aim.ts`). */
export const startWorld = async (env: Readonly<Record<string, string>> = {}): Promise<World> => {
  const database = await testDatabase()
  const { url, stores, stop } = await startUnderTest({ TIDINGS_DATABASE_URL: database.url, ...defaults, ...env })
  const operator = operatorOf(stores)
  return {
    ...operator,
    url,
    stores,
    workspace: async (slug, file = '') => clientOf({ url, applied: await operator.apply(fileOf(slug, file)) }),
    stop: async () => {
      await stop()
      await database.drop()
    },
  }
}
