import { OperationFailed } from '@tidings/config'
import type { Pool } from 'pg'

/**
 * Runs `work` while no other process of this installation writes the file. The lock is one of a database session: where that is lost the
 * signal is aborted, and the export can be continued.
 */
export async function onlyWriter<Result>(pool: Pool, file: string, work: (lost: AbortSignal) => Promise<Result>): Promise<Result> {
  const lost = new AbortController()
  const client = await pool.connect()
  const onError = (): void =>
    lost.abort(new OperationFailed('The database closed the connection: repeat the call, and the export goes on.'))
  client.on('error', onError)
  try {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [
      `log export ${file}`,
    ])
    if (rows[0]?.taken !== true) throw new OperationFailed(`${file} is being written by another export: wait for it, or name another file.`)
    return await work(lost.signal)
  } finally {
    await client.query('select pg_advisory_unlock_all()').catch(() => undefined) // a lost session has lost its lock too
    client.off('error', onError)
    client.release(true)
  }
}
