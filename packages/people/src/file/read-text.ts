import type { Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { OperationFailed } from '@tidings/config'
import { WrongColumns } from './wrong-columns.ts'

const MARKS = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
] as const
const ZIP = [0x50, 0x4b, 0x03, 0x04]

const beginsWith = (head: Buffer, bytes: readonly number[]): boolean => bytes.every((byte, n) => head[n] === byte)

/** The encoding of a file: by its mark, else the one that is named, else UTF-8. Throws one sentence where there is no such file, or it is a workbook. */
export async function encodingOf(file: string, named: string | undefined): Promise<string> {
  if (named !== undefined && decoderOf(named) === null) throw new WrongColumns(`${named} is no encoding: write it like windows-1252.`)
  const head = await headOf(file)
  if (beginsWith(head, ZIP)) throw new OperationFailed(`${file} is a workbook or an archive: save its sheet as CSV UTF-8, and import that.`)
  return MARKS.find(({ bytes }) => beginsWith(head, bytes))?.encoding ?? named ?? 'utf-8'
}

/** A file is read more than once: a pipe gives what it has to the first reader, and one without a writer lets wait for ever. */
const headOf = async (file: string): Promise<Buffer> => {
  try {
    if (!(await stat(file)).isFile()) throw new OperationFailed(`${file} is no file: write what it gives into a file, and import that.`)
    const handle = await open(file)
    try {
      const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(4) })
      return buffer.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw error instanceof OperationFailed ? error : cannotRead(file, error)
  }
}

const cannotRead = (file: string, error: unknown): OperationFailed =>
  new OperationFailed(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error })

const decoderOf = (encoding: string): InstanceType<typeof TextDecoder> | null => {
  try {
    return new TextDecoder(encoding, { fatal: true })
  } catch {
    return null
  }
}

/** The text of a file in pieces, with `\n` for every line end. Throws one sentence where the bytes are another encoding. `hash` is given the bytes. */
export async function* readText(file: string, encoding: string, hash?: Hash): AsyncGenerator<string> {
  const decoder = decoderOf(encoding)
  const decoded = (bytes?: Buffer): string => {
    try {
      const text = bytes === undefined ? (decoder?.decode() ?? '') : (decoder?.decode(bytes, { stream: true }) ?? '')
      if (!text.includes('\0')) return text
    } catch {}
    throw new OperationFailed(`${file} is not ${encoding}: name what it is by --encoding, for example --encoding windows-1252.`)
  }
  let isAfterReturn = false
  const withLineEnds = (text: string): string => {
    const joined = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') isAfterReturn = text.endsWith('\r')
    return joined.includes('\r') ? joined.replaceAll(/\r\n?/g, '\n') : joined
  }
  try {
    for await (const bytes of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
      hash?.update(bytes)
      yield withLineEnds(decoded(bytes))
    }
  } catch (error) {
    throw error instanceof OperationFailed ? error : cannotRead(file, error)
  }
  yield withLineEnds(decoded())
}
