import { migrate } from '@tidings/postgres'
import { untilVisible } from '@tidings/service/read-side'
import { patientPool } from '@tidings/testing'
import type { Pool } from 'pg'
import { aim, surroundings } from './aim.ts'
import { type Client, clientOf } from './client.ts'
import { type Environment, freePort, launchProcess, runTidings, type ServiceProcess } from './service-process.ts'

/** An installation as an operator has it: a configured database, and the service in a process of its own. */
export type Installation = Readonly<{
  env: Environment & Readonly<{ PORT: string }>
  pool: Pool
  /** Runs a command of the CLI that has to succeed; answers what it printed as JSON. */
  tidings: (args: readonly string[], stdin?: string) => Promise<unknown>
  /** A workspace with a key and a verified sender. The service must run. */
  workspace: (slug: string) => Promise<Client>
  /** Returns when everything in the log is shown, where that is in Postgres. */
  shown: () => Promise<void>
  /** `command` runs the service in another way than `node main.ts start`. */
  start: (command?: readonly string[]) => Promise<ServiceProcess>
  close: () => Promise<void>
}>

const MASTER_KEY = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'

/** An installation on a database that may be empty: it is migrated. Its log and its transport are those that `TIDINGS_E2E` names (`aim.ts`). */
export async function install(databaseUrl: string, changes: Environment = {}): Promise<Installation> {
  const around = await surroundings(aim())
  const env = {
    ...around.env,
    TIDINGS_DATABASE_URL: databaseUrl,
    TIDINGS_MASTER_KEY: MASTER_KEY,
    TIDINGS_LOG_LEVEL: 'error',
    TIDINGS_DOMAIN_BLOCKLISTS: '',
    PORT: String(await freePort()),
    ...changes,
  }
  const pool = patientPool({ url: databaseUrl, max: 2, name: 'installation' })
  const tidings: Installation['tidings'] = async (args, stdin = '') => {
    const { code, stdout, stderr } = await runTidings([...args, '--json'], env, stdin)
    if (code !== 0) throw new Error(`tidings ${args.join(' ')} ended with ${code}: ${stderr}`)
    return JSON.parse(stdout)
  }
  const shown = async (): Promise<void> => {
    const { rows } = await pool.query<{ commit: bigint }>('select coalesce(max(position), 0) as commit from es.event')
    const position = { commit: rows[0]?.commit ?? 0n, prepare: 0n }
    if (!(await untilVisible(pool, position, { timeoutMs: 180_000 }))) throw new Error('the read side does not show what was written')
  }
  await migrate(pool)
  return {
    env,
    pool,
    tidings,
    workspace: async (slug) => {
      const file = `workspace: { slug: ${slug}, name: ${slug} }
apiKeys: [{ name: test }]
senderDomains: [{ domain: ${slug}.example, verified: true }]
senderAddresses: [{ email: hello@${slug}.example, name: Hello, verified: true }]`
      const applied = (await tidings(['apply', '-f', '-'], file)) as Client['applied']
      return clientOf({ url: `http://127.0.0.1:${env.PORT}`, applied, shown })
    },
    shown,
    start: async (command) => {
      const service = launchProcess(env, command)
      await service.ready()
      return service
    },
    close: async () => {
      await pool.end()
      await around.stop()
    },
  }
}
