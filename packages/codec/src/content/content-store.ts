import type { WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import { batching } from '../batching.ts'
import { seal, unseal } from '../crypto/seal.ts'
import { SubjectKeyMissing } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { retryTransient } from '../retry-transient.ts'
import { checkStorable } from '../storable.ts'
import { type ContentRef, type ContentRow, contentRows } from './content-rows.ts'

/** Content that is too large for an event, sealed under the key of the person it is for. It ends with that key, or after its retention. */
export type ContentStore<Content extends object> = Readonly<{
  /** Answers once the content is durable: the event that names it may then be appended. Throws `SubjectErased`. */
  put: (workspaceId: WorkspaceId, subject: string, content: Content) => Promise<string>
  /** Null where the workspace has no such content, or its retention is over. */
  get: (workspaceId: WorkspaceId, contentId: string) => Promise<Content | 'erased' | null>
  /** Deletes all that is for a person; answers how many. */
  deleteOf: (workspaceId: WorkspaceId, subject: string) => Promise<number>
  /** Deletes what is older than `days`, in batches of bounded size; answers how many. */
  deleteOlderThan: (days: number) => Promise<number>
}>

// Rows may be megabytes: few in one statement, few waiting.
const MAX_BATCH = 16
const MAX_WAITING = 512
const DELETE_BATCH = 1_000

const FORMAT = 1
const HEADER_BYTES = 5

type Row = Pick<ContentRow, 'workspaceId' | 'id' | 'subject'>

const contextOf = (row: Row, keyVersion: number): string => `content|${FORMAT}|${keyVersion}|${row.workspaceId}|${row.id}|${row.subject}`

const header = (keyVersion: number): Buffer => {
  const bytes = Buffer.alloc(HEADER_BYTES)
  bytes.writeUInt8(FORMAT, 0)
  bytes.writeUInt32BE(keyVersion, 1)
  return bytes
}

/** Format (1 byte), version of the subject's key (4), then nonce, ciphertext and tag over the content as JSON. Stored for ever: docs/adr/0001. */
const sealContent = async (keyRing: KeyRing, row: Row, content: object): Promise<Buffer> => {
  const { version, key } = await keyRing.keyFor(row.workspaceId, row.subject)
  return Buffer.concat([header(version), seal(key, JSON.stringify(content), contextOf(row, version))])
}

const openContent = async (keyRing: KeyRing, row: ContentRow): Promise<unknown> => {
  const { sealed } = row
  if (sealed.readUInt8(0) !== FORMAT) throw new Error(`the content ${row.id} has a format that this build does not know`)
  const version = sealed.readUInt32BE(1)
  const keys = keyRing.cached(row.workspaceId, row.subject) ?? (await keyRing.load([row]))[0]
  if (!keys) throw new SubjectKeyMissing(row)
  if (keys.length === 0) return 'erased'
  const key = keys.find((candidate) => candidate.version === version)
  if (!key) throw new Error(`the content ${row.id} was sealed under key version ${version}, which is not there`)
  return JSON.parse(unseal(key.key, sealed.subarray(HEADER_BYTES), contextOf(row, version)).toString('utf8'))
}

/** The content rows of this database. What is stored is JSON; a string that Postgres cannot hold is refused with `InvalidAppend`. */
export function contentStore<Content extends object>({ pool, keyRing }: Readonly<{ pool: Pool; keyRing: KeyRing }>): ContentStore<Content> {
  const rows = contentRows(pool)
  const limits = { name: 'message content', maxBatch: MAX_BATCH, maxWaiting: MAX_WAITING }
  const insert = batching<ContentRow, null>({
    ...limits,
    run: async (batch) => {
      await retryTransient(limits.name, () => rows.insert(batch))
      return batch.map(() => null)
    },
  })
  const read = batching<ContentRef, ContentRow | null>({ ...limits, run: (refs) => retryTransient(limits.name, () => rows.read(refs)) })
  return {
    put: async (workspaceId, subject, content) => {
      checkStorable(content)
      const row = { workspaceId, id: uuidv7(), subject }
      await insert({ ...row, sealed: await sealContent(keyRing, row, content) })
      return row.id
    },
    get: async (workspaceId, contentId) => {
      const row = await read({ workspaceId, id: contentId })
      // The cast is the edge of the store: what one build put there, another reads.
      return row && ((await openContent(keyRing, row)) as Content | 'erased')
    },
    deleteOf: (workspaceId, subject) => rows.deleteOf(workspaceId, subject),
    deleteOlderThan: async (days) => {
      let deleted = 0
      for (let last = DELETE_BATCH; last === DELETE_BATCH; deleted += last) last = await rows.deleteOlderThan(days, DELETE_BATCH)
      return deleted
    },
  }
}
