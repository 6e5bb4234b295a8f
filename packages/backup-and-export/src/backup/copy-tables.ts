import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createGzip } from 'node:zlib'
import { OperationFailed } from '@tidings/config'
import type { ClientBase } from 'pg'
import { from, to } from 'pg-copy-streams'
import type { CopiedTable } from './manifest.ts'
import type { KeptTable } from './tables.ts'

/** Calls `onPiece` with every piece that passes. */
function tap(onPiece: (piece: Buffer) => void) {
  return async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      onPiece(piece)
      yield piece
    }
  }
}

/** A row is a line in COPY's text format: a line break inside a value is written as `\n`. */
const linesIn = (piece: Buffer): number => {
  let lines = 0
  for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines++
  return lines
}

type TableStream = Readonly<{ table: KeptTable; onRows: (count: number) => void; onBytes: (piece: Buffer) => void }>

/** Streams a table as gzipped COPY text; answers how many rows it has. When `disk` is slow Postgres waits: nothing is buffered here. */
export async function streamTable(client: ClientBase, { table, onRows, onBytes }: TableStream, disk: Writable): Promise<number> {
  const source = client.query(to(`copy ${table} to stdout`))
  const rows = tap((piece) => onRows(linesIn(piece)))
  await pipeline(source, rows, createGzip({ level: constants.Z_BEST_SPEED }), tap(onBytes), disk)
  return source.rowCount
}

/** Writes a table to a new file, which `zcat` and `psql` can read without Tidings. `onRows` gets how many more have been read. */
export async function copyOut(
  client: ClientBase,
  { table, file, onRows }: Readonly<{ table: KeptTable; file: string; onRows: (count: number) => void }>,
): Promise<CopiedTable> {
  const hash = createHash('sha256')
  let bytes = 0
  const onBytes = (piece: Buffer): void => {
    hash.update(piece)
    bytes += piece.length
  }
  const rows = await streamTable(client, { table, onRows, onBytes }, createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true }))
  return { name: table, rows, bytes, sha256: hash.digest('hex') }
}

type CopyIn = Readonly<{ table: CopiedTable; file: string; onBytes: (count: number) => void }>

/** Puts a file of `copyOut` into its table, streamed. Throws when it does not hold as many rows as it should. */
export async function copyIn(client: ClientBase, { table: { name, rows }, file, onBytes }: CopyIn): Promise<void> {
  // A backup has rows that were recorded in its time.
  await client.query("select set_config('es.allow_rewrite', 'on', true)")
  const target = client.query(from(`copy ${name} from stdin`))
  await pipeline(
    createReadStream(file),
    tap((piece) => onBytes(piece.length)),
    createGunzip(),
    target,
  )
  if (target.rowCount !== rows) {
    throw new OperationFailed(`${file} holds ${target.rowCount} rows instead of ${rows}: the backup is damaged, use another one.`)
  }
}
