import { zstdCompressSync } from 'node:zlib'
import { type FileMetaData, parquetMetadata } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { Encoding } from './encoding.ts'
import type { ExportedEvent } from './exported-event.ts'
import { columnsOf, SCHEMA } from './parquet-columns.ts'

type RowGroups = FileMetaData['row_groups']

/** Events that are written together, and the most text of them: what is in memory. */
const GROUP = { events: 25_000, chars: 32 * 1024 * 1024 }

/** The mark at the beginning and at the end of the file. */
const MAGIC_BYTES = 4

const NOTHING = Buffer.alloc(0)

export type ParquetStart = Readonly<{ bytes: number; state: string | null; group?: Readonly<{ events: number; chars: number }> }>

/**
 * Row groups one after the other, and behind them the footer that says where each is. The state is the footer as it would be now: from it
 * and the file up to the last group another process goes on.
 */
export function parquet({ bytes, state, group = GROUP }: ParquetStart): Encoding {
  const groups: RowGroups = state === null ? [] : groupsIn(Buffer.from(state, 'base64'))
  let buffered: ExportedEvent[] = []
  let chars = 0
  let end = bytes
  const writeBuffered = (): Buffer => {
    if (buffered.length === 0 && end > 0) return NOTHING
    const written = rowGroup(buffered, end)
    groups.push(...written.groups)
    end += written.bytes.length
    buffered = []
    chars = 0
    return written.bytes
  }
  return {
    add: (events) => {
      buffered.push(...events)
      for (const { data, meta } of events) chars += data.length + meta.length
      return buffered.length >= group.events || chars >= group.chars ? writeBuffered() : NOTHING
    },
    flush: () => (buffered.length === 0 ? NOTHING : writeBuffered()),
    end: () => Buffer.concat([writeBuffered(), footer(groups)]),
    isWhole: () => buffered.length === 0,
    state: () => footer(groups).toString('base64'),
  }
}

const createWriter = () => {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: SCHEMA,
    codec: 'ZSTD',
    compressors: { ZSTD: zstdCompressSync },
    createdBy: 'tidings',
  })
  return { bytes, writer }
}

/** The bytes of a group that begins at `offset`; the first one begins the file. */
const rowGroup = (events: readonly ExportedEvent[], offset: number): Readonly<{ bytes: Buffer; groups: RowGroups }> => {
  const { bytes, writer } = createWriter()
  if (offset > 0) Object.assign(bytes, { index: 0, offset })
  if (events.length > 0) void writer.write({ columnData: columnsOf(events), rowGroupSize: events.length })
  return { bytes: Buffer.from(bytes.getBytes()), groups: writer.row_groups }
}

/** The footer of a file with these groups, wherever it stands. */
const footer = (groups: RowGroups): Buffer => {
  const { bytes, writer } = createWriter()
  writer.row_groups = groups
  writer.num_rows = groups.reduce((rows, { num_rows }) => rows + num_rows, 0n)
  void writer.finish()
  return Buffer.from(bytes.getBytes().subarray(MAGIC_BYTES))
}

const groupsIn = (tail: Buffer): RowGroups => parquetMetadata(new Uint8Array(tail)).row_groups
