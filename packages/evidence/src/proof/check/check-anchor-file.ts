import type { Pool } from 'pg'
import { anchoredLines } from '../anchor/anchored-lines.ts'
import type { SignedHead } from '../heads.ts'
import type { LogKey } from '../log-key.ts'
import { rootAt } from '../prove.ts'
import { readTreeSize } from '../tree-tables.ts'
import { addFinding } from './add-finding.ts'

type Log = Readonly<{ pool: Pool; key: LogKey }>
type Findings = Readonly<{ problems: string[]; notes: string[] }>

const problemOf = async ({ statement, signature }: SignedHead, { pool, key }: Log, size: number): Promise<string | null> => {
  const what = `is a tree head of ${statement.size} events`
  if (statement.log !== key.fingerprint || !key.isSigned(statement, signature)) return 'was not signed by the key of this log.'
  if (statement.size > size)
    return `${what} (${statement.at}), and the log has ${size}: events were removed, or an older backup was restored.`
  if ((await rootAt(pool, statement.size)) === statement.root) return null
  return `${what} of another history: the log was rewritten after ${statement.at}.`
}

/** Adds what the heads that were kept outside contradict, in a sentence each; as notes, what of them a crash has torn (M60). */
export async function checkAnchorFile(log: Log, file: string, { problems, notes }: Findings): Promise<void> {
  let heads = 0
  const size = (await readTreeSize(log.pool))?.size ?? 0
  for await (const { number, head, isTorn, isEnded } of anchoredLines(file)) {
    const what = `Line ${number} of the anchor`
    if (!isEnded) addFinding(problems, `${what}, the last, is damaged: it has no end. The next head that is anchored ends it.`)
    if (head === null && isTorn) addFinding(notes, `${what} was torn by a crash while it was written: it is not counted.`)
    else if (head === null) addFinding(problems, `${what} is no tree head.`)
    else {
      heads += 1
      const problem = await problemOf(head, log, size)
      if (problem !== null) addFinding(problems, `${what} ${problem}`)
    }
  }
  if (heads === 0) addFinding(problems, 'The anchor has no tree head.')
}
