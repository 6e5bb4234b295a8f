import { OperationFailed } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import { compareSchema, migrate } from '@tidings/postgres'
import type { Pool } from 'pg'

const firstOf = ([first = '', ...others]: readonly string[]): string => (others.length === 0 ? first : `${first} and ${others.length} more`)

/**
 * Runs the migrations that the database has not seen, and answers their names; one sentence when one cannot be run. Over a database that has a
 * schema already it says before which ones those are: there is no way back but a backup.
 */
export async function migrateSchema(pool: Pool, log: Pick<Log, 'warn'>): Promise<readonly string[]> {
  const { pending, empty, changed, unreleased } = await compareSchema(pool)
  if (!empty && pending.length > 0 && changed.length === 0 && unreleased === null)
    log.warn(
      { migrations: pending },
      `this upgrade runs ${pending.join(', ')}; the way back is a backup from before (docs/how-to/upgrade.md)`,
    )
  return await migrate(pool).catch((error: unknown) => {
    throw new OperationFailed(error instanceof Error ? error.message : String(error), { cause: error })
  })
}

/**
 * Refuses a database that an unreleased version made, that lacks migrations of this version, or that ran other ones under their names. One that a newer version has migrated is
 * used, with a warning: a migration must leave the version before it working, because in a rolling deploy that version runs on, is restarted
 * where a machine fails, and is what a deploy that failed goes back to.
 */
export async function assertSchemaVersion(pool: Pool, log: Log): Promise<void> {
  const { pending, changed, unknown, empty, unreleased } = await compareSchema(pool)
  if (empty) throw new OperationFailed('The database has no Tidings schema yet: run `tidings migrate` once.')
  if (unreleased !== null) throw new OperationFailed(unreleased)
  if (changed.length > 0)
    throw new OperationFailed(
      `The database was made by another build of Tidings, its ${firstOf(changed)} differs from the one here: start the version that made it.`,
    )
  if (pending.length > 0)
    throw new OperationFailed(
      `The database is older than this version of Tidings, it has not run ${firstOf(pending)}: run \`tidings migrate\`.`,
    )
  if (unknown.length > 0)
    log.warn(`The database is newer than this version of Tidings, it has run ${firstOf(unknown)}: let the newer version take over soon.`)
}
