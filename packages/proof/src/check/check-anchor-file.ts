import type { Pool } from 'pg'
import { isTorn } from '../../verifiers/verify.mjs'
import { parseLine } from '../anchor/anchored-line.ts'
import { anchoredLines } from '../anchor/file-anchor.ts'
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

/** Adds what the heads that were kept outside contradict, in a sentence each; as notes, what of them a crash has torn. */
export async function checkAnchorFile(log: Log, file: string, { problems, notes }: Findings): Promise<void> {
  const size = (await readTreeSize(log.pool))?.size ?? 0
  let number = 0
  for await (const line of anchoredLines(file)) {
    number += 1
    if (line === '') continue
    const what = `Line ${number} of the anchor`
    const head = parseLine(line)
    if (head === null && isTorn(line)) addFinding(notes, `${what} was torn by a crash while it was written: it is not counted.`)
    else if (head === null) addFinding(problems, `${what} is no tree head.`)
    else {
      const problem = await problemOf(head, log, size)
      if (problem !== null) addFinding(problems, `${what} ${problem}`)
    }
  }
}
