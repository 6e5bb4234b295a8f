import { createReadStream } from 'node:fs'
import { isTorn } from '../../verifiers/verify.mjs'
import type { SignedHead } from '../heads.ts'
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
