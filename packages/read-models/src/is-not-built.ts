const UNDEFINED_TABLE = '42P01'
const UNDEFINED_COLUMN = '42703'

/** Whether a statement failed because a table, or a column of it, is not there yet: the version before serves until the first one with it is built. */
export function isNotBuilt(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === UNDEFINED_TABLE || error.code === UNDEFINED_COLUMN)
}
