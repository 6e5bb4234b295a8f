import { mkdir, writeFile } from 'node:fs/promises'
import { parseMasterKey } from '@tidings/codec'
import { missingMasterKey } from '@tidings/codec/keys'
import {
  type Config,
  changedSettings,
  masterKeyFile,
  OperationFailed,
  putSecrets,
  readSecrets,
  readVapidKey,
  replaceVapidKey,
  type Secrets,
} from '@tidings/config'
import type { ClientBase, Pool, PoolClient } from 'pg'
import { copyOut } from './copy-tables.ts'
import { type CopiedTable, type Manifest, writeManifest } from './manifest.ts'
import { pathsIn } from './paths.ts'
import { assertReleased, assertSchema, migrationsOf } from './schema.ts'
import { KEPT } from './tables.ts'
import { wholeFolder } from './whole-folder.ts'

export type BackupOptions = Readonly<{
  config: Config
  pool: Pool
  directory: string
  /** Rows read so far, and about how many there are. */
  onProgress: (done: number, total: number) => void
}>

/** The log is counted, the other tables are estimated. */
const rowsAbout = async (client: ClientBase): Promise<number> => {
  const { rows } = await client.query<{ rows: number }>(
    `select (select coalesce(max(position), 0) from es.event)::float8
       + (select sum(greatest(reltuples, 0)) from pg_class where oid = any ($1::regclass[]) and oid <> 'es.event'::regclass) as rows`,
    [KEPT],
  )
  return rows[0]?.rows ?? 0
}

const copyTables = async (client: ClientBase, draft: string, onProgress: BackupOptions['onProgress']): Promise<Manifest['tables']> => {
  const total = await rowsAbout(client)
  let done = 0
  const onRows = (count: number): void => {
    done += count
    onProgress(done, Math.max(done, total))
  }
  const copied: CopiedTable[] = []
  await mkdir(pathsIn(draft).tables, { mode: 0o700 })
  for (const table of KEPT) copied.push(await copyOut(client, { table, file: pathsIn(draft).table(table), onRows }))
  return copied
}

type OfSnapshot = Pick<Manifest, 'createdAt' | 'head' | 'migrations' | 'masterKeys' | 'tables'>

const copySnapshot = ({ config, pool, onProgress }: BackupOptions, draft: string): Promise<OfSnapshot> =>
  inSnapshot(pool, async (client) => {
    const migrations = await migrationsOf(client)
    if (migrations.length === 0) throw new OperationFailed('The database has no Tidings in it: there is nothing to back up.')
    assertReleased('database', migrations)
    await assertSchema(client)
    const { rows } = await client.query<{ at: Date; head: string | null }>(
      `select now() as at, (select max(position)::text from es.event) as head`,
    )
    const { at = new Date(), head = null } = rows[0] ?? {}
    const masterKeys = await masterKeysOf(client)
    await assertKeyIsHere(config, masterKeys)
    return { createdAt: at.toISOString(), head, migrations, masterKeys, tables: await copyTables(client, draft, onProgress) }
  })

/** Throws where the key that Tidings has made is lost: no one could read a backup without it. */
const assertKeyIsHere = async ({ secrets, storage }: Config, needed: readonly string[]): Promise<void> => {
  if (secrets.masterKey !== null || storage.databaseUrl !== null || needed.length === 0 || (await readSecrets(storage.dataDir)) !== null)
    return
  const looked = [`there is no ${masterKeyFile(storage.dataDir)}`, 'TIDINGS_MASTER_KEY is not set']
  const mend = 'put that file back, from a copy or from secrets/master.key of an older backup, or set TIDINGS_MASTER_KEY to that key'
  throw new OperationFailed(missingMasterKey({ what: 'This database', needed, looked, mend }).message)
}

type Copied = Pick<Manifest, 'masterKeyIncluded' | 'vapidKeyIncluded'>

/** Adds the secrets that Tidings made; those that the operator set stay with the operator. Returns which were among them. */
const copySecrets = async ({ secrets, push, storage }: Config, draft: string, masterKeys: readonly string[]): Promise<Copied> => {
  const own = secrets.masterKey === null ? await readSecrets(storage.dataDir) : null
  if (own !== null) {
    assertFits(own, masterKeys, masterKeyFile(storage.dataDir))
    await putSecrets(pathsIn(draft).secrets, own)
  }
  const vapidKey = push.vapidPrivateKey === null ? await readVapidKey(storage.dataDir) : null
  if (vapidKey !== null) await replaceVapidKey(pathsIn(draft).secrets, vapidKey)
  return { masterKeyIncluded: own !== null, vapidKeyIncluded: vapidKey !== null }
}

/** Writes a backup of the moment at which it begins into a new folder, while the service runs. Throws one sentence, and leaves nothing, when it cannot. */
export async function writeBackup(options: BackupOptions): Promise<Manifest> {
  const { config, directory } = options
  if (config.storage.eventStore !== 'postgres') {
    throw new OperationFailed(
      'The log is in EventStoreDB, which has no moment in common with Postgres: stop the service and back up both with their own tools, as docs/how-to/back-up-and-restore.md says.',
    )
  }
  return wholeFolder(directory, async (draft) => {
    const ofSnapshot = await copySnapshot(options, draft)
    const settings = changedSettings(config)
    await writeFile(pathsIn(draft).settings, settings.file, { mode: 0o600, flush: true })
    const included = await copySecrets(config, draft, ofSnapshot.masterKeys)
    const manifest: Manifest = { format: 1, ...ofSnapshot, ...included, secretsLeftOut: settings.secrets }
    await writeManifest(draft, manifest)
    return manifest
  })
}

const SESSION = `set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local bytea_output = 'hex'; set local extra_float_digits = 1;
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`

/**
 * Everything `work` reads through its client is of one moment, while others go on writing. The events of that moment can all be read: a
 * subject's key and an email's content are committed before the event that needs them.
 */
async function inSnapshot<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read, read only')
    await client.query(SESSION)
    const result = await work(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    // The connection may be in the middle of a COPY: it cannot be used again.
    client.release(true)
    throw error
  }
}

const UNDER_WAY = 'the master key is being replaced: take the backup when `tidings master-key rotate` has said that it is done.'

/** The ids of the master keys that the keys of the snapshot are wrapped under. Throws where one is being replaced: no single key opens it then. */
async function masterKeysOf(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ keys: string[]; rotating: boolean }>(
    `select array(select distinct encode(substring(wrapped for 4), 'hex') from (
         select wrapped from keys.subject_key where wrapped is not null union all select wrapped from keys.workspace_secret
         union all select wrapped from keys.purpose_key) used
       union select id from keys.master_key where (select count(*) from keys.master_key) = 1) as keys,
       exists (select from keys.master_key where sealed is not null) as rotating`,
  )
  const { keys = [], rotating = false } = rows[0] ?? {}
  if (rotating) throw new OperationFailed(`There can be no backup now, because ${UNDER_WAY}`)
  return keys.toSorted()
}

/** Throws where the key of the data directory is not the snapshot's: it was replaced since. */
function assertFits({ masterKey }: Secrets, masterKeys: readonly string[], from: string): void {
  const { id } = parseMasterKey(masterKey, from)
  if (masterKeys.length === 0 || masterKeys.includes(id)) return
  throw new OperationFailed(`The master key was replaced while the backup was taken (${masterKeys.join(', ')} by ${id}): take it again.`)
}
