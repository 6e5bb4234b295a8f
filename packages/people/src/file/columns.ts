import { contactFieldNames } from '@tidings/domain'
import { WrongColumns } from './wrong-columns.ts'

/** The columns that are written, by their names in the API (M67). */
const WRITTEN = [
  'email',
  'phone',
  ...contactFieldNames,
  'emailConsent',
  'emailConsentSource',
  'emailConsentTimestamp',
  'smsConsent',
  'smsConsentSource',
  'smsConsentTimestamp',
] as const
export type Field = (typeof WRITTEN)[number] | `customProperties.${string}`

/** A profile shows them, and no file writes them: a list that is imported again has them. */
const SHOWN: readonly string[] = [
  'id',
  'pushConsent',
  'pushConsentTimestamp',
  'emailValidationState',
  'rfmTier',
  'emailSuppressed',
  'smsSuppressed',
  'createdAt',
  'updatedAt',
]

/** What the operator says of columns with other names; null leaves one out. */
export type ColumnMap = ReadonlyMap<string, string | null>

const PROPERTY = 'customProperties.'

const writtenField = (name: string): Field | null => {
  const known = WRITTEN.find((field) => field === name)
  if (known !== undefined) return known
  const key = name.startsWith(PROPERTY) ? name.slice(PROPERTY.length) : ''
  return key === '' || key === '__proto__' ? null : `${PROPERTY}${key}`
}

/** The map in a JSON text. Throws `WrongColumns`. */
export function parseColumnMap(text: string, file: string): ColumnMap {
  const wrong = new WrongColumns(
    `${file} must be one JSON object: { "their column": "our field" }, with null for a column that is left out.`,
  )
  let parsed: unknown
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw wrong
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw wrong
  return new Map(
    Object.entries(parsed).map(([column, field]: readonly [string, unknown]) => {
      if (field === null) return [column.trim(), null]
      if (typeof field !== 'string') throw wrong
      if (writtenField(field) === null)
        throw new WrongColumns(`${file} maps ${shown(column)} to ${shown(field)}, which is no field that a file can write.`)
      return [column.trim(), field]
    }),
  )
}

/** The field of a column; null for one that is left out. Throws `WrongColumns` for one that is neither known nor mapped. */
export function fieldOf(column: string, map: ColumnMap): Field | null {
  const field = knownField(column, map)
  if (field === undefined) throw unknownColumns([column])
  return field
}

/** The fields of a header, in its order; null for a column that is left out. Throws `WrongColumns`, which names all that are neither known nor mapped. */
export function fieldsOfHeader(columns: readonly string[], map: ColumnMap): readonly (Field | null)[] {
  const unknown = columns.filter((column) => knownField(column, map) === undefined)
  if (unknown.length > 0) throw unknownColumns(unknown)
  const fields = columns.map((column) => fieldOf(column, map))
  const seen = new Set<Field>()
  const twice = fields.find((field) => field !== null && seen.size === seen.add(field).size)
  if (twice !== undefined) throw new WrongColumns(`Two columns are ${shown(twice ?? '')}: leave one of them out by --map.`)
  if (!fields.includes('email') && !fields.includes('phone'))
    throw new WrongColumns('No column is email or phone: people are found by these.')
  return fields
}

/** Undefined for a column that is neither known nor mapped. */
const knownField = (column: string, map: ColumnMap): Field | null | undefined => {
  const mapped = map.get(column)
  if (mapped === null || (mapped === undefined && SHOWN.includes(column))) return null
  return writtenField(mapped ?? column) ?? undefined
}

const MOST_NAMED = 20

const unknownColumns = (columns: readonly string[]): WrongColumns => {
  const named = columns.slice(0, MOST_NAMED)
  const places = named.map((column) => {
    const near = WRITTEN.find((known) => plain(known) === plain(column))
    return `${shown(column)}: ${near === undefined ? 'null' : `"${near}"`}`
  })
  const names = named.map(shown).join(', ') + (columns.length > MOST_NAMED ? ` and ${columns.length - MOST_NAMED} others` : '')
  const said =
    columns.length === 1
      ? `column ${names} is no field of a profile: say what it is`
      : `columns ${names} are no fields of a profile: say what they are`
  return new WrongColumns(`The ${said} by --map, for example { ${places.join(', ')} }; null leaves a column out.`)
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '')

const MOST_SHOWN = 80

/** A name of the file in a sentence, in one line. */
const shown = (name: string): string => JSON.stringify(name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name)
