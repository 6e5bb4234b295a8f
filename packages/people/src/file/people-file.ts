import { createHash } from 'node:crypto'
import { OperationFailed } from '@tidings/config'
import type { ColumnMap } from './columns.ts'
import { csvRows } from './csv-rows.ts'
import { ndjsonRows } from './ndjson-rows.ts'
import { encodingOf, readText } from './read-text.ts'
import type { FileRow } from './row.ts'

/** `encoding`: of a file that is neither UTF-8 nor UTF-16 with its mark. */
export type FileOptions = Readonly<{ file: string; map: ColumnMap; encoding?: string }>

/**
 * A file that was read to its end once: its structure is right, and its columns are known. `digest`: of its bytes and of how they are read. `rows` throws one
 * sentence behind the last where the file is another one by then.
 */
export type PeopleFile = Readonly<{ rows: () => AsyncGenerator<FileRow>; count: number; digest: string }>

/**
 * Reads the file once, so that nothing is written of one that is to be refused as a whole: another encoding, a quote that is never closed, a column that
 * is not known. Throws `WrongColumns`, or one sentence.
 */
export async function openPeopleFile({ file, map, encoding: named }: FileOptions): Promise<PeopleFile> {
  const encoding = await encodingOf(file, named)
  const isNdjson = await beginsWithObject(file, encoding)
  const rowsOf = isNdjson ? ndjsonRows : csvRows
  const hash = createHash('sha256')
  let count = 0
  for await (const _ of rowsOf({ file, map, text: readText(file, encoding, hash) })) count++
  const bytes = hash.copy().digest('hex')
  hash.update(JSON.stringify([encoding, [...map]]))
  const rows = async function* (): AsyncGenerator<FileRow> {
    const now = createHash('sha256')
    yield* rowsOf({ file, map, text: readText(file, encoding, now) })
    if (now.digest('hex') !== bytes)
      throw new OperationFailed(`${file} was changed while it was read: call it again with the file as it is now.`)
  }
  return { count, digest: hash.digest('hex'), rows }
}

/** What stands in the file says what it is, whatever its name. */
const beginsWithObject = async (file: string, encoding: string): Promise<boolean> => {
  for await (const piece of readText(file, encoding)) {
    const [first] = piece.trimStart()
    if (first === '[') throw new OperationFailed(`${file} is one JSON array: write each of its objects into a line of its own.`)
    if (first !== undefined) return first === '{'
  }
  return false
}
