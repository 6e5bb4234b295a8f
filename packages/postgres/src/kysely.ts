import { Kysely, PostgresDialect } from 'kysely'
import type { Pool } from 'pg'

/** A Kysely query builder over a pool that somebody else owns: do not `destroy` it, end the pool instead. */
export function kyselyOn<Schema>(pool: Pool): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}
