import type { Pool, PoolClient } from 'pg'

/**
 * Runs `work` inside one read-committed transaction and commits what it did; any error rolls back and is thrown again.
 * When COMMIT itself fails on a lost connection the outcome is unknown: the caller must be able to ask or repeat.
 */
export async function transaction<Result>(pool: Pool, work: (tx: PoolClient) => Promise<Result>): Promise<Result> {
  const tx = await pool.connect()
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  tx.on('error', onError)
  try {
    await tx.query('begin')
    const result = await work(tx)
    await tx.query('commit')
    return result
  } catch (error) {
    await tx.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    tx.off('error', onError)
    tx.release(broken)
  }
}
