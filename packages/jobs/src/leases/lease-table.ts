import { sharedStatement } from '@tidings/async'
import type { ClientBase, Pool } from 'pg'

/**
 * Another process holds what this one acted for, or the database fell back to an earlier state: nothing was written. The next
 * owner of the lease can succeed.
 */
export class Fenced extends Error {
  override readonly name: string = 'Fenced'
  readonly retryable = true
}

/** The right of one process, `owner`, to the row `name`. `epoch` is the fencing token: each acquisition raises it. */
export type RowLease = Readonly<{ name: string; owner: string; epoch: bigint }>

type Database = Pick<Pool | ClientBase, 'query'>

/**
 * Rows that one process at a time may act for: a projection, a consumer group, a topic. The database's clock alone decides.
 *
 * - _free_: never acquired, or released, which a renewal that is still under way does not undo. `acquire` makes it leased, with a new epoch.
 * - _leased_: others get null from `acquire`. The owner renews three times in `leaseMs` (`whileLeased`).
 * - _of a clock that was ahead_: it ends long after one that begins now. The owner's next renewal puts it right; where there is none, it is expired.
 * - _expired_: the owner was killed, or cannot reach the database and does not know it. While no other has acquired the lease, a renewal makes
 *   it leased again. Once another has, the epoch is a new one: every write for the lease compares the epoch in its own statement, and
 *   one of an older epoch writes nothing and throws `Fenced`.
 */
export type LeaseTable = Readonly<{
  leaseMs: number
  /** Null while another process has it, or when there is no such row. */
  acquire: (db: Database, name: string, owner: string) => Promise<RowLease | null>
  /**
   * Throws `Fenced` when another process has acquired it, or when it was released. Leases that are renewed in one turn of the event loop
   * are one statement; one whose row a transaction has locked at that moment, or whose statement is late, is renewed alone.
   */
  renew: (db: Database, lease: RowLease) => Promise<void>
  /** Another process can acquire it at once. Does nothing when one has. */
  release: (db: Database, lease: RowLease) => Promise<void>
  /** Ends every lease. Only for a process that knows that their owners are dead; answers how many. */
  releaseAll: (db: Database) => Promise<number>
}>

/** `table` has the columns `owner` and `epoch`, and those named here. `creates`: whether `acquire` also makes the row. */
export type LeaseColumns = Readonly<{ table: string; name: string; expiresAt: string; leaseMs: number; creates?: boolean }>

/** The leases that are kept in a table. */
export function leaseTable({ table, name, expiresAt, leaseMs, creates = false }: LeaseColumns): LeaseTable {
  const expiry = `clock_timestamp() + interval '${leaseMs} milliseconds'`
  const isThis = `${name} = $1 and owner = $2 and epoch = $3`
  const renewSql = `update ${table} set ${expiresAt} = ${expiry} where ${isThis} and ${expiresAt} > '-infinity' returning epoch`
  const takeSql = `update ${table} set owner = $2, epoch = epoch + 1, ${expiresAt} = ${expiry}
    where ${name} = $1 and (owner is null or owner = $2 or ${expiresAt} is null or ${expiresAt} < clock_timestamp()
      or (${expiresAt} < 'infinity' and ${expiresAt} > ${expiry} + interval '1 minute')) returning epoch`
  const makeSql = `insert into ${table} (${name}, owner, epoch, ${expiresAt}) values ($1, $2, 1, ${expiry}) on conflict do nothing returning epoch`
  const acquireSql = creates
    ? `with made as (${makeSql}), taken as (${takeSql}) select epoch from made union all select epoch from taken`
    : takeSql
  const renewAllSql = `with free as (
      select t.ctid as at from ${table} t join unnest($1::text[], $2::text[], $3::bigint[]) a(name, owner, epoch)
        on t.${name}::text = a.name and t.owner::text = a.owner and t.epoch = a.epoch
      where t.${expiresAt} > '-infinity' for update of t skip locked)
    update ${table} t set ${expiresAt} = ${expiry} from free where t.ctid = free.at
    returning t.${name}::text as name, t.owner::text as owner, t.epoch`
  const values = (lease: RowLease) => [lease.name, lease.owner, lease.epoch]
  const together = sharedStatement({
    ask: async (db: Database, asked: readonly RowLease[]) => {
      const columns = [asked.map((lease) => lease.name), asked.map(({ owner }) => owner), asked.map(({ epoch }) => epoch)]
      return (await db.query<RowLease>({ name: `renew ${table} ${leaseMs}`, text: renewAllSql, values: columns })).rows
    },
    pick: (renewed, lease) => renewed.some((row) => row.name === lease.name && row.owner === lease.owner && row.epoch === lease.epoch),
  })
  return {
    leaseMs,
    acquire: async (db, row, owner) => {
      const { rows } = await db.query<{ epoch: bigint }>(acquireSql, [row, owner])
      return rows[0] === undefined ? null : { name: row, owner, epoch: rows[0].epoch }
    },
    renew: async (db, lease) => {
      if (await together(db)(lease)) return
      const renewed = await db.query(renewSql, values(lease))
      if (renewed.rowCount === 0) throw new Fenced(`another process has the lease of ${lease.name}`)
    },
    release: async (db, lease) => {
      await db.query(`update ${table} set ${expiresAt} = '-infinity' where ${isThis}`, values(lease))
    },
    releaseAll: async (db) => {
      const released = await db.query(`update ${table} set ${expiresAt} = '-infinity' where ${expiresAt} > clock_timestamp()`)
      return released.rowCount ?? 0
    },
  }
}

/** What network and clocks may cost between the database's count of a lease and this process's. */
const MARGIN_MS = 1_000

/**
 * When a lease of `leaseMs` ends by this process's count, in ms of performance.now(): before the database's, because `askedAt` is from before
 * the statement that acquired or renewed it. For a check right before a call that no statement can fence.
 */
export function localExpiry(askedAt: number, leaseMs: number): number {
  return askedAt + leaseMs - MARGIN_MS
}
