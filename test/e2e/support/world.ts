import {
  type Applied,
  applyWorkspaceFile,
  createProvisioner,
  parseWorkspaceFile,
  ROLES,
  type Role,
  type Stores,
  startService,
  untilVisible,
} from '@tidings/cli'
import { createCommandRunner } from '@tidings/commands'
import { loadConfig } from '@tidings/config'
import { type WorkspaceCommand, workspace, workspaceStream } from '@tidings/domain'
import { createLog } from '@tidings/log'
import { testDatabase } from '@tidings/testing'
import { type Client, clientOf } from './client.ts'

/** A whole service on a private database, listening on a real port, and workspaces to use it with. */
export type World = Readonly<{
  url: string
  /** What the service stands on, to look behind it. */
  stores: Stores
  /** A workspace with one key, a verified sender (`hello@<slug>.example`) and the templates of `file` (YAML, below `workspace`). */
  workspace: (slug: string, file?: string) => Promise<Client>
  /** Applies a whole workspace file; returns when it can be read. */
  apply: (source: string) => Promise<Applied>
  /** Does to a workspace what the operator's command line would; returns when it can be read. */
  operate: (workspaceId: string, command: WorkspaceCommand) => Promise<void>
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

const operatorOf = (stores: Stores): Pick<World, 'apply' | 'operate'> => {
  const provisioner = createProvisioner(createCommandRunner({ log: stores.log }))
  const settle = async (): Promise<void> => {
    if (!(await untilVisible(stores.pool, provisioner.last(), { timeoutMs: 30_000 })))
      throw new Error('the read side does not show what the operator did')
  }
  return {
    apply: async (source) => {
      const { applied } = await applyWorkspaceFile(provisioner, parseWorkspaceFile(source))
      await settle()
      return applied
    },
    operate: async (workspaceId, command) => {
      await provisioner.execute(workspaceId, workspace, workspaceStream(workspaceId), command)
      await settle()
    },
  }
}

const fileOf = (slug: string, file: string): string => `workspace: { slug: ${slug}, name: ${slug} }
apiKeys: [{ name: test }]
senderDomains: [{ domain: ${slug}.example, verified: true }]
senderAddresses: [{ email: hello@${slug}.example, name: Hello, verified: true }]
${file}`

/** `env` as an operator would set it; `roles` default to all. */
export const startWorld = async (env: Readonly<Record<string, string>> = {}, roles: readonly Role[] = ROLES): Promise<World> => {
  const database = await testDatabase()
  const config = loadConfig({ TIDINGS_DATABASE_URL: database.url, ...defaults, ...env }, null)
  const log = await createLog({ level: config.log.level })
  const service = await startService({ config, log, roles: new Set(roles), alone: true })
  if (service.stores === null) throw new Error('a world of tests has to write as well as to read')
  const operator = operatorOf(service.stores)
  return {
    ...operator,
    url: service.url,
    stores: service.stores,
    workspace: async (slug, file = '') => clientOf({ url: service.url, applied: await operator.apply(fileOf(slug, file)) }),
    stop: async () => {
      await service.stop()
      await database.drop()
    },
  }
}
