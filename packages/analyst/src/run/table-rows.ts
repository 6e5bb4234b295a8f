import { LRUCache } from 'lru-cache'
import { type AnyTable, baseType, type Rows } from '../table.ts'
import type { Change } from './table-sql.ts'

const CACHED_ROWS = 50_000

/** Thrown into `apply` where it asks for a row that is not in memory: the row is read, and the event applied again. */
class RowMissing extends Error {
  override readonly name = 'RowMissing'
}
const rowMissing = new RowMissing('this row must be read first: let the error pass')

const NORMAL: Readonly<Record<string, (value: unknown) => string>> = {
  uuid: (value) => String(value).toLowerCase(),
  timestamptz: (value) => new Date(String(value)).toISOString(),
}

/** NUL cannot be in a Postgres text, so no two keys share this text. */
const keyTextOf = (table: AnyTable): ((key: readonly unknown[]) => string) => {
  const texts = table.key.map((column) => NORMAL[baseType(table.columns[column] ?? '')] ?? String)
  return (key) => {
    let text = ''
    for (let n = 0; n < texts.length; n++) text += `${n > 0 ? '\0' : ''}${texts[n]!(key[n])}`
    return text
  }
}

/**
 * The rows of one table over some batches: what these changed, over what they read, over what is known of the table from before. Every change can
 * be taken back until `mark`. Rows are frozen: an event that is applied again would find what its first time had changed in place.
 */
export class TableRows implements Rows {
  readonly table: AnyTable
  /** Keys of rows that a fold asked for and memory does not have, by key text. */
  readonly missing = new Map<string, readonly unknown[]>()
  readonly #textOf: (key: readonly unknown[]) => string
  readonly #known: LRUCache<string, Change>
  readonly #read = new Map<string, Change>()
  #changed = new Map<string, Change>()
  #before: (readonly [text: string, change: Change | undefined])[] = []

  constructor(table: AnyTable) {
    this.table = table
    this.#textOf = keyTextOf(table)
    this.#known = new LRUCache({ max: table.cachedRows ?? CACHED_ROWS })
  }

  get = (...key: readonly unknown[]): Record<string, never> | undefined => {
    const text = this.#textOf(key)
    const found = this.#changed.get(text) ?? this.#read.get(text) ?? this.#known.get(text)
    if (found !== undefined) return (found.row ?? undefined) as Record<string, never> | undefined
    this.missing.set(text, key)
    throw rowMissing
  }

  put = (row: object): void => {
    const values = row as Readonly<Record<string, unknown>>
    for (const column in values)
      if (!Object.hasOwn(this.table.columns, column)) throw new TypeError(`table ${this.table.name} has no column ${column}`)
    this.#change({ key: this.table.key.map((column) => values[column]), row: deepFrozen(row) })
  }

  delete = (...key: readonly unknown[]): void => this.#change({ key, row: null })

  /** Changes from here on can be taken back. */
  mark(): void {
    if (this.#before.length > 0) this.#before = []
  }

  takeBack(): void {
    for (const [text, change] of this.#before.toReversed()) {
      if (change === undefined) this.#changed.delete(text)
      else this.#changed.set(text, change)
    }
    this.#before = []
  }

  /** `row` is null where the table has none. */
  load(text: string, { key, row }: Change): void {
    this.missing.delete(text)
    this.#read.set(text, { key, row: deepFrozen(row) })
  }

  /** Hands out what was changed, which from now on counts as in the table. */
  drain(): readonly Change[] {
    const changes = [...this.#changed.values()]
    for (const rows of [this.#read, this.#changed]) for (const [text, change] of rows) this.#known.set(text, change)
    this.#read.clear()
    this.#changed = new Map()
    this.mark()
    return changes
  }

  #change(change: Change): void {
    const text = this.#textOf(change.key)
    this.#before.push([text, this.#changed.get(text)])
    this.#changed.set(text, change)
  }
}

/**
 * The value itself, frozen with all that is in it: a file's module is strict, so an assignment in place throws. What is frozen already is taken
 * to be so throughout.
 */
function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFrozen(inner)
  return value
}
