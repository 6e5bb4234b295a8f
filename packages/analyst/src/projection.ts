import { eventDeclarations } from '@tidings/domain'
import type { AnalystEvent, EventType, Personal } from './event.ts'
import { type AnyTable, NAME, type Rows, type Table } from './table.ts'

/** One statement of SQL under the projection's role, within the transaction of the batch; resolves with its rows. */
export type Sql = <Row extends object = Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

type Tables = Readonly<Record<string, AnyTable>>

type RowsOf<T extends Tables> = { readonly [Name in keyof T]: T[Name] extends Table<infer C, infer K> ? Rows<C, K> : never }

type Common<Type extends EventType, P> = Readonly<{
  /** Names the projection and, unless `--schema` does, its schema. */
  name: string
  /** The event types that it looks at; others are not even parsed. */
  events: readonly Type[]
  /** The personal fields to open, by event type, where `--personal` is given. */
  personal?: P
  /** Runs once, before the first event: views, indices, tables for `applyBatch`. */
  init?: (sql: Sql) => Promise<unknown>
}>

type Fold<Type extends EventType, P, T extends Tables> = Readonly<{
  tables: T
  /** One event into rows. Synchronous and without other effects: where a row must be read first, it runs again for the same event. */
  apply: (event: AnalystEvent<Type, P>, tables: RowsOf<T>) => void
  applyBatch?: never
}>

type Batch<Type extends EventType, P> = Readonly<{
  /** The next events, in their order, by SQL alone. What it returns or throws decides about the whole batch. */
  applyBatch: (events: readonly AnalystEvent<Type, P>[], sql: Sql) => Promise<unknown>
  tables?: never
  apply?: never
}>

/** A projection as the run sees it: the events' types are let go. */
export type AnalystProjection = Readonly<{
  name: string
  events: readonly string[]
  personal: Readonly<Record<string, readonly string[]>>
  init: ((sql: Sql) => Promise<unknown>) | null
  tables: Tables
  apply: ((event: AnalystEvent, tables: Readonly<Record<string, Rows>>) => unknown) | null
  applyBatch: ((events: readonly AnalystEvent[], sql: Sql) => Promise<unknown>) | null
}>

/** Known to every copy of this module: a file of an analyst's loads the source of it, and the program of a start has one of its own. */
const MADE = Symbol.for('@tidings/analyst: made by projection')

/** Whether `projection` made it. */
export function isProjection(value: unknown): value is AnalystProjection {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, MADE)
}

const assertEvents = ({ name, events, personal }: AnalystProjection): void => {
  if (events.length === 0) throw new TypeError(`projection ${name} looks at no event type: name some in events`)
  for (const type of [...events, ...Object.keys(personal)])
    if (!Object.hasOwn(eventDeclarations, type)) throw new TypeError(`projection ${name}: there is no event type ${type}`)
  for (const [type, fields] of Object.entries(personal)) {
    if (!events.includes(type)) throw new TypeError(`projection ${name} opens ${type}, which is not among its events`)
    const known = eventDeclarations[type]?.personal?.fields ?? []
    const unknown = fields.find((field) => !known.includes(field))
    if (unknown !== undefined) throw new TypeError(`projection ${name}: ${type} has no personal field ${unknown}`)
  }
}

const assertTables = ({ name, tables, apply, applyBatch }: AnalystProjection): void => {
  if ((apply === null) === (applyBatch === null)) throw new TypeError(`projection ${name} needs either apply, with tables, or applyBatch`)
  if (apply !== null && Object.keys(tables).length === 0) throw new TypeError(`projection ${name} has no table to apply events to`)
  const names = Object.values(tables).map((table) => table.name)
  if (new Set(names).size !== names.length) throw new TypeError(`projection ${name} has two tables of one name`)
}

/** The default export of the file. Throws where it could not run. The one place where the events' types are let go. */
export function projection<
  const Type extends EventType,
  const P extends Personal<Type> = Record<never, never>,
  const T extends Tables = Record<never, never>,
>(definition: Common<Type, P> & (Fold<Type, P, T> | Batch<Type, P>)): AnalystProjection {
  const { name, events, personal = {}, init = null, tables = {}, apply = null, applyBatch = null } = definition
  if (!NAME.test(name)) throw new TypeError(`projection name ${JSON.stringify(name)} must be lower-case letters, digits and _, at most 48`)
  const untyped = {
    ...{ name, events, personal, init, tables },
    apply: apply as AnalystProjection['apply'],
    applyBatch: applyBatch as AnalystProjection['applyBatch'],
  }
  assertEvents(untyped)
  assertTables(untyped)
  Object.defineProperty(untyped, MADE, { value: true })
  return untyped
}
