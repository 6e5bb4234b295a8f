import { createWorkspaceSealer, type KeyRing } from '@tidings/codec'
import { INSTALLATION } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { transaction } from '@tidings/postgres'
import type { Pool, PoolClient } from 'pg'
import type { TakenSms } from './inbound.ts'

/** `digest`, `seal` and `open` are by a secret of the installation: a text has no workspace before it is decided. */
type Sealing = Readonly<{
  digest: (kind: 'inbound number' | 'inbound id', value: string) => Promise<string>
  seal: (plain: Buffer) => Promise<Buffer>
  open: (sealed: Buffer) => Promise<Buffer>
}>

/** A text that waits. `head`: where the log was when it came, null where it could not be asked. `tries`: how often it could not be decided for a fault. */
export type KeptText = Readonly<{ seq: string; read: () => Promise<TakenSms>; head: Position | null; tries: number }>

/** Texts that people sent, from their arrival until they are decided, for all processes. */
export type KeptTexts = Readonly<{
  /** Durable once it resolves. The same text again is the one that is there. */
  keep: (text: Readonly<{ sms: TakenSms; number: string; isStop: boolean | null; head: Position | null }>) => Promise<KeptTextRef>
  /** Leases the first text of the number; null where it has none, or that one is another process's or not due. */
  claim: (numberKey: string) => Promise<KeptText | null>
  done: (seq: string) => Promise<void>
  putOff: (text: KeptText, later: Readonly<{ inMs: number; tries: number }>) => Promise<void>
  /** Numbers whose first text can be claimed. */
  due: () => Promise<readonly string[]>
  /** Those of the numbers that are the caller's: others of the same numbers are on their way to other workspaces. One that no process can read, after some tries, is his too. */
  which: (numbers: readonly string[], isOurs: (sms: TakenSms) => Promise<boolean>) => Promise<readonly string[]>
}>
type KeptTextRef = Readonly<{ seq: string; numberKey: string }>

/** More texts of one number wait only if its phone is a machine: then the oldest go, but not the last that says STOP. */
const MAX_OF_NUMBER = 20
/** One that fails for its own sake delays those behind it no longer. */
const MAX_TRIES = 5
const MAX_DUE = 200

/** No text is put off, or leased, for longer: a moment behind it was written while the clock of the database was ahead (M55). */
const AHEAD = `clock_timestamp() + interval '2 minutes'`
const isDue = (dueAt: string): string => `(${dueAt} <= clock_timestamp() or ${dueAt} > ${AHEAD})`

/** Milliseconds until the first is due, as a `DueSource` has it. */
export const FIRST_KEPT_TEXT = `case when exists (select from ops.inbound_text where due_at > ${AHEAD}) then 0
  else extract(epoch from (select min(due_at) from ops.inbound_text) - clock_timestamp()) * 1000 end`

/** Texts that people sent and whose workspace is not decided yet, sealed under a secret of the installation. */
export function keptTexts({ pool, keyRing }: Readonly<{ pool: Pool; keyRing: KeyRing }>): KeptTexts {
  const sealer = createWorkspaceSealer(keyRing, 'text from a person')
  return createKeptTexts(pool, {
    digest: (kind, value) => keyRing.claimDigest(INSTALLATION, kind, value),
    seal: (plain) => sealer.seal(INSTALLATION, plain),
    open: (sealed) => sealer.open(INSTALLATION, sealed),
  })
}

export function createKeptTexts(pool: Pool, { digest, seal, open }: Sealing): KeptTexts {
  return {
    keep: async ({ sms, number, isStop, head }) => {
      const [numberKey, idKey] = await Promise.all([digest('inbound number', number), digest('inbound id', sms.id)])
      const sealed = await seal(Buffer.from(JSON.stringify(sms)))
      const row = { numberKey, idKey, isStop: isStop === true, head, sealed }
      const repeats = sms.isIdGuessed === true && isStop !== false
      return { numberKey, seq: await transaction(pool, (tx) => keep(tx, row, repeats)) }
    },
    claim: async (numberKey) => {
      const { rows } = await pool.query<KeptTextRow>({ name: 'inbound-texts-claim', text: CLAIM, values: [numberKey, MAX_TRIES] })
      const row = rows[0]
      if (row === undefined) return null
      const { seq, head_commit: commit, head_prepare: prepare, tries, sealed } = row
      const head = commit === null || prepare === null ? null : { commit: BigInt(commit), prepare: BigInt(prepare) }
      return { seq, head, tries, read: async () => keptSms(await open(sealed)) }
    },
    done: async (seq) =>
      void (await pool.query({ name: 'inbound-texts-done', text: 'delete from ops.inbound_text where seq = $1', values: [seq] })),
    putOff: async ({ seq, head }, { inMs, tries }) => {
      const values = [seq, inMs, tries, head?.commit ?? null, head?.prepare ?? null]
      await pool.query({ name: 'inbound-texts-put-off', text: PUT_OFF, values })
    },
    due: async () => {
      const { rows } = await pool.query<{ number_key: string }>({ name: 'inbound-texts-due', text: DUE, values: [MAX_DUE, MAX_TRIES] })
      return rows.map(({ number_key }) => number_key)
    },
    which: async (numbers, isOurs) => {
      const keys = await Promise.all(numbers.map((number) => digest('inbound number', number)))
      const { rows } = await pool.query<Readonly<{ seq: string; sealed: Buffer; tries: number }>>(OF_NUMBERS, [keys])
      const ours: string[] = []
      for (const { seq, sealed, tries } of rows) {
        const sms = await open(sealed)
          .then(keptSms)
          .catch((error: unknown) => {
            if (tries < MAX_TRIES) throw error
            return null
          })
        if (sms === null || (await isOurs(sms))) ours.push(seq)
      }
      return ours
    },
  }
}

type KeptTextRow = Readonly<{ seq: string; head_commit: string | null; head_prepare: string | null; tries: number; sealed: Buffer }>

/** A process that dies leaves it to another after half a minute. */
const CLAIM = `update ops.inbound_text t set due_at = clock_timestamp() + interval '30 seconds'
  where t.seq = (select seq from ops.inbound_text where number_key = $1 order by tries >= $2, seq limit 1) and ${isDue('t.due_at')}
  returning t.seq, t.head_commit, t.head_prepare, t.tries, t.sealed`
const OF_NUMBERS = 'select seq, sealed, tries from ops.inbound_text where number_key = any ($1) order by seq'
const PUT_OFF = `update ops.inbound_text set tries = $3, head_commit = $4, head_prepare = $5, due_at = clock_timestamp() + $2 * interval '1 millisecond'
  where seq = $1`
const DUE = `select number_key from (
    select distinct on (number_key) number_key, due_at from ops.inbound_text order by number_key, tries >= $2, seq) first
  where ${isDue('due_at')} order by due_at limit $1`

type NewRow = Readonly<{ numberKey: string; idKey: string; isStop: boolean; head: Position | null; sealed: Buffer }>

/**
 * Puts it behind what the number has waiting. `repeats`: another text soon after may have the same id, and is one of its own where something came
 * between: a STOP behind a START that is behind another STOP.
 */
async function keep(tx: PoolClient, row: NewRow, repeats: boolean): Promise<string> {
  // Two texts of a number that come at once: which is the first is decided here.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [row.numberKey])
  const { rows } = await tx.query<{ seq: string; newest: string }>(
    `select seq, (select max(seq) from ops.inbound_text where number_key = $2) as newest from ops.inbound_text where id_key = $1`,
    [row.idKey, row.numberKey],
  )
  const [same] = rows
  if (same !== undefined && (!repeats || same.newest === same.seq)) return same.seq
  const idKey = same === undefined ? row.idKey : `${row.idKey}.${same.newest}`
  const values = [row.numberKey, idKey, row.isStop, row.head?.commit ?? null, row.head?.prepare ?? null, row.sealed]
  const added = await tx.query<{ seq: string }>(
    `insert into ops.inbound_text (number_key, id_key, is_stop, head_commit, head_prepare, sealed) values ($1, $2, $3, $4, $5, $6) returning seq`,
    values,
  )
  await tx.query(
    `delete from ops.inbound_text where seq in (select seq from ops.inbound_text where number_key = $1 order by seq desc offset $2)
       and seq <> (select coalesce(max(seq), 0) from ops.inbound_text where number_key = $1 and is_stop)`,
    [row.numberKey, MAX_OF_NUMBER],
  )
  return added.rows[0]?.seq ?? ''
}

/** The edge where what was sealed becomes a text again. */
function keptSms(plain: Buffer): TakenSms {
  return JSON.parse(plain.toString()) as TakenSms
}
