import type { Pool } from 'pg'

type HiddenStreamRow = Readonly<{ stream_id: string }>

/** Streams of which the database hides events from readers, in a sentence each: Tidings deletes and limits none (ADR 34). */
export async function hiddenStreams(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<HiddenStreamRow>('select stream_id from es.stream_meta order by stream_id limit 101')
  return rows.map(
    ({ stream_id }) => `Events of stream ${stream_id} are hidden from readers by its row in es.stream_meta, which Tidings did not write.`,
  )
}
