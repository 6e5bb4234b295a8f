import { type CustomFieldKind, declaredValue, inNfc, isImpossibleDate, type Json } from '@tidings/domain'
import type { Field } from '../file/columns.ts'
import { cleanCell, joinedTexts, safeCell, splitTexts } from '../file/csv-cell.ts'
import { LineRefused } from './given-consents.ts'

export type CustomFieldKinds = ReadonlyMap<string, CustomFieldKind>

const PROPERTY = 'customProperties.'

const isObject = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The custom properties of a line: each of a column of its own, and the object of the column `customProperties`. Where both say one, the object's value
 * counts if the cell shows it, as in a list that we wrote; else the cell. Throws `LineRefused` for a text that the declared kind cannot be.
 */
export function propertiesOf(cells: ReadonlyMap<Field, unknown>, kinds: CustomFieldKinds): Readonly<Record<string, Json>> | undefined {
  const whole = objectOf(cells.get('customProperties'))
  const found = new Map<string, Json>(Object.entries(whole))
  for (const [field, value] of cells) {
    if (!field.startsWith(PROPERTY)) continue
    const key = inNfc(field.slice(PROPERTY.length))
    const exact = found.get(key)
    if (exact === undefined || shownValue(exact) !== value) found.set(key, typedValue(key, value, kinds.get(key)))
  }
  return found.size === 0 ? undefined : Object.fromEntries(found)
}

const objectOf = (cell: unknown): Readonly<Record<string, Json>> => {
  if (cell === undefined) return {}
  if (isObject(cell)) return cell
  try {
    const parsed: unknown = typeof cell === 'string' ? JSON.parse(cell) : null
    if (isObject(parsed)) return parsed
  } catch {}
  throw new LineRefused('customProperties must be a JSON object')
}

/** A value as its cell shows it; null for one that no cell shows. */
export function shownValue(value: Json): string | null {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return shownText(joinedTexts(value))
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' ? shownText(value) : null
}

/** The text that a reader of the cell gets. */
const shownText = (text: string): string | null => cleanCell(safeCell(text.replaceAll(/\r\n?/g, '\n'))) || null

/** What JSON says is kept as it is; a text becomes what the workspace has declared. */
const typedValue = (key: string, value: unknown, kind: CustomFieldKind | undefined): Json => {
  if (typeof value !== 'string') return value as Json
  if (kind === 'multiSelect' || kind === 'list') return splitTexts(value)
  const read = declaredValue(kind === 'boolean' ? value.toLowerCase() : value, kind)
  if (typeof read === 'string' && (kind === 'number' || kind === 'boolean'))
    throw new LineRefused(`customProperties.${key} must be ${kind === 'number' ? 'a number' : 'true or false'}`)
  if (kind === 'date' && isImpossibleDate(read)) throw new LineRefused(`customProperties.${key} must be a valid ISO 8601 date string`)
  return read
}
