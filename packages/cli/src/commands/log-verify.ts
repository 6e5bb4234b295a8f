import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { threadCount } from '@tidings/async/threads'
import { OperationFailed } from '@tidings/config'
import { openLogKey, repairTree, type VerifiedLog, verifyLog } from '@tidings/evidence/proof'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { startProgress } from '../terminal/progress.ts'

type LogVerifyOptions = Readonly<{ anchor?: string; restart: boolean; repair: boolean; json: boolean }>

/** The file that was named, or the one that heads are anchored in; null where that is another place, or nothing was anchored yet. */
const anchorFileOf = (named: string | undefined, { config }: Operator): string | null => {
  if (named !== undefined) {
    if (!existsSync(named)) throw new OperationFailed(`There is no file ${named}.`)
    return named
  }
  const { anchor } = config.proof
  if (anchor === null || !anchor.startsWith('file:')) return null
  const path = fileURLToPath(anchor)
  return existsSync(path) ? path : null
}

type Repairing = Omit<Parameters<typeof repairTree>[0], 'onProgress'>

const repaired = async (repairing: Repairing): Promise<void> => {
  const progress = await startProgress('Making the tree anew')
  await repairTree({ ...repairing, onProgress: progress.update }).finally(progress.stop)
}

/** Exit, where nothing is wrong with what was read, and not all was read. */
const NOT_ALL = 3

const soundLines = ({ events, heads, root, resumed }: VerifiedLog): readonly string[] =>
  resumed === null
    ? [`${events} events are what the tree over the log was made of, and ${heads} tree heads are signed and right: root ${root}.`]
    : [`Nothing is wrong with the ${events - resumed.events} events, and ${heads} tree heads, that this call has read: root ${root}.`]

const resumedLines = ({ resumed }: VerifiedLog): readonly string[] =>
  resumed === null
    ? []
    : [
        `The first ${resumed.events} events were not read again: a row in this database says that a call of ${resumed.begunAt} has read them. Who writes in it can put such a row back after a change: --restart reads all.`,
      ]

const linesOf = (verified: VerifiedLog, anchorFile: string | null): readonly string[] => [
  ...(verified.problems.length === 0 ? soundLines(verified) : verified.problems),
  ...resumedLines(verified),
  ...verified.notes,
  ...(anchorFile === null && verified.problems.length === 0
    ? ['Nothing outside of this installation was compared: set TIDINGS_LOG_ANCHOR, or name a file with --anchor.']
    : []),
]

const replicaLines = (replicas: Operator['stores']['replicas']): readonly string[] =>
  replicas === undefined
    ? []
    : [
        `The events were read from ${replicas.servers.map(({ name }) => name).join(' or ')}, where it answered: a change in the files of the primary alone does not show there. Without TIDINGS_READ_DATABASE_URL those are read.`,
      ]

/** `tidings log verify`: exit 1 when something is wrong, 3 when nothing is and a stopped call had read a part. With `--repair` the tree is made anew before; one sentence where that is refused. */
export function verify({ anchor, restart, repair, json }: LogVerifyOptions): Promise<void> {
  return withOperator(
    json,
    async (operator) => {
      const { pool, store, keyRing, url, replicas } = operator.stores
      const anchorFile = anchorFileOf(anchor, operator)
      const key = await openLogKey(keyRing)
      if (repair) await repaired({ pool, store, key, anchorFile })
      const progress = await startProgress('Verifying the log')
      const readers = { url, replicas, threads: threadCount() }
      const request = { pool, store, readers, key, anchorFile, restart, onProgress: progress.update }
      const verified = await verifyLog(request).finally(progress.stop)
      if (!verified.ok) process.exitCode = verified.problems.length === 0 ? NOT_ALL : 1
      return { json: verified, lines: [...linesOf(verified, anchorFile), ...replicaLines(replicas)] }
    },
    { readsReplicas: !repair },
  )
}
