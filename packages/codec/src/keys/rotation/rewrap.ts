import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import { rewrapPurposeKey } from '../handover.ts'
import type { StoredPurposeKey } from '../key-store.ts'
import { type MasterKey, subjectKeyContext, unwrap, workspaceSecretContext, wrap } from '../master-key.ts'

/** `masters` open what is there, `target` wraps it anew. `onDone` gets how many more rows were wrapped. */
type Rewrapping = Readonly<{ pool: Pool; target: MasterKey; masters: readonly MasterKey[]; onDone: (count: number) => void }>

/** One statement each, of some 5 ms: a write about one of these subjects waits no longer. */
const PAGE = 500

const isOther = (parameter: string): string => `substring(wrapped for 4) <> decode(${parameter}, 'hex')`

const LEFT = `select (select count(*) from keys.subject_key where wrapped is not null and ${isOther('$1')})
  + (select count(*) from keys.workspace_secret where ${isOther('$1')})
  + (select count(*) from keys.purpose_key where ${isOther('$1')}) as left`

/** How many rows are wrapped under another key than the target. Reads every key. */
export async function leftToRewrap(pool: Pool, { id }: MasterKey): Promise<number> {
  const { rows } = await pool.query<{ left: bigint | string }>(LEFT, [id])
  return Number(rows[0]?.left ?? 0)
}

type SubjectRow = Readonly<{ workspace_id: WorkspaceId; subject: string; version: number; wrapped: Buffer }>

const SUBJECTS = `select workspace_id, subject, version, wrapped from keys.subject_key
  where (workspace_id, subject, version) > ($1, $2, $3) and wrapped is not null and ${isOther('$4')}
  order by workspace_id, subject, version limit ${PAGE}`

// A row changes only if it is still what was read: a subject that was erased meanwhile stays erased.
const REWRAP_SUBJECTS = `update keys.subject_key k set wrapped = w.after
  from unnest($1::uuid[], $2::text[], $3::int[], $4::bytea[], $5::bytea[]) w(workspace_id, subject, version, before, after)
  where (k.workspace_id, k.subject, k.version) = (w.workspace_id, w.subject, w.version) and k.wrapped = w.before`

const rewrapSubjects = async ({ pool, target, masters, onDone }: Rewrapping): Promise<number> => {
  let rewrapped = 0
  let last: Pick<SubjectRow, 'workspace_id' | 'subject' | 'version'> = { workspace_id: ZERO, subject: '', version: -1 }
  for (;;) {
    const values = [last.workspace_id, last.subject, last.version, target.id]
    const { rows } = await pool.query<SubjectRow>({ name: 'keys_to_rewrap', text: SUBJECTS, values })
    const end = rows.at(-1)
    if (end === undefined) return rewrapped
    const after = rows.map((row) => {
      const context = subjectKeyContext(row.workspace_id, row.subject, row.version)
      return wrap(target, unwrap(masters, row.wrapped, context), context)
    })
    const { rowCount } = await pool.query({
      name: 'keys_rewrap',
      text: REWRAP_SUBJECTS,
      values: [rows.map((r) => r.workspace_id), rows.map((r) => r.subject), rows.map((r) => r.version), rows.map((r) => r.wrapped), after],
    })
    rewrapped += rowCount ?? 0
    last = end
    onDone(rows.length)
  }
}

const ZERO = asWorkspaceId('00000000-0000-0000-0000-000000000000')

const rewrapSecrets = async ({ pool, target, masters, onDone }: Rewrapping): Promise<number> => {
  const { rows } = await pool.query<{ workspace_id: WorkspaceId; wrapped: Buffer }>(
    `select workspace_id, wrapped from keys.workspace_secret where ${isOther('$1')}`,
    [target.id],
  )
  for (const { workspace_id: workspaceId, wrapped } of rows) {
    const context = workspaceSecretContext(workspaceId)
    const after = wrap(target, unwrap(masters, wrapped, context), context)
    await pool.query('update keys.workspace_secret set wrapped = $2 where workspace_id = $1', [workspaceId, after])
    onDone(1)
  }
  return rows.length
}

const rewrapPurposeKeys = async ({ pool, target, masters, onDone }: Rewrapping): Promise<number> => {
  const { rows } = await pool.query<StoredPurposeKey>(
    `select master_key_id as "masterKeyId", purpose, wrapped from keys.purpose_key where ${isOther('$1')}`,
    [target.id],
  )
  for (const key of rows) {
    const values = [key.masterKeyId, key.purpose, rewrapPurposeKey(target, key, masters)]
    await pool.query('update keys.purpose_key set wrapped = $3 where master_key_id = $1 and purpose = $2', values)
    onDone(1)
  }
  return rows.length
}

/** Wraps every key anew that another master key has wrapped; answers how many. */
export async function rewrapAll(rewrapping: Rewrapping): Promise<number> {
  return (await rewrapPurposeKeys(rewrapping)) + (await rewrapSecrets(rewrapping)) + (await rewrapSubjects(rewrapping))
}
