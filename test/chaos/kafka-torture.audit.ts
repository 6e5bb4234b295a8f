import type { Pool } from 'pg'

/** Events, in both groups together. Everything but `acked` and `effects` has to be 0. */
export type Audit = Readonly<{
  acked: number
  effects: number
  /** Acknowledged, and without an effect. */
  lost: number
  /** Events with more than one effect. */
  doubled: number
  /** Effects of a contact that come before those of an earlier event. */
  outOfOrder: number
  /** Effects that read something else than was written. */
  changed: number
  setAside: number
}>

type Effect = Readonly<{ position: bigint; contact: string; subject: string; consumer: string }>

export async function audit(pool: Pool, acked: ReadonlyMap<bigint, string>): Promise<Audit> {
  const { rows } = await pool.query<Effect>('select position, contact, subject, consumer from effect order by id')
  const each = ['steady', 'faltering'].map((group) =>
    auditGroup(
      rows.filter(({ consumer }) => consumer === group),
      acked,
    ),
  )
  const sum = (what: keyof ReturnType<typeof auditGroup>): number => each.reduce((total, one) => total + one[what], 0)
  const letters = await pool.query('select 1 from ops.dead_letter')
  return {
    acked: acked.size,
    effects: rows.length,
    lost: sum('lost'),
    doubled: sum('doubled'),
    outOfOrder: sum('outOfOrder'),
    changed: rows.filter(({ position, subject }) => acked.has(position) && acked.get(position) !== subject).length,
    setAside: letters.rows.length,
  }
}

function auditGroup(rows: readonly Effect[], acked: ReadonlyMap<bigint, string>) {
  const seen = new Map<bigint, number>()
  const last = new Map<string, bigint>()
  let outOfOrder = 0
  for (const { position, contact } of rows) {
    seen.set(position, (seen.get(position) ?? 0) + 1)
    if (position < (last.get(contact) ?? 0n)) outOfOrder += 1
    last.set(contact, position)
  }
  return {
    lost: [...acked.keys()].filter((position) => !seen.has(position)).length,
    doubled: [...seen.values()].filter((times) => times > 1).length,
    outOfOrder,
  }
}
