import type { Pool } from 'pg'

/** Records of one partition that are no events, by their offsets, in order. What they hold stays where it is. */
export type Junk = Readonly<{ consumer: string; topic: string; partition: number; offsets: readonly string[] }>

/** So many of the latest offsets a letter may gain at once, and the number of records after which it gains no more. */
const SHOWN = 20

/**
 * Notes them: one dead letter a partition, whatever it is flooded with, which counts (`attempts`), shows the first offsets (`payload`) and
 * knows the last (`seq`), so that a repetition adds nothing.
 */
export async function setJunkAside(pool: Pool, { consumer, topic, partition, offsets }: Junk): Promise<void> {
  const reference = `${topic}/${partition}`
  await pool.query(
    `insert into ops.dead_letter as d (source, consumer, reference, seq, attempts, payload, error_class, error)
     select 'record', $1, $2, max(o), count(*), string_agg(o::text, ' ' order by o) filter (where n <= ${SHOWN}), 'Error', $4
     from unnest($3::bigint[]) with ordinality as junk(o, n)
     on conflict (consumer, reference) do update set
       attempts = d.attempts + (select count(*) from unnest($3::bigint[]) o where o > d.seq),
       payload = case when d.attempts >= ${SHOWN} then d.payload else concat_ws(' ', d.payload,
         (select string_agg(o::text, ' ' order by o) from (select o from unnest($3::bigint[]) o where o > d.seq order by o limit ${SHOWN}) more)) end,
       seq = excluded.seq, state = 'open', note = null, last_seen_at = now()
     where d.seq < excluded.seq`,
    [consumer, reference, offsets, junkIn(reference).message],
  )
}

export const junkIn = (reference: string): Error => new Error(`${reference} holds records that are no events of a relay`)
