import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Config, OperationFailed } from '@tidings/config'
import { migrate, shippedMigrations, transaction } from '@tidings/postgres'
import { dataDir } from '@tidings/postgres/embedded'
import type { ClientBase, Pool } from 'pg'
import { copyIn } from './copy-tables.ts'
import { bytesOf, type Manifest } from './manifest.ts'
import { pathsIn } from './paths.ts'
import { filesToRestore, withFilesOf } from './restored-files.ts'
import { assertReleased, migrationsOf, tablesOf } from './schema.ts'
import { KEPT, type KeptTable, SCHEMAS } from './tables.ts'

export type RestoreOptions = Readonly<{
  config: Config
  /** The pool of the database, which may be made only now: it is asked for when the backup is known to be whole, or where the database is there. */
  connect: () => Promise<Pool>
  directory: string
  manifest: Manifest
  /** Bytes worked through so far, of how many: each file is read twice, first only to check it. */
  onProgress: (done: number, total: number) => void
}>

type Loading = Readonly<{ directory: string; tables: Manifest['tables']; onBytes: (count: number) => void }>

/** Throws one sentence where this version does not have the migrations of the backup. */
const assertKnown = async ({ migrations }: Manifest): Promise<void> => {
  const shipped = new Map((await shippedMigrations()).map(({ name, sha256 }) => [name, sha256]))
  const unknown = migrations.find(({ name, sha256 }) => shipped.get(name) !== sha256)
  if (unknown === undefined) return
  throw new OperationFailed(
    `The backup needs the migration ${unknown.name}, which this version of Tidings has not: use the version that wrote it.`,
  )
}

/** Throws one sentence where the database has run migrations that the backup is older than. */
const assertNotAhead = async (pool: Pool, { migrations }: Manifest): Promise<void> => {
  const present = await migrationsOf(pool)
  assertReleased('database', present)
  const ahead = present.find(({ name }) => !migrations.some((known) => known.name === name))
  if (ahead === undefined) return
  throw new OperationFailed(
    `The database has run ${ahead.name}, which the backup is older than: restore into one on which \`tidings migrate\` has not run.`,
  )
}

/** The owners of leases do not run here, and this clock may differ from theirs: leases end now. Sequences continue after the restored rows. */
const ONCE_LOADED: Readonly<Partial<Record<KeptTable, string>>> = {
  'ops.consumer_checkpoint': 'update ops.consumer_checkpoint set owner = null, lease_until = null',
  'ops.idempotency': 'update ops.idempotency set lease_until = clock_timestamp() where status is null',
  // Keys that come back with a copy that was made before an erasure are destroyed again.
  'ops.erasure': 'update ops.erasure set finished_at = null',
  'inbox.job': 'select inbox.release_claims()',
  'inbox.bundle': 'select inbox.release_claims()',
  'webhooks.queue': 'update webhooks.queue set owner = null, lease_until = null',
  'webhooks.delivery': `select setval(pg_get_serial_sequence('webhooks.delivery', 'id'), coalesce(max(id), 0) + 1, false) from webhooks.delivery`,
}

const load = async (tx: ClientBase, { directory, tables, onBytes }: Loading): Promise<void> => {
  await tx.query(`lock table ${tables.map(({ name }) => name).join(', ')} in exclusive mode`)
  await assertEmpty(tx)
  for (const table of tables) {
    await copyIn(tx, { table, file: pathsIn(directory).table(table.name), onBytes })
    const statement = ONCE_LOADED[table.name]
    if (statement !== undefined) await tx.query(statement)
  }
}

const isThere = ({ databaseUrl, dataDir: root }: Config['storage']): boolean => databaseUrl !== null || existsSync(dataDir(root).clusterDir)

/**
 * Puts a backup into an installation that holds nothing: all of it in one transaction, or nothing. The read models are still empty then.
 * Throws one sentence where the backup is damaged, the installation is not empty, or the master key is another one.
 */
export async function restoreBackup(options: RestoreOptions): Promise<void> {
  const { config, connect, directory, manifest, onProgress } = options
  if (config.storage.eventStore !== 'postgres') {
    throw new OperationFailed(
      'A backup is restored into Postgres alone: unset TIDINGS_EVENT_STORE, or restore EventStoreDB with its own tools.',
    )
  }
  await assertKnown(manifest)
  const files = await filesToRestore({ config, directory, manifest })
  if (isThere(config.storage)) await assertEmpty(await connect())
  let done = 0
  const onBytes = (count: number): void => {
    done += count
    onProgress(done, 2 * bytesOf(manifest))
  }
  await checkFiles(directory, manifest, onBytes)
  const pool = await connect()
  await assertNotAhead(pool, manifest)
  // To the schema of the backup: later migrations run afterwards, on the restored rows.
  await migrate(pool, undefined, manifest.migrations.at(-1)?.name)
  const isStillEmpty = async () => (await usedTable(pool)) === null
  await withFilesOf({ config, manifest, files, isStillEmpty }, () =>
    transaction(pool, (tx) => load(tx, { directory, tables: manifest.tables, onBytes })),
  )
  await migrate(pool)
  // Plans made from statistics of empty tables would read the whole log for one stream.
  for (const { name } of manifest.tables) await pool.query(`analyze ${name}`)
}

type Queryable = Pick<ClientBase | Pool, 'query'>

/** A table that a backup holds and that has rows already; null where there is none. A database without a schema is empty. */
async function usedTable(db: Queryable): Promise<KeptTable | null> {
  const present = await tablesOf(db, SCHEMAS)
  for (const table of KEPT.filter((name) => present.includes(name))) {
    const { rows } = await db.query<{ used: boolean }>(`select exists (select from ${table}) as used`)
    if (rows[0]?.used === true) return table
  }
  return null
}

async function assertEmpty(db: Queryable): Promise<void> {
  const table = await usedTable(db)
  if (table === null) return
  throw new OperationFailed(`This installation is not empty (there are rows in ${table}): restore into a new data directory or database.`)
}

const sha256Of = async (file: string, onBytes: (bytes: number) => void): Promise<string> => {
  const hash = createHash('sha256')
  const sink = new Writable({
    write: (piece: Buffer, _encoding, done) => {
      hash.update(piece)
      onBytes(piece.length)
      done()
    },
  })
  await pipeline(createReadStream(file), sink)
  return hash.digest('hex')
}

/** Throws one sentence for the first file of a backup that is missing or not as it was written. `onBytes` gets how many more were read. */
async function checkFiles(directory: string, { tables }: Manifest, onBytes: (count: number) => void): Promise<void> {
  for (const { name, sha256 } of tables) {
    const file = pathsIn(directory).table(name)
    const found = await sha256Of(file, onBytes).catch((error: NodeJS.ErrnoException) => {
      throw new OperationFailed(`${file} cannot be read (${error.code}): the backup is damaged, use another one.`)
    })
    if (found !== sha256) throw new OperationFailed(`${file} is not what was backed up: the backup is damaged, use another one.`)
  }
}
