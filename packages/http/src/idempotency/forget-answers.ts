import type { WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import type { Sealer } from './idempotency.ts'

type Answers = Readonly<{ pool: Pool; sealer: Pick<Sealer, 'open'> }>
type KeptAnswerRow = Readonly<{ method: string; path: string; key: string; answer: Buffer }>

const PAGE = 500

const NEXT = `select method, path, key, answer from ops.idempotency
  where workspace_id = $1 and (key, method, path) > ($2, $3, $4) and answer is not null order by key, method, path limit ${PAGE}`

const FORGET = `update ops.idempotency set answer = null
  where workspace_id = $1 and method = $2 and path = $3 and key = $4 and answer = $5`

/**
 * Forgets every remembered answer of a workspace that says one of these words; a replay of such a request is then 409
 * `idempotency_key_reused`, and nothing is done twice. Answers how many. Opens them all, at most a day's: which of them is about whom is not
 * stored.
 */
export async function forgetAnswers({ pool, sealer }: Answers, workspaceId: WorkspaceId, words: readonly string[]): Promise<number> {
  let forgotten = 0
  for (let after = ['', '', '']; ; ) {
    const { rows } = await pool.query<KeptAnswerRow>(NEXT, [workspaceId, ...after])
    for (const { method, path, key, answer } of rows) {
      const text = (await sealer.open(workspaceId, answer)).toString()
      if (!words.some((word) => text.includes(word))) continue
      forgotten += (await pool.query(FORGET, [workspaceId, method, path, key, answer])).rowCount ?? 0
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return forgotten
    after = [last.key, last.method, last.path]
  }
}
