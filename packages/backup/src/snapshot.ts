import type { Pool, PoolClient } from 'pg'

const SESSION = `set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local bytea_output = 'hex'; set local extra_float_digits = 1;
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`

/**
 * Everything `work` reads through its client is of one moment, while others go on writing. The events of that moment can all be read: a
 * subject's key and an email's content are committed before the event that needs them.
 */
export async function inSnapshot<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read, read only')
    await client.query(SESSION)
    const result = await work(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    // The connection may be in the middle of a COPY: it cannot be used again.
    client.release(true)
    throw error
  }
}
