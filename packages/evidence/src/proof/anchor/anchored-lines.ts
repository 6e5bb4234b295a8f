import { createReadStream } from 'node:fs'
import { OperationFailed } from '@tidings/config'
import { isTorn } from '../../../verifiers/verify.mjs'
import type { SignedHead } from '../heads.ts'
import type { LogKey } from '../log-key.ts'
import { parseLine } from './anchored-line.ts'

/** `isTorn`: a crash has cut it off, and more was written behind it. `isEnded`: a newline follows; only the last line may lack it. */
export type AnchoredLine = Readonly<{ number: number; head: SignedHead | null; isTorn: boolean; isEnded: boolean }>

/** No head is longer. */
const LONGEST = 65_536

async function* textLines(path: string): AsyncGenerator<Readonly<{ text: string; isEnded: boolean }>> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    // A copy may have been converted on its way.
    for (const text of lines) yield { text: text.endsWith('\r') ? text.slice(0, -1) : text, isEnded: true }
    if (rest.length > LONGEST) break
  }
  if (rest !== '') yield { text: rest, isEnded: false }
}

/** The lines of an anchor that are not empty. A file without line ends is read no further than any head is long. */
export async function* anchoredLines(path: string): AsyncGenerator<AnchoredLine> {
  let number = 0
  let before: AnchoredLine | null = null
  for await (const { text, isEnded } of textLines(path)) {
    number += 1
    if (text === '') continue
    if (before !== null) yield before
    before = { number, head: parseLine(text), isTorn: isTorn(text), isEnded }
  }
  // Nothing was written behind the last line, so a torn end there is damage.
  if (before !== null) yield { ...before, isTorn: false }
}

/** A proof shows of each head that its tree continues it, with some twenty hashes: more would not fit in the memory of who verifies it. */
const MOST = 100_000

/**
 * Every head in a copy of an anchor, which may be of any age, by its size. Throws one sentence where the copy has none, is damaged, or has one that
 * the key of this log did not sign, and where two contradict each other.
 */
export async function headsOfCopy(key: LogKey, file: string): Promise<readonly SignedHead[]> {
  const heads = new Map<number, SignedHead>()
  for await (const { number, head, isTorn, isEnded } of anchoredLines(file)) {
    if (isTorn && head === null) continue
    if (!isEnded) throw new OperationFailed(`The last line of ${file} is damaged: it has no end. Get the copy anew.`)
    if (head === null) throw new OperationFailed(`Line ${number} of ${file} is no tree head: this is no copy of an anchor.`)
    const { statement } = head
    const same = heads.get(statement.size)
    if (same !== undefined && same.statement.root !== statement.root)
      throw new OperationFailed(`${file} has two roots for the tree of ${statement.size} events: the log was forked.`)
    heads.set(statement.size, head)
    if (heads.size > MOST) throw new OperationFailed(`${file} has more than ${MOST} tree heads, too many for one proof.`)
  }
  const newest = [...heads.keys()].reduce((one, other) => Math.max(one, other), 0)
  for (const { statement, signature } of heads.values()) {
    if (statement.log === key.fingerprint && key.isSigned(statement, signature)) continue
    const which = statement.size === newest ? 'The newest tree head' : `The tree head of ${statement.size} events`
    throw new OperationFailed(`${which} in ${file} was not signed by the key of this log (${key.fingerprint}).`)
  }
  if (heads.size === 0) throw new OperationFailed(`${file} has no tree head.`)
  return [...heads.values()].toSorted((one, other) => one.statement.size - other.statement.size)
}
