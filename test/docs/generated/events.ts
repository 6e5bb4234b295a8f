import { DETAIL_KINDS, type DetailKind, eventDeclarations } from '@tidings/domain'
import ts from 'typescript'
import { table } from '../markdown.ts'
import { events as sentences, streams } from './event-sentences.ts'
import { type EventData, eventTypes } from './event-types.ts'

type Field = Readonly<{ name: string; type: string }>

/** A union of words by its words, whatever alias it has; anything else as the compiler writes it, without where it comes from. */
const shown = (checker: ts.TypeChecker, type: ts.Type): string => {
  const members = (type.isUnion() ? type.types : [type]).filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0)
  const isBoolean = members.every(({ flags }) => (flags & ts.TypeFlags.BooleanLiteral) !== 0)
  if (isBoolean) return 'boolean'
  const texts = members.map((member) => checker.typeToString(member, undefined, ts.TypeFormatFlags.NoTruncation))
  const named = texts.map((text) => text.replace(/import\("[^"]*"\)\./g, '').replaceAll('"', "'"))
  // The compiler alone tells ids from other texts: what is stored is a text.
  const plain = named.map((text) => text.replace(/\b[A-Z]\w*Id\b/g, 'string'))
  // The compiler's own order changes with what else it has seen.
  return plain.toSorted((a, b) => Number(a === 'null') - Number(b === 'null') || (a < b ? -1 : 1)).join(' | ')
}

const fieldsOf = ({ checker, type }: EventData): readonly Field[] =>
  checker.getPropertiesOfType(type).map((property) => {
    const optional = (property.flags & ts.SymbolFlags.Optional) !== 0
    return { name: `${property.name}${optional ? '?' : ''}`, type: shown(checker, checker.getTypeOfSymbol(property)) }
  })

const isPersonal = (event: string, { name }: Field): boolean =>
  eventDeclarations[event]?.personal?.fields.includes(name.replace(/\?$/, '')) === true

const ENDING: Readonly<Record<DetailKind, string>> = { client: 'client details', content: 'message content' }

const encryption = (event: string, field: Field): string => {
  if (!isPersonal(event, field)) return ''
  const kind = DETAIL_KINDS.find((one) => eventDeclarations[event]?.personal?.ending?.[one]?.includes(field.name.replace(/\?$/, '')))
  return kind === undefined ? 'encrypted' : `encrypted, ends with the retention of ${ENDING[kind]}`
}

const oneEvent = (event: keyof typeof sentences, fields: readonly Field[]): string => {
  const rows = fields.map((field) => [`\`${field.name}\``, `\`${field.type}\``, encryption(event, field)])
  return [`### ${event}`, `Version ${eventDeclarations[event]?.version}. ${sentences[event]}`, table(['field', 'type', ''], rows)].join(
    '\n\n',
  )
}

/** Every event type by stream: its sentence, its fields, and which of them are encrypted. */
export function events(): string {
  const fields = new Map([...eventTypes()].map(([type, data]) => [type, fieldsOf(data)]))
  return streams
    .map(({ title, stream, types }) => {
      const all = types.map((type) => oneEvent(type, fields.get(type) ?? []))
      return [`## ${title}`, `Stream \`${stream}\`.`, ...all].join('\n\n')
    })
    .join('\n\n')
}
