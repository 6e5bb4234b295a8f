import {
  applyWorkspaceFile,
  createProvisioner,
  parseWorkspaceFile,
  ROLES,
  type Role,
  type Service,
  startService,
  untilVisible,
} from '@tidings/cli'
import { createCommandRunner } from '@tidings/commands'
import { loadConfig } from '@tidings/config'
import { createLog } from '@tidings/log'
import { testDatabase } from '@tidings/testing'
import { type Client, clientOf } from './client.ts'

/** A whole service on a private database, listening on a real port, and workspaces to use it with. */
export type World = Readonly<{
  url: string
  service: Service
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

const provision = async (service: Service, slug: string, file: string): Promise<Client> => {
  const provisioner = createProvisioner(createCommandRunner({ log: service.stores.log }))
  const source = `workspace: { slug: ${slug}, name: ${slug} }
apiKeys: [{ name: test }]
senderDomains: [{ domain: ${slug}.example, verified: true }]
senderAddresses: [{ email: hello@${slug}.example, name: Hello, verified: true }]
${file}`
  const { applied } = await applyWorkspaceFile(provisioner, parseWorkspaceFile(source))
  if (!(await untilVisible(service.stores.pool, provisioner.last(), { timeoutMs: 30_000 })))
    throw new Error('the read side does not show the workspace')
  return clientOf({ url: service.url, applied })
}

/** `env` as an operator would set it; `roles` default to all. */
export const startWorld = async (env: Readonly<Record<string, string>> = {}, roles: readonly Role[] = ROLES): Promise<World> => {
  const database = await testDatabase()
  const config = loadConfig({ TIDINGS_DATABASE_URL: database.url, ...defaults, ...env }, null)
  const log = await createLog({ level: config.log.level })
  const service = await startService({ config, log, roles: new Set(roles) })
  return {
    url: service.url,
    service,
    workspace: (slug, file = '') => provision(service, slug, file),
    stop: async () => {
      await service.stop()
      await database.drop()
    },
  }
}
