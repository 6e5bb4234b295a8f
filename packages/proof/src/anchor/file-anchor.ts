import { type FileHandle, open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { SignedHead } from '../heads.ts'
import { lineOf, parseLine } from './anchored-line.ts'
import { type Anchor, AnchorRefused } from './port.ts'

/** A line has 400 bytes. */
const TAIL = 4_096

/** The last whole line, and where it ends. What is behind it was torn by a crash, and never counted as kept. */
const lastLine = async (file: FileHandle): Promise<Readonly<{ line: string | null; end: number }>> => {
  const { size } = await file.stat()
  const from = Math.max(0, size - TAIL)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL), 0, TAIL, from)
  const tail = buffer.subarray(0, bytesRead)
  const newline = tail.lastIndexOf(10)
  if (newline < 0) return { line: null, end: 0 }
  return { line: tail.subarray(tail.lastIndexOf(10, newline - 1) + 1, newline).toString('utf8'), end: from + newline + 1 }
}

/** One line a head. The file must be new, or of this log. */
export function fileAnchor(url: string): Anchor {
  const path = fileURLToPath(url)
  const keep: Anchor['keep'] = async (head, assertContinued) => {
    const file = await open(path, 'a+', 0o644)
    try {
      const { line, end } = await lastLine(file)
      const anchored = line === null ? null : parseLine(line)
      if (line !== null && anchored === null)
        throw new AnchorRefused(`The last line of the anchor ${path} is no tree head: name another file.`)
      if (anchored !== null) await assertContinued(anchored)
      if (line === lineOf(head)) return
      if (end < (await file.stat()).size) await file.truncate(end)
      await file.appendFile(`${lineOf(head)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
  }
  return { keep, close: async () => undefined }
}

/** The heads of a file, by line; null for a line that is none. */
export async function* anchoredHeads(path: string): AsyncGenerator<SignedHead | null> {
  const file = await open(path)
  for await (const line of file.readLines()) if (line !== '') yield parseLine(line)
}
