import { uuidv7 } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import type { ContactId, WorkspaceId } from '@tidings/domain'
import type { Pool, PoolClient } from 'pg'

type RefusedLine = Readonly<{ line: number; why: string }>

/** What became of the lines so far. `refused`: the first of them. */
export type Counts = Readonly<{
  read: number
  created: number
  updated: number
  unchanged: number
  refused: readonly RefusedLine[]
  refusedCount: number
}>

export const NO_COUNTS: Counts = { read: 0, created: 0, updated: 0, unchanged: 0, refused: [], refusedCount: 0 }

/** What became of a line of the piece that is under way. `what`: an outcome, or why it is refused. */
export type DoneLine = Readonly<{ line: number; what: string; contactId: ContactId | null }>

/**
 * An import of one file that is under way, or was when its process ended. `begun`: the lines of the piece behind `counts` that are known to be done; null
 * where the import is new.
 */
export type ImportRun = Readonly<{
  runId: string
  counts: Counts
  begun: readonly DoneLine[] | null
  save: (counts: Counts, begun?: readonly DoneLine[]) => Promise<void>
  /** Nothing is left of it: the same file is a new import from here on. */
  finish: () => Promise<void>
}>

type Saved = Counts & Readonly<{ begun?: readonly DoneLine[] }>
type OfFile = Readonly<{ workspaceId: WorkspaceId; digest: string }>

/** An import that ended this long ago is not gone on with. */
const FORGOTTEN = '30 days'

/** Runs the import of a file, or goes on with it where it was ended. Throws one sentence where another process imports the same file. */
export async function withImportRun<T>(pool: Pool, of: OfFile, work: (run: ImportRun) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await lock(client, of)
    try {
      return await work(await runOf(pool, of))
    } finally {
      await client.query('select pg_advisory_unlock_all()')
    }
  } finally {
    client.release()
  }
}

/** The lock ends with the connection, and so with its process. */
const lock = async (client: PoolClient, { workspaceId, digest }: OfFile): Promise<void> => {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [
    `people import ${workspaceId} ${digest}`,
  ])
  if (rows[0]?.taken !== true) throw new OperationFailed('This file is being imported by another process: wait until it has ended.')
}

const runOf = async (pool: Pool, { workspaceId, digest }: OfFile): Promise<ImportRun> => {
  const key = [workspaceId, digest]
  await pool.query(`delete from ops.people_import where touched_at < clock_timestamp() - interval '${FORGOTTEN}'`)
  const ownId = uuidv7()
  const { rows } = await pool.query<{ run_id: string; counts: Saved }>(
    `insert into ops.people_import (workspace_id, digest, run_id, counts) values ($1, $2, $3, $4)
     on conflict (workspace_id, digest) do update set touched_at = clock_timestamp() returning run_id, counts`,
    [...key, ownId, JSON.stringify(NO_COUNTS)],
  )
  const [known] = rows
  if (known === undefined) throw new Error('the import has no row')
  const { begun = [], ...counts } = known.counts
  return {
    runId: known.run_id,
    counts,
    begun: known.run_id === ownId ? null : begun,
    save: async (counted, doneNow = []) => {
      const sql = 'update ops.people_import set counts = $3, touched_at = clock_timestamp() where workspace_id = $1 and digest = $2'
      const saved: Saved = doneNow.length === 0 ? counted : { ...counted, begun: doneNow }
      await pool.query(sql, [...key, JSON.stringify(saved)])
    },
    finish: async () => void (await pool.query('delete from ops.people_import where workspace_id = $1 and digest = $2', key)),
  }
}
