import { OperationFailed } from '@tidings/config'
import type { Pool } from 'pg'
import { isTorn } from '../../verifiers/verify.mjs'
import { assertContinues, type SignedHead } from '../heads.ts'
import type { LogKey } from '../log-key.ts'
import { parseLine } from './anchored-line.ts'
import { anchoredLines } from './file-anchor.ts'

type Log = Readonly<{ pool: Pool; key: LogKey }>

const newestIn = async (file: string): Promise<SignedHead> => {
  let newest: SignedHead | null = null
  let number = 0
  for await (const line of anchoredLines(file)) {
    number += 1
    if (line === '' || isTorn(line)) continue
    const head = parseLine(line)
    if (head === null) throw new OperationFailed(`Line ${number} of ${file} is no tree head: this is no copy of an anchor.`)
    if (newest === null || head.statement.size > newest.statement.size) newest = head
  }
  if (newest === null) throw new OperationFailed(`${file} has no tree head.`)
  return newest
}

/**
 * The newest head in a copy of an anchor, which may be of any age. Throws one sentence where it has none, where another log's key signed it, and
 * where the tree of `size` leaves does not continue it.
 */
export async function headOfCopy({ pool, key }: Log, file: string, size: number): Promise<SignedHead> {
  const head = await newestIn(file)
  const { statement, signature } = head
  if (statement.log !== key.fingerprint || !key.isSigned(statement, signature))
    throw new OperationFailed(`The newest tree head in ${file} was not signed by the key of this log (${key.fingerprint}).`)
  await assertContinues(pool, head, size)
  return head
}
