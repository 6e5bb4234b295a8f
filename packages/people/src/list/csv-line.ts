import { contactTextNames, type Json } from '@tidings/domain'
import type { Field } from '../file/columns.ts'
import { cleanCell, joinedTexts, quoted, safeCell } from '../file/csv-cell.ts'
import { type CustomFieldKinds, propertiesOf, shownValue } from '../line/property-cells.ts'
import type { ListedPerson } from './listed-person.ts'

const FIELDS = [
  ...(['id', 'email', 'phone'] as const),
  ...contactTextNames.filter((name) => name !== 'notes'),
  ...(['emailConsent', 'emailConsentSource', 'emailConsentTimestamp'] as const),
  ...(['smsConsent', 'smsConsentSource', 'smsConsentTimestamp'] as const),
  ...(['pushConsent', 'pushConsentTimestamp', 'emailValidationState', 'tags', 'rfmTier', 'notes'] as const),
  ...(['emailSuppressed', 'smsSuppressed', 'createdAt', 'updatedAt'] as const),
] as const satisfies readonly (keyof ListedPerson)[]

/** A field of the profile that has no column does not compile. */
type Missing = Exclude<keyof ListedPerson, (typeof FIELDS)[number] | 'customProperties'>
const ALL: [Missing] extends [never] ? true : never = true

const line = (cells: readonly string[]): string => `${cells.map((cell) => quoted(safeCell(cell))).join(',')}\r\n`

const LONGEST_KEY = 128

/** Whether a column can be named by the key: its name is read again as it is, and the header is no longer than a line. */
export function canNameColumn(key: string): boolean {
  const isRead = key !== '' && key !== '__proto__' && !key.includes('\r') && cleanCell(`-${key}`) === `-${key}`
  return isRead && key.length <= LONGEST_KEY
}

/** `keys`: of the custom properties that can name a column, each in a column of its own; what no cell can say is in the last column, as JSON. */
export function csvHeader(keys: readonly string[]): string {
  return ALL ? `\uFEFF${line([...FIELDS, ...keys.map((key) => `customProperties.${key}`), 'customProperties'])}` : ''
}

export function csvLine(person: ListedPerson, keys: readonly string[], kinds: CustomFieldKinds): string {
  // What came out of a row is JSON.
  const properties = person.customProperties as Readonly<Record<string, Json>>
  const cells = keys.map((key) => cellOf(properties[key]))
  const shown = new Map(keys.map((key, n) => [key, cells[n] ?? '']))
  const inexact = Object.keys(properties).filter((key) => !isExact(key, shown.get(key) ?? '', properties, kinds))
  const rest = inexact.length === 0 ? '' : JSON.stringify(Object.fromEntries(inexact.map((key) => [key, properties[key]])))
  return line([...FIELDS.map((field) => fieldCell(person[field])), ...cells, rest])
}

const fieldCell = (value: ListedPerson[(typeof FIELDS)[number]]): string => {
  if (value === null) return ''
  return typeof value === 'object' ? joinedTexts(value) : String(value)
}

const cellOf = (value: Json | undefined): string => (value === undefined ? '' : (shownValue(value) ?? ''))

/** Whether the cell is read again as the same value. */
const isExact = (key: string, cell: string, properties: Readonly<Record<string, Json>>, kinds: CustomFieldKinds): boolean => {
  if (cell === '') return false
  try {
    return (
      JSON.stringify(propertiesOf(new Map<Field, string>([[`customProperties.${key}`, cell]]), kinds)?.[key]) ===
      JSON.stringify(properties[key])
    )
  } catch {
    return false
  }
}
