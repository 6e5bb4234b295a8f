import type { Pool } from 'pg'

/** Events. Everything but `acked` and `effects` has to be 0. */
export type Audit = Readonly<{
  acked: number
  effects: number
  /** Acknowledged, and without an effect. */
  lost: number
  /** With more than one. */
  doubled: number
  /** Effects of a contact that come before those of an earlier event. */
  outOfOrder: number
  /** Effects that read something else than was written. */
  changed: number
  setAside: number
}>

export async function audit(pool: Pool, acked: ReadonlyMap<bigint, string>): Promise<Audit> {
  const { rows } = await pool.query<{ position: bigint; contact: string; subject: string }>(
    'select position, contact, subject from effect order by id',
  )
  const seen = new Map<bigint, number>()
  const last = new Map<string, bigint>()
  let outOfOrder = 0
  for (const { position, contact } of rows) {
    seen.set(position, (seen.get(position) ?? 0) + 1)
    if (position < (last.get(contact) ?? 0n)) outOfOrder += 1
    last.set(contact, position)
  }
  const letters = await pool.query('select 1 from ops.dead_letter')
  return {
    acked: acked.size,
    effects: rows.length,
    lost: [...acked.keys()].filter((position) => !seen.has(position)).length,
    doubled: [...seen.values()].filter((times) => times > 1).length,
    outOfOrder,
    changed: rows.filter(({ position, subject }) => acked.has(position) && acked.get(position) !== subject).length,
    setAside: letters.rows.length,
  }
}
