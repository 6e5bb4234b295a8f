import { createCommandRunner } from '@tidings/commands'
import { loadConfig } from '@tidings/config'
import { comparePositions, START } from '@tidings/event-store'
import { createLog, type Log } from '@tidings/log'
import { createProgress, waitForProcesses } from '@tidings/projections'
import { startProjectors } from '@tidings/projectors'
import { createProvisioner, type Provisioner } from '../provision/provisioner.ts'
import { type Answer, OperationFailed, printAnswer } from '../terminal/answer.ts'
import { openStores, type Stores } from './stores.ts'
import { untilVisible } from './until-visible.ts'

/** What a command of the CLI works with. `settle` returns when the service obeys what was written here and its reads show it. */
export type Operator = Readonly<{ stores: Stores; provisioner: Provisioner; log: Log; settle: () => Promise<void> }>

const PATIENCE_MS = 30_000

const isServed = async ({ pool }: Stores): Promise<boolean> => {
  const { rows } = await pool.query<{ served: boolean }>(
    `select exists (select 1 from ops.projection_lease where expires_at > clock_timestamp()) as served`,
  )
  return rows[0]?.served === true
}

/** Without a service nobody projects: then this process does, until what it wrote can be read. What was already so may have been written a moment ago. */
const settle = async (stores: Stores, { last }: Provisioner): Promise<void> => {
  const position = comparePositions(last(), START) === 0 ? await stores.log.head() : last()
  const own = (await isServed(stores)) ? null : startProjectors({ log: stores.log, pool: stores.workPool, progress: createProgress() })
  try {
    const [shown, obeyed] = await Promise.all([
      untilVisible(stores.pool, position, { timeoutMs: PATIENCE_MS, ...(own && { progress: own.progress }) }),
      waitForProcesses(stores.pool, position, { timeoutMs: PATIENCE_MS }),
    ])
    if (!shown) throw new OperationFailed('It is written, but the read side has not shown it within 30 s: see `tidings projection list`.')
    if (!obeyed) throw new OperationFailed('It is written, but a running process has not heard of it within 30 s: see `tidings doctor`.')
  } finally {
    await own?.stop()
  }
}

/** Runs one command of the CLI: opens the stores, prints its answer, closes them. Logs go to stderr. */
export const withOperator = async (json: boolean, work: (operator: Operator) => Promise<Answer>): Promise<void> => {
  const config = loadConfig(process.env)
  const log = await createLog({ level: config.log.level === 'info' ? 'warn' : config.log.level, to: 'stderr' })
  const stores = await openStores({ config, log, mode: 'command' })
  try {
    const provisioner = createProvisioner(createCommandRunner({ log: stores.log }))
    printAnswer(await work({ stores, provisioner, log, settle: () => settle(stores, provisioner) }), json)
  } finally {
    await stores.close()
  }
}
