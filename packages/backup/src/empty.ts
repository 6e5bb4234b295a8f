import { OperationFailed } from '@tidings/config'
import type { ClientBase, Pool } from 'pg'
import { tablesOf } from './schema.ts'
import { KEPT, SCHEMAS } from './tables.ts'

/** Throws one sentence where a table that a backup holds has rows already. A database without a schema is empty. */
export async function assertEmpty(db: Pick<ClientBase | Pool, 'query'>): Promise<void> {
  const present = await tablesOf(db, SCHEMAS)
  for (const table of KEPT.filter((name) => present.includes(name))) {
    const { rows } = await db.query<{ used: boolean }>(`select exists (select from ${table}) as used`)
    if (rows[0]?.used === true) {
      throw new OperationFailed(
        `This installation is not empty (there are rows in ${table}): restore into a new data directory or database.`,
      )
    }
  }
}
