import { type FileHandle, open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { SignedHead } from '../heads.ts'
import { lineOf, parseLine } from './anchored-line.ts'
import { type Anchor, AnchorRefused } from './port.ts'

/** How far back the last head is looked for: some 160 lines. */
const TAIL = 65_536

type End = Readonly<{ isEmpty: boolean; isTorn: boolean; last: SignedHead | null }>

/** The last head, behind which lines may stand that a crash has torn. `isTorn`: the last line is not ended. */
const endOf = async (file: FileHandle): Promise<End> => {
  const { size } = await file.stat()
  const chunks: Buffer[] = await file.createReadStream({ start: Math.max(0, size - TAIL), autoClose: false }).toArray()
  const lines = Buffer.concat(chunks).toString('utf8').split('\n')
  const isTorn = lines.pop() !== ''
  const last = lines.findLast((line) => parseLine(line) !== null)
  return { isEmpty: size === 0, isTorn, last: last === undefined ? null : parseLine(last) }
}

/** One line a head. The file must be new, or of this log; nothing that is in it is ever changed. */
export function fileAnchor(url: string): Anchor {
  const path = fileURLToPath(url)
  const keep: Anchor['keep'] = async (head, assertContinued) => {
    const file = await open(path, 'a+', 0o644)
    try {
      const { isEmpty, isTorn, last } = await endOf(file)
      if (last === null && !isEmpty)
        throw new AnchorRefused(`The end of the anchor ${path} has no line that is a tree head: name another file.`)
      if (last !== null) await assertContinued(last)
      if (last !== null && lineOf(last) === lineOf(head)) return
      await file.appendFile(`${isTorn ? '\n' : ''}${lineOf(head)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
  }
  return { keep, close: async () => undefined }
}
