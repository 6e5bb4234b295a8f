import ts from 'typescript'
import { ROOT } from '../markdown.ts'

/** The type of `data` of an event, and the compiler that knows it. */
export type EventData = Readonly<{ checker: ts.TypeChecker; type: ts.Type }>

const program = () => {
  const entry = `${ROOT}domain/src/declarations.ts`
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(`${ROOT}tsconfig.base.json`, ts.sys.readFile).config, ts.sys, ROOT)
  const compiled = ts.createProgram([entry], options)
  const source = compiled.getSourceFile(entry)
  if (source === undefined) throw new Error(`${entry} cannot be read`)
  return { checker: compiled.getTypeChecker(), source }
}

let known: ReadonlyMap<string, EventData> | undefined

/** `data` of every member of `DomainEvent`, as the compiler sees it. Compiled once a process. */
export function eventTypes(): ReadonlyMap<string, EventData> {
  known ??= compileEventTypes()
  return known
}

const compileEventTypes = (): ReadonlyMap<string, EventData> => {
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
  return new Map(
    (all.isUnion() ? all.types : [all]).map((member) => {
      const type = propertyOf(member, 'type')
      if (!type.isStringLiteral()) throw new Error('an event whose type is no literal')
      return [type.value, { checker, type: propertyOf(member, 'data') }]
    }),
  )
}
