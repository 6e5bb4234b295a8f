import type { Pool } from 'pg'

/** Records of one partition that are not events of a relay, by their offsets, in order. Their content is not copied. */
export type ForeignRecords = Readonly<{ consumer: string; topic: string; partition: number; offsets: readonly string[] }>

/** The most offsets that a dead letter gains at once, and the number of records after which it gains no more. */
const SHOWN = 20

/**
 * Records them in one dead letter a partition, however many there are: it counts them (`attempts`), shows the first offsets (`payload`) and
 * has the last (`seq`), so that a repetition adds nothing.
 */
export async function setAsideForeignRecords(pool: Pool, { consumer, topic, partition, offsets }: ForeignRecords): Promise<void> {
  const reference = `${topic}/${partition}`
  await pool.query(
    `insert into ops.dead_letter as d (source, consumer, reference, seq, attempts, payload, error_class, error)
     select 'record', $1, $2, max(o), count(*), string_agg(o::text, ' ' order by o) filter (where n <= ${SHOWN}), 'Error', $4
     from unnest($3::bigint[]) with ordinality as record(o, n)
     on conflict (consumer, reference) do update set
       attempts = d.attempts + (select count(*) from unnest($3::bigint[]) o where o > d.seq),
       payload = case when d.attempts >= ${SHOWN} then d.payload else concat_ws(' ', d.payload,
         (select string_agg(o::text, ' ' order by o) from (select o from unnest($3::bigint[]) o where o > d.seq order by o limit ${SHOWN}) more)) end,
       seq = excluded.seq, state = 'open', note = null, last_seen_at = now()
     where d.seq < excluded.seq`,
    [consumer, reference, offsets, foreignRecordsError(reference).message],
  )
}

export function foreignRecordsError(reference: string): Error {
  return new Error(`${reference} holds records that are no events of a relay`)
}
