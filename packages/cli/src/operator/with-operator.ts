import { existsSync } from 'node:fs'
import { createCommandRunner } from '@tidings/commands'
import { type Config, loadConfig, OperationFailed } from '@tidings/config'
import { comparePositions, type Position, START } from '@tidings/event-store'
import { createLog, type Log } from '@tidings/observability/log'
import { dataDir } from '@tidings/postgres/embedded'
import { createProvisioner, type Provisioner } from '@tidings/provisioning'
import { settle } from '@tidings/service/read-side'
import { dynamicListsIn, openStores, type Stores, workspacesWithSenderIn } from '@tidings/service/stores'
import { type Answer, printAnswer } from '../terminal/answer.ts'

/**
 * The parts that a command of the CLI works with. `settle` returns when the running service applies what was written here and its reads show it; with a
 * position, what was written up to there.
 */
export type Operator = Readonly<{
  config: Config
  stores: Stores
  provisioner: Provisioner
  log: Log
  settle: (position?: Position | null) => Promise<void>
}>

/**
 * `begins`: the command may be the first of an installation, and makes its database where there is none. `readsReplicas`: it reads much of the log, on replicas
 * where they are configured.
 */
type CommandOptions = Readonly<{ begins?: boolean; readsReplicas?: boolean }>

/** What a command asks of a data directory that was mistyped would be answered by an installation that it has just made. */
const assertBegun = ({ storage: { databaseUrl, dataDir: root } }: Config): void => {
  if (databaseUrl !== null || existsSync(dataDir(root).clusterDir)) return
  const advice = 'set TIDINGS_DATA_DIR to where it is, or begin one with `npm start` or `tidings apply`'
  throw new OperationFailed(`There is no installation in ${root}: ${advice}.`)
}

/** Runs one command of the CLI: opens the stores, prints its answer, closes them. Logs go to stderr. */
export async function withOperator(
  json: boolean,
  work: (operator: Operator) => Promise<Answer>,
  { begins = false, readsReplicas = false }: CommandOptions = {},
): Promise<void> {
  const config = loadConfig(process.env)
  if (!begins) assertBegun(config)
  const log = await createLog({ level: config.log.level === 'info' ? 'warn' : config.log.level, to: 'stderr' })
  const stores = await openStores({ config, log, mode: 'command', readsReplicas })
  try {
    const provisioner = createProvisioner(createCommandRunner({ log: stores.log }), {
      dynamicLists: dynamicListsIn(stores.pool),
      workspacesWithSender: workspacesWithSenderIn(stores.pool),
    })
    // Nothing was appended where the log held it already, perhaps since a moment ago: then reads must show all of the log.
    const written = async () => (comparePositions(provisioner.last(), START) === 0 ? await stores.log.head() : provisioner.last())
    const operator: Operator = {
      ...{ config, stores, provisioner, log },
      settle: async (position) => settle(stores, position ?? (await written())),
    }
    printAnswer(await work(operator), json)
  } finally {
    await stores.close()
  }
}
