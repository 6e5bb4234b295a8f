import type { ProfileRow } from '@tidings/read-models'
import type { RawBuilder } from 'kysely'
import { folded } from './folded-names.ts'

/** The contract's sortable columns and the way each sorts when it is named bare (Pagination conventions). */
const columns = {
  createdAt: { column: 'created_at', bare: 'desc' },
  updatedAt: { column: 'updated_at', bare: 'desc' },
  email: { column: 'email', bare: 'asc' },
  firstName: { column: folded.firstName, bare: 'asc' },
  lastName: { column: folded.lastName, bare: 'asc' },
} as const satisfies Record<string, Readonly<{ column: Column; bare: Direction }>>

type Name = keyof typeof columns
type Direction = 'asc' | 'desc'
type Column = keyof ProfileRow | RawBuilder<string>

/** Names sort as people read them, whatever their case; the indices are built on the same expressions. */
export type ProfileOrder = Readonly<{ column: Column; direction: Direction }>

const isName = (text: string): text is Name => Object.hasOwn(columns, text)
const ordered = (name: Name, direction: Direction): ProfileOrder => ({ column: columns[name].column, direction })
const byDefault = ordered('createdAt', 'desc')

/** `-col`, `col:asc`, `col:desc` or `col`; what is not recognised sorts as nothing was said, and the id breaks ties (decisions.md G9). */
export const profileOrder = (sort: string | undefined): ProfileOrder => {
  if (sort === undefined) return byDefault
  const [, minus, name = '', direction] = /^(-?)([A-Za-z]+)(?::(asc|desc))?$/.exec(sort) ?? []
  if (!isName(name) || (minus === '-' && direction !== undefined)) return byDefault
  if (minus === '-') return ordered(name, 'desc')
  return ordered(name, direction === 'asc' || direction === 'desc' ? direction : columns[name].bare)
}
