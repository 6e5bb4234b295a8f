import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { OperationFailed } from '@tidings/config'
import type { ClientBase } from 'pg'
import { from } from 'pg-copy-streams'
import { tap } from './copy-out.ts'
import type { CopiedTable } from './manifest.ts'

type CopyIn = Readonly<{ table: CopiedTable; file: string; onBytes: (count: number) => void }>

/** Puts a file of `copyOut` into its table, streamed. Throws when it does not hold as many rows as it should. */
export async function copyIn(client: ClientBase, { table: { name, rows }, file, onBytes }: CopyIn): Promise<void> {
  // What a backup holds was recorded in its time.
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
