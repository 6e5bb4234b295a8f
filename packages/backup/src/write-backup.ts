import { mkdir, writeFile } from 'node:fs/promises'
import { type Config, changedSettings, OperationFailed, placeSecrets, readSecrets, readVapidKey, replaceVapidKey } from '@tidings/config'
import type { ClientBase, Pool } from 'pg'
import { copyOut } from './copy-out.ts'
import { type CopiedTable, type Manifest, writeManifest } from './manifest.ts'
import { places } from './places.ts'
import { assertReleased, assertSchema, migrationsOf } from './schema.ts'
import { inSnapshot } from './snapshot.ts'
import { assertFits, masterKeysOf } from './snapshot-keys.ts'
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
  await mkdir(places(draft).tables, { mode: 0o700 })
  for (const table of KEPT) copied.push(await copyOut(client, { table, file: places(draft).table(table), onRows }))
  return copied
}

type OfSnapshot = Pick<Manifest, 'createdAt' | 'head' | 'migrations' | 'masterKeys' | 'tables'>

const copySnapshot = (pool: Pool, draft: string, onProgress: BackupOptions['onProgress']): Promise<OfSnapshot> =>
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
    return { createdAt: at.toISOString(), head, migrations, masterKeys, tables: await copyTables(client, draft, onProgress) }
  })

/** Adds the secrets that Tidings made; those that the operator set stay with the operator. Returns whether the master key was among them. */
const copySecrets = async ({ secrets, push, storage }: Config, draft: string, masterKeys: readonly string[]): Promise<boolean> => {
  const own = secrets.masterKey === null ? await readSecrets(storage.dataDir) : null
  if (own !== null) {
    assertFits(own, masterKeys)
    await placeSecrets(places(draft).secrets, own)
  }
  const vapidKey = push.vapidPrivateKey === null ? await readVapidKey(storage.dataDir) : null
  if (vapidKey !== null) await replaceVapidKey(places(draft).secrets, vapidKey)
  return own !== null
}

/** Writes a backup of the moment at which it begins into a new folder, while the service runs. Throws one sentence, and leaves nothing, when it cannot. */
export async function writeBackup({ config, pool, directory, onProgress }: BackupOptions): Promise<Manifest> {
  if (config.storage.eventStore !== 'postgres') {
    throw new OperationFailed(
      'The log is in EventStoreDB, which has no moment in common with Postgres: stop the service and back up both with their own tools, as docs/how-to/back-up-and-restore.md says.',
    )
  }
  return wholeFolder(directory, async (draft) => {
    const ofSnapshot = await copySnapshot(pool, draft, onProgress)
    const settings = changedSettings(config)
    await writeFile(places(draft).settings, settings.file, { mode: 0o600, flush: true })
    const masterKeyIncluded = await copySecrets(config, draft, ofSnapshot.masterKeys)
    const manifest: Manifest = { format: 1, ...ofSnapshot, masterKeyIncluded, secretsLeftOut: settings.secrets }
    await writeManifest(draft, manifest)
    return manifest
  })
}
