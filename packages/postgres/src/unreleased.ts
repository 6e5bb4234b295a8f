/** The first migration of the versions before the first release: no migration leads from their schema to the one here. */
const FIRST_UNRELEASED = '0001_event_log.sql'

/** Why a database or a backup that ran these migrations is refused, in one sentence; null where it is not of an unreleased version. */
export function unreleasedReason(what: 'backup' | 'database', migrations: Iterable<string>): string | null {
  if (!new Set(migrations).has(FIRST_UNRELEASED)) return null
  return `The ${what} is of an unreleased version of Tidings, whose schema this version does not bring up to date: export its log with the program that made it (\`tidings log export\`, and \`tidings backup\` for a copy that only that program restores), or start anew with another data directory or an empty database.`
}
