import type { Pool } from 'pg'
import { lastHead, type SignedHead } from '../heads.ts'
import type { LogKey } from '../log-key.ts'
import { fileAnchor } from './file-anchor.ts'
import { httpsAnchor } from './https-anchor.ts'
import type { Anchor } from './port.ts'

/** The place that `TIDINGS_LOG_ANCHOR` names. */
export function openAnchor(url: string): Anchor {
  return url.startsWith('file:') ? fileAnchor(url) : httpsAnchor(url)
}

/** The newest head, where it is not anchored yet. Those before it are covered by it, and stay as they are: not anchored. */
export async function headToAnchor(pool: Pool, key: LogKey): Promise<SignedHead | null> {
  const { rows } = await pool.query<{ anchored: boolean }>(
    'select anchored_at is not null as anchored from proof.head order by size desc limit 1',
  )
  return rows[0]?.anchored === false ? await lastHead(pool, key) : null
}

export async function noteAnchored(pool: Pool, { statement }: SignedHead): Promise<void> {
  await pool.query('update proof.head set anchored_at = clock_timestamp() where size = $1 and anchored_at is null', [statement.size])
}
