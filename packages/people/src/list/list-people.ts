import { open, rename, rm } from 'node:fs/promises'
import { OperationFailed } from '@tidings/config'
import type { ContactId, WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels, toProfile } from '@tidings/read-models'
import type { Pool } from 'pg'
import type { CustomFieldKinds } from '../line/property-cells.ts'
import { canNameColumn, csvHeader, csvLine } from './csv-line.ts'
import type { ListedPerson } from './listed-person.ts'

export type ListFormat = 'csv' | 'ndjson'

type Listing = Readonly<{
  pool: Pool
  workspaceId: WorkspaceId
  kinds: CustomFieldKinds
  file: string
  format: ListFormat
  onProgress: (contacts: number) => void
}>

const PAGE = 1_000
/** More columns than these no spreadsheet shows. */
const MOST_KEYS = 1_000

/**
 * Writes everybody of a workspace into a new file, by id; answers how many. The file is empty until all of them are there: one that was killed passes for
 * no list. Throws one sentence where the file exists, or cannot be written.
 */
export async function listPeople(listing: Listing): Promise<number> {
  const { file } = listing
  const part = `${file}.part`
  const own = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new OperationFailed(`${file} exists: name a new file.`) : cannotWrite(file, error)
  })
  try {
    await own.close()
    await rm(part, { force: true })
    const contacts = await writeAll(listing, part)
    await rename(part, file)
    return contacts
  } catch (error) {
    for (const written of [part, file]) await rm(written, { force: true })
    throw error instanceof Error && 'code' in error && 'syscall' in error ? cannotWrite(file, error) : error
  }
}

const writeAll = async (listing: Listing, part: string): Promise<number> => {
  const { format, kinds, onProgress } = listing
  const keys = format === 'csv' ? (await propertyKeys(listing)).filter(canNameColumn) : []
  const handle = await open(part, 'wx', 0o600)
  let contacts = 0
  try {
    if (format === 'csv') await handle.appendFile(csvHeader(keys))
    for (let after: ContactId | null = null; ; ) {
      const page: readonly ListedPerson[] = await pageAfter(listing, after)
      const lines = page.map((person) => (format === 'csv' ? csvLine(person, keys, kinds) : `${JSON.stringify(person)}\n`))
      await handle.appendFile(lines.join(''))
      contacts += page.length
      onProgress(contacts)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) break
      after = last.id as ContactId
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return contacts
}

const cannotWrite = (file: string, error: Readonly<{ code?: unknown }>): OperationFailed =>
  new OperationFailed(`${file} cannot be written (${error.code}): make room, or name a file that you may write.`, { cause: error })

const propertyKeys = async ({ pool, workspaceId, file }: Listing): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ key: string }>(
    `select distinct key from read.profiles, jsonb_object_keys(custom_properties) key where workspace_id = $1 order by key limit ${MOST_KEYS + 1}`,
    [workspaceId],
  )
  if (rows.length > MOST_KEYS)
    throw new OperationFailed(
      `The contacts have more than ${MOST_KEYS} custom properties, too many for columns: write ${file} with --format ndjson.`,
    )
  return rows.map(({ key }) => key)
}

/** A person whose key is destroyed is none, also where the projection is behind. */
const pageAfter = async ({ pool, workspaceId }: Listing, after: ContactId | null): Promise<readonly ListedPerson[]> => {
  const read = forWorkspace(kyselyOn<ReadModels>(pool), workspaceId)
  const query = read.profiles().selectAll('profiles').orderBy('profiles.id').limit(PAGE)
  const rows = await (after === null ? query : query.where('profiles.id', '>', after)).execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const said = await read
    .consentHistory()
    .distinctOn(['consent_history.contact_id', 'consent_history.channel'])
    .select(['consent_history.contact_id', 'consent_history.channel', 'consent_history.source'])
    .where('consent_history.contact_id', 'in', ids)
    .orderBy('consent_history.contact_id')
    .orderBy('consent_history.channel')
    .orderBy('consent_history.revision', 'desc')
    .execute()
  const sources = new Map(said.map(({ contact_id, channel, source }) => [`${contact_id} ${channel}`, source]))
  return rows.map((row) => ({
    ...toProfile(row),
    emailConsentSource: sources.get(`${row.id} email`) ?? null,
    smsConsentSource: sources.get(`${row.id} sms`) ?? null,
  }))
}
