import type { Pool } from 'pg'
import { anchoredHeads } from '../anchor/file-anchor.ts'
import type { LogKey } from '../log-key.ts'
import { rootAt } from '../prove.ts'
import { readTreeSize } from '../tree-tables.ts'

/** What the heads that were kept outside contradict, in a sentence each. */
export async function checkAnchorFile({ pool, key }: Readonly<{ pool: Pool; key: LogKey }>, file: string): Promise<readonly string[]> {
  const problems: string[] = []
  const size = (await readTreeSize(pool))?.size ?? 0
  let line = 0
  for await (const head of anchoredHeads(file)) {
    line += 1
    const what = `Line ${line} of the anchor`
    if (head === null) problems.push(`${what} is no tree head.`)
    else if (head.statement.log !== key.fingerprint || !key.isSigned(head.statement, head.signature))
      problems.push(`${what} was not signed by the key of this log.`)
    else if (head.statement.size > size)
      problems.push(
        `${what} is a tree head of ${head.statement.size} events (${head.statement.at}), and the log has ${size}: events were removed, or an older backup was restored.`,
      )
    else if ((await rootAt(pool, head.statement.size)) !== head.statement.root)
      problems.push(
        `${what} is a tree head of ${head.statement.size} events of another history: the log was rewritten after ${head.statement.at}.`,
      )
  }
  return problems
}
