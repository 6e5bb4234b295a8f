import { type ContentOfTemplate, type EmailContent, type MergedText, utf8Length, type WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import { batching } from '../batching.ts'
import { seal, unseal } from '../crypto/seal.ts'
import { SubjectKeyMissing } from '../errors.ts'
import { uuidv7 } from '../ids.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { retryTransient } from '../retry-transient.ts'
import { checkStorable } from '../storable.ts'

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

type ContentRowId = Readonly<{ workspaceId: WorkspaceId; id: string; subject: string }>

const contextOf = (row: ContentRowId, keyVersion: number): string =>
  `content|${FORMAT}|${keyVersion}|${row.workspaceId}|${row.id}|${row.subject}`

const header = (keyVersion: number): Buffer => {
  const bytes = Buffer.alloc(HEADER_BYTES)
  bytes.writeUInt8(FORMAT, 0)
  bytes.writeUInt32BE(keyVersion, 1)
  return bytes
}

/** Format (1 byte), version of the subject's key (4), then nonce, ciphertext and tag over the content as JSON. Stored for ever: docs/adr/0001. */
const sealContent = async (keyRing: KeyRing, row: ContentRowId, content: object): Promise<Buffer> => {
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

type ContentRef = Readonly<{ workspaceId: WorkspaceId; id: string }>
type ContentRow = ContentRef & Readonly<{ subject: string; sealed: Buffer }>

// A repeated batch finds its own rows: ids are made by the writer.
const INSERT = `
insert into ops.content (workspace_id, id, subject, sealed)
select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[]) on conflict do nothing`

const READ = `
select w.n::int, c.subject, c.sealed
from unnest($1::uuid[], $2::uuid[]) with ordinality w(workspace_id, id, n) join ops.content c using (workspace_id, id)`

const DELETE = `
delete from ops.content where (workspace_id, id) in (
  select workspace_id, id from ops.content where created_at < now() - make_interval(days => $1)
  order by created_at limit $2 for update skip locked)`

type SealedContentRow = Readonly<{ n: number; subject: string; sealed: Buffer }>

/** The rows of `ops.content`; one statement a call. */
function contentRows(pool: Pool) {
  return {
    insert: async (rows: readonly ContentRow[]): Promise<void> => {
      const values = [
        rows.map((row) => row.workspaceId),
        rows.map((row) => row.id),
        rows.map((row) => row.subject),
        rows.map((row) => row.sealed),
      ]
      await pool.query({ name: 'content_insert', text: INSERT, values })
    },
    /** The rows in the order of `refs`, null where there is none. */
    read: async (refs: readonly ContentRef[]): Promise<readonly (ContentRow | null)[]> => {
      const values = [refs.map((ref) => ref.workspaceId), refs.map((ref) => ref.id)]
      const { rows } = await pool.query<SealedContentRow>({ name: 'content_read', text: READ, values })
      const found = new Map(rows.map((row) => [row.n - 1, row]))
      return refs.map((ref, n) => {
        const row = found.get(n)
        return row ? { ...ref, subject: row.subject, sealed: row.sealed } : null
      })
    },
    deleteOf: async (workspaceId: WorkspaceId, subject: string): Promise<number> =>
      (await pool.query('delete from ops.content where workspace_id = $1 and subject = $2', [workspaceId, subject])).rowCount ?? 0,
    deleteOlderThan: async (days: number, limit: number): Promise<number> => (await pool.query(DELETE, [days, limit])).rowCount ?? 0,
  }
}

/** The location of a mail's content: inside its event, complete or by its template, or in a row that the event names. */
export type ContentLocation = Readonly<{ content: EmailContent | null; contentId: string | null } & Partial<ContentOfTemplate>>

/** Bytes of UTF-8. Up to here content is part of its event, one durable write instead of two; above, it is a row beside the log. */
const MAX_IN_EVENT = 16 * 1024

/** A character of a text has three bytes at most: what fits by that is not counted, which takes 2 µs for 2 KB of html. */
const fit = (texts: readonly string[]): boolean => {
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  if (characters * 3 <= MAX_IN_EVENT) return true
  return characters <= MAX_IN_EVENT && texts.reduce((sum, text) => sum + utf8Length(text), 0) <= MAX_IN_EVENT
}

/** Room for the two numbers of a span, as JSON. */
const SPAN = '[000000,000000]'
const textsIn = (pieces: MergedText | null): readonly string[] =>
  pieces === null ? [] : pieces.map((piece) => (typeof piece === 'string' ? piece : SPAN))

/** `ofTemplate`: the same content, where a template made it. */
export type LocatedContent = Readonly<{ content: EmailContent; ofTemplate?: ContentOfTemplate | undefined }>

/** The content as a part of its event: by its template where that is given. Null if it is too large. */
export function contentInEvent({ content, ofTemplate }: LocatedContent): ContentLocation | null {
  if (ofTemplate !== undefined) {
    const { subject, html, text } = ofTemplate.merged
    if (fit([subject, ...textsIn(html), ...textsIn(text)])) return { content: null, contentId: null, ...ofTemplate }
  }
  const { subject, html, text } = content
  return fit([subject, html, text ?? '']) ? { content, contentId: null } : null
}

type ContentToPut = LocatedContent & Readonly<{ workspaceId: WorkspaceId; subject: string }>

/** Stores content that is too large for its event; the row is durable before the event that names it. Throws `SubjectErased`. */
export async function putContent(
  contents: Pick<ContentStore<EmailContent>, 'put'>,
  { workspaceId, subject, ...located }: ContentToPut,
): Promise<ContentLocation> {
  return contentInEvent(located) ?? { content: null, contentId: await contents.put(workspaceId, subject, located.content) }
}
