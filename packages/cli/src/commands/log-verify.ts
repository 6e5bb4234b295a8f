import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { threadCount } from '@tidings/async/threads'
import { OperationFailed } from '@tidings/config'
import { openLogKey, type VerifiedLog, verifyLog } from '@tidings/proof'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { startProgress } from '../terminal/progress.ts'

type Options = Readonly<{ anchor?: string; restart: boolean; json: boolean }>

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

const linesOf = ({ ok, events, heads, root, problems, notes, resumed }: VerifiedLog, anchorFile: string | null): readonly string[] => [
  ...(resumed === null
    ? []
    : [`The first ${resumed.events} events were verified by a call of ${resumed.begunAt}; --restart verifies them again.`]),
  ...(ok
    ? [`${events} events are what the tree over the log was made of, and ${heads} tree heads are signed and right: root ${root}.`]
    : problems),
  ...notes,
  ...(anchorFile === null && ok
    ? ['Nothing outside of this installation was compared: set TIDINGS_LOG_ANCHOR, or name a file with --anchor.']
    : []),
]

/** `tidings log verify`: exit 1 when something is wrong. */
export function verify({ anchor, restart, json }: Options): Promise<void> {
  return withOperator(json, async (operator) => {
    const { pool, store, keyRing, url } = operator.stores
    const anchorFile = anchorFileOf(anchor, operator)
    const progress = await startProgress('Verifying the log')
    const readers = { url, threads: threadCount() }
    const request = { pool, store, readers, key: await openLogKey(keyRing), anchorFile, restart, onProgress: progress.update }
    const verified = await verifyLog(request).finally(progress.stop)
    if (!verified.ok) process.exitCode = 1
    return { json: verified, lines: linesOf(verified, anchorFile) }
  })
}
