import { eventDeclarations } from '@tidings/domain'
import ts from 'typescript'
import { ROOT, table } from '../markdown.ts'
import { events as sentences, streams } from './event-sentences.ts'

type Field = Readonly<{ name: string; type: string }>

const program = () => {
  const entry = `${ROOT}domain/src/declarations.ts`
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(`${ROOT}tsconfig.base.json`, ts.sys.readFile).config, ts.sys, ROOT)
  const compiled = ts.createProgram([entry], options)
  const source = compiled.getSourceFile(entry)
  if (source === undefined) throw new Error(`${entry} cannot be read`)
  return { checker: compiled.getTypeChecker(), source }
}

/** A union of words by its words, whatever alias it has; anything else as the compiler writes it, without where it comes from. */
const shown = (checker: ts.TypeChecker, type: ts.Type): string => {
  const members = (type.isUnion() ? type.types : [type]).filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0)
  const isBoolean = members.every(({ flags }) => (flags & ts.TypeFlags.BooleanLiteral) !== 0)
  if (isBoolean) return 'boolean'
  const texts = members.map((member) => checker.typeToString(member, undefined, ts.TypeFormatFlags.NoTruncation))
  const plain = texts.map((text) => text.replace(/import\("[^"]*"\)\./g, '').replaceAll('"', "'"))
  // The compiler's own order changes with what else it has seen.
  return plain.toSorted((a, b) => Number(a === 'null') - Number(b === 'null') || (a < b ? -1 : 1)).join(' | ')
}

/** The fields of `data` of every member of `DomainEvent`, as the compiler sees them. */
const fieldsByType = (): ReadonlyMap<string, readonly Field[]> => {
  const { checker, source } = program()
  const module = checker.getSymbolAtLocation(source)
  const union = module && checker.getExportsOfModule(module).find(({ name }) => name === 'DomainEvent')
  if (union === undefined) throw new Error('there is no DomainEvent')
  const all = checker.getDeclaredTypeOfSymbol(union)
  const propertyOf = (type: ts.Type, name: string): ts.Type => {
    const property = type.getProperty(name)
    if (property === undefined) throw new Error(`an event without ${name}`)
    return checker.getTypeOfSymbol(property)
  }
  const fieldOf = (property: ts.Symbol): Field => {
    const optional = (property.flags & ts.SymbolFlags.Optional) !== 0
    return { name: `${property.name}${optional ? '?' : ''}`, type: shown(checker, checker.getTypeOfSymbol(property)) }
  }
  return new Map(
    (all.isUnion() ? all.types : [all]).map((member) => {
      const type = propertyOf(member, 'type')
      if (!type.isStringLiteral()) throw new Error('an event whose type is no literal')
      return [type.value, checker.getPropertiesOfType(propertyOf(member, 'data')).map(fieldOf)]
    }),
  )
}

const isPersonal = (event: string, { name }: Field): boolean =>
  eventDeclarations[event]?.personal?.fields.includes(name.replace(/\?$/, '')) === true

const oneEvent = (event: keyof typeof sentences, fields: readonly Field[]): string => {
  const rows = fields.map((field) => [`\`${field.name}\``, `\`${field.type}\``, isPersonal(event, field) ? 'encrypted' : ''])
  return [`### ${event}`, `Version ${eventDeclarations[event]?.version}. ${sentences[event]}`, table(['field', 'type', ''], rows)].join(
    '\n\n',
  )
}

/** Every event type by stream: its sentence, its fields, and which of them are encrypted. */
export function events(): string {
  const fields = fieldsByType()
  return streams
    .map(({ title, stream, types }) => {
      const all = types.map((type) => oneEvent(type, fields.get(type) ?? []))
      return [`## ${title}`, `Stream \`${stream}\`.`, ...all].join('\n\n')
    })
    .join('\n\n')
}
